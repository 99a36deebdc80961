"""The commands `search`, `neighbours` and `duplicates`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from explorer.analysis.text import korean
from explorer.analysis.text.characters import HANGUL
from explorer.cli import options
from explorer.cli.options import device, model_name
from explorer.cli.output import Answer, clipped, table
from explorer.errors import ExplorerError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog
from explorer.task import Task
from explorer.workspace.search import duplicates as search_duplicates
from explorer.workspace.search import similar
from explorer.workspace.search.search import Searcher, find_document
from explorer.workspace.storage.vectors.imported import find_own
from explorer.workspace.storage.vectors.table import StoredModel, VectorTable, load
from explorer.workspace.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CELL = 70


def search_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `search`."""
    options.add_folder(parser)
    parser.add_argument(
        "query", metavar="QUERY", help='words; "exact phrase", -exclude, +2 weight, field:value, like:PATH'
    )
    parser.add_argument("--mode", choices=("hybrid", "semantic", "keyword"), default="hybrid")
    parser.add_argument("-k", type=int, default=10, metavar="N", help="how many documents (default: %(default)s)")
    options.add_reranker(parser, "rerank the 100 best with a cross-encoder: the bundled one, or MODEL")
    parser.add_argument("--seconds", type=float, metavar="S", help="time limit for reranking")
    options.add_folder_model(parser)
    options.add_device(parser)


def search(args: Namespace, task: Task) -> Answer:
    """Find the best documents for a query."""
    with open_searcher(args) as searcher:
        reranker = CrossEncoder.open(catalog.find(args.rerank), device(args)) if args.rerank else None
        results = searcher.search(
            args.query, mode=args.mode, k=args.k, reranker=reranker, seconds=args.seconds, task=task
        )
    hits = [_hit(asdict(hit)) for hit in results.hits]
    rows = [(hit["rank"], hit["score"], _name(hit), hit["snippet"] or _short(hit["text"])) for hit in hits]
    lines = [table(("rank", "score", "document", "sentence"), rows) if rows else "No results.", *results.notices]
    data = {"query": results.query.text(), "exact": results.exact, "reranked": results.reranked}
    data |= {"final_share": results.final_share, "notices": list(results.notices), "hits": hits}
    return Answer(data, "\n".join(lines))


def neighbours_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `neighbours`."""
    options.add_folder(parser)
    parser.add_argument("like", nargs="*", metavar="DOCUMENT", help="paths or titles of documents")
    parser.add_argument(
        "--unlike", nargs="+", default=[], metavar="DOCUMENT", help="documents the results should not resemble"
    )
    parser.add_argument("--text", help="find documents similar to this text")
    parser.add_argument(
        "--passage",
        type=_quotation_place,
        metavar="DOCUMENT:START",
        help="list the passages most similar to the one at this character offset of a document",
    )
    parser.add_argument("-k", type=int, default=10, metavar="N", help="how many documents (default: %(default)s)")
    parser.add_argument("--metric", choices=("cosine", "euclidean"), default="cosine")
    options.add_folder_model(parser, ", or imported vectors: own, or their name")
    options.add_device(parser)


def neighbours(args: Namespace, task: Task) -> Answer:
    """List the documents most similar to others or to a text, or the passages most similar to a passage."""
    if args.passage is not None:
        return _passage_neighbours(args, task)
    if not (args.like or args.unlike or args.text):
        raise ExplorerError("Name a document, or give --text or --passage.")
    with open_workspace(args.folder, writable=False) as workspace:
        like = [find_document(workspace, name).id for name in args.like]
        unlike = [find_document(workspace, name).id for name in args.unlike]
        matrix, vector = _query_vector(args, workspace)
        nearest = similar.neighbours(matrix, like, unlike, vector=vector, k=args.k, metric=args.metric, task=task)
        data = [
            {"rank": rank, "document": entry.path, "part": entry.part, "title": entry.title, "score": hit.score}
            for rank, hit in enumerate(nearest, 1)
            for entry in [workspace.document(hit.document)]
        ]
    rows = [(row["rank"], row["score"], row["document"], clipped(str(row["title"]), _CELL)) for row in data]
    return Answer(data, table(("rank", "score", "document", "title"), rows))


def _query_vector(args: Namespace, workspace: Workspace) -> tuple[VectorTable, NDArray[np.float32] | None]:
    """Return the vectors to search and the vector of --text; imported vectors need no model."""
    own = _own(args, workspace)
    if own is None:
        encoder = BiEncoder.open(catalog.find(model_name(workspace, args.model)), device(args))
        vector = encoder.encode([args.text], role="document").whole()[0] if args.text else None
        return load(workspace, encoder.fingerprint), vector
    if args.text:
        raise ExplorerError(
            "--text needs a model to encode it, but “{name}” are imported vectors. Leave --text out, "
            "or choose another --model.",
            name=own.name,
        )
    return load(workspace, own.fingerprint), None


def _passage_neighbours(args: Namespace, task: Task) -> Answer:
    name, start = args.passage
    if args.like or args.unlike or args.text or args.metric != "cosine":
        raise ExplorerError("--passage cannot be combined with documents, --text or --metric. Leave those out.")
    with open_searcher(args) as searcher:
        document = find_document(searcher.workspace, name).id
        nearest, exact = similar.passage_neighbours(
            searcher.workspace, searcher.vector_search(), document, start, k=args.k, task=task
        )
        data = [
            {
                "rank": rank,
                "document": entry.path,
                "part": entry.part,
                "title": entry.title,
                "start": hit.location.start,
                "end": hit.location.end,
                "text": hit.text,
                "score": hit.score,
            }
            for rank, hit in enumerate(nearest, 1)
            for entry in [searcher.workspace.document(hit.location.document)]
        ]
    rows = [(row["rank"], row["score"], row["document"], _short(str(row["text"]))) for row in data]
    return Answer({"exact": exact, "passages": data}, table(("rank", "score", "document", "passage"), rows))


def duplicates_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `duplicates`."""
    options.add_folder(parser)
    parser.add_argument(
        "--threshold", type=float, default=0.9, help="lowest cosine similarity of duplicates (default: 0.9)"
    )
    options.add_folder_model(parser)
    options.add_device(parser)


