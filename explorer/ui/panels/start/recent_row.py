"""A recent folder as a row of the start page: a small map, its name and path, and its number of documents."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from explorer import palette
from explorer.services.folder_preview import RecentFolder
from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import LEFT, RIGHT
from explorer.ui.widgets.themed import Themed

_MAP = QSize(64, 44)
_PAD = 8


class RecentRow(Themed, QAbstractButton):
    """A folder to open with a click or Enter, or to remove from the list with Delete.

    Signals:
        forgotten: It is to be removed from the list.
        window_requested: It is to be opened in a new window.
    """

    forgotten = Signal()
    window_requested = Signal()

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
        painter.setBrush(QColor(look.ground))
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
        painter.setPen(QColor(look.ink if self.recent.there else look.faint))
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
