"""Word processor files: .docx by python-docx and by hand, .odt by hand."""

import io
import zipfile

import docx
import pytest

from explorer.corpus.readers import registry
from explorer.corpus.readers.office import docx_odt

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'
)
OLE = bytes.fromhex("d0cf11e0a1b11ae1")
PACKAGE = "EncryptedPackage".encode("utf-16-le")


def zipped(members: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def word(body: str, **parts: str) -> bytes:
    members = {f"word/{name}.xml": f"<w:{name} {W}>{content}</w:{name}>" for name, content in parts.items()}
    return zipped({"word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>", **members})


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def saved(document) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def report() -> bytes:
    document = docx.Document()
    document.core_properties.title = "연간 보고서"
    document.core_properties.author = "김 철수"
    document.add_heading("머리말", level=1)
    document.add_paragraph("첫 문단입니다.\tA tab")
    table = document.add_table(rows=2, cols=2)
    for index, text in enumerate(("이름", "나이", "민수", "스물")):
        table.cell(index // 2, index % 2).text = text
    document.add_paragraph("마지막 문단.")
    return saved(document)


def test_docx_in_document_order_with_its_properties(read_bytes, report):
    (document,) = read_bytes(docx_odt, "보고서.docx", report)
    assert document.text == "머리말\n\n첫 문단입니다.\tA tab\n\n이름\t나이\n민수\t스물\n\n마지막 문단."
    assert document.title == "연간 보고서"
    assert document.metadata["author"] == "김 철수"
    assert document.metadata["date"] == "2013-12-23T23:15:00+00:00"  # python-docx's template
    assert document.part == ""


def test_footnotes_follow_their_paragraph(read_bytes):
    body = (
        '<w:p><w:r><w:t>One</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        '<w:p><w:r><w:t>Two</w:t></w:r><w:r><w:endnoteReference w:id="2"/></w:r></w:p>'
    )
    data = word(
        body,
        footnotes=f'<w:footnote w:id="2">{paragraph("a footnote")}</w:footnote>',
        endnotes=f'<w:endnote w:id="2">{paragraph("an endnote")}</w:endnote>',
    )
    assert read_bytes(docx_odt, "n.docx", data)[0].text == "One\n\na footnote\n\nTwo\n\nan endnote"


def test_comments_wherever_they_are(read_bytes):
    """In a footnote, in a table's cell, and on something that is gone."""
    body = (
        '<w:p><w:r><w:t>One</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
        '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t><w:commentReference w:id="1"/></w:r></w:p></w:tc></w:tr></w:tbl>'
    )
    comments = "".join(
        f'<w:comment w:id="{number}">{paragraph(text)}{paragraph("twice")}</w:comment>'
        for number, text in enumerate(("on a note", "on a cell", "on nothing"))
    )
    note = '<w:p><w:r><w:t>a footnote</w:t><w:commentReference w:id="0"/></w:r></w:p>'
    data = word(body, footnotes=f'<w:footnote w:id="2">{note}</w:footnote>', comments=comments)
    (document,) = read_bytes(docx_odt, "c.docx", data)
    for text in ("on a note", "on a cell", "on nothing"):
        assert document.text.count(text) == 1
    assert "a footnote\n[Comment: on a note\ntwice]" in document.text
    assert document.text.endswith("[Comment: on nothing\ntwice]")


def test_documents_diagrams_and_charts_inside(read_bytes, report):
    relation = '<Relationship Id="{}" Type="http://x/relationships/{}" Target="{}"/>'
    inside = {"aFChunk": "inner.docx", "diagramData": "diagram.xml", "chart": "chart.xml"}
    listed = "".join(relation.format(f"r{kind}", kind, target) for kind, target in inside.items())
    body = paragraph("before") + '<w:altChunk w:id="raFChunk"/>' + paragraph("after")
    data = zipped(
        {
            "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": f"<Relationships>{listed}</Relationships>",
            "word/inner.docx": report,
            "word/diagram.xml": '<d:dataModel xmlns:d="urn:d"><d:p><d:t>in a diagram</d:t></d:p></d:dataModel>',
            "word/chart.xml": '<c:chart xmlns:c="urn:c"><c:tx><c:v>a series</c:v></c:tx><c:cat><c:strCache>'
            "<c:pt><c:v>a category</c:v></c:pt></c:strCache></c:cat><c:numCache><c:v>77</c:v></c:numCache></c:chart>",
        }
    )
    (document,) = read_bytes(docx_odt, "all.docx", data)
    before, after = document.text.index("before"), document.text.index("after")
    assert before < document.text.index("첫 문단입니다.") < after
    assert "[Diagram: in a diagram]" in document.text
    assert "[Chart: a series\n\na category]" in document.text
    assert "77" not in document.text


def test_a_document_that_holds_itself_ends(read_bytes):
    relations = '<Relationships><Relationship Id="r" Type="x/aFChunk" Target="inner.docx"/></Relationships>'
    data = word(paragraph("the innermost"))
    for depth in range(9):
        body = f"<w:document {W}><w:body>{paragraph(f'level {depth}')}<w:altChunk w:id='r'/></w:body></w:document>"
        members = {"word/document.xml": body, "word/_rels/document.xml.rels": relations, "word/inner.docx": data}
        data = zipped(members)
    (document,) = read_bytes(docx_odt, "deep.docx", data)
    assert "level 8" in document.text
    assert "the innermost" not in document.text


def test_what_is_not_shown_is_not_read(read_bytes):
    body = (
        "<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>kept</w:t></w:r>"
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r>"
        "<w:ins><w:r><w:t> added</w:t><w:br/><w:t>line</w:t></w:r></w:ins></w:p>"
        '<w:p><mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice><w:txbxContent>'
        + paragraph("box")
        + "</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>"
        + paragraph("box")
        + "</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>"
    )
    assert read_bytes(docx_odt, "h.docx", word(body))[0].text == "kept added\nline\n\nbox"


def test_a_table_in_a_cell_stays_in_its_row(read_bytes):
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('x')}</w:tc><w:tc>{paragraph('y')}</w:tc></w:tr></w:tbl>"
    body = f"<w:tbl><w:tr><w:tc>{paragraph('a')}{inner}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    assert read_bytes(docx_odt, "t.docx", word(body))[0].text == "a x y\tb"


def test_the_main_part_may_have_another_name(read_bytes):
    rels = (
        "<Relationships><Relationship Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
        "officeDocument' Target='/word/document2.xml'/></Relationships>"
    )
    main = f"<w:document {W}><w:body>{paragraph('found')}</w:body></w:document>"
    data = zipped({"_rels/.rels": rels, "word/document2.xml": main})
    assert read_bytes(docx_odt, "o.docx", data)[0].text == "found"


def odt(body: str, meta: str = "", **members: str) -> bytes:
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {ODF}><office:body><office:text>{body}</office:text>"
            "</office:body></office:document-content>",
            "meta.xml": f"<office:document-meta {ODF}><office:meta>{meta}</office:meta></office:document-meta>",
            **members,
        }
    )


