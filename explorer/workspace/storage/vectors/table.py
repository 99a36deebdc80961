"""The vectors of a workspace as tables: which models have vectors, and which row belongs to which passage."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.vectors.exact import EXACT_LIMIT, distinct, row_lengths
from explorer.errors import NotEncodedError, WorkspaceError
from explorer.messages import UserMessage
from explorer.workspace.storage import database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from explorer.workspace.workspace import Workspace

_WORTH = {"draft": 0.9}  # a model that has nine in ten of the passages is better than its draft that has all
_BLOCK = 65_536
_SUMMED = 8192  # passages whose vectors are summed at once: 12 MB for each copy of a block of 384 numbers
LONGEST = 65_536  # numbers of a vector
_CUTTINGS = 63  # bits that an integer of SQLite has for them
_VARIABLES = 500  # of one statement; SQLite allows 999 wherever it was built


@dataclass(frozen=True)
class StoredModel:
    """A model that has vectors in a workspace.

    Attributes:
        id: Its id in the workspace.
        fingerprint: What its weights and settings are known by.
        name: Its name.
        kind: "bi", "draft", or "own" for vectors that the user imported.
        dimension: Length of a vector.
        cutting: Id of the cutting whose passages it encodes; None for that in use.
    """

    id: int
    fingerprint: str
    name: str
    kind: str
    dimension: int
    cutting: int | None = None


@dataclass(frozen=True, eq=False)
class VectorTable:
    """The encoded passages of one model, in the order of documents and places.

    Attributes:
        model: The model.
        vectors: All its vectors, memory-mapped, (R, n); one row may serve several passages.
        passages: Ids of the passages, (P,).
        documents: The document of each passage, (P,), ascending.
        rows: The row of each passage in `vectors`, (P,).
        lengths: Characters of each passage, (P,).
        file: The device and the inode of the vectors' file; zeros where it is not known.
    """

    model: StoredModel
    vectors: NDArray[np.float16]
    passages: NDArray[np.int64]
    documents: NDArray[np.int64]
    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    file: tuple[int, int] = (0, 0)
    _deriving: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def equals(self, other: VectorTable) -> bool:
        """Return whether another table has the same passages, with the same vectors."""
        return (
            (self.model, self.file, len(self.vectors)) == (other.model, other.file, len(other.vectors))
            and np.array_equal(self.passages, other.passages)
            and np.array_equal(self.documents, other.documents)
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.lengths, other.lengths)
        )

    def has(self, documents: Sequence[int]) -> bool:
        """Return whether all of some documents have vectors."""
        return bool(np.isin(np.array(documents, np.int64), self.documents).all())

    @cached_property
    def by_row(self) -> NDArray[np.int64]:
        """The passages' places in the order of their rows, (P,)."""
        return np.arange(len(self.rows)) if _ascends(self.rows) else np.argsort(self.rows, kind="stable")

    @cached_property
    def live(self) -> NDArray[np.int64]:
        """The rows that some passage has, ascending."""
        return distinct(self.rows_in_order)

    @cached_property
    def rows_in_order(self) -> NDArray[np.int64]:
        """The rows of `by_row`, ascending, (P,); where the passages were stored in their order, that of `rows`."""
        return self.rows if _ascends(self.rows) else self.rows[self.by_row]

    @cached_property
    def row_lengths(self) -> NDArray[np.float64]:
        """The lengths of the rows, (R,): measured once, they make repeated searches twice as fast."""
        return row_lengths(self.vectors)

    @cached_property
    def document_lengths(self) -> NDArray[np.float64]:
        """The same for the vectors of the documents, (D,)."""
        return row_lengths(self.document_vectors()[1])

    def document_vectors(self) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return one vector per document: the length-weighted mean of its passages' vectors, scaled to length 1.

        Returns:
            Ids of the documents, (D,), and their vectors, (D, n): float32, or float16 where these would take more than
            all else. Computed once and not to be changed.
        """
        with self._deriving:  # several workers use one table, and what they derive is large
            return self._document_vectors

    def document_vector(self, document: int) -> NDArray[np.float32]:
        """Return the vector of one document, (n,).

        Raises:
            WorkspaceError: It is not encoded.
        """
        first, end = np.searchsorted(self.documents, [document, document + 1])
        if first == end:
            raise WorkspaceError(
                "Document {document} is not encoded yet. Wait for the update to finish.", document=document
            )
        vectors = unit(self._sums(slice(int(first), int(end)), np.zeros(1, np.int64)))
        return vectors.reshape(-1)

    @cached_property
    def _document_vectors(self) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        first = np.flatnonzero(np.diff(self.documents, prepend=-1))
        ids = self.documents[first]
        # As exact as what they are made of. Below, they stay as the graphs of earlier versions know them.
        kind = np.float32 if len(ids) <= EXACT_LIMIT else np.float16
        vectors = np.zeros((len(ids), self.model.dimension), dtype=kind)
        for part in self._documents_a_block(first):
            span = slice(int(first[part.start]), _end(first, part.stop, len(self.documents)))
            vectors[part] = unit(self._sums(span, first[part] - span.start))
        return ids, vectors

    def _documents_a_block(self, first: NDArray[np.int64]) -> Iterator[slice]:
        """Runs of whole documents of about _SUMMED passages each, or of one larger document."""
        start = 0
        while start < len(first):
            stop = int(np.searchsorted(first, first[start] + _SUMMED))
            stop = max(start + 1, stop - (stop < len(first)))
            yield slice(start, stop)
            start = stop

    def _sums(self, span: slice, starts: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return sums of the passages of a span, weighted by length, from each start to the next."""
        weighted = self.vectors[self.rows[span]].astype(np.float32)
        weighted *= self.lengths[span, None]
        return np.asarray(np.add.reduceat(weighted, starts, axis=0), dtype=np.float32)


