"""Text in Unicode's NFKC form, and where in the original each part of it came from."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

# Marks, the vowels and finals of Hangul, and Japanese voicing: what may melt into the character before.
_MELTING = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u1160-\u11ff\u3099\u309a\uff9e\uff9f"
)
_CLUSTER = re.compile(f".[{_MELTING}]*", re.DOTALL)


@dataclass(frozen=True)
class NfkcText:
    """A text in NFKC.

    Attributes:
        text: The text.
        starts: Where in it each cluster of characters begins, and its end; empty if nothing was changed.
        origins: Where in the original they begin.
    """

    text: str
    starts: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that text[start:end] came from."""
        if not self.starts:
            return start, end
        first = bisect_right(self.starts, start) - 1
        return self.origins[first], self.origins[bisect_left(self.starts, end)]


def normalise(text: str) -> NfkcText:
    """The text in NFKC, with the way back."""
    if unicodedata.is_normalized("NFKC", text):
        return NfkcText(text)
    clusters = _CLUSTER.findall(text)
    normal = [unicodedata.normalize("NFKC", cluster) for cluster in clusters]
    return NfkcText(
        "".join(normal),
        tuple(accumulate(map(len, normal), initial=0)),
        tuple(accumulate(map(len, clusters), initial=0)),
    )
