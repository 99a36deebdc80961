"""Detect the encoding of bytes: byte order marks and validity first, then which reading is likeliest as language."""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from explorer.corpus.encoding.language_models import Context, is_language, rate, wide_models
from explorer.messages import UserMessage

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ESCAPES = re.compile(rb"\x1b(\$[@B]|\([JI]|\$\([DOQ])|(\x1b\$\)C)")
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CONTROL_BYTE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HIGH = re.compile(rb"[\x80-\xff]")
# No multibyte encoding here has a byte below 0x30 inside a character, so these may be cut between.
_WORD = re.compile(rb"(?<![\x30-\xff])[\x30-\x7f]*+[\x80-\xff][\x30-\xff]*")
_PLAIN_WORD = re.compile(rb"(?<![\x80-\xff])\b[a-z]{2,}\b(?![\x80-\xff])")
_CERTAIN = 20.0  # a lead beyond which the next reading does not matter
_EVIDENCE = 3000  # bytes of words looked at; more changes nothing
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
    (0, b"\x00\x00\x02\x00"): "picture",
    (0, b"II+\x00"): "picture",
    (0, b"MM\x00+"): "picture",
    (0, b"8BPS"): "picture",
    (8, b"WEBP"): "picture",
    (0, b"\x00\x00\x00\x0cjP  \r\n"): "picture",
    (0, b"\x00\x00\x00\x0cJXL "): "picture",
    (0, b"\xff\x4f\xff\x51"): "picture",
    (0, b"icns\x00"): "picture",
    (0, b"qoif\x00"): "picture",
    (0, b"DDS |\x00"): "picture",
    (0, b"gimp xcf "): "picture",
    (0, b"v/1\x01"): "picture",
    (0, b"\xd7\xcd\xc6\x9a"): "picture",
    (40, b" EMF"): "picture",
    (0, b"AT&TFORM"): "picture",
    (4, b"ftypheic"): "picture",
    (4, b"ftypheix"): "picture",
    (4, b"ftypmif1"): "picture",
    (4, b"ftypavif"): "picture",
    (4, b"ftyp"): "video or sound",
    (0, b"\xff\xfb"): "video or sound",
    (0, b"\xff\xf3"): "video or sound",
    (0, b"MThd\x00\x00\x00\x06"): "video or sound",
    (0, b"FLV\x01"): "video or sound",
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"): "video or sound",
    (0, b"\x00\x00\x01\xba"): "video or sound",
    (0, b"\x00\x00\x01\xb3"): "video or sound",
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
_BITMAP_HEADERS = tuple(length.to_bytes(4, "little") for length in (12, 40, 52, 56, 64, 108, 124))
_NETPBM = re.compile(rb"P[456][ \t\r\n]+(?:#.*\n)?\d+[ \t\r\n]+\d+[ \t\r\n]")
_PICKLED = (b"\x95", b"}", b"]", b"c", b"(", b"K", b"X")
_ORDINARY = frozenset(b"\t\n\r\x0b\x0c\x08\x1b")  # a terminal's log overprints and colours
_CONTROLS = frozenset(range(32)) - _ORDINARY
_LOOKED_AT = 64 * 2**10  # bytes


@dataclass(frozen=True)
class Guess:
    """An encoding, and how sure it is, 0..1."""

    encoding: str
    confidence: float