ODT = odt(
    "<text:tracked-changes><text:p>old</text:p></text:tracked-changes>"
    "<text:h>제목 줄</text:h>"
    '<text:p>One<text:s text:c="3"/>two<text:tab/>three<text:note><text:note-citation>1</text:note-citation>'
    "<text:note-body><text:p>the note</text:p></text:note-body></text:note> four<text:line-break/>five</text:p>"
    "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
    "<table:table-cell><text:p>b</text:p><text:p>c</text:p></table:table-cell></table:table-row></table:table>",
    "<dc:title>책</dc:title><meta:initial-creator>Lee</meta:initial-creator><dc:creator>Park</dc:creator>"
    "<meta:creation-date>2023-05-06T07:08:09.123456789</meta:creation-date>",
)


def test_odt_text_and_properties(read_bytes):
    (document,) = read_bytes(docx_odt, "책.odt", ODT)
    assert document.text == "제목 줄\n\nOne   two\tthree four\nfive\n\nthe note\n\na\tb c"
    assert document.title == "책"
    assert document.metadata == {"author": "Lee", "date": "2023-05-06T07:08:09"}


def test_the_labels_of_a_chart_and_not_its_figures(read_bytes):
    cells = (
        "<table:table-cell office:value-type='string'><text:p>a category</text:p></table:table-cell>"
        "<table:table-cell office:value-type='float'><text:p>77</text:p></table:table-cell>"
    )
    chart = (
        f"<office:document-content {ODF}><office:body><office:chart><text:p>Sales</text:p><table:table>"
        f"<table:table-row>{cells}</table:table-row></table:table></office:chart></office:body>"
        "</office:document-content>"
    )
    (document,) = read_bytes(docx_odt, "c.odt", odt("<text:p>Body</text:p>", **{"Object 1/content.xml": chart}))
    assert document.text == "Body\n\n[Chart: Sales\n\na category]"


