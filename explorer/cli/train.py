"""The commands `train` and `evaluate`: fine-tune a model and compare it with its base; measure a model."""

from __future__ import annotations

import json
import math
import os
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.cli import options
from explorer.cli.options import device
from explorer.cli.output import Answer, duration, table, write_above
from explorer.errors import DataError, ModelError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog, model_folder
from explorer.services.finetuning import run
from explorer.services.finetuning.collect import collect_examples
from explorer.services.finetuning.presets import estimate, recipe_for, recipes_by_effort
from explorer.services.finetuning.requests import can_resume, free_folder
from explorer.task import Cancelled, Task
from explorer.training.data.examples import read_examples
from explorer.training.fit import checkpoints
from explorer.training.measure.evaluate import evaluate as measure
from explorer.training.recipe import DataSource, Recipe, load, parse, save
from explorer.workspace.workspace import open_workspace

if TYPE_CHECKING:
    from explorer.services.finetuning.collect import CollectedExamples
    from explorer.services.finetuning.presets import Estimate
    from explorer.services.finetuning.run import FinishedTraining
    from explorer.training.measure.bootstrap import Interval, MetricChange
    from explorer.workspace.workspace import Workspace

_ROWS_SHOWN = 5
# Arguments that replace a setting of the recipe under the same or another name.
_RECIPE_SETTINGS = {
    "name": "name",
    "base": "base",
    "teacher": "teacher",
    "epochs": "epochs",
    "batch": "batch",
    "learning_rate": "learning_rate",
    "seed": "seed",
    "minutes": "max_minutes",
}


@dataclass(frozen=True)
class _RequestedRecipe:
    """The recipe that the arguments describe.

    Attributes:
        recipe: The recipe.
        root: The folder its file paths are relative to.
        base: The folder of the base model; None if the base was given by name.
    """

    recipe: Recipe
    root: Path
    base: Path | None


