"""A workspace: all that is known of one folder, opened by one writer and any number of readers."""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from explorer.corpus.document import Passage, ReadOptions, Value
from explorer.corpus.passages.splitter import coverage
from explorer.errors import WorkspaceError
from explorer.task import Task
from explorer.workspace.storage import database, location
from explorer.workspace.storage.vector_file import VectorFile
from explorer.workspace.update.ahead import encode_ahead
from explorer.workspace.update.encode import Encoder, encode_passages
from explorer.workspace.update.knn_graph import update_graph
from explorer.workspace.update.split import budget_of, split_documents
from explorer.workspace.update.sync_files import Counts, FileSync, path_key

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.static_encoder import StaticEncoder

_DOCUMENT_COLUMNS = (
    "d.id, f.name, d.part, d.title, d.metadata, d.language, d.encoding, d.confidence, d.remarks, length(d.text), "
    "f.size, f.mtime_ns"
)


@dataclass(frozen=True)
class DocumentEntry:
    """A document as the workspace lists it, without its text.

    Attributes:
        id: Its number in the workspace.
        path: Its file, relative to the folder.
        part: Which part of the file it is; empty for a whole file.
        title: Its title.
        metadata: What else is known of it.
        language: Code of its language; empty where not known.
        encoding: How its bytes were read.
        confidence: How sure that is, 0..1.
        remarks: What was repaired or doubtful.
        characters: Length of its text.
    """

    id: int
    path: str
    part: str
    title: str
    metadata: Mapping[str, Value]
    language: str
    encoding: str
    confidence: float
    remarks: tuple[str, ...]
    characters: int


@dataclass(frozen=True)
class FileProblem:
    """A file that gave no document, or not all of them: its path, one of Unreadable.REASONS, and a sentence."""

    path: str
    reason: str
    message: str


@dataclass(frozen=True)
class StoredModel:
    """A model that has vectors here."""

    id: int
    fingerprint: str
    name: str
    kind: str
    dimension: int


