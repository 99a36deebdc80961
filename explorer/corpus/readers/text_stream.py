"""The lines of a text file of any size, decoded on the way."""

from __future__ import annotations

import io
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from explorer.corpus.document import Unreadable
from explorer.corpus.encoding.decode import BLOCK, Flaws, decode_blocks
from explorer.corpus.encoding.signatures import looks_binary
from explorer.corpus.readers.files import opened, without_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions
    from explorer.corpus.encoding.decode import Decoded
    from explorer.task import Task

_SAMPLE = 512 * 2**10  # characters
_LONGEST_LINE = 64 * 2**20  # characters
_STEPS = 500  # lines between two questions about cancelling


class LineReader:
    """A text file, open for one pass.

    Attributes:
        sample: Whole lines from its beginning.
        encoding: What the lines given last were read with.
        confidence: How sure that is, 0..1.
    """

    def __init__(self, path: Path, pieces: Iterator[Decoded], task: Task) -> None:
        self._path = path
        self._task = task
        first = next(pieces, None)
        if first is None:
            raise without_text(path)
        self._pieces = chain([first], pieces)
        self._flaws = Flaws()
        self.encoding, self.confidence = first.encoding, first.confidence
        self.sample = _whole_lines(first.text)

    def __iter__(self) -> Iterator[str]:
        """The lines, each ending in a line feed; raises Unreadable at one too long for memory."""
        rest = ""
        for piece in self._pieces:
            self.encoding, self.confidence = piece.encoding, piece.confidence
            self._flaws += piece.flaws
            line = ""  # where a piece is only a byte order mark
            for number, line in enumerate(io.StringIO(rest + piece.text, newline="\n")):
                if number % _STEPS == 0:
                    self._task.check()
                if line.endswith("\n"):
                    yield line
            rest = "" if line.endswith("\n") else line
            if len(rest) > _LONGEST_LINE:
                raise Unreadable(
                    "too large", f"A line of {self._path.name} is too long to read. Check the file's format."
                )
        if rest:
            yield rest + "\n"

    def take_remarks(self) -> tuple[str, ...]:
        """Sentences about what was repaired or doubtful since this was last asked."""
        flaws, self._flaws = self._flaws, Flaws()
        return flaws.remarks


@contextmanager
def text_lines(path: Path, options: ReadOptions, task: Task) -> Iterator[LineReader]:
    """Open a text file for one pass over its lines, a megabyte of it in memory at a time.

    Raises:
        Unreadable: It cannot be opened, is empty, is not text, or not in the encoding that was chosen.
    """
    with opened(path, options) as file:
        head = file.read(BLOCK)
        if looks_binary(head):
            raise Unreadable(
                "binary", f"{path.name} is not text, whatever its name says. Check what wrote it."
            )
        file.seek(0)
        pieces = decode_blocks(file, path.stat().st_size, options.encoding, options.repair)
        yield LineReader(path, pieces, task)


def _whole_lines(text: str) -> str:
    if len(text) <= _SAMPLE:
        return text
    return text[: text.rfind("\n", 0, _SAMPLE) + 1] or text[:_SAMPLE]
