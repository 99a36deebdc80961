"""A workspace: everything known about one folder, opened by one writer and any number of readers."""

from __future__ import annotations

import logging
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum, auto
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from explorer import disk
from explorer.corpus.document import Passage, ReadOptions
from explorer.corpus.passages.splitter import coverage
from explorer.errors import WorkspaceError
from explorer.messages import UserMessage
from explorer.task import Task
from explorer.workspace.storage import connection, database, documents, files, location, passages
from explorer.workspace.storage.documents import DocumentEntry
from explorer.workspace.storage.files import FileProblem
from explorer.workspace.storage.user import backups
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.file import VectorFile
from explorer.workspace.storage.vectors.imported import restore_vectors
from explorer.workspace.storage.vectors.table import StoredModel
from explorer.workspace.update.encode import (
    Encoder,
    EncodingOrder,
    TakenIn,
    encode_passages,
    import_found,
    import_shards,
)
from explorer.workspace.update.knn_graph import update_graph
from explorer.workspace.update.split import TextSplitters, budget_of, cutting_keys, split_documents
from explorer.workspace.update.sync_files import Counts, FileReaders, FileSync

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.static_encoder import StaticEncoder


log = logging.getLogger(__name__)

_BACKUP_SECONDS = 30 * 60.0  # between two backups of a workspace that stays open
_ONLY = "only file"  # the setting of a workspace of a single file: its name