def duplicates(args: Namespace, task: Task) -> Answer:
    """List documents and passages that occur more than once."""
    with open_searcher(args) as searcher:
        duplicate_groups = search_duplicates.duplicates(
            searcher.workspace, searcher.matrix(), args.threshold, languages=searcher.languages, task=task
        )
        groups = [_group(searcher.workspace, group) for group in duplicate_groups.groups]
    lines = []
    for group in groups:
        words = f"  {group['words']} words" if group["words"] else ""
        lines.append(f"{group['kind']}  {group['score']:.4f}{words}")
        whole = group["kind"] in ("exact", "near")
        lines += [
            f"    {location['document']} {location['part']}".rstrip()
            + ("" if whole else f"  {location['start']}-{location['end']}")
            for location in group["places"]
        ]
    lines = lines or ["No duplicates found."]
    if duplicate_groups.left_out:
        lines += [
            "",
            f"{duplicate_groups.left_out:,} documents are in languages the model does not read; "
            f"only their exact copies are listed.",
        ]
    return Answer({"groups": groups, "left_out": duplicate_groups.left_out}, "\n".join(lines))


def _own(args: Namespace, workspace: Workspace) -> StoredModel | None:
    """Return the imported vectors that --model names; a model of the same name takes precedence."""
    own = find_own(workspace, args.model) if args.model else None
    return own if own and args.model not in {entry.name for entry in catalog.entries()} else None


@contextmanager
def open_searcher(args: Namespace, *, writable: bool = False) -> Iterator[Searcher]:
    """Open an indexed folder, and the model to search it with."""
    with open_workspace(args.folder, writable=writable, create=False) as workspace:
        if (own := _own(args, workspace)) is not None:
            raise ExplorerError(
                "“{name}” are imported vectors of whole documents, which only “neighbours DOCUMENT” can "
                "use. Choose another --model.",
                name=own.name,
            )
        if HANGUL.search(getattr(args, "query", "")):
            korean.warm_up()  # in another process, while the model loads
        name = model_name(workspace, args.model)
        encoder = BiEncoder.open(catalog.find(name), device(args))
        yield Searcher(workspace, encoder, catalog.languages(name))


def _short(text: str) -> str:
    return clipped(" ".join(text.split()), _CELL)


def _name(hit: dict[str, Any]) -> str:
    copies = len(hit["copies"])
    return f"{hit['document']} (+{copies})" if copies else str(hit["document"])


def _hit(hit: dict[str, Any]) -> dict[str, Any]:
    hit["id"], hit["document"] = hit.pop("document"), hit.pop("path")
    return hit


def _group(workspace: Workspace, group: search_duplicates.Duplicates) -> dict[str, Any]:
    places = []
    for location in group.places:
        entry = workspace.document(location.document)
        places.append({"document": entry.path, "part": entry.part, "start": location.start, "end": location.end})
    kind = "quotation" if group.words else group.kind
    return {"kind": kind, "score": group.score, "words": group.words, "places": places}


def _quotation_place(text: str) -> tuple[str, int]:
    document, sign, start = text.rpartition(":")
    if not sign or not document or not start.isdecimal():
        raise ArgumentTypeError(f"“{text}” is not of the form DOCUMENT:START, such as notes/a.txt:1200")
    return document, int(start)
