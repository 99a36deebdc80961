"""Find stretches of words that two texts share, as a quotation does: exactly, by hashes of word shingles.

Shingles as in Broder, "On the resemblance and containment of documents", SEQUENCES 1997; here every one is compared, or
in large collections one in several (hash mod p, as in Manber's sif), and matches on one diagonal are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = re.compile(r"[^\W_]+")
_SHINGLE = 6  # words
LEAST_WORDS = 12  # of a quotation
_LEAST_CHARACTERS = 40  # or a list of numbers counts
_GAP = _SHINGLE + 3  # words between two matches of one quotation: a word that was changed spoils a shingle's length
_COMMON = 12  # texts that share a shingle from which on it is boilerplate, such as a signature
_ALL = 20_000_000  # words up to which every shingle is compared, 160 MB; of more, one in several
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Quotation:
    """The same words in two texts.

    Attributes:
        first: The index of one text.
        second: The index of the other, which is higher.
        first_span: Where in its text they are.
        second_span: Where in the other.
        words: How many words.
        share: Share of the words that are the same.
    """

    first: int
    second: int
    first_span: tuple[int, int]
    second_span: tuple[int, int]
    words: int
    share: float


def quotations(texts: Iterable[str], task: Task | None = None) -> list[Quotation]:
    """Find what every two texts have in common, from LEAST_WORDS words on; the longest first.

    Raises:
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    vocabulary: dict[str, int] = {}
    words, spans, ends = [], [], [0]
    for index, text in enumerate(texts):
        if not index % 256:
            task.check()
        words_here = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(text)]
        words.append(
            np.array([vocabulary.setdefault(word.casefold(), len(vocabulary)) for *_, word in words_here], np.uint64)
        )
        spans.append(np.array([span[:2] for span in words_here], np.int32).reshape(-1, 2))
        ends.append(ends[-1] + len(words_here))
    everything = np.concatenate([np.zeros(0, np.uint64), *words])
    borders = np.array(ends, np.int64)
    if len(everything) < _SHINGLE:
        return []
    task.check()
    runs = _runs(*_shared(everything, borders), borders, task)
    places = np.concatenate([np.zeros((0, 2), np.int32), *spans])
    quoted = [_quotation(run, everything, borders, places) for run in runs]
    long_enough = [
        quotation for quotation in quoted if quotation.first_span[1] - quotation.first_span[0] >= _LEAST_CHARACTERS
    ]
    return sorted(
        long_enough, key=lambda quotation: (-quotation.words, quotation.first, quotation.second, quotation.first_span)
    )


def _shared(words: NDArray[np.uint64], borders: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of places, of different texts, at which the same shingle begins."""
    count = len(words) - _SHINGLE + 1
    hashes = np.zeros(count, np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(_SHINGLE):
            hashes = (hashes ^ words[offset : offset + count]) * _FACTOR
            hashes ^= hashes >> np.uint64(29)
    owner = np.searchsorted(borders, np.arange(count), side="right") - 1
    inside = np.arange(count) + _SHINGLE <= borders[owner + 1]
    step = 1 + len(words) // _ALL
    if step > 1:
        inside &= hashes % np.uint64(step) == 0
    at = np.flatnonzero(inside)
    order = at[np.argsort(hashes[at], kind="stable")]
    sorted_hashes = hashes[order]
    first = np.flatnonzero(np.concatenate([[True], sorted_hashes[1:] != sorted_hashes[:-1]])) if len(order) else order
    sizes = np.diff(np.append(first, len(order)))
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in range(2, _COMMON + 1):
        groups = order[first[sizes == size][:, None] + np.arange(size)]  # (G, size), ascending in each row
        for a in range(size):
            for b in range(a + 1, size):
                differ = owner[groups[:, a]] != owner[groups[:, b]]
                left.append(groups[differ, a])
                right.append(groups[differ, b])
    return np.concatenate(left), np.concatenate(right)


def _runs(
    left: NDArray[np.int64], right: NDArray[np.int64], borders: NDArray[np.int64], task: Task
) -> list[tuple[int, int, int]]:
    """Join matches that follow one another at the same distance; return the two beginnings and the length in words."""
    task.check()
    if not len(left):
        return []
    distance = right - left
    order = np.lexsort((left, distance))
    left, right, distance = left[order], right[order], distance[order]
    owner = np.searchsorted(borders, left, side="right")
    other = np.searchsorted(borders, right, side="right")
    new = np.ones(len(left), bool)
    new[1:] = (
        (distance[1:] != distance[:-1])
        | (owner[1:] != owner[:-1])
        | (other[1:] != other[:-1])
        | (left[1:] - left[:-1] > _GAP)
    )
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(left)) - 1
    lengths = left[last] - left[first] + _SHINGLE
    long = lengths >= LEAST_WORDS
    return list(zip(left[first][long].tolist(), right[first][long].tolist(), lengths[long].tolist(), strict=True))


def _quotation(
    run: tuple[int, int, int], words: NDArray[np.uint64], borders: NDArray[np.int64], places: NDArray[np.int32]
) -> Quotation:
    left, right, length = run
    same = float((words[left : left + length] == words[right : right + length]).mean())
    first, second = (int(np.searchsorted(borders, at, side="right")) - 1 for at in (left, right))
    spans = [(int(places[at][0]), int(places[at + length - 1][1])) for at in (left, right)]
    return Quotation(first, second, spans[0], spans[1], length, same)