def train_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `train`."""
    _add_data_arguments(parser)
    _add_recipe_arguments(parser)
    _add_result_arguments(parser)
    options.add_device(parser, precision="float32")


def _add_data_arguments(parser: ArgumentParser) -> None:
    what = parser.add_argument_group("training data")
    what.add_argument(
        "files", type=Path, nargs="*", metavar="FILE", help="pairs or triplets; split into train, dev and test sets"
    )
    what.add_argument(
        "--dev", type=Path, metavar="FILE", help="dev set to choose the best step, instead of a part of FILE"
    )
    what.add_argument(
        "--test", type=Path, metavar="FILE", help="test set to measure the result, instead of a part of FILE"
    )
    what.add_argument(
        "--workspace", type=Path, metavar="FOLDER", help="an indexed folder, for its judgements and texts"
    )
    what.add_argument("--judgements", action="store_true", help="train on the judgements in the workspace")
    what.add_argument(
        "--corpus",
        choices=("titles", "neighbours", "dropout"),
        help="train on the texts: titles with bodies, neighbouring passages, or each passage with itself",
    )
    what.add_argument("--negatives", type=int, default=0, metavar="N", help="hard negatives to mine for each pair")
    what.add_argument(
        "--texts",
        type=Path,
        metavar="FILE",
        help="texts on which the guard keeps the model close to its base (default: the workspace's)",
    )
    options.add_columns(what, "first, second, score, label, anchor, positive, negative")
    what.add_argument(
        "--data-kind", choices=("scored", "labelled", "triplets", "pairs", "texts"), help="the kind of data in FILE"
    )
    what.add_argument("--score-range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="range of the scores")
    what.add_argument("--positive", default="", metavar="LABEL", help="the label that means “similar”")


def _add_recipe_arguments(parser: ArgumentParser) -> None:
    how = parser.add_argument_group("recipe")
    how.add_argument("--recipe", type=Path, metavar="FILE", help="a recipe; other options override its settings")
    how.add_argument(
        "--data", type=Path, metavar="FOLDER", help="the folder of the recipe's files (default: the recipe's folder)"
    )
    how.add_argument(
        "--goal",
        choices=("search", "duplicates", "classification", "language"),
        help="what to improve; chooses the objective",
    )
    how.add_argument(
        "--objective",
        metavar="NAME",
        help="classification, regression, ranking, triplet, contrastive, distillation; cross-regression or "
        "cross-classification for a cross-encoder",
    )
    how.add_argument("--effort", choices=("quick", "balanced", "thorough"), help="how much time to spend")
    how.add_argument(
        "--base", help=f"the model to start from: one listed by `models`, or a folder (default: {catalog.DEFAULT})"
    )
    how.add_argument("--teacher", help="the model to learn from by distillation (default: the base)")
    how.add_argument("--epochs", type=float, metavar="N", help="passes over the examples")
    how.add_argument("--batch", type=int, metavar="N", help="examples per step")
    how.add_argument("--learning-rate", type=float, metavar="R", help="peak learning rate")
    how.add_argument(
        "--guard",
        type=float,
        metavar="SHARE",
        help="share of batches that keep the model close to its base, against forgetting",
    )
    how.add_argument("--minutes", type=float, metavar="M", help="stop after M minutes and keep the best so far")
    how.add_argument("--seed", type=int, metavar="N", help="random seed")
    how.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="any other recipe setting, such as freeze_layers=3 or options.margin=0.5; may be repeated",
    )


def _add_result_arguments(parser: ArgumentParser) -> None:
    result = parser.add_argument_group("result")
    result.add_argument("--name", help="name of the new model")
    result.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where to write the model (default: among your models)"
    )
    result.add_argument("--save-recipe", type=Path, metavar="FILE", help="write the resulting recipe to FILE")
    result.add_argument("--check", action="store_true", help="only show the training data and the estimated time")


def _requested_recipe(args: Namespace, workspace: Workspace | None) -> _RequestedRecipe:
    """Build the recipe from the arguments.

    Raises:
        DataError: The recipe cannot be read, or the arguments contradict each other.
    """
    root = _root(args)
    data = tuple(_sources(args, root))
    if args.recipe is not None:
        recipe = load(args.recipe)
        recipe = replace(recipe, data=data) if data else recipe
    elif args.objective is not None:
        recipe = Recipe(args.objective, data=data)
    elif args.goal is not None or data:
        recipe = recipe_for(args.goal or "duplicates", data, root=root, workspace=workspace)
    else:
        raise DataError("Give training data: a file, --judgements, --corpus, or a --recipe.")
    base = Path(args.base) if args.base and Path(args.base).is_dir() else None
    return _RequestedRecipe(_changed(recipe, args), root, base)


def _root(args: Namespace) -> Path:
    """Return the folder that the recipe's paths are relative to: the one named, or the nearest that holds all files."""
    named: Path | None = args.data or (args.recipe.parent if args.recipe and not _files(args) else None)
    if named is not None:
        return named
    folders = [str(file.absolute().parent) for file in _files(args)]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def _files(args: Namespace) -> list[Path]:
    return [*args.files, *(file for file in (args.dev, args.test, args.texts) if file is not None)]


def _sources(args: Namespace, root: Path) -> Iterator[DataSource]:
    shared: dict[str, Any] = {
        "columns": dict(args.columns),
        "kind": args.data_kind or "",
        "positive": args.positive,
        "score_range": tuple(args.score_range or ()),
    }
    for file in args.files:
        yield DataSource(path=_within(root, file), negatives=args.negatives, **shared)
    if args.judgements:
        yield DataSource("judgements")
    if args.corpus:
        yield DataSource("corpus", kind=args.corpus, negatives=args.negatives)
    for use in ("dev", "test"):
        if getattr(args, use) is not None:
            yield DataSource(path=_within(root, getattr(args, use)), use=use, **shared)
    if args.texts is not None:
        yield DataSource(path=_within(root, args.texts), use="guard")


def _within(root: Path, file: Path) -> str:
    """Return a path as a recipe names it; one that lies elsewhere is refused later, by name."""
    return Path(os.path.relpath(file.absolute(), root.absolute())).as_posix()


