"""Recipes for what a user wants to improve, at three levels of effort."""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from explorer.errors import DataError, ExplorerError
from explorer.models.files import model_folder as folders
from explorer.services.finetuning.collect import CollectedExamples
from explorer.services.finetuning.sources import model_folder, teacher_of
from explorer.task import Task
from explorer.training.fit import trainer
from explorer.training.recipe import DataSource, Guard, Recipe

if TYPE_CHECKING:
    from explorer.models.runtime.device import Device
    from explorer.workspace.workspace import Workspace


Goal = Literal["search", "duplicates", "classification", "language"]
Effort = Literal["quick", "balanced", "thorough"]

GOALS: tuple[Goal, ...] = get_args(Goal)
EFFORTS: tuple[Effort, ...] = get_args(Effort)

GUARD_SHARE = 0.2


@dataclass(frozen=True)
class _Plan:
    """The settings of an effort: epochs, the limit of examples, and the patience."""

    rounds: float
    most: int
    patience: int


_PLANS: dict[Effort, _Plan] = {"quick": _Plan(1, 2000, 0), "balanced": _Plan(2, 20_000, 4), "thorough": _Plan(4, 0, 5)}


def objective_for(goal: Goal, kind: str) -> tuple[str, dict[str, Any]]:
    """Return the objective and options that serve a goal with examples of a kind.

    Raises:
        DataError: There is no such goal, or the examples do not serve it.
    """
    if goal not in GOALS:
        raise DataError(
            "There is no goal “{goal}”. Choose one of {goals}.", goal=str(goal)[:40], goals=", ".join(GOALS)
        )
    if goal == "language":
        if kind not in ("pairs", "texts"):
            raise DataError(
                "Another language is learned from texts with their translations. Choose a file with two text columns."
            )
        return "distillation", {"texts": 2 if kind == "pairs" else 1}
    if kind == "triplets":
        return ("contrastive", {"texts": 3}) if goal == "search" else ("triplet", {})
    if kind == "labelled" and goal == "classification":
        return "classification", {}
    if kind == "scored":  # on STSb the order of scores taught less than the scores themselves
        return "regression", {}
    if kind == "labelled":
        return "ranking", {}
    return "contrastive", {}


def recipe_for(
    goal: Goal,
    data: Sequence[DataSource],
    *,
    root: Path,
    workspace: Workspace | None = None,
    base: str = "",
    name: str = "fine-tuned",
) -> Recipe:
    """Return a recipe for a goal and data, with the objective that suits both and the guard on.

    Raises:
        DataError: There is no data yet, it cannot be read, or it does not serve the goal.
    """
    from explorer.services.finetuning.sources import read_parts

    learned = [source for source in data if source.use in ("", "train")]
    if not learned:
        raise DataError("There is nothing to learn from yet. Add a file, judgements, or the texts themselves.")
    first = learned[0]
    if first.source == "judgements":
        kind = "labelled" if goal == "classification" else "scored"
    elif first.source == "corpus":
        kind = "triplets" if first.negatives else "pairs"
    else:
        # The objective decides nothing here: the file is read for what it is.
        asked = Recipe("contrastive", data=(replace(first, negatives=0),))
        kind = next(read_parts(asked, root, workspace)).dataset.kind
        kind = "triplets" if first.negatives and kind == "pairs" else kind
    objective, options = objective_for(goal, kind)
    return Recipe(
        objective,
        options=options,
        name=name,
        base=base,
        data=tuple(data),
        batch=32 if objective == "contrastive" else 16,
        guard=Guard() if objective == "distillation" else Guard(share=GUARD_SHARE),
    )


def recipes_by_effort(goal: Goal, gathered: CollectedExamples) -> dict[Effort, Recipe]:
    """Return the recipe for collected examples at three levels of effort.

    Few examples are seen more often, so that the model has steps enough to learn from them.

    Raises:
        DataError: There is no such goal, or the examples do not serve it.
    """
    recipe = gathered.recipe
    if recipe.kind == "bi":
        objective_for(goal, gathered.kind)
    count = len(gathered.examples)
    few = min(4.0, max(1.0, 1000 / max(count, 1)))
    return {
        effort: replace(
            recipe,
            epochs=round(plan.rounds * few, 2),
            max_examples=plan.most,
            patience=plan.patience if gathered.dev is not None else 0,
        )
        for effort, plan in _PLANS.items()
    }


_TRIAL = 6  # steps that are timed
_WARM = 2  # steps before them, which are slower
_SMALL = 2**24  # bytes of a model whose trial takes no memory to speak of
_LOOK = 0.2  # seconds until the caller can cancel a trial


