"""Bring the documents up to date with the files of a folder: read what changed, forget what is gone.

Each file's documents are in the database before the next file begins, so a crash loses at most the file being read.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from explorer import messages
from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers import registry
from explorer.corpus.scan import diff as scan_diff
from explorer.corpus.scan import scanner
from explorer.corpus.scan.paths import display_path
from explorer.corpus.scan.scanner import FileEntry
from explorer.task import Task
from explorer.workspace.storage import file_documents, files, user_database
from explorer.workspace.storage.database import transaction
from explorer.workspace.storage.file_documents import FileDocuments

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
    """

    read: int = 0
    removed: int = 0
    moved: int = 0
    same: int = 0
    split: int = 0
    encoded: int = 0


class FileSync:
    """The first stage of an update: scan the folder, read what changed, forget what is gone."""

    def __init__(
        self, connection: sqlite3.Connection, root: Path, options: ReadOptions, *, retry: bool = False
    ) -> None:
        self._db = connection
        self._root = root
        self._options = options
        self._retry = retry
        self._looked_ns = 0
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
        seen = scanner.scan(self._root, task)
        before = self._known()
        diff = scan_diff.find_swapped(
            scan_diff.changes(before, seen.files, task, unseen=seen.unseen), before, task
        )
        with transaction(self._db):
            files.forget_skipped(self._db)
            for path in diff.removed:
                self._forget(path)
            renamed = self._move(diff.moved)
            self._touch(diff.same, before)
        user_database.refresh_keys(self._db)  # before a new file can get the id of one that was removed
        with transaction(self._db):
            for skipped in seen.skipped:
                files.add_skipped(
                    self._db, skipped.path, display_path(skipped.path), skipped.reason, skipped.sentence
                )
        unread = [entry for entry in diff.same if entry.path in self._unread]
        fresh = [*diff.added, *diff.changed, *renamed, *unread]
        log.info(
            "%d files to read, %d removed, %d moved, %d unchanged",
            *(len(fresh), len(diff.removed), len(diff.moved), len(diff.same)),
        )
        for done, entry in enumerate(fresh):
            task.report(done, len(fresh), "reading")
            self._read(entry, diff.digests.get(entry.path), task)
        task.report(len(fresh), len(fresh), "reading")
        user_database.refresh_keys(self._db, finished=True)
        return Counts(len(fresh), len(diff.removed), len(diff.moved), len(diff.same) - len(unread))

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
        return json.dumps(asdict(self._options_for(path, options)), sort_keys=True)

    def _options_for(self, path: str, options: Mapping[bytes, str]) -> ReadOptions:
        return ReadOptions(**(asdict(self._options) | json.loads(options.get(files.path_key(path), "{}"))))

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
            [
                (old, entry.path, display_path(entry.path), entry.size, self._time(entry))
                for old, entry in moved
            ],
        )
        options = files.all_options(self._db)
        before = dict(options)
        for old, _ in moved:
            options.pop(files.path_key(old), None)
        for old, entry in moved:
            old_key, new_key = files.path_key(old), files.path_key(entry.path)
            if old_key in before:
                options.setdefault(
                    new_key, before[old_key]
                )  # those under the new name were set later; they win
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

    def _read(self, entry: FileEntry, content: str | None, task: Task) -> None:
        """Read one file; its row gets its digest last, so that a file read by half is read again."""
        options = self._options_for(entry.path, files.all_options(self._db))
        reason = message = ""
        read_as = json.dumps(asdict(options), sort_keys=True)
        file = self._begin(entry, read_as)
        documents = FileDocuments(self._db, file)
        try:
            content = content or scan_diff.fingerprint(entry.location, task)
            for batch in _batches(registry.read(entry.location, options, task)):
                with transaction(self._db):
                    for document in batch:
                        documents.write(document)
        except (Unreadable, OSError) as error:
            log.info("%s cannot be read: %s", display_path(entry.path), type(error).__name__)
            reason = error.reason if isinstance(error, Unreadable) else "unreadable"
            message = (
                error.message
                if isinstance(error, Unreadable)
                else f"{display_path(entry.path)}: {error.strerror}."
            )
        if not scan_diff.is_still(entry):  # what was read need not be what has this digest
            content = None
        if reason:
            documents.keep(reason)
        elif content:  # or the next update tells what is left of the others
            documents.settle(task)
        with transaction(self._db):
            if content and not reason:
                file_documents.unmark(self._db, file)
            files.finish(self._db, file, content or "", reason, messages.dump(message))

    def _time(self, entry: FileEntry) -> int:
        return scan_diff.time_to_remember(entry, self._looked_ns)

    def _begin(self, entry: FileEntry, read_as: str) -> int:
        with transaction(self._db):
            file = files.begin(
                self._db, entry.path, display_path(entry.path), entry.size, self._time(entry), read_as
            )
            file_documents.mark(self._db, file)
        return file


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
