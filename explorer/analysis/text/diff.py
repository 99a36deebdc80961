"""Compare two texts word by word: what was changed, and which runs of words both have."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.analysis.text.characters import UNSPACED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]  # a number for each word, (N,)

Span = tuple[int, int]
Block = tuple[int, int, int]  # where it begins in the first and in the second, and how many words it has
Kind = Literal["same", "changed", "first", "second"]

LEAST = 8  # words of a run that is not an accident
# Where words are not spaced each character counts as one.
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_WORD_OR_SIGN = re.compile(rf"{_WORD.pattern}|[^\w\s]")
_COSTLY = 100_000  # pairs of equal words, more than which difflib is not given at once
_ANCHOR = 4  # words by which long texts are cut
_TRIED = 16  # places at which a run is looked for in the second text
_FACTOR = 0x9E3779B97F4A7C15  # odd, so that no digit of a hash is lost


@dataclass(frozen=True)
class Difference:
    """A stretch of two texts: the same in both, changed, or in only the first or the second."""

    kind: Kind
    first: Span
    second: Span


@dataclass(frozen=True)
class Run:
    """A run of words that both texts have."""

    first: Span
    second: Span
    words: int


def differences(first: str, second: str) -> tuple[Difference, ...]:
    """Compare two texts by words and signs; spaces and line ends do not count.

    Example:
        >>> [change.kind for change in differences("a red cat sat", "a cat sat down")]
        ['same', 'first', 'same', 'second']
    """
    vocabulary: dict[str, int] = {}
    words, spans = _word_ids(first, _WORD_OR_SIGN, vocabulary)
    others, other_spans = _word_ids(second, _WORD_OR_SIGN, vocabulary)
    return tuple(
        Difference(kind, _stretch(spans, *first_span), _stretch(other_spans, *second_span))
        for kind, first_span, second_span in _changes(words, others)
    )


def sameness(changes: Sequence[Difference]) -> float:
    """Return the share of the longer text's characters that the other has too, 0..1; 1 for two empty texts."""
    same = sum(change.first[1] - change.first[0] for change in changes if change.kind == "same")
    first = sum(change.first[1] - change.first[0] for change in changes)
    second = sum(change.second[1] - change.second[0] for change in changes)
    return min(1.0, same / max(first, second)) if first or second else 1.0


def common_runs(first: str, second: str, least: int = LEAST) -> tuple[Run, ...]:
    """Find runs of at least `least` words that both texts have, whatever their case, spaces and punctuation.

    They are taken from the beginning of the first text on, the longest at each place, and do not overlap in it.
    Quick for whole books.
    """
    vocabulary: dict[str, int] = {}
    ids, spans = _word_ids(first, _WORD, vocabulary, fold=True)
    other, other_spans = _word_ids(second, _WORD, vocabulary, fold=True)
    if min(len(ids), len(other)) < least:
        return ()
    grams, others = _grams(ids, least), _grams(other, least)
    order = np.argsort(others, kind="stable")
    left, right = (np.searchsorted(others[order], grams, side) for side in ("left", "right"))
    places = np.flatnonzero(right > left).tolist()
    runs: list[Run] = []
    at = 0
    while at < len(places):
        index = places[at]
        tried = order[left[index] : min(right[index], left[index] + _TRIED)].tolist()
        length, start = max((_shared_prefix(ids[index:], other[start:]), -start) for start in tried)
        if length < least:  # two grams of one hash
            at += 1
            continue
        runs.append(Run(_stretch(spans, index, index + length), _stretch(other_spans, -start, length - start), length))
        at = bisect_left(places, index + length)
    return tuple(runs)


def _changes(first: Words, second: Words) -> Iterator[tuple[Kind, Span, Span]]:
    """Yield the stretches of two lists of words, from their beginning to their end."""
    left = right = 0
    end = len(first), len(second), 0
    blocks = _without_chance(sorted(block for block in _blocks(first, second) if block[2]), end)
    for start, other, size in [*blocks, end]:
        if start > left or other > right:
            kind: Kind = "second" if start == left else "first" if other == right else "changed"
            yield kind, (left, start), (right, other)
        left, right = start + size, other + size
        if size:
            yield "same", (start, left), (other, right)


