"""The commands `keywords`, `classify` and `outliers`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.analysis.clusters.classify import Category
from explorer.analysis.clusters.classify import classify as find_categories
from explorer.analysis.clusters.outliers import outliers as find_outliers
from explorer.analysis.clusters.outliers import sentence
from explorer.analysis.topics.keywords import keywords as find_keywords
from explorer.cli import options
from explorer.cli.options import encoder_of, maker, named, opened, shown
from explorer.cli.output import Answer, clipped, table
from explorer.errors import ExplorerError
from explorer.task import Task
from explorer.workspace.overview.documents import EncodedDocuments, encoded_documents, term_counts
from explorer.workspace.search.search import find_document
from explorer.workspace.search.similar import reads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

_CELL = 60


def keywords_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `keywords`."""
    options.add_folder(parser)
    parser.add_argument("documents", nargs="+", metavar="DOCUMENT", help="paths or titles")
    parser.add_argument("--count", type=int, default=10, metavar="N", help="how many (default: %(default)s)")
    options.add_stored_model(parser)
    options.add_device(parser)


def keywords(args: Namespace, task: Task) -> Answer:
    """List the words and phrases closest to a document in meaning, or the rarest if its model is not here."""
    if args.count < 1:
        raise ExplorerError("--count {count}: choose at least 1.", count=args.count)
    with opened(args) as (workspace, matrix):
        entries = [find_document(workspace, name) for name in args.documents]
        encoded = encoded_documents(workspace, matrix, task=task)
        made = maker(args, matrix)
        encoder, languages = (encoder_of(made, args), made.languages) if made else (None, ())
        counts = term_counts(workspace, encoded, task=task)
        data: list[dict[str, Any]] = []
        for entry in entries:
            terms = find_keywords(
                workspace.text(entry.id),
                (lambda texts: encoder.encode(texts).whole()) if encoder else None,
                matrix.document_vector(entry.id),
                corpus=counts,
                reads=lambda spoken: reads(languages, spoken),
                count=args.count,
                task=task,
            )
            words = [
                {"text": word.text, "score": word.score, "spans": [list(span) for span in word.spans]} for word in terms
            ]
            data.append({**named(entry), "keywords": words})
    lines = [f"{row['document']}  " + " · ".join(word["text"] for word in row["keywords"]) for row in data]
    return Answer(data, "\n".join(lines))


def classify_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `classify`."""
    options.add_folder(parser)
    parser.add_argument(
        "--category",
        type=_described,
        action="append",
        default=[],
        metavar="NAME[=DESCRIPTION]",
        help="a category, with an optional description; may be repeated",
    )
    parser.add_argument(
        "--example",
        type=_example,
        action="append",
        default=[],
        metavar="NAME=DOCUMENT",
        help="a document that belongs to a category; may be repeated",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="T",
        help="lowest confidence of a category; 0 assigns every document (default: %(default)s)",
    )
    parser.add_argument("--show", type=int, default=20, metavar="N", help="how many documents to print (default: 20)")
    options.add_stored_model(parser)
    options.add_device(parser)


def classify(args: Namespace, task: Task) -> Answer:
    """Assign a category and a confidence to every document."""
    if not args.category and not args.example:
        raise ExplorerError("Give at least one category: --category NAME[=DESCRIPTION], or --example NAME=DOCUMENT.")
    if not 0 <= args.threshold <= 1:
        raise ExplorerError("--threshold {threshold}: choose from 0 to 1.", threshold=args.threshold)
    with opened(args) as (workspace, matrix):
        encoded = encoded_documents(workspace, matrix, task=task)
        categories = _categories(args, workspace, matrix, encoded)
        classification = find_categories(
            encoded.vectors, categories, graph=encoded.graph, threshold=args.threshold, task=task
        )
        data: list[dict[str, Any]] = [
            {
                **named(workspace.document(document)),
                "category": categories[label].name if label >= 0 else None,
                "confidence": round(float(confidence), 4),
            }
            for document, label, confidence in zip(
                encoded.documents.tolist(),
                classification.labels.tolist(),
                classification.confidence.tolist(),
                strict=True,
            )
        ]
    counts = Counter(row["category"] for row in data)
    rows = [(clipped(name or "none of these", _CELL), count) for name, count in counts.most_common()]
    lines = [(row["confidence"], row["category"] or "none of these", row["document"]) for row in data[: args.show]]
    more = f"\n… and {len(data) - args.show:,} more; --json lists all" if len(data) > args.show else ""
    return Answer(
        {
            "categories": [
                {"name": category.name, "documents": counts.get(category.name, 0)} for category in categories
            ],
            "none": counts.get(None, 0),
            "documents": data,
        },
        table(("category", "documents"), rows) + "\n\n" + table(("confidence", "category", "document"), lines) + more,
    )


def outliers_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `outliers`."""
    options.add_folder(parser)
    parser.add_argument("-k", type=int, default=20, metavar="N", help="list at most N (default: %(default)s)")
    options.add_stored_model(parser)


