"""What the command `train` takes, and the recipe that makes of it."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.training.recipe import DataSource, Recipe
    from explorer.workspace.workspace import Workspace

_PLAIN = {
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
class Asked:
    """What a user asked for.

    Attributes:
        recipe: The recipe.
        root: The folder in which its files lie.
        base: The folder of the base, where it was named by its path.
    """

    recipe: Recipe
    root: Path
    base: Path | None


def train(parser: ArgumentParser) -> None:
    """Arguments of `train`."""
    _data(parser)
    _way(parser)
    _result(parser)
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu (default: %(default)s)")
    parser.add_argument(
        "--threads", type=int, metavar="N", help="CPU cores to use (default: all physical ones)"
    )


def _data(parser: ArgumentParser) -> None:
    what = parser.add_argument_group("what to learn from")
    what.add_argument(
        "files",
        type=Path,
        nargs="*",
        metavar="FILE",
        help="pairs or triplets; split into training, dev and test",
    )
    what.add_argument(
        "--dev", type=Path, metavar="FILE", help="chooses the best step, in the place of a share of FILE"
    )
    what.add_argument(
        "--test", type=Path, metavar="FILE", help="measures the result, in the place of a share of FILE"
    )
    what.add_argument(
        "--workspace",
        type=Path,
        metavar="FOLDER",
        help="a folder that was indexed: its judgements, its corpus",
    )
    what.add_argument("--judgements", action="store_true", help="learn from the judgements in the workspace")
    what.add_argument(
        "--corpus",
        choices=("titles", "neighbours", "dropout"),
        help="learn from the texts: titles with bodies, neighbouring passages, or each with itself",
    )
    what.add_argument(
        "--negatives", type=int, default=0, metavar="N", help="hard negatives to be mined for each pair"
    )
    what.add_argument(
        "--texts",
        type=Path,
        metavar="FILE",
        help="texts on which the guard holds the model to its base (default: the workspace's)",
    )
    what.add_argument(
        "--columns",
        type=_named,
        nargs="+",
        default=[],
        metavar="ROLE=COLUMN",
        help="roles: first, second, score, label, anchor, positive, negative",
    )
    what.add_argument(
        "--data-kind", choices=("scored", "labelled", "triplets", "pairs", "texts"), help="what FILE holds"
    )
    what.add_argument(
        "--score-range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="range of the scores"
    )
    what.add_argument("--positive", default="", metavar="LABEL", help="the label that means “similar”")


def _way(parser: ArgumentParser) -> None:
    how = parser.add_argument_group("how")
    how.add_argument("--recipe", type=Path, metavar="FILE", help="a recipe; what else is given changes it")
    how.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="where the recipe's files lie (default: beside the recipe)",
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
    how.add_argument("--effort", choices=("quick", "balanced", "thorough"), help="how long it may take")
    how.add_argument(
        "--base",
        help="the model to begin with: a name that `models` lists, or a folder (default: the bundled)",
    )
    how.add_argument("--teacher", help="the model to learn from by distillation (default: the base)")
    how.add_argument("--epochs", type=float, metavar="N", help="rounds through the examples")
    how.add_argument("--batch", type=int, metavar="N", help="examples of a step")
    how.add_argument("--learning-rate", type=float, metavar="R", help="the highest")
    how.add_argument(
        "--guard",
        type=float,
        metavar="SHARE",
        help="share of batches that hold the model to its base, against forgetting",
    )
    how.add_argument("--minutes", type=float, metavar="M", help="end after these, with the best so far")
    how.add_argument("--seed", type=int, metavar="N")
    how.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="any other setting of a recipe, such as freeze_layers=3 or options.margin=0.5; may be repeated",
    )


def _result(parser: ArgumentParser) -> None:
    result = parser.add_argument_group("result")
    result.add_argument("--name", help="of the model to be made")
    result.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where it goes (default: among your models)"
    )
    result.add_argument(
        "--save-recipe", type=Path, metavar="FILE", help="write the recipe that all this makes"
    )
    result.add_argument(
        "--check",
        action="store_true",
        help="only tell what would be learned from, and how long it would take",
    )


def asked(chosen: Namespace, workspace: Workspace | None) -> Asked:
    """The recipe that the arguments make.

    Raises:
        DataError: The recipe cannot be read, or what is asked for makes no sense.
    """
    from explorer.errors import DataError
    from explorer.services.finetuning.presets import recipe_for
    from explorer.training.recipe import Recipe, load

    root = _root(chosen)
    data = tuple(_sources(chosen, root))
    if chosen.recipe is not None:
        recipe = load(chosen.recipe)
        recipe = replace(recipe, data=data) if data else recipe
    elif chosen.objective is not None:
        recipe = Recipe(chosen.objective, data=data)
    elif chosen.goal is not None or data:
        recipe = recipe_for(chosen.goal or "duplicates", data, root=root, workspace=workspace)
    else:
        raise DataError("Say what to learn from: a file, --judgements or --corpus, or a --recipe.")
    base = Path(chosen.base) if chosen.base and Path(chosen.base).is_dir() else None
    return Asked(_changed(recipe, chosen), root, base)


def _root(chosen: Namespace) -> Path:
    """The folder that the recipe's paths are relative to: the one named, or the nearest that holds all files."""
    named: Path | None = chosen.data or (
        chosen.recipe.parent if chosen.recipe and not _files(chosen) else None
    )
    if named is not None:
        return named
    folders = [str(file.absolute().parent) for file in _files(chosen)]
    return Path(os.path.commonpath(folders)) if folders else Path.cwd()


