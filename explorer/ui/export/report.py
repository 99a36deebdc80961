"""What a report is about: taken from the session in the UI thread, filled with texts and written behind the window."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale

from explorer.ui.look import language
from explorer.ui.map.panel import MapSource, map_source
from explorer.ui.state.document_set import DocumentSet

if TYPE_CHECKING:
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.task import Task
    from explorer.ui.state.session import Session
    from explorer.workspace.export.report import ReportItem
    from explorer.workspace.search.search import Hit
    from explorer.workspace.storage.document_table import Listing

MOST = 500  # documents of a report
_FACTS = 6  # fields that are told of a document


@dataclass(frozen=True, eq=False)
class ReportRequest:
    """What a report is to tell.

    Attributes:
        title: Of the folder.
        why: What the documents have in common.
        documents: Their numbers, in order.
        listing: All documents.
        clusters: The name of each document's cluster.
        tags: The tags of documents.
        hits: What a search said of them.
        query: What was searched for.
        drawn: The map.
        made: When, in words.
        language: Of the report.
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


def gather(session: Session, marked: str, everything: str) -> ReportRequest | None:
    """The marked documents, else what was found and filtered, else all; None where there are none.

    Args:
        session: The session.
        marked: What marked documents are called.
        everything: What all documents are called.
    """
    listing, place, search = session.listing, session.folder, session.search
    if listing is None or place is None or not len(listing):
        return None
    hits = search.results.hits if search is not None and search.results is not None else ()
    order = [hit.document for hit in hits] or listing.ids.tolist()
    why = everything if not hits or search is None else ""
    if session.selection.marked:
        kept, why = session.selection.marked, marked
        order = [*(one for one in order if one in kept), *(kept - DocumentSet(order))]
    elif session.filter is not None:
        kept, why = session.filter.documents, session.filter.why
        order = [one for one in order if one in kept]
    names = {one.id: one.name for one in session.clusters.clusters} if session.clusters else {}
    clusters = (
        {one: names.get(label, "") for one, label in session.clusters.by_document().items()}
        if session.clusters
        else {}
    )
    now = QLocale().toString(QDateTime.currentDateTime(), QLocale.FormatType.ShortFormat)
    documents = tuple(one for one in order if one in listing.rows)
    return None if not documents else ReportRequest(
        place.path.name, why, documents, listing, clusters, session.tags, {hit.document: hit for hit in hits},
        search.text if hits and search is not None else "", map_source(session), now, language.current(),
    )  # fmt: skip


def make(workspace: OpenWorkspace, wanted: ReportRequest, path: Path, task: Task) -> None:
    """Read the texts and write the report; aside worker.

    Raises:
        Cancelled: The task was cancelled.
        DataError: The file cannot be written.
    """
    from explorer.workspace.export.report import Report, write_report

    items = []
    for done, number in enumerate(wanted.documents[:MOST]):
        task.report(done, min(MOST, len(wanted.documents)), path.name)
        items.append(_item(wanted, number, workspace.documents.text(number)))
    report = Report(
        wanted.title, wanted.why, items, len(wanted.listing), wanted.made, wanted.query, workspace.models.used_name,
        max(0, len(wanted.documents) - MOST), wanted.drawn.picture() if wanted.drawn else None,
    )  # fmt: skip
    write_report(report, path, wanted.language)


def _item(wanted: ReportRequest, number: int, text: str) -> ReportItem:
    from explorer.workspace.export.report import ReportItem

    listing, hit = wanted.listing, wanted.hits.get(number)
    row = listing.rows[number]
    known = ((name, values[row]) for name, values in listing.fields.items() if name != "title")
    facts = tuple((name, str(value)[:200]) for name, value in known if value not in (None, ""))
    return ReportItem(
        number, listing.titles[row], listing.paths[row], text, listing.parts[row],
        (hit.start, hit.end) if hit else None, float(hit.score) if hit else None, wanted.clusters.get(number, ""),
        tuple(sorted(wanted.tags.get(number, ()))), facts[:_FACTS],
    )  # fmt: skip
