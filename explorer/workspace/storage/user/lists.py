"""The user's lists: picked documents, saved searches, and categories with their examples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from explorer.errors import DataError
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.user.words import clean, writable

if TYPE_CHECKING:
    from explorer.workspace.workspace import Workspace

_KEY = 8  # bytes of a text digest that are kept of a hit
LONGEST_DESCRIPTION = 2000  # characters


@dataclass(frozen=True)
class SavedSearch:
    """A query that the user named.

    Attributes:
        name: Its name.
        query: The query.
        mode: "hybrid", "semantic" or "keyword".
        seen: The texts that were hits when the user last looked, by `hits_seen`.
    """

    name: str
    query: str
    mode: str
    seen: frozenset[bytes] = frozenset()


@dataclass(frozen=True)
class UserCategory:
    """A category of the user's own.

    Attributes:
        name: Its name.
        description: What belongs in it; may be empty.
        examples: Documents that belong in it, ascending.
    """

    name: str
    description: str = ""
    examples: tuple[int, ...] = ()


def picks(workspace: Workspace) -> tuple[int, ...]:
    """Return the picked documents, in the order they were picked."""
    rows = workspace.connection.execute(
        "SELECT document FROM picks WHERE document IN (SELECT id FROM documents) ORDER BY made, document"
    )
    return tuple(document for (document,) in rows)


def add_picks(workspace: Workspace, documents: Iterable[int]) -> tuple[int, ...]:
    """Pick documents; return those that were not picked yet. Documents that are gone are passed over.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    now, added = datetime.now(UTC).isoformat(timespec="microseconds"), []
    with transaction(writable(workspace)) as database:
        for document in dict.fromkeys(documents):
            done = database.execute(
                "INSERT OR IGNORE INTO picks (document, made) SELECT id, ? FROM documents WHERE id = ?", (now, document)
            )
            if done.rowcount > 0:
                added.append(document)
        user_database.remember(database, added)
    return tuple(added)


def remove_picks(workspace: Workspace, documents: Iterable[int]) -> tuple[int, ...]:
    """Unpick documents; return those that were picked.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    statement = "DELETE FROM picks WHERE document = ?"
    with transaction(writable(workspace)) as database:
        return tuple(each for each in dict.fromkeys(documents) if database.execute(statement, (each,)).rowcount > 0)


def hits_seen(digests: Iterable[bytes]) -> frozenset[bytes]:
    """Return what a saved search keeps of its hits, by the digests of their texts."""
    return frozenset(digest[:_KEY] for digest in digests)


def saved_searches(workspace: Workspace) -> tuple[SavedSearch, ...]:
    """Return the saved searches, by name."""
    rows = workspace.connection.execute("SELECT name, query, mode, seen FROM saved_searches ORDER BY name").fetchall()
    return tuple(
        SavedSearch(name, query, mode, frozenset(seen[at : at + _KEY] for at in range(0, len(seen), _KEY)))
        for name, query, mode, seen in rows
    )


def save_search(workspace: Workspace, search: SavedSearch) -> SavedSearch:
    """Save a search under its name, instead of one that has it; return it as it was saved.

    Raises:
        DataError: The name is empty or too long, or there is no query.
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    saved = SavedSearch(_name(search.name), search.query.strip(), search.mode, search.seen)
    if not saved.query:
        raise DataError("There is no query to save. Type one first.")
    with transaction(writable(workspace)) as database:
        database.execute(
            "INSERT OR REPLACE INTO saved_searches (name, query, mode, seen) VALUES (?, ?, ?, ?)",
            (saved.name, saved.query, saved.mode, b"".join(sorted(saved.seen))),
        )
    return saved


