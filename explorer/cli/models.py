"""The commands `models`, `encode`, `score`, `distil` and `benchmark`."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np

from explorer.cli import options
from explorer.cli.options import device
from explorer.cli.output import Answer, clipped, duration, size, table
from explorer.errors import DataError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog
from explorer.services import encoding_speed
from explorer.services.folder_preview import text_of
from explorer.settings import Settings
from explorer.task import Task
from explorer.training.data.dataset import Dataset
from explorer.training.data.examples import read_examples

_CELL = 60  # columns of a text in a table


def models_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `models`."""
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER", help="more folders to look for models in")
    parser.add_argument("--download", metavar="NAME", help="download a model from the Hugging Face Hub")


def models(args: Namespace, task: Task) -> Answer:
    """List the available models, or download one."""
    if args.download:
        path = catalog.download(args.download, task=task)
        return Answer({"name": args.download, "path": str(path)}, f"Downloaded {args.download} to {path}.")
    entries = catalog.entries(args.folders)
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
        for entry in entries
    ]
    rows = [
        (
            entry.name,
            entry.kind or "unusable",
            entry.source,
            size(entry.bytes),
            entry.dimension,
            " ".join(entry.languages),
            entry.licence,
            "yes" if entry.on_disk else "download",
        )
        for entry in entries
    ]
    head = ("model", "kind", "source", "size", "dimension", "languages", "licence", "on disk")
    lines = [table(head, rows), *[entry.problem for entry in entries if entry.problem]]
    lines += [f"{entry.name}: {_measured(entry)}" for entry in entries if entry.measures]
    lines.append("The program works offline. Only `docexplorer models --download NAME` uses the network.")
    return Answer(data, "\n".join(lines))


def _measured(entry: catalog.CatalogEntry) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in entry.measures)


def encode_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `encode`."""
    parser.add_argument(
        "texts",
        metavar="TEXTS",
        help="a UTF-8 file with one text per line, or - for standard input; with --cluster a data set",
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE.npy", help="where to write the vectors; with --cluster a folder of shards"
    )
    parser.add_argument("--role", choices=("query", "document"), help="the prompt of the model to apply, if it has any")
    parser.add_argument("--draft", action="store_true", help="use the draft encoder of the model")
    options.add_model(parser)
    options.add_device(parser)
    options.add_cluster(parser)
    parser.add_argument("--text-column", default="", metavar="NAME", help="with --cluster: the column of the texts")
    parser.add_argument("--id-column", default="", metavar="NAME", help="with --cluster: the column of the ids")
    parser.add_argument("--shard-rows", type=int, default=20_000, metavar="N", help="with --cluster: rows of a shard")
    parser.add_argument("--no-text", action="store_true", help="with --cluster: leave the texts out of the shards")


def encode(args: Namespace, task: Task) -> Answer:
    """Encode the lines of a file into a .npy; after a cancel, those that were ready. With --cluster a data set."""
    if args.cluster:
        return _encode_dataset(args, task)
    texts = _lines(Path(args.texts))
    out = _vector_file(Path(args.out))
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
    parser.add_argument("pairs", type=Path, metavar="PAIRS", help="CSV, TSV or JSONL with two columns of text")
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
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write the draft encoder")
    options.add_model(parser)
    options.add_device(parser, precision="float32")


def distil(args: Namespace, task: Task) -> Answer:
    """Distil the draft encoder of a model and write it."""
    encoder = BiEncoder.open(catalog.find(args.model), device(args))
    made = static_encoder.distil(encoder, task=task)
    made.save(args.out)
    data = {"out": str(args.out), "dimension": made.dimension, "fingerprint": made.fingerprint}
    return Answer(data, f"Wrote the draft encoder of {args.model} to {args.out}.")


def benchmark_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `benchmark`."""
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="FOLDER", help="also estimate how long this folder would take"
    )
    options.add_model(parser)
    options.add_device(parser)


def benchmark(args: Namespace, task: Task) -> Answer:
    """Measure the texts per second by device and precision, and estimate what a folder would take."""
    files, text = text_of(args.folder, task) if args.folder else (0, 0.0)
    settings = Settings(model=args.model, device=args.device, threads=args.threads or 0, precision=args.precision)
    speeds = encoding_speed.measure(settings, task)
    data: dict[str, object] = {
        "model": args.model,
        "text_bytes": round(speeds[0].length),
        "speeds": [
            {
                "device": speed.device,
                "precision": speed.precision,
                "used": speed.used,
                "texts_per_second": round(speed.texts, 1),
                "bytes_per_second": round(speed.size),
            }
            for speed in speeds
        ],
        "folder": None,
    }
    rows = [
        (speed.device, speed.precision, round(speed.texts), size(round(speed.size)) + "/s", "yes" if speed.used else "")
        for speed in speeds
    ]
    lines = [table(("device", "precision", "texts/s", "text", "used"), rows)]
    lines.append(f"Texts of about {speeds[0].length:.0f} bytes, encoded with {args.model}.")
    if args.folder:
        seconds = text / max(1.0, next(speed.size for speed in speeds if speed.used))
        data["folder"] = {"files": files, "bytes": round(text), "seconds": round(seconds, 1)}
        lines.append(f"{args.folder}: {files:,} files with about {size(round(text))} of text, {duration(seconds)}.")
    return Answer(data, "\n".join(lines))


def open_bi_encoder(args: Namespace, task: Task) -> BiEncoder | static_encoder.StaticEncoder:
    """Open the bi-encoder that --model names, or its draft encoder."""
    encoder = BiEncoder.open(catalog.find(args.model), device(args))
    return static_encoder.static_encoder_of(encoder, task) if args.draft else encoder


def _lines(path: Path) -> list[str]:
    try:
        given = sys.stdin.buffer if str(path) == "-" else path.open("rb")
        with io.TextIOWrapper(given, encoding="utf-8-sig") as lines:
            return [line.removesuffix("\n") for line in lines]
    except UnicodeDecodeError as error:
        raise DataError("{file}: this is not UTF-8 text. Save it as UTF-8 and try again.", file=path) from error
    except OSError as error:
        raise DataError(
            "{file}: cannot be read ({reason}). Check the name and the permissions.", file=path, reason=error.strerror
        ) from error


def _vector_file(path: Path) -> Path:
    """Return the output path, checked before the long work."""
    if not path.parent.is_dir():
        raise DataError("{parent}: no such folder. Create it, or choose another for --out.", parent=path.parent)
    return path if path.suffix == ".npy" else path.with_name(path.name + ".npy")


def _encode_dataset(args: Namespace, task: Task) -> Answer:
    """Encode a data set into Parquet shards."""
    from explorer.cluster.connection import connect
    from explorer.cluster.datasets import encode_dataset
    from explorer.cluster.units import Columns

    encoder = BiEncoder.open(catalog.find(args.model), device(args))
    with connect(args.cluster) as cluster:
        done = encode_dataset(
            cluster,
            encoder,
            args.texts,
            args.out,
            columns=Columns(args.text_column, args.id_column),
            shard_rows=args.shard_rows,
            cores=args.worker_cores,
            precision=args.precision,
            with_text=not args.no_text,
            task=task,
        )
    data = {"out": args.out, "model": encoder.fingerprint, **vars(done), "failed": [list(row) for row in done.failed]}
    text = f"{done.passages:,} passages encoded into {done.shards:,} shards in {args.out}; {done.ready:,} were there."
    lines = [text, *(f"{file}, row {row:,}: {reason}" for file, row, reason in done.failed)]
    return Answer(data, "\n".join(lines), failed=bool(done.failed))