class Workspace:
    """One folder's workspace.

    Attributes:
        folder: Where the workspace lies.
        root: The folder of texts.
        writable: Whether this process is its writer.
        notice: Why it is not writable; empty if it is.
    """

    def __init__(self, folder: Path, root: Path | None, *, writable: bool) -> None:
        self.folder = folder
        self.notice = ""
        self._lock = location.Lock(folder)
        self.writable = writable and self._may_write()
        try:
            self._db = self._connected()
            self.root = self._belonging(root)
        except BaseException:
            self._lock.release()  # or nobody could repair it
            raise

    def _connected(self) -> sqlite3.Connection:
        """The database; for reading only where its disk is full, which harms nothing that is in it."""
        try:
            return database.connect(self.folder, writable=self.writable)
        except WorkspaceError as error:
            if not (self.writable and database.is_full(error.__cause__)):
                raise
            try:
                found = database.connect(self.folder, writable=False)
            except WorkspaceError:  # it was to be made
                raise error from None
        self._lock.release()
        self.writable = False
        self.notice = (
            f"{self.folder}: nothing can be written to the disk of this workspace, which may be full; it is opened "
            f"for reading only. Free space on it, then open the folder again."
        )
        return found

    def _belonging(self, root: Path | None) -> Path:
        """The folder of texts: the one that is given, which is noted, or the one that was."""
        row = self._db.execute("SELECT value FROM meta WHERE key = 'root'").fetchone()
        if root is None and row is None:
            raise WorkspaceError(
                f"{self.folder}: the workspace does not say which folder it belongs to. Index the folder again."
            )
        root = root if root is not None else location.as_path(row[0])
        noted = location.as_noted(root)
        if self.writable and (row is None or noted != row[0]):
            self.set_meta("root", noted)
        return root

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files and let another process write."""
        self._db.close()
        self._lock.release()

    def another(self) -> Workspace:
        """The same workspace for another thread of this process: a connection of its own, as writable as this one.

        To be closed before this one, which keeps other processes from writing.
        """
        twin = Workspace(self.folder, self.root, writable=False)
        twin.notice = self.notice
        if self.writable:
            twin._db.close()
            twin._db, twin.writable = database.connect(self.folder, writable=True), True
        return twin

    @property
    def connection(self) -> sqlite3.Connection:
        """The database, for the modules of this room."""
        return self._db

    def changes_seen(self) -> tuple[int, int]:
        """Something that differs whenever the workspace was changed, by this process or another."""
        version = self._db.execute("PRAGMA data_version").fetchone()[0]
        return int(version), self._db.total_changes

    def update(
        self, encoder: BiEncoder, *, draft: StaticEncoder | None = None, options: ReadOptions | None = None,
        retry: bool = False, task: Task | None = None, on_sketched: Callable[[], None] | None = None,
    ) -> Counts:  # fmt: skip
        """Bring all up to date with the folder: read, cut, encode and link what is new, forget what is gone.

        Args:
            encoder: The model of the vectors.
            draft: Its draft, whose vectors come first.
            options: How files are read.
            retry: Whether files that could not be read are tried again.
            task: Progress and cancel.
            on_sketched: Called once there are new vectors of the draft, of all documents.

        Raises:
            Cancelled: The task was cancelled; what was done stays, and the next update goes on from there.
            WorkspaceError: This process may not write, or the disk is full.
        """
        self._check_writable()
        task = task or Task()
        counts = FileSync(self._db, self.root, options or ReadOptions(), retry=retry).run(task)
        budget = budget_of(encoder)
        key = f"{budget} {encoder.fingerprint}"
        split = split_documents(self._db, encoder.tokenizer, budget, key, task)
        if draft is not None and self._encode(draft, "draft", task) and on_sketched is not None:
            on_sketched()
        encoded = self._encode(encoder, "bi", task)
        self.set_meta("model", encoder.fingerprint)
        update_graph(self, encoder.fingerprint, task)
        return replace(counts, split=split, encoded=encoded)

    def encode_ahead(self, encoder: BiEncoder, task: Task | None = None) -> int:
        """Encode all documents with a model that is to be used next, whose update then finds its vectors ready.

        The vectors in use stay whole meanwhile. Returns how many passages were encoded; raises as `update`.
        """
        self._check_writable()
        model = self._model(encoder, "bi")
        return encode_ahead(self._db, self._trimmed(model), model.id, encoder, task or Task())

    def models(self) -> list[StoredModel]:
        """The models that have vectors here."""
        rows = self._db.execute("SELECT id, fingerprint, name, kind, dimension FROM models ORDER BY id")
        return [StoredModel(*row) for row in rows]

    def vector_file(self, model: StoredModel) -> VectorFile:
        """Where a model's vectors lie."""
        return VectorFile(self.folder / "vectors" / f"{model.id}.f16", model.dimension)

    def documents(self) -> Iterator[DocumentEntry]:
        """All documents, in the order of their files."""
        rows = self._db.execute(
            f"SELECT {_DOCUMENT_COLUMNS} FROM documents d JOIN files f ON f.id = d.file ORDER BY f.path, d.place"  # noqa: S608
        )
        return map(_entry, rows)

    def document(self, number: int) -> DocumentEntry:
        """One document.

        Raises:
            WorkspaceError: There is no such document (any more).
        """
        row = self._db.execute(
            f"SELECT {_DOCUMENT_COLUMNS} FROM documents d JOIN files f ON f.id = d.file WHERE d.id = ?",  # noqa: S608
            (number,),
        ).fetchone()
        if row is None:
            raise WorkspaceError(
                f"There is no document {number} in this workspace. It may have been removed."
            )
        return _entry(row)

    def text(self, number: int) -> str:
        """The text of a document."""
        row = self._db.execute("SELECT text FROM documents WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise WorkspaceError(
                f"There is no document {number} in this workspace. It may have been removed."
            )
        return str(row[0])

    def passages(self, number: int) -> list[Passage]:
        """The passages of a document, in order."""
        rows = self._db.execute(
            "SELECT start, stop FROM passages WHERE document = ? ORDER BY place", (number,)
        )
        return [Passage(*row) for row in rows]

    def coverage(self, number: int) -> float:
        """The share of a document's text that lies in encoded passages: 1.0 once it is indexed."""
        model = self.meta("model")
        rows = self._db.execute(
            "SELECT p.start, p.stop FROM passages p JOIN vectors v ON v.digest = p.digest "
            "JOIN models m ON m.id = v.model WHERE p.document = ? AND m.fingerprint = ?",
            (number, model),
        )
        return coverage(self.text(number), [Passage(*row) for row in rows])

    def problems(self) -> list[FileProblem]:
        """The files that could not be read, with the reason."""
        rows = self._db.execute("SELECT name, reason, message FROM files WHERE reason != '' ORDER BY path")
        return [FileProblem(*row) for row in rows]

    def file_options(self, path: str) -> ReadOptions:
        """What was chosen for one file; all else is as it is usually."""
        return ReadOptions(**self._chosen_for(path))

    def _chosen_for(self, path: str) -> dict[str, Any]:
        query = "SELECT options FROM file_options WHERE path = ?"
        row = self._db.execute(query, (path_key(path),)).fetchone()
        return json.loads(row[0]) if row else {}

    def set_file_options(self, path: str, **options: Any) -> None:
        """How one file is read from the next update on, such as encoding="cp949"; other options stay as they are."""
        options = self._chosen_for(path) | options
        with database.transaction(self._db):
            self._db.execute(
                "INSERT OR REPLACE INTO file_options (path, options) VALUES (?, ?)",
                (path_key(path), json.dumps(options)),
            )

    def counts(self) -> dict[str, int]:
        """How many files, documents, passages and problems there are."""
        return {
            "files": self._count("files WHERE size >= 0"),
            "documents": self._count("documents"),
            "passages": self._count("passages"),
            "problems": self._count("files WHERE reason != ''"),
        }

    def _count(self, what: str) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {what}").fetchone()[0])  # noqa: S608 - our own words

    def _encode(self, encoder: Encoder, kind: str, task: Task) -> int:
        model = self._model(encoder, kind)
        return encode_passages(self._db, self._trimmed(model), model.id, encoder, task)

    def _trimmed(self, model: StoredModel) -> VectorFile:
        """Where a model's vectors lie, without what a crash left behind them."""
        file = self.vector_file(model)
        named = self._db.execute(
            "SELECT coalesce(max(row) + 1, 0) FROM vectors WHERE model = ?", (model.id,)
        ).fetchone()
        file.trim(int(named[0]))
        return file

    def _check_writable(self) -> None:
        if not self.writable:
            raise WorkspaceError(self.notice or f"{self.folder}: the workspace was opened for reading only.")

    def _model(self, encoder: Encoder, kind: str) -> StoredModel:
        with database.transaction(self._db):
            self._db.execute(
                "INSERT INTO models (fingerprint, name, kind, dimension) VALUES (?, ?, ?, ?) ON CONFLICT (fingerprint) "
                "DO UPDATE SET name = excluded.name, kind = excluded.kind, dimension = excluded.dimension "
                "WHERE (name, kind, dimension) != (excluded.name, excluded.kind, excluded.dimension)",
                (encoder.fingerprint, getattr(encoder, "name", kind), kind, encoder.dimension),
            )
        return next(model for model in self.models() if model.fingerprint == encoder.fingerprint)

    def _may_write(self) -> bool:
        if database.newer(self.folder):
            self.notice = (
                f"{self.folder}: this workspace was written by a later version of the program and is opened for "
                f"reading only. Update the program to change it."
            )
        elif location.is_locked_up(self.folder):
            self.notice = f"{self.folder}: this workspace may not be written; it is opened for reading only."
        elif not self._lock.take():
            self.notice = (
                f"{self.folder}: another window is writing to this workspace; it is opened for reading only."
            )
        return not self.notice

    def meta(self, key: str) -> str | None:
        """What was noted under a key; None for nothing."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str | bytes) -> None:
        """Note something under a key."""
        with database.transaction(self._db):
            self._db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def open_workspace(target: Path | str, *, writable: bool = True, inside: bool = False) -> Workspace:
    """The workspace of a folder of texts, made if there is none; or the workspace at a path.

    Args:
        target: A folder of texts, or the folder of a workspace.
        writable: Whether to become its writer, if nobody is.
        inside: Whether a new workspace goes into the folder itself instead of the user's data folder.

    Raises:
        WorkspaceError: It cannot be opened.
    """
    target = Path(target)
    if not target.is_dir():
        raise WorkspaceError(f"{target}: there is no such folder. Check its name.")
    folder = location.workspace_of(target, inside=inside)
    if not writable and folder != target and not (folder / database.FILE).is_file():
        raise WorkspaceError(
            f"{target}: this folder is not indexed yet. Index it first: docexplorer index {shlex.quote(str(target))}"
        )
    return Workspace(folder, None if folder == target else target.absolute(), writable=writable)


def _entry(row: tuple[Any, ...]) -> DocumentEntry:
    number, path, part, title, metadata, language, encoding, confidence, remarks, characters, size, mtime = (
        row
    )
    known = json.loads(metadata)
    base = {"folder": path.rpartition("/")[0], "size": size, "modified": mtime // 10**9}
    return DocumentEntry(
        number,
        path,
        part,
        title,
        base | known,
        language,
        encoding,
        confidence,
        tuple(json.loads(remarks)),
        characters,
    )
