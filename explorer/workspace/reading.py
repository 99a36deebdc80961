"""From a folder to documents: what changed is read, what is gone is forgotten, what is the same is not opened.

Each file's documents are in the database before the next file begins, so a crash loses the file in flight at most.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath

from explorer.corpus import changes, folder, readers
from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.folder import FileEntry
from explorer.corpus.names import shown
from explorer.index.language import language
from explorer.task import Task
from explorer.workspace.passages import digest, drop_passages
from explorer.workspace.store import transaction

_DOCUMENTS_A_COMMIT = 64
_EARLIER = re.compile(r" \(earlier, \d+\)$")  # on the part of a document whose place another has taken
_NO_TEXT_NOW = {"binary", "encrypted", "no text layer"}  # reasons that do not pass by themselves
_HIGHEST = "highest_document"  # in meta: the highest number that a document had which is gone


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


def seal(*values: object) -> bytes:
    """A checksum of a record's values, by which the doctor tells whether they are as they were written."""
    return hashlib.blake2b(json.dumps(values).encode(), digest_size=8).digest()


class Reading:
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
        found = folder.scan(self._root, task)
        before = self._known()
        diff = _exchanged(changes.changes(before, found.files, task, unseen=found.unseen), before, task)
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

    def _known(self) -> dict[str, changes.FileState]:
        """What is remembered of the files; an impossible state for those that must be read again in any case."""
        chosen, known = self._chosen(), {}
        for key, size, mtime, content, read_as, reason in self._db.execute(
            "SELECT path, size, mtime_ns, digest, read_as, reason FROM files WHERE size >= 0"
        ):
            path = os.fsdecode(key)
            good = content and read_as == self._read_as(path, chosen) and not (reason and self._retry)
            known[path] = changes.FileState(size, mtime, content) if good else changes.FileState(-1, -1, "")
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
                _unmark(self._db, file)
                query = "SELECT id FROM documents WHERE file = ?"
                for (document,) in self._db.execute(query, (file,)).fetchall():
                    _remove(self._db, document)
                self._db.execute("DELETE FROM files WHERE id = ?", (file,))

    def _move(self, moved: Sequence[changes.Moved]) -> list[FileEntry]:
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
                (key, shown(entry.path), entry.size, self._time(entry), _aside(old)),
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
        found = self._db.execute(query, (file, shown(before.name), shown(before.stem))).fetchone()
        return found is not None

    def _note_skipped(self, skipped: Sequence[folder.Skipped]) -> None:
        for one in skipped:
            self._db.execute(
                "INSERT OR IGNORE INTO files (path, name, size, mtime_ns, digest, read_as, reason, message) "
                "VALUES (?, ?, -1, 0, '', '', ?, ?)",
                (path_key(one.path), shown(one.path), one.reason, one.sentence),
            )

    def _touch(self, same: Sequence[FileEntry], before: Mapping[str, changes.FileState]) -> None:
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
        documents = _Documents(self._db, file)
        try:
            content = content or changes.fingerprint(entry.location, task)
            for batch in _batches(readers.read(entry.location, options, task)):
                with transaction(self._db):
                    for document in batch:
                        documents.write(document)
        except (Unreadable, OSError) as error:
            reason = error.reason if isinstance(error, Unreadable) else "unreadable"
            message = (
                str(error) if isinstance(error, Unreadable) else f"{shown(entry.path)}: {error.strerror}."
            )
        if not changes.is_still(entry):  # what was read need not be what has this digest
            content = None
        if reason:
            documents.keep(reason)
        elif content:  # or the next update tells what is left of the others
            documents.settle(task)
        with transaction(self._db):
            if content and not reason:
                _unmark(self._db, file)
            self._db.execute(
                "UPDATE files SET digest = ?, reason = ?, message = ?, seal = ? WHERE id = ?",
                (content or "", reason, message, seal(content or "", read_as, reason, message), file),
            )

    def _time(self, entry: FileEntry) -> int:
        return changes.time_to_remember(entry, self._looked_ns)

    def _begin(self, entry: FileEntry, read_as: str) -> int:
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO files (path, name, size, mtime_ns, digest, read_as) VALUES (?, ?, ?, ?, '', ?) "
                "ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, digest = '', "
                "read_as = excluded.read_as, reason = '', message = '', seal = x''",
                (path_key(entry.path), shown(entry.path), entry.size, self._time(entry), read_as),
            )
            (file,) = self._db.execute(
                "SELECT id FROM files WHERE path = ?", (path_key(entry.path),)
            ).fetchone()
            _mark(self._db, file)
        return int(file)


