"""The clusters as they were last computed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from explorer.workspace.storage import database
from explorer.workspace.storage.database import transaction


def labels(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the cluster of each document."""
    return dict(connection.execute("SELECT document, cluster FROM clusters").fetchall())


def replace(connection: sqlite3.Connection, labels: Iterable[tuple[int, int]], key: str, description: str) -> None:
    """Store the cluster of each document, and a description of the run under a key of the meta table.

    Raises:
        WorkspaceError: It cannot be written; what was stored stays.
    """
    with transaction(connection):
        connection.execute("DELETE FROM clusters")
        # Another process may have removed a document since it was clustered.
        connection.executemany(
            "INSERT INTO clusters (document, cluster) SELECT id, ? FROM documents WHERE id = ?",
            ((label, document) for document, label in labels),
        )
        database.set_meta(connection, key, description)
