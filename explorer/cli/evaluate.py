"""The command `evaluate`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from explorer.cli import options
from explorer.cli.models import device
from explorer.cli.output import Answer, table
from explorer.errors import ModelError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog, model_folder
from explorer.task import Task
from explorer.training.data.examples import read_examples
from explorer.training.measure.evaluate import evaluate as measure

_PROBLEMS_SHOWN = 5


def evaluate_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `evaluate`."""
    parser.add_argument(
        "data",
        type=Path,
        metavar="DATA",
        help="a file of pairs or triplets, or a folder with corpus, queries, qrels",
    )
    options.add_model(parser)
    parser.add_argument("--kind", choices=("bi", "cross"), help="the kind of model expected")
    parser.add_argument("--draft", action="store_true", help="evaluate the draft encoder of the model")
    parser.add_argument(
        "--data-kind", choices=("scored", "labelled", "triplets", "retrieval"), help="the kind of data"
    )
    options.add_columns(parser, "first, second, score, label, anchor, positive, negative")
    parser.add_argument(
        "--score-range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="range of the scores"
    )
    parser.add_argument("--positive", metavar="LABEL", help="the label of similar pairs")
    parser.add_argument(
        "--retriever", metavar="MODEL", help="the bi-encoder whose 100 best results the cross-encoder reranks"
    )
    options.add_device(parser)


def evaluate(args: Namespace, task: Task) -> Answer:
    """Compute the metrics that fit the data and the model."""
    score_range = tuple(args.score_range) if args.score_range else None
    data = read_examples(args.data, dict(args.columns), args.data_kind, score_range)
    model = _model(args, task)
    retriever = BiEncoder.open(catalog.find(args.retriever), device(args)) if args.retriever else None
    found = measure(data, model, task, positive=args.positive, retriever=retriever)
    lines = [
        f"{args.data}: {found.count:,} {found.data_kind}, {found.model_kind}-encoder {args.model}",
        table(("measure", "value"), list(found.measures.items())),
    ]
    if found.problems:
        lines.append(f"{len(found.problems):,} rows were skipped:")
        lines += [f"  line {problem.line} {problem.reason}" for problem in found.problems[:_PROBLEMS_SHOWN]]
    return Answer({"data": str(args.data), "model": args.model, **found.as_dict()}, "\n".join(lines))


def _model(args: Namespace, task: Task) -> BiEncoder | CrossEncoder | static_encoder.StaticEncoder:
    said = model_folder.read(catalog.find(args.model))
    if args.kind and said.kind != args.kind:
        raise ModelError(
            "{model}: this is a {kind}-encoder, not a {kind2}-encoder. Choose another model.",
            model=args.model,
            kind=said.kind,
            kind2=args.kind,
        )
    if said.kind == "cross":
        return CrossEncoder(said, device(args))
    encoder = BiEncoder(said, device(args))
    return static_encoder.static_encoder_of(encoder, task) if args.draft else encoder
