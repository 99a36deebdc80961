"""A form of all numbers of a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from explorer.training.recipe import Recipe
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

WHOLE = frozenset({
    "batch", "accumulation", "steps", "max_tokens", "freeze_layers", "adapter_rank", "seed", "patience",
    "evaluate_every", "max_examples",
})  # fmt: skip
NUMBERS = (
    "learning_rate", "epochs", "steps", "batch", "accumulation", "warm_up", "weight_decay", "clipping", "max_tokens",
    "freeze_layers", "adapter_rank", "guard.share", "guard.weight", "guard.average", "patience", "evaluate_every",
    "dev_share", "test_share", "max_examples", "max_minutes", "checkpoint_minutes", "seed",
)  # fmt: skip
CHOICES = {
    "objective": (
        "ranking", "regression", "classification", "triplet", "contrastive", "distillation", "cross-regression",
        "cross-classification",
    ),
    "schedule": ("linear", "constant"), "precision": ("auto", "float32", "bfloat16", "float16"),
}  # fmt: skip
_ACROSS = 3  # pairs of name and number on a line


class RecipeForm(Themed, QWidget):
    """A form of a recipe's numbers; the user's changes are separate from what an effort sets.

    Attributes:
        fields: The box of each number.
        choices: The box of each choice.

    Signals:
        numbers_changed: The user changed something.
    """

    numbers_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._numbers: dict[str, Any] = {}
        self.fields = {name: QLineEdit() for name in NUMBERS}
        self.choices = {name: QComboBox() for name in CHOICES}
        self._labels = {name: QLabel() for name in (*CHOICES, *NUMBERS)}
        self.error, self.reset = plain_label(wrap=True), QPushButton()
        self.error.setProperty("kind", "error")
        self.error.hide()
        self.reset.clicked.connect(self._on_reset)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        for index, (name, label) in enumerate(self._labels.items()):
            row, column = divmod(index, _ACROSS)
            box: QWidget = self.choices[name] if name in CHOICES else self.fields[name]
            label.setBuddy(box)
            grid.addWidget(label, row, 2 * column)
            grid.addWidget(box, row, 2 * column + 1)
        for column in range(_ACROSS):
            grid.setColumnStretch(2 * column + 1, 1)
        for name, line in self.fields.items():
            line.setMinimumWidth(64)
            line.editingFinished.connect(lambda name=name: self._on_number(name))
        for name, combo in self.choices.items():
            combo.addItems(list(CHOICES[name]))
            combo.activated.connect(lambda _, name=name: self._on_choice(name))
        foot = QHBoxLayout()
        foot.addWidget(self.error, 1)
        foot.addWidget(self.reset)
        column_of = QVBoxLayout(self)
        column_of.setContentsMargins(0, 0, 0, 0)
        column_of.setSpacing(8)
        column_of.addLayout(grid)
        column_of.addLayout(foot)
        self.retranslate()

    @property
    def numbers(self) -> Mapping[str, Any]:
        """The user's changes."""
        return dict(self._numbers)

    def set_number(self, name: str, value: Any) -> None:
        """Set a number; None leaves it to the effort."""
        if value is None:
            self._numbers.pop(name, None)
        else:
            self._numbers[name] = value

    def show_recipe(self, recipe: Recipe) -> None:
        """Show the numbers of a recipe."""
        for name, line in self.fields.items():
            if not line.hasFocus() or line.text() == "":
                line.setText(f"{_value(recipe, name):g}")
        for name, combo in self.choices.items():
            combo.setCurrentText(str(_value(recipe, name)))
        self.reset.setEnabled(bool(self._numbers))
        self.tell("")

    def tell(self, sentence: str) -> None:
        """Show what is wrong with a number."""
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))

    def _on_number(self, name: str) -> None:
        text = self.fields[name].text().strip().replace(",", ".")
        try:
            value: float = int(text) if name in WHOLE else float(text)
        except ValueError:
            what = self._labels[name].text()
            self.tell(self.tr("{what}: “{text}” is not a number.").format(what=what, text=text[:40]))
            return
        if self._numbers.get(name) != value and self.fields[name].isModified():
            self.fields[name].setModified(False)
            self._numbers[name] = value
            self.numbers_changed.emit()

    def _on_choice(self, name: str) -> None:
        self._numbers[name] = self.choices[name].currentText()
        if name == "objective":
            self._numbers["options"] = {}
            if self._numbers[name].startswith("cross-"):
                self._numbers["guard.share"] = 0.0  # there are no vectors to hold it to
        self.numbers_changed.emit()

    def _on_reset(self) -> None:
        self._numbers.clear()
        self.numbers_changed.emit()

    def retranslate(self) -> None:
        words = {
            "objective": self.tr("Objective"),
            "schedule": self.tr("Schedule"),
            "precision": self.tr("Precision"),
            "learning_rate": self.tr("Learning rate"),
            "epochs": self.tr("Epochs"),
            "steps": self.tr("Steps (0: use epochs)"),
            "batch": self.tr("Batch size"),
            "accumulation": self.tr("Batches per step"),
            "warm_up": self.tr("Warm-up ratio"),
            "weight_decay": self.tr("Weight decay"),
            "clipping": self.tr("Gradient clipping"),
            "max_tokens": self.tr("Maximum length (tokens)"),
            "freeze_layers": self.tr("Frozen layers"),
            "adapter_rank": self.tr("Adapter rank (LoRA)"),
            "guard.share": self.tr("Guard: ratio of batches"),
            "guard.weight": self.tr("Guard: weight"),
            "guard.average": self.tr("Average with base model"),
            "patience": self.tr("Patience"),
            "evaluate_every": self.tr("Evaluate every (steps)"),
            "dev_share": self.tr("Validation split"),
            "test_share": self.tr("Test split"),
            "max_examples": self.tr("Maximum examples"),
            "max_minutes": self.tr("Time limit (minutes)"),
            "checkpoint_minutes": self.tr("Checkpoint interval (minutes)"),
            "seed": self.tr("Seed"),
        }
        tips = {
            "freeze_layers": self.tr("Leaves the lower layers unchanged: faster, and less is forgotten. 0 for none."),
            "adapter_rank": self.tr("Trains small matrices instead of all weights. 0 for none."),
            "guard.share": self.tr("Ratio of batches that keep the model close to its base on your texts."),
            "guard.average": self.tr("1 keeps the trained weights, 0 those of the base model."),
            "patience": self.tr("Number of evaluations without improvement before training stops. 0 for never."),
            "evaluate_every": self.tr("0 for about ten evaluations in total."),
            "max_tokens": self.tr("Longer texts are truncated during training. 0 for the model's own limit."),
            "max_examples": self.tr("0 for all."),
            "max_minutes": self.tr("0 for no limit."),
        }
        for name, label in self._labels.items():
            label.setText(words[name])
            box: QWidget = self.choices[name] if name in CHOICES else self.fields[name]
            box.setAccessibleName(words[name])
            for part in (label, box):
                part.setToolTip(tips.get(name, ""))
        self.reset.setText(self.tr("Reset to defaults"))


def _value(recipe: Recipe, name: str) -> Any:
    inside = recipe.guard if name.startswith("guard.") else recipe
    return getattr(inside, name.removeprefix("guard."))
