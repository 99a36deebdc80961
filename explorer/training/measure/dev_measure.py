"""The number by which the best step of a training is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from explorer.errors import DataError
from explorer.training.data.examples import Examples, TextPairs
from explorer.training.measure.evaluate import BiEncoderLike, CrossEncoderLike, evaluate
from explorer.training.measure.similarity import encode_columns, own_margin

if TYPE_CHECKING:
    from explorer.task import Task

Measure = Callable[[BiEncoderLike | CrossEncoderLike, "Task"], Mapping[str, float]]


def measure(dev: Examples | Measure, model: BiEncoderLike | CrossEncoderLike, task: Task) -> dict[str, float]:
    """Measures of a model on held-out examples; the first is the one that decides, and higher is better.

    Raises:
        DataError: The examples do not suit the model.
        Cancelled: The task was cancelled.
    """
    if isinstance(dev, TextPairs):
        return {"matched": matched(dev, model, task)}
    if callable(dev):
        return dict(dev(model, task))
    return evaluate(dev, model, task).measures


def matched(pairs: TextPairs, model: BiEncoderLike | CrossEncoderLike, task: Task) -> float:
    """The share of first texts to which no other pair's second text is nearer than their own.

    Raises:
        DataError: The model has no vectors.
        Cancelled: The task was cancelled.
    """
    if not isinstance(model, BiEncoderLike):
        raise DataError("Pairs without labels measure bi-encoders only. Choose held-out data with labels.")
    u, v = encode_columns(model, (pairs.first, pairs.second), task)
    return float((own_margin(u, v, task) >= 0).mean())
