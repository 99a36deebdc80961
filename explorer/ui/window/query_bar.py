"""The query bar: searches as the user types, completes fields and operators, has a history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLineEdit, QToolButton, QWidget

from explorer.analysis.search.query import FIELDS, Completion, complete
from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_label, plain_tip
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractItemView

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session

PAUSE = 120  # milliseconds without a key press after which the search starts
LATE = 500  # milliseconds after which the results are said to be outdated
HISTORY = 50  # queries that are remembered
NOTE_SHARE = 0.6  # of the line's width that a note may take
_CLEAR = 34  # pixels at the end of the line for the clear button
MODES = ("hybrid", "semantic", "keyword")
_SHORTEST = 2  # letters of a field's name from which on it is completed
_MOST_COMPLETIONS = 12


class QueryBar(Themed, QWidget):
    """The query, the search mode, and whether results are reranked.

    Attributes:
        line: The line of text.

    Signals:
        left: Enter was pressed: the keyboard goes to the results.
        stepped: The next (1) or the previous (-1) result is to be read, while the cursor stays.
    """

    left = Signal()
    stepped = Signal(int)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._history: list[str] = []
        self._position = 0  # in the history
        self._sent = ""  # the query that this bar sent last
        self._asked = self._typed = ""  # the query that was sent last; the same until it is answered
        self._steps = 0  # by which Down went on from the first result
        self._unsent = ""  # the text of the line before an earlier query was recalled
        self.line = _QueryLine(self._completions, self)
        self.line.setClearButtonEnabled(True)
        self._magnifier = QAction(self)
        self.line.addAction(self._magnifier, QLineEdit.ActionPosition.LeadingPosition)
        self._mode = QComboBox()
        self._mode.addItems([""] * len(MODES))
        self._rerank = QToolButton()
        self._rerank.setCheckable(True)
        self._rerank.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._late = QTimer(self, interval=LATE, singleShot=True)
        self._late.timeout.connect(self._show_late)
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._pause.timeout.connect(self._ask)
        self._facets: Mapping[str, Sequence[str]] = {}
        self._lay_out()
        self.retranslate()
        self.restyle()
        self.line.textEdited.connect(self._on_edited)
        self.line.returnPressed.connect(self._on_return)
        self.line.recalled.connect(self._on_recalled)
        self._mode.activated.connect(lambda row: actions.search.set_mode(MODES[row]))
        self._rerank.toggled.connect(self._on_rerank_toggled)
        session.query_changed.connect(self._on_search_changed)
        session.results_changed.connect(self._on_search_changed)
        session.settings_changed.connect(self._on_settings_changed)
        session.search_mode_changed.connect(self._on_search_mode_changed)
        session.folder_changed.connect(self._on_folder_changed)
        self._on_settings_changed()
        self._on_search_mode_changed()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(self._mode)
        row.addWidget(self._rerank)

    def set_facets(self, values: Mapping[str, Sequence[str]]) -> None:
        """Set the values of fields that are completed, such as the names of tags."""
        self._facets = values

    def _completions(self, text: str, cursor: int) -> list[Completion]:
        """Return what the item before the cursor may become: a field's name, or one of its values."""
        fields: dict[str, Sequence[str]] = dict.fromkeys(sorted(FIELDS), ())
        listing, clusters = self._session.listing, self._session.clusters
        fields |= dict.fromkeys(listing.fields if listing else (), ())
        fields |= {name: values for name, values in self._facets.items() if name in fields}
        fields["cluster"] = [cluster.name for cluster in clusters.clusters if cluster.name] if clusters else ()
        return complete(text, cursor, fields, _MOST_COMPLETIONS)

    @property
    def history(self) -> list[str]:
        """The queries that Up recalls, the last one last."""
        return list(self._history)

    def set_history(self, queries: Iterable[str]) -> None:
        """Set the queries that Up recalls."""
        self._history = list(dict.fromkeys(queries))[-HISTORY:]
        self._position = len(self._history)

    def ask(self, text: str) -> None:
        """Show a query and search for it at once."""
        self.line.setText(text)
        self._ask()

    def is_answered(self, text: str) -> bool:
        """Return whether results answer what was typed here last; each query is answered once."""
        if not self._typed or self._typed != text.strip():
            return False
        self._typed = ""
        return True

    def _ask(self) -> None:
        self._pause.stop()
        self._sent = self.line.text()
        if self._sent.strip() != self._asked:  # the same query again leaves the reader where it is
            self._typed = self._asked = self._sent.strip()
        self._actions.search.ask(self._sent)

    def _on_edited(self) -> None:
        self._position, self._steps = len(self._history), 0
        self._pause.start()

    def _on_return(self) -> None:
        text = self.line.text().strip()
        if text:
            self._history = [*(query for query in self._history if query != text), text][-HISTORY:]
            self._position = len(self._history)
        self._ask()
        self.left.emit()

    def _on_recalled(self, step: int) -> None:
        """Go to the next result or back; before the first one begins what was asked before."""
        last = len(self._history)
        if self._position >= last:
            if step > 0 or self._steps:
                self._steps = max(0, self._steps + step)
                self.stepped.emit(step)
                return
            self._unsent = self.line.text()
            if self._history and self._history[-1] == self._unsent.strip():
                last -= 1
        position = max(0, min(len(self._history), min(self._position, last) + step))
        if position != self._position:
            self._position = position
            self.ask(self._history[position] if position < len(self._history) else self._unsent)

    def _on_rerank_toggled(self, wanted: bool) -> None:
        from dataclasses import replace

        if wanted != self._session.settings.rerank:
            self._actions.change_settings(replace(self._session.settings, rerank=wanted))
            if wanted:
                self._actions.search.rerank()
            else:
                self._actions.search.undo_reranking()

    def _on_search_changed(self) -> None:
        search = self._session.search
        late = search is not None and search.stale and search.results is not None and not search.error
        if not late:
            self._late.stop()
        elif not self._late.isActive():
            self._late.start()
        if search is None:
            self.line.show_note("", "")
        elif search.error:
            self.line.show_note(search.error, "error")
        elif search.results is not None and not (search.results.hits or search.results.words_only or late):
            self.line.show_note(self.tr("No results. Try other words or fewer conditions."), "faint")
        elif not late:
            self.line.show_note("", "")
        elif self.line.kind == "stale":
            self._show_late()  # the language may have changed
        text = search.text if search is not None else ""
        if text.strip() != self._sent.strip():  # not sent by this bar, in which the user may be typing on
            self._pause.stop()
            self._sent = self._asked = text
            self.line.setText(text)

    def _show_late(self) -> None:
        if not self._actions.runner.busy("update"):  # while the folder is read, the list says what is missing
            self.line.show_note(self.tr("Updating results…"), "stale")

    def _on_settings_changed(self) -> None:
        self._rerank.setChecked(self._session.settings.rerank)

    def _on_search_mode_changed(self) -> None:
        self._mode.setCurrentIndex(MODES.index(self._session.search_mode))

    def _on_folder_changed(self) -> None:
        # What was typed for one folder is not searched in another.
        self._pause.stop()
        if self._session.search is None:
            self._sent = ""
            self.line.clear()

    def retranslate(self) -> None:
        self.line.setPlaceholderText(
            self.tr(
                'Search by meaning and keywords: cold war spies, "exact phrase", -exclude, author:Kim, like:file.txt'
            )
        )
        self.line.setAccessibleName(self.tr("Query"))
        for row, text in enumerate((self.tr("Both"), self.tr("Meaning"), self.tr("Words"))):
            self._mode.setItemText(row, text)
        self._mode.setToolTip(self.tr("Search by meaning, by keywords, or both (hybrid)"))
        self._mode.setAccessibleName(self.tr("Search mode"))
        self._rerank.setText(self.tr("Rerank"))
        self._rerank.setToolTip(self.tr("Rerank the top results by reading query and text together (cross-encoder)"))
        self._on_search_changed()

    def restyle(self) -> None:
        self._magnifier.setIcon(theme.icon("search", theme.current().faint))
        self._rerank.setIcon(theme.icon("rerank"))


