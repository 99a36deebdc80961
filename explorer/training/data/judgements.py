"""Turn people's judgements of pairs into training examples, and measure how far a model agrees with them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.analysis.vectors.exact import nearest
from explorer.errors import DataError
from explorer.task import Task
from explorer.training.data.dataset import Dataset, make_set, text_key
from explorer.training.measure.similarity import CrossEncoderLike, cosine

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from numpy.typing import NDArray

    from explorer.judgement import Judgement
    from explorer.training.measure.similarity import Vectors


PairKey = tuple[str, str]

NAMES = ("not similar", "similar")


@dataclass(frozen=True)
class Agreement:
    """How far a model orders pairs as a person does.

    Attributes:
        comparisons: The number of times that the person judged one pair more similar than another.
        share: The share of them in which the model agrees, 0..1, ties counting half; 0.5 is chance; NaN without
            comparisons.
    """

    comparisons: int
    share: float


def pair_key(first: str, second: str) -> PairKey:
    """Return a key that is the same for both orders of the two texts."""
    low, high = sorted((text_key(first), text_key(second)))
    return low, high


def latest(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the last judgement on each pair, in the order the pairs were first judged."""
    return list({pair_key(judgement.first, judgement.second): judgement for judgement in judgements}.values())


def from_judgements(judgements: Sequence[Judgement], kind: Literal["scored", "labelled"] | None = None) -> Dataset:
    """Turn judgements into examples; of two judgements on the same pair the later counts.

    Args:
        judgements: The judgements, in the order they were made.
        kind: "scored" brings both scales to 0..1. "labelled" takes grades of 3 and more as similar. None
            takes labels where all were judged similar or not, else scores.

    Raises:
        DataError: There is no judgement.
    """
    last = latest(judgements)
    if not last:
        raise DataError("No pair was judged yet. Judge some, or train on a file or on the texts themselves.")
    texts = (tuple(item.first for item in last), tuple(item.second for item in last))
    if kind == "labelled" or (kind is None and all(item.scale == "similar" for item in last)):
        labels = tuple(int(item.score >= 0.5) for item in last)
        return make_set("labelled", texts, classes=labels, names=NAMES)
    return make_set("scored", texts, scores=tuple(item.score for item in last))


def agreement(judgements: Sequence[Judgement], similarities: Sequence[float]) -> Agreement:
    """Measure how far a model's similarities order the judged pairs as the person did.

    Args:
        judgements: N judgements.
        similarities: The model's similarity of each pair, larger for more similar.
    """
    scores = np.asarray([judgement.score for judgement in judgements])
    model = np.asarray(similarities, dtype=np.float64)
    above, agreed = 0, 0.0
    for score, similarity in zip(scores, model, strict=True):
        lower = model[scores < score]
        above += len(lower)
        agreed += float((similarity > lower).sum() + 0.5 * (similarity == lower).sum())
    return Agreement(above, agreed / above if above else math.nan)


Reason = Literal["disagree", "unsure"]

ANCHORS = 400  # texts whose neighbours are looked at
NEAR = 10  # nearest neighbours of each, every one a candidate
FAR = 10  # candidates of each from farther down, where a model is wrong without showing it
REACH = 200  # how far down
SCORED = 300  # candidates a cross-encoder is asked about
SAME_QUESTION = 0.85  # cosine from which two pairs ask the same question


@dataclass(frozen=True)
class Suggestion:
    """A pair worth judging.

    Attributes:
        first: Row of one text.
        second: Row of the other.
        cosine: What the bi-encoder says.
        relevance: What the cross-encoder says, 0..1; None if there was none.
        worth: How much it is worth, 0..1.
        reason: "disagree" if the two models do, "unsure" if the bi-encoder's cosine is at the border
            between alike and not.
    """

    first: int
    second: int
    cosine: float
    relevance: float | None
    worth: float
    reason: Reason


def suggest(
    texts: Sequence[str],
    vectors: Vectors,
    documents: Sequence[Hashable],
    *,
    judged: Sequence[Judgement] = (),
    similarities: Sequence[float] = (),
    cross: CrossEncoderLike | None = None,
    count: int = 20,
    seed: int = 0,
    task: Task | None = None,
) -> list[Suggestion]:
    """Suggest pairs of different documents to judge next, the most useful first; fewer if there are no more.

    No pair was judged already or has the same text on both sides, no document comes again before others had their
    turn, and no two pairs ask nearly the same.

    Args:
        texts: N passages or documents.
        vectors: (N, n) of the current model.
        documents: Which document each text is of.
        judged: What was judged so far.
        similarities: The current model's cosine of each judged pair; with it the border between alike and
            not follows the judgements.
        cross: A cross-encoder to compare with.
        count: How many pairs to suggest.
        seed: Seed of the sample of texts.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    pool = _candidates(texts, vectors, documents, {pair_key(item.first, item.second) for item in judged}, seed, task)
    if not len(pool):
        return []
    near = cosine(vectors[pool[:, 0]], vectors[pool[:, 1]]).astype(np.float64)
    unsure = doubt(near, border(near, judged, similarities))
    if cross is None:
        return _chosen(pool, near, None, unsure, np.zeros(len(pool)), vectors, documents, count)
    asked = _worth_asking(near, unsure)
    pool, near, unsure = pool[asked], near[asked], unsure[asked]
    pairs = [(texts[first], texts[second]) for first, second in pool.tolist()]
    relevance = np.asarray(cross.score(pairs, task=task).relevance(), np.float64)
    return _chosen(pool, near, relevance, unsure, disagreement(near, relevance), vectors, documents, count)


def border(near: NDArray[np.float64], judged: Sequence[Judgement], similarities: Sequence[float]) -> float:
    """Return the cosine that separates similar judged pairs best, else the middle of the candidates."""
    are_similar = np.asarray([item.score >= 0.5 for item in judged[: len(similarities)]], bool)
    if are_similar.all() or not are_similar.any():
        low, high = np.quantile(near, [0.1, 0.9])
        return float(low + high) / 2
    values = np.asarray(similarities, np.float64)
    cuts = np.unique(values)
    right = [int(((values >= cut) == are_similar).sum()) for cut in cuts]
    best = int(np.argmax(right))
    return float((cuts[best] + cuts[max(0, best - 1)]) / 2)


def doubt(near: NDArray[np.float64], at: float) -> NDArray[np.float64]:
    """Return how unsure each cosine is, (P,): 1 at the border, falling to 0 over the spread of the candidates."""
    spread = max(float(near.std()), 1e-6)
    return np.asarray(np.exp(-(((near - at) / spread) ** 2)), np.float64)


def disagreement(near: NDArray[np.float64], relevance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far apart two models rank each pair, (P,), 0..1; ranks, because their scales differ."""
    from scipy.stats import rankdata

    ranks = [rankdata(values) / max(1, len(values) - 1) for values in (near, relevance)]
    return np.asarray(np.abs(ranks[0] - ranks[1]), np.float64)


