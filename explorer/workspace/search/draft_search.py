"""Search while indexing: passages not encoded yet are compared by the draft, in terms of the model's cosines."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from explorer.workspace.search.vector_search import VectorHits, VectorSearch
from explorer.workspace.storage.vectors.table import unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.task import Task
    from explorer.workspace.storage.vectors.table import VectorTable

Loaded = TypeVar("Loaded")

# The cosine to expect of the bundled model, given that of its draft: on 40 questions and 500 passages of MS MARCO the
# line over all pairs is -0.04 + 0.62 x, over the 20 that the draft ranks first -0.22 + 1.33 x. It is what to start
# from; the passages of the folder that are encoded count more with every one.
_OFFSET, _SLOPE = -0.1, 1.0
_PRIOR = 40.0  # passages that the start is worth
_SAMPLE = 400  # encoded passages by which a query is calibrated
SLOW, PATIENCE = 0.1, 20  # seconds; what took longer to load is not loaded again for as many times as long


class Reloaded(Generic[Loaded]):
    """Something of a workspace that is loaded again when the workspace has changed.

    While a folder is encoded it changes every few seconds; what takes long to load is then a little behind, so that
    a search does not wait.
    """

    def __init__(self, load: Callable[[], Loaded], token: Callable[[], object]) -> None:
        self._load, self._token = load, token
        self._seen: object = None
        self._value: Loaded | None = None
        self._took = self._at = 0.0

    def get(self) -> Loaded:
        """Return it, loaded again if that is due."""
        now, began = self._token(), time.monotonic()
        behind = self._took > SLOW and began - self._at < PATIENCE * self._took
        if self._value is None or (now != self._seen and not behind):
            self._value = self._load()
            self._seen, self._at = now, time.monotonic()
            self._took = self._at - began
        return self._value


class DraftSearch:
    """Searches the draft's vectors.

    Attributes:
        search: The search among them.
    """

    def __init__(self, matrix: VectorTable) -> None:
        self.search = VectorSearch(matrix)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self.search.matrix.passages, kind="stable")

    def nearest(
        self, query: NDArray[np.float32], asked: NDArray[np.float32], k: int, real: VectorTable | None,
        *, allowed: Collection[int] | None, task: Task,
    ) -> VectorHits:  # fmt: skip
        """Return the passages without a vector of the model that are nearest to a query, with the cosines to expect.

        Args:
            query: The model's vector of the query, (n,).
            asked: The draft's, (m,).
            k: How many.
            real: The vectors of the model; None where it has none yet.
            allowed: The documents to search in; None for all.
            task: Cancel.
        """
        known = np.zeros(0, np.int64) if real is None else real.passages
        found = self.search.nearest(asked, k + min(k, len(known)), allowed=allowed, task=task)
        ids = np.array([passage for passage, _ in found.passages], np.int64)
        scores = np.array([score for _, score in found.passages], np.float32)
        fresh = ~np.isin(ids, known)
        offset, slope = self._calibrate(query, asked, real)
        expected = np.clip(offset + slope * scores[fresh][:k], -1.0, 1.0)
        return VectorHits(list(zip(ids[fresh][:k].tolist(), expected.tolist(), strict=True)))

    def _calibrate(
        self, query: NDArray[np.float32], asked: NDArray[np.float32], real: VectorTable | None
    ) -> tuple[float, float]:
        """Return offset and slope by which the draft's cosine gives the one to expect of the model, for one query."""
        matrix = self.search.matrix
        if real is None or not len(real.passages):
            return _OFFSET, _SLOPE
        # Half of the sample are the passages that the model finds nearest: those are what a draft competes with.
        rows = np.linspace(0, len(real.passages) - 1, min(len(real.passages), 10 * _SAMPLE)).astype(np.int64)
        rows = np.unique(rows)
        cosines = unit(real.vectors[real.rows[rows]]) @ query
        best = np.argsort(-cosines)[: _SAMPLE // 2]
        some = np.unique(np.concatenate([best, np.linspace(0, len(rows) - 1, _SAMPLE // 2).astype(np.int64)]))
        ids = real.passages[rows[some]]
        at = np.minimum(np.searchsorted(matrix.passages[self._order], ids), len(matrix.passages) - 1)
        places = self._order[at]
        both = matrix.passages[places] == ids
        if not both.any():
            return _OFFSET, _SLOPE
        x = unit(matrix.vectors[matrix.rows[places[both]]]) @ asked
        y = cosines[some][both]
        # Ridge regression towards the start: x and y are about as long as cosines are.
        weight = _PRIOR / (_PRIOR + len(x))
        centre_x, centre_y = float(x.mean()), float(y.mean())
        spread = float(((x - centre_x) ** 2).sum())
        slope = float(((x - centre_x) * (y - centre_y)).sum() + _PRIOR * 0.02 * _SLOPE) / (spread + _PRIOR * 0.02)
        slope = min(max(slope, 0.0), 1.5)
        offset = weight * _OFFSET + (1 - weight) * (centre_y - slope * centre_x)
        return offset, slope