# Encoding, its language if that is one of East Asia, and how much rarer it is than the first as a logarithm.
# Of encodings that read some bytes alike, the first is named.
_CANDIDATES: tuple[tuple[str, str, float], ...] = (
    ("cp949", "korean", 0.0),
    ("cp1252", "", 0.0),
    ("cp932", "japanese", -0.5),
    ("euc_jp", "japanese", -1.0),
    ("gb18030", "simplified", -0.5),
    ("cp950", "traditional", -0.7),
    ("big5hkscs", "traditional", -2.5),
    ("johab", "korean", -3.0),
    ("cp1250", "", -1.0),
    ("iso8859-2", "", -1.5),
    ("iso8859-15", "", -2.0),
    ("mac-roman", "", -2.5),
    ("cp850", "", -2.5),
    ("cp437", "", -3.0),
    ("cp852", "", -3.0),
    ("mac-latin2", "", -4.0),
    ("iso8859-16", "", -4.0),
    ("cp1251", "", -0.5),
    ("koi8-r", "", -1.5),
    ("koi8-u", "", -2.5),
    ("cp866", "", -2.0),
    ("iso8859-5", "", -2.5),
    ("mac-cyrillic", "", -3.0),
    ("cp855", "", -4.0),
    ("cp1253", "", -1.0),
    ("iso8859-7", "", -1.5),
    ("cp737", "", -3.0),
    ("mac-greek", "", -4.0),
    ("cp1254", "", -1.0),
    ("cp857", "", -3.0),
    ("mac-turkish", "", -4.0),
    ("cp1255", "", -1.5),
    ("iso8859-8", "", -2.0),
    ("cp862", "", -3.0),
    ("cp1256", "", -1.5),
    ("iso8859-6", "", -2.0),
    ("cp1257", "", -1.5),
    ("iso8859-13", "", -2.0),
    ("iso8859-4", "", -3.0),
    ("cp775", "", -3.5),
    ("cp874", "", -1.5),
    ("cp1258", "", -2.0),
    ("cp861", "", -4.0),
    ("cp865", "", -4.0),
)
_EBCDIC = ("cp037", "cp500", "cp1140", "cp273", "cp1026", "cp875", "cp424")
# Space, full stop, comma, line ends, small and capital letters, digits: most of any text in EBCDIC.
_EBCDIC_TEXT = re.compile(rb"[\x40\x4b\x6b\x0d\x15\x25\x81-\x89\x91-\x99\xa2-\xa9\xc1-\xc9\xd1-\xd9\xe2-\xe9\xf0-\xf9]")
_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_LATIN_ONLY = re.compile("[\u00a1-\u017f\u2013\u2014\u2018-\u201e\u2026\u20ac ]+")
_SHORT = 400  # bytes; a shorter text may hold neither a space nor a digit
_UTF7 = re.compile(rb"\+[A-Za-z0-9+/]{3,}(?![A-Za-z0-9+/])")


def guess(data: bytes, *, complete: bool = True) -> Guess:
    """Return the encoding of some bytes.

    Args:
        data: The bytes, or the first of them.
        complete: Whether that is all; otherwise the last character may be cut.
    """
    marked = byte_order_mark(data)
    if marked:
        return Guess(marked, 1.0)
    return (
        _detect_seven_bit(data, complete=complete)
        or _wide_units(data)
        or _ebcdic(data)
        or _utf8(data, complete=complete)
        or _likeliest(data)
    )


def byte_order_mark(data: bytes) -> str:
    """Return the encoding that the first bytes state; empty where they state none."""
    for mark, encoding in _BOMS:
        if data.startswith(mark) and not (encoding == "utf-32-le" and len(data) % 4):
            return encoding
    return ""


def _detect_seven_bit(data: bytes, *, complete: bool) -> Guess | None:
    """Detect the encodings that write other scripts in ASCII bytes: ISO-2022 of Japan and Korea, HZ, UTF-7."""
    if not data.isascii():
        return None
    head = data[:65536]
    if match := _ESCAPES.search(head):
        for encoding in ("iso2022_kr",) if match[2] else ("iso2022_jp", "iso2022_jp_2004", "iso2022_jp_ext"):
            if _valid(data, encoding, complete=complete):
                return Guess(encoding, 0.98)
    for encoding, group, pattern in (("hz", "simplified", _HZ), ("utf-7", "", _UTF7)):
        if pattern.search(head) and _valid(data, encoding, complete=complete):
            # What was written in ASCII must be language: "a+bcd-e" is a formula.
            text = re.sub(r"[\x00-\x7f]+", " ", head.decode(encoding, "replace")).strip()
            models = (group,) if group else ("", *wide_models())
            if len(text) >= 2 and any(is_language(text, name) for name in models):
                return Guess(encoding, 0.95)
            # In languages of Latin letters only some of them are written so, too few to be told as language.
            if encoding == "utf-7" and len(text.split()) >= 2 and _LATIN_ONLY.fullmatch(text):
                return Guess(encoding, 0.85)
    return None


