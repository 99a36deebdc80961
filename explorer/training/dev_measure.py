"""The number by which the best step of a training is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import DataError
from explorer.training.evaluation import BiEncoder, CrossEncoder, evaluate
from explorer.training.examples import Examples, TextPairs
from explorer.training.similarity import encode_columns

if TYPE_CHECKING:
    from explorer.task import Task

Measure = Callable[[BiEncoder | CrossEncoder, "Task"], Mapping[str, float]]

_BLOCK = 1000  # texts whose similarities to all others are held at a time


def measure(dev: Examples | Measure, model: BiEncoder | CrossEncoder, task: Task) -> dict[str, float]:
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


def matched(pairs: TextPairs, model: BiEncoder | CrossEncoder, task: Task) -> float:
    """The share of first texts to which no other pair's second text is nearer than their own.

    Raises:
        DataError: The model has no vectors.
        Cancelled: The task was cancelled.
    """
    if not isinstance(model, BiEncoder):
        raise DataError("Pairs without labels measure bi-encoders only. Choose held-out data with labels.")
    u, v = encode_columns(model, (pairs.first, pairs.second), task)
    u, v = (each / np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12) for each in (u, v))
    own = (u * v).sum(axis=1)
    hits = 0
    for start in range(0, len(u), _BLOCK):
        task.check()
        nearest = (u[start : start + _BLOCK] @ v.T).max(axis=1)
        hits += int((own[start : start + _BLOCK] >= nearest - 1e-6).sum())
    return hits / len(u)
