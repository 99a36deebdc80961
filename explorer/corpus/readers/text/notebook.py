"""Read Jupyter notebooks: the cells in order, prose and code, without their output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from explorer.corpus.readers.files import damaged, file_title, make_document, one_line, read_text, tidy
from explorer.corpus.readers.text import markdown
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a notebook of format 3 or 4 as one document.

    Raises:
        Unreadable: It cannot be opened, is not a notebook, or its cells are empty.
    """
    source = read_text(path, options)
    try:
        notebook = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise damaged(path, UserMessage("it is not JSON, as notebooks are")) from error
    if not isinstance(notebook, dict) or not {"cells", "worksheets"} & notebook.keys():
        raise damaged(path, UserMessage("it has no cells, as notebooks do"))
    texts: list[str] = []
    title = ""
    for cell in _cells(notebook):
        task.check()
        text, heading = _cell(cell)
        title = title or heading
        texts.append(text)
    text = tidy("\n\n".join(filter(None, texts)))
    yield make_document(path, source, text, title=tidy(title) or file_title(path), metadata=_metadata(notebook))


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sheets = notebook.get("worksheets") if "cells" not in notebook else [notebook]
    for sheet in sheets if isinstance(sheets, list) else ():
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        for cell in cells if isinstance(cells, list) else ():
            if isinstance(cell, dict):
                yield cell


def _cell(cell: dict[str, Any]) -> tuple[str, str]:
    """Return the text of a cell and its first heading."""
    source = _source(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "markdown":
        return markdown.to_text(source)
    if kind == "heading":
        return source.strip(), source.strip()
    return source.strip("\n").rstrip(), ""


def _source(value: Any) -> str:
    """Return the source, which is a text or a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str)).replace("\r\n", "\n")
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""


def _metadata(notebook: dict[str, Any]) -> dict[str, str]:
    stated = notebook.get("metadata")
    stated = stated if isinstance(stated, dict) else {}
    metadata: dict[str, str] = {}
    for name in ("language_info", "kernelspec"):
        part = stated.get(name)
        language = part.get("name" if name == "language_info" else "language") if isinstance(part, dict) else None
        if isinstance(language, str) and language and "language" not in metadata:
            metadata["language"] = one_line(language)
    authors = stated.get("authors")
    names = [author.get("name") for author in authors if isinstance(author, dict)] if isinstance(authors, list) else []
    if author := ", ".join(name for name in names if isinstance(name, str) and name):
        metadata["author"] = one_line(author)
    return metadata
