"""The rows of the progress panel: a job that goes on, and a notice of what came of one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.ui.jobs.messages import Notification
from explorer.ui.jobs.runner import JobState, Runner
from explorer.ui.look import theme
from explorer.ui.panels.progress import texts as words
from explorer.ui.widgets.placeholder import plain_label, plain_tip
from explorer.ui.widgets.themed import Themed


class JobRow(QWidget):
    """One job: its title, how far it is, and a way to stop it."""

    def __init__(self, job: JobState, runner: Runner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job = job
        self.title, self.detail = plain_label(), plain_label(wrap=True)
        self.detail.setProperty("kind", "faint")
        self.bar = QProgressBar(textVisible=False)
        self.stop = QToolButton()
        self.stop.setIconSize(QSize(16, 16))
        self.stop.clicked.connect(lambda: runner.cancel(self._job.key))
        texts = QVBoxLayout()
        texts.setSpacing(4)
        for one in (self.title, self.bar, self.detail):
            texts.addWidget(one)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(8)
        row.addLayout(texts, 1)
        row.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignTop)
        self.show_job(job)

    def show_job(self, job: JobState) -> None:
        """Show how far it is now."""
        self._job = job
        progress = job.progress
        known = progress is not None and progress.total > 0
        waiting = job.status == "waiting"
        self.bar.setRange(0, progress.total if progress and known else 1 if waiting else 0)
        self.bar.setValue(progress.done if progress and known else 0)
        self.title.setText(job.title)
        self.detail.setText(words.long(job))
        self.stop.setEnabled(job.status != "stopping")
        self.stop.setIcon(theme.icon("stop"))
        told = self.tr("Stop: {title}").format(title=job.title)
        self.stop.setToolTip(plain_tip(told))
        self.stop.setAccessibleName(told)
        self.bar.setAccessibleName(job.title)


class Notice(Themed, QWidget):
    """Something that ended or went wrong: a sentence, details on demand, a way to copy them."""

    def __init__(self, told: Notification, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told = told
        self.sentence = plain_label(told.sentence, wrap=True)
        self.sentence.setText(told.sentence)
        self.sentence.setProperty("kind", kind)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more, self.copy = QPushButton(self), QPushButton(self)
        self.more.setCheckable(True)
        self.details: QPlainTextEdit | None = None
        self.more.toggled.connect(self._on_more)
        self.copy.clicked.connect(self._on_copy)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.more, self.copy):
            button.setVisible(bool(told.details))
            buttons.addWidget(button)
        buttons.addStretch(1)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(8, 8, 8, 8)
        lines.setSpacing(8)
        lines.addWidget(self.sentence)
        if told.details:
            lines.addLayout(buttons)
        self._lines = lines
        self.retranslate()

    def _on_more(self, on: bool) -> None:
        if self.details is None:
            self.details = QPlainTextEdit(self._told.details, self, readOnly=True)
            self.details.setMaximumHeight(160)
            self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            self._lines.addWidget(self.details)
            self.retranslate()
        self.details.setVisible(on)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._told.sentence}\n\n{self._told.details}")

    def retranslate(self) -> None:
        for button, word in ((self.more, self.tr("Details")), (self.copy, self.tr("Copy"))):
            button.setText(word)
            button.setAccessibleName(word)
        if self.details is not None:
            self.details.setAccessibleName(self.tr("Error details"))