def _ascends(rows: NDArray[np.int64]) -> bool:
    return bool((rows[1:] >= rows[:-1]).all())


def load(workspace: Workspace, fingerprint: str | None = None) -> VectorTable:
    """Return the vectors of a model, or of the best model that covers the most passages; of equals the one in use.

    Raises:
        WorkspaceError: There are no vectors (of that model) yet, or some are missing from their file.
    """
    models = [model for model in workspace.models() if fingerprint in (None, model.fingerprint)]
    if not models:
        raise NotEncodedError("{folder}: nothing is encoded yet. Index the folder first.", folder=workspace.folder)
    if fingerprint is None:
        counts = {model.id: _share(workspace.connection, model) * _WORTH.get(model.kind, 1.0) for model in models}
        used = workspace.meta("model")  # decides between two models that have all
        models.sort(
            key=lambda model: (model.kind == "own", -counts[model.id], model.kind == "draft", model.fingerprint != used)
        )
    model = models[0]
    table = _table(workspace.connection, model)
    # Rows that no passage names may be cut off by a writer at any time; only the named ones are mapped.
    file, named = workspace.vector_file(model), int(table[:, 2].max(initial=-1)) + 1
    if table[:, 2].min(initial=0) < 0:  # numpy would count from the end
        raise WorkspaceError(database.damaged(UserMessage("it names rows of vectors that cannot exist")))
    file.need(named)
    file.require_sound(named)
    vectors = file.open()[:named]
    passages, documents, rows, lengths = (np.ascontiguousarray(column) for column in table.T)
    return VectorTable(model, vectors, passages, documents, rows, lengths, file.identity())


def models(connection: sqlite3.Connection) -> list[StoredModel]:
    """Return the models that have vectors."""
    rows = connection.execute("SELECT id, fingerprint, name, kind, dimension, cutting FROM models ORDER BY id")
    return [StoredModel(*row) for row in rows]


def add_model(
    connection: sqlite3.Connection, fingerprint: str, name: str, kind: str, dimension: int, cutting: int | None = None
) -> StoredModel:
    """Return the model of a fingerprint, added if it is new, renamed if its name has changed; within a transaction."""
    connection.execute(
        "INSERT INTO models (fingerprint, name, kind, dimension, cutting) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (fingerprint) DO UPDATE SET name = excluded.name, kind = excluded.kind, "
        "dimension = excluded.dimension, cutting = coalesce(excluded.cutting, cutting) WHERE (name, kind, dimension, "
        "cutting) IS NOT (excluded.name, excluded.kind, excluded.dimension, coalesce(excluded.cutting, cutting))",
        (fingerprint, name, kind, dimension, cutting),
    )
    return next(model for model in models(connection) if model.fingerprint == fingerprint)


def retire_model(connection: sqlite3.Connection, model: StoredModel) -> None:
    """Free the fingerprint of a model that is about to be replaced; within a transaction."""
    connection.execute("UPDATE models SET fingerprint = 'replaced ' || id WHERE id = ?", (model.id,))


def remove_model(connection: sqlite3.Connection, model: StoredModel) -> None:
    """Forget a model and which vectors it has; within a transaction."""
    connection.execute("DELETE FROM vectors WHERE model = ?", (model.id,))
    connection.execute("DELETE FROM models WHERE id = ?", (model.id,))


def vector_counts(connection: sqlite3.Connection) -> dict[int, int]:
    """Return how many texts have a vector, by model."""
    return dict(connection.execute("SELECT model, count(*) FROM vectors GROUP BY model").fetchall())


def rows_in_use(connection: sqlite3.Connection, model: int) -> int:
    """Return how many rows of a model's vector file are in use; whatever is behind them is left by a crash."""
    (rows,) = connection.execute("SELECT coalesce(max(row) + 1, 0) FROM vectors WHERE model = ?", (model,)).fetchone()
    return int(rows)


