"""What `index` and `encode` need to work on a cluster."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from explorer.cli.output import Answer
from explorer.task import Task


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that name a cluster."""
    parser.add_argument(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help="work on a Ray cluster: auto, local, HOST:PORT or ray://HOST:PORT",
    )
    parser.add_argument(
        "--worker-cores", type=int, default=1, metavar="N", help="cores of a worker on the cluster (default: 1)"
    )


def add_dataset_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of a data set."""
    parser.add_argument("--text-column", default="", metavar="NAME", help="with --cluster: the column of the texts")
    parser.add_argument("--id-column", default="", metavar="NAME", help="with --cluster: the column of the ids")
    parser.add_argument("--shard-rows", type=int, default=20_000, metavar="N", help="with --cluster: rows of a shard")
    parser.add_argument("--no-text", action="store_true", help="with --cluster: leave the texts out of the shards")


def encode(args: Namespace, task: Task) -> Answer:
    """Encode a data set into Parquet shards."""
    from explorer.cli.models import device
    from explorer.cluster.connection import connect
    from explorer.cluster.datasets import Columns, encode_dataset
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog

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
            with_text=not args.no_text,
            task=task,
        )
    data = {"out": args.out, "model": encoder.fingerprint, **vars(done), "failed": [list(row) for row in done.failed]}
    text = f"{done.passages:,} passages encoded into {done.shards:,} shards in {args.out}; {done.ready:,} were there."
    lines = [text, *(f"{file}, row {row:,}: {reason}" for file, row, reason in done.failed)]
    return Answer(data, "\n".join(lines), failed=bool(done.failed))
