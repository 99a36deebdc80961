"""Turn people's judgements of pairs into training examples, and measure how far a model agrees with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.errors import DataError
from explorer.training.data.dataset import Dataset, make_set, text_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.judgement import Judgement

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


def from_judgements(
    judgements: Sequence[Judgement], kind: Literal["scored", "labelled"] | None = None
) -> Dataset:
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
    above, alike = 0, 0.0
    for score, similarity in zip(scores, model, strict=True):
        lower = model[scores < score]
        above += len(lower)
        alike += float((similarity > lower).sum() + 0.5 * (similarity == lower).sum())
    return Agreement(above, alike / above if above else math.nan)
