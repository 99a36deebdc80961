"""Background work: what is running, how far it is, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QMessageBox, QPlainTextEdit, QProgressBar, QPushButton, QScrollArea, QSizePolicy, QWidget

from explorer.task import Progress
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import Notification
from explorer.ui.jobs.runner import ASKED, JobState, Runner
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import column, container, hairline, row, tool_button
from explorer.ui.widgets.placeholder import plain_label, plain_tip, set_kind
from explorer.ui.widgets.row_table import RIGHT
from explorer.ui.widgets.themed import Themed
from explorer.workspace.workspace import UpdatePhase

MAX_NOTICES = 30
LONG = 600  # seconds of work left from which on stopping it is asked about
SHOWN_AFTER = 300  # milliseconds; quicker jobs would only flicker in the tool bar
# Width of the tool bar's text in digits, by the pixels of the window from which on it has so much: number and time
# first, then the words too, since a narrow window needs the room for the query.
DIGITS = {0: 17, 1240: 24, 1600: 46}
NOTICE = 4000  # milliseconds for which the tool bar shows that something is done
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


def visible_jobs(runner: Runner) -> tuple[JobState, ...]:
    """Return the jobs that are large enough to be shown."""
    return tuple(job for job in runner.jobs() if not job.quiet and job.title)


def time_left(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours if needed: "1:10", "2:03:00".

    Example:
        >>> time_left(69.4), time_left(7380)
        ('1:10', '2:03:00')
    """
    whole = math.ceil(max(0.0, seconds))
    hours, minutes, left = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def share(progress: Progress | None) -> str:
    """Return the progress in per cent, at most 99 until the end; empty if it is not known."""
    if progress is None or progress.total <= 0:
        return ""
    percent = min(99, 100 * progress.done // progress.total)
    return QCoreApplication.translate("progress", "{percent} %").format(percent=percent)


def short_texts(job: JobState) -> tuple[str, ...]:
    """Return a line for the tool bar, and shorter ones for where it does not fit: "encoding 62 % 1:10", "62 % 1:10"."""
    progress = job.progress
    if job.status == "stopping":
        stopping = QCoreApplication.translate("progress", "stopping")
        return f"{job.title}: {stopping}", stopping
    what = translated(progress.note) if progress and progress.note else job.title
    left = progress.seconds_left if progress else None
    numbers = " ".join(filter(None, (share(progress), "" if left is None else time_left(left))))
    return tuple(filter(None, (f"{what} {numbers}".strip(), numbers)))


def long_text(job: JobState) -> str:
    """Return the details of a job: what it is doing, how far it is, how long it will take."""
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


class ProgressPanel(Panel):
    """All jobs, and below them what has ended or failed, latest first."""

    name = "progress"
    exportable = False

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._runner = actions.runner
        self.rows: dict[int, JobRow] = {}
        self.notices: list[Notice] = []
        self._idle = plain_label(wrap=True, kind="faint")
        self._idle.setContentsMargins(8, 8, 8, 8)
        self.clear = QPushButton()
        self.clear.clicked.connect(self._on_clear)
        self._jobs, self._notices, self._hairline = column(), column(), hairline()
        clear = row(None, self.clear, None)
        lines = column(self._idle, self._jobs, self._hairline, self._notices, clear, None, margins=(0, 0, 0, 8))
        area = QScrollArea(widgetResizable=True)
        area.setWidget(container(lines))
        column(area, parent=self)
        self._runner.changed.connect(self._on_jobs_changed)
        self._runner.finished.connect(self._on_finished)
        actions.notified.connect(self._on_message)
        self.retranslate()

    def _on_jobs_changed(self) -> None:
        jobs = {job.id: job for job in visible_jobs(self._runner)}
        for ended in self.rows.keys() - jobs.keys():
            self.rows.pop(ended).deleteLater()
        for job_id, job in jobs.items():
            if job_id in self.rows:
                self.rows[job_id].show_job(job)
            else:
                self.rows[job_id] = JobRow(job, self._runner)
                self._jobs.addWidget(self.rows[job_id])
        self._idle.setVisible(not jobs)

    def _on_finished(self, title: str) -> None:
        if title:
            self._add(Notification(self.tr("{title}: done.").format(title=title)), "faint")

    def _on_message(self, message: Notification) -> None:
        self._add(message, "error" if message.details else "")

    def _add(self, message: Notification, kind: str) -> None:
        notice = Notice(message, kind)
        self.notices.insert(0, notice)
        self._notices.insertWidget(0, notice)
        self._trim(MAX_NOTICES)

    def _trim(self, count: int) -> None:
        for old in self.notices[count:]:
            old.deleteLater()
        del self.notices[count:]
        for part in (self.clear, self._hairline):
            part.setVisible(bool(self.notices))

    def _on_clear(self) -> None:
        self._trim(0)

    def title(self) -> str:
        return self.tr("Progress")

    def retranslate(self) -> None:
        self._idle.setText(self.tr("No tasks running. Background tasks appear here."))
        self.clear.setText(self.tr("Clear list"))
        self.clear.setAccessibleName(self.clear.text())
        self._trim(MAX_NOTICES)
        self._on_jobs_changed()

    def restyle(self) -> None:
        self._on_jobs_changed()


class ProgressLine(Themed, QWidget):
    """The most important job as a line of the tool bar, with a button to stop it; empty when idle.

    Signals:
        details_requested: The line was clicked.
    """

    details_requested = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, actions.runner
        self._job: JobState | None = None
        self._meter, self._whole = WholeProgressMeter(), cast("WholeProgress | None", None)
        self._texts: tuple[str, ...] = ("",)  # the same text, ever shorter
        self._digits = DIGITS[0]
        self.label, self.stop = plain_label(), tool_button()
        self.label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.label.setMinimumWidth(0)
        self.label.setAlignment(RIGHT)
        self.stop.clicked.connect(self._on_stop)
        self._set_width()
        row((self.label, 1), self.stop, parent=self, margins=(8, 0, 4, 0), spacing=4)
        self._delay = QTimer(self, singleShot=True, interval=SHOWN_AFTER)
        self._delay.timeout.connect(self._on_delayed)
        self._expiry = QTimer(self, singleShot=True, interval=NOTICE)
        self._expiry.timeout.connect(lambda: self._show_text("", "faint"))
        self._runner.changed.connect(self._on_jobs_changed)
        self._runner.finished.connect(self._on_finished)
        actions.notified.connect(self._on_message)
        self.retranslate()
        self._show_text("", "faint")

    def _set_width(self) -> None:
        """Reserve a fixed width, so that the query box beside it does not jump with every text."""
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("0" * self._digits) + 40)

    def set_room(self, width: int) -> None:
        """Take the room that a window of some pixels has for it."""
        digits = max(digits for least, digits in DIGITS.items() if width >= least)
        if digits != self._digits:
            self._digits = digits
            self._set_width()

    def _on_jobs_changed(self) -> None:
        jobs = visible_jobs(self._runner)
        if not jobs:
            self._delay.stop()
            if self._job is not None:
                self._job = None
                self._show_text("", "faint")
        elif self._job is not None:
            self._show_jobs(jobs)
        elif not self._delay.isActive():
            self._delay.start()

    def _on_delayed(self) -> None:
        if jobs := visible_jobs(self._runner):
            self._show_jobs(jobs)

    def _show_jobs(self, jobs: tuple[JobState, ...]) -> None:
        self._expiry.stop()
        self._whole = whole = self._meter.measure(jobs)
        self._job = job = max(jobs, key=_importance)
        tip = "\n".join(f"{item.title}: {long_text(item)}" for item in jobs)
        if whole is None or job.key not in KEYS:  # what a person has asked for comes first
            self._show_text(short_texts(job), "faint", tip)
            self.stop.setEnabled(job.status != "stopping")
            return
        self._job = next(item for item in jobs if item.key == whole.key)
        percent = "" if whole.percent is None else self.tr("{percent} %").format(percent=whole.percent)
        left = "" if whole.seconds_left is None else rough_time(whole.seconds_left)
        words = QCoreApplication.translate("progress", "stopping") if whole.stopping else whole.words
        numbers = () if whole.stopping else tuple(filter(None, (percent, left)))
        texts = (" · ".join((*numbers, words)), " · ".join(numbers) or words, percent or words)
        self._show_text(texts, "faint", tip)
        self.stop.setEnabled(not whole.stopping)

    def _on_finished(self, title: str) -> None:
        if title and self._job is not None and not visible_jobs(self._runner):
            self._job = None
            self._show_text(self.tr("{title}: done").format(title=title), "faint")
            self._expiry.start()

    def _on_message(self, message: Notification) -> None:
        if self._job is None and not message.choices:  # those with a choice are a notice of their own
            self._show_text(message.sentence, "error" if message.details else "faint", message.sentence)
            if not message.details:
                self._expiry.start()

    def _on_stop(self) -> None:
        """Stop the task; ask first if that puts off what would take long."""
        left = self._whole.seconds_left if self._whole is not None else None
        if self._job is None:
            return
        if self._job.key != "update" or left is None or left < LONG:
            self._runner.cancel(self._job.key)
            return
        question = QMessageBox(self.window())
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setIcon(QMessageBox.Icon.Question)
        question.setText(self.tr("Stop reading the folder? {time} are left.").format(time=rough_time(left)))
        question.setInformativeText(
            self.tr(
                "What is finished is kept. Until you choose Resume, the rest is searched by keywords and draft vectors."
            )
        )
        stop = question.addButton(self.tr("Stop"), QMessageBox.ButtonRole.AcceptRole)
        question.addButton(self.tr("Go on"), QMessageBox.ButtonRole.RejectRole)
        stop.clicked.connect(lambda: self._runner.cancel("update"))
        question.open()

    def _show_text(self, text: str | tuple[str, ...], kind: str, tip: str = "") -> None:
        """Show the longest of some texts that fits."""
        self._texts = (text,) if isinstance(text, str) else text
        set_kind(self.label, kind)
        self._fit_text()
        text = self._texts[0]
        self.label.setAccessibleName(text)
        self.setToolTip(plain_tip(tip))
        self.stop.setVisible(self._job is not None)
        self.setCursor(Qt.CursorShape.PointingHandCursor if text else Qt.CursorShape.ArrowCursor)

    def _fit_text(self) -> None:
        room, metrics = self.width() - 12 - (28 if self._job is not None else 0), self.label.fontMetrics()
        text = next((text for text in self._texts if metrics.horizontalAdvance(text) <= room), self._texts[-1])
        self.label.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_text()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self._texts[0] and self.rect().contains(event.position().toPoint()):
            self.details_requested.emit()

    def retranslate(self) -> None:
        text = self.tr("Stop this task")
        self.stop.setIcon(theme.icon("close"))
        self.stop.setToolTip(text)
        self.stop.setAccessibleName(text)
        self.setAccessibleName(self.tr("Background tasks"))

    def restyle(self) -> None:
        self.retranslate()
        self._set_width()


