"""A mailbox cut into its messages, one at a time in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 64 * 2**20  # bytes kept of one message
_LINE = 64 * 2**10  # bytes of a line taken at once
_DATED = re.compile(rb"From \S.*\d{1,2}:\d\d.*\d{4}")
_PLAIN = re.compile(rb"From (?:\S+\s*$|.*\d)")
_HEADER = re.compile(rb"[!-9;-~]+:|>From ")
_QUOTED = re.compile(rb">+From ")


@dataclass(frozen=True)
class MboxMessage:
    """The bytes of one message, and whether it was larger than LARGEST and cut there."""

    data: bytes
    cut: bool


def messages(file: BinaryIO) -> Iterator[MboxMessage]:
    """The messages of an mbox file, in order.

    A message begins at a line "From ..." over a header. A sentence that begins so in a text is told from
    it by that, and by the blank line before or the date in it.
    """
    current: list[bytes] = []
    size, blank = 0, True
    for line, starts, following in _with_next_line(file):
        if starts and line.startswith(b"From ") and _separates(line, following, after_blank=blank):
            if size:
                yield MboxMessage(b"".join(current), size > LARGEST)
            current, size, blank = [], 0, False
            continue
        blank = starts and not line.strip()
        size += len(line)
        if size <= LARGEST:
            current.append(line[1:] if starts and _QUOTED.match(line) else line)
    if size:
        yield MboxMessage(b"".join(current), size > LARGEST)


def _separates(line: bytes, following: bytes, *, after_blank: bool) -> bool:
    if not _HEADER.match(following):
        return False
    return bool(_DATED.match(line) or (after_blank and _PLAIN.match(line)))


def _with_next_line(file: BinaryIO) -> Iterator[tuple[bytes, bool, bytes]]:
    """Each line, whether it is a line's beginning rather than the rest of a long one, and what follows it."""
    starts = True
    line = file.readline(_LINE)
    while line:
        following = file.readline(_LINE)
        yield line, starts, following
        starts = line.endswith(b"\n")
        line = following
