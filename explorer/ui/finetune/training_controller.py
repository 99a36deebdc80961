"""The training run of a window: continues while the wizard is closed, and records its progress."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from explorer.services.finetuning import jobs
from explorer.services.finetuning.requests import TrainingRequest, TrainingUpdate
from explorer.training.fit.result import Control, Phase
from explorer.ui.jobs.runner import Runner

if TYPE_CHECKING:
    from explorer.services.finetuning.collect import CollectedExamples
    from explorer.services.finetuning.run import FinishedTraining
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.finetune.judging import JudgeWindow
    from explorer.ui.finetune.wizard import Wizard
    from explorer.ui.state.session import Session


Status = Literal["none", "preparing", "running", "paused", "finishing", "done", "left", "failed"]

KEY = "train"


class TrainingController(QObject):
    """Runs one training at a time.

    Attributes:
        request: What is trained; None before the first.
        status: "preparing" until the first step, "finishing" once there are no more, "left" when it was cancelled
            with a checkpoint to go on from, "done" or "failed".
        losses: The loss of each step.
        evaluations: Step and measures of each evaluation.
        speed: Examples per second.
        warning: What the user should know while it runs, such as that memory is short; often empty.
        finished: What came of it; None before.
        error: Why it failed; None if it did not.

    Signals:
        changed: A step, an evaluation, or another status.
        ended: It is done, left or failed.
    """

    changed = Signal()
    ended = Signal()

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._control = Control()
        self._began = self._over = 0.0
        self.request: TrainingRequest | None = None
        self.status: Status = "none"
        self.losses: list[float] = []
        self.evaluations: list[tuple[int, dict[str, float]]] = []
        self.first, self.speed, self.warning = 0, 0.0, ""
        self.finished: FinishedTraining | None = None
        self.error: BaseException | None = None
        runner.changed.connect(self._on_jobs_changed)
        self._total, self._left = 0, None  # type: tuple[int, float | None]

    @property
    def busy(self) -> bool:
        """Whether a model is being trained."""
        return self.status in ("preparing", "running", "paused", "finishing")

    @property
    def step(self) -> int:
        """Steps done."""
        return self.first + len(self.losses)

    @property
    def total(self) -> int:
        """Steps in all; 0 until that is known."""
        return self._total

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left; None if unknown."""
        return self._left if self.status == "running" else None

    @property
    def seconds(self) -> float:
        """Seconds since the start, or that it took."""
        return (self._over if not self.busy else time.monotonic()) - self._began

    def start(self, request: TrainingRequest, title: str, collected: CollectedExamples | None = None) -> None:
        """Start a run, on examples that were collected before if there are any; resume from its checkpoint."""
        if self.busy:
            return
        self._control = control = Control()
        self.request, self.finished, self.error = request, None, None
        self.losses, self.evaluations, self.first, self.speed = [], [], 0, 0.0
        self._total, self._left, self.warning = 0, None, ""
        self._began = time.monotonic()
        self._runner.start(
            KEY,
            lambda task: jobs.train(request, control, task, collected),
            self._on_done,
            worker="training",
            title=title,
            failed=self._on_failed,
            stopped=self._on_stopped,
            partial=self._on_update,
        )
        self._become("preparing")

    def pause(self) -> None:
        """Pause after the current step."""
        if self.status == "running":
            self._control.pause()
            self._become("paused")

    def resume(self) -> None:
        """Resume."""
        if self.status == "paused":
            self._control.resume()
            self._become("running")

    def stop(self) -> None:
        """End after the current step, keep the best so far, and evaluate it."""
        if self.busy:
            self._control.stop()
            self._become("finishing")

    def leave(self) -> None:
        """Cancel, leaving a checkpoint."""
        if self.busy:
            self._runner.cancel(KEY)
            self._become("finishing")

    def forget(self) -> None:
        """Reset for another run."""
        if not self.busy:
            self.request, self.finished, self.error = None, None, None
            self._become("none")

    def folder(self) -> Path | None:
        """Return the folder of the model."""
        return None if self.request is None else self.request.folder

    def _become(self, status: Status) -> None:
        self.status = status
        self.changed.emit()

    def _on_update(self, update: TrainingUpdate) -> None:
        if update.first is not None and not self.losses:
            self.first = update.first - 1  # it resumed from a checkpoint
        self.losses += update.losses
        self.evaluations += update.evaluations
        self.speed = update.speed or self.speed
        self._become("running" if self.status == "preparing" else self.status)

    def _on_jobs_changed(self) -> None:
        job = next((job for job in self._runner.jobs() if job.key == KEY), None)
        if job is None or job.progress is None or not self.busy:
            return
        progress = job.progress
        if progress.phase is Phase.TRAINING:
            self._total, self._left = progress.total, progress.seconds_left
        finishing = self.status == "running" and progress.phase is Phase.COMPARING
        if finishing or progress.warning != self.warning:
            self.warning = progress.warning
            self._become("finishing" if finishing else self.status)

    def _on_done(self, finished: FinishedTraining) -> None:
        self.finished = finished
        self._end("done")

    def _on_failed(self, error: BaseException) -> None:
        self.error = error
        self._end("failed")

    def _on_stopped(self) -> None:
        self._end("left")

    def _end(self, status: Status) -> None:
        self._over = time.monotonic()
        self._become(status)
        self.ended.emit()


class FinetuneLauncher(QObject):
    """The training controller of a window, and the windows that show it.

    Attributes:
        trainer: The training.
    """

    def __init__(self, session: Session, actions: Controllers, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._actions, self._over = session, actions, parent
        self.trainer = TrainingController(actions.runner, self)
        self._wizard: Wizard | None = None
        self._judge: JudgeWindow | None = None

    @property
    def wizard(self) -> Wizard:
        """The wizard."""
        from explorer.ui.finetune.wizard import Wizard

        if self._wizard is None:
            self._wizard = Wizard(self._session, self._actions, self.trainer, self._over)
            self._wizard.judge_requested.connect(self.show_judge)
        return self._wizard

    @property
    def judge(self) -> JudgeWindow:
        """The window to rate pairs."""
        from explorer.ui.finetune.judging import JudgeWindow

        if self._judge is None:
            self._judge = JudgeWindow(self._session, self._actions, self._over)
            self._judge.train_requested.connect(self.show_wizard)
        return self._judge

    def show_wizard(self) -> None:
        """Show the wizard."""
        self.wizard.show_and_raise()

    def show_judge(self) -> None:
        """Show the window to rate pairs."""
        self.judge.show_and_raise()
