"""The first rows of Korean pieces: a translation of each, learned from parallel texts and carried over to the rest.

IBM model 1 in both directions gives the English pieces that a Korean one stands for. From the pieces with a sure
translation, translations of all others are derived by what is near them in the space of Korean morphemes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Dictionary = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.float64]"]  # Korean, English, count

ROUNDS = 10
SURE = 0.3  # expected occurrences of a link below which it is chance
TRUST = 4.0  # occurrences at which a translation counts as much as what like words suggest
LEAST = 0.2  # trust of a translation that others are derived from
NEARNESS, NOISE = (2.0, 1.0)  # of the kernel exp(a (cos - 1)) and its ridge: chosen on a fifth of the dictionary


def links(
    sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of a source and a target token of one sentence: both tokens, and the number of the target's place."""
    first, second, place, last = [], [], [], 0
    for source, target in zip(sources, targets, strict=True):
        first.append(np.tile(np.array(source, np.int64), len(target)))
        second.append(np.repeat(np.array(target, np.int64), len(source)))
        place.append(np.repeat(np.arange(last, last + len(target)), len(source)))
        last += len(target)
    return np.concatenate(first), np.concatenate(second), np.concatenate(place)


def translate(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], size: int) -> Dictionary:
    """IBM model 1 by expectation and maximisation.

    Returns:
        Distinct links (source, target) and their expected counts.
    """
    first, second, place = links(sources, targets)
    keys, which = np.unique(first * size + second, return_inverse=True)
    owner = keys // size
    chance = np.ones(len(keys))
    counts = chance
    for _ in range(ROUNDS):
        share = chance[which]
        share /= np.bincount(place, share)[place]
        counts = np.bincount(which, share)
        chance = counts / np.bincount(owner, counts, minlength=size)[owner]
    return owner, keys % size, counts


def dictionary(korean: Sequence[Sequence[int]], english: Sequence[Sequence[int]], size: int) -> Dictionary:
    """Korean tokens, English tokens and how often the one stood for the other, both directions agreeing."""
    source, target, there = translate(korean, english, size)
    back_target, back_source, back = translate(english, korean, size)
    order = np.argsort(back_source * size + back_target)  # the distinct links are the same, in another order
    return source, target, np.sqrt(there * back[order])


def rows(
    found: Dictionary, ids: Sequence[int], meanings: NDArray[np.float32], english: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The first rows of pieces, (P, n).

    Args:
        found: The dictionary.
        ids: Of the pieces, P.
        meanings: Of the pieces in the space of morphemes, (P, m).
        english: The rows of the bundled vocabulary, (V, n).
    """
    place = np.full(max(*ids, int(found[0].max())) + 1, -1)
    place[list(ids)] = np.arange(len(ids))
    ours = (place[found[0]] >= 0) & (found[1] < len(english)) & (found[2] >= SURE)
    piece, word, count = place[found[0][ours]], found[1][ours], found[2][ours]
    total = np.bincount(piece, count, minlength=len(ids))
    usual = english[np.unique(word)].mean(axis=0)
    sums = np.zeros((len(ids), english.shape[1]))
    np.add.at(sums, piece, count[:, None] * (english[word] - usual))
    translated = sums / np.maximum(total, SURE)[:, None]
    trust = (total / (total + TRUST))[:, None]
    mapped = carried(meanings, translated, trust[:, 0])
    mapped *= np.linalg.norm(english - usual, axis=1).mean() / np.linalg.norm(mapped, axis=1).mean()
    return (usual + trust * translated + (1 - trust) * mapped).astype(np.float32)


def carried(
    meanings: NDArray[np.float32], known: NDArray[np.float64], trust: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What words that mean the like would be translated to, (P, n), by kernel ridge regression.

    Args:
        meanings: Of all pieces, (P, m).
        known: Translations, (P, n).
        trust: In each translation, 0 for none, (P,).
    """
    unit = meanings / np.maximum(np.linalg.norm(meanings, axis=1, keepdims=True), 1e-9)
    given = np.flatnonzero((trust > LEAST) & meanings.any(axis=1))
    likeness = np.exp(NEARNESS * (unit[given] @ unit[given].T - 1)).astype(np.float64)
    parts = np.linalg.solve(likeness + np.diag(NOISE / trust[given]), known[given])
    carried_over: NDArray[np.float64] = np.exp(NEARNESS * (unit @ unit[given].T - 1)) @ parts
    return carried_over