def _files(chosen: Namespace) -> list[Path]:
    return [*chosen.files, *(file for file in (chosen.dev, chosen.test, chosen.texts) if file is not None)]


def _sources(chosen: Namespace, root: Path) -> Iterator[DataSource]:
    from explorer.training.recipe import DataSource

    shared: dict[str, Any] = {
        "columns": dict(chosen.columns),
        "kind": chosen.data_kind or "",
        "positive": chosen.positive,
        "score_range": tuple(chosen.score_range or ()),
    }
    for file in chosen.files:
        yield DataSource(path=_within(root, file), negatives=chosen.negatives, **shared)
    if chosen.judgements:
        yield DataSource("judgements")
    if chosen.corpus:
        yield DataSource("corpus", kind=chosen.corpus, negatives=chosen.negatives)
    for use in ("dev", "test"):
        if getattr(chosen, use) is not None:
            yield DataSource(path=_within(root, getattr(chosen, use)), use=use, **shared)
    if chosen.texts is not None:
        yield DataSource(path=_within(root, chosen.texts), use="guard")


def _within(root: Path, file: Path) -> str:
    """A path as a recipe names it; one that lies elsewhere is refused later, by name."""
    return Path(os.path.relpath(file.absolute(), root.absolute())).as_posix()


def _changed(recipe: Recipe, chosen: Namespace) -> Recipe:
    """The recipe with what the other arguments say."""
    from explorer.training.recipe import parse

    values: dict[str, Any] = asdict(recipe)
    if chosen.objective is not None and chosen.objective != recipe.objective:
        values |= {"objective": chosen.objective, "options": {}}
    for flag, name in _PLAIN.items():
        if getattr(chosen, flag) is not None:
            values[name] = getattr(chosen, flag)
    if chosen.guard is not None:
        values["guard"]["share"] = chosen.guard
    for name, value in chosen.settings:
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


def _named(text: str) -> tuple[str, str]:
    role, sign, column = text.partition("=")
    if not sign or not role or not column:
        raise ArgumentTypeError(f"“{text}” is not of the form ROLE=COLUMN, such as score=rating")
    return role, column


def _setting(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ArgumentTypeError(f"“{text}” is not of the form NAME=VALUE, such as freeze_layers=3")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
