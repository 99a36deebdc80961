"""The commands `models`, `encode`, `score` and `distil`."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np

from explorer.cli import options
from explorer.cli.output import Answer, clipped, size, table
from explorer.errors import DataError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog
from explorer.models.runtime.device import Device, choose
from explorer.task import Task
from explorer.training.data.dataset import Dataset
from explorer.training.data.examples import read_examples

_CELL = 60  # columns of a text in a table


def models_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `models`."""
    parser.add_argument(
        "folders", type=Path, nargs="*", metavar="FOLDER", help="more folders to look for models in"
    )
    parser.add_argument("--download", metavar="NAME", help="download a model from the Hugging Face Hub")


def models(args: Namespace, task: Task) -> Answer:
    """List the available models, or download one."""
    if args.download:
        path = catalog.download(args.download, task=task)
        return Answer({"name": args.download, "path": str(path)}, f"Downloaded {args.download} to {path}.")
    found = catalog.entries(args.folders)
    data = [
        {
            "name": entry.name,
            "kind": entry.kind,
            "source": entry.source,
            "path": str(entry.path) if entry.path else None,
            "bytes": entry.bytes,
            "dimension": entry.dimension,
            "max_tokens": entry.max_tokens,
            "languages": list(entry.languages),
            "licence": entry.licence,
            "on_disk": entry.on_disk,
            "problem": entry.problem,
            "measures": dict(entry.measures),
        }
        for entry in found
    ]
    rows = [
        (entry.name, entry.kind or "unusable", entry.source, size(entry.bytes), entry.dimension,
         " ".join(entry.languages), entry.licence, "yes" if entry.on_disk else "download")
        for entry in found
    ]  # fmt: skip
    head = ("model", "kind", "source", "size", "dimension", "languages", "licence", "on disk")
    lines = [table(head, rows), *[entry.problem for entry in found if entry.problem]]
    lines += [f"{entry.name}: {_measured(entry)}" for entry in found if entry.measures]
    lines.append("The program works offline. Only `docexplorer models --download NAME` uses the network.")
    return Answer(data, "\n".join(lines))


def _measured(entry: catalog.CatalogEntry) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in entry.measures)


def encode_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `encode`."""
    parser.add_argument(
        "texts",
        type=Path,
        metavar="TEXTS",
        help="a UTF-8 file with one text per line, or - for standard input",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE.npy", help="where to write the vectors"
    )
    parser.add_argument(
        "--role", choices=("query", "document"), help="the prompt of the model to apply, if it has any"
    )
    parser.add_argument("--draft", action="store_true", help="use the draft encoder of the model")
    options.add_model(parser)
    options.add_device(parser)


def encode(args: Namespace, task: Task) -> Answer:
    """Encode the lines of a file into a .npy; after a cancel, those that were ready."""
    texts = _lines(args.texts)
    out = _vector_file(args.out)
    model = open_bi_encoder(args, task)
    encoding = model.encode(texts, role=args.role, task=task)
    count = int(encoding.done.sum())
    whole = count == len(texts)
    try:
        np.save(out, encoding.vectors)
    except OSError as error:
        raise DataError(
            "{out}: cannot be written ({reason}). Choose another file.", out=out, reason=error.strerror
        ) from error
    data = {
        "out": str(out),
        "texts": len(texts),
        "encoded": count,
        "dimension": model.dimension,
        "model": model.fingerprint,
    }
    text = f"{count:,} of {len(texts):,} texts encoded, {model.dimension} dimensions each, in {out}."
    return Answer(data, text if whole else text + " Rows of the other texts are zeros.", cancelled=not whole)


def score_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `score`."""
    parser.add_argument(
        "pairs", type=Path, metavar="PAIRS", help="CSV, TSV or JSONL with two columns of text"
    )
    options.add_columns(parser, "first, second")
    options.add_model(parser, required=True)
    options.add_device(parser)


def score(args: Namespace, task: Task) -> Answer:
    """Score the pairs of a file with a cross-encoder."""
    pairs = read_examples(args.pairs, dict(args.columns), "pairs")
    assert isinstance(pairs, Dataset)  # noqa: S101 - what was asked for
    model = CrossEncoder.open(catalog.find(args.model), device(args))
    scores = model.score(list(zip(pairs.first, pairs.second, strict=True)), task=task)
    relevance, shares = scores.relevance(), scores.probabilities()
    data, rows = [], []
    for row in scores.done.nonzero()[0]:
        first, second, value = pairs.first[row], pairs.second[row], round(float(relevance[row]), 6)
        labels = dict(zip(model.labels, shares[row].tolist(), strict=True)) if len(model.labels) > 1 else None
        data.append({"first": first, "second": second, "score": value, "labels": labels})
        rows.append((value, clipped(first, _CELL), clipped(second, _CELL)))
    return Answer(data, table(("score", "first", "second"), rows), cancelled=not scores.done.all())


def distil_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `distil`."""
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="where to write the draft encoder"
    )
    options.add_model(parser)
    options.add_device(parser)


def distil(args: Namespace, task: Task) -> Answer:
    """Distil the draft encoder of a model and write it."""
    encoder = BiEncoder.open(catalog.find(args.model), device(args))
    made = static_encoder.distil(encoder, task=task)
    made.save(args.out)
    data = {"out": str(args.out), "dimension": made.dimension, "fingerprint": made.fingerprint}
    return Answer(data, f"Wrote the draft encoder of {args.model} to {args.out}.")


def open_bi_encoder(args: Namespace, task: Task) -> BiEncoder | static_encoder.StaticEncoder:
    """Open the bi-encoder that --model names, or its draft encoder."""
    encoder = BiEncoder.open(catalog.find(args.model), device(args))
    return static_encoder.static_encoder_of(encoder, task) if args.draft else encoder


def device(args: Namespace) -> Device:
    """Return the device of --device and --threads."""
    return choose(args.device, threads=args.threads)


def _lines(path: Path) -> list[str]:
    try:
        given = sys.stdin.buffer if str(path) == "-" else path.open("rb")
        with io.TextIOWrapper(given, encoding="utf-8-sig") as lines:
            return [line.removesuffix("\n") for line in lines]
    except UnicodeDecodeError as error:
        raise DataError(
            "{file}: this is not UTF-8 text. Save it as UTF-8 and try again.", file=path
        ) from error
    except OSError as error:
        raise DataError(
            "{file}: cannot be read ({reason}). Check the name and the permissions.",
            file=path,
            reason=error.strerror,
        ) from error


def _vector_file(path: Path) -> Path:
    """Return the output path, checked before the long work."""
    if not path.parent.is_dir():
        raise DataError(
            "{parent}: no such folder. Create it, or choose another for --out.", parent=path.parent
        )
    return path if path.suffix == ".npy" else path.with_name(path.name + ".npy")
