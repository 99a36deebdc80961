"""Keep the ids of clusters, and so their names, across updates and re-runs by matching members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.clusters.dedup_graph import Labels

SAME = 0.2  # Jaccard index of members from which two clusters may be one


@dataclass(frozen=True)
class StableIds:
    """Labels with lasting ids.

    Attributes:
        labels: (N,) int32; -1 for leftovers.
        next_id: The id that the next new cluster will get; keep it, so that no id is ever used again.
    """

    labels: Labels
    next_id: int


def follow(earlier: Mapping[bytes, int], keys: Sequence[bytes], labels: Labels, *, next_id: int = 0) -> StableIds:
    """Give clusters the ids of those earlier ones whose members they share.

    One id goes to one cluster, so that the sum of the Jaccard indices is largest. Only documents known then and now
    count, so that new ones do not weaken a match.

    Args:
        earlier: The id of each document's cluster by key, -1 for leftovers.
        keys: The key of each row.
        labels: (N,) the clusters now, in any numbers.
        next_id: What an earlier call returned; ids below are never given to new clusters.

    Returns:
        The labels with earlier ids where there is one, new ids in the order of size elsewhere.
    """
    before = np.array([earlier.get(key, -1) for key in keys], np.int64)
    old, new = np.unique(before[before >= 0]), np.unique(labels[labels >= 0])
    given = _match_ids(before, labels, old, new)
    free = max([next_id, *(value + 1 for value in earlier.values())], default=0)
    sizes = np.bincount(np.searchsorted(new, labels[labels >= 0]), minlength=len(new))
    for index in np.argsort(-sizes, kind="stable"):
        if given[index] < 0:
            given[index], free = free, free + 1
    followed = np.full(len(labels), -1, np.int32)
    followed[labels >= 0] = given[np.searchsorted(new, labels[labels >= 0])]
    return StableIds(followed, int(free))


def _match_ids(
    before: NDArray[np.int64], labels: Labels, old: NDArray[np.int64], new: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The old id of each new label (C,), -1 where none fits."""
    from scipy.optimize import linear_sum_assignment

    both = (before >= 0) & (labels >= 0)
    shared = np.zeros((len(old), len(new)))
    np.add.at(shared, (np.searchsorted(old, before[both]), np.searchsorted(new, labels[both])), 1)
    had = np.bincount(np.searchsorted(old, before[before >= 0]), minlength=len(old))
    known = labels[(before >= 0) & (labels >= 0)]
    have = np.bincount(np.searchsorted(new, known), minlength=len(new))
    jaccard = shared / np.maximum(had[:, None] + have[None, :] - shared, 1)  # (old, new)
    jaccard[jaccard < SAME] = 0
    given = np.full(len(new), -1, np.int64)
    first, second = linear_sum_assignment(jaccard, maximize=True)
    fits = jaccard[first, second] > 0
    given[second[fits]] = old[first[fits]]
    return given
