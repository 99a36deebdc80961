"""Unpack winmail.dat, in which Outlook sends attachments: the Transport Neutral Encapsulation Format (MS-OXTNEF)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

_SIGNATURE = 0x223E9F78
_BODY, _TITLE, _DATA, _NEXT, _ATTACHMENT, _MESSAGE = 0x2800C, 0x18010, 0x6800F, 0x69002, 0x69005, 0x69003
_LONG_NAME, _PLAIN_TEXT = 0x3707, 0x1000
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_TEXT8, _TEXT16, _OBJECT, _BINARY = 0x1E, 0x1F, 0x0D, 0x102
_MOST_PROPERTIES = 10_000


@dataclass
class Packed:
    """What a winmail.dat holds: the text of the message, empty where it is only RTF, and its attachments."""

    text: str = ""
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
            names[-1] = _text(dict(_properties(value)), _LONG_NAME) or names[-1]
        elif attribute == _DATA:
            contents[-1] = value
        elif attribute == _BODY:
            packed.text = packed.text or _string(value)
        elif attribute == _MESSAGE:
            packed.text = packed.text or _text(dict(_properties(value)), _PLAIN_TEXT)
    for number, (name, content) in enumerate(zip(names, contents, strict=True)):
        if content:
            packed.attachments.append((name or f"attachment {number}", content))
    return packed


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    if len(data) < 6 or struct.unpack_from("<I", data)[0] != _SIGNATURE:
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
            kind, number = struct.unpack_from("<HH", data, position)
            position += 4
            if number >= 0x8000:  # a named property: its set, and its number or name
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
                yield number, value.decode("utf-16-le", "replace").rstrip("\0") if kind == _TEXT16 else value
    except struct.error:
        return


def _padded(length: int) -> int:
    return (length + 3) // 4 * 4


def _text(properties: dict[int, str | bytes], number: int) -> str:
    value = properties.get(number, "")
    return value if isinstance(value, str) else _string(value)


def _string(value: bytes) -> str:
    from explorer.corpus.encoding.decode import decode

    return decode(value.rstrip(b"\0")).text.strip()
