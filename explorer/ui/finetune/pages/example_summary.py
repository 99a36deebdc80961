"""What was found in the examples, beside their table: how many, how they are spread, what is doubtful."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from explorer.services.finetuning.example_preview import ExamplePreview
from explorer.ui.look import theme
from explorer.ui.look.language import translated
from explorer.ui.widgets.bar_chart import BarChart
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.row_table import RowTable
from explorer.ui.widgets.themed import Themed

_MOST = 60  # bad rows that are listed beside; all of them would be a wall
_RANGE_DIGITS = "{:g}"


class ExampleSummary(Themed, QWidget):
    """The examples as a table, and beside it what there is to know of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: ExamplePreview | None = None
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

    def show_found(self, found: ExamplePreview | None) -> None:
        """Show what was found, or nothing."""
        self._found = found
        self._show()

    def _show(self) -> None:
        found = self._found or ExamplePreview()
        self._show_table(found)
        self._show_counts(found)
        while (item := self.remarks.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        if found.trouble:
            self.remarks.addWidget(_Remark(translated(found.trouble), "error"))
        for sentence, fatal in found.remarks:
            self.remarks.addWidget(_Remark(translated(sentence), "error" if fatal else "stale"))
        self._bad.setVisible(bool(found.problems))
        self._bad.setText(self.tr("Rows that cannot be used"))
        listed = [
            self.tr("Line {line} {reason}").format(line=f"{line:,}", reason=translated(reason))
            for line, reason in found.problems[:_MOST]
        ]
        if found.left_out > _MOST:
            listed.append(self.tr("… and {count} more").format(count=f"{found.left_out - _MOST:,}"))
        self.problems.setText("\n".join(listed))
        self.problems.setVisible(bool(listed))

    def _show_table(self, found: ExamplePreview) -> None:
        if not found.usable and found.raw:  # nothing fits yet: show the file as it is, to choose columns
            self.table.show_rows(found.columns, found.raw, wide=range(len(found.columns)))
            return
        texts = {
            1: (self.tr("Text"),), 2: (self.tr("First text"), self.tr("Second text")),
            3: (self.tr("Text"), self.tr("Positive"), self.tr("Negative")),
        }[found.texts]  # fmt: skip
        said = any(row[-1] for row in found.rows)
        names = (*texts, self.tr("Score") if found.score_range else self.tr("Label")) if said else texts
        rows = found.rows if said else tuple(row[:-1] for row in found.rows)
        numbers = (found.texts,) if said and found.score_range else ()
        self.table.show_rows(names, rows, wide=range(found.texts), numbers=numbers)

    def _show_counts(self, found: ExamplePreview) -> None:
        kinds = {"triplets": self.tr("Training triplets"), "texts": self.tr("Training texts")}
        what = kinds.get(found.kind, self.tr("Training pairs"))
        told_of = self.tr("{what}: {count}").format(what=what, count=f"{found.usable:,}")
        if found.left_out:
            left = self.tr("Rows skipped: {count}").format(count=f"{found.left_out:,}")
            told_of = f"{told_of}\n{left}"
        self.count.setText(told_of if self._found is not None else "")
        if found.labels:
            self.balance.show_labels(found.labels)
        else:
            low, high = found.score_range or (0.0, 1.0)
            self.balance.show_scores(
                found.score_counts, _RANGE_DIGITS.format(low), _RANGE_DIGITS.format(high)
            )
        spread = self.tr("Label distribution") if found.labels else self.tr("Score distribution")
        self._spread.setText(spread)
        self._spread.setVisible(bool(found.labels or found.score_counts))

    def retranslate(self) -> None:
        self.table.setAccessibleName(self.tr("Examples"))
        self.balance.setAccessibleName(self.tr("Balance"))
        self._show()


class _Remark(QWidget):
    """A sentence with a sign before it."""

    def __init__(self, sentence: str, kind: str) -> None:
        super().__init__()
        look = theme.current()
        sign = QLabel()
        sign.setPixmap(
            theme.icon("warning", look.error if kind == "error" else look.stale).pixmap(QSize(16, 16))
        )
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
