"""The commands that find: search, neighbours, duplicates."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from explorer.analysis.text import korean
from explorer.cli import options
from explorer.cli.models import device
from explorer.cli.output import Answer, clipped, table
from explorer.errors import ExplorerError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog
from explorer.task import Task
from explorer.workspace.search import duplicates as search_duplicates
from explorer.workspace.search import similar
from explorer.workspace.search.search import Searcher, find_document
from explorer.workspace.storage.imported_vectors import find_own
from explorer.workspace.storage.vector_table import StoredModel, VectorTable, load
from explorer.workspace.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CELL = 70


def search_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `search`."""
    options.add_folder(parser)
    parser.add_argument(
        "query", metavar="QUERY", help='words; "exact words", -away, +2 weighted, field:value, like:PATH'
    )
    parser.add_argument("--mode", choices=("hybrid", "semantic", "keyword"), default="hybrid")
    parser.add_argument(
        "-k", type=int, default=10, metavar="N", help="how many documents (default: %(default)s)"
    )
    options.add_reranker(parser, "let a cross-encoder order the 100 best anew: the one that ships, or MODEL")
    parser.add_argument("--seconds", type=float, metavar="S", help="time the reranking may take")
    options.add_model(parser)
    options.add_device(parser)


def search(args: Namespace, task: Task) -> Answer:
    """The best documents for a query."""
    with _finder(args) as finder:
        reranker = CrossEncoder.open(catalog.find(args.rerank), device(args)) if args.rerank else None
        found = finder.search(
            args.query, mode=args.mode, k=args.k, reranker=reranker, seconds=args.seconds, task=task
        )
    hits = [_hit(asdict(hit)) for hit in found.hits]
    rows = [(hit["rank"], hit["score"], hit["document"], _short(hit["text"])) for hit in hits]
    text = table(("rank", "score", "document", "passage"), rows) if rows else "Nothing was found."
    return Answer(
        {"query": found.query.text(), "exact": found.exact, "reranked": found.reranked, "hits": hits}, text
    )


def neighbours_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `neighbours`."""
    options.add_folder(parser)
    parser.add_argument("like", nargs="*", metavar="DOCUMENT", help="paths or titles of documents")
    parser.add_argument(
        "--unlike", nargs="+", default=[], metavar="DOCUMENT", help="documents to stay away from"
    )
    parser.add_argument("--text", help="a pasted text to be near to")
    parser.add_argument(
        "--passage",
        type=_place,
        metavar="DOCUMENT:START",
        help="list the passages nearest to the one at this character of a document",
    )
    parser.add_argument(
        "-k", type=int, default=10, metavar="N", help="how many documents (default: %(default)s)"
    )
    parser.add_argument("--metric", choices=("cosine", "euclidean"), default="cosine")
    options.add_model(parser, or_else=", or your own vectors: own, or their name")
    options.add_device(parser)


def neighbours(args: Namespace, task: Task) -> Answer:
    """The documents nearest to a document, several, or a pasted text; or the passages nearest to a passage."""
    if args.passage is not None:
        return _passage_neighbours(args, task)
    if not (args.like or args.unlike or args.text):
        raise ExplorerError(
            "Name a document, or give --text or --passage, to say what the neighbours are of."
        )
    with open_workspace(args.folder, writable=False) as workspace:
        like = [find_document(workspace, name).id for name in args.like]
        unlike = [find_document(workspace, name).id for name in args.unlike]
        matrix, vector = _aim(args, workspace)
        found = similar.neighbours(
            matrix, like, unlike, vector=vector, k=args.k, metric=args.metric, task=task
        )
        data = [
            {
                "rank": rank,
                "document": entry.path,
                "part": entry.part,
                "title": entry.title,
                "score": one.score,
            }
            for rank, one in enumerate(found, 1)
            for entry in [workspace.document(one.document)]
        ]
    rows = [(row["rank"], row["score"], row["document"], clipped(str(row["title"]), _CELL)) for row in data]
    return Answer(data, table(("rank", "score", "document", "title"), rows))


def _aim(args: Namespace, workspace: Workspace) -> tuple[VectorTable, NDArray[np.float32] | None]:
    """The vectors to look among, and that of the pasted text; vectors of the user's own need no model."""
    own = _own(args, workspace)
    if own is None:
        encoder = BiEncoder.open(catalog.find(args.model), device(args))
        vector = encoder.encode([args.text], role="document").whole()[0] if args.text else None
        return load(workspace, encoder.fingerprint), vector
    if args.text:
        raise ExplorerError(
            f"--text needs a model that turns it into a vector, and “{own.name}” are vectors of your own. "
            f"Leave --text out, or choose another --model."
        )
    return load(workspace, own.fingerprint), None


