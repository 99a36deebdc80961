"""The page of examples: judgements made in the window, a file, or the texts of the folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from explorer.services.finetuning import jobs
from explorer.services.finetuning.sources import ExamplePreview
from explorer.task import Task
from explorer.training.recipe import DataSource
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.finetune.pages.file_options import FileOptionsForm
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.state.session import Session
from explorer.ui.widgets.charts import BarChart
from explorer.ui.widgets.option_card import OptionCard
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

SOURCES = ("judgements", "file", "corpus")
_KEY = "examples to learn from"
_MOST = 60  # bad rows that are listed beside; all of them would be a wall
_RANGE_DIGITS = "{:g}"


class ExamplesPage(Themed, QWidget):
    """Selects the source of the examples, and previews it.

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
        self.preview: ExamplePreview | None = None
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
        self.preview_summary = ExampleSummary()
        self.stage = ContentStack(self.preview_summary)
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
        """The selected source; empty for none."""
        return next((name for name, choice in self.choices.items() if choice.isChecked()), "")

    def source(self) -> DataSource | None:
        """Return the source for a recipe; None while there is nothing to train with."""
        if self.preview is None or not self.preview.trainable:
            return None
        return self._asked()

    def folder(self) -> Path:
        """Return the folder of the source's file."""
        return self.file.path.parent if self.chosen == "file" and self.file.path else Path()

    def begin(self, goal: str) -> None:
        """Offer the sources that suit a goal, with the likeliest one selected."""
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
        self.file.read(path)

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
        """Preview the selected source in a worker."""
        source = self._asked()
        self._show_controls()
        if source is None:
            self._actions.runner.cancel(_KEY, notify=False)
            self._show_preview(None)
            return
        open_folder, path, judged = self._session.folder, self.file.path, self._session.judgements
        where = None if open_folder is None else open_folder.workspace
        self.stage.show_content()
        self.stage.set_busy(True)
        self.preview = None
        self.changed.emit()

        def look(task: Task) -> ExamplePreview:
            return jobs.look(source, path, judged, where, task)

        self._actions.runner.start(
            _KEY,
            look,
            self._show_preview,
            worker="slow",
            quiet=True,
            failed=self._on_failed,
            stopped=lambda: self._show_preview(None),
        )

    def _show_preview(self, preview: ExamplePreview | None) -> None:
        self.preview = preview
        self.stage.set_busy(False)
        self.preview_summary.show_preview(preview)
        if self.chosen == "file" and preview is not None:
            self.file.show_preview(preview)
        self._show()
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.preview = None
        self.stage.set_busy(False)
        self.stage.show_error(error)
        self.changed.emit()

    def _show_controls(self) -> None:
        index = {"": 0, "judgements": 0, "file": 1, "corpus": 2}[self.chosen]
        self._controls.setCurrentIndex(index)
        shown = (self._more, self.file, self.own)[index]
        empty = index == 0 or (index == 1 and self.file.path is None)
        self._controls.setMaximumHeight(0 if empty else shown.sizeHint().height())

    def _show(self) -> None:
        """Show the content, or what to do if there is none."""
        self._show_controls()
        if self.preview is not None:
            self.stage.show_content()
            return
        match self.chosen:
            case "judgements":
                self.stage.show_empty(
                    self.tr("No pairs rated yet. A few hundred ratings make a difference."), self.tr("Rate pairs…")
                )
            case "file":
                self.stage.show_empty(
                    self.tr("Drop a file here: CSV, TSV, JSON, JSONL or Parquet. Its columns are detected and shown."),
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
        count = len({frozenset((item.first, item.second)) for item in self._session.judgements})
        self._title.setText(self.tr("What should it learn from?"))
        self.choices["judgements"].tell(
            self.tr("My ratings"), self.tr("Pairs you rated in this folder."), "", f"{count:,}"
        )
        self.choices["file"].tell(self.tr("A file"), self.tr("A table of examples from elsewhere."))
        self.choices["corpus"].tell(self.tr("The texts themselves"), self.tr("No ratings needed."))
        self._show()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls()[:1]:
            self.take_file(Path(url.toLocalFile()))


WAYS = ("titles", "neighbours", "dropout")
_SUITS = {"search": "titles", "duplicates": "dropout", "classification": "neighbours", "language": "dropout"}


class CorpusOptions(Themed, QWidget):
    """How examples are made from the corpus.

    Attributes:
        source: As a recipe has it.

    Signals:
        reading_changed: Another way.
    """

    reading_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = DataSource(source="corpus", kind="titles")
        self.way, self._label, self.hard = QComboBox(), QLabel(), QCheckBox()
        self.way.activated.connect(self._on_changed)
        self.hard.clicked.connect(self._on_changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._label)
        row.addWidget(self.way)
        row.addWidget(self.hard)
        row.addStretch(1)
        self._touched = False
        self.retranslate()

    def suit(self, goal: str) -> None:
        """Select the way that suits a goal, unless the user selected one."""
        if not self._touched:
            self.source = replace(self.source, kind=_SUITS.get(goal, "titles"))
            self.way.setCurrentIndex(WAYS.index(self.source.kind))
            self._show()

    def _on_changed(self) -> None:
        self._touched = True
        way = str(self.way.currentData())
        hard = self.hard.isChecked() and way != "dropout"
        self.source = replace(self.source, kind=way, negatives=int(hard))
        self._show()
        self.reading_changed.emit()

    def _show(self) -> None:
        self.hard.setEnabled(self.source.kind != "dropout")

    def retranslate(self) -> None:
        words = {
            "titles": self.tr("a title and the text below it"),
            "neighbours": self.tr("two consecutive passages"),
            "dropout": self.tr("each text with itself, with dropout"),
        }
        tips = {
            "titles": self.tr("Good for search: titles are short, like queries."),
            "neighbours": self.tr("Good for topical similarity."),
            "dropout": self.tr("Good for telling texts apart when there is no other data (SimCSE)."),
        }
        now = self.source.kind
        self.way.clear()
        for index, way in enumerate(WAYS):
            self.way.addItem(words[way], way)
            self.way.setItemData(index, tips[way], role=3)  # Qt.ItemDataRole.ToolTipRole
        self.way.setCurrentIndex(WAYS.index(now))
        self.way.setAccessibleName(self.tr("How examples are generated"))
        self._label.setText(self.tr("Matching pairs are"))
        self.hard.setText(self.tr("Add similar-looking non-matches"))
        self.hard.setToolTip(
            self.tr("Hard negatives: texts that the current model considers similar although they do not match.")
        )
        self._show()


class ExampleSummary(Themed, QWidget):
    """The examples as a table, with counts, distribution and remarks beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preview: ExamplePreview | None = None
        self.table = RowTable()
        self.count, self._spread, self._bad = plain_label(wrap=True), plain_label(), plain_label(wrap=True)
        self._spread.setProperty("kind", "faint")
        self.balance = BarChart()
        self.remarks = QVBoxLayout()
        self.remarks.setSpacing(8)
        self.problems = plain_label(wrap=True)
        self.problems.setProperty("kind", "faint")
        self.problems.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 8, 8, 8)
        column.setSpacing(8)
        for part in (self.count, self._spread, self.balance):
            column.addWidget(part)
        column.addLayout(self.remarks)
        column.addWidget(self._bad)
        column.addWidget(self.problems)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(side)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setChildrenCollapsible(False)
        parts.setHandleWidth(1)
        parts.addWidget(self.table)
        parts.addWidget(area)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        parts.setSizes([560, 300])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(parts)
        self.retranslate()

    def show_preview(self, preview: ExamplePreview | None) -> None:
        """Show a preview, or clear it."""
        self._preview = preview
        self._show()

    def _show(self) -> None:
        preview = self._preview or ExamplePreview()
        self._show_table(preview)
        self._show_counts(preview)
        while (item := self.remarks.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        if preview.trouble:
            self.remarks.addWidget(_Remark(translated(preview.trouble), "error"))
        for sentence, fatal in preview.remarks:
            self.remarks.addWidget(_Remark(translated(sentence), "error" if fatal else "stale"))
        self._bad.setVisible(bool(preview.problems))
        self._bad.setText(self.tr("Rows that cannot be used"))
        listed = [
            self.tr("Line {line} {reason}").format(line=f"{line:,}", reason=translated(reason))
            for line, reason in preview.problems[:_MOST]
        ]
        if preview.left_out > _MOST:
            listed.append(self.tr("… and {count} more").format(count=f"{preview.left_out - _MOST:,}"))
        self.problems.setText("\n".join(listed))
        self.problems.setVisible(bool(listed))

    def _show_table(self, preview: ExamplePreview) -> None:
        if not preview.usable and preview.raw:  # nothing fits yet: show the file as it is, to choose columns
            self.table.show_rows(preview.columns, preview.raw, wide=range(len(preview.columns)))
            return
        texts = {
            1: (self.tr("Text"),),
            2: (self.tr("First text"), self.tr("Second text")),
            3: (self.tr("Text"), self.tr("Positive"), self.tr("Negative")),
        }[preview.texts]
        said = any(row[-1] for row in preview.rows)
        names = (*texts, self.tr("Score") if preview.score_range else self.tr("Label")) if said else texts
        rows = preview.rows if said else tuple(row[:-1] for row in preview.rows)
        numbers = (preview.texts,) if said and preview.score_range else ()
        self.table.show_rows(names, rows, wide=range(preview.texts), numbers=numbers)

    def _show_counts(self, preview: ExamplePreview) -> None:
        kinds = {"triplets": self.tr("Training triplets"), "texts": self.tr("Training texts")}
        what = kinds.get(preview.kind, self.tr("Training pairs"))
        counted = self.tr("{what}: {count}").format(what=what, count=f"{preview.usable:,}")
        if preview.left_out:
            left = self.tr("Rows skipped: {count}").format(count=f"{preview.left_out:,}")
            counted = f"{counted}\n{left}"
        self.count.setText(counted if self._preview is not None else "")
        if preview.labels:
            self.balance.show_labels(preview.labels)
        else:
            low, high = preview.score_range or (0.0, 1.0)
            self.balance.show_scores(preview.score_counts, _RANGE_DIGITS.format(low), _RANGE_DIGITS.format(high))
        spread = self.tr("Label distribution") if preview.labels else self.tr("Score distribution")
        self._spread.setText(spread)
        self._spread.setVisible(bool(preview.labels or preview.score_counts))

    def retranslate(self) -> None:
        self.table.setAccessibleName(self.tr("Examples"))
        self.balance.setAccessibleName(self.tr("Balance"))
        self._show()


class _Remark(QWidget):
    """A remark with an icon before it."""

    def __init__(self, sentence: str, kind: str) -> None:
        super().__init__()
        look = theme.current()
        sign = QLabel()
        sign.setPixmap(theme.icon("warning", look.error if kind == "error" else look.stale).pixmap(QSize(16, 16)))
        words = plain_label(wrap=True)
        words.setText(sentence)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if kind == "error":
            words.setProperty("kind", kind)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(words, 1)