class _Documents:
    """The documents of a file that is read: those it had keep their numbers, and with them what the user said of them.

    A text that stands in the file again is the same document, at whatever place. Once the whole file is read, a
    document whose text is gone becomes the new text that stands in its part, such as "row 3"; until then it is kept,
    under another part where its own is taken. Reading may break off at any moment: documents with numbers above the
    mark in meta were made since, and none of them keeps an earlier one from its part when the file is read again.
    """

    def __init__(self, connection: sqlite3.Connection, file: int) -> None:
        self._db = connection
        self._file = file
        self._place = 0
        self._since = _marked(connection, file)
        self._last = _highest(connection)
        self._first: dict[bytes, int] = {}  # by digest; of equal texts the first in the file
        self._next: dict[int, int] = {}  # and the one that follows it
        for number, key in connection.execute(
            "SELECT id, digest FROM documents WHERE file = ? ORDER BY id > ? DESC, place DESC, id DESC",
            (file, self._since),
        ):
            if key in self._first:
                self._next[number] = self._first[key]
            self._first[key] = number

    def write(self, document: Document) -> None:
        """Store the next document of the file; one that is stored as it is stays untouched."""
        key = digest(document.text)
        number = self._claimed(key) or self._claimed_whole(document.part)
        record = (
            *(document.part, self._place, document.title),
            *(json.dumps(dict(document.metadata), ensure_ascii=False), language(document.text)),
            *(
                document.encoding,
                float(document.confidence),
                json.dumps(document.remarks, ensure_ascii=False),
            ),
        )
        self._place += 1
        sealed = seal(*record)
        if number is not None:
            old = self._db.execute("SELECT digest, seal FROM documents WHERE id = ?", (number,)).fetchone()
            if old == (key, sealed):
                return
            if old[0] != key:
                drop_passages(self._db, number)
        self._db.execute(
            "UPDATE documents SET part = part || ' (earlier, ' || id || ')', seal = x'' "
            "WHERE file = ? AND part = ? AND id IS NOT ?",
            (self._file, document.part, number),
        )
        if number is None:
            number = self._last = self._last + 1
        self._db.execute(
            "INSERT INTO documents (part, place, title, metadata, language, encoding, confidence, remarks, "
            "id, file, text, digest, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET part = excluded.part, "
            "place = excluded.place, title = excluded.title, metadata = excluded.metadata, "
            "encoding = excluded.encoding, confidence = excluded.confidence, "
            "remarks = excluded.remarks, language = excluded.language, "
            "splitter = CASE WHEN digest = excluded.digest THEN splitter ELSE '' END, "
            "text = excluded.text, digest = excluded.digest, seal = excluded.seal",
            (*record, number, self._file, document.text, key, sealed),
        )

    def settle(self, task: Task) -> None:
        """Now that the file is read to its end: what has no place in it becomes what stands in its part, or goes."""
        # Numbers above the mark first: they are in nobody's part then.
        left = sorted((*self._first.values(), *self._next.values()), reverse=True)
        for start in range(0, len(left), _DOCUMENTS_A_COMMIT):
            task.check()
            with transaction(self._db):
                for number in left[start : start + _DOCUMENTS_A_COMMIT]:
                    self._succeed(number)

    def keep(self, reason: str) -> None:
        """After an error: what was not read this time stays as it was read last.

        A file that is empty, locked, damaged, too large or gone is often so for a moment, while it is saved or its
        disk is away; the list of problems tells that its texts are old. Where it holds no text any more (it is binary,
        encrypted or without a text layer now), or another text has taken a document's part, only documents stay of
        which the user has said something: an old text is less harm than a lost tag.
        """
        with transaction(self._db):
            for number in (*self._first.values(), *self._next.values()):
                part, is_spoken_of = self._db.execute(
                    "SELECT part, EXISTS (SELECT 1 FROM tags WHERE document = ?1) "
                    "OR EXISTS (SELECT 1 FROM judgements WHERE first_document = ?1 OR second_document = ?1) "
                    "FROM documents WHERE id = ?1",
                    (number,),
                ).fetchone()
                is_past = reason in _NO_TEXT_NOW or number > self._since or _EARLIER.search(part)
                if is_past and not is_spoken_of:
                    _remove(self._db, number)

    def _claimed(self, key: bytes) -> int | None:
        """The first document with that text that was not found in the file yet."""
        number = self._first.pop(key, None)
        if number in self._next:
            self._first[key] = self._next.pop(number)
        return number

    def _claimed_whole(self, part: str) -> int | None:
        """The document that was the whole file, where it is one again; no other can have its text."""
        row = None
        if not part:
            query = "SELECT id, digest FROM documents WHERE file = ? AND part = ''"
            row = self._db.execute(query, (self._file,)).fetchone()
        return self._claimed(row[1]) if row and self._first.get(row[1]) == row[0] else None

    def _succeed(self, number: int) -> None:
        (part,) = self._db.execute("SELECT part FROM documents WHERE id = ?", (number,)).fetchone()
        part = _EARLIER.sub("", part)
        row = self._db.execute(
            "SELECT id FROM documents WHERE file = ? AND part = ? AND id > ?", (self._file, part, self._since)
        ).fetchone()
        if row is None or number > self._since:
            _remove(self._db, number)
            return
        drop_passages(self._db, number)
        self._db.execute(
            "UPDATE documents SET (place, title, text, digest, metadata, language, encoding, confidence, remarks, "
            "seal, splitter) = (SELECT place, title, text, digest, metadata, language, encoding, confidence, remarks, "
            "seal, '' FROM documents WHERE id = ?) WHERE id = ?",
            (row[0], number),
        )
        for statement in (  # where reading broke off, the user may have spoken of the new one
            "UPDATE OR IGNORE tags SET document = ? WHERE document = ?",
            "UPDATE judgements SET first_document = ? WHERE first_document = ?",
            "UPDATE judgements SET second_document = ? WHERE second_document = ?",
        ):
            self._db.execute(statement, (number, row[0]))
        _remove(self._db, row[0])
        self._db.execute("UPDATE documents SET part = ? WHERE id = ?", (part, number))