def _passage_neighbours(args: Namespace, task: Task) -> Answer:
    name, start = args.passage
    if args.like or args.unlike or args.text or args.metric != "cosine":
        raise ExplorerError(
            "--passage stands alone: its neighbours are passages, by cosine. Leave the other documents out."
        )
    with _finder(args) as finder:
        document = find_document(finder.workspace, name).id
        found, exact = similar.passage_neighbours(
            finder.workspace, finder.nearby(), document, start, k=args.k, task=task
        )
        data = [
            {
                "rank": rank,
                "document": entry.path,
                "part": entry.part,
                "title": entry.title,
                "start": one.place.start,
                "end": one.place.end,
                "text": one.text,
                "score": one.score,
            }
            for rank, one in enumerate(found, 1)
            for entry in [finder.workspace.document(one.place.document)]
        ]
    rows = [(row["rank"], row["score"], row["document"], _short(str(row["text"]))) for row in data]
    return Answer({"exact": exact, "passages": data}, table(("rank", "score", "document", "passage"), rows))


def duplicates_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `duplicates`."""
    options.add_folder(parser)
    parser.add_argument(
        "--threshold", type=float, default=0.9, help="cosine from which texts count as alike (default: 0.9)"
    )
    options.add_model(parser)
    options.add_device(parser)


def duplicates(args: Namespace, task: Task) -> Answer:
    """Texts that stand in the folder more than once, whole or in passages."""
    with _finder(args) as finder:
        found = search_duplicates.duplicates(
            finder.workspace, finder.matrix(), args.threshold, languages=finder.languages, task=task
        )
        groups = [_group(finder.workspace, group) for group in found.groups]
    lines = []
    for group in groups:
        lines.append(f"{group['kind']}  {group['score']:.4f}")
        lines += [f"    {place['document']} {place['part']}".rstrip() for place in group["places"]]
    lines = lines or ["Nothing stands here twice."]
    if found.left_out:
        lines += ["", f"{found.left_out:,} documents are in languages that the model does not read; "
                  f"of these only exact copies are listed."]  # fmt: skip
    return Answer({"groups": groups, "left_out": found.left_out}, "\n".join(lines))


def _own(args: Namespace, workspace: Workspace) -> StoredModel | None:
    """The user's own vectors, if that is what --model names; the name of a model there is means the model."""
    known = {entry.name for entry in catalog.entries()}
    return None if args.model in known else find_own(workspace, args.model)


@contextmanager
def _finder(args: Namespace) -> Iterator[Searcher]:
    with open_workspace(args.folder, writable=False) as workspace:
        if (own := _own(args, workspace)) is not None:
            raise ExplorerError(
                f"“{own.name}” are vectors of your own, one a document, which only “neighbours DOCUMENT” can use. "
                f"Choose another --model."
            )
        if korean.HANGUL.search(getattr(args, "query", "")):
            korean.warm_up()  # beside the model
        encoder = BiEncoder.open(catalog.find(args.model), device(args))
        languages = next((entry.languages for entry in catalog.entries() if entry.name == args.model), ())
        yield Searcher(workspace, encoder, languages)


def _short(text: str) -> str:
    return clipped(" ".join(text.split()), _CELL)


def _hit(hit: dict[str, Any]) -> dict[str, Any]:
    hit["id"], hit["document"] = hit.pop("document"), hit.pop("path")
    return hit


def _group(workspace: Workspace, group: search_duplicates.Duplicates) -> dict[str, Any]:
    places = []
    for place in group.places:
        entry = workspace.document(place.document)
        places.append({"document": entry.path, "part": entry.part, "start": place.start, "end": place.end})
    return {"kind": group.kind, "score": group.score, "places": places}


def _place(text: str) -> tuple[str, int]:
    document, sign, start = text.rpartition(":")
    if not sign or not document or not start.isdecimal():
        raise ArgumentTypeError(f"“{text}” is not of the form DOCUMENT:START, such as notes/a.txt:1200")
    return document, int(start)
