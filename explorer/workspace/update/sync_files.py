"""From a folder to documents: what changed is read, what is gone is forgotten, what is the same is not opened.

Each file's documents are in the database before the next file begins, so a crash loses the file in flight at most.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers import registry
from explorer.corpus.scan import diff as scan_diff
from explorer.corpus.scan import scanner
from explorer.corpus.scan.paths import display_path
from explorer.corpus.scan.scanner import FileEntry
from explorer.task import Task
from explorer.workspace.storage.database import transaction
from explorer.workspace.update.sync_documents import (
    A_COMMIT,
    FileDocuments,
    mark,
    remove,
    seal,
    unmark,
)


@dataclass(frozen=True)
class Counts:
    """What an update did.

    Attributes:
        read: Files that were read.
        removed: Files that are gone.
        moved: Files that have a new path.
        same: Files that were not opened, because nothing about them changed.
        split: Documents that were cut into passages.
        encoded: Passages that were encoded.
    """

    read: int = 0
    removed: int = 0
    moved: int = 0
    same: int = 0
    split: int = 0
    encoded: int = 0


def path_key(path: str) -> bytes:
    """A relative path as the database keeps it: names that are not UTF-8 survive."""
    return os.fsencode(path)


class FileSync:
    """The first stages: scan the folder, read what changed, forget what is gone."""

    def __init__(
        self, connection: sqlite3.Connection, root: Path, options: ReadOptions, *, retry: bool = False
    ) -> None:
        self._db = connection
        self._root = root
        self._options = options
        self._retry = retry
        self._looked_ns = 0

    def run(self, task: Task) -> Counts:
        """Bring files and documents up to date."""
        task.report(0, 0, "looking for files")
        self._looked_ns = time.time_ns()
        found = scanner.scan(self._root, task)
        before = self._known()
        diff = scan_diff.find_swapped(
            scan_diff.changes(before, found.files, task, unseen=found.unseen), before, task
        )
        with transaction(self._db):
            self._db.execute("DELETE FROM files WHERE size < 0")  # what was skipped is in no file's way
            self._forget([*map(path_key, diff.removed)])
            renamed = self._move(diff.moved)
            self._note_skipped(found.skipped)
            self._touch(diff.same, before)
        fresh = [*diff.added, *diff.changed, *renamed]
        for done, entry in enumerate(fresh):
            task.report(done, len(fresh), "reading")
            self._read(entry, diff.digests.get(entry.path), task)
        task.report(len(fresh), len(fresh), "reading")
        return Counts(len(fresh), len(diff.removed), len(diff.moved), len(diff.same))

    def _known(self) -> dict[str, scan_diff.FileState]:
        """What is remembered of the files; an impossible state for those that must be read again in any case."""
        chosen, known = self._chosen(), {}
        for key, size, mtime, content, read_as, reason in self._db.execute(
            "SELECT path, size, mtime_ns, digest, read_as, reason FROM files WHERE size >= 0"
        ):
            path = os.fsdecode(key)
            good = content and read_as == self._read_as(path, chosen) and not (reason and self._retry)
            known[path] = (
                scan_diff.FileState(size, mtime, content) if good else scan_diff.FileState(-1, -1, "")
            )
        return known

    def _chosen(self) -> dict[bytes, str]:
        return dict(self._db.execute("SELECT path, options FROM file_options").fetchall())

    def _read_as(self, path: str, chosen: Mapping[bytes, str]) -> str:
        return json.dumps(asdict(self._options_for(path, chosen)), sort_keys=True)

    def _options_for(self, path: str, chosen: Mapping[bytes, str]) -> ReadOptions:
        return ReadOptions(**(asdict(self._options) | json.loads(chosen.get(path_key(path), "{}"))))

    def _forget(self, keys: Sequence[bytes]) -> None:
        for key in keys:
            for (file,) in self._db.execute("SELECT id FROM files WHERE path = ?", (key,)).fetchall():
                unmark(self._db, file)
                query = "SELECT id FROM documents WHERE file = ?"
                for (document,) in self._db.execute(query, (file,)).fetchall():
                    remove(self._db, document)
                self._db.execute("DELETE FROM files WHERE id = ?", (file,))

    def _move(self, moved: Sequence[scan_diff.Moved]) -> list[FileEntry]:
        """Note new paths, also of what was chosen for the files; returns the files to read again.

        These are files whose name decides how they are read or is told: in a title, or in what is wrong with them.
        """
        for old, _ in moved:  # out of each other's way: two files may have swapped their names
            for statement in (
                "UPDATE files SET path = ? WHERE path = ?",
                "UPDATE file_options SET path = ? WHERE path = ?",
            ):
                self._db.execute(statement, (_aside(old), path_key(old)))
        for old, entry in moved:
            key = path_key(entry.path)
            self._db.execute(
                "UPDATE files SET path = ?, name = ?, size = ?, mtime_ns = ? WHERE path = ?",
                (key, display_path(entry.path), entry.size, self._time(entry), _aside(old)),
            )
            # What was chosen under the new name was chosen later.
            self._db.execute("UPDATE OR IGNORE file_options SET path = ? WHERE path = ?", (key, _aside(old)))
            self._db.execute("DELETE FROM file_options WHERE path = ?", (_aside(old),))
        chosen = self._chosen()
        again = [entry for old, entry in moved if self._is_told(old, entry.path, chosen)]
        for entry in again:  # should this update be killed, the next one reads them
            self._db.execute(
                "UPDATE files SET digest = '', seal = x'' WHERE path = ?", (path_key(entry.path),)
            )
        return again

    def _is_told(self, old: str, new: str, chosen: Mapping[bytes, str]) -> bool:
        """Whether another path makes a difference to what is known of a moved file."""
        file, read_as, reason = self._db.execute(
            "SELECT id, read_as, reason FROM files WHERE path = ?", (path_key(new),)
        ).fetchone()
        before, now = PurePosixPath(old), PurePosixPath(new)
        if reason or before.suffix.lower() != now.suffix.lower() or read_as != self._read_as(new, chosen):
            return True
        if before.name == now.name:
            return False
        query = (
            "SELECT 1 FROM documents WHERE file = ?1 AND (title IN (?2, ?3) "
            "OR instr(title, ?2 || ' (part ') = 1 OR instr(title, ?3 || ' (part ') = 1)"
        )
        found = self._db.execute(
            query, (file, display_path(before.name), display_path(before.stem))
        ).fetchone()
        return found is not None

    def _note_skipped(self, skipped: Sequence[scanner.SkippedFile]) -> None:
        for one in skipped:
            self._db.execute(
                "INSERT OR IGNORE INTO files (path, name, size, mtime_ns, digest, read_as, reason, message) "
                "VALUES (?, ?, -1, 0, '', '', ?, ?)",
                (path_key(one.path), display_path(one.path), one.reason, one.sentence),
            )

    def _touch(self, same: Sequence[FileEntry], before: Mapping[str, scan_diff.FileState]) -> None:
        for entry in same:
            state = before[entry.path]
            if (entry.size, entry.mtime_ns) != (state.size, state.mtime_ns):
                self._db.execute(
                    "UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?",
                    (entry.size, self._time(entry), path_key(entry.path)),
                )

    def _read(self, entry: FileEntry, content: str | None, task: Task) -> None:
        """Read one file; its row gets its digest last, so that a file half read is read again."""
        options = self._options_for(entry.path, self._chosen())
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
            reason = error.reason if isinstance(error, Unreadable) else "unreadable"
            message = (
                str(error)
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
                unmark(self._db, file)
            self._db.execute(
                "UPDATE files SET digest = ?, reason = ?, message = ?, seal = ? WHERE id = ?",
                (content or "", reason, message, seal(content or "", read_as, reason, message), file),
            )

    def _time(self, entry: FileEntry) -> int:
        return scan_diff.time_to_remember(entry, self._looked_ns)

    def _begin(self, entry: FileEntry, read_as: str) -> int:
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO files (path, name, size, mtime_ns, digest, read_as) VALUES (?, ?, ?, ?, '', ?) "
                "ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, digest = '', "
                "read_as = excluded.read_as, reason = '', message = '', seal = x''",
                (path_key(entry.path), display_path(entry.path), entry.size, self._time(entry), read_as),
            )
            (file,) = self._db.execute(
                "SELECT id FROM files WHERE path = ?", (path_key(entry.path),)
            ).fetchone()
            mark(self._db, file)
        return int(file)


def _aside(path: str) -> bytes:
    """Where a file's row is while others move; no file has such a path."""
    return b"\0" + path_key(path)


def _batches(documents: Iterator[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    try:
        for document in documents:
            batch.append(document)
            if len(batch) >= A_COMMIT:
                yield batch
                batch = []
    except Unreadable:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
