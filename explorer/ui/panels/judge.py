"""Rate how similar two documents are while browsing; the ratings train better models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import Item, column, row, tool_button
from explorer.ui.widgets.placeholder import plain_label, set_kind

if TYPE_CHECKING:
    from explorer.judgement import Judgement, Scale

GRADES = 6  # 0 to 5


class JudgePanel(Panel):
    """Rates the document in focus and the one it is compared with, or a pair given by `show_pair`.

    Y and N rate as similar or not, 0 to 5 give a grade; Ctrl+Z undoes.

    Attributes:
        choices: The commands by scale and value.

    Signals:
        judged: A pair was rated: the ids of its documents.
    """

    name = "judge"
    has_table = True

    judged = Signal(int, int)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._shown: tuple[int, int, str, str] | None = None
        self.choices: dict[tuple[Scale, int], QAction] = {}
        self._pair, self._count = plain_label(wrap=True), plain_label(kind="faint")
        buttons: list[Item] = [self._button("similar", 1, "Y"), self._button("similar", 0, "N"), 12]
        buttons += [self._button("grade", value, str(value)) for value in range(GRADES)]
        ratings = row(*buttons, None, self._count, spacing=4)
        column(self._pair, ratings, None, parent=self, margins=(8, 6, 8, 6), spacing=4)
        session.selection_changed.connect(self._on_pair_changed)
        session.comparison_changed.connect(self._on_pair_changed)
        session.judgements_changed.connect(self._show)
        session.documents_changed.connect(self._show)
        self.retranslate()

    def _button(self, scale: Scale, value: int, key: str) -> QToolButton:
        action = QAction(self, checkable=True)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _: self._judge(scale, value))
        self.addAction(action)
        self.choices[scale, value] = action
        button = tool_button(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setProperty("kind", "framed")
        return button

    def pair(self) -> tuple[int, int] | None:
        """Return the two documents to be rated; None if there are not two."""
        if self._shown is not None:
            return self._shown[:2]
        first, second = self._session.selection.focus, self._session.comparison
        return None if first is None or second is None or first == second else (first, second)

    def show_pair(self, first: int, second: int, first_text: str = "", second_text: str = "") -> None:
        """Rate two documents, or a text of each, until the focus changes."""
        self._shown = (first, second, first_text, second_text)
        self._show()

    def _on_pair_changed(self) -> None:
        self._shown = None
        self._show()

    def _judge(self, scale: Scale, value: int) -> None:
        pair = self.pair()
        if pair is not None:
            texts = self._shown[2:] if self._shown is not None else ("", "")
            self._actions.edits.judge(*pair, value, scale, first_text=texts[0], second_text=texts[1])
            self.judged.emit(*pair)
        self._show()

    def latest(self) -> Judgement | None:
        """Return the latest rating of the pair."""
        pair, judgements = set(self.pair() or ()), reversed(self._session.judgements)
        return next((item for item in judgements if {item.first_document, item.second_document} == pair), None)

    def export_table(self) -> ExportTable | None:
        judgements = self._session.judgements
        if not judgements:
            return None
        header = (self.tr("First"), self.tr("Second"), self.tr("Scale"), self.tr("Value"))
        rows = [(item.first, item.second, item.scale, item.value) for item in judgements]
        return ExportTable(header, lambda: rows)

    def _show(self) -> None:
        pair, latest, listing = self.pair(), self.latest(), self._session.listing
        writable = self._session.folder is not None and self._session.folder.writable
        for (scale, value), action in self.choices.items():
            action.setEnabled(pair is not None and writable)
            action.setChecked(latest is not None and (latest.scale, latest.value) == (scale, value))
        rated = {frozenset((item.first, item.second)) for item in self._session.judgements}
        count = self.tr("Pairs rated: {count}").format(count=f"{len(rated):,}")
        self._count.setText(count if rated else "")
        if pair is None or listing is None:
            text = self.tr("Choose a document and compare it with another one (C), then rate how similar they are.")
        else:
            names = {"first": listing.name(pair[0]), "second": listing.name(pair[1])}
            text = self.tr("How similar are “{first}” and “{second}”?").format(**names)
        self._pair.setText(text)
        set_kind(self._pair, "faint" if pair is None or listing is None else "")

    def title(self) -> str:
        return self.tr("Rate")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("How similar are they?"))
        labels = {("similar", 1): self.tr("Similar"), ("similar", 0): self.tr("Not similar")}
        meanings = {
            ("similar", 1): self.tr("They are similar"),
            ("similar", 0): self.tr("They are not similar"),
            ("grade", 0): self.tr("Nothing in common"),
            ("grade", 1): self.tr("Same field, different subject"),
            ("grade", 2): self.tr("Some overlap"),
            ("grade", 3): self.tr("Roughly the same, details differ"),
            ("grade", 4): self.tr("Nearly the same"),
            ("grade", 5): self.tr("Same meaning"),
        }
        for key, action in self.choices.items():
            action.setText(meanings[key])
            action.setIconText(labels.get(key, str(key[1])))
            action.setToolTip(f"{meanings[key]} ({action.shortcut().toString()})")
        self._show()
