"""The user's words about documents: tags, judgements on how similar two are, and edits to clusters."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from explorer.errors import DataError
from explorer.judgement import Judgement
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.user import database as user_database

if TYPE_CHECKING:
    import sqlite3

    from explorer.judgement import Scale
    from explorer.workspace.workspace import Workspace

_log = logging.getLogger(__name__)

LONGEST_TAG = 100  # characters
_LONGEST_TEXT = 4000  # characters of a judged document that are kept, cut where a passage ends


def clean(tag: str) -> str:
    """Return a tag as it is kept: one line, single spaces, composed letters.

    Raises:
        DataError: Nothing is left of it, or it is too long.
    """
    cleaned = " ".join(unicodedata.normalize("NFC", tag).split())
    if not cleaned:
        raise DataError("A tag needs at least one letter. Type a word.")
    if len(cleaned) > LONGEST_TAG:
        raise DataError(
            "A tag has at most {longest_tag} characters; this one has {count}. Shorten it.",
            longest_tag=LONGEST_TAG,
            count=len(cleaned),
        )
    return cleaned


def add_tag(workspace: Workspace, documents: Iterable[int], tag: str) -> tuple[int, ...]:
    """Tag documents; returns those that did not have the tag. Documents that are gone are passed over.

    Raises:
        DataError: The tag is empty or too long.
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    cleaned, added = clean(tag), []
    with transaction(writable(workspace)) as database:
        for document in sorted(set(documents)):
            done = database.execute(
                "INSERT OR IGNORE INTO tags (document, tag) SELECT id, ? FROM documents WHERE id = ?",
                (cleaned, document),
            )
            if done.rowcount > 0:
                added.append(document)
        user_database.remember(database, added)
    return tuple(added)


def remove_tag(workspace: Workspace, documents: Iterable[int], tag: str) -> tuple[int, ...]:
    """Remove a tag from documents; returns those that had it.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    removed = []
    with transaction(writable(workspace)) as database:
        for document in sorted(set(documents)):
            done = database.execute("DELETE FROM tags WHERE document = ? AND tag = ?", (document, tag))
            if done.rowcount > 0:
                removed.append(document)
    return tuple(removed)


def tags_of(workspace: Workspace) -> dict[int, frozenset[str]]:
    """Return the tags of every document that has any."""
    tagged: dict[int, set[str]] = {}
    for document, tag in workspace.connection.execute(
        "SELECT document, tag FROM tags WHERE document IN (SELECT id FROM documents)"
    ):
        tagged.setdefault(document, set()).add(tag)
    return {document: frozenset(tags) for document, tags in tagged.items()}


def add_judgement(
    workspace: Workspace,
    first_document: int,
    second_document: int,
    value: int,
    scale: Scale,
    *,
    first: str = "",
    second: str = "",
) -> Judgement:
    """Save a rating of two documents, or of a text of each.

    An earlier judgement on the same pair stays, so that it counts again once this one is taken back.

    Args:
        workspace: The workspace.
        first_document: One document.
        second_document: The other.
        value: 0 or 1 on the scale "similar", 0 to 5 on the scale "grade".
        scale: Which of the two.
        first: The text of the first that was judged; its beginning if absent.
        second: That of the second.

    Raises:
        DataError: The value is not on the scale, or both are the same document.
        WorkspaceError: A document is gone, the workspace may not be written, or its disk is full.
    """
    if first_document == second_document and first == second:
        raise DataError("Both sides are the same document. Choose another one to rate it against.")
    texts = (first or _beginning(workspace, first_document), second or _beginning(workspace, second_document))
    made = datetime.now(UTC).isoformat(timespec="seconds")
    return _insert(workspace, Judgement(*texts, value, scale, made, 0, first_document, second_document))


def restore_judgement(workspace: Workspace, judgement: Judgement) -> Judgement:
    """Save a removed judgement again; returns it with its new id.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    restored = _insert(workspace, judgement)
    return next(saved for saved in judgements(workspace) if saved.id == restored.id)


