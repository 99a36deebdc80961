"""What reading a new folder takes: which files, which model, how much time and disk space."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QProgressBar, QPushButton, QWidget

from explorer.services.folder_preview import FolderPlan
from explorer.task import Progress
from explorer.ui.jobs.messages import Notification
from explorer.ui.widgets.layouts import column, container, row
from explorer.ui.widgets.placeholder import plain_label, set_kind
from explorer.ui.widgets.themed import Themed

_MAX_NAMES = 5  # of formats and suffixes


class FolderPlanPage(Themed, QWidget):
    """Describes a folder that the user is about to open.

    Signals:
        agreed: The folder is to be read.
        other: The user wants to choose another folder.
        left: The user goes back.
    """

    agreed = Signal()
    other = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: FolderPlan | None = None
        self.title, self.where = plain_label(kind="title"), plain_label(wrap=True, kind="faint")
        self.state = plain_label(wrap=True)
        self.line = QProgressBar(textVisible=False)
        self.names = [plain_label(kind="faint") for _ in range(4)]
        self.values = [plain_label(wrap=True) for _ in range(4)]
        self.notes = [plain_label(wrap=True, kind="faint") for _ in range(4)]
        self.table = container(self._grid())
        self.go, self.another, self.back = QPushButton(), QPushButton(), QPushButton()
        self.go.setProperty("kind", "main")
        self.go.clicked.connect(self.agreed)
        self.another.clicked.connect(self.other)
        self.back.clicked.connect(self.left)
        head, buttons = (
            (self.title, self.where, self.line, self.state),
            row(self.go, self.another, self.back, None),
        )
        column(*head, self.table, 8, buttons, None, parent=self, spacing=8)
        self.retranslate()

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for index, (name, value, note) in enumerate(zip(self.names, self.values, self.notes, strict=True)):
            grid.addWidget(name, 3 * index, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, 3 * index, 1)
            grid.addWidget(note, 3 * index + 1, 1)
            grid.setRowMinimumHeight(3 * index + 2, 8)
        return grid

    def begin(self, name: str, where: str) -> None:
        """Show that a folder is being scanned."""
        self.title.setText(name)
        self.where.setText(where)
        self._show(plan=None, state=self.tr("Scanning the folder"), busy=True)

    def show_progress(self, progress: Progress) -> None:
        """Show how many files were found so far."""
        self.state.setText(self.tr("Scanning the folder: %Ln file(s)", "", progress.done))

    def show_error(self, error: Notification) -> None:
        """Show why the folder cannot be scanned."""
        self._show(plan=None, state=error.sentence, busy=False, kind="error")

    def show_plan(self, plan: FolderPlan) -> None:
        """Show what will be read."""
        empty = self.tr("This folder has no files that can be read. Choose another one.")
        self._show(plan=plan if plan.files else None, state="" if plan.files else empty, busy=False)
        if plan.files:
            self.go.setFocus()

    def _show(self, *, plan: FolderPlan | None, state: str, busy: bool, kind: str = "faint") -> None:
        self._plan = plan
        self.line.setVisible(busy)
        self.line.setRange(0, 0)
        self.state.setText(state)
        self.state.setVisible(bool(state))
        set_kind(self.state, kind)
        self.table.setVisible(plan is not None)
        self.go.setVisible(plan is not None)
        if plan is not None:
            self._fill(plan)

    def _fill(self, plan: FolderPlan) -> None:
        count = self.tr("%Ln file(s), {size}", "", plan.files).format(size=_size(plan.size))
        values = (count, plan.model, self._time(plan), self.tr("about {size}").format(size=_size(plan.disk)))
        tight = plan.disk > 0.8 * plan.free
        enough, little = self.tr("in {place}; {free} available"), self.tr("only {free} available in {place}")
        disk = (little if tight else enough).format(place=plan.place, free=_size(plan.free))
        notes = (
            self._kinds(plan),
            self.tr("Runs on this computer; nothing is sent anywhere."),
            self.tr("A rough estimate. You can explore and search in the meantime, and stop at any time."),
            disk,
        )
        for label, text in zip((*self.values, *self.notes), (*values, *notes), strict=True):
            label.setText(text)
        set_kind(self.notes[3], "stale" if tight else "faint")

    def _kinds(self, plan: FolderPlan) -> str:
        """Return the formats, and what is left out."""
        names = self._families()
        families = [f"{names.get(key, key)} {count.files:,}" for key, count in plan.families[:_MAX_NAMES]]
        lines = [" · ".join(families)]
        if plan.unsupported:
            kinds = ", ".join(f"{suffix} {count:,}" for suffix, count in plan.unsupported[:_MAX_NAMES])
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
        for button, text in (
            (self.go, self.tr("Read this folder")),
            (self.another, self.tr("Choose another folder…")),
            (self.back, self.tr("Back")),
        ):
            button.setText(text)
            button.setAccessibleName(text)
        self.line.setAccessibleName(self.tr("Scanning the folder"))
        if self._plan is not None:
            self._fill(self._plan)


def _size(count: int) -> str:
    digits = 0 if count < 10**6 else 1
    return QLocale().formattedDataSize(count, digits, QLocale.DataSizeFormat.DataSizeTraditionalFormat)
