"""A table of training examples with counts, distribution and remarks."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from explorer.services.finetuning.sources import ExamplePreview
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.widgets.charts import BarChart
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

_MOST = 60  # bad rows that are listed beside; all of them would be a wall
_RANGE_DIGITS = "{:g}"


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
