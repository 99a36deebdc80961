"""The fine-tuning wizard; it can be closed and opened again at any time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QFont, QFontMetrics, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from explorer.errors import ExplorerError
from explorer.services.finetuning import jobs, requests
from explorer.services.finetuning.requests import TrainingDraft, TrainingRequest
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.finetune import texts
from explorer.ui.finetune.pages import run
from explorer.ui.finetune.pages.examples import ExamplesPage
from explorer.ui.finetune.pages.goal import GoalPage
from explorer.ui.finetune.pages.model import ModelPage
from explorer.ui.finetune.pages.result import ResultPage
from explorer.ui.finetune.pages.run import RunPage
from explorer.ui.finetune.training_controller import TrainingController
from explorer.ui.look import theme
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import hairline
from explorer.ui.widgets.themed import Themed

GOAL, DATA, MODEL, RUN, RESULT = range(5)


class Wizard(Themed, QWidget):
    """A window with five pages.

    Attributes:
        trainer: The controller of the run, which outlives the window.

    Signals:
        judge_requested: The user wants to judge pairs.
    """

    judge_requested = Signal()

    def __init__(
        self, session: Session, actions: Controllers, trainer: TrainingController, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._session, self._actions, self.trainer = session, actions, trainer
        self._interrupted: TrainingRequest | None = None
        self.steps = StepIndicator()
        self.goal, self.data = GoalPage(), ExamplesPage(session, actions)
        self.model = ModelPage(session, actions)
        self.run, self.result = RunPage(trainer), ResultPage(session, actions, trainer)
        self.pages = QStackedWidget()
        for page in (self.goal, self.data, self.model, self.run, self.result):
            self.pages.addWidget(page)
        self.back, self.forward, self.save = QPushButton(), QPushButton(), QPushButton()
        self.away, self.discard, self.keep = QPushButton(), QPushButton(), QPushButton()
        self.forward.setProperty("kind", "main")
        self._lay_out()
        self._connect()
        self.setMinimumSize(720, 520)
        self.resize(960, 680)
        self.retranslate()

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 10, 16, 10)
        foot.setSpacing(8)
        for button in (self.away, self.discard, self.save):
            foot.addWidget(button)
        foot.addStretch(1)
        for button in (self.back, self.keep, self.forward):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.steps, hairline(), self.pages, hairline()):
            column.addWidget(part)
        column.setStretch(2, 1)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.back.clicked.connect(self._on_back)
        self.forward.clicked.connect(self._on_forward)
        self.save.clicked.connect(self._ask_recipe)
        self.away.clicked.connect(self.close)
        self.discard.clicked.connect(self._on_discard)
        self.keep.clicked.connect(self._on_keep)
        self.goal.changed.connect(self._show)
        self.goal.resumed.connect(self._on_resumed)
        self.goal.dropped.connect(self._on_dropped)
        self.data.changed.connect(self._show)
        self.data.judge_requested.connect(self.judge_requested)
        self.model.changed.connect(self._show)
        self.result.guard_requested.connect(self._on_guard)
        self.trainer.changed.connect(self._show)
        self.trainer.ended.connect(self._on_ended)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close)
        QShortcut(QKeySequence("Ctrl+Return"), self, self.forward.click)
        QShortcut(QKeySequence("Alt+Left"), self, self.back.click)

    @property
    def page(self) -> int:
        """The current page."""
        return self.pages.currentIndex()

    def show_and_raise(self) -> None:
        """Show the window at its last page; a running or finished training comes first."""
        if self.trainer.busy or self.trainer.status in ("left", "failed"):
            self.show_page(RUN)
        elif self.trainer.finished is not None:
            self.show_page(RESULT)
        else:
            self._actions.runner.start(
                "interrupted trainings", lambda _: requests.unfinished(), self._set_interrupted, quiet=True
            )
            if self.page == MODEL:
                self.show_page(MODEL)  # what was being estimated when the window was closed
        self.show()
        self.raise_()
        self.activateWindow()

    def _set_interrupted(self, interrupted: tuple[TrainingRequest, ...]) -> None:
        self._interrupted = next(iter(interrupted), None)
        self.goal.show_interrupted("" if self._interrupted is None else self._interrupted.recipe.name)

    def _on_resumed(self) -> None:
        if self._interrupted is not None and not self.trainer.busy:
            self.trainer.start(self._interrupted, run.title(self._interrupted.recipe.name))
            self._set_interrupted(())
            self.show_page(RUN)

    def _on_dropped(self) -> None:
        if self._interrupted is not None:
            self._remove(self._interrupted.folder)
            self._set_interrupted(())

    def show_page(self, page: int) -> None:
        """Show a page."""
        if page == DATA:
            self.data.begin(self.goal.goal)
        elif page == MODEL:
            draft = self.draft()
            if draft is None:
                return
            self.model.begin(draft)
        elif page == RESULT:
            self.result.show_result()
        if page != MODEL:
            self.model.stop()
        self.pages.setCurrentIndex(page)
        self._show()

    def draft(self) -> TrainingDraft | None:
        """Return the selections of the first pages; None while something is missing."""
        source, open_folder = self.data.source(), self._session.folder
        if not self.goal.goal or source is None:
            return None
        return TrainingDraft(
            self.goal.goal, (source,), self.data.folder(), None if open_folder is None else open_folder.workspace
        )

    def _on_back(self) -> None:
        if self.page == RESULT or (self.page == RUN and not self.trainer.busy):
            self.show_page(MODEL if self.draft() is not None else GOAL)
        elif self.page in (DATA, MODEL):
            self.show_page(self.page - 1)

    def _on_forward(self) -> None:
        if self.page in (GOAL, DATA):
            self.show_page(self.page + 1)
        elif self.page == MODEL:
            self._start()
        elif self.page == RUN:
            self.show_page(RESULT)
        else:
            self._use()

    def _start(self) -> None:
        recipe, plan = self.model.recipe(), self.model.plan
        if recipe is None or plan is None or self.trainer.busy:
            return
        self.model.stop()
        self.trainer.start(plan.draft.request(recipe), run.title(recipe.name), plan.collected)
        self.show_page(RUN)

    def _use(self) -> None:
        """Use the new model for encoding or reranking from now on."""
        finished, request = self.trainer.finished, self.trainer.request
        if finished is not None and request is not None:
            name = finished.trained.folder.path.name
            models = self._actions.models
            (models.use if request.recipe.kind == "bi" else models.rerank_with)(name)
            self._on_keep()

    def _on_ended(self) -> None:
        finished, request = self.trainer.finished, self.trainer.request
        if finished is not None:
            self._actions.models.changed.emit()
            if self.page == RUN:
                self.show_page(RESULT)
        if not self.isVisible() and request is not None:
            self._notify_main_window(request.recipe.name)

    def _notify_main_window(self, name: str) -> None:
        """Notify the main window how the run ended."""
        if self.trainer.error is not None:
            self._actions.report_error(self.trainer.error)
        elif self.trainer.finished is not None:
            message = self.tr("“{name}” has been trained. See the result under Train > Improve the model.")
            self._actions.notify(message.format(name=name))

    def _on_guard(self) -> None:
        self.model.hold_back()
        self.show_page(MODEL if self.draft() is not None else GOAL)

    def _on_keep(self) -> None:
        self.trainer.forget()
        self.close()
        self.show_page(GOAL)

    def _on_discard(self) -> None:
        folder = self.trainer.folder()
        if folder is None:
            return
        self._remove(folder)
        self.trainer.forget()
        self.show_page(MODEL if self.draft() is not None else GOAL)

    def _remove(self, folder: Path) -> None:
        self._actions.runner.start(
            f"discard {folder.name}",
            lambda _: jobs.discard(folder),
            lambda _: self._actions.models.changed.emit(),
            worker="aside",
            quiet=True,
            must_run=True,
        )

    def _ask_recipe(self) -> None:
        start = self.data.folder() / f"{self.model.name.text().strip() or 'recipe'}.json"
        chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Save recipe"), str(start), self.tr("Recipes (*.json)"))
        if chosen:
            self.save_recipe(Path(chosen))

    def save_recipe(self, path: Path) -> None:
        """Save the selected recipe; the command line can run it."""
        from explorer.training import recipe as recipes

        chosen = self.model.recipe()
        if chosen is None:
            return
        try:
            recipes.save(chosen, path)
        except ExplorerError as error:
            self._actions.report_error(error)
            return
        message = self.tr("Saved. To repeat this training, run docexplorer train --recipe {path}")
        if self.data.chosen == "file" and path.parent != self.data.folder():
            message = self.tr("Saved. Keep the examples file next to {path}, where the recipe looks for it.")
        self._actions.notify(message.format(path=path))

    def _show(self) -> None:
        """Update the buttons and the step indicator."""
        page, trainer = self.page, self.trainer
        self.steps.tell(self._names, page)
        done = trainer.finished is not None
        self.back.setVisible(page in (DATA, MODEL, RESULT) or (page == RUN and not trainer.busy and not done))
        self.save.setVisible(page == MODEL)
        self.save.setEnabled(self.model.recipe() is not None)
        self.away.setVisible(page in (RUN, RESULT))
        self.discard.setVisible((page == RESULT and done) or (page == RUN and trainer.status == "left"))
        self.keep.setVisible(page == RESULT)
        labels = {
            GOAL: self.tr("Next"),
            DATA: self.tr("Next"),
            MODEL: self.tr("Start training"),
            RUN: self.tr("Show result"),
            RESULT: self.tr("Use for this folder"),
        }
        ready = {
            GOAL: bool(self.goal.goal),
            DATA: self.data.source() is not None,
            MODEL: self.model.recipe() is not None and not trainer.busy,
            RUN: done,
            RESULT: done and self._session.folder is not None,
        }
        self.forward.setText(labels[page])
        self.forward.setEnabled(ready[page])
        useless = page == RESULT and trainer.finished is not None and texts.is_the_base(trainer.finished)
        self.forward.setVisible((page != RUN or done) and not useless)
        self.forward.setToolTip(self.tr("Ctrl+Enter"))
        self.back.setText(self.tr("Back") if page != RESULT else self.tr("Train again…"))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Improve the model"))
        self._names = (self.tr("Goal"), self.tr("Examples"), self.tr("Model"), self.tr("Training"), self.tr("Result"))
        self.save.setText(self.tr("Save recipe…"))
        self.away.setText(self.tr("Close"))
        self.discard.setText(self.tr("Discard"))
        self.keep.setText(self.tr("Keep"))
        self.keep.setToolTip(self.tr("Keeps the model for use in this and any other folder."))
        self._show()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.model.stop()
        super().closeEvent(event)


_PAD, _GAP = 16, 24  # pixels


class StepIndicator(Themed, QWidget):
    """Shows the pages in order; not clickable."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._now = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def tell(self, names: Sequence[str], now: int) -> None:
        """Set the names and the current step."""
        self._names, self._now = tuple(names), now
        message = self.tr("Step {number} of {count}: {name}")
        self.setAccessibleName(message.format(number=now + 1, count=len(names), name=names[now]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(480, self.fontMetrics().height() + 2 * _PAD)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, painter, left = theme.current(), QPainter(self), float(_PAD)
        for open_folder, name in enumerate(self._names):
            font = QFont(self.font())
            font.setWeight(QFont.Weight.DemiBold if open_folder == self._now else QFont.Weight.Normal)
            text = f"{open_folder + 1}  {name}"
            width = QFontMetrics(font).horizontalAdvance(text)
            painter.setFont(font)
            painter.setPen(QColor(look.foreground if open_folder <= self._now else look.faint))
            box = QRectF(left, 0, width + 4, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
            if open_folder == self._now:
                painter.fillRect(QRectF(left, self.height() - 3, width, 2), QColor(look.accent))
            left += width + _GAP
        painter.end()
