"""The page of the base model and the effort, with a form of all settings of the recipe behind "Advanced"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.errors import ExplorerError
from explorer.services.finetuning import jobs
from explorer.services.finetuning.presets import EFFORTS
from explorer.services.finetuning.requests import TrainingDraft, TrainingPlan
from explorer.training.recipe import Recipe
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.finetune import texts
from explorer.ui.jobs.messages import describe_error
from explorer.ui.look.language import translated
from explorer.ui.state.session import Session
from explorer.ui.widgets.option_card import OptionCard
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.models.files.catalog import CatalogEntry


KEY = "estimate a training"
_AGAIN = 400  # milliseconds after the last change until everything is computed again
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


class ModelPage(Themed, QWidget):
    """Selects the base model and the effort.

    Attributes:
        prepared: What the wish comes to; None while that is being found out, or where it comes to nothing.

    Signals:
        changed: Another base, effort or number; or what they come to is known.
    """

    changed = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self.plan: TrainingPlan | None = None
        self._draft: TrainingDraft | None = None
        self._base_folder: Path | None = None
        self._title, self.about = plain_label(wrap=True), plain_label(wrap=True)
        self._title.setProperty("kind", "title")
        self.about.setProperty("kind", "faint")
        self.base, self.folder, self._base_label = QComboBox(), QPushButton(), QLabel()
        self.name, self._name_label = QLineEdit(maxLength=80), QLabel()
        self.efforts = {effort: OptionCard(self) for effort in EFFORTS}
        self.efforts["balanced"].setChecked(True)
        self.guard, self._guard_about = QCheckBox(), plain_label(wrap=True)
        self.guard.setChecked(True)
        self._guard_about.setProperty("kind", "faint")
        self.more, self.advanced, self.trouble = QToolButton(), RecipeForm(), plain_label(wrap=True)
        self.trouble.setProperty("kind", "error")
        self.more.setCheckable(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.advanced.hide()
        self._later = QTimer(self, singleShot=True, interval=_AGAIN)
        self._lay_out()
        self._connect()
        self.retranslate()

    def _connect(self) -> None:
        self.base.activated.connect(self._on_base)
        self.folder.clicked.connect(self._ask_folder)
        self.name.textEdited.connect(self._on_name)
        self.guard.clicked.connect(self._on_guard)
        self.more.toggled.connect(self._on_more)
        self.advanced.numbers_changed.connect(self._prepare)
        self._later.timeout.connect(self._prepare)
        self._actions.models.changed.connect(self._look)
        for choice in self.efforts.values():
            choice.clicked.connect(self._on_effort)

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(12)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        grid.addWidget(self._base_label, 0, 0)
        grid.addWidget(self.base, 0, 1)
        grid.addWidget(self.folder, 0, 2)
        grid.addWidget(self._name_label, 1, 0)
        grid.addWidget(self.name, 1, 1)
        grid.setColumnStretch(1, 1)
        self._base_label.setBuddy(self.base)
        self._name_label.setBuddy(self.name)
        column.addWidget(self._title)
        column.addLayout(grid)
        for choice in self.efforts.values():
            column.addWidget(choice)
        guard = QVBoxLayout()
        guard.setSpacing(2)
        guard.addWidget(self.guard)
        guard.addWidget(self._guard_about)
        self._guard_about.setContentsMargins(24, 0, 0, 0)
        column.addLayout(guard)
        column.addWidget(self.about)
        column.addWidget(self.trouble)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.advanced)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)

    @property
    def effort(self) -> str:
        """The selected effort."""
        return next(effort for effort, choice in self.efforts.items() if choice.isChecked())

    def recipe(self) -> Recipe | None:
        """Return the selected recipe; None while there is none, or while its name is being typed."""
        if self.plan is None or self._later.isActive():
            return None
        return self.plan.recipes.get(self.effort)

    def begin(self, draft: TrainingDraft) -> None:
        """Plan a draft; base, name and numbers are set on this page."""
        if self._draft is None or self._draft.goal != draft.goal or not self.name.text().strip():
            self.name.setText(self._default_name(draft.goal))
        self._draft = draft
        self._look()
        self._prepare()

    def _look(self) -> None:
        """List the base models again; some may have been added or removed."""
        if self._draft is not None:
            self._actions.runner.start("models to begin with", lambda _: jobs.bases(), self._take_bases, quiet=True)

    def stop(self) -> None:
        """Cancel planning."""
        self._later.stop()
        self._actions.runner.cancel(KEY, notify=False)

    def hold_back(self) -> None:
        """Train more gently: with a stronger guard and averaged with the base, or in smaller steps."""
        recipe = self.recipe()
        if recipe is not None and recipe.kind == "cross":
            self.advanced.set_number("learning_rate", recipe.learning_rate / 2)
            return
        self.advanced.set_number("guard.share", 0.3)
        self.advanced.set_number("guard.average", 0.7)

    def _default_name(self, goal: str) -> str:
        folder = self._session.folder
        return "-".join([*([] if folder is None else [_plain(folder.path.name)]), goal])

    def _take_bases(self, entries: tuple[CatalogEntry, ...]) -> None:
        chosen = self.base.currentData()
        self.base.clear()
        for entry in entries:
            there = entry.name if entry.on_disk else self.tr("{name} (not downloaded)").format(name=entry.name)
            self.base.addItem(there, entry.name)
            if not entry.on_disk:
                item = self.base.model()
                item.setData(item.index(self.base.count() - 1, 0), 0, Qt.ItemDataRole.UserRole - 1)
        if self._base_folder is not None:
            self._offer_folder(self._base_folder)
        else:
            self.base.setCurrentIndex(max(0, self.base.findData(chosen or self._session.settings.model)))
            if chosen and self.base.currentData() != chosen and self.isVisible():  # the model is gone
                self._prepare()

    def _offer_folder(self, folder: Path) -> None:
        if self.base.findData(str(folder)) < 0:
            self.base.addItem(folder.name, str(folder))
        self.base.setCurrentIndex(self.base.findData(str(folder)))

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("Choose the folder of a model"))
        if chosen:
            self.take_folder(Path(chosen))

    def take_folder(self, folder: Path) -> None:
        """Use the model of a folder as base."""
        self._base_folder = folder
        self._offer_folder(folder)
        self._prepare()

    def _on_name(self) -> None:
        self._later.start()
        self.changed.emit()

    def _on_base(self) -> None:
        chosen = str(self.base.currentData() or "")
        self._base_folder = Path(chosen) if chosen and Path(chosen).is_absolute() else None
        self._prepare()

    def _on_guard(self, on: bool) -> None:
        self.advanced.set_number("guard.share", None if on else 0.0)
        self.advanced.set_number("guard.average", None)
        self._prepare()

    def _on_more(self, on: bool) -> None:
        self.advanced.setVisible(on)
        self.more.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)

    def _on_effort(self) -> None:
        self._show()
        self.changed.emit()

    def draft(self) -> TrainingDraft | None:
        """Return the draft with the selections of this page."""
        if self._draft is None:
            return None
        chosen = self._session.settings
        named = "" if self._base_folder is not None else str(self.base.currentData() or chosen.model)
        return replace(
            self._draft,
            base=named,
            base_folder=self._base_folder,
            name=self.name.text().strip() or "fine-tuned",
            numbers=self.advanced.numbers,
            device=chosen.device,
            threads=chosen.threads,
        )

    def _prepare(self) -> None:
        """Plan again in the background."""
        draft = self.draft()
        if draft is None:
            return
        self.plan = None
        self._say("")
        self._show()
        self.changed.emit()
        self._actions.runner.start(
            KEY,
            lambda task: jobs.prepare(draft, task),
            self._show_plan,
            worker="training",
            partial=self._show_plan,
            quiet=True,
            failed=self._on_failed,
        )

    def _show_plan(self, plan: TrainingPlan) -> None:
        self.plan = plan
        self._show()
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        sentence = describe_error(error).sentence
        if self.plan is not None and isinstance(error, ExplorerError):
            self.plan = None
        self._say(sentence)
        self.changed.emit()

    def _say(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        self.trouble.setVisible(bool(sentence))

    def _show(self) -> None:
        self._show_efforts(None if self.plan is None else self.plan.seconds)
        recipe = self.recipe()
        counts: Mapping[str, int] = {} if self.plan is None else self.plan.counts
        parts = [
            text.format(count=f"{counts[side]:,}")
            for side, text in (
                ("train", self.tr("{count} training examples")),
                ("dev", self.tr("{count} for validation")),
                ("test", self.tr("{count} for testing")),
            )
            if counts.get(side)
        ]
        lines = [" · ".join(parts)] if parts else []
        if self.plan is not None:
            lines += [translated(item) for item in self.plan.warnings]
        self.about.setText("\n".join(lines))
        self.about.setVisible(bool(lines))
        if recipe is not None:
            self.advanced.show_recipe(recipe)
            self.guard.setEnabled(recipe.kind == "bi" and recipe.objective != "distillation")
            self.guard.setChecked(recipe.guard.share > 0)

    def _show_efforts(self, seconds: Mapping[str, float] | None) -> None:
        told_of: dict[str, tuple[str, str]] = {
            "quick": (self.tr("Quick"), self.tr("Short training, to see whether it is worthwhile.")),
            "balanced": (self.tr("Balanced"), self.tr("Twice as long; stops early when there is no more improvement.")),
            "thorough": (self.tr("Thorough"), self.tr("Four times as long, with all examples; also stops early.")),
        }
        waiting = self._draft is not None and not self.trouble.text()
        for effort, choice in self.efforts.items():
            side = texts.about_time(seconds[effort]) if seconds else self.tr("estimating…") if waiting else ""
            choice.tell(*told_of[effort], "", side)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Which model, and how much training?"))
        self._base_label.setText(self.tr("Base model"))
        self._name_label.setText(self.tr("Name of the new model"))
        self.folder.setText(self.tr("Another folder…"))
        self.guard.setText(self.tr("Preserve existing abilities (guard)"))
        self._guard_about.setText(
            self.tr("Some batches keep the model close to its original answers, to limit forgetting.")
        )
        self.more.setText(self.tr("Advanced"))
        self.more.setArrowType(Qt.ArrowType.RightArrow)
        self._show()


def _plain(name: str) -> str:
    """Reduce a name to letters, digits, - and _."""
    letters = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in name)
    return letters.strip("-")[:40] or "texts"


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
