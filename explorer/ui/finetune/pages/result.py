"""The page of the result: gains, losses and changed neighbours; keep, use or discard the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QItemSelection, QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from explorer.services.finetuning import map_comparison
from explorer.services.finetuning.map_comparison import MapComparison
from explorer.task import Task
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.finetune import texts
from explorer.ui.finetune.pages.map_comparison import MapComparisonView
from explorer.ui.finetune.texts import FEW
from explorer.ui.finetune.training_controller import TrainingController
from explorer.ui.look import theme
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.services.finetuning.run import FinishedTraining
    from explorer.training.measure.bootstrap import MetricChange
    from explorer.training.measure.compare_models import Example


TABS = ("measures", "map", "neighbours", "examples")
KEY = "map before and after"


class ResultPage(Themed, QWidget):
    """The result of a run.

    Attributes:
        tabs: Measures, both maps, neighbours, examples.

    Signals:
        guard_requested: Train again, more gently.
    """

    guard_requested = Signal()

    def __init__(
        self, session: Session, actions: Controllers, trainer: TrainingController, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._actions, self._trainer = session, actions, trainer
        self._shown: FinishedTraining | None = None
        self.verdict, self.gain, self.loss = (plain_label(wrap=True) for _ in range(3))
        self.verdict.setProperty("kind", "title")
        self.guard = QPushButton()
        self.guard.clicked.connect(self.guard_requested)
        self.tabs = QTabBar(drawBase=False, expanding=False)
        self.pages = QStackedWidget()
        self.own, self.general, self.notes = MeasureTable(), MeasureTable(), plain_label(wrap=True)
        self.notes.setProperty("kind", "faint")
        self.maps, self.neighbours, self.examples = (
            MapComparisonView(session),
            ChangedNeighbours(session),
            ExampleTables(),
        )
        self.map_stage, self.near_stage = ContentStack(self.maps), ContentStack(self.neighbours)
        for stage in (self.map_stage, self.near_stage):
            stage.retried.connect(self._compare)
        for page in (self._measures(), self.map_stage, self.near_stage, self.examples):
            self.tabs.addTab("")
            self.pages.addWidget(page)
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        self._lay_out()
        self.retranslate()

    def _measures(self) -> QWidget:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(16)
        for part in (self.own, self.general, self.notes):
            column.addWidget(part)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        return area

    def _lay_out(self) -> None:
        lost = QHBoxLayout()
        lost.setSpacing(12)
        lost.addWidget(self.loss, 1)
        lost.addWidget(self.guard, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 0)
        column.setSpacing(8)
        column.addWidget(self.verdict)
        column.addWidget(self.gain)
        column.addLayout(lost)
        column.addWidget(self.tabs)
        column.addWidget(self.pages, 1)

    def show_result(self) -> None:
        """Show the result of the controller."""
        finished = self._trainer.finished
        if finished is None or finished is self._shown:
            return
        self._shown = finished
        self.tabs.setCurrentIndex(0)
        self._show()
        self._compare()

    def _show(self) -> None:
        finished = self._shown
        if finished is None:
            return
        comparison = finished.comparison
        self.verdict.setText(texts.headline(finished))
        self.gain.setText(texts.gained(finished))
        lost, much = texts.lost(finished)
        self.loss.setText(lost)
        self.loss.setVisible(bool(lost))
        self.guard.setVisible(much)
        self.own.show_changes(comparison.rows, self.tr("On your test examples"))
        self.own.setVisible(bool(comparison.rows))
        self.general.show_changes(comparison.general, self.tr("General benchmark"))
        self.general.setVisible(bool(comparison.general))
        self.notes.setText(texts.notes(finished))
        self.examples.show_examples(comparison.best, comparison.worst)
        self.tabs.setTabEnabled(TABS.index("examples"), bool(comparison.best or comparison.worst))

    def _compare(self) -> None:
        """Draw both maps in the background."""
        finished, request, layout = self._shown, self._trainer.request, self._session.map_layout
        if finished is None or request is None:
            return
        stages = (self.map_stage, self.near_stage)
        if request.workspace is None or request.recipe.kind != "bi" or len(finished.documents) < 3:
            for stage in stages:
                stage.show_empty(self.tr("Open a folder to compare its documents before and after training."))
            return
        known = None if layout is None or layout.drawing else (layout.documents, layout.positions)
        folder, documents = finished.trained.folder.path, finished.documents
        for stage in stages:
            stage.show_content()
            stage.set_busy(True)

        def work(task: Task) -> map_comparison.MapComparison | None:
            return map_comparison.compare(request, folder, documents, known, task)

        self._actions.runner.start(
            KEY,
            work,
            self._show_comparison,
            worker="training",
            title=self.tr("Drawing the maps before and after"),
            failed=self._on_failed,
            stopped=lambda: self._show_comparison(None),
        )

    def _show_comparison(self, comparison: map_comparison.MapComparison | None) -> None:
        for stage in (self.map_stage, self.near_stage):
            stage.set_busy(False)
            if comparison is None:
                stage.show_empty(self.tr("There is no map for this training run."))
        if comparison is not None:
            self.maps.show_comparison(comparison)
            self.neighbours.show_comparison(comparison)
            if comparison.kept_share.min() == 1:
                self.near_stage.show_empty(self.tr("Every document has the same neighbours as before."))

    def _on_failed(self, error: BaseException) -> None:
        for stage in (self.map_stage, self.near_stage):
            stage.set_busy(False)
            stage.show_error(error)

    def retranslate(self) -> None:
        names = (
            self.tr("Metrics"),
            self.tr("Map before and after"),
            self.tr("Changed neighbours"),
            self.tr("Examples"),
        )
        for index, name in enumerate(names):
            self.tabs.setTabText(index, name)
        self.guard.setText(self.tr("Train again, more gently…"))
        self.guard.setToolTip(self.tr("With the guard on and the weights averaged with the base model."))
        self._show()


_LINE = 4  # the column in which the interval is drawn
_WIDTH = 150  # pixels of it
_WIDTHS = {1: 76, 2: 76, 3: 84, _LINE: _WIDTH, 5: 170}


class MeasureTable(Themed, RowTable):
    """One metric per row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._changes: tuple[MetricChange, ...] = ()
        self._lines = _MeasureLines(self)
        self.setItemDelegateForColumn(_LINE, self._lines)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(RowTable.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_changes(self, changes: Sequence[MetricChange], name: str) -> None:
        """Show the changes of metrics."""
        self._changes = tuple(changes)
        self.setAccessibleName(name)
        names = (
            name,
            self.tr("Before"),
            self.tr("After"),
            self.tr("Change"),
            self.tr("95 % interval"),
            self.tr("Verdict"),
        )
        self.show_rows(names, [self._row(change) for change in self._changes], wide=(0,), numbers=(1, 2, 3))
        self._lines.show_changes(self._changes)
        for column, width in _WIDTHS.items():  # tables one below the other have their columns below each other
            self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, width)
        height = self.horizontalHeader().sizeHint().height() + len(changes) * self.verticalHeader().defaultSectionSize()
        self.setFixedHeight(height + 2)

    def _row(self, change: MetricChange) -> tuple[str, ...]:
        spread = change.difference
        return (
            texts.measure(change.measure),
            f"{change.before.value:.3f}",
            f"{change.after.value:.3f}",
            f"{spread.value:+.3f}",
            f"{spread.low:+.3f} … {spread.high:+.3f}",
            texts.verdict(change.verdict, change.count < FEW, spread.low == spread.high == 0),
        )

    def restyle(self) -> None:
        self.viewport().update()


