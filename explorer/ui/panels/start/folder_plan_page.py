"""What reading a new folder takes: which files, which model, how much time and disk space."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QComboBox, QGridLayout, QProgressBar, QPushButton, QWidget

from explorer.corpus.readers.recognition import SECONDS_PER_PAGE
from explorer.services.folder_preview import FolderPlan, PlanChoices, TablePreview
from explorer.task import Progress
from explorer.ui.jobs.messages import Notification
from explorer.ui.look import language
from explorer.ui.widgets.layouts import column, container, row
from explorer.ui.widgets.placeholder import plain_label, set_kind
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

_MAX_NAMES = 5  # of formats and suffixes
_MODEL, _TIME = 2, 3  # the lines of the model and of the time


class FolderPlanPage(Themed, QWidget):
    """Describes a folder that the user is about to open.

    Signals:
        agreed: The folder is to be read.
        other: The user wants to choose another folder.
        left: The user goes back.
    """

    agreed = Signal()
    other = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: FolderPlan | None = None
        self.title, self.where = plain_label(kind="title"), plain_label(wrap=True, kind="faint")
        self.state = plain_label(wrap=True)
        self.line = QProgressBar(textVisible=False)
        self.names = [plain_label(kind="faint") for _ in range(5)]
        self.values = [plain_label(wrap=True) for _ in range(5)]
        self.notes = [plain_label(wrap=True, kind="faint") for _ in range(5)]
        self.better, self.faster, self.archives, self.recognise = (QCheckBox() for _ in range(4))
        self.tables = QWidget()
        self._table_rows = column(parent=self.tables, spacing=8)
        self._previews: list[QWidget] = []
        self.columns: dict[str, dict[str, QComboBox]] = {}  # the text, title and date column of each table
        self.table = container(self._grid())
        self.read_button, self.another, self.back = QPushButton(), QPushButton(), QPushButton()
        self.read_button.setProperty("kind", "main")
        self.read_button.clicked.connect(self.agreed)
        self.another.clicked.connect(self.other)
        self.back.clicked.connect(self.left)
        self.better.toggled.connect(self._show_time)
        head, buttons = (
            (self.title, self.where, self.line, self.state),
            row(self.read_button, self.another, self.back, None),
        )
        column(*head, self.table, self.tables, 8, buttons, None, parent=self, spacing=8)
        self.retranslate()

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for index, (name, value, note) in enumerate(zip(self.names, self.values, self.notes, strict=True)):
            grid.addWidget(name, 4 * index, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, 4 * index, 1)
            grid.addWidget(note, 4 * index + 1, 1)
            grid.setRowMinimumHeight(4 * index + 3, 8)
        grid.addWidget(self.better, 4 * _MODEL + 2, 1)
        grid.addWidget(self.faster, 4 * _TIME + 2, 1)
        grid.addWidget(container(column(self.archives, self.recognise, spacing=4)), 2, 1)
        return grid

    def begin(self, name: str, where: str) -> None:
        """Show that a folder is being scanned."""
        self.title.setText(name)
        self.where.setText(where)
        self._show(plan=None, state=self.tr("Scanning the folder"), busy=True)

    def show_progress(self, progress: Progress) -> None:
        """Show how many files were found so far."""
        self.state.setText(self.tr("Scanning the folder: %Ln file(s)", "", progress.done))

    def show_error(self, error: Notification) -> None:
        """Show why the folder cannot be scanned."""
        self._show(plan=None, state=error.sentence, busy=False, kind="error")

    def show_plan(self, plan: FolderPlan) -> None:
        """Show what will be read."""
        empty = self.tr("This folder has no files that can be read. Choose another one.")
        self._show(plan=plan if plan.files else None, state="" if plan.files else empty, busy=False)
        self.better.setChecked(plan.advice is not None and plan.advice.is_proposed)
        self.faster.setChecked(False)
        self.archives.setChecked(True)
        self.recognise.setChecked(False)
        self._show_tables(plan)
        if plan.files:
            self.read_button.setFocus()

    def _show(self, *, plan: FolderPlan | None, state: str, busy: bool, kind: str = "faint") -> None:
        self._plan = plan
        self.line.setVisible(busy)
        self.line.setRange(0, 0)
        self.state.setText(state)
        self.state.setVisible(bool(state))
        set_kind(self.state, kind)
        self.table.setVisible(plan is not None)
        self.tables.setVisible(plan is not None and bool(plan.tables))
        self.read_button.setVisible(plan is not None)
        if plan is not None:
            self._fill(plan)

    def _fill(self, plan: FolderPlan) -> None:
        count = self.tr("%Ln file(s), {size}", "", plan.files).format(size=_size(plan.size))
        spoken = [f"{language.names_of((code,))} {share:.0%}" for code, share in plan.spoken[:_MAX_NAMES]]
        languages = ", ".join(spoken) or self.tr("not known before the files are read")
        disk = self.tr("about {size}").format(size=_size(plan.disk))
        values = (count, languages, plan.model, self._time(plan.seconds), disk)
        tight = plan.disk > 0.8 * plan.free
        enough, little = self.tr("in {place}; {free} available"), self.tr("only {free} available in {place}")
        notes = (
            self._kinds(plan),
            self.tr("Found in a sample of the texts.") if spoken else "",
            self._model_note(plan),
            self.tr("A rough estimate. You can explore and search in the meantime, and stop at any time."),
            (little if tight else enough).format(place=plan.location, free=_size(plan.free)),
        )
        for label, text in zip((*self.values, *self.notes), (*values, *notes), strict=True):
            label.setText(text)
        self._show_time()
        for note in self.notes:
            note.setVisible(bool(note.text()))
        set_kind(self.notes[-1], "stale" if tight else "faint")
        advice = plan.advice
        set_kind(self.notes[_MODEL], "stale" if advice is not None else "faint")
        self.better.setVisible(advice is not None and bool(advice.better))
        if advice is not None and advice.better:
            if advice.at_a_price and advice.share < 1:
                text = self.tr("Use {model} for this folder, which reads it, but the other texts less well")
            else:
                text = self.tr("Use {model} for this folder, which reads it")
            self.better.setText(text.format(model=advice.better.rpartition("/")[2]))
        self.faster.setVisible(plan.faster is not None)
        if plan.faster is not None:
            text = self.tr("Faster and a little less accurate: {time}, with {model}")
            self.faster.setText(text.format(time=self._time(plan.faster[1]), model=plan.faster[0]))

        kinds = dict(plan.families)
        self.archives.setVisible("archives" in kinds)
        self.archives.setText(self.tr("Read archives as folders"))
        self.recognise.setVisible(bool(plan.recognise))
        if plan.recognise:
            text = self.tr(
                "Recognise the text of %Ln picture(s) and scanned page(s), about {minutes} min, after all else",
                "",
                plan.pictures,
            )
            minutes = max(1, round(plan.pictures * SECONDS_PER_PAGE / 60))
            self.recognise.setText(text.format(minutes=f"{minutes:,}"))

    def _show_time(self) -> None:
        """Show the time of the model that would be used."""
        if self._plan is not None:
            other = self._plan.better_seconds if self.better.isChecked() else None
            self.values[_TIME].setText(self._time(other or self._plan.seconds))

    def _model_note(self, plan: FolderPlan) -> str:
        if plan.advice is None:
            return self.tr("Runs on this computer; nothing is sent anywhere.")
        advice = plan.advice
        text = self.tr("This model does not read {language}, in which {share} of the texts are written.")
        lines = [text.format(language=language.names_of(advice.languages), share=f"{advice.share:.0%}")]
        if not advice.better:
            lines.append(self.tr("No model on this computer does: search these texts by keyword."))
        elif advice.left:
            text = self.tr("The other model does not read {language} either: search those texts by keyword.")
            lines.append(text.format(language=language.names_of(advice.left)))
        return " ".join(lines)

    def _show_tables(self, plan: FolderPlan) -> None:
        """Show the beginning of each table, and a choice of the column that holds the text."""
        for shown in self._previews:
            shown.deleteLater()
        self._previews, self.columns = [], {}
        for table in plan.tables:
            about = plain_label(wrap=True)
            about.setText(
                self.tr("{file}: about {rows} rows, {columns} columns").format(
                    file=table.path, rows=f"{table.count:,}", columns=len(table.columns)
                )
            )
            boxes = self.columns[table.path] = self._column_boxes(table)
            words = {"text_column": self.tr("Text"), "title_column": self.tr("Title"), "date_column": self.tr("Date")}
            choices = []
            for key, box in boxes.items():
                name = plain_label(kind="faint")
                name.setText(words[key])
                box.setAccessibleName(f"{table.path}: {words[key]}")
                choices += [name, box]
            rows = RowTable(table.path)
            rows.show_rows(table.columns, table.rows, wide=range(len(table.columns)))
            rows.setFixedHeight((len(table.rows) + 1) * (self.fontMetrics().height() + 12))
            rows.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
            self._previews.append(container(column(about, row(*choices, None), rows, spacing=4)))
            self._table_rows.addWidget(self._previews[-1])

    def _column_boxes(self, table: TablePreview) -> dict[str, QComboBox]:
        """Return choices of the text, title and date column, as guessed; a table need not have the last two."""
        boxes = {}
        for key, guessed in _guessed(table).items():
            box = boxes[key] = QComboBox()
            if key != "text_column":
                box.addItem("–", "")
            for name in table.columns:
                box.addItem(name, name)
            box.setCurrentIndex(max(0, box.findData(guessed)))
        return boxes

    def choices(self) -> PlanChoices:
        """Return what the user chose otherwise than proposed, and the proposed model if it is agreed to."""
        plan = self._plan
        if plan is None:
            return PlanChoices()
        guessed = {table.path: _guessed(table) for table in plan.tables}
        chosen = {
            path: {key: str(box.currentData()) for key, box in boxes.items()} for path, boxes in self.columns.items()
        }
        columns = {path: names for path, names in chosen.items() if names != guessed.get(path)}
        model = plan.faster[0] if plan.faster is not None and self.faster.isChecked() else ""
        if plan.advice is not None and self.better.isChecked():
            model = plan.advice.better
        return PlanChoices(
            columns, model, self.archives.isChecked(), plan.recognise if self.recognise.isChecked() else ""
        )

    def _kinds(self, plan: FolderPlan) -> str:
        """Return the formats, and what is left out."""
        names = self._families()
        families = [f"{names.get(key, key)} {count.files:,}" for key, count in plan.families[:_MAX_NAMES]]
        lines = [" · ".join(families)]
        if plan.unsupported:
            kinds = ", ".join(f"{suffix} {count:,}" for suffix, count in plan.unsupported[:_MAX_NAMES])
            lines.append(self.tr("Not read: {kinds}. See Problems for the reasons.").format(kinds=kinds))
        if plan.ignored:
            lines.append(self.tr("Excluded by rules: {count}").format(count=f"{plan.ignored:,}"))
        if plan.skipped:
            lines.append(self.tr("Cannot be opened: {count}").format(count=f"{plan.skipped:,}"))
        return "\n".join(lines)

    def _families(self) -> dict[str, str]:
        return {
            "plain": self.tr("Plain text"),
            "markdown": "Markdown",
            "restructured": "reStructuredText",
            "html": "HTML",
            "latex": "LaTeX",
            "notebook": self.tr("Notebooks"),
            "subtitles": self.tr("Subtitles"),
            "pdf": "PDF",
            "office": self.tr("Word-processor documents"),
            "rtf": "RTF",
            "epub": "EPUB",
            "slides": self.tr("Presentations"),
            "sheets": self.tr("Spreadsheets"),
            "hangul": "HWP",
            "legacy": self.tr("Outlook messages"),
            "iwork": "Pages, Numbers, Keynote",
            "archives": self.tr("Archives"),
            "pictures": self.tr("Pictures"),
            "mail": self.tr("Email"),
            "tables": self.tr("Tables"),
            "other": self.tr("Other"),
        }

    def _time(self, seconds: tuple[float, float]) -> str:
        least, most = seconds
        if most < 60:
            return self.tr("less than a minute")
        if most < 2 * 3600:
            low, high = max(1, round(least / 60)), max(2, round(most / 60))
            return self.tr("{low} to {high} minutes").format(low=low, high=high)
        low, high = max(1, round(least / 3600)), max(2, round(most / 3600))
        return self.tr("{low} to {high} hours").format(low=low, high=high)

    def retranslate(self) -> None:
        names = (self.tr("Files to read"), self.tr("Language"), self.tr("Model"), self.tr("Time"), self.tr("Disk"))
        for label, text in zip(self.names, names, strict=True):
            label.setText(text)
        for button, text in (
            (self.read_button, self.tr("Read this folder")),
            (self.another, self.tr("Choose another folder…")),
            (self.back, self.tr("Back")),
        ):
            button.setText(text)
            button.setAccessibleName(text)
        self.line.setAccessibleName(self.tr("Scanning the folder"))
        self.better.setAccessibleName(self.tr("Use the model that reads this language"))
        self.faster.setAccessibleName(self.tr("Use a faster, a little less accurate model"))
        self.archives.setAccessibleName(self.tr("Read archives as folders"))
        self.recognise.setAccessibleName(self.tr("Recognise the text of scans and pictures"))
        if self._plan is not None:
            self._fill(self._plan)


def _guessed(table: TablePreview) -> dict[str, str]:
    return {"text_column": table.text_column, "title_column": table.title_column, "date_column": table.date_column}


def _size(count: int) -> str:
    digits = 0 if count < 10**6 else 1
    return QLocale().formattedDataSize(count, digits, QLocale.DataSizeFormat.DataSizeTraditionalFormat)
