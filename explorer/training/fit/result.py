"""What came of a training, and who hears of it on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from explorer.models.files.model_folder import ModelFolder

Ended = Literal["done", "stopped", "no gain", "time", "diverged"]
OnStep = Callable[[int, float, float], None]
OnEvaluation = Callable[[int, Mapping[str, float]], None]


@dataclass(frozen=True)
class Trained:
    """What came of a training.

    Attributes:
        folder: The model, saved.
        ended: Why it ended: all steps "done", "stopped" by the user, "no gain" on the held-out examples, out of
            "time", or "diverged": the loss was no number any more.
        steps: Steps done.
        total: Steps planned.
        best_step: The step that was kept; 0 is the base itself.
        losses: The loss of each step.
        evaluations: Step and measures of each evaluation, the first of them before the first step.
        before: Measures of the base on the held-out examples.
        after: Measures of what was saved.
        notes: What the user should know, a sentence each.
        seconds: Time spent training and measuring, over all sessions.
    """

    folder: ModelFolder
    ended: Ended
    steps: int
    total: int
    best_step: int
    losses: tuple[float, ...]
    evaluations: tuple[tuple[int, dict[str, float]], ...]
    before: dict[str, float]
    after: dict[str, float]
    notes: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Listeners:
    """Who hears of a training, as plain numbers.

    Attributes:
        on_step: Step, its loss, examples a second.
        on_evaluation: Step and its measures.
    """

    on_step: OnStep
    on_evaluation: OnEvaluation