class _MeasureLines(QStyledItemDelegate):
    """Draws the interval of a change, with a line at zero."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._changes: tuple[MetricChange, ...] = ()
        self._reach = 0.01

    def show_changes(self, changes: tuple[MetricChange, ...]) -> None:
        """Show intervals on one scale."""
        self._changes = changes
        ends = [abs(end) for item in changes for end in (item.difference.low, item.difference.high)]
        self._reach = max([0.01, *(end for end in ends if end == end)])

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(_WIDTH, super().sizeHint(option, index).height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        change, look = self._changes[index.row()], theme.current()
        box = QRectF(option.rect).adjusted(12, 0, -12, 0)
        middle, y = box.center().x(), box.center().y()
        per = box.width() / 2 / self._reach
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(look.hairline))
        painter.drawLine(QPointF(middle, box.top() + 2), QPointF(middle, box.bottom() - 2))
        sure = change.verdict != "noise"
        colour = QColor(look.accent if change.verdict == "gain" else look.foreground if sure else look.stale)
        if change.difference.low == change.difference.high == 0:
            colour = QColor(look.faint)
        painter.setPen(QPen(colour, 2))
        spread = change.difference
        painter.drawLine(QPointF(middle + per * spread.low, y), QPointF(middle + per * spread.high, y))
        painter.setBrush(colour)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(middle + per * spread.value, y), 4, 4)
        painter.restore()


_MOST = 100  # documents listed


class ChangedNeighbours(Themed, QWidget):
    """A list of documents, and how the neighbours of the selected one changed.

    Attributes:
        documents: Those that changed most, the most changed first.
        before: The neighbours before; those that are gone are named so.
        after: The neighbours after; those that are new are named so.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._comparison: MapComparison | None = None
        self._order: list[int] = []
        self.documents, self.before, self.after = RowTable(), RowTable(), RowTable()
        for table in (self.before, self.after):
            table.setSelectionMode(RowTable.SelectionMode.NoSelection)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        for table in (self.documents, self.before, self.after):
            parts.addWidget(table)
        parts.setSizes([340, 280, 280])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.addWidget(parts)
        self.documents.selectionModel().selectionChanged.connect(self._on_chosen)
        self.retranslate()

    def show_comparison(self, comparison: MapComparison) -> None:
        """Show the documents of a comparison."""
        self._comparison = comparison
        request = np.argsort(comparison.kept_share, kind="stable")
        self._order = [row for row in request.tolist()[:_MOST] if comparison.kept_share[row] < 1]
        self._show()
        if self._order:
            self.documents.selectRow(0)

    def _show(self) -> None:
        names = (self.tr("Most changed"), self.tr("Kept"))
        comparison = self._comparison
        rows = (
            []
            if comparison is None
            else [(self._name(row), f"{comparison.kept_share[row]:.0%}") for row in self._order]
        )
        self.documents.show_rows(names, rows, wide=(0,), numbers=(1,))
        self._show_near(-1)

    def _name(self, row: int) -> str:
        listing, comparison = self._session.listing, self._comparison
        return "" if listing is None or comparison is None else listing.name(int(comparison.documents[row]))

    def _on_chosen(self, chosen: QItemSelection, _before: QItemSelection) -> None:
        rows = [index.row() for index in chosen.indexes()]
        if rows and self._comparison is not None:
            row = self._order[rows[0]]
            self._show_near(row)
            self._session.focus(int(self._comparison.documents[row]))

    def _show_near(self, row: int) -> None:
        comparison = self._comparison
        sides = {"before": list[int](), "after": list[int]()}
        if comparison is not None and row >= 0:
            for side, near in (("before", comparison.near_before), ("after", comparison.near_after)):
                sides[side] = [item for item in near[row].tolist() if item >= 0]
        for side, other, table, title, changed in (
            ("before", "after", self.before, self.tr("Similar before"), self.tr("removed")),
            ("after", "before", self.after, self.tr("Similar now"), self.tr("new")),
        ):
            summary = [(self._name(item), "" if item in sides[other] else changed) for item in sides[side]]
            table.show_rows((title, ""), summary, wide=(0,))

    def retranslate(self) -> None:
        self.documents.setAccessibleName(self.tr("Documents whose neighbours changed most"))
        self.before.setAccessibleName(self.tr("Neighbours before"))
        self.after.setAccessibleName(self.tr("Neighbours after"))
        self._show()


