"""Mine hard negatives: texts that the current model finds near an anchor though they do not belong to it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.vectors.exact import nearest
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.task import Task
from explorer.training.data.dataset import Dataset, Remark, make_set, text_key
from explorer.training.measure.similarity import BiEncoderLike, cosine, unique

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from explorer.training.measure.similarity import Vectors

MARGIN = 0.95  # of the positive's score; what scores higher is likely to be right too
DEPTH = 50  # nearest texts looked at for each anchor
MOST_CANDIDATES = 100_000  # texts searched among; more are drawn from


@dataclass(frozen=True)
class Mined:
    """M negatives mined for some anchors, anchor after anchor, hardest first.

    Attributes:
        anchors: (M,) the row of the anchor of each.
        rows: (M,) the row of the candidate.
        scores: (M,) the cosine of the two.
        doubtful: How many nearer candidates were skipped because they may be positives.
        bare: How many anchors got no negative.
    """

    anchors: NDArray[np.int64]
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]
    doubtful: int
    bare: int


def mine(
    anchors: Vectors,
    positives: Vectors,
    candidates: Vectors,
    *,
    barred: Sequence[Collection[int]] = (),
    count: int = 1,
    margin: float = MARGIN,
    depth: int = DEPTH,
    task: Task | None = None,
) -> Mined:
    """Find the candidates nearest to each anchor that are farther than its positive by a margin.

    A candidate nearer than the limit may be an unlabelled positive. The limit is relative: a positive of
    cosine p lets candidates pass below p - (1 - margin) |p|.

    Args:
        anchors: (A, n).
        positives: (A, n), the positive of each anchor.
        candidates: (C, n) to choose among.
        barred: For each anchor the candidates that are not negatives: itself and its positives.
        count: How many negatives to find for each anchor.
        margin: Share of the positive's score that a negative may have; 1 bars only what is nearer.
        depth: How many of the nearest are looked at.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
    """
    neighbours = nearest(candidates, anchors, depth, task=task)
    near = cosine(anchors, positives)
    limits = near - (1 - margin) * np.abs(near)  # (A,)
    chosen: list[tuple[int, int, float]] = []
    doubtful = bare = 0
    for anchor_row, (rows, scores) in enumerate(zip(neighbours.rows.tolist(), neighbours.scores.tolist(), strict=True)):
        no_negatives = barred[anchor_row] if barred else ()
        others = [(row, score) for row, score in zip(rows, scores, strict=True) if row not in no_negatives]
        negatives = [(anchor_row, row, score) for row, score in others if score < limits[anchor_row]]
        doubtful += len(others) - len(negatives)
        bare += not negatives
        chosen += negatives[:count]
    columns = zip(*chosen, strict=True) if chosen else ((), (), ())
    anchor, row, score = columns
    return Mined(np.asarray(anchor, np.int64), np.asarray(row, np.int64), np.asarray(score, np.float32), doubtful, bare)


def with_hard_negatives(
    pairs: Dataset,
    candidates: Sequence[str],
    model: BiEncoderLike,
    *,
    count: int = 1,
    margin: float = MARGIN,
    depth: int = DEPTH,
    seed: int = 0,
    task: Task | None = None,
) -> Dataset:
    """Make triplets of pairs that belong together, with negatives that the model finds among candidates.

    Mine after splitting, for the training part alone: a negative drawn from the test would leak it.

    Args:
        pairs: Of the kind "pairs".
        candidates: Texts to choose among, such as the corpus, or the second texts of the pairs.
        model: The current model.
        count: How many triplets to make of each pair.
        margin: See `mine`.
        depth: See `mine`.
        seed: Seed of the sample of candidates if there are too many.
        task: Progress and cancel.

    Raises:
        DataError: The examples are not pairs, or no negative was found.
        Cancelled: The task was cancelled.
    """
    if pairs.kind != "pairs":
        raise DataError("Negatives are mined for pairs that belong together, not for {kind}.", kind=pairs.kind)
    task = task or Task()
    choices = _drawn(list({text_key(text): text for text in candidates if text.strip()}.values()), seed)
    if not choices:
        raise DataError("There is no text to choose negatives from. Add texts.")
    first, second = pairs.columns
    texts, indices = unique([*first, *second, *choices])
    vectors = model.encode(texts, task=task).whole()[indices]  # (2 N + C, n)
    anchors, positives, others = np.split(vectors, [len(pairs), 2 * len(pairs)])
    barred = _barred(pairs, choices)
    mined = mine(anchors, positives, others, barred=barred, count=count, margin=margin, depth=depth, task=task)
    if not len(mined.rows):
        raise DataError(
            "No text is near an anchor and yet surely different, so no negative was found. Add texts, or "
            "raise the margin."
        )
    rows = mined.anchors.tolist()
    columns = (
        tuple(first[row] for row in rows),
        tuple(second[row] for row in rows),
        tuple(choices[row] for row in mined.rows.tolist()),
    )
    lines = tuple(pairs.lines[row] for row in rows) if pairs.lines else ()
    return make_set("triplets", columns, lines=lines, remarks=_remarks(mined, len(pairs)))


def _drawn(choices: list[str], seed: int) -> list[str]:
    if len(choices) <= MOST_CANDIDATES:
        return choices
    chosen = np.random.default_rng(seed).permutation(len(choices))[:MOST_CANDIDATES]
    return [choices[index] for index in sorted(chosen.tolist())]


def _barred(pairs: Dataset, choices: Sequence[str]) -> list[set[int]]:
    """Return for each pair the candidates that any pair puts beside its anchor or its positive, and these."""
    row_of = {text_key(text): row for row, text in enumerate(choices)}
    keys = [(text_key(first), text_key(second)) for first, second in zip(*pairs.columns, strict=True)]
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for first, second in keys:
        beside[first] |= {first, second}
        beside[second] |= {first, second}
    return [{row_of[key] for key in beside[first] | beside[second] if key in row_of} for first, second in keys]


def _remarks(mined: Mined, count: int) -> tuple[Remark, ...]:
    remarks = []
    if mined.doubtful:
        sentence = UserMessage(
            "{count} texts nearer than the margin allows were passed over: they may be right answers.",
            count=mined.doubtful,
        )
        remarks.append(Remark("doubtful negatives", mined.doubtful, sentence))
    if mined.bare:
        sentence = UserMessage(
            "{count} of {total} pairs got no negative and are left out.", count=mined.bare, total=count
        )
        remarks.append(Remark("no negative", mined.bare, sentence))
    return tuple(remarks)
