"""The command `report`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cli import options
from explorer.cli.context import encoder_of, maker, opened
from explorer.cli.output import Answer
from explorer.errors import DataError, ExplorerError
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Task
from explorer.workspace.export.report import Report, ReportItem, write_report
from explorer.workspace.overview.overview import picture, survey
from explorer.workspace.search.search import Results, Searcher, find_document
from explorer.workspace.storage.annotations import tags_of

if TYPE_CHECKING:
    from explorer.workspace.storage.vector_table import VectorTable
    from explorer.workspace.workspace import Workspace


def report_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `report`."""
    options.add_folder(parser)
    parser.add_argument("documents", nargs="*", metavar="DOCUMENT", help="paths or titles of documents")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the web page to write, ending in .html"
    )
    parser.add_argument("--query", metavar="WORDS", help="report on the results of this query")
    parser.add_argument("--tag", metavar="TAG", help="report on all documents with this tag")
    parser.add_argument(
        "-k",
        type=int,
        default=20,
        metavar="N",
        help="number of results of the query (default: %(default)s)",
    )
    parser.add_argument("--language", choices=("en", "ko"), default="en", help="language of the report")
    options.add_stored_model(parser)
    options.add_device(parser)


def report(args: Namespace, task: Task) -> Answer:
    """Write a web page about the results of a query, the documents with a tag, or named documents."""
    if args.out.suffix.lower() != ".html":
        raise DataError("{out}: a report is a web page. End the name with .html.", out=args.out)
    if bool(args.query) + bool(args.tag) + bool(args.documents) != 1:
        raise ExplorerError("Choose what the report is about: --query WORDS, --tag TAG, or documents.")
    with opened(args) as (workspace, matrix):
        tags = tags_of(workspace)
        found = _found(args, workspace, matrix, task) if args.query else None
        numbers = [hit.document for hit in found.hits] if found else _named(args, workspace, tags)
        seen = survey(workspace, matrix, task=task)
        drawn = picture(workspace, seen)
        clusters = dict(zip(seen.land.documents.tolist(), seen.shown.labels.tolist(), strict=True))
        names, hits = seen.names(), {hit.document: hit for hit in found.hits} if found else {}
        items = []
        for number in numbers:
            entry, hit = workspace.document(number), hits.get(number)
            facts = tuple(
                (name, str(value)[:200]) for name, value in entry.metadata.items() if name != "title"
            )
            items.append(
                ReportItem(number, entry.title, entry.path, workspace.text(number), entry.part,
                     (hit.start, hit.end) if hit else None, hit.score if hit else None,
                     names.get(clusters.get(number, -1), ""), tuple(sorted(tags.get(number, ()))), facts[:6])
            )  # fmt: skip
        made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
        total, title = workspace.counts()["documents"], workspace.root.name
    told = Report(title, args.tag or "", items, total, made, args.query or "", matrix.model.name, 0, drawn)
    write_report(told, args.out, args.language)
    return Answer({"out": str(args.out), "documents": len(items)}, f"{args.out}: {len(items):,} documents")


def _found(args: Namespace, workspace: Workspace, matrix: VectorTable, task: Task) -> Results:
    made = maker(args, matrix)
    encoder = encoder_of(made, args) if made else None
    if made is None or not isinstance(encoder, BiEncoder):
        raise ExplorerError(
            "--query needs the model that made the vectors, which was not found. Name documents instead."
        )
    return Searcher(workspace, encoder, made.languages).search(args.query, k=args.k, task=task)


def _named(args: Namespace, workspace: Workspace, tags: dict[int, frozenset[str]]) -> list[int]:
    if not args.tag:
        return [find_document(workspace, name).id for name in args.documents]
    numbers = sorted(number for number, kept in tags.items() if args.tag in kept)
    if not numbers:
        known = ", ".join(sorted({tag for kept in tags.values() for tag in kept})) or "none"
        raise ExplorerError(
            "No document has the tag “{tag}”. Tags in use: {known}.", tag=args.tag, known=known
        )
    return numbers
