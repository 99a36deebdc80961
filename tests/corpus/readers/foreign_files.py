"""Files made by other programs, with a word of its own in every place that can hold text.

Each function returns the bytes of a file and the words that a reader must find in it. `python -m
tests.corpus.readers.foreign_files` prints the table of the manual.
"""

from __future__ import annotations

import base64
import io
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from tests.corpus.readers.office import hangul3_files, ole_files
from tests.security import hostile_files

Made = tuple[bytes, list[str]]
MARKDOWN = """---
title: Titlewordpandoc
author: Authorwordpandoc
---

# Headingwordpandoc

Bodywordpandoc and 한글본문. A note[^1].

| Cellwordpandoc | b |
|----------------|---|
| Rowwordpandoc  | 표칸 |

- Listwordpandoc

> Quotewordpandoc

```
Codewordpandoc
```

[^1]: Footnotewordpandoc
"""
PANDOC_WORDS = (
    "Headingwordpandoc Bodywordpandoc 한글본문 Cellwordpandoc Rowwordpandoc 표칸 Listwordpandoc Quotewordpandoc "
    "Codewordpandoc Footnotewordpandoc"
).split()

# Every construct of docutils' reference that shows text; docutils itself finds no fault with it.
RESTRUCTURED = """\
.. header:: Headerword of every page
.. footer:: Footerword of every page

===========
 Titleword
===========
Subtitleword
============

:Author: Authorword
:Date: 2024-05-17

.. contents::

Bodyword 한글본문 with *Emphasisword*, **Strongword**, ``Literalword``, `Linkword <http://example.org/>`_
and :sup:`Superword`. A note [1]_, another [#label]_, a symbol [*]_, a citation [Citekey]_, a |Subst|.

.. |Subst| replace:: Substword

Headingword
-----------

+--------------+-----------+
| Gridheadword | b         |
+==============+===========+
| Gridcellword | 표칸      |
+--------------+-----------+

==============  =====
Simpleheadword  c
==============  =====
Simplecellword  d
==============  =====

.. csv-table:: Csvtitleword
   :header: "Csvheadword", "x"

   "Csvcellword", "y"

.. list-table:: Listtitleword
   :header-rows: 1

   * - Listheadword
     - z
   * - Listcellword
     - z

.. note:: Noteword in a box

.. sidebar:: Sidebarword

   Sidetextword in the box

.. admonition:: Admonitionword

   Admonitiontextword

.. figure:: picture.png
   :alt: Altword

   Captionword

   Legendword

.. code-block:: python

   Codeword = 1

- Bulletword

1. Numberword

Termword
    Definitionword

  Quoteword

| Lineword of a poem

.. math:: Mathword

.. topic:: Topicword

   Topictextword

>>> Doctestword

::

   Preformattedword

.. rubric:: Rubricword

.. epigraph::

   Epigraphword

.. [1] Footnoteword
.. [#label] Labelledword
.. [*] Symbolword
.. [Citekey] Citationword
"""


def docx() -> Made:
    """Body, heading, table, nested table, list, header, footer, comment, as python-docx makes them."""
    import docx as library

    document = library.Document()
    document.core_properties.title = "Titleword"
    document.add_heading("Headingword", 1)
    paragraph = document.add_paragraph("Bodyword 한글본문")
    document.add_comment(paragraph.runs, text="Commentword", author="A. Reader")
    table = document.add_table(1, 2)
    table.cell(0, 0).text = "Cellword"
    table.cell(0, 1).add_table(1, 1).cell(0, 0).text = "Innercellword"
    document.add_paragraph("Listword", style="List Bullet")
    document.sections[0].header.paragraphs[0].text = "Headerword"
    document.sections[0].footer.paragraphs[0].text = "Footerword"
    made = io.BytesIO()
    document.save(made)
    words = "Headingword Bodyword 한글본문 Commentword Cellword Innercellword Listword Headerword Footerword"
    return made.getvalue(), words.split()


