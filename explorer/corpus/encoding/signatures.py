"""Tell files that hold no text from those that do, by their first bytes."""

from __future__ import annotations

from explorer.corpus.encoding.detect import byte_order_mark, guess
from explorer.messages import UserMessage

# What a file is, by its signature and where that begins.
_SIGNATURE_TEMPLATES = {
    (0, b"%PDF-"): "PDF document",
    (0, b"PK\x03\x04"): "zip archive",
    (0, b"PK\x05\x06"): "zip archive",
    (0, b"\x1f\x8b"): "gzip archive",
    (0, b"BZh"): "bzip2 archive",
    (0, b"\xfd7zXZ\x00"): "xz archive",
    (0, b"7z\xbc\xaf\x27\x1c"): "7-Zip archive",
    (0, b"Rar!\x1a\x07"): "RAR archive",
    (0, b"\x28\xb5\x2f\xfd"): "Zstandard archive",
    (257, b"ustar"): "tar archive",
    (0, b"\x89PNG\r\n\x1a\n"): "picture",
    (0, b"\xff\xd8\xff"): "picture",
    (0, b"GIF87a"): "picture",
    (0, b"GIF89a"): "picture",
    (0, b"II*\x00"): "picture",
    (0, b"MM\x00*"): "picture",
    (0, b"\x00\x00\x01\x00"): "picture",
    (0, b"8BPS"): "picture",
    (8, b"WEBP"): "picture",
    (4, b"ftyp"): "video or sound",
    (0, b"OggS"): "video or sound",
    (0, b"fLaC"): "video or sound",
    (0, b"ID3"): "video or sound",
    (8, b"WAVE"): "video or sound",
    (8, b"AVI "): "video or sound",
    (0, b"\x1aE\xdf\xa3"): "video or sound",
    (0, b"\x7fELF"): "program",
    (0, b"MZ\x90\x00"): "program",
    (0, b"\xca\xfe\xba\xbe"): "program",
    (0, b"\xcf\xfa\xed\xfe"): "program",
    (0, b"\x00asm"): "program",
    (0, b"SQLite format 3\x00"): "database",
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"): "document of an old office program",
    (0, b"HWP Document File"): "document of an old office program",
    (0, b"\x00\x01\x00\x00\x00"): "font",
    (0, b"OTTO\x00"): "font",
    (0, b"wOFF"): "font",
    (0, b"wOF2"): "font",
    (0, b"PAR1"): "Parquet table",
    (0, b"ARROW1\x00\x00"): "Arrow table",
    (0, b"\x93NUMPY"): "array",
    (0, b"\x89HDF\r\n\x1a\n"): "array",
}
_PICKLED = (b"\x95", b"}", b"]", b"c", b"(", b"K", b"X")
_ORDINARY = frozenset(b"\t\n\r\x0b\x0c\x08\x1b")  # a terminal's log overprints and colours
_CONTROLS = frozenset(range(32)) - _ORDINARY
_LOOKED_AT = 64 * 2**10  # bytes


def kind(data: bytes) -> str:
    """What a file without text is, such as "picture", by its first bytes; empty where none is known."""
    for (offset, signature), name in _SIGNATURE_TEMPLATES.items():
        if data.startswith(signature, offset):
            return UserMessage(name)
    # A pickle has its protocol in front and one of a few opcodes behind that.
    pickled = (
        data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05") and data[2:3] in _PICKLED
    )
    return UserMessage("pickled object") if pickled else ""


def looks_binary(data: bytes) -> bool:
    """Whether the first bytes of a file say that it holds no plain text; UTF-16 and UTF-32 are text."""
    data = data[:_LOOKED_AT]
    if not data or byte_order_mark(data):
        return False
    if kind(data):
        return True
    if 0 in data and guess(data, complete=False).encoding.startswith("utf-16"):
        return False
    controls = sum(data.count(bytes([code])) for code in _CONTROLS)
    return controls > len(data) * (0.02 if len(data) > 400 else 0.1)
