"""Build the text of an office document from the events of its XML: paragraphs, tables, notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.task import Task

_STEPS = 5_000  # elements between two looks at the clock


class TextBlocks:
    """Paragraphs and tables under construction.

    A container is the document, a cell of a table, or a note; `_containers` are those now open, the
    innermost last, and `_lines` the paragraphs now open: a text box is a paragraph within a paragraph.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._containers: list[list[str]] = [[]]
        self._lines: list[list[str]] = []
        self._rows: list[list[str]] = []
        self._cells: list[list[str]] = []
        self._hidden = 0
        self._steps = 0

    def text(self) -> str:
        """Return all that was gathered, with blank lines between paragraphs."""
        return "\n\n".join(self._containers[0])

    def _tick(self) -> None:
        self._steps += 1
        if self._steps % _STEPS == 0:
            self._task.check()

    def _add(self, text: str) -> None:
        if self._lines and not self._hidden:
            self._lines[-1].append(text)

    def _end_paragraph(self) -> None:
        if not self._lines:
            return
        text = "".join(self._lines.pop()).strip()
        if text:
            self._containers[-1].append(text)

    def _end_container(self) -> list[str]:
        return self._containers.pop() if len(self._containers) > 1 else []

    def _end_cell(self) -> None:
        text = " ".join(" ".join(block.split()) for block in self._end_container())
        if self._cells:
            self._cells[-1].append(text)

    def _start_table(self, name: str, table: str, row: str, cell: str) -> None:
        """Open a table, a row or a cell, if the element is one of these."""
        if name == table:
            self._rows.append([])
        elif name == row:
            self._cells.append([])
        elif name == cell:
            self._containers.append([])

    def _finish_table(self, name: str, table: str, row: str, cell: str) -> None:
        if name == cell:
            self._end_cell()
        elif name == row:
            self._end_row()
        elif name == table:
            self._end_table()

    def _end_row(self) -> None:
        row = "\t".join(self._cells.pop()).rstrip() if self._cells else ""
        if row and self._rows:
            self._rows[-1].append(row)

    def _end_table(self) -> None:
        rows = self._rows.pop() if self._rows else []
        if rows:
            self._containers[-1].append("\n".join(rows))


class DrawingText(TextBlocks):
    """Gathers the text of DrawingML and its kin: slides, text boxes, diagrams, charts, comments of slides and sheets.

    Attributes:
        title: The text of the title's box of a slide.
        is_hidden: Whether the slide is not shown.
    """

    _BLOCKS = frozenset({"p", "comment", "cm", "threadedComment"})
    _TEXT = frozenset({"t", "text"})
    _LABELS = frozenset({"strCache", "tx"})  # of a chart: those of cells, and the name of a series

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.title = ""
        self.is_hidden = False
        self._in_title = False
        self._in_labels = 0  # of a chart; its numbers are not text
        self._inside: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """See `package.Handler`."""
        self._tick()
        self._inside.append(name)
        if name == "Fallback":
            self._hidden += 1
        elif name in self._BLOCKS or (name == "v" and self._in_labels):
            self._lines.append([])
        elif name in self._LABELS:
            self._in_labels += 1
        elif name == "br":
            self._add("\n")
        elif name == "ph":
            self._in_title = attributes.get("type", "") in ("title", "ctrTitle")
        elif name == "sld":
            self.is_hidden = attributes.get("show", "1") in ("0", "false")
        else:
            self._start_table(name, "tbl", "tr", "tc")

    def data(self, text: str) -> None:
        """See `package.Handler`."""
        if self._inside[-1] in self._TEXT or (self._inside[-1] == "v" and self._in_labels):
            self._add(text)

    def end(self, name: str) -> None:
        """See `package.Handler`."""
        self._inside.pop()
        if name == "Fallback":
            self._hidden -= 1
        elif name in self._BLOCKS or (name == "v" and self._in_labels):
            if self._lines and self._in_title and not self._hidden:
                self.title = " ".join([self.title, *"".join(self._lines[-1]).split()]).strip()
            self._end_paragraph()
        elif name in self._LABELS:
            self._in_labels -= 1
        elif name == "sp":
            self._in_title = False
        else:
            self._finish_table(name, "tbl", "tr", "tc")