def _changed(recipe: Recipe, args: Namespace) -> Recipe:
    """Return the recipe with what the other arguments say."""
    values: dict[str, Any] = asdict(recipe)
    if args.objective is not None and args.objective != recipe.objective:
        values |= {"objective": args.objective, "options": {}}
    for flag, name in _RECIPE_SETTINGS.items():
        if getattr(args, flag) is not None:
            values[name] = getattr(args, flag)
    if args.guard is not None:
        values["guard"]["share"] = args.guard
    for name, value in args.settings:
        *path, last = name.split(".")
        part: Any = values
        for step in path:
            part = part.setdefault(step, {}) if isinstance(part, dict) else {}
        if isinstance(part, dict):
            part[last] = value
    return parse(json.dumps(_plain(values)))


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
        for key, value in values.items()
    }


def _setting(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ArgumentTypeError(f"“{text}” is not of the form NAME=VALUE, such as freeze_layers=3")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def train(args: Namespace, task: Task) -> Answer:
    """Fine-tune by a recipe or by options; after a cancel, report where the checkpoint is."""
    with ExitStack() as stack:
        workspace = None
        if args.workspace is not None:
            workspace = stack.enter_context(open_workspace(args.workspace, writable=False))
        request = _requested_recipe(args, workspace)
        where = device(args)
        gathered = collect_examples(
            request.recipe,
            root=request.root,
            workspace=workspace,
            base=request.base,
            device=where,
            task=task,
            on_warning=write_above,
        )
        recipe = _with_effort(args, gathered)
        if args.save_recipe is not None:
            save(recipe, args.save_recipe)
        if args.check:
            expected = estimate(recipe, gathered, base=request.base, device=where, task=task)
            return _checked(recipe, gathered, expected)
        folder = args.out or free_folder(recipe.name, resume=True)
        log = _Log(shown=not args.json)
        log.write(_learned_from(gathered))
        try:
            finished = run.run(
                recipe,
                gathered,
                folder=folder,
                workspace=workspace,
                base=request.base,
                device=where,
                task=task,
                on_step=log.on_step,
                on_evaluation=log.on_evaluation,
            )
        except Cancelled:
            return _cancelled(folder)
    return _answer(recipe, gathered, finished, request)


def _with_effort(args: Namespace, gathered: CollectedExamples) -> Recipe:
    if args.effort is None:
        return gathered.recipe
    return recipes_by_effort(args.goal or "duplicates", gathered)[args.effort]


class _Log:
    """Prints one line for each evaluation."""

    def __init__(self, *, shown: bool) -> None:
        self._shown, self._began = shown, time.monotonic()
        self._loss = self._pace = 0.0

    def on_step(self, _step: int, loss: float, pace: float) -> None:
        """Remember loss and speed for the next line."""
        self._loss = 0.9 * self._loss + 0.1 * loss if self._loss else loss
        self._pace = pace

    def on_evaluation(self, step: int, measures: Mapping[str, float]) -> None:
        """Print the metrics of an evaluation."""
        name, value = next(iter(measures.items()))
        parts = [f"step {step:,}", f"{name} {value:.4f}"]
        if step:
            parts += [f"loss {self._loss:.4f}", f"{self._pace:.1f} examples per second"]
        parts.append(f"after {duration(time.monotonic() - self._began)}")
        self.write(", ".join(parts))

    def write(self, line: str) -> None:
        """Print a line above the progress bar."""
        if self._shown:
            write_above(line)


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
        f"{duration(expected.seconds)} at {expected.examples_a_second:.1f} examples per second."
    )
    return Answer(_data(recipe, gathered) | {"estimate": asdict(expected)}, text)


