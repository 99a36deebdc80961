"""A warning shown when the model cannot read the language of most documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from explorer.ui.look import language, theme
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session
    from explorer.workspace.update.model_advice import Advice

SOON = 500  # milliseconds after which newly read documents are looked at


class LanguageWarning(Themed, QWidget):
    """A sentence, a button to fix it, and one to dismiss it for this folder.

    Signals:
        models_requested: The user wants to choose a model.
    """

    models_requested = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._told: Advice | None = None
        self._sent_away, self._looked_at = False, 0
        self._soon = QTimer(self, singleShot=True, interval=SOON)
        self._soon.timeout.connect(self._look)
        self._icon, self.sentence = QLabel(), plain_label(wrap=True)
        self.button, self.close_button = QPushButton(), QToolButton()
        self.setObjectName("advice")  # for the hairline below it
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        line = QHBoxLayout(self)
        line.setContentsMargins(8, 4, 8, 4)
        line.addWidget(self._icon)
        line.addWidget(self.sentence, 1)
        line.addWidget(self.button)
        line.addWidget(self.close_button)
        self.button.clicked.connect(self._on_pressed)
        self.close_button.clicked.connect(self._on_sent_away)
        session.folder_changed.connect(self._on_folder_changed)
        session.documents_changed.connect(self._on_documents_changed)
        actions.updated.connect(self._look)
        actions.models.changed.connect(self._look)
        session.settings_changed.connect(self._look)
        self.retranslate()
        self.restyle()
        self.hide()

    def _on_folder_changed(self) -> None:
        self._sent_away, self._looked_at = False, 0
        self._show(None)

    def _on_documents_changed(self) -> None:
        """Check whenever the number of documents has doubled, to warn before all are encoded in vain."""
        listing = self._session.listing
        if listing is not None and len(listing) >= 2 * self._looked_at and not self._soon.isActive():
            self._soon.start()

    def _on_sent_away(self) -> None:
        self._sent_away = True
        self.hide()

    def _look(self) -> None:
        listing = self._session.listing
        if listing is not None and len(listing):
            self._looked_at = len(listing)
            self._actions.with_workspace(
                "advice",
                lambda workspace, _: workspace.advice(tuple(listing.languages)),
                self._show,
                worker="aside",
            )

    def _show(self, told: Advice | None) -> None:
        wanted = self._session.settings.model
        self._told = told if told is None or not wanted or wanted != told.better else None  # it is on its way
        self.retranslate()
        self.setVisible(self._told is not None and not self._sent_away)

    def _on_pressed(self) -> None:
        if self._told is not None and self._told.better:
            self._actions.models.use(self._told.better)
        else:
            self.models_requested.emit()

    def retranslate(self) -> None:
        self.close_button.setToolTip(self.tr("Not now"))
        self.close_button.setAccessibleName(self.tr("Not now"))
        self.button.setText(self.tr("Choose a model…"))
        if self._told is not None:
            sentence = self.tr(
                "{percent} % of these documents are in {language}, which the model {model} cannot read: "
                "similarity, clusters and the map are unreliable for them. Keyword search still works."
            )
            self.sentence.setText(sentence.format(
                percent=round(100 * self._told.share), model=self._told.used,
                language=self._language(self._told.language),
            ))  # fmt: skip
            if self._told.better:
                self.button.setText(self.tr("Use {model}").format(model=self._told.better.rpartition("/")[2]))
        self.button.setAccessibleName(self.button.text())

    def _language(self, code: str) -> str:
        """Return the name of a language."""
        if code == "latin":
            return self.tr("another language in Latin script")
        return language.name_of(code)

    def restyle(self) -> None:
        self._icon.setPixmap(theme.icon("warning", theme.current().stale).pixmap(18, 18))
        self.close_button.setIcon(theme.icon("close"))
