"""Arguments that several commands share, and how they open an indexed folder and its model."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace, _ArgumentGroup
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from explorer.errors import ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.models.files import model_folder as folders
from explorer.models.runtime.device import Device, choose
from explorer.models.runtime.precision import PRECISIONS
from explorer.models.static_encoder import StaticEncoder
from explorer.services.open_workspace import NAME
from explorer.workspace.storage.documents import DocumentEntry
from explorer.workspace.storage.vectors import table as matrices
from explorer.workspace.storage.vectors.imported import find_own
from explorer.workspace.storage.vectors.table import VectorTable
from explorer.workspace.update.encode import model_of_shards
from explorer.workspace.workspace import Workspace, open_workspace


def add_folder(parser: ArgumentParser) -> None:
    """Add FOLDER: an indexed folder, or its workspace."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="an indexed folder, or its workspace")


def add_model(parser: ArgumentParser, *, required: bool = False, or_else: str = "") -> None:
    """Add --model: a model from the catalog or a folder."""
    what = f"a model listed by `models`, or a folder{or_else}"
    if required:
        parser.add_argument("--model", required=True, help=what)
    else:
        parser.add_argument("--model", default=catalog.DEFAULT, help=f"{what} (default: %(default)s)")


def add_folder_model(parser: ArgumentParser, or_else: str = "") -> None:
    """Add --model: a model from the catalog or a folder; without it, that of the workspace."""
    parser.add_argument(
        "--model",
        help=f"a model listed by `models`, or a folder{or_else} (default: the one this folder was indexed with last, "
        f"{catalog.DEFAULT} for a new one)",
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


def device(args: Namespace) -> Device:
    """Return the device of --device, --threads and --precision."""
    return choose(args.device, threads=args.threads, precision=args.precision)


@contextmanager
def opened(args: Namespace) -> Iterator[tuple[Workspace, VectorTable]]:
    """Open the workspace of an indexed folder, for writing if no other process writes, and load its vectors."""
    with open_workspace(args.folder, create=False) as workspace:
        yield workspace, _matrix(workspace, args.model)


def model_name(workspace: Workspace, wanted: str | None) -> str:
    """Return the model to use: what is wanted or the workspace's own; for a new folder its shards' or the default."""
    used = workspace.meta("model")
    noted = [
        str(workspace.setting(NAME) or ""),
        *(stored.name for stored in workspace.models() if stored.fingerprint == used),
    ]
    for name in filter(None, (wanted, *noted)):
        if name == wanted:
            return name
        with suppress(ModelError):  # it is not on this machine any more
            catalog.find(name)
            return name
    for name in (catalog.DEFAULT, catalog.FASTER, catalog.BUNDLED) if used else ():  # by a version that noted no names
        with suppress(ModelError):  # it is not on this machine
            if folders.read(catalog.find(name)).fingerprint == used:
                return name
    return ("" if used else model_of_shards(workspace.source)) or catalog.DEFAULT


def maker(args: Namespace, matrix: VectorTable) -> catalog.CatalogEntry | None:
    """Return the model that made the vectors; None if it is not installed or the vectors were imported."""
    model = matrix.model
    beside = [Path(args.model)] if args.model and Path(args.model).is_dir() else []
    for entry in catalog.entries(beside):
        if entry.path and (entry.kind, entry.dimension) == (model.kind, model.dimension):
            made = StaticEncoder.open(entry.path) if entry.kind == "draft" else folders.read(entry.path)
            if made.fingerprint == model.fingerprint:
                return entry
    return None


def encoder_of(entry: catalog.CatalogEntry, args: Namespace) -> BiEncoder | StaticEncoder:
    """Open the model of a catalog entry."""
    path = catalog.find(entry.name)
    return StaticEncoder.open(path) if entry.kind == "draft" else BiEncoder.open(path, device(args))


def named(entry: DocumentEntry) -> dict[str, object]:
    """Return what identifies a document, for JSON."""
    return {"document": entry.path, "part": entry.part, "title": entry.title}


def shown(entry: DocumentEntry) -> str:
    """Return what identifies a document on one line."""
    return f"{entry.path} {entry.part}".rstrip()


def _matrix(workspace: Workspace, model: str | None) -> VectorTable:
    if model is None:
        return matrices.load(workspace)
    known = {entry.name for entry in catalog.entries()}
    own = None if model in known else find_own(workspace, model)
    return matrices.load(workspace, own.fingerprint if own else folders.read(catalog.find(model)).fingerprint)
