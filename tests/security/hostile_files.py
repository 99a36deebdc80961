"""Small files made to exhaust whoever reads them."""

from __future__ import annotations

import io
import zipfile
import zlib


def pdf(objects: list[bytes]) -> bytes:
    """A PDF of these objects, the first being the catalog."""
    made, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(made + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))


def stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (more, len(content), content)


def _drawing(forms: list[bytes], first: bytes) -> bytes:
    """A PDF whose page draws form 5; the forms are objects 5, 6 and so on."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</F5 5 0 R>>>>>>"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, stream(first), *forms]
    return pdf([*objects, font])


def nested_forms(levels: int = 7, times: int = 10) -> bytes:
    """A 3 KB PDF: each form draws the next ten times. It took 7 GB and aborted the program."""
    forms = []
    for level in range(levels):
        number = 5 + level
        resources = b"/Resources<</XObject<</F%d %d 0 R>>/Font<</A %d 0 R>>>>" % (number + 1, number + 1, 5 + levels)
        last = level == levels - 1
        content = b"BT /A 9 Tf 9 9 Td (word word word) Tj ET " * times if last else b"/F%d Do " % (number + 1) * times
        forms.append(stream(content, b"/Type/XObject/Subtype/Form/BBox[0 0 200 200]" + resources))
    return _drawing(forms, b"/F5 Do " * times)


def endless_form(idle: int = 0) -> bytes:
    """A PDF with two forms that draw each other. It hung the program for ever.

    Args:
        idle: Paths that are begun and dropped between two drawings: time passes and no memory is taken.
    """
    waiting = b"0 0 m 1 1 l n " * idle
    resources = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F5 5 0 R/F6 6 0 R>>>>"
    one, two = (stream((waiting + b"/F%d Do " % other) * 40, resources) for other in (6, 5))
    return _drawing([one, two], b"/F5 Do " * 40)


def flate_bomb(size: int = 8 * 10**8) -> bytes:
    """A PDF whose page unpacks to gigabytes of drawing."""
    packer = zlib.compressobj(9)
    block = b"BT (bomb) Tj ET " * 2**16
    content = b"".join(packer.compress(block) for _ in range(size // len(block))) + packer.flush()
    again = zlib.compress(content, 9)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R>>"
    packed = stream(again, b"/Filter[/FlateDecode/FlateDecode]")
    return pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, packed])


def parquet_bomb(rows: int = 3000) -> bytes:
    """A small Parquet file of one long text, a million characters, in every row."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = io.BytesIO()
    # Each row points to the one text, so that making it takes no memory.
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["a long text " * 90_000]))
    pq.write_table(pa.table({"text": column}), made, compression="zstd")
    return made.getvalue()


def zip_of_zips(levels: int = 6, copies: int = 10) -> bytes:
    """A zip of ten zips of ten zips and so on, with a text in each of the innermost."""
    inner, name = b"a text in a box in a box " * 1000, "text.txt"
    for _ in range(levels):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for copy in range(copies):
                archive.writestr(f"{copy}-{name}", inner)
        inner, name = made.getvalue(), "inner.zip"
    return inner