def _blocks(first: Words, second: Words) -> list[Block]:
    """Return the runs that the two have in common, in the same order in both.

    difflib's matching takes a time that grows with the square of repeated words, so long texts are first cut where
    both have the same words and have them once.
    """
    blocks: list[Block] = []
    waiting = [(0, len(first), 0, len(second))]
    while waiting:
        a, b, c, d = waiting.pop()
        size = _shared_prefix(first[a:b], second[c:d])
        blocks.append((a, c, size))
        a, c = a + size, c + size
        size = _shared_prefix(first[a:b][::-1], second[c:d][::-1])
        b, d = b - size, d - size
        blocks.append((b, d, size))
        left_words, right_words = first[a:b], second[c:d]
        if _cost(left_words, right_words) <= _COSTLY:
            matcher = SequenceMatcher(None, left_words.tolist(), right_words.tolist(), autojunk=False)
            blocks += [(a + match.a, c + match.b, match.size) for match in matcher.get_matching_blocks()]
        else:  # without an anchor, as in a sentence that is repeated for pages, in halves
            anchors = _anchors(left_words, right_words) or [(len(left_words) // 2, len(right_words) // 2)]
            edges = [(a, c), *[(a + left, c + right) for left, right in anchors], (b, d)]
            waiting += [
                (left, next_left, right, next_right) for (left, right), (next_left, next_right) in pairwise(edges)
            ]
    return blocks


def _cost(first: Words, second: Words) -> int:
    """Return the number of pairs of equal words."""
    if not (len(first) and len(second)):
        return 0
    size = int(max(first.max(), second.max())) + 1
    counts = [np.bincount(words.astype(np.int64), minlength=size) for words in (first, second)]
    return int(counts[0] @ counts[1])


def _anchors(first: Words, second: Words) -> list[tuple[int, int]]:
    """Return the positions of words that occur once in both texts: the longest sequence in the same order."""
    for size in (_ANCHOR, 1):
        if min(len(first), len(second)) < size:
            continue
        (grams, places), (others, other_places) = (_once(_grams(words, size)) for words in (first, second))
        _, left, right = np.intersect1d(grams, others, assume_unique=True, return_indices=True)
        if len(left):
            return _ascending(sorted(zip(places[left].tolist(), other_places[right].tolist(), strict=True)))
    return []


def _once(grams: Words) -> tuple[Words, NDArray[np.int64]]:
    values, places, counts = np.unique(grams, return_index=True, return_counts=True)
    return values[counts == 1], places[counts == 1]


def _ascending(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of the pairs, ordered by their first numbers, in which the second ones ascend too."""
    ends: list[int] = []  # the lowest last number of an ascending part of each length
    last: list[int] = []  # the pair it belongs to
    before: list[int] = []
    for at, (_, second) in enumerate(places):
        length = bisect_left(ends, second)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [at]
        before.append(last[length - 1] if length else -1)
    part, at = [], last[-1]
    while at >= 0:
        part.append(places[at])
        at = before[at]
    return part[::-1]


def _without_chance(blocks: list[Block], end: Block) -> list[Block]:
    """Return the runs without those shorter than what was changed on both sides: an "of the" within other sentences."""
    long_enough: list[Block] = [(0, 0, 0)]
    for (left, right, size), (next_left, next_right, _) in pairwise([*blocks, end]):
        last, other, before = long_enough[-1]
        changed = max(left - last, right - other) - before, max(next_left - left, next_right - right) - size
        if size >= min(changed):
            long_enough.append((left, right, size))
    return long_enough[1:]


def _stretch(spans: Sequence[Span], start: int, end: int) -> Span:
    """Return the characters of some words; an empty span at their position for none."""
    if start < end:
        return spans[start][0], spans[end - 1][1]
    index = spans[start - 1][1] if start else 0
    return index, index


def _word_ids(
    text: str, pattern: re.Pattern[str], vocabulary: dict[str, int], *, fold: bool = False
) -> tuple[Words, list[Span]]:
    """Return a number for each word, the same for the same one, and where the words are; `fold` ignores their case."""
    spans, ids = [], []
    for match in pattern.finditer(text):
        word = match[0].casefold() if fold else match[0]
        spans.append(match.span())
        ids.append(vocabulary.setdefault(word, len(vocabulary) + 1))
    return np.array(ids, dtype=np.uint64), spans


def _grams(ids: Words, size: int) -> Words:
    """Return a hash of each run of so many words, (N - size + 1,)."""
    count = len(ids) - size + 1
    grams = np.zeros(count, dtype=np.uint64)
    for index in range(size):
        grams = grams * np.uint64(_FACTOR) + ids[index : index + count]
    return grams


def _shared_prefix(first: Words, second: Words) -> int:
    """Return how many words two texts begin with in common."""
    most, done, step = min(len(first), len(second)), 0, 64
    while done < most:
        end = min(most, done + step)
        other = np.flatnonzero(first[done:end] != second[done:end])
        if len(other):
            return done + int(other[0])
        done, step = end, step * 2
    return most
