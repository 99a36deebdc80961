"""The page of a running training: curves, speed, time left, pause and stop."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from explorer.ui.finetune import texts as finetune_texts
from explorer.ui.finetune.training_controller import TrainingController
from explorer.ui.look.language import translated
from explorer.ui.panels.progress import time_left
from explorer.ui.widgets.charts import LineChart
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.widgets.themed import Themed

_AGAIN = 1000  # milliseconds between two looks at the clock
_DRAW = 150  # milliseconds between two drawings of the curves


class RunPage(Themed, QWidget):
    """Shows the training controller."""

    def __init__(self, trainer: TrainingController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trainer = trainer
        self.title, self.about = plain_label(wrap=True), plain_label(wrap=True)
        self.title.setProperty("kind", "title")
        self.about.setProperty("kind", "faint")
        self.bar = QProgressBar(textVisible=False)
        self.loss, self.dev = LineChart(smooth=True), LineChart(smooth=False)
        self.numbers = {name: plain_label() for name in ("step", "speed", "left", "spent", "best")}
        self._names = {name: plain_label() for name in self.numbers}
        self.pause, self.stop, self.go_on = QPushButton(), QPushButton(), QPushButton()
        self.pause.clicked.connect(self._on_pause)
        self.stop.clicked.connect(trainer.stop)
        self.go_on.clicked.connect(self._on_go_on)
        content = QWidget()
        self.stage = ContentStack(content)
        self.stage.retried.connect(self._on_go_on)
        self._lay_out(content)
        self._clock = QTimer(self, interval=_AGAIN)
        self._clock.timeout.connect(self._show_numbers)
        self._soon = QTimer(self, interval=_DRAW, singleShot=True)
        self._soon.timeout.connect(self._show_curves)
        self._shown_progress = (-1, -1, "")
        trainer.changed.connect(self.refresh)
        self.retranslate()

    def _lay_out(self, content: QWidget) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(2)
        for column, (name, number) in enumerate(self.numbers.items()):
            self._names[name].setProperty("kind", "faint")
            number.setStyleSheet("font-size: 13pt;")
            grid.addWidget(self._names[name], 0, column)
            grid.addWidget(number, 1, column)
            grid.setColumnStretch(column, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.pause, self.stop, self.go_on):
            buttons.addWidget(button)
        buttons.addStretch(1)
        curves = QHBoxLayout()
        curves.setSpacing(12)
        curves.addWidget(self.loss, 1)
        curves.addWidget(self.dev, 1)
        column_of = QVBoxLayout(content)
        column_of.setContentsMargins(16, 12, 16, 12)
        column_of.setSpacing(12)
        column_of.addWidget(self.title)
        column_of.addWidget(self.bar)
        column_of.addLayout(grid)
        column_of.addLayout(curves, 1)
        column_of.addWidget(self.about)
        column_of.addLayout(buttons)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stage)

    def refresh(self) -> None:
        """Show the controller's state, if visible."""
        trainer = self._trainer
        if trainer.busy and not self._clock.isActive():
            self._clock.start()
        elif not trainer.busy:
            self._clock.stop()
        if not self.isVisible():
            return
        if trainer.error is not None and trainer.status == "failed":
            self.stage.show_error(trainer.error)
            return
        self.stage.show_content()
        self._show_words()
        self._show_numbers()
        progress = (trainer.step, len(trainer.evaluations), trainer.status)
        if progress != self._shown_progress and not self._soon.isActive():
            self._shown_progress = progress
            self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._shown_progress = (-1, -1, "")
        self.refresh()

    def _show_words(self) -> None:
        trainer = self._trainer
        name = "" if trainer.request is None else trainer.request.recipe.name
        titles = {
            "preparing": self.tr("Preparing “{name}”"),
            "running": self.tr("Training “{name}”"),
            "paused": self.tr("“{name}” is paused"),
            "finishing": self.tr("Finishing “{name}”"),
            "done": self.tr("“{name}” has been trained"),
            "left": self.tr("“{name}” was interrupted"),
        }
        self.title.setText(titles.get(trainer.status, "").format(name=name))
        about = {
            "left": self.tr("Progress is saved. You can resume at any time."),
            "paused": self.tr("A checkpoint has been saved; training resumes from there."),
            "finishing": self.tr("Measuring gains and losses."),
        }.get(
            trainer.status,
            self.tr("You can close this window. Training continues, and you will be notified when it is done."),
        )
        if trainer.warning:
            about = f"{translated(trainer.warning)}\n{about}"
        self.about.setText(about)
        self.pause.setText(self.tr("Resume") if trainer.status == "paused" else self.tr("Pause"))
        self.pause.setEnabled(trainer.status in ("running", "paused"))
        self.stop.setEnabled(trainer.status in ("running", "paused") and bool(trainer.losses))
        self.go_on.setVisible(trainer.status == "left")
        self.pause.setVisible(trainer.status != "left")
        self.stop.setVisible(trainer.status != "left")

    def _show_numbers(self) -> None:
        trainer = self._trainer
        left = trainer.seconds_left
        best = max((next(iter(values.values()), 0.0) for _, values in trainer.evaluations), default=None)
        texts = {
            "step": f"{trainer.step:,} / {trainer.total:,}" if trainer.total else "–",
            "speed": f"{trainer.speed:,.1f}" if trainer.speed else "–",
            "left": time_left(left) if left is not None else "–",
            "spent": time_left(trainer.seconds) if trainer.request else "–",
            "best": "–" if best is None else f"{best:.3f}",
        }
        for name, text in texts.items():
            self.numbers[name].setText(text)
        known = trainer.total > 0 and trainer.status != "preparing"
        self.bar.setRange(0, trainer.total if known else 0 if trainer.busy else 1)
        self.bar.setValue(trainer.step if known else 0)

    def _show_curves(self) -> None:
        trainer = self._trainer
        steps = range(trainer.first + 1, trainer.first + 1 + len(trainer.losses))
        self.loss.show_line(steps, trainer.losses, trainer.total)
        values = [next(iter(measures.values()), 0.0) for _, measures in trainer.evaluations]
        best = values.index(max(values)) if values else -1
        self.dev.show_line([step for step, _ in trainer.evaluations], values, trainer.total, best)
        if trainer.evaluations:
            name = next(iter(trainer.evaluations[0][1]), "")
            self._name_dev(finetune_texts.measure(name))

    def _on_pause(self) -> None:
        (self._trainer.resume if self._trainer.status == "paused" else self._trainer.pause)()

    def _on_go_on(self) -> None:
        trainer = self._trainer
        if trainer.request is not None:
            trainer.start(trainer.request, title(trainer.request.recipe.name))

    def _name_dev(self, name: str) -> None:
        self.dev.set_texts(
            self.tr("On validation examples: {name}").format(name=name) if name else self.tr("On validation examples"),
            self.tr("Evaluated periodically"),
            self.tr("Step"),
        )

    def retranslate(self) -> None:
        self.loss.set_texts(self.tr("Loss"), self.tr("Starts with the first step"), self.tr("Step"))
        self._name_dev("")
        told_of = {
            "step": self.tr("Steps"),
            "speed": self.tr("Examples per second"),
            "left": self.tr("Time left"),
            "spent": self.tr("Elapsed time"),
            "best": self.tr("Best so far"),
        }
        for name, label in self._names.items():
            label.setText(told_of[name])
            self.numbers[name].setAccessibleName(told_of[name])
        self.stop.setText(self.tr("Stop and keep the best model"))
        self.go_on.setText(self.tr("Resume training"))
        self.bar.setAccessibleName(self.tr("Training progress"))
        self._shown_progress = (-1, -1, "")
        self.refresh()


def title(name: str) -> str:
    """Return the title of a run in the progress panel."""
    return finetune_texts.translate("finetune", "Training “{name}”").format(name=name)