def _importance(job: JobState) -> tuple[bool, bool, bool, int]:
    """Prefer running jobs, then what a person has asked for, then those with a known end, then the oldest."""
    known = job.progress is not None and job.progress.total > 0
    return (job.status == "running", job.worker in ASKED, known, -job.id)


class JobRow(QWidget):
    """A job: its title, its progress, and a button to stop it."""

    def __init__(self, job: JobState, runner: Runner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job = job
        self.title, self.detail = plain_label(), plain_label(wrap=True, kind="faint")
        self.bar = QProgressBar(textVisible=False)
        self.stop = tool_button()
        self.stop.clicked.connect(lambda: runner.cancel(self._job.key))
        texts = column(self.title, self.bar, self.detail, spacing=4)
        row((texts, 1), column(self.stop, None), parent=self, margins=8)
        self.show_job(job)

    def show_job(self, job: JobState) -> None:
        """Show the current state of the job."""
        self._job = job
        progress = job.progress
        known = progress is not None and progress.total > 0
        waiting = job.status == "waiting"
        self.bar.setRange(0, progress.total if progress and known else 1 if waiting else 0)
        self.bar.setValue(progress.done if progress and known else 0)
        self.title.setText(job.title)
        self.detail.setText(long_text(job))
        self.stop.setEnabled(job.status != "stopping")
        self.stop.setIcon(theme.icon("stop"))
        text = self.tr("Stop: {title}").format(title=job.title)
        self.stop.setToolTip(plain_tip(text))
        self.stop.setAccessibleName(text)
        self.bar.setAccessibleName(job.title)


class Notice(Themed, QWidget):
    """Something that ended or failed: a sentence, details on demand, and a button to copy them."""

    def __init__(self, message: Notification, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._message = message
        self.sentence = plain_label(message.sentence, wrap=True, kind=kind)
        self.sentence.setText(message.sentence)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more, self.copy = QPushButton(self), QPushButton(self)
        self.more.setCheckable(True)
        self.details: QPlainTextEdit | None = None
        self.more.toggled.connect(self._on_more)
        self.copy.clicked.connect(self._on_copy)
        for button in (self.more, self.copy):
            button.setVisible(bool(message.details))
        self._lines = column(self.sentence, parent=self, margins=8, spacing=8)
        if message.details:
            self._lines.addLayout(row(self.more, self.copy, None))
        self.retranslate()

    def _on_more(self, on: bool) -> None:
        if self.details is None:
            self.details = QPlainTextEdit(self._message.details, self, readOnly=True)
            self.details.setMaximumHeight(160)
            self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            self._lines.addWidget(self.details)
            self.retranslate()
        self.details.setVisible(on)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._message.sentence}\n\n{self._message.details}")

    def retranslate(self) -> None:
        for button, text in ((self.more, self.tr("Details")), (self.copy, self.tr("Copy"))):
            button.setText(text)
            button.setAccessibleName(text)
        if self.details is not None:
            self.details.setAccessibleName(self.tr("Error details"))


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
