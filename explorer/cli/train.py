"""The command that makes a better model: what it learns from, how it goes, what was gained and what was lost."""

from __future__ import annotations

import math
import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.cli.models import device
from explorer.cli.output import Answer, duration, table
from explorer.cli.train_arguments import Asked, asked
from explorer.services.finetuning import run
from explorer.task import Cancelled, Task
from explorer.training.fit import checkpoints
from explorer.training.recipe import Recipe, save
from explorer.workspace.workspace import open_workspace

if TYPE_CHECKING:
    from explorer.services.finetuning.run import CollectedExamples, Estimate, FinishedTraining
    from explorer.training.measure.bootstrap import Interval, MetricChange

_ROWS_SHOWN = 5


def train(chosen: Namespace, task: Task) -> Answer:
    """Train by a recipe or by flags; after a cancel, say where the checkpoint is."""
    with ExitStack() as stack:
        workspace = None
        if chosen.workspace is not None:
            workspace = stack.enter_context(open_workspace(chosen.workspace, writable=False))
        what = asked(chosen, workspace)
        where = device(chosen)
        gathered = run.gather(
            what.recipe, root=what.root, workspace=workspace, base=what.base, device=where, task=task
        )
        recipe = _with_effort(chosen, gathered)
        if chosen.save_recipe is not None:
            save(recipe, chosen.save_recipe)
        if chosen.check:
            expected = run.estimate(recipe, gathered, base=what.base, device=where, task=task)
            return _checked(recipe, gathered, expected)
        folder = chosen.out or run.free_folder(recipe.name)
        log = _Log(shown=not chosen.json)
        log.say(_learned_from(gathered))
        try:
            finished = run.run(
                recipe, gathered, folder=folder, workspace=workspace, base=what.base, device=where,
                task=task, on_step=log.on_step, on_evaluation=log.on_evaluation,
            )  # fmt: skip
        except Cancelled:
            return _cancelled(folder)
    return _answer(recipe, gathered, finished, what)


def _with_effort(chosen: Namespace, gathered: CollectedExamples) -> Recipe:
    if chosen.effort is None:
        return gathered.recipe
    return run.efforts(chosen.goal or "duplicates", gathered)[chosen.effort]


class _Log:
    """Tells of every evaluation, a line each."""

    def __init__(self, *, shown: bool) -> None:
        self._shown, self._began = shown, time.monotonic()
        self._loss = self._pace = 0.0

    def on_step(self, _step: int, loss: float, pace: float) -> None:
        """Remember what the next line tells."""
        self._loss = 0.9 * self._loss + 0.1 * loss if self._loss else loss
        self._pace = pace

    def on_evaluation(self, step: int, measures: Mapping[str, float]) -> None:
        """One line."""
        name, value = next(iter(measures.items()))
        parts = [f"step {step:,}", f"{name} {value:.4f}"]
        if step:
            parts += [f"loss {self._loss:.4f}", f"{self._pace:.1f} examples a second"]
        parts.append(f"after {duration(time.monotonic() - self._began)}")
        self.say(", ".join(parts))

    def say(self, line: str) -> None:
        """A line above the progress bar."""
        if self._shown:
            wipe = "\r\x1b[K" if sys.stderr.isatty() else ""
            sys.stderr.write(f"{wipe}{line}\n")
            sys.stderr.flush()


def _learned_from(gathered: CollectedExamples) -> str:
    lines = [f"{side}: {_listed(counts)}" for side, counts in gathered.counts.items()]
    lines += gathered.warnings
    lines += [f"  {row.source} line {row.line} {row.reason}" for row in gathered.bad_rows[:_ROWS_SHOWN]]
    return "\n".join(lines)


def _listed(counts: Mapping[str, int]) -> str:
    labels = ", ".join(f"{name} {count:,}" for name, count in counts.items() if name != "all")
    return f"{counts['all']:,} examples" + (f" ({labels})" if labels else "")


def _checked(recipe: Recipe, gathered: CollectedExamples, expected: Estimate) -> Answer:
    text = (
        f"{_learned_from(gathered)}\n{recipe.objective}, {expected.steps:,} steps: about "
        f"{duration(expected.seconds)} at {expected.examples_a_second:.1f} examples a second."
    )
    return Answer(_data(recipe, gathered) | {"estimate": asdict(expected)}, text)


def _cancelled(folder: Path) -> Answer:
    """What is left when the user ends the work: a checkpoint, a model that was not yet compared, or nothing."""
    left = {"cancelled": True, "checkpoint": None, "folder": None}
    if run.unfinished(folder):
        work = checkpoints.work_folder(folder)
        text = f"The checkpoint is in {work}. The same command goes on from there; delete the folder to give it up."
        return Answer(left | {"checkpoint": str(work)}, text, cancelled=True)
    if folder.exists():
        text = f"The model is finished, in {folder}; only the comparison with its base was left out."
        return Answer(left | {"folder": str(folder)}, text, cancelled=True)
    return Answer(left, "Nothing was trained yet.", cancelled=True)


def _answer(recipe: Recipe, gathered: CollectedExamples, finished: FinishedTraining, what: Asked) -> Answer:
    trained, found = finished.trained, finished.comparison
    lines = [
        f"{trained.folder.path}: {trained.steps:,} of {trained.total:,} steps ({trained.ended}), step "
        f"{trained.best_step:,} kept, {duration(trained.seconds)}."
    ]
    if found.rows:
        lines += ["", f"On {found.rows[0].count:,} test examples:", _changes(found.rows)]
    if found.general:
        lines += ["", "General ability, on the set that ships:", _changes(found.general)]
    lines += ["", *finished.sentences]
    data = _data(recipe, gathered) | finished.as_dict() | {"data_folder": str(what.root)}
    return Answer(_finite(data), "\n".join(lines))


def _finite(value: Any) -> Any:
    """The same without numbers that JSON does not know: a measure of constant values is none."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _changes(changes: Sequence[MetricChange]) -> str:
    rows = [
        (each.measure, _spread(each.before), _spread(each.after), _spread(each.difference, "+"), each.verdict)
        for each in changes
    ]
    return table(("measure", "before", "after", "difference", ""), rows)


def _spread(value: Interval, sign: str = "") -> str:
    return f"{value.value:{sign}.4f} ({value.low:{sign}.4f} to {value.high:{sign}.4f})"


def _data(recipe: Recipe, gathered: CollectedExamples) -> dict[str, Any]:
    return {
        "recipe": asdict(recipe),
        "counts": {side: dict(counts) for side, counts in gathered.counts.items()},
        "warnings": list(gathered.warnings),
        "bad_rows": [asdict(row) for row in gathered.bad_rows],
    }
