"""What will be read, with which model, how long it takes and how much disk: shown before a folder is opened."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from explorer.services.folder_preview import FolderPlan
from explorer.task import Progress
from explorer.ui.jobs.messages import Notification
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

_SHOWN = 5  # families of formats and suffixes that are named


class FolderPlanPage(Themed, QWidget):
    """A folder that the user is about to open.

    Signals:
        agreed: Read it.
        other: Choose another folder.
        left: Go back.
    """

    agreed = Signal()
    other = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: FolderPlan | None = None
        self.title, self.where, self.state = plain_label(), plain_label(wrap=True), plain_label(wrap=True)
        self.title.setProperty("kind", "title")
        self.where.setProperty("kind", "faint")
        self.line = QProgressBar(textVisible=False)
        self.names = [plain_label() for _ in range(4)]
        self.values = [plain_label(wrap=True) for _ in range(4)]
        self.notes = [plain_label(wrap=True) for _ in range(4)]
        self.table = self._table()
        self.go, self.another, self.back = QPushButton(), QPushButton(), QPushButton()
        self.go.setProperty("kind", "main")
        self.go.clicked.connect(self.agreed)
        self.another.clicked.connect(self.other)
        self.back.clicked.connect(self.left)
        lines = QVBoxLayout(self)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(8)
        for one in (self.title, self.where, self.line, self.state):
            lines.addWidget(one)
        lines.addWidget(self.table)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.go, self.another, self.back):
            buttons.addWidget(button)
        buttons.addStretch(1)
        lines.addSpacing(8)
        lines.addLayout(buttons)
        lines.addStretch(1)
        self.retranslate()

    def _table(self) -> QWidget:
        table = QWidget()
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, value, note) in enumerate(zip(self.names, self.values, self.notes, strict=True)):
            for label in (name, note):
                label.setProperty("kind", "faint")
            grid.addWidget(name, 3 * row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, 3 * row, 1)
            grid.addWidget(note, 3 * row + 1, 1)
            grid.setRowMinimumHeight(3 * row + 2, 8)
        return table

    def begin(self, name: str, where: str) -> None:
        """Say that the folder is being looked through."""
        self.title.setText(name)
        self.where.setText(where)
        self._show(plan=None, told=self.tr("Scanning the folder"), busy=True)

    def show_progress(self, progress: Progress) -> None:
        """How many files were found so far."""
        self.state.setText(self.tr("Scanning the folder: %Ln file(s)", "", progress.done))

    def show_error(self, told: Notification) -> None:
        """Say why it cannot be looked through."""
        self._show(plan=None, told=told.sentence, busy=False, kind="error")

    def show_plan(self, plan: FolderPlan) -> None:
        """What will be read."""
        told = "" if plan.files else self.tr("This folder has no files that can be read. Choose another one.")
        self._show(plan=plan if plan.files else None, told=told, busy=False)
        if plan.files:
            self.go.setFocus()

    def _show(self, *, plan: FolderPlan | None, told: str, busy: bool, kind: str = "faint") -> None:
        self._plan = plan
        self.line.setVisible(busy)
        self.line.setRange(0, 0)
        self.state.setText(told)
        self.state.setVisible(bool(told))
        _set_kind(self.state, kind)
        self.table.setVisible(plan is not None)
        self.go.setVisible(plan is not None)
        if plan is not None:
            self._fill(plan)

    def _fill(self, plan: FolderPlan) -> None:
        count = self.tr("%Ln file(s), {size}", "", plan.files).format(size=_size(plan.size))
        values = (count, plan.model, self._time(plan), self.tr("about {size}").format(size=_size(plan.disk)))
        place = self.tr("in {place}; {free} available").format(place=plan.place, free=_size(plan.free))
        tight = plan.disk > 0.8 * plan.free
        if tight:
            place = self.tr("only {free} available in {place}").format(
                place=plan.place, free=_size(plan.free)
            )
        notes = (
            self._kinds(plan),
            self.tr("Runs on this computer; nothing is sent anywhere."),
            self.tr("A rough estimate. You can explore and search in the meantime, and stop at any time."),
            place,
        )
        for label, text in zip((*self.values, *self.notes), (*values, *notes), strict=True):
            label.setText(text)
        _set_kind(self.notes[3], "stale" if tight else "faint")

    def _kinds(self, plan: FolderPlan) -> str:
        """Which formats, and what is left out."""
        words = self._families()
        told = [f"{words.get(name, name)} {count.files:,}" for name, count in plan.families[:_SHOWN]]
        lines = [" · ".join(told)]
        if plan.unsupported:
            kinds = ", ".join(f"{suffix} {count:,}" for suffix, count in plan.unsupported[:_SHOWN])
            lines.append(self.tr("Not read: {kinds}. See Problems for the reasons.").format(kinds=kinds))
        if plan.ignored:
            lines.append(self.tr("Excluded by rules: {count}").format(count=f"{plan.ignored:,}"))
        if plan.skipped:
            lines.append(self.tr("Cannot be opened: {count}").format(count=f"{plan.skipped:,}"))
        return "\n".join(lines)

    def _families(self) -> dict[str, str]:
        return {
            "plain": self.tr("Plain text"), "markdown": "Markdown", "restructured": "reStructuredText", "html": "HTML",
            "latex": "LaTeX", "notebook": self.tr("Notebooks"), "subtitles": self.tr("Subtitles"), "pdf": "PDF",
            "office": self.tr("Word-processor documents"), "rtf": "RTF", "epub": "EPUB", "mail": self.tr("Email"),
            "tables": self.tr("Tables"), "other": self.tr("Other"),
        }  # fmt: skip

    def _time(self, plan: FolderPlan) -> str:
        least, most = plan.seconds
        if most < 60:
            return self.tr("less than a minute")
        if most < 2 * 3600:
            low, high = max(1, round(least / 60)), max(2, round(most / 60))
            return self.tr("{low} to {high} minutes").format(low=low, high=high)
        low, high = max(1, round(least / 3600)), max(2, round(most / 3600))
        return self.tr("{low} to {high} hours").format(low=low, high=high)

    def retranslate(self) -> None:
        names = (self.tr("Files to read"), self.tr("Model"), self.tr("Time"), self.tr("Disk"))
        for label, text in zip(self.names, names, strict=True):
            label.setText(text)
        for button, word in (
            (self.go, self.tr("Read this folder")),
            (self.another, self.tr("Choose another folder…")),
            (self.back, self.tr("Back")),
        ):
            button.setText(word)
            button.setAccessibleName(word)
        self.line.setAccessibleName(self.tr("Scanning the folder"))
        if self._plan is not None:
            self._fill(self._plan)


def _set_kind(label: QLabel, kind: str) -> None:
    """The style sheet looks at a property only when it is told to."""
    if label.property("kind") != kind:
        label.setProperty("kind", kind)
        label.style().unpolish(label)
        label.style().polish(label)


def _size(count: int) -> str:
    digits = 0 if count < 10**6 else 1
    return QLocale().formattedDataSize(count, digits, QLocale.DataSizeFormat.DataSizeTraditionalFormat)
