"""What people see in a terminal: answers, tables, and a progress bar with the time left."""

from __future__ import annotations

import shutil
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TextIO

from explorer.task import Progress

_REDRAW_SECONDS = 0.1
_BAR_WIDTH = 24


@dataclass(frozen=True)
class Answer:
    """What a command found: for programs and for people.

    Attributes:
        data: What `--json` prints.
        text: What is printed otherwise.
        cancelled: Whether this is only what was done before the user cancelled.
        failed: Whether what was asked for is not so, and programs should hear of it.
    """

    data: object
    text: str
    cancelled: bool = False
    failed: bool = False


class ProgressBar:
    """One line that shows the progress, drawn over itself and wiped at the end."""

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
        """Draw the line anew, if it was not drawn a moment ago."""
        now = time.monotonic()
        if not self._shown or now - self._last < _REDRAW_SECONDS:
            return
        self._last, self._drawn = now, True
        line = clipped(bar_line(progress), shutil.get_terminal_size().columns - 1)
        self._stream.write(f"\r\x1b[K{line}")
        self._stream.flush()


def bar_line(progress: Progress) -> str:
    """The line of a progress bar: what, how far, how long still."""
    if progress.total <= 0:
        return f"{progress.note} {progress.done:,}"
    share = min(1.0, progress.done / progress.total)
    full = round(share * _BAR_WIDTH)
    left = "" if progress.seconds_left is None else f"  {duration(progress.seconds_left)} left"
    detail = "".join(f"  {part}" for part in (progress.detail, progress.warning) if part)
    return f"{progress.note} {'█' * full}{'░' * (_BAR_WIDTH - full)} {share:4.0%}{left}{detail}"


def duration(seconds: float) -> str:
    """A time as people write it: 0:07, 12:30, 1:02:03."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def size(count: int) -> str:
    """A number of bytes as people write it."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if round(value) < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns under their names; numbers to the right, texts to the left."""
    cells = [list(head), *[[_cell(value) for value in row] for row in rows]]
    widths = [max(width(row[column]) for row in cells) for column in range(len(head))]
    right = [
        bool(rows) and all(isinstance(row[column], int | float) for row in rows)
        for column in range(len(head))
    ]
    lines = [
        "  ".join(_padded(row[c], widths[c], right=right[c]) for c in range(len(head))).rstrip()
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("─" * wide for wide in widths), *lines[1:]])


def width(text: str) -> int:
    """Columns a text takes: Korean, Chinese and Japanese letters take two, marks on a letter none."""
    return sum(_columns(letter) for letter in text)


def clipped(text: str, columns: int) -> str:
    """The text, its end replaced by “…” where it does not fit."""
    if width(text) <= columns:
        return text
    if columns < 1:
        return ""
    kept, taken = [], 1
    for letter in text:
        taken += width(letter)
        if taken > columns:
            break
        kept.append(letter)
    return "".join(kept).rstrip() + "…"


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"} or "\u1160" <= letter <= "\u11ff":
        return 0  # an accent, a joiner, or the second part of a Korean syllable as macOS writes it
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def _cell(value: object) -> str:
    text = f"{value:.4f}" if isinstance(value, float) else str(value)
    return "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)


def _padded(text: str, columns: int, *, right: bool) -> str:
    gap = " " * (columns - width(text))
    return gap + text if right else text + gap