def _candidates(
    texts: Sequence[str],
    vectors: Vectors,
    documents: Sequence[Hashable],
    judged: Collection[PairKey],
    seed: int,
    task: Task,
) -> NDArray[np.int64]:
    """Return unjudged pairs (P, 2) of sampled texts with near and some farther ones, of different documents."""
    rng = np.random.default_rng(seed)
    anchors = np.sort(rng.permutation(len(texts))[:ANCHORS])
    rows = nearest(vectors, vectors[anchors], REACH + 1, task=task).rows
    candidates: dict[PairKey, tuple[int, int]] = {}
    for anchor, line in zip(anchors.tolist(), rows.tolist(), strict=True):
        others = [row for row in line if documents[row] != documents[anchor]]
        deeper = rng.permutation(np.arange(NEAR, max(NEAR, len(others))))[:FAR]
        for row in others[:NEAR] + [others[index] for index in sorted(deeper.tolist())]:
            key = pair_key(texts[anchor], texts[row])
            if key[0] and key[0] != key[1] and key not in judged:
                candidates.setdefault(key, (min(anchor, row), max(anchor, row)))
    return np.asarray(sorted(candidates.values()), np.int64).reshape(-1, 2)


def _worth_asking(near: NDArray[np.float64], unsure: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the candidates a cross-encoder is asked about: half the most unsure, half drawn from all cosines alike."""
    if len(near) <= SCORED:
        return np.arange(len(near))
    top = np.argsort(-unsure, kind="stable")[: SCORED // 2]
    rest = np.setdiff1d(np.arange(len(near)), top)
    rest = rest[np.argsort(near[rest], kind="stable")]
    spread = rest[np.linspace(0, len(rest) - 1, SCORED - len(top)).astype(int)]
    return np.unique(np.concatenate([top, spread]))


def _chosen(
    pool: NDArray[np.int64],
    near: NDArray[np.float64],
    relevance: NDArray[np.float64] | None,
    unsure: NDArray[np.float64],
    apart: NDArray[np.float64],
    vectors: Vectors,
    documents: Sequence[Hashable],
    count: int,
) -> list[Suggestion]:
    """Return the worthiest pairs that differ from each other, as suggestions."""
    worth = np.maximum(unsure / (1 if relevance is None else 2), apart)  # a disagreement counts for more
    order = np.argsort(-worth, kind="stable")
    picked = _diverse(pool, order.tolist(), vectors, documents, count)
    return [
        Suggestion(
            first=int(pool[index, 0]),
            second=int(pool[index, 1]),
            cosine=float(near[index]),
            relevance=None if relevance is None else float(relevance[index]),
            worth=float(worth[index]),
            reason="disagree" if relevance is not None and apart[index] >= unsure[index] / 2 else "unsure",
        )
        for index in picked
    ]


def _diverse(
    pool: NDArray[np.int64], order: list[int], vectors: Vectors, documents: Sequence[Hashable], count: int
) -> list[int]:
    """Return the first `count` places of an order whose pairs are of new documents and ask something new."""
    used: Counter[Hashable] = Counter()
    picked: list[int] = []
    turn = 1
    while order and len(picked) < count:
        waiting: list[int] = []
        for index in order:
            sources = [documents[row] for row in pool[index].tolist()]
            if len(picked) == count or any(used[source] >= turn for source in sources):
                waiting.append(index)
            elif not _asked_before(pool[index], pool[picked], vectors):
                picked.append(index)
                used.update(sources)
        order, turn = waiting, turn + 1
    return picked


def _asked_before(pair: NDArray[np.int64], picked: NDArray[np.int64], vectors: Vectors) -> bool:
    """Return whether both texts of a pair are nearly those of one picked already, whichever way round."""
    if not len(picked):
        return False
    near = [
        [cosine(vectors[picked[:, theirs]], vectors[[pair[ours]] * len(picked)]) for theirs in (0, 1)]
        for ours in (0, 1)
    ]  # 2 x 2 of (m,)
    straight, crossed = np.minimum(near[0][0], near[1][1]), np.minimum(near[0][1], near[1][0])
    return bool((np.maximum(straight, crossed) > SAME_QUESTION).any())