def test_the_names_of_sheets_in_a_flat_spreadsheet(read_bytes):
    cell = "<office:chart/><table:table-cell office:value-type='float'><text:p>12</text:p></table:table-cell>"
    table = f"<table:table table:name='매출'><table:table-row>{cell}</table:table-row></table:table>"
    data = f"<office:document {ODF}><office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    (document,) = read_bytes(registry, "flat.fods", (data + "</office:document>").encode())
    assert document.text == "매출\n\n12"


def test_an_encrypted_odt_is_reported_as_such(refusal):
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    data = odt("<text:p>x</text:p>", **{"META-INF/manifest.xml": manifest})
    assert refusal(docx_odt, "s.odt", data).reason == "encrypted"


def test_an_encrypted_docx_is_reported_as_such(refusal):
    assert refusal(docx_odt, "s.docx", OLE + bytes(600) + PACKAGE + bytes(100)).reason == "encrypted"


def test_an_ole_file_that_is_cut_off_is_damaged(refusal):
    assert refusal(docx_odt, "old.doc", OLE + bytes(2000)).reason == "damaged"


def test_a_doc_that_is_rtf_in_truth_is_read_as_that(read_bytes):
    assert read_bytes(docx_odt, "letter.doc", rb"{\rtf1 Hello\par}")[0].text == "Hello"


def test_a_password_in_the_zip_is_reported_as_such(refusal):
    data = bytearray(word(paragraph("x")))
    for offset in (6, data.index(b"PK\x01\x02") + 8):
        data[offset] |= 1
    assert refusal(docx_odt, "p.docx", bytes(data)).reason == "encrypted"


def test_a_zip_bomb_is_refused_before_it_unfolds(refusal):
    bomb = zipped({"word/document.xml": b"<a>" + b" " * (64 * 2**20) + b"</a>"})
    assert len(bomb) < 100_000
    assert refusal(docx_odt, "bomb.docx", bomb).reason == "too large"


def test_the_limit_counts_all_parts_together(refusal):
    data = word("<w:p/>" * 40, footnotes="<w:p/>" * 40)
    assert refusal(docx_odt, "much.docx", data, max_unpacked=500).reason == "too large"


def test_entity_bombs_are_refused(refusal):
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = f"<w:document {W}><w:body>{paragraph('&l9;')}</w:body></w:document>"
    document = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]>{body}'
    error = refusal(docx_odt, "laughs.docx", zipped({"word/document.xml": document}))
    assert error.reason == "damaged"
    assert "entities" in str(error)


def test_external_entities_are_refused(refusal, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    document = (
        f'<!DOCTYPE x [<!ENTITY s SYSTEM "{secret.as_uri()}">]><w:document {W}><w:body>{paragraph("&s;")}'
        "</w:body></w:document>"
    )
    assert refusal(docx_odt, "x.docx", zipped({"word/document.xml": document})).reason == "damaged"


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"not a zip", zipped({"a.txt": "a"})])
def test_what_is_no_document_is_damaged(refusal, data):
    assert refusal(docx_odt, "d.docx", data).reason == "damaged"


def test_a_document_without_text_is_empty(refusal):
    assert refusal(docx_odt, "e.docx", word("<w:p/>")).reason == "empty"


def test_time_is_limited(refusal):
    assert refusal(registry, "slow.docx", word("<w:p/>" * 10_000), seconds=-1.0).reason == "timeout"


@pytest.mark.timeout(120)
def test_damage_never_escapes(survives, report):
    survives(docx_odt, "fuzzed.docx", report)
    survives(docx_odt, "fuzzed.odt", ODT)
    # Stored, the damage reaches the XML instead of stopping at the checksum.
    with zipfile.ZipFile(io.BytesIO(ODT)) as archive:
        survives(docx_odt, "plain.odt", zipped({name: archive.read(name) for name in archive.namelist()}, 0))