@dataclass(frozen=True)
class Estimate:
    """How long a run takes on this machine.

    Attributes:
        seconds: In all, with what is measured on the way.
        steps: Steps planned.
        examples_a_second: How fast the trial was.
    """

    seconds: float
    steps: int
    examples_a_second: float


def estimate(
    recipe: Recipe,
    gathered: CollectedExamples,
    *,
    base: Path | None = None,
    device: Device | None = None,
    task: Task | None = None,
) -> Estimate:
    """Estimate how long a run takes, from a few real steps whose result is discarded.

    Raises:
        DataError: Recipe, base and examples do not suit each other.
        ModelError: The base cannot be used.
        Cancelled: The task was cancelled.
    """
    return estimates({"": recipe}, gathered, base=base, device=device, task=task)[""]


def estimates(
    recipes: Mapping[str, Recipe],
    gathered: CollectedExamples,
    *,
    base: Path | None = None,
    device: Device | None = None,
    task: Task | None = None,
) -> dict[str, Estimate]:
    """Estimate several recipes; those with equal steps are tried once.

    Raises:
        DataError: Recipe, base and examples do not suit each other.
        ModelError: The base cannot be used.
        Cancelled: The task was cancelled.
    """
    tried: dict[str, float] = {}
    times = {}
    for name, recipe in recipes.items():
        trial = _trial(recipe)
        key = trial.as_json()
        if key not in tried:
            count = (_WARM + _TRIAL) * trial.batch * trial.accumulation
            rows = np.random.default_rng(trial.seed).permutation(len(gathered.examples))[:count]
            examples = gathered.examples.select(sorted(rows.tolist()))
            few = CollectedExamples(trial, gathered.root, gathered.kind, examples)
            few = replace(few, unlabelled=gathered.unlabelled[:count])
            weights = folders.read(base or model_folder(trial.base, gathered.root)).bytes
            timed = _timed_apart if weights > _SMALL else _seconds_a_step
            tried[key] = timed(trial, few, base, device, task or Task())
        times[name] = _estimated(recipe, gathered, tried[key])
    return times


def _timed_apart(
    trial: Recipe, gathered: CollectedExamples, base: Path | None, device: Device | None, task: Task
) -> float:
    """Return the same as `_seconds_a_step`, measured in a process of its own: its gigabytes end with it.

    Raises:
        DataError: It failed there, or the process ended.
        Cancelled: The task was cancelled.
    """
    context = multiprocessing.get_context("spawn")
    answers, answer = context.Pipe(duplex=False)
    process = context.Process(target=_answer_time, args=(trial, gathered, base, device, answer), daemon=True)
    process.start()
    answer.close()
    try:
        while not answers.poll(_LOOK):
            task.check()
        said = answers.recv()
    except (EOFError, OSError) as error:
        raise DataError(
            "How long this takes could not be tried: the process for it ended. Memory may be short; close other "
            "programs, or choose a smaller model."
        ) from error
    finally:
        process.kill()
        process.join()
        answers.close()
    if isinstance(said, float):
        return said
    raise DataError(said)


def _answer_time(
    trial: Recipe, gathered: CollectedExamples, base: Path | None, device: Device | None, answer: Connection
) -> None:
    """Time steps in the other process, and send the seconds of one, or why there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program, which then ends this process
    try:
        answer.send(_seconds_a_step(trial, gathered, base, device, Task()))
    except ExplorerError as error:
        answer.send(error.message)


def _trial(recipe: Recipe) -> Recipe:
    """Return a recipe of a few steps like those of another."""
    return replace(
        recipe,
        steps=_WARM + _TRIAL,
        epochs=1.0,
        max_examples=0,
        max_minutes=0.0,
        patience=0,
        evaluate_every=0,
        checkpoint_minutes=1440.0,
        guard=replace(recipe.guard, average=1.0),
        name="trial",
    )


def _seconds_a_step(
    trial: Recipe, gathered: CollectedExamples, base: Path | None, device: Device | None, task: Task
) -> float:
    clock = [time.perf_counter()]
    with tempfile.TemporaryDirectory(prefix="explorer-") as temporary:
        trainer.train(
            trial,
            folders.read(base or model_folder(trial.base, gathered.root)),
            gathered.examples,
            folder=Path(temporary) / "trial",
            device=device,
            teacher=teacher_of(trial, gathered.root, device),
            unlabelled=gathered.unlabelled,
            task=task.silent(),
            on_step=lambda *_: clock.append(time.perf_counter()),
        )
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
    held = 2 * steps * each * recipe.guard.share  # the base's outputs for the guard's texts
    seconds = steps * seconds_a_step + (evaluated + held) * reading
    return Estimate(min(seconds, 60 * recipe.max_minutes or seconds), steps, each / max(seconds_a_step, 1e-9))
