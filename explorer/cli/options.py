"""Arguments that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, _ArgumentGroup
from pathlib import Path

from explorer.models.files import catalog
from explorer.models.runtime.precision import PRECISIONS


def add_folder(parser: ArgumentParser) -> None:
    """Add FOLDER: an indexed folder, or its workspace."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="an indexed folder, or its workspace")


def add_model(parser: ArgumentParser, *, required: bool = False, or_else: str = "") -> None:
    """Add --model: a model from the catalog or a folder."""
    what = f"a model listed by `models`, or a folder{or_else}"
    if required:
        parser.add_argument("--model", required=True, help=what)
    else:
        parser.add_argument("--model", default=catalog.BUNDLED, help=f"{what} (default: %(default)s)")


def add_folder_model(parser: ArgumentParser, or_else: str = "") -> None:
    """Add --model: a model from the catalog or a folder; without it, that of the workspace."""
    parser.add_argument(
        "--model",
        help=f"a model listed by `models`, or a folder{or_else} (default: the one this folder was indexed with last, "
        f"{catalog.BUNDLED} for a new one)",
    )


def add_stored_model(parser: ArgumentParser) -> None:
    """Add --model: one of those the folder was indexed with."""
    parser.add_argument(
        "--model", help="use the vectors of this model (default: the one that has encoded the most passages)"
    )


def add_reranker(parser: ArgumentParser, what: str) -> None:
    """Add --rerank, with or without a model."""
    parser.add_argument("--rerank", nargs="?", const=catalog.RERANKER, metavar="MODEL", help=what)


def add_device(parser: ArgumentParser, precision: str = "auto") -> None:
    """Add --device, --threads and --precision."""
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu (default: %(default)s)")
    parser.add_argument("--threads", type=int, metavar="N", help="CPU cores to use (default: all physical cores)")
    parser.add_argument(
        "--precision",
        choices=("auto", *PRECISIONS),
        default=precision,
        help="the number type to compute in (default: %(default)s)",
    )


def add_cluster(parser: ArgumentParser) -> None:
    """Add --cluster and --worker-cores."""
    parser.add_argument(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help="work on a Ray cluster: auto, local, HOST:PORT or ray://HOST:PORT",
    )
    parser.add_argument(
        "--worker-cores", type=int, default=1, metavar="N", help="cores of a worker on the cluster (default: 1)"
    )


def add_columns(parser: ArgumentParser | _ArgumentGroup, roles: str) -> None:
    """Add --columns, a list of ROLE=COLUMN."""
    parser.add_argument(
        "--columns",
        type=_column,
        nargs="+",
        default=[],
        metavar="ROLE=COLUMN",
        help=f"the column for each role; roles: {roles}",
    )


def _column(text: str) -> tuple[str, str]:
    role, sign, column = text.partition("=")
    if not sign or not role or not column:
        raise ArgumentTypeError(f"“{text}” is not of the form ROLE=COLUMN, such as score=rating")
    return role, column