class _QueryLine(QLineEdit):
    """A line edit with history keys, completion of the word at the cursor, and a note at its end.

    Attributes:
        note: The note.
        kind: The kind of note, which the theme colours.

    Signals:
        recalled: Up (-1) or down (1) was pressed.
    """

    recalled = Signal(int)

    def __init__(self, completions: Callable[[str, int], list[Completion]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._completions = completions
        self._offered: dict[str, Completion] = {}  # by what the list shows
        self._labels = QStringListModel(self)
        self._completer = QCompleter(self._labels, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setWidget(self)
        self._completer.activated.connect(self._on_activated)
        self.note = self.kind = ""
        self._note = plain_label()  # inside the line, so that nothing moves when it appears
        self._note.setParent(self)
        self._note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._note.hide()
        self.textEdited.connect(self._on_text_edited)

    def show_note(self, text: str, kind: str) -> None:
        """Show a note; an empty one hides it."""
        self.note, self.kind = text, kind
        self._note.setProperty("kind", kind)
        self._note.style().unpolish(self._note)
        self._note.style().polish(self._note)
        self._note.setVisible(bool(text))
        self.setAccessibleDescription(text)
        self.setToolTip(plain_tip(text))
        self._place_note()

    def _place_note(self) -> None:
        room = round(self.width() * NOTE_SHARE)
        self._note.setText(self._note.fontMetrics().elidedText(self.note, Qt.TextElideMode.ElideRight, room))
        width = self._note.sizeHint().width() if self.note else 0
        self._note.setGeometry(self.width() - width - _CLEAR, 0, width, self.height())
        self.setTextMargins(0, 0, width, 0)

    def sizeHint(self) -> QSize:
        return super().sizeHint() - QSize(self.textMargins().right(), 0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() - QSize(self.textMargins().right(), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_note()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
        if enter and self._popup().isVisible():
            event.ignore()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.recalled.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
            return
        super().keyPressEvent(event)

    def _popup(self) -> QAbstractItemView:
        return cast("QAbstractItemView", self._completer.popup())  # which makes it if there is none

    def _on_text_edited(self) -> None:
        completions = self._completions(self.text(), self.cursorPosition())
        typed = {completion.label: self.text()[completion.start : completion.end] for completion in completions}
        # A field's name is offered from its second letter on; what is complete already is not.
        completions = [
            completion
            for completion in completions
            if typed[completion.label] != completion.label
            and (not completion.label.endswith(":") or len(typed[completion.label]) >= _SHORTEST)
        ]
        self._offered = {completion.label: completion for completion in completions}
        if not completions:
            self._popup().hide()
            return
        self._labels.setStringList([completion.label for completion in completions])
        self._completer.complete()

    def _on_activated(self, label: str) -> None:
        chosen = self._offered.get(label)
        if chosen is None:
            return
        self.setText(self.text()[: chosen.start] + chosen.insert + self.text()[chosen.end :])
        self.setCursorPosition(chosen.start + len(chosen.insert))
        self.textEdited.emit(self.text())  # offers the values of the field, and searches
