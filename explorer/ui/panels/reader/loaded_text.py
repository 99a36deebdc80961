"""A long text of which a few pieces are laid out at a time, and where its characters are among them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

PIECE = 12_000  # characters that are loaded at once
HELD = 7  # pieces that are laid out at most
# Line ends and marks that QTextCursor takes for something else; each becomes one plain character.
_FORMAT = str.maketrans({"\r": " ", "\u2029": "\n", "\u2028": "\n", "\ufdd0": " ", "\ufdd1": " ", "\0": " "})

Span = tuple[int, int]


@dataclass(frozen=True)
class LoadedText:
    """Some pieces of a text.

    Attributes:
        text: All of it.
        cuts: Where its pieces begin, and its end.
        first: The first piece that is laid out.
        last: The piece after the last one.
    """

    text: str = ""
    cuts: tuple[int, ...] = (0, 0)
    first: int = 0
    last: int = 1

    @classmethod
    def around(cls, text: str, cuts: tuple[int, ...], at: int) -> LoadedText:
        """The piece with a character, and one before and after it."""
        piece = min(max(0, bisect_right(cuts, at) - 1), len(cuts) - 2)
        return cls(text, cuts, max(0, piece - 1), min(len(cuts) - 1, piece + 2))

    @property
    def span(self) -> Span:
        """The characters that are laid out."""
        return self.cuts[self.first], self.cuts[self.last]

    @property
    def pieces(self) -> list[Span]:
        """The pieces that are laid out."""
        return list(pairwise(self.cuts[self.first : self.last + 1]))

    @property
    def full(self) -> bool:
        """Whether no further piece may be laid out."""
        return self.last - self.first >= HELD

    def holds(self, at: int) -> bool:
        """Whether a character is laid out."""
        first, last = self.span
        return first <= at < last or at >= last == len(self.text)

    def plain(self, first: int, last: int) -> str:
        """The text of some pieces as it may be inserted: a character for each, none that is a command."""
        return self.text[self.cuts[first] : self.cuts[last]].translate(_FORMAT)

    def place(self, at: int) -> int:
        """Where in what is laid out a character is, as Qt counts."""
        first, last = self.span
        here = min(max(at, first), last) - first
        return here + int(np.searchsorted(self._astral, here))

    def character(self, place: int) -> int:
        """The character at such a place."""
        wide = self._astral + np.arange(len(self._astral))
        return self.span[0] + place - int(np.searchsorted(wide, place))

    @cached_property
    def _astral(self) -> NDArray[np.int64]:
        """The characters that Qt counts as two."""
        part = self.text[slice(*self.span)]
        if part.isascii():
            return np.zeros(0, np.int64)
        codes = np.frombuffer(part.encode("utf-32-le", "surrogatepass"), np.uint32)
        return np.flatnonzero(codes > 0xFFFF)


def cuts(text: str, size: int = PIECE) -> tuple[int, ...]:
    """Where a text is cut into pieces of about that size: after a line where there is one, else at a space."""
    found = [0]
    while len(text) - found[-1] > size + size // 2:
        start, end = found[-1], found[-1] + size
        at = text.rfind("\n", start + size // 2, end)
        at = at if at >= 0 else text.rfind(" ", start + size // 2, end)
        found.append(at + 1 if at >= 0 else end)
    return (*found, len(text))
