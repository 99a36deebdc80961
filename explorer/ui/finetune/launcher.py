"""Create the wizard and the rating window when they are first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from explorer.ui.finetune.training_controller import TrainingController

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.finetune.judging import JudgeWindow
    from explorer.ui.finetune.wizard import Wizard
    from explorer.ui.state.session import Session


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
