"""The clusters as they were last computed, and the user's edits to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from explorer.workspace.storage import database
from explorer.workspace.storage.database import transaction


def labels(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the cluster of each document."""
    return dict(connection.execute("SELECT document, cluster FROM clusters").fetchall())


def replace(
    connection: sqlite3.Connection, labels: Iterable[tuple[int, int]], key: str, description: str
) -> None:
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


def edits(connection: sqlite3.Connection) -> list[str]:
    """Return the user's edits as JSON, first to last."""
    return [text for (text,) in connection.execute("SELECT edit FROM cluster_edits ORDER BY id")]


def add_edit(connection: sqlite3.Connection, edit: str) -> int:
    """Store an edit, and return its id.

    Raises:
        WorkspaceError: It cannot be written.
    """
    with transaction(connection):
        row = connection.execute("INSERT INTO cluster_edits (edit) VALUES (?)", (edit,)).lastrowid
    return int(row or 0)


def remove_edit(connection: sqlite3.Connection, edit: int) -> None:
    """Remove one edit.

    Raises:
        WorkspaceError: It cannot be written.
    """
    with transaction(connection):
        connection.execute("DELETE FROM cluster_edits WHERE id = ?", (edit,))


def remove_last_edit(connection: sqlite3.Connection) -> None:
    """Remove the last edit, if there is any.

    Raises:
        WorkspaceError: It cannot be written.
    """
    with transaction(connection):
        connection.execute("DELETE FROM cluster_edits WHERE id = (SELECT max(id) FROM cluster_edits)")