def pptx() -> Made:
    """Title, bullets, text box, table, chart, notes, hidden slide, as python-pptx makes them."""
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Titleword 제목"
    slide.placeholders[1].text = "Bulletword"
    wide = (Inches(1), Inches(5), Inches(4), Inches(2))
    box = slide.shapes.add_textbox(*wide)
    box.text_frame.text = "Boxword"
    slide.shapes.add_table(1, 1, *wide).table.cell(0, 0).text = "Cellword"
    data = CategoryChartData()
    data.categories = ["Categoryword"]
    data.add_series("Seriesword", (1.0,))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(8), Inches(4), data)
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(*wide).text_frame.text = "Groupword"
    slide.notes_slide.notes_text_frame.text = "Noteword"
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "Hiddenword"
    hidden._element.set("show", "0")
    made = io.BytesIO()
    deck.save(made)
    words = "Titleword 제목 Bulletword Boxword Cellword Categoryword Seriesword Groupword Noteword Hiddenword"
    return made.getvalue(), words.split()


def xlsx() -> Made:
    """Cells, a hidden sheet, a comment, numbers, a date, a chart, page header and footer, as openpyxl makes them."""
    import datetime

    import openpyxl
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sheetword"
    sheet["A1"], sheet["B2"], sheet["C3"] = "Cellword", "한글칸", 12345
    sheet["D4"] = datetime.date(2024, 5, 17)
    sheet["A1"].comment = Comment("Commentword", "A. Reader")
    sheet.oddHeader.left.text, sheet.oddFooter.center.text = "Headerword", "Footerword"
    chart = BarChart()
    chart.title = "Charttitleword"
    chart.add_data(Reference(sheet, min_col=3, min_row=3))
    sheet.add_chart(chart, "F2")
    hidden = book.create_sheet("Second")
    hidden["A1"] = "Hiddenword"
    hidden.sheet_state = "hidden"
    made = io.BytesIO()
    book.save(made)
    words = "Sheetword Cellword 한글칸 12345 2024-05-17 Commentword Hiddenword Headerword Footerword Charttitleword"
    return made.getvalue(), words.split()


def xls() -> Made:
    """Cells of two sheets, as xlwt makes them."""
    import xlwt

    book = xlwt.Workbook()
    book.add_sheet("Sheetword").write(0, 0, "Cellword 한글칸")
    book.add_sheet("Other").write(3, 2, "Secondword")
    made = io.BytesIO()
    book.save(made)
    return made.getvalue(), "Sheetword Cellword 한글칸 Secondword".split()


def ods() -> Made:
    """Cells and an annotation, as odfpy makes them."""
    from odf.office import Annotation
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    document = OpenDocumentSpreadsheet()
    table, row = Table(name="Sheetword"), TableRow()
    cell = TableCell(valuetype="string")
    note = Annotation()
    note.addElement(P(text="Commentword"))
    cell.addElement(note)
    cell.addElement(P(text="Cellword 한글칸"))
    row.addElement(cell)
    table.addElement(row)
    document.spreadsheet.addElement(table)
    made = io.BytesIO()
    document.write(made)
    return made.getvalue(), "Sheetword Cellword 한글칸 Commentword".split()


def odp() -> Made:
    """Boxes and notes of a slide, as odfpy makes them."""
    from odf.draw import Frame, Page, TextBox
    from odf.opendocument import OpenDocumentPresentation
    from odf.presentation import Notes
    from odf.style import MasterPage, PageLayout
    from odf.text import P

    document = OpenDocumentPresentation()
    layout = PageLayout(name="layout")
    document.automaticstyles.addElement(layout)
    document.masterstyles.addElement(MasterPage(name="master", pagelayoutname=layout))
    page = Page(masterpagename="master")

    def boxed(text: str) -> Frame:
        frame, box = Frame(width="5cm", height="5cm", x="0cm", y="0cm"), TextBox()
        box.addElement(P(text=text))
        frame.addElement(box)
        return frame

    page.addElement(boxed("Boxword 한글상자"))
    notes = Notes()
    notes.addElement(boxed("Noteword"))
    page.addElement(notes)
    document.presentation.addElement(page)
    made = io.BytesIO()
    document.write(made)
    return made.getvalue(), "Boxword 한글상자 Noteword".split()


