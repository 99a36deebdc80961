"""Write documents of Hangul 3 to 97, as Hancom's publication of the format describes them.

The writer has tables of its own, so that it does not repeat a mistake of the reader; LibreOffice opens what it makes.
"""

from __future__ import annotations

import struct
import zlib

SIGNATURE = b"HWP Document File V3.00 \x1a\x01\x02\x03\x04\x05"


def code(letter: str) -> int:
    """The 16-bit code of a character: ASCII, Johab, or a place of KS X 1001."""
    if letter < "\x7f":
        return ord(letter)
    high, low = letter.encode("johab")
    if high < 0xD9:
        return high << 8 | low  # Korean is Johab as it is
    high, low = letter.encode("euc_kr")
    if high >= 0xCA:
        return 0x4000 + (high - 0xCA) * 94 + low - 0xA1
    if high in (0xAA, 0xAB):
        return 0x1F00 + (high - 0xAA) * 96 + low - 0xA0
    return 0x3400 + (high - 0xA1 - 2 * (high == 0xAC)) * 96 + low - 0xA0


def codes(text: str, places: int = 0) -> bytes:
    """A text as codes, filled up with zeros to that many."""
    return struct.pack(f"<{len(text)}H", *map(code, text)).ljust(2 * places, b"\0")


def paragraph(*parts: str | bytes, has_shapes: bool = False, as_before: bool = False, lines: int = 1) -> bytes:
    """A paragraph of texts and of what the functions below make."""
    content, count, present = b"", 1, 0
    for part in parts:
        data = codes(part) if isinstance(part, str) else part
        content += data
        count += len(data) // 2 if isinstance(part, str) else _width(data)
        present |= 0 if isinstance(part, str) else 1 << part[0]
    shape = struct.pack("<H7B7B7b4B4x", 250, *[0] * 7, *[100] * 7, *[0] * 7, 0, 0, 0, 0)
    shapes = b""
    if has_shapes:  # every third character has a new shape
        shapes = b"".join(b"\0" + shape if place % 3 == 0 else b"\1" for place in range(count))
    header = struct.pack("<BHHBBIB", as_before, count, lines, has_shapes, 0, present, 0)
    line = struct.pack("<7H", 0, 0, 250, 0, 0, 0, 0)
    return header + shape + (b"" if as_before else bytes(187)) + line * lines + shapes + content + b"\r\0"


def _width(data: bytes) -> int:
    """How many characters a code counts as: those that carry more count as their first eight bytes."""
    (number,) = struct.unpack_from("<H", data)
    return len(data) // 2 if number in (7, 8, 9, *range(18, 27), 28, 30, 31) else 4


def paragraphs(*texts: str | bytes) -> bytes:
    """A list of paragraphs with the empty one that ends it; strings become paragraphs."""
    made = [paragraph(text) if isinstance(text, str) else text for text in texts]
    return b"".join(made) + struct.pack("<BHHBBIB", 0, 0, 0, 0, 0, 0, 0) + bytes(31)


def _fixed(number: int, content: bytes) -> bytes:
    return struct.pack("<H", number) + content + struct.pack("<H", number)


def tab() -> bytes:
    return _fixed(9, struct.pack("<HH", 1000, 0))


def space(number: int = 30) -> bytes:
    return _fixed(number, b"")


def date(form: str) -> bytes:
    """The 5th of March 2001, a Monday, 14:07."""
    return _fixed(8, codes(form, 40) + struct.pack("<6H", 2001, 3, 1, 5, 14, 7))


def number(kind: int, value: int) -> bytes:
    return _fixed(18, struct.pack("<HH", kind, value))


def merge_field(name: str) -> bytes:
    return _fixed(22, name.encode("johab").ljust(20, b"\0"))


def overlaid(text: str) -> bytes:
    return _fixed(23, codes(text, 3))


def index_mark(word: str) -> bytes:
    return _fixed(26, codes(word, 60) + bytes(120) + struct.pack("<H", 1))


def outline() -> bytes:
    return _fixed(28, bytes(60))


def _sized(kind: int, content: bytes) -> bytes:
    return struct.pack("<HIH", kind, len(content), kind) + content


def field(prompt: str) -> bytes:
    return _sized(5, bytes(30) + struct.pack("<4I", 0, 2 * len(prompt), 0, 0) + codes(prompt))


def bookmark(name: str) -> bytes:
    return _sized(6, codes(name, 16) + bytes(2))


def reference(shown: str) -> bytes:
    return _sized(29, b"\1" + b"there".ljust(37, b"\0") + struct.pack("<HHI", 0, 2 * len(shown), 0) + codes(shown))


def _object(kind: int, content: bytes) -> bytes:
    return struct.pack("<HIH", kind, 0, kind) + content


def _box_info(length: int, kind: int, has_caption: bool = False) -> bytearray:
    """What all boxes have: the code once more, and sizes of the box, its caption and both."""
    info = bytearray(length)
    struct.pack_into("<BBhhHH", info, 8, 1, 0, 0, 0, 0, kind)
    struct.pack_into("<7H", info, 42, 9000, 3000, *([9000, 500, 9000] if has_caption else [0] * 3), 9000, 3500)
    return info