def remove_search(workspace: Workspace, name: str) -> bool:
    """Delete a saved search; return whether there was one of this name.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    with transaction(writable(workspace)) as database:
        return database.execute("DELETE FROM saved_searches WHERE name = ?", (name,)).rowcount > 0


def categories(workspace: Workspace) -> tuple[UserCategory, ...]:
    """Return the categories, in the order they were made."""
    examples: dict[int, list[int]] = {}
    for document, category in workspace.connection.execute(
        "SELECT document, category FROM category_examples WHERE document IN (SELECT id FROM documents) "
        "ORDER BY document"
    ):
        examples.setdefault(category, []).append(document)
    rows = workspace.connection.execute("SELECT id, name, description FROM categories ORDER BY id").fetchall()
    return tuple(UserCategory(name, said, tuple(examples.get(category_id, ()))) for category_id, name, said in rows)


def set_category(workspace: Workspace, category: UserCategory, *, instead_of: str = "") -> UserCategory:
    """Add a category or change one; its examples stay as they are.

    Args:
        workspace: The workspace.
        category: Its name and description.
        instead_of: The name it had before, if it is renamed.

    Returns:
        It as it was saved.

    Raises:
        DataError: The name is empty, too long or taken, or the description too long.
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    name, description = _name(category.name), " ".join(category.description.split())
    if len(description) > LONGEST_DESCRIPTION:
        raise DataError(
            "A description has at most {most} characters; this one has {count}. Shorten it.",
            most=LONGEST_DESCRIPTION,
            count=len(description),
        )
    before = {known.name: known for known in categories(workspace)}
    if instead_of and instead_of != name and name in before:
        raise DataError("A category “{name}” already exists. Choose another name.", name=name)
    with transaction(writable(workspace)) as database:
        if (instead_of or name) in before:
            database.execute(
                "UPDATE categories SET name = ?, description = ? WHERE name = ?",
                (name, description, instead_of or name),
            )
        else:
            database.execute("INSERT INTO categories (name, description) VALUES (?, ?)", (name, description))
    return next(known for known in categories(workspace) if known.name == name)


def remove_category(workspace: Workspace, name: str) -> UserCategory | None:
    """Delete a category with its examples; return it as it was, None where there is none of this name.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    known = next((category for category in categories(workspace) if category.name == name), None)
    with transaction(writable(workspace)) as database:
        database.execute(
            "DELETE FROM category_examples WHERE category = (SELECT id FROM categories WHERE name = ?)", (name,)
        )
        database.execute("DELETE FROM categories WHERE name = ?", (name,))
    return known


def set_examples(workspace: Workspace, documents: Iterable[int], name: str | None) -> dict[int, str | None]:
    """Make documents examples of a category, and of no other; with None, of none.

    Returns:
        The category that each document which changed was an example of before, None for none: what undoes it.

    Raises:
        DataError: There is no such category.
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    known = {category.name: category for category in categories(workspace)}
    if name is not None and name not in known:
        raise DataError("There is no category “{name}”. Add it first.", name=name)
    had = {document: category.name for category in known.values() for document in category.examples}
    changed: dict[int, str | None] = {}
    with transaction(writable(workspace)) as database:
        for document in dict.fromkeys(documents):
            if had.get(document) == name:
                continue
            if name is None:
                database.execute("DELETE FROM category_examples WHERE document = ?", (document,))
            elif (
                database.execute(
                    "INSERT OR REPLACE INTO category_examples (document, category) SELECT d.id, c.id "
                    "FROM documents d, categories c WHERE d.id = ? AND c.name = ?",
                    (document, name),
                ).rowcount
                < 1
            ):
                continue  # the document is gone
            changed[document] = had.get(document)
        user_database.remember(database, changed)
    return changed


def restore_category(workspace: Workspace, category: UserCategory) -> None:
    """Make a category again that was removed, with its examples.

    Raises:
        WorkspaceError: The workspace may not be written, or its disk is full.
    """
    set_category(workspace, category)
    set_examples(workspace, category.examples, category.name)


def _name(name: str) -> str:
    try:
        return clean(name)
    except DataError as error:
        if not name.strip():
            raise DataError("A name needs at least one letter. Type one.") from error
        raise DataError("This name is too long. Shorten it.") from error