def odt() -> Made:
    """Body, table, footnote, annotation, text box, header and footer, as odfpy makes them."""
    document, words = _odt_document()
    made = io.BytesIO()
    document.write(made)
    return made.getvalue(), words


def _odt_document() -> tuple[Any, list[str]]:
    from odf.draw import Frame, TextBox
    from odf.office import Annotation
    from odf.opendocument import OpenDocumentText
    from odf.style import Footer, Header, MasterPage, PageLayout
    from odf.table import Table, TableCell, TableRow
    from odf.text import H, Note, NoteBody, NoteCitation, P

    document = OpenDocumentText()
    layout = PageLayout(name="layout")
    document.automaticstyles.addElement(layout)
    master, header, footer = MasterPage(name="Standard", pagelayoutname=layout), Header(), Footer()
    header.addElement(P(text="Headerword"))
    footer.addElement(P(text="Footerword"))
    master.addElement(header)
    master.addElement(footer)
    document.masterstyles.addElement(master)
    document.text.addElement(H(outlinelevel=1, text="Headingword"))
    paragraph, note, body, comment = P(text="Bodyword 한글본문"), Note(noteclass="footnote"), NoteBody(), Annotation()
    note.addElement(NoteCitation(text="1"))
    body.addElement(P(text="Footnoteword"))
    note.addElement(body)
    comment.addElement(P(text="Commentword"))
    paragraph.addElement(note)
    paragraph.addElement(comment)
    document.text.addElement(paragraph)
    table, row, cell = Table(name="t"), TableRow(), TableCell()
    cell.addElement(P(text="Cellword"))
    row.addElement(cell)
    table.addElement(row)
    document.text.addElement(table)
    frame, box, around = Frame(width="9cm", height="2cm", anchortype="paragraph"), TextBox(), P()
    box.addElement(P(text="Boxword"))
    frame.addElement(box)
    around.addElement(frame)
    document.text.addElement(around)
    words = "Headerword Footerword Headingword Bodyword 한글본문 Footnoteword Commentword Cellword Boxword"
    return document, words.split()


def fodt() -> Made:
    """The text of `odt` as one XML file."""
    made, words = _odt_document()
    return made.xml(), words


def hwpx() -> Made:
    """Paragraphs and a table in two sections, after the published standard (KS X 6101): no library writes it."""
    spaces = (
        'xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph"'
    )
    package = (
        '<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:metadata><opf:title>Titleword</opf:title>'
        "</opf:metadata><opf:manifest>{items}</opf:manifest><opf:spine>{order}</opf:spine></opf:package>"
    )

    def paragraph(text: str, more: str = "") -> str:
        run = f'<hp:run charPrIDRef="0"><hp:t>{text}</hp:t>{more}</hp:run>'
        return f'<hp:p id="0" paraPrIDRef="0" styleIDRef="0">{run}</hp:p>'

    cell = f'<hp:tc><hp:subList>{paragraph("Cellword 표칸")}</hp:subList><hp:cellAddr colAddr="0" rowAddr="0"/></hp:tc>'
    table = f'<hp:tbl rowCnt="1" colCnt="1"><hp:tr>{cell}</hp:tr></hp:tbl>'
    bodies = [paragraph("Bodyword 한글본문") + paragraph("Tableword", table), paragraph("Secondword 둘째")]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/hwp+zip", zipfile.ZIP_STORED)
        archive.writestr(
            "version.xml", '<hv:HCFVersion xmlns:hv="http://www.hancom.co.kr/hwpml/2011/version" major="5"/>'
        )
        names = [f"Contents/section{number}.xml" for number in range(len(bodies))]
        archive.writestr(
            "Contents/content.hpf",
            package.format(
                items="".join(f'<opf:item id="s{n}" href="{name}"/>' for n, name in enumerate(names)),
                order="".join(f'<opf:itemref idref="s{n}"/>' for n in range(len(names))),
            ),
        )
        for name, body in zip(names, bodies, strict=True):
            archive.writestr(name, f"<hs:sec {spaces}>{body}</hs:sec>")
    return made.getvalue(), "Bodyword 한글본문 Tableword Cellword 표칸 Secondword 둘째".split()


