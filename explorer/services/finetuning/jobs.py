"""Background work of the wizard: preview examples, estimate times, train, compare.

Everything here runs in a worker, takes values and returns values; the engine is imported when it is needed.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import DataError
from explorer.services.finetuning import requests
from explorer.services.finetuning.requests import TrainingDraft, TrainingPlan, TrainingRequest, TrainingUpdate
from explorer.services.finetuning.sources import ExamplePreview, in_file, in_set
from explorer.task import Task
from explorer.training.fit.result import Phase
from explorer.training.recipe import DataSource, Recipe

if TYPE_CHECKING:
    from explorer.judgement import Judgement
    from explorer.models.files.catalog import CatalogEntry
    from explorer.models.runtime.device import Device
    from explorer.services.finetuning.collect import CollectedExamples
    from explorer.services.finetuning.run import FinishedTraining
    from explorer.services.finetuning.suggest_pairs import PairToJudge
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.training.data.judgements import Agreement
    from explorer.training.fit.result import Control
    from explorer.workspace.workspace import Workspace

Pair = tuple[str, str]  # two texts

ENOUGH_TO_BEGIN = 10  # judgements with which the page of examples opens on them
_TOLD_EVERY = 0.1  # seconds between two updates of the pages


@dataclass
class _UpdatePublisher:
    """Collects the updates of a run, and publishes them a few times a second."""

    task: Task
    first: int | None = None
    losses: list[float] = field(default_factory=list)
    evaluations: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    speed: float = 0.0
    last: float = 0.0

    def step(self, step_index: int, loss: float, speed: float) -> None:
        """Record a step."""
        self.first = step_index if self.first is None else self.first
        self.losses.append(loss)
        self.speed = speed
        if time.monotonic() - self.last >= _TOLD_EVERY:
            self.hand_over()

    def evaluation(self, step: int, measures: Mapping[str, float]) -> None:
        """Record an evaluation."""
        self.evaluations.append((step, dict(measures)))
        self.hand_over()

    def hand_over(self) -> None:
        """Publish what was recorded."""
        self.last = time.monotonic()
        if self.losses or self.evaluations:
            said = TrainingUpdate(self.first, tuple(self.losses), tuple(self.evaluations), self.speed)
            self.first, self.losses, self.evaluations = None, [], []
            self.task.publish(said)


def look(
    source: DataSource, path: Path | None, judged: Sequence[Judgement], workspace: Path | None, task: Task
) -> ExamplePreview:
    """Preview a source of examples.

    Raises:
        DataError: It cannot be read.
    """
    if source.source == "file":
        if path is None:
            raise DataError("No file is chosen yet. Choose one.")
        return in_file(path, source)
    if source.source == "judgements":
        from explorer.training.data.judgements import from_judgements

        return in_set(from_judgements(judged))
    from explorer.services.finetuning.sources import from_corpus

    task.check()
    with opened(workspace) as reading:
        if reading is None:
            raise DataError("No folder is open to take texts from. Open one.")
        return in_set(from_corpus(source, reading), alone=source.kind == "dropout")


def bases() -> tuple[CatalogEntry, ...]:
    """Return the models that training can start from, those on this machine first."""
    from explorer.models.files import catalog

    known = [entry for entry in catalog.entries() if entry.kind == "bi" and not entry.problem]
    return tuple(sorted(known, key=lambda entry: not entry.on_disk))


def _news(gathered: CollectedExamples) -> tuple[str, ...]:
    """Return the warnings that the page of examples has not shown yet."""
    known = tuple(remark.sentence for remark in gathered.remarks)
    return tuple(item for item in gathered.warnings if not item.endswith(known or ("\0",)))


def prepare(draft: TrainingDraft, task: Task) -> TrainingPlan:
    """Plan a draft: publish warnings and recipes as soon as they are known; return them with the time each takes here.

    Raises:
        ExplorerError: Data, base and aim do not suit each other.
        Cancelled: The task was cancelled.
    """
    from explorer.services.finetuning.collect import collect_examples
    from explorer.services.finetuning.presets import estimates, recipe_for, recipes_by_effort

    device = device_of(draft)
    with opened(draft.workspace) as workspace:
        goal: Any = draft.goal
        plain = recipe_for(goal, draft.data, root=draft.root, workspace=workspace, base=draft.base, name=draft.name)
        gathered = collect_examples(
            changed(plain, draft.numbers),
            root=draft.root,
            workspace=workspace,
            base=draft.base_folder,
            device=device,
            task=task.silent(),
            on_warning=lambda warning: task.publish(TrainingPlan(draft, {}, {}, (warning,))),
        )
        plans = recipes_by_effort(goal, gathered)
        recipes = {str(effort): changed(recipe, draft.numbers) for effort, recipe in plans.items()}
        counts = {side: each["all"] for side, each in gathered.counts.items()}
        known = TrainingPlan(draft, recipes, counts, _news(gathered), collected=gathered)
        task.publish(known)
        times = estimates(recipes, gathered, base=draft.base_folder, device=device, task=task)
        return replace(known, seconds={effort: item.seconds for effort, item in times.items()})


def changed(recipe: Recipe, numbers: Mapping[str, Any]) -> Recipe:
    """Return a recipe with some values changed; those of the guard are named "guard.share" and so on.

    Raises:
        DataError: A value makes no sense.
    """
    guard = {name.removeprefix("guard."): value for name, value in numbers.items() if name.startswith("guard.")}
    plain = {name: value for name, value in numbers.items() if not name.startswith("guard.")}
    return replace(recipe, **plain, guard=replace(recipe.guard, **guard))


def train(
    request: TrainingRequest, control: Control, task: Task, collected: CollectedExamples | None = None
) -> FinishedTraining:
    """Train a model and compare it with its base; publish steps and evaluations as they happen.

    Args:
        request: What is asked for.
        control: Pause, and stop with the best so far.
        task: Progress and cancel.
        collected: The examples, where `prepare` has collected them for the same data; else they are collected now.

    Raises:
        ExplorerError: It cannot be trained so.
        Cancelled: The task was cancelled; a checkpoint is kept.
    """
    from explorer.services.finetuning import run
    from explorer.services.finetuning.collect import collect_examples
    from explorer.training.fit import checkpoints

    publisher, device = _UpdatePublisher(task), device_of(request)
    task.enter(Phase.PREPARING)
    task.report(0, 0, "gathering the examples")
    with opened(request.workspace) as workspace:
        gathered = collected or collect_examples(
            request.recipe, root=request.root, workspace=workspace, base=request.base, device=device, task=task
        )
        requests.save_request(request)
        try:
            return run.run(
                request.recipe,
                gathered,
                folder=request.folder,
                workspace=workspace,
                base=request.base,
                device=device,
                task=task,
                control=control,
                on_step=publisher.step,
                on_evaluation=publisher.evaluation,
            )
        finally:
            publisher.hand_over()
            if not (checkpoints.work_folder(request.folder) / checkpoints.INDEX).exists():
                checkpoints.discard(request.folder)  # there is nothing to resume from


def discard(folder: Path) -> None:
    """Delete a model, and what an unfinished run of it left.

    Raises:
        DataError: It cannot be removed.
    """
    from explorer.training.fit import checkpoints

    try:
        checkpoints.discard(folder)
        if folder.exists():
            shutil.rmtree(folder)
    except OSError as error:
        raise DataError(
            "{folder}: the model cannot be removed ({reason}). Remove the folder by hand.",
            folder=folder,
            reason=error.strerror,
        ) from error


@contextmanager
def opened(folder: Path | None) -> Iterator[Workspace | None]:
    """Open a workspace for reading, with its own connection; yield None if there is none."""
    if folder is None:
        yield None
        return
    from explorer.workspace.workspace import Workspace

    with Workspace(folder, None, writable=False) as workspace:
        yield workspace


def device_of(request: TrainingRequest | TrainingDraft) -> Device:
    """Return the device that the settings select; in float32, as before and after are compared to the third digit."""
    from explorer.models.runtime.device import choose

    return choose(request.device, threads=request.threads or None, precision="float32")


def pairs_to_judge(open_workspace: OpenWorkspace, count: int, seed: int, task: Task) -> tuple[PairToJudge, ...]:
    """Return the pairs of the open workspace that are most worth judging next.

    Raises:
        ExplorerError: Nothing is encoded with the present model yet.
        Cancelled: The task was cancelled.
    """
    from explorer.services.finetuning.suggest_pairs import suggest_pairs

    models = open_workspace.models
    reranker = models.reranker() if models.has_reranker() else None
    with opened(open_workspace.main.folder) as workspace:
        if workspace is None:
            return ()
        return suggest_pairs(workspace, models.encoder(), reranker, count, task, seed)


def agree(
    open_workspace: OpenWorkspace, judged: Sequence[Judgement], known: Mapping[Pair, float], task: Task
) -> tuple[Agreement, dict[Pair, float]]:
    """Measure how far the current model agrees with the judgements; also return its cosine of each pair.

    Raises:
        Cancelled: The task was cancelled.
    """
    from explorer.training.data.judgements import agreement, latest
    from explorer.training.measure.similarity import cosine, encode_columns

    last = latest(judged)
    new = [(item.first, item.second) for item in last if (item.first, item.second) not in known]
    cosines = dict(known)
    if new:
        first, second = zip(*new, strict=True)
        values = cosine(*encode_columns(open_workspace.models.encoder(), (first, second), task)).tolist()
        cosines |= dict(zip(new, values, strict=True))
    return agreement(last, [cosines[item.first, item.second] for item in last]), cosines
