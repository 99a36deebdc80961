"""The first page: what should be improved, with the objective beneath."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from explorer.ui.widgets.option_card import OptionCard
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

GOALS = ("search", "duplicates", "classification", "language")


class GoalPage(Themed, QWidget):
    """Four goals to select from.

    Attributes:
        choices: A button an aim.

    Signals:
        changed: Another aim.
        resumed: The training that was interrupted is to go on.
        dropped: It is not.
    """

    changed = Signal()
    resumed = Signal()
    dropped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._about = plain_label(wrap=True), plain_label(wrap=True)
        self._title.setProperty("kind", "title")
        self._about.setProperty("kind", "faint")
        self.choices = {goal: OptionCard(self) for goal in GOALS}
        self._name = ""
        self.interrupted, self.go_on, self.drop = plain_label(wrap=True), QPushButton(), QPushButton()
        self.go_on.clicked.connect(self.resumed)
        self.drop.clicked.connect(self.dropped)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.interrupted, 1)
        row.addWidget(self.go_on)
        row.addWidget(self.drop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(12)
        column.addWidget(self._title)
        column.addWidget(self._about)
        for choice in self.choices.values():
            choice.clicked.connect(self.changed)
            column.addWidget(choice)
        column.addStretch(1)
        column.addLayout(row)
        self.retranslate()

    @property
    def goal(self) -> str:
        """The selected goal; empty for none."""
        return next((goal for goal, choice in self.choices.items() if choice.isChecked()), "")

    def show_interrupted(self, name: str) -> None:
        """Offer to resume an interrupted run; an empty name hides the offer."""
        self._name = name
        template = self.tr("Training of “{name}” was interrupted. Its progress is saved.").format(name=name)
        self.interrupted.setText(template if name else "")
        for button in (self.go_on, self.drop):
            button.setVisible(bool(name))

    def retranslate(self) -> None:
        self.go_on.setText(self.tr("Resume"))
        self.drop.setText(self.tr("Discard"))
        self.show_interrupted(self._name)
        self._title.setText(self.tr("What do you want to improve?"))
        self._about.setText(
            self.tr(
                "A model trained on your texts finds more of what you mean. It learns from examples on "
                "this computer; nothing is sent anywhere, and your current model is not changed."
            )
        )
        self.choices["search"].tell(
            self.tr("Search"),
            self.tr("Queries match the texts that answer them more often."),
            self.tr("In-batch contrastive loss (multiple negatives ranking); pairs, triplets or scores"),
        )
        self.choices["duplicates"].tell(
            self.tr("Similarity and duplicates"),
            self.tr("Similarity scores match your own judgement."),
            self.tr("Ranking of scored pairs (CoSENT), or cosine regression; scores or ratings"),
        )
        self.choices["classification"].tell(
            self.tr("Classes"),
            self.tr(
                "Texts are separated the way your labels do it: entailment or contradiction, same "
                "case or a different one."
            ),
            self.tr("Softmax classification over [u; v; |u − v|], triplet loss; labels or triplets"),
        )
        self.choices["language"].tell(
            self.tr("Another language"),
            self.tr(
                "A text and its translation get the same vector, so that a query in one language "
                "finds texts in the other."
            ),
            self.tr("Multilingual distillation; pairs of a text and its translation"),
        )
