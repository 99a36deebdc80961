"""How background work is told: what it does, how far it is and how long it will take, in a few words."""

from __future__ import annotations

import math

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from explorer.task import Progress
from explorer.ui.jobs import JobState

# What the rooms below say of their work, for the translators.
_NOTES = (
    QT_TRANSLATE_NOOP("progress", "opening the model"), QT_TRANSLATE_NOOP("progress", "looking for files"),
    QT_TRANSLATE_NOOP("progress", "Looking through the folder"), QT_TRANSLATE_NOOP("progress", "Taking fingerprints"),
    QT_TRANSLATE_NOOP("progress", "reading"), QT_TRANSLATE_NOOP("progress", "cutting into passages"),
    QT_TRANSLATE_NOOP("progress", "sketching"), QT_TRANSLATE_NOOP("progress", "encoding"),
    QT_TRANSLATE_NOOP("progress", "comparing"), QT_TRANSLATE_NOOP("progress", "graph"),
    QT_TRANSLATE_NOOP("progress", "clusters"), QT_TRANSLATE_NOOP("progress", "levels of clusters"),
    QT_TRANSLATE_NOOP("progress", "stability of clusters"), QT_TRANSLATE_NOOP("progress", "reading words"),
    QT_TRANSLATE_NOOP("progress", "drawing the map"), QT_TRANSLATE_NOOP("progress", "checking the map"),
    QT_TRANSLATE_NOOP("progress", "preparing the search"), QT_TRANSLATE_NOOP("progress", "building the search index"),
    QT_TRANSLATE_NOOP("progress", "searching"), QT_TRANSLATE_NOOP("progress", "explaining"),
    QT_TRANSLATE_NOOP("progress", "aligning"), QT_TRANSLATE_NOOP("progress", "looking for similar pairs"),
    QT_TRANSLATE_NOOP("progress", "making the index of words anew"),
)  # fmt: skip


def note(text: str) -> str:
    """What a room says of its work, in the user's language; as it is where there is no word for it."""
    return QCoreApplication.translate("progress", text) if text else ""


def time_left(seconds: float) -> str:
    """A time as minutes and seconds, or with hours before: "1:10", "2:03:00".

    Example:
        >>> time_left(69.4), time_left(7380)
        ('1:10', '2:03:00')
    """
    whole = math.ceil(max(0.0, seconds))
    hours, minutes, left = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def share(progress: Progress | None) -> str:
    """How far it is in per cent; empty where that is not known.

    Never 100 before the end.
    """
    if progress is None or progress.total <= 0:
        return ""
    return f"{min(99, 100 * progress.done // progress.total)} %"


def short(job: JobState) -> str:
    """One line for the tool bar: "encoding 62 % 1:10"."""
    progress = job.progress
    if job.status == "stopping":
        return f"{job.title}: {_tr('stopping')}"
    what = note(progress.note) if progress and progress.note else job.title
    left = progress.seconds_left if progress else None
    parts = (what, share(progress), "" if left is None else time_left(left))
    return " ".join(part for part in parts if part)


def long(job: JobState) -> str:
    """What stands below a job's title: what it does now, how far it is, how long it will take."""
    if job.status == "stopping":
        return _tr("stopping")
    if job.status == "waiting":
        return _tr("waiting for other work")
    progress = job.progress
    if progress is None:
        return _tr("beginning")
    count = f"{progress.done:,} / {progress.total:,}" if progress.total else ""
    left = progress.seconds_left
    told = "" if left is None else _tr("{time} left").format(time=time_left(left))
    return " · ".join(part for part in (note(progress.note), share(progress), count, told) if part)


def _tr(text: str) -> str:
    return QCoreApplication.translate("progress", text)
