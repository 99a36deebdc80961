"""A bar to say how alike two documents are while browsing; what is said trains better models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import plain_label

if TYPE_CHECKING:
    from explorer.judgement import Judgement, Scale

GRADES = 6  # 0 to 5


class JudgePanel(Panel):
    """Judges the document in focus and the one it is compared with, or a pair that is shown to it.

    Y and N say similar or not, 0 to 5 give a grade; Ctrl+Z takes it back.

    Signals:
        judged: A pair was judged: the numbers of its documents. The next pair may come.
    """

    name = "judge"
    has_table = True

    judged = Signal(int, int)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._shown: tuple[int, int, str, str] | None = None
        self.verbs: dict[tuple[Scale, int], QAction] = {}
        self._pair, self._count = plain_label(wrap=True), plain_label()
        self._count.setProperty("kind", "faint")
        row = QHBoxLayout()
        row.setSpacing(4)
        for scale, value, key in self._choices():
            row.addWidget(self._button(scale, value, key))
            if (scale, value) == ("similar", 0):
                row.addSpacing(12)
        row.addStretch(1)
        row.addWidget(self._count)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(4)
        column.addWidget(self._pair)
        column.addLayout(row)
        column.addStretch(1)
        session.selection_changed.connect(self._on_pair_changed)
        session.comparison_changed.connect(self._on_pair_changed)
        session.judgements_changed.connect(self._show)
        session.documents_changed.connect(self._show)
        self.retranslate()

    def _choices(self) -> list[tuple[Scale, int, str]]:
        grades: list[tuple[Scale, int, str]] = [("grade", value, str(value)) for value in range(GRADES)]
        return [("similar", 1, "Y"), ("similar", 0, "N"), *grades]

    def _button(self, scale: Scale, value: int, key: str) -> QToolButton:
        action = QAction(self, checkable=True)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _: self._judge(scale, value))
        self.addAction(action)
        self.verbs[scale, value] = action
        button = QToolButton()
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setDefaultAction(action)
        button.setProperty("kind", "framed")
        return button

    def pair(self) -> tuple[int, int] | None:
        """The two documents that are judged; None if there are not two."""
        if self._shown is not None:
            return self._shown[:2]
        first, second = self._session.selection.focus, self._session.comparison
        return None if first is None or second is None or first == second else (first, second)

    def show_pair(self, first: int, second: int, first_text: str = "", second_text: str = "") -> None:
        """Judge two documents, or a text of each, until another one is in focus."""
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

    def said(self) -> Judgement | None:
        """What was said last of the pair."""
        pair = self.pair()
        if pair is None:
            return None
        wanted = set(pair)
        found = (
            one for one in reversed(self._session.judgements)
            if {one.first_document, one.second_document} == wanted
        )  # fmt: skip
        return next(found, None)

    def export_table(self) -> ExportTable | None:
        """What was said of pairs, to be exported."""
        said = self._session.judgements
        if not said:
            return None
        header = (self.tr("First"), self.tr("Second"), self.tr("Scale"), self.tr("Value"))
        return ExportTable(header, lambda: [(one.first, one.second, one.scale, one.value) for one in said])

    def _show(self) -> None:
        pair, said, listing = self.pair(), self.said(), self._session.listing
        may = self._session.folder is not None and self._session.folder.writable
        for (scale, value), action in self.verbs.items():
            action.setEnabled(pair is not None and may)
            action.setChecked(said is not None and (said.scale, said.value) == (scale, value))
        judged = {frozenset((one.first, one.second)) for one in self._session.judgements}
        self._count.setText(
            self.tr("Pairs rated: {count}").format(count=f"{len(judged):,}") if judged else ""
        )
        if pair is None or listing is None:
            told = self.tr(
                "Choose a document and compare it with another one (C), then rate how similar they are."
            )
            self._pair.setProperty("kind", "faint")
        else:
            names = {"first": listing.name(pair[0]), "second": listing.name(pair[1])}
            told = self.tr("How similar are “{first}” and “{second}”?").format(**names)
            self._pair.setProperty("kind", "")
        self._pair.setText(told)
        self._pair.style().polish(self._pair)

    def title(self) -> str:
        return self.tr("Rate")

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("How similar are they?"))
        names = {
            ("similar", 1): self.tr("Similar"), ("similar", 0): self.tr("Not similar"), ("grade", 0): "0",
            ("grade", 1): "1", ("grade", 2): "2", ("grade", 3): "3", ("grade", 4): "4", ("grade", 5): "5",
        }  # fmt: skip
        told = {
            ("similar", 1): self.tr("They are similar"), ("similar", 0): self.tr("They are not similar"),
            ("grade", 0): self.tr("Nothing in common"), ("grade", 1): self.tr("Same field, different subject"),
            ("grade", 2): self.tr("Some overlap"), ("grade", 3): self.tr("Roughly the same, details differ"),
            ("grade", 4): self.tr("Nearly the same"), ("grade", 5): self.tr("Same meaning"),
        }  # fmt: skip
        for key, action in self.verbs.items():
            shortcut = action.shortcut().toString()
            action.setText(told[key])
            action.setIconText(names[key])
            action.setToolTip(f"{told[key]} ({shortcut})")
            for button in action.associatedObjects():
                if isinstance(button, QToolButton):
                    button.setAccessibleName(told[key])
        self._show()