def box(kind: int, cells: list[tuple[int, int, bytes]], caption: bytes | None = None) -> bytes:
    """A table (0), a text box (1), an equation (2) or a button (3) of cells: column, row, list of paragraphs."""
    info = _box_info(84, 10, bool(caption))
    struct.pack_into("<3H", info, 78, kind, len(cells), 0)
    places = b"".join(
        struct.pack(
            "<BBH6H2xBB4BBBB", row, column, 0, 1000 * column, 500 * row, 1000, 500, 250, 500, 1, 0, *[1] * 4, 0, 0, 0
        )
        for column, row, _ in cells
    )
    lists = b"".join(content for *_, content in cells)
    return _object(10, bytes(info) + places + lists + (caption or paragraphs()))


def table(*rows: list[str | bytes], caption: bytes | None = None) -> bytes:
    cells = [(x, y, paragraphs(cell)) for y, row in enumerate(rows) for x, cell in enumerate(row)]
    return box(0, cells, caption)


def picture(caption: bytes | None = None, drawing: bytes = b"") -> bytes:
    info = _box_info(348, 11, bool(caption))
    struct.pack_into("<I", info, 0, len(drawing))
    info[74] = 3 if drawing else 0
    return _object(11, bytes(info) + drawing + (caption or paragraphs()))


def drawn(kind: int, links: int = 0, text: bytes = b"", *, inside: bytes = b"", rotated: bool = False) -> bytes:
    """A drawn object: a text box (6) with its paragraphs, or a shape with a text inside."""
    options = (1 << 19 if inside else 0) | (1 << 17 if rotated else 0)
    header = struct.pack("<HH", kind, links) + struct.pack("<10i", *[0, 0, 3000, 2000] * 2, 3000, 2000)
    header += struct.pack("<11I", *[0] * 10, options) + (bytes(32) if rotated else b"")
    header += bytes(8) + inside if inside else b""
    return struct.pack("<I", len(header)) + header + struct.pack("<II", 0, len(text)) + text


def drawing(*objects: bytes) -> bytes:
    return struct.pack("<7I", 24, 0, len(objects), 0, 0, 3000, 2000) + b"".join(objects)


def line() -> bytes:
    return _object(14, bytes(_box_info(84, 14)))


def hidden(*texts: str) -> bytes:
    return _object(15, bytes(8) + paragraphs(*texts))


def header(*texts: str, is_footer: bool = False) -> bytes:
    return _object(16, bytes(8) + bytes((is_footer, 0)) + paragraphs(*texts))


def note(*texts: str | bytes, is_endnote: bool = False) -> bytes:
    return _object(17, bytes(8) + struct.pack("<HHH", 0, is_endnote, 5000) + paragraphs(*texts))


def document(
    *texts: str | bytes,
    title: str = "",
    author: str = "",
    written: str = "",
    is_packed: bool = True,
    is_locked: bool = False,
    blocks: bytes = b"",
) -> bytes:
    """A document of paragraphs; strings become some."""
    settings = bytearray(128)
    struct.pack_into("<10H", settings, 4, 3, 21000, 14880, 1417, 1417, 1417, 1417, 700, 700, 0)
    struct.pack_into("<H", settings, 96, is_locked)
    settings[124], settings[125] = is_packed, 1
    struct.pack_into("<H", settings, 126, len(blocks))
    summary = b"".join(codes(text, 56) for text in (title, "", author, written, "", "", "", "", ""))
    fonts = (struct.pack("<H", 2) + b"\xa4\x61\xc8\x77".ljust(40, b"\0") * 2) * 7
    styles = struct.pack("<H", 1) + b"Style".ljust(238, b"\0")
    body = fonts + styles + paragraphs(*texts) + bytes(8)
    if is_packed:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        body = packer.compress(body) + packer.flush()
    return SIGNATURE + bytes(settings) + summary + blocks + body + struct.pack("<II", 0x80000000, 0)


def sample(*, is_packed: bool = True) -> bytes:
    """A document with one of everything that has text."""
    return document(
        paragraph("첫째 문단", header("머리말"), header("꼬리말", is_footer=True), lines=3),
        paragraph("Second 漢字 ■ ① ひら", as_before=True, has_shapes=True),
        paragraph("tabs", tab(), "after", space(), "hard", space(31), "fixed"),
        paragraph("noted", note("각주의 글"), " and ended", note("미주의 글", is_endnote=True), hidden("숨은 설명")),
        paragraph(table(["name", "값"], ["하나", "둘"], caption=paragraphs(paragraph("표 ", number(4, 1), " 제목")))),
        paragraph("a box: ", box(1, [(0, 0, paragraphs("글상자의 글", "second line"))])),
        paragraph("an equation ", box(2, [(0, 0, paragraphs("E=mc^2"))]), " inline"),
        paragraph("a picture", picture(paragraphs("그림의 설명"))),
        paragraph(
            "drawn",
            picture(
                drawing=drawing(
                    drawn(0, 2),
                    drawn(6, 1, paragraphs("그린 글상자")),
                    drawn(2, 0, inside=paragraphs("네모 안의 글"), rotated=True),
                )
            ),
        ),
        paragraph(
            "see ", reference("12"), bookmark("mark"), field("prompt"), index_mark("entry"), outline(), line(), " end"
        ),
        paragraph("dated ", date("1년 02월 3일 6요일"), " for ", merge_field("이름"), " ", overlaid("가A")),
        "마지막 문단",
        title="문서의 제목",
        author="홍길동",
        written="2001년 3월 5일 월요일 14시 7분",
        is_packed=is_packed,
    )
