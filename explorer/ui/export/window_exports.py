"""Exports of a window: panels, the map, and the report on selected documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QDateTime, QLocale, QObject, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QSpinBox, QWidget

from explorer.ui.export.exporter import Exporter, ExportSource, source_of
from explorer.ui.look import language
from explorer.ui.map.panel import MapExport, MapSource, map_source
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import plain_label, set_kind
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.task import Task
    from explorer.ui.state.session import Session
    from explorer.ui.window.main_window import MainWindow
    from explorer.workspace.export.report import ReportItem
    from explorer.workspace.search.search import Hit
    from explorer.workspace.storage.documents import Listing


_FACTS = 6  # fields shown for each document
MAP = "map"


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
        limit = row(self._how_many, self.most, None)
        buttons = row(None, self._cancel, self.save)
        parts = (self._title, self.about, limit, self.left_out, self._contents, buttons)
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


@dataclass(frozen=True, eq=False)
class ReportRequest:
    """What a report contains.

    Attributes:
        title: Of the folder.
        why: What the documents have in common.
        documents: Their ids, in order.
        listing: All documents.
        clusters: The name of each document's cluster.
        tags: The tags of documents.
        hits: Their search results.
        query: The query.
        drawn: The map.
        made: When, in words.
        language: Of the report.
        most: How many of the documents it holds; the others are counted in it.
    """

    title: str
    why: str
    documents: tuple[int, ...]
    listing: Listing
    clusters: dict[int, str]
    tags: dict[int, frozenset[str]]
    hits: dict[int, Hit]
    query: str
    drawn: MapSource | None
    made: str
    language: str
    most: int = USUAL


def gather(session: Session, marked: str, everything: str) -> ReportRequest | None:
    """Return the marked documents, else the results and filter, else all; None if there are none.

    Args:
        session: The session.
        marked: What marked documents are called.
        everything: What all documents are called.
    """
    listing, folder, search = session.listing, session.folder, session.search
    if listing is None or folder is None or not len(listing):
        return None
    hits = search.results.hits if search is not None and search.results is not None else ()
    order = [hit.document for hit in hits] or listing.ids.tolist()
    why = everything if not hits or search is None else ""
    if session.selection.marked:
        marks, why = session.selection.marked, marked
        order = [*(document for document in order if document in marks), *(marks - DocumentSet(order))]
    elif session.filter is not None:
        filtered, why = session.filter.documents, session.filter.why
        order = [document for document in order if document in filtered]
    names = {cluster.id: cluster.name for cluster in session.clusters.clusters} if session.clusters else {}
    clusters = (
        {document: names.get(label, "") for document, label in session.clusters.by_document().items()}
        if session.clusters
        else {}
    )
    now = QLocale().toString(QDateTime.currentDateTime(), QLocale.FormatType.ShortFormat)
    ids = np.array(order, np.int64)
    documents = tuple(ids[listing.rows.of_each(ids) >= 0].tolist())
    return (
        None
        if not documents
        else ReportRequest(
            folder.name,
            why,
            documents,
            listing,
            clusters,
            session.tags,
            {hit.document: hit for hit in hits},
            search.text if hits and search is not None else "",
            map_source(session),
            now,
            language.current(),
        )
    )


def make(workspace: OpenWorkspace, request: ReportRequest, path: Path, task: Task) -> None:
    """Read the texts and write the report; aside worker.

    Raises:
        Cancelled: The task was cancelled.
        DataError: The file cannot be written.
    """
    from explorer.workspace.export.report import Report, write_report

    items = []
    for done, document in enumerate(request.documents[: request.most]):
        task.report(done, min(request.most, len(request.documents)), path.name)
        items.append(_item(request, document, workspace.documents.text(document)))
    report = Report(
        request.title,
        request.why,
        items,
        len(request.listing),
        request.made,
        request.query,
        workspace.models.used_name,
        max(0, len(request.documents) - request.most),
        request.drawn.picture() if request.drawn else None,
    )
    write_report(report, path, request.language)


def _item(request: ReportRequest, document: int, text: str) -> ReportItem:
    from explorer.workspace.export.report import ReportItem

    listing, hit = request.listing, request.hits.get(document)
    row = listing.rows[document]
    known = ((name, values[row]) for name, values in listing.fields.items() if name != "title")
    facts = tuple((name, str(value)[:200]) for name, value in known if value not in (None, ""))
    return ReportItem(
        document,
        listing.titles[row],
        listing.paths[row],
        text,
        listing.parts[row],
        (hit.start, hit.end) if hit else None,
        float(hit.score) if hit else None,
        request.clusters.get(document, ""),
        tuple(sorted(request.tags.get(document, ()))),
        facts[:_FACTS],
    )


class WindowExports(QObject):
    """Exports and reports of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session, self._actions = window, window.session, window.actions
        self.exporter = Exporter(window.actions, window)
        self._map = MapExport(window.map, window.session)
        window.docks.export_requested.connect(self.export)
        window.docks.copy_requested.connect(self.copy)

    def choices(self) -> list[tuple[str, str]]:
        """Return names and titles of what can be exported."""
        panels = self._window.docks.panels.values()
        return [(MAP, self.tr("Map")), *((panel.name, panel.title()) for panel in panels if panel.exportable)]

    def source(self, name: str) -> ExportSource:
        """Return what a panel can export."""
        return self._map.source() if name == MAP else source_of(self._window.docks.panels[name])

    def here(self) -> str:
        """Return the panel with the keyboard focus, or the documents."""
        focus = QApplication.focusWidget()
        if focus is not None and self._window.map.isAncestorOf(focus):
            return MAP
        return self._window.docks.name_of(focus) or "documents"

    def export(self, name: str = "") -> None:
        """Ask for a file and export a panel, by default the one with the keyboard focus."""
        name = name or self.here()
        title = dict(self.choices()).get(name, name)
        folder = self._session.folder.name if self._session.folder else ""
        self.exporter.ask(self.source(name), f"{folder} {title}".strip())

    def copy(self, name: str = "") -> None:
        """Copy a panel's table to the clipboard."""
        self.exporter.copy(self.source(name or self.here()))

    def ask_report(self) -> None:
        """Say what a report on the selection will contain, then ask for a file and write it."""
        request = self._request()
        if request is None:
            self._actions.notify(self.tr("There are no documents to report on."))
            return
        dialog = ReportDialog(request, self._window)
        dialog.agreed.connect(lambda most: self._save_report(replace(request, most=most)))
        dialog.open()

    def _save_report(self, request: ReportRequest) -> None:
        name = self.tr("Report on {folder}").format(folder=request.title)
        chosen, _ = QFileDialog.getSaveFileName(
            self._window,
            self.tr("Report on selection"),
            str(Path.home() / f"{name}.html"),
            self.tr("Web page (*.html)"),
        )
        if chosen:
            path = Path(chosen)
            self.report(path if path.suffix else path.with_suffix(".html"), request)

    def _request(self) -> ReportRequest | None:
        return gather(self._session, self.tr("Selected documents"), self.tr("All documents"))

    def report(self, path: Path, request: ReportRequest | None = None) -> None:
        """Write a report, by default on the marked documents, else on results, filter or focus."""
        wanted = request or self._request()
        if wanted is None:
            self._actions.notify(self.tr("There are no documents to report on."))
            return
        self._actions.with_workspace(
            "report",
            lambda workspace, task: make(workspace, wanted, path, task),
            lambda _: self.exporter.announce(path),
            worker="aside",
            must_run=True,
            title=self.tr("Writing the report"),
        )
