"""The page of examples: the judgements made in the window, a file, or the texts of the folder themselves."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from explorer.services.finetuning import jobs
from explorer.services.finetuning.example_preview import ExamplePreview
from explorer.task import Task
from explorer.training.recipe import DataSource
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.finetune.pages.corpus_options import CorpusOptions
from explorer.ui.finetune.pages.example_summary import ExampleSummary
from explorer.ui.finetune.pages.file_options import FileOptionsForm
from explorer.ui.state.session import Session
from explorer.ui.widgets.option_card import OptionCard
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.widgets.themed import Themed

SOURCES = ("judgements", "file", "corpus")
_KEY = "examples to learn from"


class ExamplesPage(Themed, QWidget):
    """Where the examples come from, and what they are.

    Attributes:
        found: What is there; None while it is looked for, or nothing is chosen.

    Signals:
        changed: Another source, or something else was found in it.
        judge_requested: The user wants to judge pairs.
    """

    changed = Signal()
    judge_requested = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self.found: ExamplePreview | None = None
        self.choices = {name: OptionCard(self) for name in SOURCES}
        for choice in self.choices.values():
            choice.clicked.connect(self._on_source)
        self.file, self.own = FileOptionsForm(), CorpusOptions()
        self.file.reading_changed.connect(self._on_source)
        self.own.reading_changed.connect(self._on_source)
        self._title, self._more = plain_label(wrap=True), plain_label(wrap=True)
        self._title.setProperty("kind", "title")
        self._more.setProperty("kind", "faint")
        self._controls = QStackedWidget()
        for part in (self._more, self.file, self.own):
            self._controls.addWidget(part)
        self.findings = ExampleSummary()
        self.stage = ContentStack(self.findings)
        self.stage.chosen.connect(self._on_stage)
        self.stage.retried.connect(self._on_source)
        self._lay_out()
        self.setAcceptDrops(True)
        session.judgements_changed.connect(self._on_session)
        session.folder_changed.connect(self._on_session)
        self.retranslate()
        self._show()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        for choice in self.choices.values():
            row.addWidget(choice, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 0)
        column.setSpacing(12)
        column.addWidget(self._title)
        column.addLayout(row)
        column.addWidget(self._controls)
        column.addWidget(self.stage, 1)

    @property
    def chosen(self) -> str:
        """The source that is chosen; empty for none."""
        return next((name for name, choice in self.choices.items() if choice.isChecked()), "")

    def source(self) -> DataSource | None:
        """The source as a recipe has it; None while there is none to train with."""
        if self.found is None or not self.found.trainable:
            return None
        return self._asked()

    def folder(self) -> Path:
        """Where the source's file lies."""
        return self.file.path.parent if self.chosen == "file" and self.file.path else Path()

    def begin(self, goal: str) -> None:
        """Offer what suits an aim, with the likeliest source chosen where none is."""
        self.own.suit(goal)
        for name in ("judgements", "corpus"):  # nobody but a file has translations
            self.choices[name].setEnabled(goal != "language")
        if goal == "language":
            self.choices["file"].setChecked(True)
        if not self.chosen:
            judged = len(self._session.judgements) >= jobs.ENOUGH_TO_BEGIN and goal != "language"
            self.choices["judgements" if judged else "file"].setChecked(True)
        self._on_source()

    def take_file(self, path: Path) -> None:
        """Use a file."""
        self.choices["file"].setChecked(True)
        self.file.take(path)

    def _asked(self) -> DataSource | None:
        match self.chosen:
            case "judgements":
                return DataSource(source="judgements") if self._session.judgements else None
            case "file":
                return self.file.source if self.file.path is not None else None
            case "corpus":
                return self.own.source if self._session.folder is not None else None
        return None

    def _on_session(self) -> None:
        self.retranslate()
        if self.chosen in ("judgements", "corpus") and self.isVisible():
            self._on_source()

    def _on_source(self) -> None:
        """Look at what is chosen, in a worker."""
        source = self._asked()
        self._show_controls()
        if source is None:
            self._actions.runner.cancel(_KEY, notify=False)
            self._take(None)
            return
        place, path, judged = self._session.folder, self.file.path, self._session.judgements
        where = None if place is None else place.workspace
        self.stage.show_content()
        self.stage.set_busy(True)
        self.found = None
        self.changed.emit()

        def look(task: Task) -> ExamplePreview:
            return jobs.look(source, path, judged, where, task)

        self._actions.runner.start(
            _KEY, look, self._take, worker="slow", quiet=True, failed=self._on_failed, stopped=lambda: self._take(None)
        )  # fmt: skip

    def _take(self, found: ExamplePreview | None) -> None:
        self.found = found
        self.stage.set_busy(False)
        self.findings.show_found(found)
        if self.chosen == "file" and found is not None:
            self.file.show_found(found)
        self._show()
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.found = None
        self.stage.set_busy(False)
        self.stage.show_error(error)
        self.changed.emit()

    def _show_controls(self) -> None:
        place = {"": 0, "judgements": 0, "file": 1, "corpus": 2}[self.chosen]
        self._controls.setCurrentIndex(place)
        shown = (self._more, self.file, self.own)[place]
        empty = place == 0 or (place == 1 and self.file.path is None)
        self._controls.setMaximumHeight(0 if empty else shown.sizeHint().height())

    def _show(self) -> None:
        """The content, or what to do where there is none."""
        self._show_controls()
        if self.found is not None:
            self.stage.show_content()
            return
        match self.chosen:
            case "judgements":
                self.stage.show_empty(
                    self.tr("No pairs rated yet. A few hundred ratings make a difference."),
                    self.tr("Rate pairs…"),
                )
            case "file":
                self.stage.show_empty(
                    self.tr(
                        "Drop a file here: CSV, TSV, JSON, JSONL or Parquet. Its columns are detected and "
                        "shown."
                    ),
                    self.tr("Choose file…"),
                )
            case "corpus":
                self.stage.show_empty(self.tr("Open a folder first."))
            case _:
                self.stage.show_empty(self.tr("Choose where the examples come from."))

    def _on_stage(self) -> None:
        if self.chosen == "judgements":
            self.judge_requested.emit()
        else:
            self.file.choose.click()

    def retranslate(self) -> None:
        count = len({frozenset((one.first, one.second)) for one in self._session.judgements})
        self._title.setText(self.tr("What should it learn from?"))
        self.choices["judgements"].tell(
            self.tr("My ratings"), self.tr("Pairs you rated in this folder."), "", f"{count:,}"
        )
        self.choices["file"].tell(self.tr("A file"), self.tr("A table of examples from elsewhere."))
        self.choices["corpus"].tell(self.tr("The texts themselves"), self.tr("No ratings needed."))
        self._show()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files, and folders in the layout of search collections."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Use what was dropped."""
        for url in event.mimeData().urls()[:1]:
            self.take_file(Path(url.toLocalFile()))
