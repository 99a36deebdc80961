"""What the commands on clusters, maps and words share: an indexed folder, opened, with its vectors."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from explorer.models import catalog
from explorer.models import folder as folders
from explorer.workspace import matrix as matrices
from explorer.workspace.matrix import Matrix
from explorer.workspace.own_vectors import find_own
from explorer.workspace.workspace import Entry, Workspace, open_workspace


@contextmanager
def opened(chosen: Namespace) -> Iterator[tuple[Workspace, Matrix]]:
    """The workspace of an indexed folder, written to if no other process does, and its vectors."""
    open_workspace(chosen.folder, writable=False).close()  # a folder that was never indexed stays without one
    with open_workspace(chosen.folder) as workspace:
        yield workspace, _matrix(workspace, chosen.model)


def named(entry: Entry) -> dict[str, object]:
    """What tells a document from others."""
    return {"document": entry.path, "part": entry.part, "title": entry.title}


def shown(entry: Entry) -> str:
    """The same on one line."""
    return f"{entry.path} {entry.part}".rstrip()


def _matrix(workspace: Workspace, model: str | None) -> Matrix:
    if model is None:
        return matrices.load(workspace)
    known = {entry.name for entry in catalog.entries()}
    own = None if model in known else find_own(workspace, model)
    return matrices.load(workspace, own.fingerprint if own else folders.read(catalog.find(model)).fingerprint)
