"""A folder that was opened before, as a row of the start page: a small map, its name, its place, how much it holds."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from explorer import palette
from explorer.services.folder_preview import RecentFolder
from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.themed import Themed

_MAP = QSize(64, 44)
_PAD = 8


class RecentRow(Themed, QAbstractButton):
    """A folder to open again with a click or Enter, or to forget with Delete.

    Signals:
        forgotten: The user wants it off the list.
        apart: It is to be opened in a window of its own.
    """

    forgotten = Signal()
    apart = Signal()

    def __init__(self, recent: RecentFolder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recent = recent
        self.setEnabled(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setToolTip(plain_tip(str(recent.folder)))
        self.retranslate()

    def show_recent(self, recent: RecentFolder) -> None:
        """Show what is known of it now."""
        self.recent = recent
        self.retranslate()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the map, or for two lines of text."""
        return QSize(320, max(_MAP.height(), 2 * self.fontMetrics().height() + 4) + 2 * _PAD)

    def minimumSizeHint(self) -> QSize:
        """As high as ever, as narrow as need be."""
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw the row."""
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
        self._draw_map(
            painter, QRect(_PAD, (self.height() - _MAP.height()) // 2, _MAP.width(), _MAP.height())
        )
        self._draw_words(painter, self.rect().adjusted(_MAP.width() + 2 * _PAD + 4, _PAD, -_PAD, -_PAD))
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
            painter.drawEllipse(
                QPointF(room.left() + x * room.width(), room.bottom() - y * room.height()), 1.1, 1.1
            )

    def _draw_words(self, painter: QPainter, room: QRect) -> None:
        look, metrics = theme.current(), self.fontMetrics()
        count_wide = metrics.horizontalAdvance(self._count) + 12 if self._count else 0
        top = QRect(room.left(), room.center().y() - metrics.height() - 1, room.width(), metrics.height())
        below = top.translated(0, metrics.height() + 3)
        there = self.recent.there
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(QColor(look.ink if there else look.faint))
        name = self.recent.folder.name or str(self.recent.folder)
        painter.drawText(
            top.adjusted(0, 0, -count_wide, 0), _LEFT, _cut(painter, name, top.width() - count_wide)
        )
        painter.setFont(self.font())
        painter.setPen(QColor(look.faint))
        painter.drawText(top, _RIGHT, self._count)
        where = metrics.elidedText(
            str(self.recent.folder.parent), Qt.TextElideMode.ElideMiddle, below.width()
        )
        painter.drawText(below, _LEFT, where)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens as Space does; Delete forgets."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_Delete:
            self.forgotten.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open it, or take it off the list."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Open")).triggered.connect(self.click)
        menu.addAction(self.tr("Open in a new window")).triggered.connect(self.apart)
        menu.addAction(self.tr("Remove from list")).triggered.connect(self.forgotten)
        menu.popup(event.globalPos())

    def retranslate(self) -> None:
        known = self.recent
        self._count = ""
        if not known.there:
            self._count = self.tr("not available")
        elif known.documents is not None:
            self._count = self.tr("%Ln document(s)", "", known.documents)
        self.setAccessibleName(f"{known.folder.name}, {self._count}".rstrip(", "))
        self.setAccessibleDescription(str(known.folder))


_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _cut(painter: QPainter, text: str, wide: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, wide)