def outliers(args: Namespace, task: Task) -> Answer:
    """List documents far from all others, with the reasons."""
    with opened(args) as (workspace, matrix):
        encoded = encoded_documents(workspace, matrix, task=task)
        entries = {entry.id: entry for entry in workspace.documents()}
        listed = [entries.get(document) for document in encoded.documents.tolist()]
        made = maker(args, matrix)
        languages = made.languages if made else ()
        ranked = find_outliers(
            encoded.graph,
            encoded.vectors,
            languages=["" if entry is None else entry.language for entry in listed],
            unreadable={entry.language for entry in listed if entry and not reads(languages, entry.language)},
            lengths=np.array([0 if entry is None else entry.characters for entry in listed]),
            limit=args.k,
        )
        data: list[dict[str, Any]] = []
        lines = []
        for rank, outlier in enumerate(ranked, 1):
            entry = listed[outlier.row]
            if entry is None:
                continue
            score = float(outlier.score) if np.isfinite(outlier.score) else None  # JSON knows no infinity
            reasons = [{"kind": reason.kind, "sentence": sentence(reason)} for reason in outlier.reasons]
            data.append({"rank": rank, **named(entry), "score": score, "reasons": reasons})
            lines.append(f"{rank:>4}  {'' if score is None else f'{score:.2f}':>5}  {shown(entry)}")
            lines += [f"            {reason['sentence']}" for reason in reasons]
    return Answer(data, "\n".join(lines) or "No outliers found.")


def _categories(
    args: Namespace, workspace: Workspace, matrix: VectorTable, encoded: EncodedDocuments
) -> list[Category]:
    """Return the categories of the arguments, each with its texts and example documents."""
    texts: dict[str, list[str]] = {}
    examples: dict[str, list[int]] = {}
    for name, description in args.category:
        texts.setdefault(name, []).extend([name, description] if description else [name])
    for name, document in args.example:
        row = encoded.rows.get(find_document(workspace, document).id)
        if row is None:
            raise ExplorerError("“{document}” is not encoded yet. Index the folder first.", document=document)
        examples.setdefault(name, []).append(row)
    names = list(dict.fromkeys([*texts, *examples]))
    made = maker(args, matrix) if texts else None
    if texts and made is None:
        raise ExplorerError(
            "--category needs the model that made the vectors, which was not found. "
            "Give its folder with --model, or use documents: --example NAME=DOCUMENT."
        )
    encoder = encoder_of(made, args) if made else None
    width = encoded.vectors.shape[1]

    def prototypes(name: str) -> NDArray[np.float32]:
        given = texts.get(name, [])
        return encoder.encode(given).whole() if encoder and given else np.zeros((0, width), np.float32)

    return [Category(name, prototypes(name), tuple(examples.get(name, ()))) for name in names]


def _described(text: str) -> tuple[str, str]:
    name, _, description = text.partition("=")
    if not name.strip():
        raise ArgumentTypeError(f"“{text}” is not of the form NAME or NAME=DESCRIPTION")
    return name.strip(), description.strip()


def _example(text: str) -> tuple[str, str]:
    name, sign, document = text.partition("=")
    if not sign or not name.strip() or not document:
        raise ArgumentTypeError(f"“{text}” is not of the form NAME=DOCUMENT")
    return name.strip(), document
