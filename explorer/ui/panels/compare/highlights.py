"""What is coloured in two documents that lie side by side: for each passage by its place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.ui.panels.compare.passage_list import Mark
from explorer.ui.widgets.word_highlights import lit, strengths

if TYPE_CHECKING:
    from explorer.analysis.text.diff import Difference
    from explorer.models.explain import Contributions
    from explorer.workspace.search.compare import Aligned, Comparison, Stretch

OfSide = dict[int, list[Mark]]
Marks = tuple[OfSide, OfSide]
CHANGED, SAME = 0.8, 0.5  # strength of what differs, and of what is the same


def word_marks(pair: Aligned, why: Contributions) -> Marks:
    """The words that make two passages alike, the stronger the more they add."""
    first, second = (
        [(start, end, lit(strength)) for start, end, strength in strengths(side)]
        for side in (why.first, why.second)
    )
    return {pair.first: first}, {pair.second: second}


def changed_marks(pair: Aligned, changes: Sequence[Difference]) -> Marks:
    """What each of two passages says otherwise than the other."""
    other = [change for change in changes if change.kind != "same"]
    first = [(*change.first, lit(CHANGED)) for change in other if change.first[0] < change.first[1]]
    second = [(*change.second, lit(CHANGED)) for change in other if change.second[0] < change.second[1]]
    return {pair.first: first}, {pair.second: second}


def run_marks(found: Comparison) -> Marks:
    """What stands in both documents word for word."""
    first = _within(found.first.passages, [run.first for run in found.runs])
    return first, _within(found.second.passages, [run.second for run in found.runs])


def _within(passages: Sequence[Stretch], spans: Sequence[tuple[int, int]]) -> OfSide:
    """The spans of a document as spans of its passages."""
    told: OfSide = {}
    ends = [passage.end for passage in passages]
    for start, end in spans:
        for place in range(bisect_right(ends, start), len(passages)):
            passage = passages[place]
            if passage.start >= end:
                break
            cut = max(0, start - passage.start), min(passage.end, end) - passage.start
            told.setdefault(place, []).append((*cut, lit(SAME)))
    return told
