"""The bars below the views: the status bar, what to do with selected documents, and the warning of a language."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QStatusBar, QToolButton, QWidget

from explorer.ui.export.exporter import ExportSource
from explorer.ui.look import language, theme
from explorer.ui.panels.progress import visible_jobs
from explorer.ui.widgets.layouts import row
from explorer.ui.widgets.placeholder import ElidedLabel, plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.services.open_workspace import WorkspaceFacts
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.jobs.messages import Notification
    from explorer.ui.state.session import Session
    from explorer.ui.window.main_window import MainWindow
    from explorer.workspace.update.model_advice import Advice


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
        self.problems.setToolTip(self.tr("Files that could not be read, or not with certainty"))


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
        self._advice: Advice | None = None
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
                "advice", lambda workspace, _: workspace.advice(tuple(listing.languages)), self._show, worker="aside"
            )

    def _show(self, advice: Advice | None) -> None:
        wanted = self._actions.model_wanted
        self._advice = advice if advice is None or not wanted or wanted != advice.better else None  # it is on its way
        self.retranslate()
        self.setVisible(self._advice is not None and not self._sent_away)

    def _on_pressed(self) -> None:
        if self._advice is not None and self._advice.better:
            self._actions.models.use(self._advice.better)
        else:
            self.models_requested.emit()

    def retranslate(self) -> None:
        self.close_button.setToolTip(self.tr("Not now"))
        self.close_button.setAccessibleName(self.tr("Not now"))
        self.button.setText(self.tr("Choose a model…"))
        if self._advice is not None:
            sentence = self.tr(
                "{percent} % of these documents are in {language}, which the model {model} cannot read: "
                "similarity, clusters and the map are unreliable for them. Keyword search still works."
            )
            sentences = [
                sentence.format(
                    percent=round(100 * self._advice.share),
                    model=self._advice.used,
                    language=language.names_of(self._advice.languages),
                )
            ]
            if not self._advice.better:
                sentences.append(self.tr("No model on this computer reads it."))
            elif self._advice.at_a_price and self._advice.share < 1:
                text = self.tr("{model} reads it, but the other documents less well.")
                sentences.append(text.format(model=self._advice.better.rpartition("/")[2]))
            self.sentence.setText(" ".join(sentences))
            if self._advice.better:
                self.button.setText(self.tr("Use {model}").format(model=self._advice.better.rpartition("/")[2]))
        self.button.setAccessibleName(self.button.text())

    def restyle(self) -> None:
        self._icon.setPixmap(theme.icon("warning", theme.current().stale).pixmap(18, 18))
        self.close_button.setIcon(theme.icon("close"))


class SelectionBar(Themed, QWidget):
    """Shows how many documents are selected, with a button for each command; hidden while none is."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window, self._session = window, window.session
        self.setObjectName("selection")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.count = plain_label()
        work: dict[str, Callable[[], object]] = {
            "star": window.pick,
            "tag": window.show_tags,
            "compare": window.compare,
            "neighbours": self._show_similar,
            "folder": lambda: None,  # opens its menu
            "export": self._export,
            "document": window.exports.ask_report,
            "close": lambda: self._session.mark(()),
        }
        self.buttons = {name: QToolButton() for name in work}
        for name, button in self.buttons.items():
            button.setIconSize(QSize(16, 16))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.clicked.connect(lambda _=False, name=name: work[name]())
        self._categories = QMenu(self.buttons["folder"])
        self._categories.aboutToShow.connect(self._fill_categories)
        self.buttons["folder"].setMenu(self._categories)
        self.buttons["folder"].setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        *commands, clear = self.buttons.values()
        row(self.count, 8, *commands, None, clear, parent=self, margins=(12, 3, 8, 3), spacing=2)
        self._session.selection_changed.connect(self._show)
        self._session.folder_changed.connect(self._show)
        self.retranslate()
        self.restyle()

    def _show_similar(self) -> None:
        """Show what is similar to all selected documents."""
        similar = self._window.docks.neighbours
        similar.similar_to.setCurrentIndex(similar.similar_to.findData("marked"))
        self._window.docks.show("neighbours")

    def _fill_categories(self) -> None:
        self._categories.clear()
        marked = self._session.selection.marked
        for category in self._session.categories:
            assign = partial(self._window.actions.categories.assign, marked, category.name)
            self._categories.addAction(category.name.replace("&", "&&")).triggered.connect(lambda _=0, do=assign: do())
        show = partial(self._window.docks.show, "categories")
        self._categories.addAction(self.tr("Edit categories…")).triggered.connect(lambda _: show())

    def _export(self) -> None:
        """Ask for a file and export the selected documents."""
        panel = self._window.docks.documents
        folder = self._session.folder.path.name if self._session.folder is not None else ""
        self._window.exports.exporter.ask(ExportSource(panel, panel.selected_table), folder)

    def _show(self) -> None:
        count = len(self._session.selection.marked)
        self.setVisible(count > 0 and self._session.folder is not None)
        self.count.setText(self.tr("%Ln selected", "", count))
        focus = self._session.selection.focus
        others = self._session.selection.marked - ([] if focus is None else [focus])
        self.buttons["compare"].setEnabled(count == 2 or (count == 1 and focus is not None and bool(others)))

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Selected documents"))
        texts = {
            "star": (self.tr("Pick"), "P"),
            "tag": (self.tr("Tag…"), "T"),
            "compare": (self.tr("Compare"), "C"),
            "neighbours": (self.tr("Similar"), ""),
            "folder": (self.tr("Category"), ""),
            "export": (self.tr("Export…"), ""),
            "document": (self.tr("Report…"), "Ctrl+Shift+E"),
            "close": (self.tr("Clear"), "Esc"),
        }
        for name, (text, key) in texts.items():
            self.buttons[name].setText(text)
            self.buttons[name].setToolTip(f"{text} ({key})" if key else text)
        self._show()

    def restyle(self) -> None:
        for name, button in self.buttons.items():
            button.setIcon(theme.icon(name))
