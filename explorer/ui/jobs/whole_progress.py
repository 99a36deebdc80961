"""One progress for reading, encoding, grouping and drawing a folder: one percentage, one time left, one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from explorer.ui.jobs.runner import JobState
from explorer.workspace.workspace import UpdatePhase

# Where each part of the whole begins and ends, in per cent; encoding takes most of the time of a new folder.
PARTS: dict[object, tuple[float, float]] = {
    UpdatePhase.READ: (0, 12),
    UpdatePhase.SPLIT: (12, 16),
    UpdatePhase.DRAFT: (16, 22),
    UpdatePhase.ENCODE: (22, 92),
    UpdatePhase.LINK: (92, 94),
    "clusters": (94, 97),
    "map": (97, 100),
}
KEYS = ("update", "clusters", "map")  # the jobs that follow each other


@dataclass(frozen=True)
class WholeProgress:
    """How far the work on a folder is.

    Attributes:
        key: The job that is running.
        percent: Of the whole; None while that is not known.
        seconds_left: To the end of encoding, after which little is left; None while that is not known.
        words: What is going on.
        stopping: Whether the user has stopped it.
    """

    key: str
    percent: int | None
    seconds_left: float | None
    words: str
    stopping: bool = False


class WholeProgressMeter:
    """Adds up the jobs of a folder; the percentage never goes back while they follow each other."""

    def __init__(self) -> None:
        self._percent = 0.0
        self._began_with_update = False
        self._stopped = False  # the update, by the user

    def measure(self, jobs: Iterable[JobState]) -> WholeProgress | None:
        """Return the progress of the whole; None if no job belongs to it."""
        mine = {job.key: job for job in jobs if job.key in KEYS}
        key = next((key for key in KEYS if key in mine), None)
        if key is None:
            self._percent, self._began_with_update, self._stopped = 0.0, False, False
            return None
        job = mine[key]
        if key != "update" and self._stopped:  # what is there is grouped and drawn: a whole of its own, not the end
            self._percent, self._began_with_update, self._stopped = 0.0, False, False
        self._stopped |= key == "update" and job.status == "stopping"
        self._began_with_update |= key == "update"
        progress = job.progress
        part: object = key if key != "update" else progress.phase if progress is not None else None
        share = progress.done / progress.total if progress is not None and progress.total else 0.0
        begin, end = PARTS.get(part, (0.0, 0.0))
        if not self._began_with_update:  # only grouped and drawn again
            begin, end = (begin - 94) * 100 / 6, (end - 94) * 100 / 6
        self._percent = max(self._percent, begin + (end - begin) * share)
        known = part in PARTS and self._percent > 0
        left = progress.seconds_left if progress is not None and part is UpdatePhase.ENCODE else None
        percent = min(99, int(self._percent)) if known else None
        return WholeProgress(key, percent, left, _words(part), job.status == "stopping")


def _words(part: object) -> str:
    translate = QCoreApplication.translate
    match part:
        case UpdatePhase.READ:
            return translate("progress", "reading the files")
        case UpdatePhase.SPLIT:
            return translate("progress", "preparing the texts")
        case UpdatePhase.DRAFT:
            return translate("progress", "making a first draft")
        case UpdatePhase.ENCODE:
            return translate("progress", "reading for meaning")
        case UpdatePhase.LINK:
            return translate("progress", "linking similar documents")
        case "clusters":
            return translate("progress", "grouping the documents")
        case "map":
            return translate("progress", "drawing the map")
    return translate("progress", "looking through the folder")


def rough_time(seconds: float) -> str:
    """Return a time as people say it: "4 min", "2 h 10 min"."""
    translate, minutes = QCoreApplication.translate, max(1, round(seconds / 60))
    if seconds < 50:
        return translate("progress", "less than 1 min")
    if minutes < 60:
        return translate("progress", "{minutes} min").format(minutes=minutes)
    text = translate("progress", "{hours} h {minutes} min")
    return text.format(hours=minutes // 60, minutes=minutes % 60)
