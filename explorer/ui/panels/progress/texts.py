"""How background work is told: what it does, how far it is and how long it will take, in a few words."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from explorer.task import Progress
from explorer.ui.jobs.runner import JobState
from explorer.ui.look.language import translated


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
    percent = min(99, 100 * progress.done // progress.total)
    return QCoreApplication.translate("progress", "{percent} %").format(percent=percent)


def short(job: JobState) -> str:
    """One line for the tool bar: "encoding 62 % 1:10"."""
    progress = job.progress
    if job.status == "stopping":
        return f"{job.title}: {QCoreApplication.translate('progress', 'stopping')}"
    what = translated(progress.note) if progress and progress.note else job.title
    left = progress.seconds_left if progress else None
    parts = (what, share(progress), "" if left is None else time_left(left))
    return " ".join(part for part in parts if part)


def long(job: JobState) -> str:
    """What stands below a job's title: what it does now, how far it is, how long it will take."""
    if job.status == "stopping":
        return QCoreApplication.translate("progress", "stopping")
    if job.status == "waiting":
        return QCoreApplication.translate("progress", "waiting for other tasks")
    progress = job.progress
    if progress is None:
        return QCoreApplication.translate("progress", "starting")
    count = f"{progress.done:,} / {progress.total:,}" if progress.total else ""
    left = progress.seconds_left
    more = QCoreApplication.translate("progress", "{time} left")
    rest = "" if left is None else more.format(time=time_left(left))
    return " · ".join(part for part in (translated(progress.note), share(progress), count, rest) if part)
