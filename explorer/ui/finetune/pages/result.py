"""The page of the result: what was gained, what was lost, what moved; keep it, use it, or throw it away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from explorer.services.finetuning import map_comparison
from explorer.task import Task
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.finetune import result_texts
from explorer.ui.finetune.pages.changed_neighbours import ChangedNeighbours
from explorer.ui.finetune.pages.example_tables import ExampleTables
from explorer.ui.finetune.pages.map_comparison import MapComparisonView
from explorer.ui.finetune.pages.measure_table import MeasureTable
from explorer.ui.finetune.training_controller import TrainingController
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.services.finetuning.run import FinishedTraining

TABS = ("measures", "map", "neighbours", "examples")
KEY = "map before and after"


class ResultPage(Themed, QWidget):
    """What came of a training.

    Attributes:
        tabs: Measures, both maps, neighbours, examples.

    Signals:
        guard_requested: Train again, more gently.
    """

    guard_requested = Signal()

    def __init__(
        self,
        session: Session,
        actions: Controllers,
        trainer: TrainingController,
        parent: QWidget | None = None,
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
        """Show what the trainer brought."""
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
        self.verdict.setText(result_texts.headline(finished))
        self.gain.setText(result_texts.gained(finished))
        lost, much = result_texts.lost(finished)
        self.loss.setText(lost)
        self.loss.setVisible(bool(lost))
        self.guard.setVisible(much)
        self.own.show_changes(comparison.rows, self.tr("On your test examples"))
        self.own.setVisible(bool(comparison.rows))
        self.general.show_changes(comparison.general, self.tr("General benchmark"))
        self.general.setVisible(bool(comparison.general))
        self.notes.setText(result_texts.notes(finished))
        self.examples.show_examples(comparison.best, comparison.worst)
        self.tabs.setTabEnabled(TABS.index("examples"), bool(comparison.best or comparison.worst))

    def _compare(self) -> None:
        """Draw both maps, in the background."""
        finished, order, chart = self._shown, self._trainer.order, self._session.map_layout
        if finished is None or order is None:
            return
        stages = (self.map_stage, self.near_stage)
        if order.workspace is None or order.recipe.kind != "bi" or len(finished.documents) < 3:
            for stage in stages:
                stage.show_empty(self.tr("Open a folder to compare its documents before and after training."))
            return
        known = None if chart is None or chart.drawing else (chart.documents, chart.positions)
        folder, documents = finished.trained.folder.path, finished.documents
        for stage in stages:
            stage.show_content()
            stage.set_busy(True)

        def work(task: Task) -> map_comparison.MapComparison | None:
            return map_comparison.compare(order, folder, documents, known, task)

        self._actions.runner.start(
            KEY, work, self._take, worker="training", title=self.tr("Drawing the maps before and after"),
            failed=self._on_failed, stopped=lambda: self._take(None),
        )  # fmt: skip

    def _take(self, found: map_comparison.MapComparison | None) -> None:
        for stage in (self.map_stage, self.near_stage):
            stage.set_busy(False)
            if found is None:
                stage.show_empty(self.tr("There is no map for this training run."))
        if found is not None:
            self.maps.show_twins(found)
            self.neighbours.show_twins(found)
            if found.kept.min() == 1:
                self.near_stage.show_empty(self.tr("Every document has the same neighbours as before."))

    def _on_failed(self, error: BaseException) -> None:
        for stage in (self.map_stage, self.near_stage):
            stage.set_busy(False)
            stage.show_error(error)

    def retranslate(self) -> None:
        names = (
            self.tr("Metrics"), self.tr("Map before and after"), self.tr("Changed neighbours"),
            self.tr("Examples"),
        )  # fmt: skip
        for place, name in enumerate(names):
            self.tabs.setTabText(place, name)
        self.guard.setText(self.tr("Train again, more gently…"))
        self.guard.setToolTip(self.tr("With the guard on and the weights averaged with the base model."))
        self._show()
