"""The line at the foot of the window: what is open, how much of it, with which model, and what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QStatusBar, QToolButton

from explorer.ui.panels.progress.panel import seen
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label

if TYPE_CHECKING:
    from explorer.services.open_workspace import WorkspaceFacts
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.messages import Notification
    from explorer.ui.state.session import Session

STAYS = 12_000  # milliseconds that a sentence stands there


class StatusBar(QObject):
    """Fills a status bar.

    Signals:
        problems_requested: The user wants to see the files that could not be read.
    """

    problems_requested = Signal()

    def __init__(self, bar: QStatusBar, session: Session, actions: Controllers) -> None:
        super().__init__(bar)
        self._session, self._actions = session, actions
        self._facts: WorkspaceFacts | None = None
        self.told, self.counts, self.troubles = ElidedLabel(), plain_label(), QToolButton()
        self.counts.setContentsMargins(8, 2, 12, 2)
        self._gone = QTimer(self, interval=STAYS, singleShot=True)
        self._gone.timeout.connect(lambda: self.told.tell(""))
        self.troubles.clicked.connect(self.problems_requested)
        bar.addWidget(self.counts)
        bar.addWidget(self.told, 1)
        bar.addPermanentWidget(self.troubles)
        bar.setSizeGripEnabled(False)
        session.folder_changed.connect(self._on_folder_changed)
        session.documents_changed.connect(self._on_documents_changed)
        actions.notified.connect(self._on_told)
        self.show()

    def _on_folder_changed(self) -> None:
        self._facts = None
        self.show()

    def _on_documents_changed(self) -> None:
        if self._session.listing is not None:
            self._actions.with_workspace("facts", lambda workspace, _: workspace.facts(), self._on_facts)
        self.show()

    def _on_facts(self, facts: WorkspaceFacts) -> None:
        self._facts = facts
        self.show()

    def _on_told(self, told: Notification) -> None:
        """Beside the query box there is a line for it; here only where that is busy or not there."""
        if self._session.folder is None or seen(self._actions.runner):
            self.told.tell(told.sentence)
            self._gone.start()

    def show(self) -> None:
        """Say all of it, in the language of now."""
        listing, problems, facts = self._session.listing, self._session.problems, self._facts
        parts = []
        if listing is not None:
            parts.append(self.tr("%Ln document(s)", "", len(listing)))
        if listing is not None and facts is not None:
            parts.append(self.tr("%Ln passage(s)", "", facts.passages))
            parts += [part for part in (facts.model, facts.device) if part]
        self.counts.setText(" · ".join(parts))
        self.troubles.setVisible(bool(problems))
        self.troubles.setText(self.tr("%Ln problem(s)", "", len(problems)))
        self.troubles.setToolTip(self.tr("Files that could not be read"))