def rst() -> Made:
    """Everything that docutils shows of a text."""
    words = re.findall(r"\b[A-Z][a-z]+word\b|한글본문|표칸", RESTRUCTURED)
    return RESTRUCTURED.encode(), words


def eml() -> Made:
    """A message with two bodies and attachments, as the standard library writes it."""
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Subjectword 제목", "a@example.org", "b@example.org"
    message.set_content("Bodyword 한글본문")
    message.add_alternative("<p>Bodyword 한글본문</p>", subtype="html")
    message.add_attachment("Attachedword", filename="note.txt")
    data, words = docx()
    message.add_attachment(data, maintype="application", subtype="octet-stream", filename="report.docx")
    inner = EmailMessage()
    inner["Subject"] = "Innersubjectword"
    inner.set_content("Innerbodyword")
    message.add_attachment(inner)
    own = "Subjectword 제목 Bodyword 한글본문 Attachedword Innersubjectword Innerbodyword"
    return message.as_bytes(), [*own.split(), *words]


def epub() -> Made:
    """Two chapters, as ebooklib makes them."""
    from ebooklib import epub as library

    book = library.EpubBook()
    book.set_title("Titleword")
    chapters = []
    for number, text in enumerate(("Firstword 첫장", "Secondword")):
        chapter = library.EpubHtml(title=f"c{number}", file_name=f"{number}.xhtml")
        chapter.content = f"<h1>Headingword{number}</h1><p>{text}</p><table><tr><td>Cellword{number}</td></tr></table>"
        book.add_item(chapter)
        chapters.append(chapter)
    book.spine = chapters
    book.toc = chapters
    book.add_item(library.EpubNcx())
    made = io.BytesIO()
    library.write_epub(made, book)
    return made.getvalue(), "Firstword 첫장 Secondword Headingword0 Headingword1 Cellword0 Cellword1".split()


def pandoc(kind: str) -> Made:
    """The same text as pandoc writes it in a format."""
    ran = subprocess.run(
        ["pandoc", "-f", "markdown", "-t", kind, "-s", "-o", "-"],
        input=MARKDOWN.encode(),
        capture_output=True,
        check=True,
    )
    return ran.stdout, list(PANDOC_WORDS)


