"""The first thing one sees: open a folder, go on with one, try the sample, and what all this is for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from explorer import paths
from explorer.services import folder_preview
from explorer.services.folder_preview import FolderPlan, RecentFolder
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import describe_error
from explorer.ui.panels.start.folder_plan_page import FolderPlanPage
from explorer.ui.panels.start.illustrations import Picture, draw_compare, draw_map, draw_search
from explorer.ui.panels.start.recent_row import RecentRow
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

WIDE = 760  # pixels of the column in the middle
SHOWN = 6  # folders opened before


class StartPage(Themed, QWidget):
    """Open or drop a folder; before it is read for the first time, what that means.

    Signals:
        open_requested: Open this folder: its Path.
        window_requested: Open this folder in a window of its own: its Path.
    """

    open_requested = Signal(object)
    window_requested = Signal(object)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions, self._runner = session, actions, actions.runner
        self._folder = Path()
        self.rows: list[RecentRow] = []
        self.setAcceptDrops(True)
        self.reading = FolderPlanPage()
        self.pages = QStackedWidget()
        self.pages.addWidget(_in_the_middle(self._welcome()))
        self.pages.addWidget(_in_the_middle(self.reading))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.pages)
        self.reading.agreed.connect(lambda: self.open_requested.emit(self._folder))
        self.reading.other.connect(self.choose)
        self.reading.left.connect(self._on_left)
        session.settings_changed.connect(self._on_settings_changed)
        session.folder_changed.connect(self._on_folder_changed)
        self._runner.changed.connect(self._on_jobs_changed)
        self._recent_title.hide()
        self.retranslate()
        self._on_settings_changed()

    def _welcome(self) -> QWidget:
        self._title, self._about, self._hint = plain_label(), plain_label(wrap=True), plain_label()
        self._title.setProperty("kind", "title")
        self._about.setProperty("kind", "faint")
        self._hint.setProperty("kind", "faint")
        self.open, self.sample = QPushButton(), QPushButton()
        self.open.setProperty("kind", "main")
        self.open.clicked.connect(self.choose)
        self.sample.clicked.connect(lambda: self.preview_folder(paths.resources() / "sample", ask=False))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for one in (self.open, self.sample, self._hint):
            buttons.addWidget(one)
        buttons.addStretch(1)
        self._recent_title = plain_label()
        self._recent_title.setProperty("kind", "faint")
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        page = QWidget()
        lines = QVBoxLayout(page)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(8)
        lines.addWidget(self._title)
        lines.addWidget(self._about)
        lines.addSpacing(8)
        lines.addLayout(buttons)
        lines.addSpacing(24)
        lines.addLayout(self._pictures())
        lines.addSpacing(24)
        lines.addWidget(self._recent_title)
        lines.addLayout(self._recent)
        lines.addStretch(1)
        return page

    def _pictures(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        self._captions = [plain_label(wrap=True) for _ in range(3)]
        for column, draw in enumerate((draw_map, draw_search, draw_compare)):
            caption = self._captions[column]
            caption.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            grid.addWidget(Picture(draw), 0, column)
            grid.addWidget(caption, 1, column)
            grid.setColumnStretch(column, 1)
        return grid

    # Choosing

    def choose(self) -> None:
        """Ask for a folder."""
        if found := self.asked_folder():
            self.preview_folder(Path(found))

    def asked_folder(self) -> str:
        """The folder that the user picks, beginning beside the open one, or where documents are; empty for none."""
        place, where = self._session.folder, QStandardPaths.StandardLocation
        usual = (
            QStandardPaths.writableLocation(one) for one in (where.DocumentsLocation, where.HomeLocation)
        )
        start = str(place.path.parent) if place else next((one for one in usual if Path(one).is_dir()), "")
        return QFileDialog.getExistingDirectory(self.window(), self.tr("Open a folder of texts"), start)

    def preview_folder(self, folder: Path, *, ask: bool = True) -> None:
        """Open a folder that is known; of a new one, tell first what reading it means, if `ask` says so."""
        if not ask:
            self.open_requested.emit(folder)
            return
        self._folder, settings = folder, self._session.settings
        self.reading.begin(folder.name or str(folder), str(folder))
        self.pages.setCurrentIndex(1)

        def done(found: FolderPlan) -> None:
            if found.known:
                self.pages.setCurrentIndex(0)
                self.open_requested.emit(folder)
            else:
                self.reading.show_plan(found)

        self._runner.start(
            "preview", lambda task: folder_preview.plan(folder, settings, task), done, quiet=True,
            failed=lambda error: self.reading.show_error(describe_error(error)),
        )  # fmt: skip

    def _on_left(self) -> None:
        self._runner.cancel("preview", notify=False)
        self.pages.setCurrentIndex(0)

    def _on_jobs_changed(self) -> None:
        if self.pages.currentIndex() == 1:
            for job in self._runner.jobs():
                if job.key == "preview" and job.progress is not None:
                    self.reading.show_progress(job.progress)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Folders and files may be dropped."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """A folder is looked through; for a file, the folder that it lies in."""
        dropped = next((url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()), "")
        if dropped:
            event.acceptProposedAction()
            path = Path(dropped)
            self.preview_folder(path if path.is_dir() else path.parent)

    # Folders opened before

    def _on_folder_changed(self) -> None:
        if self._session.folder is None:
            self._look_at_recent()  # on whichever page: another folder may be considered already
        else:
            self.pages.setCurrentIndex(0)

    def _on_settings_changed(self) -> None:
        folders = [Path(one) for one in self._session.settings.recent[:SHOWN]]
        if folders == [row.recent.folder for row in self.rows]:
            return
        for row in self.rows:
            row.deleteLater()
        self.rows = [self._row(folder) for folder in folders]
        self._recent_title.setVisible(bool(folders))
        self._look_at_recent()

    def _row(self, folder: Path) -> RecentRow:
        row = RecentRow(RecentFolder(folder, there=True))
        row.clicked.connect(lambda: self.preview_folder(folder, ask=row.recent.documents is None))
        row.forgotten.connect(lambda: self._forget(folder))
        row.apart.connect(lambda: self.window_requested.emit(folder))
        self._recent.addWidget(row)
        return row

    def _forget(self, folder: Path) -> None:
        settings = self._session.settings
        kept = tuple(one for one in settings.recent if Path(one) != folder)
        self._actions.change_settings(replace(settings, recent=kept))

    def _look_at_recent(self) -> None:
        """Fill in counts and maps; a disk that sleeps must not keep the page waiting."""
        folders = [row.recent.folder for row in self.rows]
        if not folders:
            return

        def done(found: list[RecentFolder]) -> None:
            known = {one.folder: one for one in found}
            for row in self.rows:
                if row.recent.folder in known:
                    row.show_recent(known[row.recent.folder])

        self._runner.start(
            "recent", lambda task: folder_preview.recent_folders(folders, task), done, quiet=True
        )

    # Words

    def retranslate(self) -> None:
        self._title.setText(self.tr("Document Similarity Explorer"))
        self._about.setText(
            self.tr("Explore and search a folder of texts by meaning. Everything runs on this computer.")
        )
        self._hint.setText(self.tr("or drop a folder here"))
        self._recent_title.setText(self.tr("Recent folders"))
        captions = (
            self.tr("See similar texts close together on a map."),
            self.tr("Search in your own words and find texts by meaning."),
            self.tr("Compare two texts side by side and see why they are similar."),
        )
        for label, text in zip(self._captions, captions, strict=True):
            label.setText(text)
        for button, word in (
            (self.open, self.tr("Open folder…")),
            (self.sample, self.tr("Try the sample")),
        ):
            button.setText(word)
            button.setAccessibleName(word)
        self.setAccessibleName(self.tr("Start page"))


def _in_the_middle(content: QWidget) -> QScrollArea:
    """Content as a column in the middle, which scrolls where the window is low."""
    content.setMaximumWidth(WIDE)
    inside = QWidget()
    row = QHBoxLayout(inside)
    row.setContentsMargins(24, 40, 24, 24)
    row.addStretch(1)
    row.addWidget(content, 100)
    row.addStretch(1)
    area = QScrollArea(widgetResizable=True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(inside)
    return area
