"""Bring the documents up to date with the files of a folder: read what changed, forget what is gone.

Each file's documents are in the database before the next file begins, so a crash loses at most the file being read.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from explorer import messages
from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers.process.pool import Reading, ReadRequest, shared_pool
from explorer.corpus.scan import diff as scan_diff
from explorer.corpus.scan import scanner
from explorer.corpus.scan.scanner import FileEntry
from explorer.messages import UserMessage
from explorer.paths import display_path
from explorer.task import Task
from explorer.workspace.storage import documents as stored_documents
from explorer.workspace.storage import file_documents, files
from explorer.workspace.storage.database import from_json, transaction
from explorer.workspace.storage.file_documents import FileDocuments
from explorer.workspace.storage.user import database as user_database

_FIRST_STORED = 5_000  # documents after which they are made searchable while the others are read
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Counts:
    """What an update has done.

    Attributes:
        read: Files that were read.
        removed: Files that are gone.
        moved: Files that have a new path.
        same: Files that were not opened, because nothing about them changed.
        split: Documents that were split into passages.
        encoded: Passages that were encoded.
        damaged: Vectors that were damaged on the disk, and forgotten.
    """

    read: int = 0
    removed: int = 0
    moved: int = 0
    same: int = 0
    split: int = 0
    encoded: int = 0
    damaged: int = 0


class FileReaders(Protocol):
    """What reads files: processes of this machine, or workers of a cluster."""

    def read_files(self, requests: Iterable[ReadRequest]) -> Generator[Reading]:
        """Yield a reading for each file, in order."""
        ...


class FileSync:
    """The first stage of an update: scan the folder, read what changed, forget what is gone."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        source: Path,
        options: ReadOptions,
        *,
        retry: bool = False,
        readers: FileReaders | None = None,
        on_stored: Callable[[], object] | None = None,
    ) -> None:
        """Prepare.

        Args:
            connection: The database.
            source: The folder, or the file.
            options: How files are read.
            retry: Whether files that could not be read are tried again.
            readers: What reads files; processes of this machine if absent.
            on_stored: Called now and then while many documents are read, when some thousand more are in the database.
        """
        self._db = connection
        self._on_stored, self._stored, self._announced = on_stored, 0, 0
        self._source = source
        self._options = options
        self._retry = retry
        self._readers = readers or shared_pool()
        self._looked_ns = 0
        self._recognises = False  # only once all else is read: a scanned page takes seconds
        self._unread: set[str] = set()  # files of a new cache whose documents the user spoke of

    def run(self, task: Task) -> Counts:
        """Bring files and documents up to date.

        Raises:
            Cancelled: The task was cancelled; files that were read stay.
            WorkspaceError: The disk is full.
        """
        task.report(0, 0, "looking for files")
        user_database.refresh_keys(self._db)  # what a killed update could not
        user_database.seed(self._db)
        user_database.refresh_keys(self._db)
        self._looked_ns = time.time_ns()
        scan = scanner.scan(self._source, task)
        before = self._known()
        diff = scan_diff.find_swapped(scan_diff.changes(before, scan.files, task, unseen=scan.unseen), before, task)
        with transaction(self._db):
            files.forget_skipped(self._db)
            if diff.removed or diff.moved:
                stored_documents.note_change(self._db)
            for path in diff.removed:
                self._forget(path)
            renamed = self._move(diff.moved)
            self._touch(diff.same, before)
        user_database.refresh_keys(self._db)  # before a new file can get the id of one that was removed
        with transaction(self._db):
            for skipped in scan.skipped:
                files.add_skipped(self._db, skipped.path, display_path(skipped.path), skipped.reason, skipped.sentence)
        unread = [entry for entry in diff.same if entry.path in self._unread]
        fresh = [*diff.added, *diff.changed, *renamed, *unread]
        log.info(
            "%d files to read, %d removed, %d moved, %d unchanged",
            *(len(fresh), len(diff.removed), len(diff.moved), len(diff.same)),
        )
        self._read_all(fresh, task, UserMessage("reading"))
        if self._options.recognise:
            scans = files.without_text_layer(self._db)
            self._recognises = True
            scanned = [entry for entry in scan.files if entry.path in scans]
            self._read_all(scanned, task, UserMessage("recognising text"))
        user_database.refresh_keys(self._db, finished=True)
        return Counts(len(fresh), len(diff.removed), len(diff.moved), len(diff.same) - len(unread))

    def _read_all(self, entries: Sequence[FileEntry], task: Task, note: str) -> None:
        with closing(self._readers.read_files(self._requests(entries))) as readings:
            for done, (entry, reading) in enumerate(zip(entries, readings, strict=True)):
                task.report(done, len(entries), note)
                self._read(entry, reading, task)
        task.report(len(entries), len(entries), note)

    def _known(self) -> dict[str, scan_diff.FileState]:
        """Return what is remembered of the files; an impossible state for those that must be read again."""
        options, known = files.all_options(self._db), {}
        for record in files.records(self._db):
            is_current = (
                record.digest
                and record.read_as == self._read_as(record.path, options)
                and not (record.reason and self._retry)
            )
            if not record.read_as and record.digest:
                self._unread.add(record.path)
                is_current = True  # as far as it can be told whether the file was moved
            state = (record.size, record.mtime_ns, record.digest) if is_current else (-1, -1, "")
            known[record.path] = scan_diff.FileState(*state)
        return known

    def _read_as(self, path: str, options: Mapping[bytes, str]) -> str:
        return _as_text(self._options_for(path, options))

    def _options_for(self, path: str, options: Mapping[bytes, str]) -> ReadOptions:
        return ReadOptions(**(asdict(self._options) | from_json(options.get(files.path_key(path), "{}"))))

    def _forget(self, path: str) -> None:
        file = files.id_of(self._db, path)
        if file is None:
            return
        file_documents.unmark(self._db, file)
        for document in files.document_ids(self._db, file):
            file_documents.remove(self._db, document)
        files.remove(self._db, file)

    def _move(self, moved: Sequence[scan_diff.Moved]) -> list[FileEntry]:
        """Note the new paths, and return the files to read again: those whose name shows in what is known of them."""
        files.move(
            self._db,
            [(old, entry.path, display_path(entry.path), entry.size, self._time(entry)) for old, entry in moved],
        )
        options = files.all_options(self._db)
        before = dict(options)
        for old, _ in moved:
            options.pop(files.path_key(old), None)
        for old, entry in moved:
            old_key, new_key = files.path_key(old), files.path_key(entry.path)
            if old_key in before:
                options.setdefault(new_key, before[old_key])  # those under the new name were set later; they win
        again = [entry for old, entry in moved if self._depends_on_name(old, entry.path, options)]
        for entry in again:  # should this update be killed, the next one reads them
            files.mark_unread(self._db, entry.path)
        return again

    def _depends_on_name(self, old: str, new: str, options: Mapping[bytes, str]) -> bool:
        """Return whether the new path changes how a file is read, its title, or what is said about it."""
        file, read_as, reason = files.record_of(self._db, new)
        before, now = PurePosixPath(old), PurePosixPath(new)
        if reason or before.suffix.lower() != now.suffix.lower() or read_as != self._read_as(new, options):
            return True
        if before.name == now.name:
            return False
        return files.has_title_of_name(self._db, file, display_path(before.name), display_path(before.stem))

    def _touch(self, same: Sequence[FileEntry], before: Mapping[str, scan_diff.FileState]) -> None:
        for entry in same:
            state = before[entry.path]
            if (entry.size, entry.mtime_ns) != (state.size, state.mtime_ns):
                files.set_state(self._db, entry.path, entry.size, self._time(entry))

    def _requests(self, fresh: Sequence[FileEntry]) -> Iterator[ReadRequest]:
        """Yield what is to be read, and which contents brought a reader down when they were read the same way."""
        options = files.all_options(self._db)
        refused: defaultdict[str, dict[str, Unreadable]] = defaultdict(dict)
        if not self._retry:
            for digest, read_as, reason, message in files.failures(self._db):
                refused[read_as][digest] = Unreadable(reason, message)
        for entry in fresh:
            read_as = self._read_as(entry.path, options)
            how = self._options_for(entry.path, options)
            how = how if self._recognises else replace(how, recognise="")
            yield ReadRequest(entry.location, entry.size, how, refused.get(read_as, {}), entry.mtime_ns)

    def _read(self, entry: FileEntry, reading: Reading, task: Task) -> None:
        """Read one file; its row gets its digest last, so that a file read by half is read again."""
        reason = message = ""
        file = self._begin(entry, _as_text(reading.request.options))
        documents = FileDocuments(self._db, file)
        try:
            for batch in _batches(reading.documents(task)):
                with transaction(self._db):
                    stored_documents.note_change(self._db)
                    for document in batch:
                        documents.write(document)
                self._count_stored(len(batch))
        except (Unreadable, OSError) as error:
            log.info("%s cannot be read: %s", display_path(entry.path), type(error).__name__)
            reason = error.reason if isinstance(error, Unreadable) else "unreadable"
            message = (
                error.message if isinstance(error, Unreadable) else f"{display_path(entry.path)}: {error.strerror}."
            )
        # What was read is not what was listed, or is larger than memory and need not be what has this digest.
        content = reading.digest if scan_diff.is_still(entry) else ""
        if reason:
            documents.keep(reason)
        elif content:  # or the next update tells what is left of the others
            documents.settle(task)
        with transaction(self._db):
            if content and not reason:
                file_documents.unmark(self._db, file)
            files.finish(self._db, file, content, reason, messages.dump(message))

    def _count_stored(self, more: int) -> None:
        """Call `on_stored` after the first thousands, and then whenever there are a quarter more."""
        self._stored += more
        if self._on_stored is not None and self._stored - self._announced >= max(_FIRST_STORED, self._announced // 4):
            self._announced = self._stored
            self._on_stored()

    def _time(self, entry: FileEntry) -> int:
        return scan_diff.time_to_remember(entry, self._looked_ns)

    def _begin(self, entry: FileEntry, read_as: str) -> int:
        with transaction(self._db):
            file = files.begin(self._db, entry.path, display_path(entry.path), entry.size, self._time(entry), read_as)
            file_documents.mark(self._db, file)
        return file


def _as_text(options: ReadOptions) -> str:
    """Return the options a file was read with, for the database.

    Without recognition: to ask for it must not have all other files read again.
    """
    return json.dumps({**asdict(options), "recognise": ""}, sort_keys=True)


def _batches(documents: Iterator[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    try:
        for document in documents:
            batch.append(document)
            if len(batch) >= file_documents.A_COMMIT:
                yield batch
                batch = []
    except Unreadable:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
