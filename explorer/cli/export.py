"""The commands `map`, `projector` and `report`: write what the window shows to files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.cli import options
from explorer.cli.options import encoder_of, maker, opened
from explorer.cli.output import Answer
from explorer.errors import DataError, ExplorerError
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Task
from explorer.workspace.export.map import require_format, write_map
from explorer.workspace.export.report import Report, ReportItem, write_report
from explorer.workspace.export.tensorboard import write_projector
from explorer.workspace.overview.documents import encoded_documents
from explorer.workspace.overview.overview import compute_overview, picture
from explorer.workspace.search.search import Results, Searcher, find_document
from explorer.workspace.storage.user.words import tags_of

if TYPE_CHECKING:
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace


def draw_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `map`."""
    options.add_folder(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="a file ending in .png, .svg, .csv or .html"
    )
    parser.add_argument("--method", choices=("tsne", "pca", "spectral", "isomap", "mds"))
    parser.add_argument(
        "--redraw", "--anew", action="store_true", help="lay out the map again, starting from the saved one"
    )
    parser.add_argument(
        "--colour", default="cluster", metavar="WHAT", help="colour by cluster, trust or a field (default: cluster)"
    )
    parser.add_argument("--language", choices=("en", "ko"), default="en", help="language of the labels")
    options.add_stored_model(parser)


def draw(args: Namespace, task: Task) -> Answer:
    """Write the map of a folder as a picture, a table or a web page."""
    require_format(args.out)
    with opened(args) as (workspace, matrix):
        overview = compute_overview(workspace, matrix, method=args.method, redraw=args.redraw, task=task)
        drawn = picture(workspace, overview)
    done = write_map(drawn, args.out, by=args.colour, language=args.language, task=task)
    data = {
        "out": str(args.out),
        "documents": done.points,
        "method": overview.map.method,
        "finished": overview.map.finished,
        "placed": overview.map.placed,
        "trust": overview.map.mean_trust,
        "remarks": list(done.remarks),
    }
    text = (
        f"{args.out}: {done.points:,} documents; {overview.map.mean_trust:.0%} of true neighbours are close on the map"
    )
    stopped = [] if overview.map.finished else ["The layout was stopped early; --redraw continues it."]
    return Answer(data, "\n".join([text, *stopped, *done.remarks]))


def projector_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `projector`."""
    options.add_folder(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write the files")
    options.add_stored_model(parser)


def projector(args: Namespace, task: Task) -> Answer:
    """Write the vectors and the documents' metadata for TensorBoard's projector."""
    with opened(args) as (workspace, matrix):
        encoded = encoded_documents(workspace, matrix, task=task)
        entries = {entry.id: entry for entry in workspace.documents()}
        rows = [row for row, document in enumerate(encoded.documents.tolist()) if document in entries]
        listed = [entries[int(encoded.documents[row])] for row in rows]
        columns: dict[str, list[Any]] = {
            "title": [entry.title for entry in listed],
            "path": [entry.path for entry in listed],
            "part": [entry.part for entry in listed],
            "language": [entry.language for entry in listed],
            "characters": [entry.characters for entry in listed],
        }
        files = write_projector(args.out, encoded.vectors[rows], columns, name=workspace.root.name, task=task)
    data = {"out": str(files.folder), "documents": files.rows, "dimension": files.dimension}
    return Answer(data, f"{files.folder}: {files.rows:,} vectors. Open it with: tensorboard --logdir {files.folder}")


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
        "-k", type=int, default=20, metavar="N", help="number of results of the query (default: %(default)s)"
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
        results = _search(args, workspace, matrix, task) if args.query else None
        documents = [hit.document for hit in results.hits] if results else _named(args, workspace, tags)
        overview = compute_overview(workspace, matrix, task=task)
        drawn = picture(workspace, overview)
        clusters = dict(zip(overview.encoded.documents.tolist(), overview.shown.labels.tolist(), strict=True))
        names, hits = overview.names(), {hit.document: hit for hit in results.hits} if results else {}
        items = []
        for document in documents:
            entry, hit = workspace.document(document), hits.get(document)
            facts = tuple((name, str(value)[:200]) for name, value in entry.metadata.items() if name != "title")
            items.append(
                ReportItem(
                    document,
                    entry.title,
                    entry.path,
                    workspace.text(document),
                    entry.part,
                    (hit.start, hit.end) if hit else None,
                    hit.score if hit else None,
                    names.get(clusters.get(document, -1), ""),
                    tuple(sorted(tags.get(document, ()))),
                    facts[:6],
                )
            )
        made = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
        total, title = workspace.counts()["documents"], workspace.root.name
    page = Report(title, args.tag or "", items, total, made, args.query or "", matrix.model.name, 0, drawn)
    write_report(page, args.out, args.language)
    return Answer({"out": str(args.out), "documents": len(items)}, f"{args.out}: {len(items):,} documents")


def _search(args: Namespace, workspace: Workspace, matrix: VectorTable, task: Task) -> Results:
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
    documents = sorted(document for document, own in tags.items() if args.tag in own)
    if not documents:
        known = ", ".join(sorted({tag for own in tags.values() for tag in own})) or "none"
        raise ExplorerError("No document has the tag “{tag}”. Tags in use: {known}.", tag=args.tag, known=known)
    return documents
