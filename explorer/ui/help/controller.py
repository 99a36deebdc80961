"""The help of a window: manual, tour, keyboard shortcuts, about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSettings, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from explorer import paths
from explorer.ui.help.window import AboutDialog, HelpWindow, ShortcutsDialog
from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_label

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.menus import Menus

WIDTH, GAP = 320, 12


@dataclass(frozen=True, eq=False)
class TourStep:
    """A step of the tour: a part of the window, its title, what it is for, and its dock."""

    part: QWidget
    title: str
    text: str
    dock: str = ""


class Tour(QWidget):
    """A ring around a part of the window and a callout beside it; the window stays usable.

    Signals:
        ended: The tour was finished or closed.
    """

    ended = Signal()

    def __init__(self, window: MainWindow, steps: Sequence[TourStep]) -> None:
        super().__init__(window)
        self._window, self._steps, self._index = window, steps, -1
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.callout = _Callout(window)
        self.callout.next.clicked.connect(lambda: self.step_by(1))
        self.callout.back.clicked.connect(lambda: self.step_by(-1))
        self.callout.leave.clicked.connect(self.ended)
        self.destroyed.connect(self.callout.deleteLater)
        window.installEventFilter(self)

    @property
    def step(self) -> TourStep:
        """The current step."""
        return self._steps[self._index]

    def start(self) -> None:
        """Go to the first step."""
        self.show()
        self.step_by(1)

    def step_by(self, steps: int) -> None:
        """Go forward or back; after the last step the tour ends."""
        self._index = max(0, self._index + steps)
        if self._index >= len(self._steps):
            self.ended.emit()
            return
        if self.step.dock:
            self._window.docks.show(self.step.dock)
        self.callout.tell(self.step, self._index + 1, len(self._steps))
        self._lay()
        self.callout.show()
        self.callout.raise_()
        self.callout.next.setFocus()

    def _around(self) -> QRect:
        part = self.step.part
        return QRect(part.mapTo(self._window, QPoint(0, 0)), part.size())

    def _lay(self) -> None:
        """Place the ring, and the callout beside it, inside the window."""
        self.setGeometry(self._window.rect())
        self.raise_()
        part, box, room = self._around(), self.callout, self._window.rect().adjusted(8, 8, -8, -8)
        box.setFixedWidth(WIDTH)
        box.adjustSize()
        if part.right() + GAP + WIDTH <= room.right():
            corner = QPoint(part.right() + GAP, part.top())
        elif part.left() - GAP - WIDTH >= room.left():
            corner = QPoint(part.left() - GAP - WIDTH, part.top())
        elif part.bottom() + GAP + box.height() <= room.bottom():
            corner = QPoint(part.center().x() - WIDTH // 2, part.bottom() + GAP)
        else:
            corner = QPoint(part.center().x() - WIDTH // 2, part.center().y() - box.height() // 2)
        x = min(max(corner.x(), room.left()), room.right() - WIDTH)
        y = min(max(corner.y(), room.top()), room.bottom() - box.height())
        box.move(x, y)
        box.raise_()
        self.update()

    def hideEvent(self, event: QHideEvent) -> None:
        self.callout.hide()
        super().hideEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._index < 0:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.current().accent), 3))
        painter.drawRoundedRect(QRectF(self._around()).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6)
        painter.end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self._index >= 0 and self.isVisible():
            self._lay()
        return super().eventFilter(watched, event)


class _Callout(QFrame):
    """The text of a step, and buttons to go forward, back, and to close the tour."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.setAutoFillBackground(True)
        self._title, self._text, self._index = plain_label(), plain_label(wrap=True), plain_label()
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._index.setProperty("kind", "faint")
        self.next, self.back, self.leave = QPushButton(), QPushButton(), QPushButton()
        self.next.setProperty("kind", "main")
        row = QHBoxLayout()
        row.addWidget(self._index, 1)
        for button in (self.leave, self.back, self.next):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addLayout(row)

    def tell(self, step: TourStep, number: int, count: int) -> None:
        """Show a step."""
        self._title.setText(step.title)
        self._text.setText(step.text)
        self._index.setText(f"{number} / {count}")
        self.leave.setText(self.tr("End tour"))
        self.back.setText(self.tr("Back"))
        self.next.setText(self.tr("Next") if number < count else self.tr("Done"))
        self.back.setEnabled(number > 1)
        self.setAccessibleName(f"{step.title}. {step.text}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        buttons = {Qt.Key.Key_Escape: self.leave, Qt.Key.Key_Right: self.next, Qt.Key.Key_Left: self.back}
        button = buttons.get(Qt.Key(event.key()))
        if button is None:
            super().keyPressEvent(event)
        else:
            button.click()

    def event(self, event: QEvent) -> bool:
        """Esc is ours while the callout has the keyboard."""
        asked = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        if asked and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, look = QPainter(self), theme.current()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(look.accent))
        painter.setBrush(QColor(look.raised))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.end()
        super().paintEvent(event)


