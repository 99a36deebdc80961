"""The query box: answers while one types, completes fields and operators, remembers what was asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QHBoxLayout,
    QLineEdit,
    QToolButton,
    QWidget,
)

from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_label, plain_tip
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session

PAUSE = 120  # milliseconds without a key after which the query is asked
LATE = 500  # milliseconds after which it is said that the results are not yet those of the query
REMEMBERED = 50
NOTE_SHARE = 0.6  # of the line's width that a remark may take
_CLEAR = 34  # pixels at the end of the line for the button that clears it
MODES = ("hybrid", "semantic", "keyword")
_OPERATORS = ("like:", "folder:", "title:", "author:", "date:>=", "size:<")


class QueryBar(Themed, QWidget):
    """Where one asks.

    Attributes:
        line: The line of text.

    Signals:
        left: Down was pressed, and no later query is to be recalled: to the results.
    """

    left = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._asked: list[str] = []
        self._place = 0
        self._sent = ""  # what this box asked last
        self._unasked = ""  # what stood in the line before an earlier query was recalled
        self.line = _QueryMessage(self)
        self.line.setClearButtonEnabled(True)
        self._magnifier = QAction(self)
        self.line.addAction(self._magnifier, QLineEdit.ActionPosition.LeadingPosition)
        self._mode = QComboBox()
        self._mode.addItems([""] * len(MODES))
        self._rerank = QToolButton()
        self._rerank.setCheckable(True)
        self._rerank.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._late = QTimer(self, interval=LATE, singleShot=True)
        self._late.timeout.connect(self._say_late)
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._pause.timeout.connect(self._ask)
        self._complete()
        self._lay_out()
        self.retranslate()
        self.restyle()
        self.line.textEdited.connect(self._on_edited)
        self.line.returnPressed.connect(self._on_return)
        self.line.recalled.connect(self._on_recalled)
        self._mode.activated.connect(lambda place: actions.search.set_mode(MODES[place]))
        self._rerank.toggled.connect(self._on_rerank_toggled)
        session.query_changed.connect(self._on_search_changed)
        session.results_changed.connect(self._on_search_changed)
        session.settings_changed.connect(self._on_settings_changed)
        session.search_mode_changed.connect(self._on_search_mode_changed)
        session.documents_changed.connect(self._on_documents_changed)
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

    def _complete(self) -> None:
        self._words = QStringListModel(list(_OPERATORS), self)
        completer = QCompleter(self._words, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.line.complete_with(completer)

    @property
    def asked(self) -> list[str]:
        """What was asked before and Up recalls, the last one last."""
        return list(self._asked)

    def recall(self, asked: Iterable[str]) -> None:
        """Have Up recall what was asked another day."""
        self._asked = list(dict.fromkeys(asked))[-REMEMBERED:]
        self._place = len(self._asked)

    def ask(self, text: str) -> None:
        """Put a query into the box and ask it at once."""
        self.line.setText(text)
        self._ask()

    def _ask(self) -> None:
        self._pause.stop()
        self._sent = self.line.text()
        self._actions.search.ask(self._sent)

    def _on_edited(self) -> None:
        self._place = len(self._asked)
        self._pause.start()

    def _on_return(self) -> None:
        text = self.line.text().strip()
        if text:
            self._asked = [*(one for one in self._asked if one != text), text][-REMEMBERED:]
            self._place = len(self._asked)
        self._ask()

    def _on_recalled(self, step: int) -> None:
        last = len(self._asked)
        if self._place >= last:
            if step > 0:
                self.left.emit()
                return
            self._unasked = self.line.text()
            if self._asked and self._asked[-1] == self._unasked.strip():
                last -= 1
        place = max(0, min(len(self._asked), min(self._place, last) + step))
        if place != self._place:
            self._place = place
            self.ask(self._asked[place] if place < len(self._asked) else self._unasked)

    def _on_rerank_toggled(self, wanted: bool) -> None:
        from dataclasses import replace

        if wanted != self._session.settings.rerank:
            self._actions.change_settings(replace(self._session.settings, rerank=wanted))
            if wanted:
                self._actions.search.rerank()
            else:
                self._actions.search.undo_reranking()

    def _on_search_changed(self) -> None:
        found = self._session.search
        late = found is not None and found.stale and found.results is not None and not found.error
        if not late:
            self._late.stop()
        elif not self._late.isActive():
            self._late.start()
        if found is None:
            self.line.say("", "")
        elif found.error:
            self.line.say(found.error, "error")
        elif found.results is not None and not found.results.hits and not late:
            self.line.say(self.tr("No results. Try other words or fewer conditions."), "faint")
        elif not late:
            self.line.say("", "")
        elif self.line.kind == "stale":
            self._say_late()  # again, as the language may be another
        asked = found.text if found is not None else ""
        if (
            asked.strip() != self._sent.strip()
        ):  # by something else than this box, in which one may be typing on
            self._pause.stop()
            self._sent = asked
            self.line.setText(asked)

    def _say_late(self) -> None:
        if self._actions.runner.busy("update"):
            text = self.tr("Results so far. The search runs again when reading finishes.")
        else:
            text = self.tr("Updating results…")
        self.line.say(text, "stale")

    def _on_settings_changed(self) -> None:
        self._rerank.setChecked(self._session.settings.rerank)

    def _on_search_mode_changed(self) -> None:
        self._mode.setCurrentIndex(MODES.index(self._session.search_mode))

    def _on_folder_changed(self) -> None:
        """What was typed in one folder is not asked in another."""
        self._pause.stop()
        if self._session.search is None:
            self._sent = ""
            self.line.clear()

    def _on_documents_changed(self) -> None:
        listing = self._session.listing
        fields = [f"{name}:" for name in listing.fields] if listing else []
        self._words.setStringList(list(dict.fromkeys([*_OPERATORS, *fields])))

    def retranslate(self) -> None:
        self.line.setPlaceholderText(
            self.tr(
                'Search by meaning and keywords: cold war spies, "exact phrase", -exclude, author:Kim, '
                "like:file.txt"
            )
        )
        self.line.setAccessibleName(self.tr("Query"))
        for place, text in enumerate((self.tr("Both"), self.tr("Meaning"), self.tr("Words"))):
            self._mode.setItemText(place, text)
        self._mode.setToolTip(self.tr("Search by meaning, by keywords, or both (hybrid)"))
        self._mode.setAccessibleName(self.tr("Search mode"))
        self._rerank.setText(self.tr("Rerank"))
        self._rerank.setToolTip(
            self.tr("Rerank the top results by reading query and text together (cross-encoder)")
        )
        self._on_search_changed()

    def restyle(self) -> None:
        self._magnifier.setIcon(theme.icon("search", theme.current().faint))
        self._rerank.setIcon(theme.icon("rerank"))


class _QueryMessage(QLineEdit):
    """A line whose up and down keys recall, which completes the word at the cursor, and has a remark at its end.

    Attributes:
        said: The remark.
        kind: What kind of remark it is, as the theme colours it.

    Signals:
        recalled: Up (-1) or down (1) was pressed.
    """

    recalled = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words: QCompleter | None = None
        self.said = self.kind = ""
        self._note = plain_label()  # within the line, so that nothing moves when it comes and goes
        self._note.setParent(self)
        self._note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._note.hide()
        self.textEdited.connect(self._on_text_edited)

    def complete_with(self, completer: QCompleter) -> None:
        """Offer words while one types."""
        self._words = completer
        completer.setWidget(self)
        completer.activated.connect(self._on_activated)

    def say(self, text: str, kind: str) -> None:
        """Remark something on the query; nothing with an empty text."""
        self.said, self.kind = text, kind
        self._note.setProperty("kind", kind)
        self._note.style().unpolish(self._note)
        self._note.style().polish(self._note)
        self._note.setVisible(bool(text))
        self.setAccessibleDescription(text)
        self.setToolTip(plain_tip(text))
        self._place_note()

    def _place_note(self) -> None:
        room = round(self.width() * NOTE_SHARE)
        self._note.setText(self._note.fontMetrics().elidedText(self.said, Qt.TextElideMode.ElideRight, room))
        width = self._note.sizeHint().width() if self.said else 0
        self._note.setGeometry(self.width() - width - _CLEAR, 0, width, self.height())
        self.setTextMargins(0, 0, width, 0)

    def sizeHint(self) -> QSize:
        """The same with a remark and without."""
        return super().sizeHint() - QSize(self.textMargins().right(), 0)

    def minimumSizeHint(self) -> QSize:
        """The same with a remark and without."""
        return super().minimumSizeHint() - QSize(self.textMargins().right(), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the remark at the end."""
        super().resizeEvent(event)
        self._place_note()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the list of words have its keys, recall with up and down."""
        popup = self._words.popup() if self._words else None
        if (
            popup is not None
            and popup.isVisible()
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
        ):
            event.ignore()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.recalled.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
            return
        super().keyPressEvent(event)

    def _word(self) -> str:
        return self.text()[: self.cursorPosition()].rpartition(" ")[2]

    def _on_text_edited(self) -> None:
        if self._words is None:
            return
        word = self._word()
        self._words.setCompletionPrefix(word)
        if len(word) >= 2 and self._words.completionCount() and self._words.currentCompletion() != word:
            self._words.complete()
        else:
            popup = self._words.popup()
            if popup is not None:
                popup.hide()

    def _on_activated(self, chosen: str) -> None:
        at, word = self.cursorPosition(), self._word()
        self.setText(self.text()[: at - len(word)] + chosen + self.text()[at:])
        self.setCursorPosition(at - len(word) + len(chosen))
