"""Spreadsheets: rows of texts, sheets of figures, hidden sheets."""

from __future__ import annotations

import io

import openpyxl

from explorer.corpus.readers import registry
from explorer.corpus.readers.office import sheets


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


def test_damage_never_escapes(survives):
    survives(sheets, "f.xlsx", book(A=[["a", "b"], ["c", 1]]), rounds=60)
