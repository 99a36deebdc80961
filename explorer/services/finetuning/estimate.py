"""How long a training will take on this machine."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer.models.files import model_folder as folders
from explorer.services.finetuning.collect import CollectedExamples
from explorer.services.finetuning.sources import model_folder, teacher_of
from explorer.task import Task
from explorer.training.fit import trainer
from explorer.training.recipe import Recipe

if TYPE_CHECKING:
    from explorer.models.runtime.device import Device

_TRIAL = 6  # steps that are timed
_WARM = 2  # steps before them, which are slower


@dataclass(frozen=True)
class Estimate:
    """How long a training will take here.

    Attributes:
        seconds: In all, with what is measured on the way.
        steps: Steps planned.
        examples_a_second: How fast the trial was.
    """

    seconds: float
    steps: int
    examples_a_second: float


def estimate(
    recipe: Recipe, gathered: CollectedExamples, *, base: Path | None = None, device: Device | None = None,
    task: Task | None = None,
) -> Estimate:  # fmt: skip
    """How long a training will take, from a few real steps that are thrown away.

    Raises:
        DataError: Recipe, base and examples do not suit each other.
        ModelError: The base cannot be used.
        Cancelled: The task was cancelled.
    """
    return estimates({"": recipe}, gathered, base=base, device=device, task=task)[""]


def estimates(
    recipes: Mapping[str, Recipe], gathered: CollectedExamples, *, base: Path | None = None,
    device: Device | None = None, task: Task | None = None,
) -> dict[str, Estimate]:  # fmt: skip
    """The same for several recipes; those whose steps are alike are tried once.

    Raises:
        DataError: Recipe, base and examples do not suit each other.
        ModelError: The base cannot be used.
        Cancelled: The task was cancelled.
    """
    tried: dict[str, float] = {}
    found = {}
    for name, recipe in recipes.items():
        trial = _trial(recipe)
        key = trial.as_json()
        if key not in tried:
            tried[key] = _seconds_a_step(trial, gathered, base, device, task or Task())
        found[name] = _estimated(recipe, gathered, tried[key])
    return found


def _trial(recipe: Recipe) -> Recipe:
    """A recipe of a few steps like those of another."""
    return replace(
        recipe, steps=_WARM + _TRIAL, epochs=1.0, max_examples=0, max_minutes=0.0, patience=0, evaluate_every=0,
        checkpoint_minutes=1440.0,
        guard=replace(recipe.guard, average=1.0), name="trial",
    )  # fmt: skip


def _seconds_a_step(
    trial: Recipe, gathered: CollectedExamples, base: Path | None, device: Device | None, task: Task
) -> float:
    count = (_WARM + _TRIAL) * trial.batch * trial.accumulation
    chosen = np.random.default_rng(trial.seed).permutation(len(gathered.examples))[:count]
    clock = [time.perf_counter()]
    with tempfile.TemporaryDirectory(prefix="explorer-") as place:
        trainer.train(
            trial, folders.read(base or model_folder(trial.base, gathered.root)),
            gathered.examples.take(sorted(chosen.tolist())), folder=Path(place) / "trial", device=device,
            teacher=teacher_of(trial, gathered.root, device), unlabelled=gathered.unlabelled[:count],
            task=task.silent(), on_step=lambda *_: clock.append(time.perf_counter()),
        )  # fmt: skip
    return (clock[-1] - clock[_WARM]) / max(1, len(clock) - 1 - _WARM)


def _estimated(recipe: Recipe, gathered: CollectedExamples, seconds_a_step: float) -> Estimate:
    from explorer.training.fit.batch_plan import planned_steps

    count = min(len(gathered.examples), recipe.max_examples or len(gathered.examples))
    steps = planned_steps(recipe, count)
    each = recipe.batch * recipe.accumulation
    # A text that is only read costs a third of one that is learned from.
    reading = seconds_a_step / each / 3
    every = recipe.evaluate_every or max(1, steps // trainer.EVALUATIONS)
    evaluated = (1 + -(-steps // every)) * len(gathered.dev) if gathered.dev is not None else 0
    held = 2 * steps * each * recipe.guard.share  # what the base says of the guard's texts
    seconds = steps * seconds_a_step + (evaluated + held) * reading
    return Estimate(min(seconds, 60 * recipe.max_minutes or seconds), steps, each / max(seconds_a_step, 1e-9))
