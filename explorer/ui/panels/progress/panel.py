"""One place for all background work: what goes on, how far it is, what came of it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import Notification
from explorer.ui.jobs.runner import JobState, Runner
from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.panels.progress import texts as words
from explorer.ui.panels.progress.rows import JobRow, Notice
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import plain_label, plain_tip
from explorer.ui.widgets.themed import Themed

KEPT = 30  # notices
SHOWN_AFTER = 300  # milliseconds; what is quicker does not flicker by in the tool bar
DIGITS = 32  # for which the tool bar has room
NOTICE = 4000  # milliseconds for which the tool bar says that something is done


def seen(runner: Runner) -> tuple[JobState, ...]:
    """The jobs that are large enough to be shown."""
    return tuple(job for job in runner.jobs() if not job.quiet and job.title)


class ProgressPanel(Panel):
    """All jobs, and below them what ended and what went wrong, the latest first."""

    name = "progress"
    exportable = False

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, actions.runner
        self.rows: dict[int, JobRow] = {}
        self.notices: list[Notice] = []
        self._rest = plain_label(wrap=True)
        self._rest.setProperty("kind", "faint")
        self._rest.setContentsMargins(8, 8, 8, 8)
        self.clear = QPushButton()
        self.clear.clicked.connect(self._on_clear)
        self._jobs, self._told, self._hairline = _column(), _column(), _hairline()
        inside = QWidget()
        lines = QVBoxLayout(inside)
        lines.setContentsMargins(0, 0, 0, 8)
        lines.setSpacing(0)
        lines.addWidget(self._rest)
        lines.addLayout(self._jobs)
        lines.addWidget(self._hairline)
        lines.addLayout(self._told)
        lines.addWidget(self.clear, 0, Qt.AlignmentFlag.AlignHCenter)
        lines.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)
        self._runner.changed.connect(self._on_jobs_changed)
        self._runner.finished.connect(self._on_finished)
        actions.notified.connect(self._on_told)
        self.retranslate()

    def _on_jobs_changed(self) -> None:
        jobs = {job.id: job for job in seen(self._runner)}
        for number in [number for number in self.rows if number not in jobs]:
            self.rows.pop(number).deleteLater()
        for number, job in jobs.items():
            if number in self.rows:
                self.rows[number].show_job(job)
            else:
                self.rows[number] = JobRow(job, self._runner)
                self._jobs.addWidget(self.rows[number])
        self._rest.setVisible(not jobs)

    def _on_finished(self, title: str) -> None:
        if title:
            self._add(Notification(self.tr("{title}: done.").format(title=title)), "faint")

    def _on_told(self, told: Notification) -> None:
        self._add(told, "error" if told.details else "")

    def _add(self, told: Notification, kind: str) -> None:
        notice = Notice(told, kind)
        self.notices.insert(0, notice)
        self._told.insertWidget(0, notice)
        for old in self.notices[KEPT:]:
            old.deleteLater()
        del self.notices[KEPT:]
        self._show_rest()

    def _show_rest(self) -> None:
        for one in (self.clear, self._hairline):
            one.setVisible(bool(self.notices))

    def _on_clear(self) -> None:
        for notice in self.notices:
            notice.deleteLater()
        self.notices.clear()
        self._show_rest()

    def title(self) -> str:
        return self.tr("Progress")

    def retranslate(self) -> None:
        self._rest.setText(self.tr("No tasks running. Background tasks appear here."))
        self.clear.setText(self.tr("Clear list"))
        self.clear.setAccessibleName(self.clear.text())
        self._show_rest()
        self._on_jobs_changed()

    def restyle(self) -> None:
        self._on_jobs_changed()


class ProgressLine(Themed, QWidget):
    """The foremost job in one line for the tool bar, with a way to stop it; empty when nothing goes on.

    Signals:
        details_requested: The line was clicked; the panel has the rest.
    """

    details_requested = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, actions.runner
        self._job: JobState | None = None
        self._text, self._kind, self._tip = "", "faint", ""
        self.label, self.stop = plain_label(), QToolButton()
        self.label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.label.setMinimumWidth(0)
        self.label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.stop.setIconSize(QSize(16, 16))
        self.stop.clicked.connect(self._on_stop)
        self._take_room()
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 4, 0)
        row.setSpacing(4)
        row.addWidget(self.label, 1)
        row.addWidget(self.stop)
        self._late = QTimer(self, singleShot=True, interval=SHOWN_AFTER)
        self._late.timeout.connect(self._on_late)
        self._gone = QTimer(self, singleShot=True, interval=NOTICE)
        self._gone.timeout.connect(lambda: self._say("", "faint"))
        self._runner.changed.connect(self._on_jobs_changed)
        self._runner.finished.connect(self._on_finished)
        actions.notified.connect(self._on_told)
        self.retranslate()
        self._say("", "faint")

    def _take_room(self) -> None:
        """A width for most sentences; the query box beside it must not jump with every word."""
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("0" * DIGITS) + 40)

    def _on_jobs_changed(self) -> None:
        """A job is shown once it has lasted a moment."""
        jobs = seen(self._runner)
        if not jobs:
            self._late.stop()
            if self._job is not None:
                self._job = None
                self._say("", "faint")
        elif self._job is not None:
            self._show_jobs(jobs)
        elif not self._late.isActive():
            self._late.start()

    def _on_late(self) -> None:
        if jobs := seen(self._runner):
            self._show_jobs(jobs)

    def _show_jobs(self, jobs: tuple[JobState, ...]) -> None:
        self._job = job = max(jobs, key=_weight)
        more = f" (+{len(jobs) - 1})" if len(jobs) > 1 else ""
        self._gone.stop()
        tip = "\n".join(f"{one.title}: {words.long(one)}" for one in jobs)
        self._say(words.short(job) + more, "faint", tip)
        self.stop.setEnabled(job.status != "stopping")

    def _on_finished(self, title: str) -> None:
        """Say so of work that was shown, when it was the last."""
        if title and self._job is not None and not seen(self._runner):
            self._job = None
            self._say(self.tr("{title}: done").format(title=title), "faint")
            self._gone.start()

    def _on_told(self, told: Notification) -> None:
        if self._job is None:
            self._say(told.sentence, "error" if told.details else "faint", told.sentence)
            if not told.details:
                self._gone.start()

    def _on_stop(self) -> None:
        if self._job is not None:
            self._runner.cancel(self._job.key)

    def _say(self, text: str, kind: str, tip: str = "") -> None:
        self._text, self._tip = text, tip
        if kind != self._kind or not self.label.property("kind"):
            self._kind = kind
            self.label.setProperty("kind", kind)
            self.label.style().polish(self.label)
        self._elide()
        self.label.setAccessibleName(text)
        self.setToolTip(plain_tip(tip))
        self.stop.setVisible(self._job is not None)
        self.setCursor(Qt.CursorShape.PointingHandCursor if text else Qt.CursorShape.ArrowCursor)

    def _elide(self) -> None:
        room = self.width() - 12 - (28 if self._job is not None else 0)
        self.label.setText(self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideMiddle, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Words fit the room."""
        super().resizeEvent(event)
        self._elide()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click asks for the whole story."""
        super().mouseReleaseEvent(event)
        if self._text and self.rect().contains(event.position().toPoint()):
            self.details_requested.emit()

    def retranslate(self) -> None:
        told = self.tr("Stop this task")
        self.stop.setIcon(theme.icon("close"))
        self.stop.setToolTip(told)
        self.stop.setAccessibleName(told)
        self.setAccessibleName(self.tr("Background tasks"))

    def restyle(self) -> None:
        self.retranslate()
        self._take_room()


def _weight(job: JobState) -> tuple[bool, bool, int]:
    """Which job is told first: one that runs, one whose end is known, the oldest."""
    known = job.progress is not None and job.progress.total > 0
    return (job.status == "running", known, -job.id)


def _column() -> QVBoxLayout:
    lines = QVBoxLayout()
    lines.setContentsMargins(0, 0, 0, 0)
    lines.setSpacing(0)
    return lines


def _hairline() -> QFrame:
    line = QFrame()
    line.setFixedHeight(1)
    line.setAutoFillBackground(True)
    line.setBackgroundRole(line.palette().ColorRole.Mid)
    return line