def remove_judgement(workspace: Workspace, judgement_id: int) -> None:
    """Remove a judgement.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    with transaction(writable(workspace)) as database:
        database.execute("DELETE FROM judgements WHERE id = ?", (judgement_id,))


def judgements(workspace: Workspace) -> tuple[Judgement, ...]:
    """Return all judgements, first to last; of two on the same pair the later one counts.

    Rows that are no valid judgement, as only a damaged or foreign database has them, are left out.
    """
    rows = workspace.connection.execute(
        "SELECT id, first, second, value, scale, made, (SELECT id FROM documents d WHERE d.id = first_document), "
        "(SELECT id FROM documents d WHERE d.id = second_document) FROM judgements ORDER BY id"
    )
    valid = []
    for judgement_id, first, second, value, scale, made, *documents in rows:
        try:
            valid.append(Judgement(first, second, value, scale, made, judgement_id, *documents))
        except DataError:
            _log.warning("judgement %s is not valid and was left out", judgement_id)
    return tuple(valid)


def cluster_edits(workspace: Workspace) -> list[str]:
    """Return the user's edits to clusters as JSON, first to last."""
    rows = workspace.connection.execute("SELECT edit FROM cluster_edits ORDER BY id")
    return [text for (text,) in rows]


def add_cluster_edit(workspace: Workspace, edit: str) -> int:
    """Store an edit, as JSON, and return its id.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    with transaction(writable(workspace)) as database:
        row = database.execute("INSERT INTO cluster_edits (edit) VALUES (?)", (edit,)).lastrowid
        user_database.remember(database, user_database.documents_of_edit(edit))
    return int(row or 0)


def remove_cluster_edit(workspace: Workspace, edit: int | None = None) -> None:
    """Remove an edit by its id, or the last one.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    with transaction(writable(workspace)) as database:
        database.execute(
            "DELETE FROM cluster_edits WHERE id = coalesce(?, (SELECT max(id) FROM cluster_edits))", (edit,)
        )


def move(connection: sqlite3.Connection, old: int, new: int) -> None:
    """Move the user's words about one document to another; a transaction of its own, and none where nothing was said.

    Raises:
        WorkspaceError: It cannot be written.
    """
    if not is_annotated(connection, old):
        return
    with transaction(connection):
        for statement in (
            "UPDATE OR IGNORE tags SET document = ? WHERE document = ?",
            "UPDATE OR IGNORE picks SET document = ? WHERE document = ?",
            "UPDATE OR IGNORE category_examples SET document = ? WHERE document = ?",
            "UPDATE judgements SET first_document = ? WHERE first_document = ?",
            "UPDATE judgements SET second_document = ? WHERE second_document = ?",
        ):
            connection.execute(statement, (new, old))
        user_database.remember(connection, [new])


def is_annotated(connection: sqlite3.Connection, document: int) -> bool:
    """Return whether the user has tagged, rated or otherwise annotated a document."""
    row = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM tags WHERE document = ?1) OR EXISTS (SELECT 1 FROM picks WHERE document = ?1) "
        "OR EXISTS (SELECT 1 FROM category_examples WHERE document = ?1) "
        "OR EXISTS (SELECT 1 FROM judgements WHERE first_document = ?1 OR second_document = ?1)",
        (document,),
    ).fetchone()
    return bool(row[0])


def _insert(workspace: Workspace, judgement: Judgement) -> Judgement:
    """Store a judgement; returns it with its id."""
    with transaction(writable(workspace)) as database:
        done = database.execute(
            "INSERT INTO judgements (first, second, first_document, second_document, value, scale, made) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                judgement.first,
                judgement.second,
                judgement.first_document,
                judgement.second_document,
                judgement.value,
                judgement.scale,
                judgement.made,
            ),
        )
        user_database.remember(
            database,
            (
                document_id
                for document_id in (judgement.first_document, judgement.second_document)
                if document_id is not None
            ),
        )
    return replace(judgement, id=int(done.lastrowid or 0))


def _beginning(workspace: Workspace, document: int) -> str:
    """Return the text of a document, or as many of its first passages as are kept."""
    text = workspace.text(document)
    if len(text) <= _LONGEST_TEXT:
        return text
    ends = [passage.end for passage in workspace.passages(document) if passage.end <= _LONGEST_TEXT]
    return text[: max(ends, default=_LONGEST_TEXT)]


def writable(workspace: Workspace) -> sqlite3.Connection:
    """Return the connection of a workspace that may be written.

    Raises:
        WorkspaceError: It may not.
    """
    workspace.require_writable()
    workspace.back_up_words()
    return workspace.connection
