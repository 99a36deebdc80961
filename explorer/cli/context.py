"""Open an indexed folder with its vectors, and the model that made them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from explorer.cli.models import device
from explorer.errors import ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.models.files import model_folder as folders
from explorer.models.static_encoder import StaticEncoder
from explorer.services.open_workspace import NAME
from explorer.workspace.storage.documents import DocumentEntry
from explorer.workspace.storage.vectors import table as matrices
from explorer.workspace.storage.vectors.imported import find_own
from explorer.workspace.storage.vectors.table import VectorTable
from explorer.workspace.workspace import Workspace, open_workspace


@contextmanager
def opened(args: Namespace) -> Iterator[tuple[Workspace, VectorTable]]:
    """Open the workspace of an indexed folder, for writing if no other process writes, and load its vectors."""
    with open_workspace(args.folder, create=False) as workspace:
        yield workspace, _matrix(workspace, args.model)


def model_name(workspace: Workspace, wanted: str | None) -> str:
    """Return the model to use: the one that is wanted, or the workspace's own, or the bundled one for a new folder."""
    used = workspace.meta("model")
    noted = [str(workspace.setting(NAME) or ""), *(one.name for one in workspace.models() if one.fingerprint == used)]
    for name in filter(None, (wanted, *noted)):
        if name == wanted:
            return name
        with suppress(ModelError):  # it is not on this machine any more
            catalog.find(name)
            return name
    return catalog.BUNDLED


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
