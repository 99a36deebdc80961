"""The clusters as they were last computed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from explorer.workspace.storage import database
from explorer.workspace.storage.database import transaction

_HIGHEST = 2**31 - 2  # labels are 32-bit, and the next one must be free


def labels(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the cluster of each document; those whose number cannot be are left out."""
    rows = connection.execute("SELECT document, cluster FROM clusters WHERE cluster BETWEEN -1 AND ?", (_HIGHEST,))
    return dict(rows.fetchall())


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
