"""How a training run is followed, paused and ended early; its result, and how the model is saved."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from explorer.errors import ModelError
from explorer.models.files import model_folder
from explorer.training.measure import model_card

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.models.files.model_folder import ModelFolder
    from explorer.task import Task
    from explorer.training.recipe import Recipe


Ended = Literal["done", "stopped", "no gain", "time", "diverged"]
OnStep = Callable[[int, float, float], None]
OnEvaluation = Callable[[int, Mapping[str, float]], None]


@dataclass(frozen=True)
class Trained:
    """The result of a training run.

    Attributes:
        folder: The model, saved.
        ended: Why it ended: all steps "done", "stopped" by the user, "no gain" on the held-out examples, out of
            "time", or "diverged": the loss was not finite.
        steps: Steps done.
        total: Steps planned.
        best_step: The step that was saved; 0 is the base itself.
        losses: The loss of each step.
        evaluations: Step and measures of each evaluation, the first of them before the first step.
        before: Measures of the base on the held-out examples.
        after: Measures of what was saved.
        notes: Sentences that the user should know.
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
    """Callbacks of a training run.

    Attributes:
        on_step: Takes the step, its loss and the examples per second.
        on_evaluation: Takes the step and its metrics.
    """

    on_step: OnStep
    on_evaluation: OnEvaluation


def check_free(folder: Path) -> None:
    """Check that a folder is free for a new model.

    Raises:
        ModelError: Something is there already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ModelError("{folder}: this exists already. Choose a new name for the model.", folder=folder)


def save_model(
    model: BiEncoder | CrossEncoder, recipe: Recipe, facts: model_card.CardFacts, fresh: Path, folder: Path
) -> ModelFolder:
    """Save a model with its card at `fresh`, then move it to `folder` in one step; returns what can be read there.

    Raises:
        ModelError: It cannot be saved.
    """
    shutil.rmtree(fresh, ignore_errors=True)
    model.save(fresh)
    try:
        model_card.write(fresh, recipe, facts)
        if folder.exists():
            folder.rmdir()
        fresh.replace(folder)
    except OSError as error:
        raise ModelError(
            "{folder}: the model cannot be moved there ({reason}). It is ready in {fresh}.",
            folder=folder,
            reason=error.strerror,
            fresh=fresh,
        ) from error
    return model_folder.read(folder)


class Phase(Enum):
    """What a fine-tuning run is doing; its progress carries it."""

    PREPARING = "preparing"
    TRAINING = "training"
    COMPARING = "comparing"


class Control:
    """Pause and stop requests from any thread, which the run checks after every step.

    Stopping finishes now with the best model so far. Cancelling the task instead leaves a checkpoint, from which the
    same run can be resumed.
    """

    def __init__(self) -> None:
        self._running = threading.Event()
        self._running.set()
        self._stopped = threading.Event()

    def pause(self) -> None:
        """Pause the run after the current step."""
        self._running.clear()

    def resume(self) -> None:
        """Resume the run."""
        self._running.set()

    def stop(self) -> None:
        """End the run after the current step, and keep the best so far."""
        self._stopped.set()
        self._running.set()

    @property
    def paused(self) -> bool:
        """Whether the run is paused, or will be after this step."""
        return not self._running.is_set()

    @property
    def stopped(self) -> bool:
        """Whether the run was asked to end."""
        return self._stopped.is_set()

    def wait(self, task: Task) -> None:
        """Block until the run may go on.

        Raises:
            Cancelled: The task was cancelled meanwhile.
        """
        while not self._running.wait(0.1):
            task.check()