class Workspace:
    """The workspace of one folder.

    Attributes:
        folder: The workspace's own folder.
        root: The folder of texts.
        source: What is read: the root, or the one file of it that was opened alone.
        writable: Whether this process is its writer.
        notice: Why it is not writable; empty if it is.
        encoding_order: What an update encodes first; shared by all connections of this process.
    """

    def __init__(self, folder: Path, root: Path | None, *, writable: bool) -> None:
        location.require_own_files(folder)
        self.folder = folder
        self.notice = ""
        self.encoding_order = EncodingOrder()
        self._backed_up = time.monotonic()
        self._lock = location.Lock(folder)
        self.writable = writable and self._may_write()
        try:
            self._db = self._connect()
            if self.writable:
                disk.close_all(folder)
                user_database.back_up(self._db, folder)
            self.root, self.source = self._find_root(root)
            if self.writable:
                backups.back_up(folder, self.source)
        except BaseException:
            self._lock.release()  # or it could not be repaired
            raise

    def _connect(self) -> sqlite3.Connection:
        """Open the database; for reading only if its disk is full, which harms nothing that is in it."""
        try:
            return connection.connect(self.folder, writable=self.writable)
        except WorkspaceError as error:
            if not (self.writable and database.is_full(error.__cause__)):
                raise
            try:
                reader = connection.connect(self.folder, writable=False)
            except WorkspaceError:  # there was none yet
                raise error from None
        self._lock.release()
        self.writable = False
        self.notice = UserMessage(
            "{folder}: nothing can be written to the disk of this workspace, which may be full; it "
            "is opened for reading only. Free space on it, then open the folder again.",
            folder=self.folder,
        )
        log.warning("opened for reading only: nothing can be written to its disk")
        return reader

    def _find_root(self, root: Path | None) -> tuple[Path, Path]:
        """Return the folder of texts and what is read of it: what is given, which is noted, or was noted before."""
        noted, only = self.setting("root"), self.setting(_ONLY)
        if root is not None and root.is_file():
            root, name = root.parent, location.as_noted(Path(root.name))
            if self.writable and name != only:
                self.set_setting(_ONLY, name)
            only = name
        if root is None:
            if noted is None:
                raise WorkspaceError(
                    "{folder}: the workspace does not say which folder it belongs to. Index the folder again.",
                    folder=self.folder,
                )
            root = location.as_path(noted)
        if self.writable and location.as_noted(root) != noted:
            self.set_setting("root", location.as_noted(root))
        return root, root / location.as_path(only) if only else root

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files and let another process write."""
        self._db.close()
        if self.writable and self._lock.held:
            backups.back_up(self.folder, self.source)
        self._lock.release()

    def back_up_words(self) -> None:
        """Copy the user's words before they are changed, if the last copy of an open workspace is half an hour old."""
        if time.monotonic() - self._backed_up >= _BACKUP_SECONDS:
            self._backed_up = time.monotonic()
            backups.back_up(self.folder, self.source)

    def another(self) -> Workspace:
        """Open the same workspace for another thread: with a connection of its own, as writable as this one.

        Close it before this one, which keeps other processes from writing.
        """
        twin = Workspace(self.folder, self.root, writable=False)
        twin.notice, twin.encoding_order = self.notice, self.encoding_order
        if self.writable:
            twin._db.close()
            twin._db, twin.writable = connection.connect(self.folder, writable=True), True
        return twin

    @property
    def connection(self) -> sqlite3.Connection:
        """The database, for the modules of this package; all SQL is in `storage`."""
        return self._db

    def change_token(self) -> tuple[int, int, int]:
        """Return a value that changes whenever the workspace does, by this process or another."""
        return database.change_token(self._db)

    def require_writable(self) -> None:
        """Make sure that this process may write.

        Raises:
            WorkspaceError: It may not; the message says why.
        """
        if not self.writable:
            raise WorkspaceError(
                self.notice or UserMessage("{folder}: the workspace was opened for reading only.", folder=self.folder)
            )

    def read(
        self,
        options: ReadOptions,
        *,
        retry: bool = False,
        readers: FileReaders | None = None,
        task: Task | None = None,
        encoder: Callable[[], BiEncoder | None] | None = None,
    ) -> Counts:
        """Read what is new in the folder and forget what is gone, which needs no model.

        Args:
            options: How files are read.
            retry: Whether files that could not be read are tried again.
            readers: What reads files; processes of this machine if absent.
            task: Progress and cancel.
            encoder: Returns the model once it is open: of a table of a million rows the first thousands are split for
                it, and can be found by word, while the others are read.

        Raises:
            Cancelled: The task was cancelled; what was read stays.
            WorkspaceError: This process may not write, or the disk is full.
        """
        self.require_writable()
        task = task or Task()
        task.enter(UpdatePhase.READ)
        split = 0

        def split_some() -> None:
            nonlocal split
            model = encoder() if encoder is not None else None
            if model is not None:
                split += self._split(model, task.silent(), None)[1]

        sync = FileSync(self._db, self.source, options, retry=retry, readers=readers, on_stored=split_some)
        return replace(sync.run(task), split=split)

    def update(
        self,
        encoder: BiEncoder,
        *,
        static_encoder: StaticEncoder | None = None,
        options: ReadOptions | None = None,
        retry: bool = False,
        readers: FileReaders | None = None,
        splitters: TextSplitters | None = None,
        task: Task | None = None,
        on_sketched: Callable[[], None] | None = None,
        already: Counts | None = None,
    ) -> Counts:
        """Bring everything up to date with the folder: read, split, encode and link what is new, forget what is gone.

        Args:
            encoder: The model of the vectors.
            static_encoder: That of the model, whose vectors come first.
            options: How files are read.
            retry: Whether files that could not be read are tried again.
            readers: What reads files; processes of this machine if absent.
            splitters: What splits texts into passages; this process if absent.
            task: Progress and cancel.
            on_sketched: Called once the draft has encoded what was new.
            already: What `read` returned, if the folder has just been read.

        Raises:
            Cancelled: The task was cancelled; what was done stays, and the next update continues from there.
            WorkspaceError: This process may not write, or the disk is full.
        """
        self.require_writable()
        task, options = task or Task(), options or ReadOptions()
        for used, kind in ((static_encoder, "draft"), (encoder, "bi")):  # which corrects the notes about them
            if used is not None:
                self._model(used, kind)
        damaged = self.forget_damaged_vectors()
        if options.recognise:  # everything else first: a scanned page takes seconds
            plain = replace(options, recognise="")
            self.update(
                encoder,
                static_encoder=static_encoder,
                options=plain,
                retry=retry,
                readers=readers,
                splitters=splitters,
                task=task,
                already=already,
            )
            retry, already = False, None
        early = (lambda: encoder) if splitters is None else None
        counts = already or self.read(options, retry=retry, readers=readers, task=task, encoder=early)
        task.enter(UpdatePhase.SPLIT)
        cutting, split = self._split(encoder, task, splitters)
        split += counts.split
        task.enter(UpdatePhase.DRAFT)
        if (
            static_encoder is not None
            and self._encode(static_encoder, "draft", cutting, task)
            and on_sketched is not None
        ):
            on_sketched()
        task.enter(UpdatePhase.ENCODE)
        model = self._model(encoder, "bi", cutting)
        import_found(self._db, self._trimmed(model), model, self.root, encoder, task)
        encoded = self._encode(encoder, "bi", cutting, task)
        self.set_meta("cutting", str(cutting))
        self.set_meta("model", encoder.fingerprint)
        task.enter(UpdatePhase.LINK)
        update_graph(self, encoder.fingerprint, task)
        if counts.read or split:
            restore_vectors(self, task)
        return replace(counts, split=split, encoded=encoded, damaged=damaged)

    def encode_for_model(
        self, encoder: BiEncoder, task: Task | None = None, *, splitters: TextSplitters | None = None
    ) -> int:
        """Encode all documents with a model that is to be used next, whose update then finds its vectors ready.

        The vectors in use stay complete meanwhile. Returns how many passages were encoded; raises as `update`.
        """
        self.require_writable()
        task = task or Task()
        cutting, _ = self._split(encoder, task, splitters)
        return self._encode(encoder, "bi", cutting, task)

    def import_shards(self, folder: Path, encoder: BiEncoder, task: Task | None = None) -> TakenIn:
        """Take in vectors that a cluster made, for the update to find; raises as `shards.import_shards`."""
        self.require_writable()
        model = self._model(encoder, "bi")
        return import_shards(self._db, self._trimmed(model), model, folder, encoder, task or Task())

    def models(self) -> list[StoredModel]:
        """Return the models that have vectors here."""
        return vector_table.models(self._db)

    def vector_file(self, model: StoredModel) -> VectorFile:
        """Return the file of a model's vectors.

        Raises:
            WorkspaceError: Their length, as the database has it, cannot be.
        """
        if not 0 < model.dimension <= vector_table.LONGEST:
            raise WorkspaceError(database.damaged(UserMessage("vectors of {length} numbers", length=model.dimension)))
        return VectorFile(self.folder / "vectors" / f"{model.id}.f16", model.dimension, model.fingerprint)

    def forget_damaged_vectors(self) -> int:
        """Forget vectors that are missing from their file or not as they were written; return how many these were.

        The next encoding makes them again, except those that the user imported.

        Raises:
            WorkspaceError: This process may not write, or the disk is full.
        """
        self.require_writable()
        forgotten = 0
        for model in self.models():
            file, rows = self.vector_file(model), vector_table.rows_in_use(self._db, model.id)
            there = file.rows()
            bad = file.checksums.damaged(min(rows, there))
            if bad or there < rows:
                with database.transaction(self._db):
                    for block in (*bad, slice(there, max(there, rows))):
                        forgotten += vector_table.forget_rows(self._db, model.id, block)
                file.forget(bad)
        if forgotten:
            log.warning("%d vectors were damaged and are forgotten", forgotten)
        return forgotten

    def documents(self) -> Iterator[DocumentEntry]:
        """Return all documents, in the order of their files."""
        return documents.entries(self._db)

    def document(self, document: int) -> DocumentEntry:
        """Return one document.

        Raises:
            WorkspaceError: There is no such document (any more).
        """
        return documents.entry(self._db, document)

    def text(self, document: int) -> str:
        """Return the text of a document.

        Raises:
            WorkspaceError: There is no such document (any more).
        """
        return documents.text(self._db, document)

    def passages(self, document: int) -> list[Passage]:
        """Return the passages of a document, in order."""
        return list(passages.spans(self._db, document).values())

    def coverage(self, document: int) -> float:
        """Return the share of a document's text that is in encoded passages: 1.0 once it is indexed."""
        first = next((model.fingerprint for model in self.models() if model.kind == "bi"), None)
        # While a folder is encoded for the first time no model is in use yet.
        used = self.meta("model") or first
        return coverage(self.text(document), passages.encoded_spans(self._db, document, used))

    def problems(self) -> list[FileProblem]:
        """Return the files that could not be read, with the reason."""
        return files.problems(self._db)

    def file_options(self, path: str) -> ReadOptions:
        """Return how one file is read: the user's options for it, and the defaults for the rest."""
        return ReadOptions(**files.options(self._db, path))

    def set_file_options(self, path: str, **options: Any) -> None:
        """Set how one file is read from the next update on, such as encoding="cp949"; other options stay."""
        files.set_options(self._db, path, **options)

    def counts(self) -> dict[str, int]:
        """Count files, documents, passages and problems."""
        return database.counts(self._db)

    def _split(self, encoder: BiEncoder, task: Task, splitters: TextSplitters | None) -> tuple[int, int]:
        """Split what is not split for a model yet; return the id of its cutting, and how many documents were split."""
        cutting, key = passages.cutting(self._db, *cutting_keys(encoder))
        if self.meta("cutting") is None:  # the first model: it is in use from the start
            self.set_meta("cutting", str(cutting))
        budget = budget_of(encoder)
        return cutting, split_documents(self._db, encoder.tokenizer, budget, cutting, key, task, splitters)

    def _encode(self, encoder: Encoder, kind: str, cutting: int, task: Task) -> int:
        model = self._model(encoder, kind, cutting)
        return encode_passages(self._db, self._trimmed(model), model, encoder, task, self.encoding_order)

    def _trimmed(self, model: StoredModel) -> VectorFile:
        """Return the file of a model's vectors, without what a crash left at its end."""
        file = self.vector_file(model)
        file.trim(vector_table.rows_in_use(self._db, model.id))
        return file

    def _model(self, encoder: Encoder, kind: str, cutting: int | None = None) -> StoredModel:
        name = getattr(encoder, "name", kind)
        with database.transaction(self._db):
            return vector_table.add_model(self._db, encoder.fingerprint, name, kind, encoder.dimension, cutting)

    def _may_write(self) -> bool:
        if connection.is_newer(self.folder):
            self.notice = UserMessage(
                "{folder}: this workspace was written by a later version of the program and is opened "
                "for reading only. Update the program to change it.",
                folder=self.folder,
            )
        elif location.is_locked_up(self.folder):
            self.notice = UserMessage(
                "{folder}: this workspace may not be written; it is opened for reading only.", folder=self.folder
            )
        elif not self._lock.acquire():
            self.notice = UserMessage(
                "{folder}: another window is writing to this workspace; it is opened for reading only.",
                folder=self.folder,
            )
        return not self.notice

    def setting(self, key: str) -> str | bytes | None:
        """Return what the user chose for this folder, such as its model; None for nothing."""
        return user_database.setting(self._db, key)

    def set_setting(self, key: str, value: str | bytes) -> None:
        """Save what the user chose for this folder; it outlives the cache.

        Raises:
            WorkspaceError: It cannot be written.
        """
        user_database.set_setting(self._db, key, value)

    def meta(self, key: str) -> str | None:
        """Return what was noted in the cache under a key; None for nothing."""
        value = database.get_meta(self._db, key)
        return None if value is None else str(value)

    def set_meta(self, key: str, value: str | bytes) -> None:
        """Note something in the cache under a key.

        Raises:
            WorkspaceError: It cannot be written.
        """
        with database.transaction(self._db):
            database.set_meta(self._db, key, value)


