"""What people see in a terminal: results, tables, and a progress bar with the time left."""

from __future__ import annotations

import io
import re
import shutil
import sys
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TextIO

from rich.box import Box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from explorer.task import Progress

# Control characters but for tabs and ends of lines, and marks of direction that reach beyond their own word.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_REDRAW_SECONDS = 0.1
_BAR_WIDTH = 24
_UNLIMITED = 100_000
# Only a rule below the head; rich wants all eight rows of a box.
_RULED = Box("\n".join(["    ", "    ", " ─  ", *["    "] * 5]) + "\n")


@dataclass(frozen=True)
class Answer:
    """The result of a command, for programs and for people.

    Attributes:
        data: What `--json` prints.
        text: What is printed otherwise.
        cancelled: Whether the user cancelled, and this is what was done before.
        failed: Whether the exit code should report a failure, such as problems that were found.
    """

    data: object
    text: str
    cancelled: bool = False
    failed: bool = False


class ProgressBar:
    """One line that shows the progress, drawn over itself and wiped at the end.

    Not rich's: that one hides the cursor, which stays hidden when the process is killed.
    """

    def __init__(self, stream: TextIO, *, shown: bool) -> None:
        self._stream, self._shown = stream, shown
        self._last = 0.0
        self._drawn = False

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self, progress: Progress) -> None:
        """Draw the line again, unless it was drawn a moment ago."""
        now = time.monotonic()
        if not self._shown or now - self._last < _REDRAW_SECONDS:
            return
        self._last, self._drawn = now, True
        line = clipped(harmless(bar_line(progress)), shutil.get_terminal_size().columns - 1)
        self._stream.write(f"\r\x1b[K{line}")
        self._stream.flush()


def write_above(line: str) -> None:
    """Print a line to the terminal, above the progress bar."""
    wipe = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{wipe}{harmless(line)}\n")
    sys.stderr.flush()


def bar_line(progress: Progress) -> str:
    """Return the line of a progress bar: what, how far, and the time left."""
    if progress.total <= 0:
        return f"{progress.note} {progress.done:,}"
    share = min(1.0, progress.done / progress.total)
    full = round(share * _BAR_WIDTH)
    left = "" if progress.seconds_left is None else f"  {duration(progress.seconds_left)} left"
    detail = "".join(f"  {part}" for part in (progress.detail, progress.warning) if part)
    return f"{progress.note} {'█' * full}{'░' * (_BAR_WIDTH - full)} {share:4.0%}{left}{detail}"


def duration(seconds: float) -> str:
    """Format a time as people write it: 0:07, 12:30, 1:02:03."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def size(count: int) -> str:
    """Format a number of bytes as people write it."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if round(value) < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return columns under their names, numbers to the right and texts to the left, as plain text of any width."""
    grid = Table(box=_RULED, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column, name in enumerate(head):
        numeric = bool(rows) and all(isinstance(row[column], int | float) for row in rows)
        grid.add_column(Text(name), justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(_cell(value)) for value in row))
    # Wide enough that nothing is cut: a pipe and a file have no width, and a terminal wraps.
    console = Console(file=io.StringIO(), width=_UNLIMITED, color_system=None, legacy_windows=False)
    with console.capture() as written:
        console.print(grid)
    return "\n".join(line.rstrip() for line in written.get().splitlines())


def harmless(text: str, *, escaped: bool = False) -> str:
    """Return text without control sequences and changes of writing direction, which documents may contain.

    Args:
        text: What is to be printed.
        escaped: Whether it is JSON, in which such characters can be written in another way.
    """
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}" if escaped else "\ufffd", text)


def clipped(text: str, columns: int) -> str:
    """Return the text, its end replaced by “…” if it takes more than these columns of a terminal."""
    if cell_len(text) <= columns:
        return text
    return set_cell_size(text, columns - 1).rstrip() + "…" if columns > 0 else ""


def _cell(value: object) -> str:
    text = f"{value:.4f}" if isinstance(value, float) else str(value)
    return "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
