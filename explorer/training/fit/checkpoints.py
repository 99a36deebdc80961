"""Checkpoints: all that a run needs to resume exactly; tensors and JSON, never pickles.

The JSON file names the tensor files and is replaced last, so there is a complete checkpoint at every moment.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import DataError
from explorer.messages import dump, load
from explorer.models.files.safetensors import writing

if TYPE_CHECKING:
    from torch import Tensor

    from explorer.training.data.dataset import Dataset
    from explorer.training.recipe import Recipe

VERSION = 1
INDEX = "checkpoint.json"
# Settings that do not change what a step computes.
_WITHOUT_EFFECT: dict[str, Any] = {"name": "x", "checkpoint_minutes": 0.0, "max_minutes": 0.0}


@dataclass(frozen=True)
class TrainingProgress:
    """The progress of a run.

    Attributes:
        key: Digest of model, data and recipe, so that a run never resumes from another run's checkpoint.
        step: Steps done.
        micro: Examples that go through the network at once; fewer than in the recipe where memory was short.
        losses: The loss of each step.
        evaluations: Step and measures of each evaluation.
        best_step: The step of the best weights.
        best: Their measure; None before the first evaluation.
        waited: Evaluations since then.
        seconds: Spent so far.
        scaler: State of the loss scaling in half precision.
        state_file: The file of the weights and the optimiser.
        best_file: The file of the best weights; empty where those are the model's first.
        notes: The messages shown to the user.
    """

    key: str
    step: int = 0
    micro: int = 0
    losses: tuple[float, ...] = ()
    evaluations: tuple[tuple[int, dict[str, float]], ...] = ()
    best_step: int = 0
    best: float | None = None
    waited: int = 0
    seconds: float = 0.0
    scaler: dict[str, Any] | None = None
    state_file: str = ""
    best_file: str = ""
    notes: tuple[str, ...] = ()


def work_folder(folder: Path) -> Path:
    """Return the folder of the checkpoints, beside the model's own folder to be."""
    return folder.with_name(f".{folder.name}.training")


def words_folder(folder: Path) -> Path:
    """Return the folder of the encoder after masked-language training, until the model in `folder` is finished."""
    return folder.with_name(f".{folder.name}.words")


def discard(folder: Path) -> None:
    """Delete the checkpoints of the model in `folder`, if there are any."""
    shutil.rmtree(work_folder(folder), ignore_errors=True)


def key(recipe: Recipe, models: Sequence[str], data: Dataset, unlabelled: Sequence[str]) -> str:
    """Return a digest of all that decides what a step computes; `models`: the fingerprints of base and teacher."""
    whole = hashlib.sha256(replace(recipe, **_WITHOUT_EFFECT).as_json().encode())
    whole.update(repr((tuple(models), data.labels, tuple(data.names))).encode())
    for column in (*data.columns, unlabelled):
        whole.update(str(len(column)).encode())
        for text in column:
            whole.update(hashlib.sha256(text.encode("utf-8", "replace")).digest())
    return whole.hexdigest()


def read(folder: Path) -> TrainingProgress | None:
    """Read the progress of the checkpoint in a folder; None if there is none.

    Raises:
        DataError: It cannot be read.
    """
    file = folder / INDEX
    if not file.is_file():
        return None
    try:
        progress = _parse(file.read_text("utf-8"))
        _check_files(folder, progress)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DataError(
            "{file}: the checkpoint cannot be used ({reason}). Delete the folder to train from the beginning.",
            file=file,
            reason=error,
        ) from error
    return progress


def _parse(text: str) -> TrainingProgress:
    values = json.loads(text)
    if values.pop("version") != VERSION:
        raise ValueError("it is of another version")
    values["losses"] = tuple(map(float, values["losses"]))
    values["evaluations"] = tuple((int(step), dict(values)) for step, values in values["evaluations"])
    values["notes"] = tuple(load(str(note)) for note in values["notes"])
    return TrainingProgress(**values)


def _check_files(folder: Path, progress: TrainingProgress) -> None:
    for name in (progress.state_file, progress.best_file or progress.state_file):
        if Path(name).name != name or not (folder / name).is_file():
            raise ValueError(f"{name} is missing")


def write(folder: Path, progress: TrainingProgress) -> None:
    """Save the progress to resume from; tensor files it does not name are deleted.

    Raises:
        DataError: It cannot be written.
    """
    file = folder / INDEX
    try:
        partial = _partial(file)
        partial.write_text(
            json.dumps({"version": VERSION, **asdict(progress), "notes": [dump(note) for note in progress.notes]}),
            "utf-8",
        )
        _rename_into_place(partial, file)
        for other in folder.glob("*.safetensors*"):
            if other.name not in (progress.state_file, progress.best_file):
                other.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(file, error) from error


def write_tensors(folder: Path, name: str, tensors: Mapping[str, Tensor]) -> str:
    """Write tensors to a file, whole or not at all; returns its name.

    Raises:
        DataError: They cannot be written.
    """
    from safetensors.torch import save_file

    file = folder / f"{name}.safetensors"
    partial = _partial(file)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with writing():
            save_file({key: value.detach().cpu().contiguous() for key, value in tensors.items()}, str(partial))
        _rename_into_place(partial, file)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)  # half a file takes up space on a full disk
        raise _unwritable(file, error) from error
    return file.name


def read_tensors(file: Path) -> dict[str, Tensor]:
    """Read the tensors of a file.

    Raises:
        DataError: They cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        values: dict[str, Tensor] = load_file(str(file))
    except (OSError, SafetensorError) as error:
        raise DataError(
            "{file}: the checkpoint is damaged ({reason}). Delete the folder to train from the beginning.",
            file=file,
            reason=error,
        ) from error
    return values


def _partial(file: Path) -> Path:
    return file.with_name(file.name + ".partial")


def _rename_into_place(partial: Path, file: Path) -> None:
    """Flush a file to the disk, then give it its name."""
    with partial.open("rb+") as written:
        os.fsync(written.fileno())
    partial.replace(file)


def _unwritable(file: Path, error: OSError) -> DataError:
    return DataError(
        "{file}: the checkpoint cannot be written ({reason}). Free space, then train again: it "
        "resumes from the last checkpoint.",
        file=file,
        reason=error.strerror,
    )
