"""Read spreadsheets: a document per row of a table of texts, else one per sheet; .xlsx, .xlsb, .xls, .ods."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, file_title, open_file, tidy, unpacks_too_far, without_text
from explorer.corpus.readers.office.sheet_notes import notes_of
from explorer.corpus.readers.tables.columns import column_names, guess_layout, is_header
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task

_SAMPLE = 200  # rows looked at to tell a table of texts from a sheet of figures
_LONG = 40  # characters in the middle of a text column; shorter cells are names and figures
_MOST_CELLS = 5_000_000
_NAMED = 5  # damaged sheets that a remark names


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read the sheets of a file in order, hidden ones marked.

    A sheet with column names over rows of which one column holds texts gives a document per row, its part being
    "Sheet row N"; any other sheet is one document, a line per row. Comments and text boxes follow.

    Raises:
        Unreadable: It is encrypted, damaged or empty, or has too many cells.
    """
    damaged_sheets: list[str] = []
    last: Document | None = None
    try:
        for document in _of_book(path, options, task, damaged_sheets):
            if last is not None:
                yield last
            last = document
    except Unreadable:
        if last is not None:  # it was read before the damage
            yield last
        raise
    if last is None:
        raise damaged(path, UserMessage("none of its sheets can be read")) if damaged_sheets else without_text(path)
    if damaged_sheets:
        names = ", ".join(damaged_sheets[:_NAMED])
        remark = UserMessage(
            "Sheets that are damaged and were left out: {count} ({names}).", count=len(damaged_sheets), names=names
        )
        last = replace(last, remarks=(*last.remarks, remark))
    yield last


def _of_book(path: Path, options: ReadOptions, task: Task, damaged_sheets: list[str]) -> Iterator[Document]:
    """Yield the documents of a file; the names of sheets that cannot be read are added to the list."""
    import python_calamine as calamine

    with open_file(path, options) as file:
        try:
            book = calamine.load_workbook(file)
        except calamine.PasswordError as error:
            raise Unreadable(
                "encrypted", "{file} is protected by a password. Save it without one and load it again.", file=path.name
            ) from error
        except (calamine.CalamineError, OSError, ValueError) as error:
            raise damaged(path, UserMessage("it cannot be opened as a spreadsheet")) from error
        left = _MOST_CELLS
        for sheet in book.sheets_metadata:
            task.check()
            try:
                rows = _rows(book.get_sheet_by_name(sheet.name))
            except (calamine.CalamineError, ValueError):
                if sheet.typ == calamine.SheetTypeEnum.WorkSheet:  # a chart has no cells to read
                    damaged_sheets.append(sheet.name)
                continue
            left -= sum(map(len, rows))
            if left < 0:
                raise unpacks_too_far(path)
            hidden = sheet.visible != calamine.SheetVisibleEnum.Visible
            yield from _documents(path, sheet.name, rows, options, hidden=hidden)
    if text := notes_of(path, options, task):
        yield Document(text=text, title=f"{file_title(path)}: comments", part="comments and boxes")


def _rows(sheet: Any) -> list[list[str]]:
    rows = [[_shown(cell) for cell in row] for row in sheet.to_python(skip_empty_area=True)]
    return [row for row in rows if any(row)]


def _shown(cell: object) -> str:
    """Return what a cell shows, about."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime) and cell.time() == time(0):
        return cell.date().isoformat()
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else tidy(str(cell)).strip()


def _documents(
    path: Path, name: str, rows: Sequence[list[str]], options: ReadOptions, *, hidden: bool
) -> Iterator[Document]:
    if not rows:
        return
    metadata: dict[str, Value] = {"sheet": name}
    if hidden:
        metadata["hidden"] = True
    layout = _text_layout(rows, options)
    if layout is None:
        lines = "\n".join("\t".join(row).rstrip() for row in rows)
        mark = "[Hidden sheet]\n" if hidden else ""
        yield Document(text=mark + lines, title=f"{file_title(path)}: {name}", part=name, metadata=metadata)
        return
    names, text_column, title_column = layout
    for number, row in enumerate(rows[1:], start=1):
        values: dict[str, Value] = {key: cell for key, cell in zip(names, row, strict=False) if cell}
        text = str(values.pop(text_column, ""))
        title = str(values.pop(title_column, "")) if title_column else ""
        if not text:  # a row without the long text is still a row
            text = "\n".join(f"{key}: {value}" for key, value in values.items()) or title
        if text:
            label = title or text.partition("\n")[0][:100]
            yield Document(text=text, title=label, part=f"{name} row {number}", metadata={**values, **metadata})


def _text_layout(rows: Sequence[list[str]], options: ReadOptions) -> tuple[tuple[str, ...], str, str] | None:
    """Return column names, the text's and the title's column of a table of texts; None for any other sheet."""
    sample = list(islice(rows[1:], _SAMPLE))
    asked = [options.text_column] if options.text_column else []
    if len(sample) < 2 or not is_header(rows[0], sample, asked=asked):
        return None
    names = column_names(rows[0])
    layout = guess_layout([dict(zip(names, row, strict=False)) for row in sample], options.text_column)
    if layout is None or layout.text not in names:
        return None
    lengths = sorted(len(row[names.index(layout.text)]) for row in sample if len(row) > names.index(layout.text))
    if not asked and (not lengths or lengths[len(lengths) // 2] < _LONG):
        return None
    return names, layout.text, layout.title