class ExampleTables(Themed, QWidget):
    """The examples that gained and lost most.

    Attributes:
        best: The largest gains first.
        worst: The largest losses first.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._examples: tuple[Sequence[Example], Sequence[Example]] = ((), ())
        self.best, self.worst = RowTable(), RowTable()
        self._titles = (plain_label(), plain_label())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(4)
        for title, table in zip(self._titles, (self.best, self.worst), strict=True):
            column.addWidget(title)
            column.addWidget(table, 1)
        self.retranslate()

    def show_examples(self, best: Sequence[Example], worst: Sequence[Example]) -> None:
        """Show examples."""
        self._examples = (best, worst)
        for examples, table in zip(self._examples, (self.best, self.worst), strict=True):
            width = max((len(item.texts) for item in examples), default=2)
            texts = [self.tr("First text"), self.tr("Second text")]
            if width > len(texts):
                texts = [self.tr("Text"), self.tr("Positive"), self.tr("Negative")]
            names = (*texts[:width], self.tr("Human"), self.tr("Before"), self.tr("After"))
            rows = [(*item.texts, item.gold or "–", f"{item.before:.2f}", f"{item.after:.2f}") for item in examples]
            table.show_rows(names, rows, wide=range(width), numbers=(width, width + 1, width + 2))

    def retranslate(self) -> None:
        summary = (self.tr("Closer to the human rating"), self.tr("Further from the human rating"))
        for title, table, text in zip(self._titles, (self.best, self.worst), summary, strict=True):
            title.setText(text)
            table.setAccessibleName(text)
        self.show_examples(*self._examples)
