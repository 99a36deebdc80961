"""What reading a folder would take, before it is read; and what is known of recent folders."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import ExplorerError
from explorer.services import encoding_speed
from explorer.settings import Settings
from explorer.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.corpus.scan.scanner import Count
    from explorer.models.files.catalog import CatalogEntry

_logger = logging.getLogger(__name__)

POINTS = 400  # of a map, on a thumbnail

# Letters that come out of a byte of a file, about; formats that are packed or carry pictures give fewer.
_TEXT_SHARE = {
    "plain": 1.0, "markdown": 1.0, "restructured": 1.0, "latex": 0.8, "html": 0.4, "notebook": 0.3, "subtitles": 0.6,
    "pdf": 0.05, "office": 0.3, "rtf": 0.3, "epub": 0.5, "mail": 0.6, "tables": 0.8,
}  # fmt: skip
_OTHER = "other"
_OPENING = 8.0  # seconds to open a model
_BYTES_PER_SECOND = (
    12_000  # of text that an idle core encodes with the bundled model, if nothing was measured
)
_BUSY = 3.0  # times as long on a busy machine
_GPU = 10.0  # times as fast with a graphics card
_MEASURED = (0.8, 1.6)  # range around the speed measured on this machine
_STORED = 5.6  # bytes of text and word index per byte of text
_PASSAGE, _DRAFT = 900, 512  # bytes of a passage, and of its draft vector


@dataclass(frozen=True)
class FolderPlan:
    """What reading a folder would take.

    Attributes:
        folder: The folder.
        known: Whether it has a workspace already; then nothing else is filled in.
        families: Files and bytes of each family of formats, most files first.
        files: Files that would be read.
        size: Their bytes.
        ignored: Files and folders that rules leave out.
        skipped: What cannot be opened.
        unsupported: Files of formats that are known and not read, by suffix.
        model: The model's name.
        seconds: About how long it takes at least, and on a busy machine.
        disk: Bytes that the workspace will take, about.
        free: Bytes that are free where it will lie.
        place: Where it will lie.
    """

    folder: Path
    known: bool = False
    families: tuple[tuple[str, Count], ...] = ()
    files: int = 0
    size: int = 0
    ignored: int = 0
    skipped: int = 0
    unsupported: tuple[tuple[str, int], ...] = ()
    model: str = ""
    seconds: tuple[float, float] = (0.0, 0.0)
    disk: int = 0
    free: int = 0
    place: Path = Path()


@dataclass(frozen=True, eq=False)
class RecentFolder:
    """A recent folder.

    Attributes:
        folder: The folder.
        there: Whether it is still there.
        documents: How many documents its workspace has; None if that is not known.
        points: (N, 2) places on its map between 0 and 1; None if it has none.
    """

    folder: Path
    there: bool
    documents: int | None = None
    points: NDArray[np.float32] | None = None


def plan(folder: Path, settings: Settings, task: Task) -> FolderPlan:
    """Return what reading a folder would take.

    Raises:
        ExplorerError: There is no such folder, or it cannot be opened.
        Cancelled: The task was cancelled.
    """
    from explorer.corpus.readers.registry import SUFFIXES, UNSUPPORTED
    from explorer.corpus.scan.scanner import preview
    from explorer.workspace.storage import database
    from explorer.workspace.storage.location import workspace_of

    if folder.is_dir() and (workspace_of(folder) / database.FILE).is_file():
        return FolderPlan(folder, known=True)
    counted = preview(folder, task)
    unsupported = tuple(
        (suffix, count.files) for suffix, count in counted.suffixes.items() if suffix in UNSUPPORTED
    )
    families = counted.families({"": "plain", **SUFFIXES}, _OTHER)
    ignored = sum(rule.files + rule.folders for rule in counted.ignored)
    model = _model(settings)
    text = text_bytes(families)
    place = workspace_of(folder).parent
    return FolderPlan(
        folder, False, tuple(families.items()), *counted.total, ignored, len(counted.skipped), unsupported,
        model.name, seconds(text, encoding_speed.work_of(model.path), settings), disk(text, model.dimension),
        _free(place), place,
    )  # fmt: skip


def recent(folder: Path) -> RecentFolder:
    """Return what is known of a recent folder."""
    from explorer.workspace.overview.map import kept_positions
    from explorer.workspace.storage import database
    from explorer.workspace.storage.location import workspace_of
    from explorer.workspace.workspace import open_workspace

    if not folder.is_dir():
        return RecentFolder(folder, there=False)
    where = workspace_of(folder)
    if not (where / database.FILE).is_file():
        return RecentFolder(folder, there=True)
    try:
        with open_workspace(where, writable=False) as workspace:
            documents = workspace.counts()["documents"]
    except (ExplorerError, sqlite3.Error, OSError):
        _logger.warning("%s cannot be opened for its thumbnail", where, exc_info=True)
        return RecentFolder(folder, there=True)
    return RecentFolder(folder, True, documents, _thumbnail(kept_positions(where)))


def recent_folders(folders: Sequence[Path], task: Task) -> list[RecentFolder]:
    """Return what is known of recent folders."""
    known = []
    for folder in folders:
        task.check()
        known.append(recent(folder))
    return known


def text_bytes(families: dict[str, Count]) -> float:
    """Estimate the bytes of text in files."""
    return sum(_TEXT_SHARE.get(family, 0.0) * count.size for family, count in families.items())


def seconds(text: float, work: float, settings: Settings) -> tuple[float, float]:
    """Estimate the seconds for an amount of text, given the cost of a token: at least, and on a busy machine."""
    measured = encoding_speed.known(settings)
    if measured is not None:
        usual = text / measured * work / encoding_speed.BUNDLED_WORK
        return _OPENING + usual * _MEASURED[0], _OPENING + usual * _MEASURED[1]
    cores = settings.threads or os.cpu_count() or 1
    speed = _BYTES_PER_SECOND * cores * (_GPU if settings.device in ("cuda", "mps") else 1.0)
    least = _OPENING + text / speed * work / encoding_speed.BUNDLED_WORK
    return least, least * _BUSY


def disk(text: float, dimension: int) -> int:
    """Estimate the size of a workspace, given the bytes of text."""
    return round(text * _STORED + text / _PASSAGE * (2 * dimension + _DRAFT))


def _model(settings: Settings) -> CatalogEntry:
    """Return the model that would be used; one with only a name if it is not in the catalog."""
    from explorer.models.files import catalog

    name = settings.model or catalog.BUNDLED
    entry = next((entry for entry in catalog.entries() if entry.name == name), None)
    return entry or catalog.CatalogEntry(name, "bi", "folder", Path(name), dimension=384)


def _free(place: Path) -> int:
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0


def _thumbnail(positions: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    """Return a sample of the positions, scaled to the unit square."""
    import numpy as np

    if positions is None or not len(positions):
        return None
    step = max(1, len(positions) // POINTS)
    few = positions[::step]
    low, high = np.percentile(few, [1, 99], axis=0)
    span = float(max((high - low).max(), 1e-6))
    placed: NDArray[np.float32] = ((few - (low + high) / 2) / span + 0.5).astype(np.float32)
    return placed.clip(0, 1)