def pdf() -> Made:
    """A page with a comment and a form field, after ISO 32000."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[7 0 R]>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</A 5 0 R>>>>"
        b"/Annots[6 0 R 7 0 R]>>",
        hostile_files.stream(b"BT /A 9 Tf 9 99 Td (Bodyword of the page) Tj ET"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(Commentword)>>",
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(Fieldword)/V(Valueword)/Rect[0 0 9 9]>>",
    ]
    return hostile_files.pdf(objects), "Bodyword Commentword Fieldword Valueword".split()


def old_word() -> Made:
    """Body, footnote, header, comment and text box of Word 97, after [MS-DOC]."""
    parts = ("Bodyword 한글본문\r", "\x02 Footnoteword\r", "Headerword\r", "\x05Commentword\r", "Boxword\r")
    return ole_files.doc(*parts), "Bodyword 한글본문 Footnoteword Headerword Commentword Boxword".split()


def old_slides() -> Made:
    """Slides and notes of PowerPoint 97, after [MS-PPT]."""
    return ole_files.ppt("Titleword\rBulletword 제목", "Secondword", notes="Noteword"), (
        "Titleword Bulletword 제목 Secondword Noteword".split()
    )


def outlook() -> Made:
    """A message with a text and a message attached, after [MS-OXMSG]."""
    inner = ole_files.message_streams("Innersubjectword", "Innerbodyword", {})
    data = ole_files.msg("Subjectword 제목", "Bodyword 한글본문", {"note.txt": b"Attachedword"}, inner)
    return data, "Subjectword 제목 Bodyword 한글본문 Attachedword Innersubjectword Innerbodyword".split()


def hwp() -> Made:
    """Paragraphs of Hangul 5, after its published format."""
    return ole_files.hwp("Bodyword 한글본문", "Secondword 둘째"), "Bodyword 한글본문 Secondword 둘째".split()


def hwp_3() -> Made:
    """All that has text in Hangul 3 to 97, after its published format."""
    made = hangul3_files
    drawn = made.drawing(
        made.drawn(6, 1, made.paragraphs("Drawnword")), made.drawn(2, inside=made.paragraphs("Shapeword"))
    )
    paragraphs = [
        made.paragraph("Bodyword 한글본문 漢字", made.header("Headerword"), made.header("Footerword", is_footer=True)),
        made.paragraph(
            made.note("Footnoteword"), made.note("Endnoteword", is_endnote=True), made.hidden("Commentword")
        ),
        made.paragraph(made.table(["Cellword", "둘째칸"], caption=made.paragraphs("Captionword"))),
        made.paragraph(made.box(1, [(0, 0, made.paragraphs("Boxword"))])),
        made.paragraph(made.picture(made.paragraphs("Pictureword"), drawn)),
    ]
    words = (
        "Bodyword 한글본문 漢字 Headerword Footerword Footnoteword Endnoteword Commentword Cellword 둘째칸 Captionword "
        "Boxword Pictureword Drawnword Shapeword Titleword Authorword"
    )
    return made.document(*paragraphs, title="Titleword", author="Authorword"), words.split()


def by_qpdf(*arguments: str) -> Made:
    """The page of `pdf` as qpdf writes it with those arguments."""
    data, words = pdf()
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.pdf", Path(folder) / "after.pdf"
        before.write_bytes(data)
        subprocess.run(["qpdf", *arguments, before, after], capture_output=True, check=True)
        return after.read_bytes(), words


def by_libreoffice(suffix: str) -> Made:
    """A file of a library as LibreOffice saves it in another format, and the words that it writes there."""
    source, _ = BY_LIBREOFFICE[suffix]
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / f"before{source}"
        before.write_bytes(BY_LIBRARIES[source][1]()[0])
        command = [
            "soffice",
            "--headless",
            f"-env:UserInstallation=file://{folder}/profile",
            "--convert-to",
            suffix[1:],
        ]
        subprocess.run([*command, "--outdir", f"{folder}/made", before], capture_output=True, check=True)
        return (Path(folder) / "made" / f"before{suffix}").read_bytes(), libreoffice_words(suffix)


def libreoffice_words(suffix: str) -> list[str]:
    """The words of a file that LibreOffice saves in a format."""
    source, left_out = BY_LIBREOFFICE[suffix]
    return [word for word in BY_LIBRARIES[source][1]()[1] if word not in left_out.split()]


def zipped() -> Made:
    """An archive of a document, a text in a folder and an archive."""
    made, inner = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep/글.txt", "Deepword 깊은글")
    data, words = docx()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/report.docx", data)
        archive.writestr("folder/note.txt", "Noteword")
        archive.writestr("inner.zip", inner.getvalue())
    return made.getvalue(), [*words, "Deepword", "깊은글", "Noteword"]


def tarred() -> Made:
    """A packed tar archive of two texts."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in (("a/one.txt", "Firstword"), ("b/two.md", "# Secondword\n\n둘째")):
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return made.getvalue(), "Firstword Secondword 둘째".split()


def seven_zipped() -> Made:
    """An archive of two texts, as 7-Zip 26 packs them by LZMA; no library of ours writes the format."""
    packed = (
        "N3q8ryccAAQVYJTVfAAAAAAAAAAgAAAAAAAAAGpTxbMBACNGaXJzdHdvcmQg7LKr6riAIyBTZWNvbmR3b3JkCgrrkZjsp7gAAACBMweuD9CH"
        "wjyfP0dBBA9xDPvo4HhX8ATLkiIU3xKesH1u+f8sOcCpIVHU2tt8VAilvFRls4AyMn5B7HDUynSzYjRMw12HfBnYogGLK2rD/gAAFwYoAQlU"
        "AAcLAQABIwMBAQVdABAAAAxYCgHrIKtvAAA="
    )
    return base64.b64decode(packed), "Firstword 첫글 Secondword 둘째".split()


