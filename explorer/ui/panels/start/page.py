"""The start page: open a folder, a recent one or the sample, and what the program does."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from string import Template

from PySide6.QtCore import QRectF, QSize, QStandardPaths, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from explorer import palette, paths
from explorer.services import folder_preview
from explorer.services.folder_preview import FolderPlan, RecentFolder
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import describe_error
from explorer.ui.look import theme
from explorer.ui.panels.start.folder_plan_page import FolderPlanPage
from explorer.ui.panels.start.recent_row import RecentRow
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import column, container, row
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

MAX_WIDTH = 760  # pixels of the column in the middle
MAX_RECENT = 6  # folders
_ILLUSTRATION = QSize(216, 120)  # the size that the illustrations are drawn for


class StartPage(Themed, QWidget):
    """Opens folders; before one is read for the first time, shows what that takes.

    Signals:
        open_requested: Open this folder: its Path.
        window_requested: Open this folder in a new window: its Path.
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
        self.pages.addWidget(_centred(self._welcome()))
        self.pages.addWidget(_centred(self.reading))
        column(self.pages, parent=self)
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
        self._title, self._about = plain_label(kind="title"), plain_label(wrap=True, kind="faint")
        self._hint, self._recent_title = plain_label(kind="faint"), plain_label(kind="faint")
        self.open, self.sample = QPushButton(), QPushButton()
        self.open.setProperty("kind", "main")
        self.open.clicked.connect(self.choose)
        self.sample.clicked.connect(lambda: self.preview_folder(paths.resources() / "sample", ask=False))
        self._recent = column()
        buttons, recent = row(self.open, self.sample, self._hint, None), (self._recent_title, self._recent)
        text, pictures = (self._title, self._about), self._illustrations()
        return container(column(*text, 8, buttons, 24, pictures, 24, *recent, None, spacing=8))

    def _illustrations(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        self._captions = [plain_label(wrap=True) for _ in range(3)]
        for index, (name, caption) in enumerate(
            zip(("map", "search", "compare"), self._captions, strict=True)
        ):
            caption.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            grid.addWidget(Illustration(name), 0, index)
            grid.addWidget(caption, 1, index)
            grid.setColumnStretch(index, 1)
        return grid

    def choose(self) -> None:
        """Ask for a folder."""
        if folder := self.asked_folder():
            self.preview_folder(Path(folder))

    def asked_folder(self) -> str:
        """Return the folder that the user picks in a dialog; empty if it is cancelled."""
        folder, location = self._session.folder, QStandardPaths.StandardLocation
        usual = map(QStandardPaths.writableLocation, (location.DocumentsLocation, location.HomeLocation))
        start = (
            str(folder.path.parent) if folder else next((path for path in usual if Path(path).is_dir()), "")
        )
        return QFileDialog.getExistingDirectory(self.window(), self.tr("Open a folder of texts"), start)

    def preview_folder(self, folder: Path, *, ask: bool = True) -> None:
        """Open a folder; before a new one, show what reading it takes, unless `ask` is False."""
        if not ask:
            self.open_requested.emit(folder)
            return
        self._folder, settings = folder, self._session.settings
        self.reading.begin(folder.name or str(folder), str(folder))
        self.pages.setCurrentIndex(1)

        def done(plan: FolderPlan) -> None:
            if plan.known:
                self.pages.setCurrentIndex(0)
                self.open_requested.emit(folder)
            else:
                self.reading.show_plan(plan)

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
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        dropped = next((url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()), "")
        if dropped:
            event.acceptProposedAction()
            path = Path(dropped)
            self.preview_folder(path if path.is_dir() else path.parent)

    # Recent folders

    def _on_folder_changed(self) -> None:
        if self._session.folder is None:
            self._load_recent()  # on either page: another folder may be in preview already
        else:
            self.pages.setCurrentIndex(0)

    def _on_settings_changed(self) -> None:
        folders = [Path(path) for path in self._session.settings.recent[:MAX_RECENT]]
        if folders == [item.recent.folder for item in self.rows]:
            return
        for item in self.rows:
            item.deleteLater()
        self.rows = [self._add_recent(folder) for folder in folders]
        self._recent_title.setVisible(bool(folders))
        self._load_recent()

    def _add_recent(self, folder: Path) -> RecentRow:
        item = RecentRow(RecentFolder(folder, there=True))
        item.clicked.connect(lambda: self.preview_folder(folder, ask=item.recent.documents is None))
        item.forgotten.connect(lambda: self._forget(folder))
        item.window_requested.connect(lambda: self.window_requested.emit(folder))
        self._recent.addWidget(item)
        return item

    def _forget(self, folder: Path) -> None:
        settings = self._session.settings
        recent = tuple(path for path in settings.recent if Path(path) != folder)
        self._actions.change_settings(replace(settings, recent=recent))

    def _load_recent(self) -> None:
        """Fill in counts and maps in the background: a disk may have to spin up first."""
        folders = [item.recent.folder for item in self.rows]
        if not folders:
            return

        def done(results: list[RecentFolder]) -> None:
            known = {recent.folder: recent for recent in results}
            for item in self.rows:
                if item.recent.folder in known:
                    item.show_recent(known[item.recent.folder])

        self._runner.start(
            "recent", lambda task: folder_preview.recent_folders(folders, task), done, quiet=True
        )

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
        for button, text in ((self.open, self.tr("Open folder…")), (self.sample, self.tr("Try the sample"))):
            button.setText(text)
            button.setAccessibleName(text)
        self.setAccessibleName(self.tr("Start page"))


class Illustration(QWidget):
    """An SVG drawing of resources/illustrations; `$accent` and the like in it are the colours of the theme."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        path = paths.resources() / "illustrations" / f"{name}.svg"
        self._drawing = Template(path.read_text("utf-8"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumSize(140, _ILLUSTRATION.height())

    def sizeHint(self) -> QSize:
        return _ILLUSTRATION

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        from PySide6.QtSvg import QSvgRenderer

        look = theme.current()
        clusters = palette.qualitative(4, dark=look.dark)
        colours = asdict(look) | {f"cluster{index}": colour for index, colour in enumerate(clusters)}
        drawing = self._drawing.substitute(colours, context=palette.CONTEXT[look.dark])
        scale = min(self.width() / _ILLUSTRATION.width(), self.height() / _ILLUSTRATION.height(), 1.0)
        size = _ILLUSTRATION.toSizeF() * scale
        left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        QSvgRenderer(drawing.encode()).render(painter, QRectF(left, top, size.width(), size.height()))
        painter.end()


def _centred(content: QWidget) -> QScrollArea:
    """Return content as a column in the middle, which scrolls in a low window."""
    content.setMaximumWidth(MAX_WIDTH)
    area = QScrollArea(widgetResizable=True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(container(row(None, (content, 100), None, margins=(24, 40, 24, 24))))
    return area
