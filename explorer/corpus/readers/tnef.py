"""Unpack what Outlook packs: winmail.dat, in which it sends attachments, and the compressed RTF of its messages.

[MS-OXTNEF] and [MS-OXRTFCP]: https://learn.microsoft.com/openspecs/exchange_server_protocols/.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

SIGNATURE = b"\x78\x9f\x3e\x22"
_BODY, _TITLE, _DATA, _NEXT, _ATTACHMENT, _MESSAGE = 0x2800C, 0x18010, 0x6800F, 0x69002, 0x69005, 0x69003
_SUBJECT = 0x18004
_LONG_NAME, _DISPLAY_NAME, _CONTENT, _PLAIN_TEXT, _RTF, _HTML = 0x3707, 0x3001, 0x3701, 0x1000, 0x1009, 0x1013
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_TEXT8, _TEXT16, _OBJECT, _BINARY = 0x1E, 0x1F, 0x0D, 0x102
_MOST_PROPERTIES = 10_000
_LARGEST_RTF = 64 * 2**20  # bytes
_RTF_WINDOW = 4096
# What the window of the compression holds before the first byte.
_RTF_START = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


@dataclass
class Packed:
    """What a winmail.dat holds.

    Attributes:
        subject: Of the message.
        text: The plain text of the message, empty where there is only one of the next two.
        html: Its text as HTML.
        rtf: Its text as RTF, unpacked.
        attachments: Name and content of each; a message that is attached is a winmail.dat itself.
    """

    subject: str = ""
    text: str = ""
    html: bytes = b""
    rtf: bytes = b""
    attachments: list[tuple[str, bytes]] = field(default_factory=list)


def unpack(data: bytes) -> Packed:
    """Return the content of a winmail.dat, as far as it is whole."""
    packed = Packed()
    names, contents = [""], [b""]
    for attribute, value in _attributes(data):
        if attribute == _NEXT:
            names.append("")
            contents.append(b"")
        elif attribute == _TITLE:
            names[-1] = names[-1] or _string(value)
        elif attribute == _ATTACHMENT:
            properties = dict(_properties(value))
            names[-1] = _text(properties, _LONG_NAME) or names[-1] or _text(properties, _DISPLAY_NAME)
            content = properties.get(_CONTENT, b"")
            if isinstance(content, bytes) and content[16:].startswith(SIGNATURE):  # behind the id of an interface
                contents[-1] = content[16:]
        elif attribute == _DATA:
            contents[-1] = contents[-1] or value
        elif attribute == _SUBJECT:
            packed.subject = _string(value)
        elif attribute == _BODY:
            packed.text = packed.text or _string(value)
        elif attribute == _MESSAGE:
            properties = dict(_properties(value))
            packed.text = packed.text or _text(properties, _PLAIN_TEXT)
            packed.html = _data(properties, _HTML)
            packed.rtf = unpack_rtf(_data(properties, _RTF))
    for number, (name, content) in enumerate(zip(names, contents, strict=True)):
        if content:
            packed.attachments.append((name or f"attachment {number}", content))
    return packed


def unpack_rtf(data: bytes) -> bytes:
    """Return RTF that Outlook compressed, as far as it is whole; empty where it is none."""
    if len(data) < 16:
        return b""
    packed, size, method = struct.unpack_from("<II4s", data)
    if method == b"MELA":
        return data[16 : 16 + min(size, _LARGEST_RTF)]
    if method != b"LZFu":
        return b""
    window = bytearray(_RTF_START.ljust(_RTF_WINDOW, b"\0"))
    window_end, out = len(_RTF_START), bytearray()
    position, end = 16, min(len(data), packed + 4)
    while position < end and len(out) < min(size, _LARGEST_RTF):
        control = data[position]
        position += 1
        for bit in range(8):
            is_reference = control >> bit & 1
            if position + is_reference >= end:
                return bytes(out)
            if is_reference:
                (reference,) = struct.unpack_from(">H", data, position)
                if reference >> 4 == window_end:  # the end
                    return bytes(out)
                start, count = reference >> 4, (reference & 0xF) + 2
            else:
                start, count = -1, 1
            for step in range(count):
                byte = window[(start + step) % _RTF_WINDOW] if is_reference else data[position]
                window[window_end] = byte
                window_end = (window_end + 1) % _RTF_WINDOW
                out.append(byte)
            position += 1 + is_reference
    return bytes(out)


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    if len(data) < 6 or not data.startswith(SIGNATURE):
        return
    position = 6
    while position + 9 <= len(data):
        attribute, length = struct.unpack_from("<II", data, position + 1)
        yield attribute, data[position + 9 : position + 9 + length]
        position += 9 + length + 2  # and a checksum


def _properties(data: bytes) -> Iterator[tuple[int, str | bytes]]:
    """Yield the number and value of each MAPI property, up to the first that is not understood."""
    try:
        (count,) = struct.unpack_from("<I", data)
        position = 4
        for _ in range(min(count, _MOST_PROPERTIES)):
            kind, property_id = struct.unpack_from("<HH", data, position)
            position += 4
            if property_id >= 0x8000:  # a named property: its set, and its number or name
                (named,) = struct.unpack_from("<I", data, position + 16)
                position += 20
                (length,) = struct.unpack_from("<I", data, position)
                position += 4 + (_padded(length) if named else 0)
            several = bool(kind & 0x1000)
            kind &= 0xFFF
            values = 1
            if several or kind in (_TEXT8, _TEXT16, _OBJECT, _BINARY):
                (values,) = struct.unpack_from("<I", data, position)
                position += 4
            for _ in range(min(values, _MOST_PROPERTIES)):
                if kind in _FIXED:
                    position += _FIXED[kind]
                    continue
                if kind not in (_TEXT8, _TEXT16, _OBJECT, _BINARY):
                    return
                (length,) = struct.unpack_from("<I", data, position)
                value = data[position + 4 : position + 4 + length]
                position += 4 + _padded(length)
                yield property_id, value.decode("utf-16-le", "replace").rstrip("\0") if kind == _TEXT16 else value
    except struct.error:
        return


def _padded(length: int) -> int:
    return (length + 3) // 4 * 4


def _text(properties: dict[int, str | bytes], property_id: int) -> str:
    value = properties.get(property_id, "")
    return value if isinstance(value, str) else _string(value)


def _data(properties: dict[int, str | bytes], property_id: int) -> bytes:
    value = properties.get(property_id, b"")
    return value if isinstance(value, bytes) else b""


def _string(value: bytes) -> str:
    from explorer.corpus.encoding.decode import decode

    return decode(value.rstrip(b"\0")).text.strip()
