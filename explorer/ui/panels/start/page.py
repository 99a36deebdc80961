"""The start page: open a folder, a recent one or the sample, and what the program does."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from string import Template

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, QStandardPaths, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFileDialog,
    QGridLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from explorer import palette, paths
from explorer.services import folder_preview
from explorer.services.folder_preview import FolderPlan, PlanChoices, RecentFolder
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import describe_error
from explorer.ui.look import theme
from explorer.ui.panels.start.folder_plan_page import FolderPlanPage
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import column, container, row
from explorer.ui.widgets.placeholder import plain_label, plain_tip
from explorer.ui.widgets.row_table import LEFT, RIGHT
from explorer.ui.widgets.themed import Themed

MAX_WIDTH = 760  # pixels of the column in the middle
MAX_RECENT = 6  # folders
_ILLUSTRATION = QSize(216, 120)  # the size that the illustrations are drawn for


class StartPage(Themed, QWidget):
    """Opens folders; before one is read for the first time, shows what that takes.

    Signals:
        open_requested: Open this folder: its Path.
        window_requested: Open this folder in a new window: its Path.
        delete_requested: Delete the workspace of this folder: its Path.
    """

    open_requested = Signal(object)
    window_requested = Signal(object)
    delete_requested = Signal(object)

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
        self.reading.agreed.connect(self._on_agreed)
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
        for index, (name, caption) in enumerate(zip(("map", "search", "compare"), self._captions, strict=True)):
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
        start = str(folder.path.parent) if folder else next((path for path in usual if Path(path).is_dir()), "")
        return QFileDialog.getExistingDirectory(self.window(), self.tr("Open a folder of texts"), start)

    def asked_file(self) -> str:
        """Return the file that the user picks in a dialog; empty if it is cancelled."""
        folder = self._session.folder
        texts = self.tr("Tables, mailboxes and texts")
        endings = " ".join(f"*{suffix}" for suffix in ALONE)
        filters = f"{texts} ({endings});;{self.tr('All files')} (*)"
        start = str(folder.path) if folder else ""
        return QFileDialog.getOpenFileName(self.window(), self.tr("Open a file"), start, filters)[0]

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
            "preview",
            lambda task: folder_preview.plan(folder, settings, task),
            done,
            worker="list",
            quiet=True,
            failed=lambda error: self.reading.show_error(describe_error(error)),
        )

    def _on_agreed(self) -> None:
        """Open the folder, after noting what the user chose for it."""
        folder, choices = self._folder, self.reading.choices()
        if choices == PlanChoices():
            self.open_requested.emit(folder)
            return
        self._runner.start(
            "prepare",
            lambda _: folder_preview.prepare(folder, choices),
            lambda _: self.open_requested.emit(folder),
            quiet=True,
            failed=lambda error: self.reading.show_error(describe_error(error)),
        )

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
            self.preview_folder(Path(dropped))

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
        item.delete_requested.connect(lambda: self.delete_requested.emit(folder))
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

        self._runner.start("recent", lambda task: folder_preview.recent_folders(folders, task), done, quiet=True)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Document Similarity Explorer"))
        self._about.setText(
            self.tr("Explore and search a folder of texts by meaning. Everything runs on this computer.")
        )
        self._hint.setText(self.tr("or drop a folder or a file here"))
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


ALONE = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".mbox", ".eml", ".txt", ".epub", ".pdf", ".docx")
_MAP = QSize(64, 44)
_PAD = 8


class RecentRow(Themed, QAbstractButton):
    """A folder to open with a click or Enter, or to remove from the list with Delete.

    Signals:
        forgotten: It is to be removed from the list.
        window_requested: It is to be opened in a new window.
        delete_requested: Its workspace is to be deleted.
    """

    forgotten = Signal()
    window_requested = Signal()
    delete_requested = Signal()

    def __init__(self, recent: RecentFolder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recent = recent
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(plain_tip(str(recent.folder)))
        self.retranslate()

    def show_recent(self, recent: RecentFolder) -> None:
        """Show what has become known of the folder."""
        self.recent = recent
        self.retranslate()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, max(_MAP.height(), 2 * self.fontMetrics().height() + 4) + 2 * _PAD)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        look, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = self.rect().adjusted(0, 0, -1, -1)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.chosen if self.isDown() else look.raised))
            painter.drawRoundedRect(inside, 4, 4)
        if self.hasFocus():
            painter.setPen(QPen(QColor(look.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(inside).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        top = (self.height() - _MAP.height()) // 2
        self._draw_map(painter, QRect(_PAD, top, _MAP.width(), _MAP.height()))
        self._draw_texts(painter, self.rect().adjusted(_MAP.width() + 2 * _PAD + 4, _PAD, -_PAD, -_PAD))
        painter.end()

    def _draw_map(self, painter: QPainter, frame: QRect) -> None:
        look = theme.current()
        painter.setPen(QPen(QColor(look.hairline), 1))
        painter.setBrush(QColor(look.background))
        painter.drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        points = self.recent.points
        if points is None:
            theme.icon("folder", look.faint).paint(painter, frame.adjusted(20, 10, -20, -10))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.accent if self.recent.there else palette.CONTEXT[look.dark]))
        room = QRectF(frame).adjusted(6, 5, -6, -5)
        for x, y in points.tolist():
            point = QPointF(room.left() + x * room.width(), room.bottom() - y * room.height())
            painter.drawEllipse(point, 1.1, 1.1)

    def _draw_texts(self, painter: QPainter, room: QRect) -> None:
        look, metrics = theme.current(), self.fontMetrics()
        count = metrics.horizontalAdvance(self._count) + 12 if self._count else 0
        top = QRect(room.left(), room.center().y() - metrics.height() - 1, room.width(), metrics.height())
        below = top.translated(0, metrics.height() + 3)
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(look.foreground if self.recent.there else look.faint))
        folder, right, middle = self.recent.folder, Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideMiddle
        name = painter.fontMetrics().elidedText(folder.name or str(folder), right, top.width() - count)
        painter.drawText(top, LEFT, name)
        painter.setFont(self.font())
        painter.setPen(QColor(look.faint))
        painter.drawText(top, RIGHT, self._count)
        painter.drawText(below, LEFT, metrics.elidedText(str(folder.parent), middle, below.width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_Delete:
            self.forgotten.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Open")).triggered.connect(self.click)
        menu.addAction(self.tr("Open in a new window")).triggered.connect(self.window_requested)
        menu.addAction(self.tr("Remove from list")).triggered.connect(self.forgotten)
        if self.recent.documents is not None:
            menu.addAction(self.tr("Delete workspace…")).triggered.connect(self.delete_requested)
        menu.popup(event.globalPos())

    def retranslate(self) -> None:
        recent = self.recent
        self._count = ""
        if not recent.there:
            self._count = self.tr("not available")
        elif recent.documents is not None:
            self._count = self.tr("%Ln document(s)", "", recent.documents)
        self.setAccessibleName(f"{recent.folder.name}, {self._count}".rstrip(", "))
        self.setAccessibleDescription(str(recent.folder))
