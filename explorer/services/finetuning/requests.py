"""Values that describe a fine-tuning run; a request is saved beside its checkpoints, so that it can be resumed."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer import paths
from explorer.errors import DataError
from explorer.training.fit import checkpoints
from explorer.training.recipe import DataSource, Recipe, parse

if TYPE_CHECKING:
    from explorer.services.finetuning.collect import CollectedExamples

_logger = logging.getLogger(__name__)

_FILE = "order.json"
# Seconds. A training without a checkpoint after this time was killed, and its name is free again.
_BEGINNING = 6 * 3600


@dataclass(frozen=True)
class TrainingRequest:
    """A run that the user asked for.

    Attributes:
        recipe: How.
        root: The folder of the recipe's files.
        folder: Where the model goes.
        workspace: The workspace with judgements and texts; None for none.
        base: The base's folder, where it is not a name in the catalog.
        device: The setting of where models run.
        threads: The setting of how many cores they use; 0 for all.
    """

    recipe: Recipe
    root: Path
    folder: Path
    workspace: Path | None = None
    base: Path | None = None
    device: str = "auto"
    threads: int = 0


@dataclass(frozen=True)
class TrainingDraft:
    """What the user has selected so far.

    Attributes:
        goal: What is to be improved, one of `presets.GOALS`.
        data: Where the examples come from.
        root: The folder of their files.
        workspace: The workspace with judgements and texts; None for none.
        base: The base's name in the catalog; empty for the default one.
        base_folder: The base's folder, where it is not a name in the catalog.
        name: Of the model to be made.
        numbers: What the user changed of a recipe.
        device: The setting of where models run.
        threads: The setting of how many cores they use; 0 for all.
    """

    goal: str
    data: tuple[DataSource, ...]
    root: Path
    workspace: Path | None = None
    base: str = ""
    base_folder: Path | None = None
    name: str = "fine-tuned"
    numbers: Mapping[str, Any] = field(default_factory=dict)
    device: str = "auto"
    threads: int = 0

    def request(self, recipe: Recipe) -> TrainingRequest:
        """Return the request to run one of the recipes."""
        return TrainingRequest(
            recipe, self.root, free_folder(recipe.name), self.workspace, self.base_folder, self.device, self.threads
        )


@dataclass(frozen=True)
class TrainingPlan:
    """The recipes that a draft leads to.

    Attributes:
        draft: The draft.
        recipes: For each effort the recipe, with what the user changed.
        counts: Examples to learn from, "train", to choose the best step, "dev", and to measure the result, "test".
        warnings: What the user should know.
        seconds: How long each will take here; None until it was tried.
        collected: The examples that were counted, for a training that follows; mining them takes minutes.
    """

    draft: TrainingDraft
    recipes: Mapping[str, Recipe]
    counts: Mapping[str, int]
    warnings: tuple[str, ...] = ()
    seconds: Mapping[str, float] | None = None
    collected: CollectedExamples | None = field(default=None, repr=False)


@dataclass(frozen=True)
class TrainingUpdate:
    """The steps and evaluations since the last update.

    Attributes:
        first: The number of the first of the steps below; None if there is none.
        losses: Of some steps, one after the other.
        evaluations: Step and measures.
        speed: Examples per second; 0 if no step was made.
    """

    first: int | None = None
    losses: tuple[float, ...] = ()
    evaluations: tuple[tuple[int, dict[str, float]], ...] = ()
    speed: float = 0.0


def free_folder(name: str, *, resume: bool = False) -> Path:
    """Return a folder for a new model among the user's models: `name`, or with a number if that is taken.

    Args:
        name: The model's name.
        resume: Whether the folder of an interrupted training counts as free, because it is to be resumed.
    """
    names = (name if suffix == 1 else f"{name}-{suffix}" for suffix in range(1, 10_000))
    folders = (paths.models() / each for each in names)
    return next(
        folder for folder in folders if not folder.exists() and ((resume and can_resume(folder)) or not _begun(folder))
    )


def can_resume(folder: Path) -> bool:
    """Return whether an interrupted training of the model in `folder` left a checkpoint."""
    return any(
        (work / checkpoints.INDEX).is_file()
        for work in (checkpoints.work_folder(folder), checkpoints.words_folder(folder))
    )


def _begun(folder: Path) -> bool:
    """Return whether a run for `folder` can be resumed, or may be about to write its first checkpoint."""
    work = checkpoints.work_folder(folder)
    if can_resume(folder):
        return True
    return work.exists() and time.time() - work.stat().st_mtime < _BEGINNING


def save_request(request: TrainingRequest) -> None:
    """Write a request beside the checkpoints of its training.

    Raises:
        DataError: It cannot be written.
    """
    values = {
        "recipe": request.recipe.as_json(),
        "root": str(request.root),
        "folder": str(request.folder),
        "workspace": str(request.workspace or ""),
        "base": str(request.base or ""),
        "device": request.device,
        "threads": request.threads,
    }
    folder = checkpoints.work_folder(request.folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_text(json.dumps(values, ensure_ascii=False), "utf-8")
    except OSError as error:
        raise DataError(
            "{folder}: a model cannot be trained there ({reason}). Free space or allow writing there.",
            folder=folder,
            reason=error.strerror,
        ) from error


def unfinished() -> tuple[TrainingRequest, ...]:
    """Return the interrupted runs that can be resumed, the latest first."""
    files = [file for file in paths.models().glob(f".*.training/{_FILE}") if (file.parent / checkpoints.INDEX).exists()]
    results = (_read(file) for file in sorted(files, key=lambda file: -file.stat().st_mtime))
    return tuple(request for request in results if request is not None)


def _read(file: Path) -> TrainingRequest | None:
    try:
        values = json.loads(file.read_text("utf-8"))
        recipe, root, folder = parse(values["recipe"]), Path(values["root"]), Path(values["folder"])
        needed_folders = [Path(values[name]) if values[name] else None for name in ("workspace", "base")]
        device, threads = str(values["device"]), int(values["threads"])
    except (OSError, ValueError, KeyError, TypeError, DataError):
        _logger.warning("%s: not a training request that can be resumed", file, exc_info=True)
        return None  # interrupted while it was being written
    if not root.is_dir() or any(needed is not None and not needed.is_dir() for needed in needed_folders):
        return None
    return TrainingRequest(recipe, root, folder, needed_folders[0], needed_folders[1], device, threads)