def forget_rows(connection: sqlite3.Connection, model: int, rows: slice) -> int:
    """Forget which texts some rows belong to, so that these are encoded again; return how many; in a transaction."""
    done = connection.execute(
        "DELETE FROM vectors WHERE model = ? AND row >= ? AND row < ?", (model, rows.start, rows.stop)
    )
    return done.rowcount


def row_of_each_text(connection: sqlite3.Connection, model: int) -> list[tuple[bytes, int]]:
    """Return the key of each text that has a vector, and its row."""
    return connection.execute("SELECT digest, CAST(row AS INTEGER) FROM vectors WHERE model = ?", (model,)).fetchall()


def known_digests(connection: sqlite3.Connection, model: int, digests: Collection[bytes]) -> set[bytes]:
    """Return those of some keys whose texts have a vector of a model."""
    wanted, known = list(digests), set[bytes]()
    for start in range(0, len(wanted), _VARIABLES):
        batch = wanted[start : start + _VARIABLES]
        marks = ", ".join("?" * len(batch))
        rows = connection.execute(
            f"SELECT digest FROM vectors WHERE model = ? AND digest IN ({marks})",  # noqa: S608 - only marks
            (model, *batch),
        )
        known.update(row[0] for row in rows)
    return known


def add_rows(connection: sqlite3.Connection, model: int, rows: Mapping[bytes, int]) -> None:
    """Note the row of each text; within a transaction."""
    connection.executemany(
        "INSERT OR IGNORE INTO vectors (model, digest, row) VALUES (?, ?, ?)",
        [(model, key, row) for key, row in rows.items()],
    )


def _table(connection: sqlite3.Connection, model: StoredModel) -> NDArray[np.int64]:
    """Passage, document, row and length of each encoded passage, (P, 4)."""
    cursor = connection.execute(
        "SELECT p.id, p.document, v.row, p.stop - p.start FROM passages p "
        "JOIN vectors v ON v.model = ? AND v.digest = p.digest WHERE p.cuttings & ? ORDER BY p.document, p.place",
        (model.id, cuttings_of(connection, model)),
    )
    parts = [np.zeros((0, 4), dtype=np.int64)]
    while rows := cursor.fetchmany(_BLOCK):
        parts.append(np.array(rows, dtype=np.int64))
    return np.concatenate(parts)


def cuttings_of(connection: sqlite3.Connection, model: StoredModel | None) -> int:
    """Return the bit of the cutting whose passages a model encodes; of the cutting in use where that is not known."""
    current = database.get_meta(connection, "cutting")
    known = model.cutting if model is not None and model.cutting is not None else current
    return -1 if known is None else cutting_bit(known)


def cutting_bit(cutting: int | str | bytes) -> int:
    """Return the bit of a cutting.

    Raises:
        WorkspaceError: There can be no such cutting.
    """
    try:
        number = int(cutting)
    except ValueError:
        number = -1
    if not 0 <= number < _CUTTINGS:  # shifted by what someone else wrote, one bit would take any memory
        raise WorkspaceError(
            database.damaged(UserMessage("there can be no cutting {cutting}", cutting=str(cutting)[:40]))
        )
    return 1 << number


def absurd_number(connection: sqlite3.Connection) -> str:
    """Return what is wrong with the numbers by which vectors and passages are found, as a sentence; empty for nothing.

    A workspace that someone else made may have any.
    """
    if any(not 0 < model.dimension <= LONGEST for model in models(connection)):
        return UserMessage("A model has vectors of an impossible length.")
    cuttings = connection.execute(
        "SELECT id FROM cuttings UNION SELECT cutting FROM models WHERE cutting IS NOT NULL "
        "UNION SELECT value FROM meta WHERE key = 'cutting'"
    )
    try:
        for (cutting,) in cuttings:
            cutting_bit(cutting)
    except WorkspaceError as error:
        return error.message
    return ""


def _share(connection: sqlite3.Connection, model: StoredModel) -> float:
    """Return the share of the passages for a model that it has encoded."""
    bits = cuttings_of(connection, model)
    (done,) = connection.execute(
        "SELECT count(*) FROM passages p JOIN vectors v ON v.model = ? AND v.digest = p.digest WHERE p.cuttings & ?",
        (model.id, bits),
    ).fetchone()
    (total,) = connection.execute("SELECT count(*) FROM passages WHERE cuttings & ?", (bits,)).fetchone()
    return float(done / max(total, 1))


def _end(first: NDArray[np.int64], row: int, count: int) -> int:
    return int(first[row]) if row < len(first) else count


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scale vectors, (..., n), to length 1; those of length 0 stay as they are."""
    vectors = np.asarray(vectors, dtype=np.float32)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12), dtype=np.float32)