def _highest(db: sqlite3.Connection) -> int:
    """The highest number a document has or had; a new one gets a higher, or it would be taken for one that is gone."""
    (present,) = db.execute("SELECT max(id) FROM documents").fetchone()
    return max(_number(db, _HIGHEST) or 0, present or 0)


def _number(db: sqlite3.Connection, key: str) -> int | None:
    row = db.execute("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?", (key,)).fetchone()
    return int(row[0]) if row else None


def _remove(db: sqlite3.Connection, document: int) -> None:
    if document >= _highest(db):
        db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_HIGHEST, str(document)))
    drop_passages(db, document)
    db.execute("DELETE FROM documents WHERE id = ?", (document,))


def _mark(db: sqlite3.Connection, file: int) -> None:
    """Note which documents are there before a file is read again, until it is read to its end."""
    if db.execute("SELECT 1 FROM documents WHERE file = ?", (file,)).fetchone():
        db.execute(
            "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (f"reading {file}", str(_highest(db)))
        )


def _marked(db: sqlite3.Connection, file: int) -> int:
    noted = _number(db, f"reading {file}")
    return _highest(db) if noted is None else noted


def _unmark(db: sqlite3.Connection, file: int) -> None:
    db.execute("DELETE FROM meta WHERE key = ?", (f"reading {file}",))


def _aside(path: str) -> bytes:
    """Where a file's row is while others move; no file has such a path."""
    return b"\0" + path_key(path)


def _exchanged(
    found: changes.Changes, before: Mapping[str, changes.FileState], task: Task
) -> changes.Changes:
    """The changes, with files that took each other's names as moved ones: a and b swapped, or a is b and b is c now.

    A file that is there under its name and changed is taken for moved only if what it held is elsewhere and what it
    holds is from elsewhere. A copy made before a file was edited is a new file.
    """
    held: defaultdict[str, list[str]] = defaultdict(list)
    for path in (*(entry.path for entry in found.changed), *found.removed):
        if before[path].size > 0:
            held[before[path].digest].append(path)
    sizes = {before[path].size for paths in held.values() for path in paths}
    digests, moved = dict(found.digests), {}
    for entry in (*found.changed, *found.added) if found.changed else ():
        if entry.size not in sizes:
            continue
        try:
            content = digests.get(entry.path) or changes.fingerprint(entry.location, task)
        except Unreadable:  # told when it is read
            continue
        digests[entry.path] = content
        if held[content]:
            moved[entry.path] = changes.Moved(held[content].pop(), entry)
    stayed = {entry.path for entry in found.changed}
    while lone := {
        path
        for path, (old, _) in moved.items()
        if (path in stayed and path not in {other for other, _ in moved.values()})
        or (old in stayed and old not in moved)
    }:
        moved = {path: move for path, move in moved.items() if path not in lone}
    sources = {old for old, _ in moved.values()}
    return replace(
        found,
        added=tuple(entry for entry in found.added if entry.path not in moved),
        changed=tuple(entry for entry in found.changed if entry.path not in moved),
        removed=tuple(path for path in found.removed if path not in sources),
        moved=(*found.moved, *moved.values()),
        digests=digests,
    )


def _batches(documents: Iterator[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    try:
        for document in documents:
            batch.append(document)
            if len(batch) >= _DOCUMENTS_A_COMMIT:
                yield batch
                batch = []
    except Unreadable:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