def open_workspace(
    target: Path | str, *, writable: bool = True, inside: bool = False, create: bool = True
) -> Workspace:
    """Open the workspace of a folder of texts or of a single file, created if there is none; or that at a path.

    Args:
        target: A folder of texts, a file such as a table or a mailbox, or the folder of a workspace.
        writable: Whether to become its writer, if there is none.
        inside: Whether a new workspace goes into the folder itself instead of the user's data folder.
        create: Whether a folder that was never indexed gets a workspace; if not, it is an error.

    Raises:
        WorkspaceError: It cannot be opened.
    """
    target = Path(target)
    if not target.exists():
        raise WorkspaceError("{target}: there is no such folder. Check its name.", target=target)
    folder = location.workspace_of(target, inside=inside)
    if not (writable and create) and folder != target and not (folder / database.FILE).is_file():
        raise WorkspaceError(
            "{target}: this folder is not indexed yet. Index it first: docexplorer index {target2}",
            target=target,
            target2=shlex.quote(str(target)),
        )
    return Workspace(folder, None if folder == target else target.absolute(), writable=writable)


class UpdatePhase(Enum):
    """What an update is doing, in this order."""

    READ = auto()
    SPLIT = auto()
    DRAFT = auto()
    ENCODE = auto()
    LINK = auto()
