"""What a report will contain, told before it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSpinBox, QWidget

from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import plain_label, set_kind
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.export.window_exports import ReportRequest

WIDTH = 480
USUAL, LARGEST = 500, 5000  # documents; a browser still opens a page of the texts of so many


class ReportDialog(Themed, Popup):
    """Tells which documents a report is about, and asks how many of them it should hold.

    Signals:
        agreed: The report is to be written, with this many documents.
    """

    agreed = Signal(int)

    def __init__(self, request: ReportRequest, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self._request = request
        self._title, self.about = plain_label(kind="title"), plain_label(wrap=True)
        self.left_out, self._contents = plain_label(wrap=True), plain_label(wrap=True, kind="faint")
        self._how_many, self.most = plain_label(), QSpinBox()
        self.most.setRange(1, min(LARGEST, len(request.documents)))
        self.most.setValue(min(USUAL, len(request.documents)))
        self.most.setSingleStep(100)
        self.save, self._cancel = QPushButton(), QPushButton()
        self.save.setProperty("kind", "main")
        self.save.setDefault(True)
        number = row(self._how_many, self.most, None)
        buttons = row(None, self._cancel, self.save)
        parts = (self._title, self.about, number, self.left_out, self._contents, buttons)
        column(*parts, parent=self, margins=(16, 12, 16, 12), spacing=10)
        self.most.valueChanged.connect(self.retranslate)
        self.save.clicked.connect(self._on_save)
        self._cancel.clicked.connect(self.reject)
        self.retranslate()
        self.save.setFocus()

    def _on_save(self) -> None:
        self.accept()
        self.agreed.emit(self.most.value())

    def retranslate(self) -> None:
        request, most = self._request, self.most.value()
        total = len(request.documents)
        self.setWindowTitle(self.tr("Report"))
        self._title.setText(self.tr("Report"))
        about = self.tr("%Ln document(s)", "", total)
        why = request.why or (self.tr("found by “{query}”").format(query=request.query) if request.query else "")
        self.about.setText(f"{about} · {why}" if why else about)
        self._how_many.setText(self.tr("Documents in the report"))
        self.most.setAccessibleName(self._how_many.text())
        left_out = total - most
        self.left_out.setText(
            self.tr("%Ln document(s) after these are left out, and the report says so.", "", left_out)
            if left_out
            else self.tr("All of them are included.")
        )
        set_kind(self.left_out, "stale" if left_out else "faint")
        contents = [self.tr("title, file and whole text of each document")]
        if request.hits:
            contents.append(self.tr("the matching passage and its score"))
        if request.clusters:
            contents.append(self.tr("its cluster"))
        if any(document in request.tags for document in request.documents):
            contents.append(self.tr("its tags"))
        if request.drawn is not None:
            contents.append(self.tr("a map that shows where they are"))
        self._contents.setText(self.tr("Each has: {contents}.").format(contents=", ".join(contents)))
        self.save.setText(self.tr("Save…"))
        self._cancel.setText(self.tr("Cancel"))
        self.fit()