BY_LIBRARIES: dict[str, tuple[str, Callable[[], Made]]] = {
    ".docx": ("python-docx", docx),
    ".pptx": ("python-pptx", pptx),
    ".xlsx": ("openpyxl", xlsx),
    ".xls": ("xlwt", xls),
    ".ods": ("odfpy", ods),
    ".odp": ("odfpy", odp),
    ".odt": ("odfpy", odt),
    ".fodt": ("odfpy", fodt),
    ".epub": ("ebooklib", epub),
    ".hwpx": ("KS X 6101", hwpx),
    ".hwp": ("Hangul 5", hwp),
    ".hwp (3)": ("Hangul 3", hwp_3),
    ".doc": ("[MS-DOC]", old_word),
    ".ppt": ("[MS-PPT]", old_slides),
    ".msg": ("[MS-OXMSG]", outlook),
    ".pdf": ("ISO 32000", pdf),
    ".rst": ("docutils", rst),
    ".eml": ("email", eml),
    ".zip": ("zipfile", zipped),
    ".tar.gz": ("tarfile", tarred),
    ".7z": ("7-Zip", seven_zipped),
}
BY_PANDOC = {
    "docx": ".docx", "odt": ".odt", "epub": ".epub", "rtf": ".rtf", "html": ".html", "latex": ".tex",
    "ipynb": ".ipynb", "pptx": ".pptx", "markdown": ".md",
    "rst": ".rst",
}  # fmt: skip

# The format: the file that is saved in it, and the words that LibreOffice does not write there.
BY_LIBREOFFICE = {
    ".docx": (".odt", ""),
    ".odt": (".docx", ""),
    ".doc": (".odt", ""),
    ".rtf": (".odt", ""),
    ".fodt": (".docx", ""),
    ".epub": (".odt", "Headerword Footerword Commentword"),
    ".pdf": (".odt", "Commentword"),
    ".pptx": (".pptx", ""),
    ".odp": (".pptx", ""),
    ".fodp": (".pptx", ""),
    ".ppt": (".pptx", "Categoryword Seriesword"),  # a chart is a picture there
    ".xlsx": (".xlsx", ""),
    ".ods": (".xlsx", ""),
    ".fods": (".xlsx", ""),
    ".xls": (".xlsx", ""),
}
QPDF = ("--linearize", "--object-streams=generate", "--qdf", "--encrypt  owner 256 --")


def missing(path: Path, words: list[str]) -> list[str]:
    """The words that are not found in what the readers give for a file."""
    from explorer.corpus.document import ReadOptions
    from explorer.corpus.readers import registry
    from explorer.task import Task

    documents = list(registry.read(path, ReadOptions(), Task()))
    text = "\n".join(f"{one.title} {one.text} {' '.join(map(str, one.metadata.values()))}" for one in documents)
    return [word for word in words if word not in text]


def main() -> None:
    """Print what the table of the manual says, a file a line."""
    print("| made by | format | words found |\n|---|---|---|")
    cases = [(name, suffix, make) for suffix, (name, make) in BY_LIBRARIES.items()]
    if shutil.which("pandoc"):
        cases += [("pandoc", suffix, lambda kind=kind: pandoc(kind)) for kind, suffix in BY_PANDOC.items()]
    if shutil.which("qpdf"):
        cases += [(f"qpdf {how}", ".pdf", lambda how=how: by_qpdf(*how.split(" "))) for how in QPDF]
    if shutil.which("soffice"):
        cases += [("LibreOffice", suffix, lambda suffix=suffix: by_libreoffice(suffix)) for suffix in BY_LIBREOFFICE]
    with tempfile.TemporaryDirectory() as folder:
        for name, suffix, make in cases:
            data, words = make()
            path = Path(folder) / f"file{suffix}"
            path.write_bytes(data)
            lost = missing(path, words)
            print(f"| {name} | {suffix} | {len(words) - len(lost)} of {len(words)} | {' '.join(lost)}", flush=True)


if __name__ == "__main__":
    main()
