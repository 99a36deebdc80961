"""The window in which the user rates pairs, the most informative first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QKeySequence, QShortcut, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QTextEdit, QVBoxLayout, QWidget

from explorer.services.finetuning import jobs
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.finetune.texts import translate
from explorer.ui.jobs.runner import ignore_failure
from explorer.ui.look import theme
from explorer.ui.panels.judge import JudgePanel
from explorer.ui.state.session import Session
from explorer.ui.widgets.layouts import hairline
from explorer.ui.widgets.placeholder import ContentStack, ElidedLabel, plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.judgement import Judgement
    from explorer.services.finetuning.jobs import Pair
    from explorer.services.finetuning.suggest_pairs import PairToJudge
    from explorer.training.data.judgements import Agreement


AT_ONCE = 20  # pairs that are looked for
_FEW = 5  # pairs left, when more are looked for
_TELLING = 20  # comparisons from which the agreement says something
_PAIRS, _AGREEMENT = "pairs to judge", "agreement with the model"  # keys of jobs


class JudgeWindow(Themed, QWidget):
    """A pair, the buttons to rate it, and how far user and model agree.

    Attributes:
        pair: The pair that is shown; None while there is none.

    Signals:
        train_requested: There are judgements enough, and the user wants to train.
    """

    train_requested = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._session, self._actions = session, actions
        self.pair: PairToJudge | None = None
        self._coming: deque[PairToJudge] = deque()
        self._gone: list[PairToJudge] = []  # judged or skipped, the last one last
        self._offered: set[frozenset[str]] = set()
        self._cosines: dict[Pair, float] = {}
        self._model = "" if session.graph is None else session.graph.model  # the model that they are of
        self._seed = 0
        self.texts = (TextCard(), TextCard())
        self.box = JudgePanel(session, actions)
        self.box.choices["similar", 1].setShortcuts([QKeySequence("S"), QKeySequence("Y")])
        self.skip, self.undo, self.train = QPushButton(), QPushButton(), QPushButton()
        self.train.setProperty("kind", "main")
        self.why, self.last, self.agreement, self.advice = (plain_label(wrap=True) for _ in range(4))
        self._keys = plain_label(wrap=True)
        for label in (self.why, self.last, self.advice, self._keys):
            label.setProperty("kind", "faint")
        content = QWidget()
        self.stage = ContentStack(content)
        self.stage.retried.connect(self._look)
        self._lay_out(content)
        self._connect()
        self.setMinimumSize(640, 440)
        self.resize(920, 620)
        self.retranslate()
        self.restyle()

    def _lay_out(self, content: QWidget) -> None:
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        for text in self.texts:
            parts.addWidget(text)
        parts.setSizes([400, 400])
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.box, 1)
        row.addWidget(self.skip, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.why.setContentsMargins(16, 8, 16, 8)
        column.addWidget(self.why)
        column.addWidget(parts, 1)
        column.addWidget(hairline())
        column.addLayout(row)
        self._keys.setContentsMargins(16, 0, 16, 8)
        column.addWidget(self._keys)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 8, 16, 10)
        foot.setSpacing(16)
        said = QVBoxLayout()
        said.setSpacing(2)
        for label in (self.last, self.agreement, self.advice):
            said.addWidget(label)
        foot.addLayout(said, 1)
        foot.addWidget(self.train, 0, Qt.AlignmentFlag.AlignBottom)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.stage, 1)
        whole.addWidget(hairline())
        whole.addLayout(foot)

    def _connect(self) -> None:
        self.box.judged.connect(self._on_judged)
        self.skip.clicked.connect(self._on_skip)
        self.undo.clicked.connect(self._on_undo)
        self.train.clicked.connect(self.train_requested)
        for key in ("Space", "Right"):
            QShortcut(QKeySequence(key), self, self._on_skip)
        for key in ("Ctrl+Z", "Backspace", "Left"):
            QShortcut(QKeySequence(key), self, self._on_undo)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close)
        self._session.folder_changed.connect(self._on_folder_changed)
        self._session.graph_changed.connect(self._on_graph_changed)
        self._session.judgements_changed.connect(self._on_judgements_changed)
        self._session.selection_changed.connect(self._show_in_box)
        self._session.comparison_changed.connect(self._show_in_box)

    def show_and_raise(self) -> None:
        """Show the window with pairs to rate."""
        self.show()
        self.raise_()
        self.activateWindow()
        if self.pair is None:
            self._look()
        self._on_judgements_changed()

    def _on_folder_changed(self) -> None:
        self.pair, self._seed = None, 0
        self._coming.clear()
        self._gone.clear()
        self._offered.clear()
        self._cosines.clear()
        self._show()

    def _on_graph_changed(self) -> None:
        encoded = self._session.graph
        if encoded is not None and encoded.model != self._model:
            self._model = encoded.model
            self._forget_model()
        if self.isVisible() and self.pair is None:
            self._look()

    def _forget_model(self) -> None:
        """Drop the suggestions and scores of the previous model."""
        for key in (_PAIRS, _AGREEMENT):
            self._actions.runner.cancel(key, notify=False)
        self._offered -= {frozenset((each.first, each.second)) for each in self._coming}
        self._coming.clear()
        self._cosines.clear()
        self.last.setText("")
        self.agreement.setText("")
        self._on_judgements_changed()
        if self.isVisible() and self.pair is not None:
            self._look()

    def _look(self) -> None:
        """Request more pairs in the background."""
        if self._session.folder is None or not self._session.folder.writable or self._session.graph is None:
            self._show()
            return
        seed = self._seed
        self.stage.set_busy(self.pair is None)
        self._actions.with_workspace(
            _PAIRS,
            lambda workspace, task: jobs.pairs_to_judge(workspace, AT_ONCE, seed, task),
            self._add_pairs,
            worker="aside",
            failed=self._on_failed,
        )
        if self.pair is None:
            self._show()

    def _add_pairs(self, results: tuple[PairToJudge, ...]) -> None:
        self._seed += 1
        new = [each for each in results if frozenset((each.first, each.second)) not in self._offered]
        self._offered |= {frozenset((each.first, each.second)) for each in new}
        self._coming += new
        self._cosines |= {(each.first, each.second): each.cosine for each in new}
        self.stage.set_busy(False)
        if self.pair is None:
            self._next()
        else:
            self._show()

    def _on_failed(self, error: BaseException) -> None:
        self.stage.set_busy(False)
        if self.pair is None:
            self.stage.show_error(error)

    def _next(self) -> None:
        self.pair = self._coming.popleft() if self._coming else None
        if len(self._coming) < _FEW and (self.pair is not None or self._gone):
            self._look()
        self._show()

    def _on_judged(self) -> None:
        self._leave()

    def _on_skip(self) -> None:
        if self.pair is not None:
            self.last.setText("")
            self._leave()

    def _leave(self) -> None:
        if self.pair is not None:
            self._gone.append(self.pair)
            self._next()

    def _on_undo(self) -> None:
        """Undo the last rating, and show its pair again; a skipped pair is only shown again."""
        if not self._gone:
            return
        if self.pair is not None:
            self._coming.appendleft(self.pair)
        self.pair = back = self._gone.pop()
        last = self._session.judgements[-1] if self._session.judgements else None
        if last is not None and {last.first, last.second} == {back.first, back.second}:
            self._actions.edits.undo.undo("judgements")
        self.last.setText("")
        self._show()

    def _on_judgements_changed(self) -> None:
        """Show how far user and model agree, and whether there are enough ratings."""
        if not self.isVisible():
            return
        sentence, enough = advice(self._session.judgements)
        self.advice.setText(sentence)
        self.train.setEnabled(enough)
        if not self._session.judgements:
            self.agreement.setText("")
            return
        judged, known = self._session.judgements, dict(self._cosines)
        self._actions.with_workspace(
            _AGREEMENT,
            lambda workspace, task: jobs.agree(workspace, judged, known, task),
            self._show_agreement,
            worker="aside",
            failed=ignore_failure,
        )

    def _show_agreement(self, results: tuple[Agreement, dict[Pair, float]]) -> None:
        agreed, self._cosines = results[0], {**self._cosines, **results[1]}
        if agreed.comparisons < _TELLING:
            self.agreement.setText(self.tr("Rate a few more pairs to see how well the model agrees with you."))
        else:
            template = self.tr("The model orders {share} of your pairs the way you do; 50 % would be chance.")
            self.agreement.setText(template.format(share=f"{agreed.share:.0%}"))
        last = self._session.judgements[-1] if self._session.judgements else None
        cosine = None if last is None else self._cosines.get((last.first, last.second))
        if last is None or cosine is None or not self._gone:
            self.last.setText("")
            return
        said = (
            (self.tr("Similar") if last.value else self.tr("Not similar"))
            if last.scale == "similar"
            else (self.tr("{grade} of 5").format(grade=last.value))
        )
        template = self.tr("Previous pair: you said “{said}”, the model {score}.")
        self.last.setText(template.format(said=said, score=f"{cosine:.2f}"))

    def _show(self) -> None:
        pair, open_folder, listing = self.pair, self._session.folder, self._session.listing
        self.undo.setEnabled(bool(self._gone))
        self.skip.setEnabled(pair is not None)
        if open_folder is None:
            self.stage.show_empty(self.tr("Open a folder first to rate pairs of its passages."))
        elif not open_folder.writable:
            self.stage.show_empty(self.tr("This folder is open read-only, so ratings cannot be saved."))
        elif pair is None:
            waiting = self._session.graph is None or self._actions.runner.busy(_PAIRS)
            self.stage.show_empty(
                self.tr("Looking for the most informative pairs…")
                if waiting
                else self.tr("There are no more informative pairs in this folder.")
            )
        else:
            self.stage.show_content()
            names = [
                "" if listing is None else listing.name(document)
                for document in (pair.first_document, pair.second_document)
            ]
            for shown, name, text in zip(self.texts, names, (pair.first, pair.second), strict=True):
                shown.show_text(name, text)
            reasons = {
                "disagree": self.tr("The two models disagree about this pair, so your rating is especially valuable."),
                "unsure": self.tr("The model is unsure about this pair."),
            }
            self.why.setText(reasons[pair.reason])
        self._show_in_box()

    def _show_in_box(self) -> None:
        """Let the rating bar rate the pair shown here, whatever is in focus elsewhere."""
        if self.pair is not None:
            pair = self.pair
            self.box.show_pair(pair.first_document, pair.second_document, pair.first, pair.second)

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Rate pairs"))
        self.skip.setText(self.tr("Skip"))
        self.skip.setToolTip(self.tr("Skip this pair (Space)"))
        self.undo.setText(self.tr("Undo"))
        self.undo.setToolTip(self.tr("Undo the last rating (Ctrl+Z)"))
        self.train.setText(self.tr("Train with these ratings…"))
        self._keys.setText(
            self.tr("S similar · N not similar · 0 nothing in common … 5 same meaning · Space skip · Ctrl+Z undo")
        )
        for text, name in zip(self.texts, (self.tr("First text"), self.tr("Second text")), strict=True):
            text.setAccessibleName(name)
        self._show()
        self._on_judgements_changed()

    def restyle(self) -> None:
        """Make the actions look like buttons: they are what this window is for."""
        look = theme.current()
        sheet = (
            f"QToolButton {{ border: 1px solid {look.hairline}; background: {look.raised}; padding: 6px 12px; }}"
            f"QToolButton:hover {{ border-color: {look.accent}; }} QToolButton:checked {{ background: {look.chosen}; }}"
        )
        if self.box.styleSheet() != sheet:  # setting it is a change of style too
            self.box.setStyleSheet(sheet)


LEAST = 50  # pairs below which a model learns them by heart
GOOD = 300  # pairs from which a gain can be told from chance
_RARE = 0.15  # share of the pairs below which one side is missing


def advice(judgements: Sequence[Judgement]) -> tuple[str, bool]:
    """Return advice on what to do next, and whether there are enough ratings to train."""
    scores = list({frozenset((each.first, each.second)): each.score for each in judgements}.values())
    similar = sum(score >= 0.5 for score in scores)
    count, dissimilar = len(scores), len(scores) - similar
    if count < LEAST:
        template = translate(
            "finetune", "{count} more are needed for training; about {good} in total give a clear improvement."
        )
        return template.format(count=LEAST - count, good=GOOD), False
    if similar < _RARE * count:
        return translate(
            "finetune", "Nearly all pairs were rated not similar. Rate some similar pairs too."
        ), similar > 0
    if dissimilar < _RARE * count:
        return translate(
            "finetune", "Nearly all pairs were rated similar. Rate some dissimilar pairs too."
        ), dissimilar > 0
    if count < GOOD:
        template = translate(
            "finetune", "Enough for training. With {good} pairs an improvement can be told from chance."
        )
        return template.format(good=GOOD), True
    return translate("finetune", "Enough for good training results."), True


_LINE_HEIGHT = 145  # per cent


class TextCard(Themed, QWidget):
    """A passage in the reader's font."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self.text = ElidedLabel(), QTextEdit(readOnly=True)
        self.name.setProperty("kind", "faint")
        self.text.setAcceptRichText(False)
        self.text.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # keys belong to the judging
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.document().setDocumentMargin(16)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 16, 8)
        head.addWidget(self.name)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        self.restyle()

    def show_text(self, name: str, text: str) -> None:
        """Show another passage."""
        self.name.set_text(name)
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
            cursor = QTextCursor(self.text.document())
            cursor.select(QTextCursor.SelectionType.Document)
            lines = QTextBlockFormat()
            lines.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor.mergeBlockFormat(lines)
        self.text.setAccessibleName(name)

    def restyle(self) -> None:
        font = QFont(self.font())
        font.setPointSizeF(self.font().pointSizeF() + 2)
        self.text.setFont(font)