def _ebcdic(data: bytes) -> Guess | None:
    """Detect the encodings of mainframes, in which a space is 0x40 and letters are above 0x80."""
    head = data[:_EVIDENCE]
    if head.count(b"\x40") < len(head) / 25 or head.count(b" ") > len(head) / 100:
        return None
    if len(_EBCDIC_TEXT.findall(head)) < 0.75 * len(head):
        return None
    readings = {encoding: head.decode(encoding, "replace").replace("\x85", "\n") for encoding in _EBCDIC}
    # The first wins a draw: without accents and brackets all read alike.
    contexts = {
        name: Context.from_start(text.encode("ascii", "replace"), sparse=False) for name, text in readings.items()
    }
    rated = {name: rate(text, "", contexts[name]) for name, text in readings.items()}
    best = max(rated, key=lambda name: rated[name])
    return Guess(best, 0.75 if len({*readings.values()}) > 1 else 0.9)


def _valid(data: bytes, encoding: str, *, complete: bool = True) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(data, complete)
    except UnicodeError:
        return False
    return True


def _wide_units(data: bytes) -> Guess | None:
    """Detect UTF-16 without a mark: its spaces and digits have a zero byte, its letters are of one script."""
    head = data[: min(len(data), 65536) // 2 * 2]
    controls = len(_CONTROL_BYTE.findall(head))
    if controls == 0 or (_valid(head, "utf-8", complete=False) and controls < len(head) / 5):
        return None
    sound = {encoding: _coherence(head.decode(encoding, "replace")) for encoding in ("utf-16-le", "utf-16-be")}
    encoding = max(sound, key=lambda name: sound[name])
    return Guess(encoding, 0.95) if sound[encoding] >= 0.8 else None


def _coherence(text: str) -> float:
    """Return the share of ASCII and of the commonest script among the characters; 0 without any ASCII."""
    strange = sum(1 for c in text if c not in "\t\n\r\x0c" and unicodedata.category(c) in ("Cn", "Co", "Cc", "Cs"))
    if strange + text.count("\ufffd") > len(text) * 0.02:
        return 0.0
    scripts = Counter(_script(char) for char in text)
    narrow = scripts.pop("ASCII", 0)
    return (narrow + max(scripts.values(), default=0)) / len(text) if narrow else 0.0


@lru_cache(maxsize=20_000)
def _script(char: str) -> str:
    """Return the first word of a character's name; the scripts that East Asia mixes are one."""
    first = "ASCII" if char.isascii() else unicodedata.name(char, "?").split(maxsplit=1)[0]
    return "CJK" if first in ("HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH") else first


def _utf8(data: bytes, *, complete: bool) -> Guess | None:
    if _HIGH.search(data) is None:
        return Guess("ascii", 1.0)
    if _valid(data, "utf-8", complete=complete):
        return Guess("utf-8", 0.99)
    # A few bytes of a UTF-8 text were damaged: its sequences are still too many to be chance.
    good = _MULTIBYTE.findall(data)
    covered = sum(map(len, good))
    stray = len(_HIGH.findall(data)) - covered
    return Guess("utf-8", 0.8) if len(good) >= 3 and covered >= 8 * stray else None


def _likeliest(data: bytes) -> Guess:
    """Return the reading with the highest likelihood, and its lead over the next different one."""
    words, context = _evidence(data), _context(data)
    readings: dict[str, tuple[float, str]] = {}
    best = -math.inf
    for encoding, group, rarity in _CANDIDATES:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(words, len(words) < _EVIDENCE)
        if not group and text in readings:
            continue
        score = rarity + rate(text, group, context, best - _CERTAIN)
        best = max(best, score)
        if text not in readings or score > readings[text][0]:
            readings[text] = (score, encoding)
    for encoding, text, score in _short_wide(data):
        readings[text] = (score, encoding)
    (best, encoding), *others = sorted(readings.values(), reverse=True)
    lead = min(_CERTAIN, best - others[0][0]) if others else _CERTAIN
    text = next(text for text in readings if readings[text][0] == best)
    groups = [group for name, group, _ in _CANDIDATES if name == encoding] or _every_group()
    limit = 0.99 if any(is_language(text, group) for group in groups) else 0.5
    confidence = min(limit, 1.0 - 0.5 * math.exp(-lead / 4.0))
    return Guess(_narrow_or_widen(data, encoding), round(confidence, 3))


def _narrow_or_widen(data: bytes, encoding: str) -> str:
    """Prefer Latin-1 where nothing beyond it is used, and the wider Big5 where only that can decode all bytes."""
    if encoding == "cp1252" and re.search(rb"[\x80-\x9f]", data) is None:
        return "latin-1"
    if encoding == "cp950" and not _valid(data, "cp950") and _valid(data, "big5hkscs"):
        return "big5hkscs"
    return encoding


def _evidence(data: bytes) -> bytes:
    """Return the words with bytes beyond ASCII, up to a few thousand bytes."""
    words: list[bytes] = []
    length = 0
    for match in _WORD.finditer(data):
        words.append(match[0][: _EVIDENCE - length])
        length += len(words[-1]) + 1
        if length >= _EVIDENCE:
            break
    return b" ".join(words)


def _context(data: bytes) -> Context:
    start = data[:_EVIDENCE].lower()
    return Context.from_start(start, sparse=len(_PLAIN_WORD.findall(start)) > 1.5 * len(_WORD.findall(start)))


def _short_wide(data: bytes) -> Iterator[tuple[str, str, float]]:
    """Yield UTF-16 readings of a short text that may not hold a single space or digit."""
    if len(data) % 2 or not 8 <= len(data) <= _SHORT:
        return
    for encoding in ("utf-16-le", "utf-16-be"):
        text = data.decode(encoding, "replace")
        yield encoding, text, max(rate(text, group, Context({}, sparse=False)) for group in _every_group()) - 4.0


def _is_utf16(data: bytes) -> bool:
    """Return whether bytes, some of them zero, are UTF-16; only a short text is compared with every other reading.

    A long one has spaces and digits. Rating all readings of 4 KB of noise takes seconds.
    """
    if len(data) <= _SHORT:
        return guess(data, complete=False).encoding.startswith("utf-16")
    return _detect_seven_bit(data, complete=False) is None and _wide_units(data) is not None


def _every_group() -> list[str]:
    return ["", *wide_models()]


def kind(data: bytes) -> str:
    """Return what a file without text is, such as "picture", by its first bytes; empty where none is known."""
    for (offset, signature), name in _SIGNATURE_TEMPLATES.items():
        if data.startswith(signature, offset):
            return UserMessage(name)
    # A bitmap states the length of its second header, and a netpbm picture its size in digits.
    if (data.startswith(b"BM") and data[14:18] in _BITMAP_HEADERS) or _NETPBM.match(data):
        return UserMessage("picture")
    # A pickle has its protocol in front and one of a few opcodes behind that.
    pickled = data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05") and data[2:3] in _PICKLED
    return UserMessage("pickled object") if pickled else ""


def looks_binary(data: bytes) -> bool:
    """Return whether the first bytes of a file say that it holds no plain text; UTF-16 and UTF-32 are text."""
    data = data[:_LOOKED_AT]
    if not data or byte_order_mark(data):
        return False
    if kind(data):
        return True
    if (0 in data and _is_utf16(data)) or _ebcdic(data):
        return False
    if _ESCAPES.search(data[:4096]) and data.isascii():  # ISO-2022 shifts by control characters
        data = data.translate(None, b"\x0e\x0f")
    controls = sum(data.count(bytes([code])) for code in _CONTROLS)
    return controls > len(data) * (0.02 if len(data) > 400 else 0.1)
