"""Spreadsheets: rows of texts, sheets of figures, hidden sheets."""

from __future__ import annotations

import io
import struct
import zipfile

import openpyxl

from explorer.corpus.document import ReadOptions
from explorer.corpus.readers import registry
from explorer.corpus.readers.office import sheets
from explorer.corpus.readers.office.sheets import notes_of
from explorer.task import Task
from tests.corpus.readers.office import ole_files


def book(**rows_of_sheets) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in rows_of_sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    data = io.BytesIO()
    made.save(data)
    return data.getvalue()


def test_a_table_of_texts_gives_a_document_a_row(read_bytes):
    long = "The printer stopped in the middle of a page and shows a red light"
    rows = [["title", "text", "priority"], *([f"Ticket {number}", f"{long} {number}", number] for number in range(3))]
    documents = read_bytes(registry, "tickets.xlsx", book(Open=rows))
    assert [(one.title, one.part) for one in documents] == [(f"Ticket {n}", f"Open row {n + 1}") for n in range(3)]
    assert documents[1].text == f"{long} 1"
    assert documents[1].metadata == {"priority": "1", "sheet": "Open"}


def test_a_sheet_of_figures_is_one_document(read_bytes):
    documents = read_bytes(registry, "budget.xlsx", book(매출=[["월", "금액"], ["1월", 1200], ["2월", 3.5]], Empty=[]))
    assert [(one.part, one.text) for one in documents] == [("매출", "월\t금액\n1월\t1200\n2월\t3.5")]


def test_a_file_without_cells_is_empty(refusal):
    assert refusal(registry, "none.xlsx", book(A=[], B=[])).reason == "empty"


def test_comments_boxes_charts_and_margins_of_xlsx(read_bytes):
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment

    made = openpyxl.Workbook()
    sheet = made.active
    sheet.append(["월", 12])
    sheet["A1"].comment = Comment("Is this so?", "A. Reader")
    sheet.oddHeader.left.text, sheet.oddFooter.center.text = "Secret & sealed", "Page &P of &N"
    chart = BarChart()
    chart.title = "Sales"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=1))
    sheet.add_chart(chart, "D2")
    data = io.BytesIO()
    made.save(data)
    cells, beside = read_bytes(registry, "b.xlsx", data.getvalue())
    assert cells.text == "월\t12"
    for text in ("[Comment: Is this so?]", "[Header: Secret & sealed]", "[Footer: Page of]", "[Chart: Sales]"):
        assert text in beside.text


def biff(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def text_object(kind: int, *pieces: str) -> bytes:
    """An object of .xls with a text in several records, each in 16 or 8 bits a letter."""
    made = biff(0x5D, struct.pack("<HHH", 0x15, 0x12, kind) + bytes(20))
    made += biff(0x1B6, struct.pack("<HHHIHHH", 0, 0, 0, 0, sum(map(len, pieces)), 24, 0) + bytes(2))
    for piece in pieces:
        made += biff(0x3C, b"\0" + piece.encode("latin-1") if piece.isascii() else b"\1" + piece.encode("utf-16-le"))
    return made + biff(0x3C, bytes(24))  # fonts


def test_comments_boxes_charts_and_margins_of_xls(tmp_path):
    book = (
        biff(0x14, struct.pack("<HB", 9, 0) + b"&LTop && x")
        + text_object(0x19, "Is this so? ", "정말?")
        + text_object(0x06, "In a box")
        + biff(0x100D, struct.pack("<HBB", 0, 5, 1) + "Sales".encode("utf-16-le"))
    )
    path = tmp_path / "b.xls"
    path.write_bytes(ole_files.container({"Workbook": book}))
    expected = "[Header: Top & ]\n\n[Comment: Is this so? 정말?]\n\nIn a box\n\n[Chart: Sales]"
    assert notes_of(path, ReadOptions(), Task()) == expected.replace("& ]", "&]")
    for end in range(0, len(book), 5):
        path.write_bytes(ole_files.container({"Workbook": book[:end]}))
        notes_of(path, ReadOptions(), Task())


def test_comments_of_xlsb(tmp_path):
    comment = b"\1" + struct.pack("<I", 3) + "메모!".encode("utf-16-le")
    records = b"\x80\x05\x00" + b"\xfd\x04" + bytes([len(comment)]) + comment + b"\xfd\x04\x85"
    path = tmp_path / "b.xlsb"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/comments1.bin", records)
    assert notes_of(path, ReadOptions(), Task()) == "[Comment: 메모!]"


def test_boxes_and_charts_of_ods(read_bytes):
    from odf.chart import Chart, Title
    from odf.draw import Frame, Object, TextBox
    from odf.opendocument import OpenDocumentChart, OpenDocumentSpreadsheet
    from odf.table import Shapes, Table, TableCell, TableRow
    from odf.text import P

    document = OpenDocumentSpreadsheet()
    table, row, cell, shapes = Table(name="Sheet"), TableRow(), TableCell(valuetype="string"), Shapes()
    frame, box = Frame(width="5cm", height="5cm"), TextBox()
    box.addElement(P(text="In a box"))
    frame.addElement(box)
    shapes.addElement(frame)
    drawing, holder, title = OpenDocumentChart(), Frame(), Title()
    title.addElement(P(text="Sales"))
    chart = Chart(**{"class": "chart:bar"})
    chart.addElement(title)
    drawing.chart.addElement(chart)
    holder.addElement(Object(href=document.addObject(drawing)))
    shapes.addElement(holder)
    cell.addElement(P(text="Cell"))
    row.addElement(cell)
    table.addElement(shapes)
    table.addElement(row)
    document.spreadsheet.addElement(table)
    data = io.BytesIO()
    document.write(data)
    cells, beside = read_bytes(registry, "b.ods", data.getvalue())
    assert cells.text == "Cell"
    assert set(beside.text.split("\n\n")) == {"[Chart: Sales]", "In a box"}


def test_a_damaged_sheet_is_told(read_bytes):
    whole = book(Good=[["a", "b"]], Bad=[["c", "d"]])
    data = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as before, zipfile.ZipFile(data, "w") as after:
        for name in before.namelist():
            after.writestr(name, b"<worksheet><sheetData><row" if name.endswith("sheet2.xml") else before.read(name))
    (document,) = read_bytes(registry, "half.xlsx", data.getvalue())
    assert document.text == "a\tb"
    assert str(document.remarks[0]) == "Sheets that are damaged and were left out: 1 (Bad)."


def test_damage_never_escapes(survives):
    survives(sheets, "f.xlsx", book(A=[["a", "b"], ["c", 1]]), rounds=60)
