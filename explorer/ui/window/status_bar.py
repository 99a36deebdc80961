"""The status bar: number of documents, the model in use, problems, messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QStatusBar, QToolButton

from explorer.ui.panels.progress import visible_jobs
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label

if TYPE_CHECKING:
    from explorer.services.open_workspace import WorkspaceFacts
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.messages import Notification
    from explorer.ui.state.session import Session

MESSAGE_TIME = 12_000  # milliseconds that a message is shown


class StatusBar(QObject):
    """Fills a status bar.

    Signals:
        problems_requested: The user clicked the number of problems.
    """

    problems_requested = Signal()

    def __init__(self, bar: QStatusBar, session: Session, actions: Controllers) -> None:
        super().__init__(bar)
        self._session, self._actions = session, actions
        self._facts: WorkspaceFacts | None = None
        self.message, self.counts, self.problems = ElidedLabel(), plain_label(), QToolButton()
        self.counts.setContentsMargins(8, 2, 12, 2)
        self._message_timer = QTimer(self, interval=MESSAGE_TIME, singleShot=True)
        self._message_timer.timeout.connect(lambda: self.message.set_text(""))
        self.problems.clicked.connect(self.problems_requested)
        bar.addWidget(self.counts)
        bar.addWidget(self.message, 1)
        bar.addPermanentWidget(self.problems)
        bar.setSizeGripEnabled(False)
        session.folder_changed.connect(self._on_folder_changed)
        session.documents_changed.connect(self._on_documents_changed)
        actions.notified.connect(self._on_notified)
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

    def _on_notified(self, notification: Notification) -> None:
        # The query bar has a line for messages; this one is used while that is busy or hidden.
        if self._session.folder is None or visible_jobs(self._actions.runner):
            self.message.set_text(notification.sentence)
            self._message_timer.start()

    def show(self) -> None:
        """Update all texts."""
        listing, problems, facts = self._session.listing, self._session.problems, self._facts
        parts = []
        if listing is not None:
            parts.append(self.tr("%Ln document(s)", "", len(listing)))
        if listing is not None and facts is not None:
            parts.append(self.tr("%Ln passage(s)", "", facts.passages))
            parts += [part for part in (facts.model, facts.device) if part]
        self.counts.setText(" · ".join(parts))
        self.problems.setVisible(bool(problems))
        self.problems.setText(self.tr("%Ln problem(s)", "", len(problems)))
        self.problems.setToolTip(self.tr("Files that could not be read"))