def _cancelled(folder: Path) -> Answer:
    """Return what a cancelled run leaves: a checkpoint, a model that was not compared yet, or nothing."""
    left = {"cancelled": True, "checkpoint": None, "folder": None}
    if can_resume(folder):
        work = checkpoints.work_folder(folder)
        text = f"The checkpoint is in {work}. Run the same command to resume; delete the folder to discard it."
        return Answer(left | {"checkpoint": str(work)}, text, cancelled=True)
    if folder.exists():
        text = f"The model is finished, in {folder}; only the comparison with its base is missing."
        return Answer(left | {"folder": str(folder)}, text, cancelled=True)
    return Answer(left, "Cancelled before the first step; there is nothing to resume.", cancelled=True)


def _answer(
    recipe: Recipe, gathered: CollectedExamples, finished: FinishedTraining, request: _RequestedRecipe
) -> Answer:
    trained, comparison = finished.trained, finished.comparison
    lines = [
        f"{trained.folder.path}: {trained.steps:,} of {trained.total:,} steps ({trained.ended}), step "
        f"{trained.best_step:,} kept, {duration(trained.seconds)}."
    ]
    if comparison.rows:
        lines += ["", f"On {comparison.rows[0].count:,} test examples:", _changes(comparison.rows)]
    if comparison.general:
        lines += ["", "General benchmark:", _changes(comparison.general)]
    lines += ["", *finished.sentences]
    data = _data(recipe, gathered) | finished.as_dict() | {"data_folder": str(request.root)}
    return Answer(_finite(data), "\n".join(lines))


def _finite(value: Any) -> Any:
    """Return the same with None for the numbers that JSON lacks, such as the correlation of constant values."""
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


def evaluate_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `evaluate`."""
    parser.add_argument(
        "data", type=Path, metavar="DATA", help="a file of pairs or triplets, or a folder with corpus, queries, qrels"
    )
    options.add_model(parser)
    parser.add_argument("--kind", choices=("bi", "cross"), help="the kind of model expected")
    parser.add_argument("--draft", action="store_true", help="evaluate the draft encoder of the model")
    parser.add_argument("--data-kind", choices=("scored", "labelled", "triplets", "retrieval"), help="the kind of data")
    options.add_columns(parser, "first, second, score, label, anchor, positive, negative")
    parser.add_argument("--score-range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="range of the scores")
    parser.add_argument("--positive", metavar="LABEL", help="the label of similar pairs")
    parser.add_argument(
        "--retriever", metavar="MODEL", help="the bi-encoder whose 100 best results the cross-encoder reranks"
    )
    options.add_device(parser, precision="float32")


def evaluate(args: Namespace, task: Task) -> Answer:
    """Compute the metrics that fit the data and the model."""
    score_range = tuple(args.score_range) if args.score_range else None
    data = read_examples(args.data, dict(args.columns), args.data_kind, score_range)
    model = _evaluated_model(args, task)
    retriever = BiEncoder.open(catalog.find(args.retriever), device(args)) if args.retriever else None
    result = measure(data, model, task, positive=args.positive, retriever=retriever)
    lines = [
        f"{args.data}: {result.count:,} {result.data_kind}, {result.model_kind}-encoder {args.model}",
        table(("measure", "value"), list(result.measures.items())),
    ]
    if result.problems:
        lines.append(f"{len(result.problems):,} rows were skipped:")
        lines += [f"  line {problem.line} {problem.reason}" for problem in result.problems[:_ROWS_SHOWN]]
    return Answer({"data": str(args.data), "model": args.model, **result.as_dict()}, "\n".join(lines))


def _evaluated_model(args: Namespace, task: Task) -> BiEncoder | CrossEncoder | static_encoder.StaticEncoder:
    folder = model_folder.read(catalog.find(args.model))
    if args.kind and folder.kind != args.kind:
        raise ModelError(
            "{model}: this is a {kind}-encoder, not a {kind2}-encoder. Choose another model.",
            model=args.model,
            kind=folder.kind,
            kind2=args.kind,
        )
    if folder.kind == "cross":
        return CrossEncoder(folder, device(args))
    encoder = BiEncoder(folder, device(args))
    return static_encoder.static_encoder_of(encoder, task) if args.draft else encoder