class HelpController(QObject):
    """The help of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._pages: HelpWindow | None = None
        self.tour: Tour | None = None
        self._offer, self._no = QToolButton(), QToolButton()
        for button in (self._offer, self._no):
            window.statusBar().addPermanentWidget(button)
            button.hide()
        self._offer.clicked.connect(self.take_tour)
        self._no.clicked.connect(self._refuse)
        window.session.map_changed.connect(self._on_map_changed)
        window.session.folder_changed.connect(self._on_folder_changed)
        window.installEventFilter(self)
        self._retranslate()

    def show(self, page: str = "") -> None:
        """Show the help, at a page if it is named."""
        if self._pages is None:
            self._pages = HelpWindow(self._window)
        if page:
            self._pages.show_page(page)
        self._pages.show()
        self._pages.raise_()
        self._pages.activateWindow()

    def show_keys(self, menus: Menus) -> None:
        """Show all keyboard shortcuts."""
        ShortcutsDialog(menus.actions(), self._window).open()

    def show_about(self) -> None:
        """Show version and licences."""
        AboutDialog(self._window.actions, self._window).open()

    # The tour

    def take_tour(self) -> None:
        """Start the tour of the window."""
        self._refuse()
        self.end_tour()
        self.tour = Tour(self._window, self._steps())
        self.tour.ended.connect(self.end_tour)
        self.tour.start()

    def end_tour(self) -> None:
        """End the tour."""
        if self.tour is not None:
            self.tour.deleteLater()
            self.tour.hide()
            self.tour = None

    def _steps(self) -> list[TourStep]:
        window, docks = self._window, self._window.docks
        return [
            TourStep(
                window.map,
                self.tr("The map"),
                self.tr(
                    "Each point is a document; similar documents are close together. Drag to pan, scroll to "
                    "zoom, hover to see a title, click to read."
                ),
                "map",
            ),
            TourStep(
                window.query,
                self.tr("Search"),
                self.tr(
                    "Type what you are looking for in your own words (press / to get here). Search goes by "
                    "meaning, not just by words. “Rerank” has the top results read again by a more accurate "
                    "model."
                ),
            ),
            TourStep(
                docks.documents,
                self.tr("Documents"),
                self.tr(
                    "All documents, those that were found, or those that you picked. J and K move down and up, "
                    "Space pages the reader, P picks, T tags."
                ),
                "documents",
            ),
            TourStep(
                docks.reader,
                self.tr("Reader"),
                self.tr(
                    "The current document, with the matching passage highlighted and the words that made it match."
                ),
                "reader",
            ),
            TourStep(
                docks.neighbours,
                self.tr("Similar documents"),
                self.tr(
                    "The documents most similar to the current one. Plus and minus steer the search; C "
                    "compares two documents side by side."
                ),
                "neighbours",
            ),
            TourStep(
                docks.clusters,
                self.tr("Clusters"),
                self.tr(
                    "The topics of the documents. The slider makes fewer or more clusters; click a cluster to "
                    "see only its documents, press F2 to rename it."
                ),
                "clusters",
            ),
            TourStep(
                window.menuBar(),
                self.tr("Everything else"),
                self.tr(
                    "Every action is in the menus and in the command palette: press Ctrl+K and type a few "
                    "letters. F1 opens the help."
                ),
            ),
        ]

    def _settings(self) -> QSettings:
        return QSettings(str(paths.config() / "window.ini"), QSettings.Format.IniFormat)

    def _on_map_changed(self) -> None:
        """Offer the tour once, when the first map is complete."""
        layout = self._window.session.map_layout
        if layout is not None and not layout.drawing and self._settings().value("toured") is None:
            self._offer.show()
            self._no.show()

    def _on_folder_changed(self) -> None:
        self.end_tour()
        self._offer.hide()
        self._no.hide()

    def _refuse(self) -> None:
        self._settings().setValue("toured", "yes")
        self._offer.hide()
        self._no.hide()

    def _retranslate(self) -> None:
        self._offer.setText(self.tr("New here? Take the tour"))
        self._no.setText(self.tr("No, thanks"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        return super().eventFilter(watched, event)
