"""Judgements people make in the window on pairs of texts, and the examples they become."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from explorer.errors import DataError
from explorer.training.data.dataset import TrainingSet, make_set, text_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Scale = Literal["similar", "grade"]
PairKey = tuple[str, str]

HIGHEST = {"similar": 1, "grade": 5}
NAMES = ("not similar", "similar")


@dataclass(frozen=True)
class Judgement:
    """What a person said of two texts.

    Attributes:
        first: One text.
        second: The other.
        value: 0 or 1 on the scale "similar" (1 is similar), 0 to 5 on the scale "grade" (5 is the same).
        scale: Which of the two it was.
        made: When, in ISO 8601; empty if unknown.
    """

    first: str
    second: str
    value: int
    scale: Scale = "grade"
    made: str = ""

    def __post_init__(self) -> None:
        if self.scale not in HIGHEST:
            raise DataError(f"A judgement is on the scale similar or grade, not {self.scale}. Judge again.")
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not whole or not 0 <= self.value <= HIGHEST[self.scale]:
            raise DataError(
                f"A judgement on the scale {self.scale} is a whole number from 0 to {HIGHEST[self.scale]}, "
                f"not {self.value}. Judge the pair again."
            )
        if not self.first.strip() or not self.second.strip():
            raise DataError("A judgement is on two texts, and one of them is empty. Judge another pair.")

    @property
    def score(self) -> float:
        """The judgement from 0 to 1."""
        return self.value / HIGHEST[self.scale]

    @property
    def key(self) -> PairKey:
        """What two judgements on the same pair share, whichever way round."""
        return pair_key(self.first, self.second)

    def as_dict(self) -> dict[str, object]:
        """The same as plain values, ready for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, object]) -> Judgement:
        """The judgement that `as_dict` made.

        Raises:
            DataError: It is none.
        """
        first, second, value = values.get("first"), values.get("second"), values.get("value")
        scale, made = values.get("scale", "grade"), values.get("made", "")
        if not (isinstance(first, str) and isinstance(second, str) and isinstance(made, str)):
            raise DataError("A stored judgement lacks one of its texts. Leave it out.")
        if not isinstance(value, int) or scale not in ("similar", "grade"):
            raise DataError(f"A stored judgement has no usable value: {value} ({scale}). Leave it out.")
        return Judgement(first, second, value, "similar" if scale == "similar" else "grade", made)


@dataclass(frozen=True)
class Agreement:
    """How far a model orders pairs as a person does.

    Attributes:
        comparisons: Pairs of judged pairs of which the person put one above the other.
        share: How many of them the model puts in the same order, 0..1, ties counting half; 0.5 is
            chance; NaN without comparisons.
    """

    comparisons: int
    share: float


def pair_key(first: str, second: str) -> PairKey:
    """What two texts share with the same two the other way round."""
    one, other = sorted((text_key(first), text_key(second)))
    return one, other


def latest(judgements: Sequence[Judgement]) -> list[Judgement]:
    """The last judgement on each pair, in the order the pairs were first judged."""
    return list({judgement.key: judgement for judgement in judgements}.values())


def from_judgements(
    judgements: Sequence[Judgement], kind: Literal["scored", "labelled"] | None = None
) -> TrainingSet:
    """The examples that judgements make; of two on one pair the later counts.

    Args:
        judgements: As they were made.
        kind: "scored" brings both scales to 0..1. "labelled" takes grades of 3 and more as similar. None
            takes labels where all were judged similar or not, else scores.

    Raises:
        DataError: There is no judgement.
    """
    kept = latest(judgements)
    if not kept:
        raise DataError("No pair was judged yet. Judge some, or train on a file or on the texts themselves.")
    texts = (tuple(item.first for item in kept), tuple(item.second for item in kept))
    if kind == "labelled" or (kind is None and all(item.scale == "similar" for item in kept)):
        labels = tuple(int(item.score >= 0.5) for item in kept)
        return make_set("labelled", texts, classes=labels, names=NAMES)
    return make_set("scored", texts, scores=tuple(item.score for item in kept))


def agreement(judgements: Sequence[Judgement], similarities: Sequence[float]) -> Agreement:
    """How far a model's similarities order the judged pairs as the person did.

    Args:
        judgements: N of them.
        similarities: What the model says of each, larger for more alike.
    """
    scores = np.asarray([judgement.score for judgement in judgements])
    model = np.asarray(similarities, dtype=np.float64)
    above, alike = 0, 0.0
    for score, similarity in zip(scores, model, strict=True):
        lower = model[scores < score]
        above += len(lower)
        alike += float((similarity > lower).sum() + 0.5 * (similarity == lower).sum())
    return Agreement(above, alike / above if above else math.nan)
