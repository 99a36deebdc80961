"""Whether a workspace is sound, and the repair of what is not.

Nothing here can lose more than work: what is forgotten is read, cut or encoded again by the next update, and a
damaged database is moved aside.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from explorer.corpus.document import Passage, ReadOptions
from explorer.corpus.passages.splitter import coverage
from explorer.corpus.scan.paths import display_path
from explorer.errors import WorkspaceError
from explorer.messages import UserMessage
from explorer.task import Task
from explorer.workspace.repair import recover
from explorer.workspace.storage import database, location, vector_table
from explorer.workspace.storage.file_documents import seal
from explorer.workspace.storage.fts import NAMES, bad_indexes, rebuild
from explorer.workspace.storage.passages import digest
from explorer.workspace.storage.vector_file import VectorFile

_FORGET_FILE = (
    "UPDATE files SET name = ?, digest = '', read_as = '', reason = '', message = '', seal = x'' WHERE id = ?"
)
State = Literal["ok", "repaired", "problem"]
_BLOCK = 16_384  # vectors checked at once


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Attributes:
        check: Its name, for programs.
        state: "ok", "repaired", or "problem" for what is still wrong.
        message: The same as a sentence.
    """

    check: str
    state: State
    message: str


def examine(target: Path | str, *, repair: bool = False, task: Task | None = None) -> list[Finding]:
    """Check the workspace of a folder, or at a path; with `repair`, mend what can be mended.

    Raises:
        WorkspaceError: There is no workspace, or it cannot be opened at all.
        Cancelled: The task was cancelled.
    """
    target = Path(target)
    folder = location.workspace_of(target)
    if not (folder / database.FILE).is_file():
        raise WorkspaceError(
            "{target}: there is no workspace here to look at. Index a folder first: docexplorer index FOLDER",
            target=target,
        )
    root = None if folder == target else target.absolute()
    lock = location.Lock(folder)
    try:
        notice = _obstacle(folder, lock) if repair else ""
        found = [Finding("writing", "problem", notice)] if notice else []
        return found + _examine(folder, root, mend=repair and not notice, task=task or Task())
    finally:
        lock.release()


def _obstacle(folder: Path, lock: location.Lock) -> str:
    """Why this process may not repair; empty if it may."""
    if database.newer(folder):
        return (
            f"{folder}: this workspace was written by a later version of the program; it was only looked at. "
            f"Update the program to repair it."
        )
    try:
        taken = lock.take()
    except WorkspaceError as error:
        return str(error)
    return "" if taken else (
        f"{folder}: another window is writing to this workspace; it was only looked at. Close that window first."
    )  # fmt: skip


def _examine(folder: Path, root: Path | None, *, mend: bool, task: Task) -> list[Finding]:
    task.report(0, 0, "checking the database")
    damage = recover.damage(folder / database.FILE)
    if damage and not mend:
        advice = "“docexplorer doctor --repair” moves it aside and starts a new one with what is sound in it."
        return [Finding("database", "problem", f"{damage} {advice}")]
    if damage:
        first = Finding("database", "repaired", f"{damage} {recover.salvage(folder, root)}")
    else:
        first = Finding("database", "ok", "The database file is sound.")
    if mend:
        db = database.connect(folder, writable=True)
        db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    else:
        db = recover.look_at(folder / database.FILE)
    with closing(db):
        return [first, *_Doctor(db, folder, root, mend=mend, task=task).run()]


class _Doctor:
    """The checks of a database that can be read, in the order in which repairs build on each other."""

    def __init__(
        self, db: sqlite3.Connection, folder: Path, root: Path | None, *, mend: bool, task: Task
    ) -> None:
        self._db, self._folder, self._root = db, folder, root
        self._mend, self._task = mend, task
        self._rebuild = False

    def run(self) -> list[Finding]:
        version = database.version(self._db)
        if version < database.VERSION:
            return [self._older(version)]
        found = [self._version(version)]
        checks = (
            self._belonging,
            self._references,
            self._files,
            self._options,
            self._documents,
            self._words,
            self._half_read,
        )
        found += [self._checked(check.__name__.strip("_"), check) for check in checks]
        return found + self._vectors()

    def _checked(self, name: str, check: Callable[[], Finding]) -> Finding:
        try:
            return check()
        except sqlite3.Error as error:
            return Finding(name, "problem", f"{self._folder}: this could not be checked ({error}).")

    def _settle(self, check: str, trouble: str, remedy: tuple[str, str], mend: Callable[[], None]) -> Finding:
        """Mend and say what was done, or say what `--repair` would do."""
        would, done = remedy
        if not self._mend:
            return Finding(check, "problem", f"{trouble} “docexplorer doctor --repair” {would}.")
        mend()
        return Finding(check, "repaired", f"{trouble} {done}.")

    def _older(self, version: int) -> Finding:
        return Finding(
            "version", "problem", f"{self._folder}: its version {version} is older than the program's "
            f"{database.VERSION}. “docexplorer index” brings it up to date.",
        )  # fmt: skip

    def _version(self, version: int) -> Finding:
        told = f"The workspace has version {version} of its format."
        if version > database.VERSION:
            told += " That is later than this program knows; it can be read, not changed."
        return Finding("version", "ok", told)

    def _belonging(self) -> Finding:
        row = self._db.execute("SELECT value FROM meta WHERE key = 'root'").fetchone()
        if row is not None:
            return Finding(
                "belonging", "ok", f"The workspace belongs to {display_path(os.fsdecode(row[0]))}."
            )
        trouble = f"{self._folder}: the workspace does not say which folder it belongs to."
        if self._root is None:
            return Finding("belonging", "problem", f"{trouble} Index that folder again, by its own name.")
        root = location.as_noted(self._root)
        return self._settle(
            "belonging", trouble, ("notes it down", f"It is noted to be {display_path(str(self._root))}"),
            lambda: self._write("INSERT INTO meta (key, value) VALUES ('root', ?)", [(root,)]),
        )  # fmt: skip

    def _write(self, statement: str, rows: list[tuple[object, ...]]) -> None:
        with database.transaction(self._db):
            self._db.executemany(statement, rows)

    def _references(self) -> Finding:
        lost = self._db.execute("PRAGMA foreign_key_check").fetchall()
        if not lost:
            return Finding("references", "ok", "All rows belong together.")
        tables = ", ".join(sorted({row[0] for row in lost}))
        return self._settle(
            "references", f"{len(lost):,} rows of {tables} belong to nothing that is there.",
            ("removes them", "They were removed"), self._drop_orphans,
        )  # fmt: skip

    def _drop_orphans(self) -> None:
        with database.transaction(self._db):
            recover.drop_orphans(self._db)
        self._rebuild = True

    def _files(self) -> Finding:
        """Records of files as they were written; a spoilt one would end every update."""
        rows = self._db.execute(
            "SELECT id, CAST(path AS BLOB), name, digest, read_as, reason, message, seal FROM files"
        ).fetchall()
        spoilt: list[tuple[object, ...]] = [
            (display_path(os.fsdecode(path)), number)
            for number, path, name, *record, sealed in rows
            if name != display_path(os.fsdecode(path)) or not _is_sealed(record, sealed)
        ]
        if not spoilt:
            return Finding("files", "ok", f"The records of {len(rows):,} files are sound.")
        return self._settle(
            "files", f"The records of {len(spoilt):,} files are spoilt.",
            ("marks them", "The next update reads those files again"), lambda: self._write(_FORGET_FILE, spoilt),
        )  # fmt: skip

    def _options(self) -> Finding:
        """What the user chose for single files, which nothing can bring back."""
        rows = self._db.execute("SELECT path, options FROM file_options").fetchall()
        spoilt: list[tuple[object, ...]] = [(path,) for path, options in rows if not _are_options(options)]
        if not spoilt:
            return Finding("options", "ok", "What was chosen for single files can be read.")
        return self._settle(
            "options", f"How {len(spoilt):,} single files are to be read is spoilt.",
            ("forgets it", "It is forgotten; choose it again, such as the encoding of a file"),
            lambda: self._write("DELETE FROM file_options WHERE path = ?", spoilt),
        )  # fmt: skip

    def _documents(self) -> Finding:
        """Texts and records as they were written, and passages that are stretches of their text."""
        spoilt, uncut = [], []
        rows = self._db.execute("SELECT id FROM documents WHERE digest != x'' ORDER BY id").fetchall()
        for done, (number,) in enumerate(rows):
            self._task.report(done, len(rows), "checking documents")
            text, key, splitter, sound, *record, sealed = self._db.execute(
                "SELECT text, digest, splitter, json_valid(metadata) AND json_valid(remarks), part, place, title, "
                "metadata, language, encoding, confidence, remarks, seal FROM documents WHERE id = ?", (number,),
            ).fetchone()  # fmt: skip
            if (
                not sound
                or not isinstance(text, str)
                or digest(text) != key
                or not _is_sealed(record, sealed)
            ):
                spoilt.append(number)
            elif splitter and not self._is_cut(number, text):
                uncut.append(number)
        if not spoilt and not uncut:
            return Finding("documents", "ok", f"{len(rows):,} documents and their passages are sound.")
        return self._settle(
            "documents",
            f"{len(spoilt):,} documents are not as they were written, and {len(uncut):,} are wrongly cut.",
            ("marks them", "The next update reads or cuts them again"),
            lambda: self._forget_documents(spoilt, uncut),
        )

    def _is_cut(self, number: int, text: str) -> bool:
        spans = self._db.execute(
            "SELECT place, start, stop, digest FROM passages WHERE document = ? ORDER BY place", (number,)
        ).fetchall()
        if [place for place, *_ in spans] != list(range(len(spans))):
            return False
        if not all(
            0 <= start < stop <= len(text) and digest(text[start:stop]) == key
            for _, start, stop, key in spans
        ):
            return False
        return coverage(text, [Passage(start, stop) for _, start, stop, _ in spans]) >= 1.0

    def _forget_documents(self, spoilt: list[int], uncut: list[int]) -> None:
        with database.transaction(self._db):
            for number in spoilt:  # an empty digest, so that the text counts as new when it is read
                (text,) = self._db.execute("SELECT text FROM documents WHERE id = ?", (number,)).fetchone()
                self._db.execute(
                    "UPDATE documents SET text = ?, digest = x'', metadata = '{}', remarks = '[]', seal = x'' "
                    "WHERE id = ?",
                    (text if isinstance(text, str) else "", number),
                )
                self._db.execute(
                    "UPDATE files SET digest = '', seal = x'' WHERE id = (SELECT file FROM documents WHERE id = ?)",
                    (number,),
                )
            for number in (*spoilt, *uncut):
                self._db.execute("DELETE FROM passages WHERE document = ?", (number,))
                self._db.execute("UPDATE documents SET splitter = '' WHERE id = ?", (number,))
        self._rebuild = True  # their words cannot be taken out singly: it is not known what they were

    def _words(self) -> Finding:
        bad = (
            NAMES if self._rebuild else bad_indexes(self._db, self._folder, self._task, may_write=self._mend)
        )
        if not bad:
            return Finding("words", "ok", "The indexes of words and letters agree with the passages.")
        trouble = f"The index of {' and of '.join(bad)} does not agree with the passages."
        return self._settle(
            "words", trouble, ("makes it anew", "It was made anew"), self._rebuild_word_indexes
        )

    def _rebuild_word_indexes(self) -> None:
        with database.transaction(self._db):
            rebuild(self._db, self._task)

    def _half_read(self) -> Finding:
        half = "SELECT count(*) FROM files WHERE digest = '' AND reason = '' AND size >= 0"
        count = self._db.execute(half).fetchone()[0]
        told = f"{count:,} files were not read to their end; the next update reads them again."
        return Finding("half_read", "ok", told if count else "Every file was read to its end.")

    def _vectors(self) -> list[Finding]:
        try:
            models = self._db.execute("SELECT id, name, kind, dimension FROM models ORDER BY id").fetchall()
        except sqlite3.Error as error:
            return [
                Finding("vectors", "problem", f"{self._folder}: the vectors cannot be checked ({error}).")
            ]
        found = []
        for number, name, kind, dimension in models:
            check = _VectorCheck(
                self._db, number, self._folder / "vectors" / f"{number}.f16", dimension, kind
            )
            self._task.report(0, 0, UserMessage("checking vectors of {name}", name=name))
            trouble = check.trouble(self._task)
            if not trouble:
                found.append(Finding("vectors", "ok", f"{check.count:,} vectors of {name} are sound."))
                continue
            after = "import them again" if kind == "own" else "the next update encodes those texts again"
            remedy = (f"forgets what is bad; {after}", f"What was bad is forgotten; {after}")
            found.append(self._settle("vectors", f"{name}: {trouble}", remedy, check.forget))
        return found


class _VectorCheck:
    """Check whether a model's vector file holds what the database says.

    Attributes:
        count: How many texts have a vector.
    """

    def __init__(self, db: sqlite3.Connection, model: int, file: Path, dimension: int, kind: str) -> None:
        self._db, self._model = db, model
        self._file = VectorFile(file, max(1, dimension))
        self._shared = kind == "own"  # several texts may have one row, as the passages of a document do
        self._blank = kind == "draft"  # the vector of a text without a known word is zero
        self._bad: set[int] = set()
        self._keys: list[bytes] = []
        self._rows = np.zeros(0, dtype=np.int64)
        self.count = 0

    def trouble(self, task: Task) -> str:
        """Return what is wrong, as sentences; empty if nothing is."""
        named = vector_table.row_of_each_text(self._db, self._model)
        self._keys = [key for key, _ in named]
        self._rows = np.array([row for _, row in named], dtype=np.int64)
        self.count = len(named)
        found = [*self._missing(), *self._named_twice(), *self._unusable(task)]
        tail = self._tail()
        if tail and not found:
            found = [f"{self._file.path.name} has {tail:,} bytes that no text owns, the remains of a crash."]
        return " ".join(found)

    def forget(self) -> None:
        """Remove the bad vectors from the database, and cut off what is behind the last good one."""
        gone = [key for key, row in zip(self._keys, self._rows, strict=True) if int(row) in self._bad]
        with database.transaction(self._db):
            vector_table.forget_rows(self._db, self._model, gone)
        if self._file.path.exists():
            self._file.trim(self._good_rows())

    def _missing(self) -> list[str]:
        there = self._file.rows()
        bad = self._rows[(self._rows >= there) | (self._rows < 0)]
        self._bad.update(bad.tolist())
        return [f"{len(bad):,} vectors are missing from {self._file.path.name}."] if len(bad) else []

    def _named_twice(self) -> list[str]:
        if self._shared:
            return []
        rows, counts = np.unique(self._rows, return_counts=True)
        twice = set(rows[counts > 1].tolist()) - self._bad
        self._bad |= twice
        return [f"{len(twice):,} vectors belong to two texts, of which one is wrong."] if twice else []

    def _unusable(self, task: Task) -> list[str]:
        vectors = self._file.open()
        rows = np.unique(self._rows[(self._rows >= 0) & (self._rows < len(vectors))])
        count = 0
        for start in range(0, len(rows), _BLOCK):
            task.check()
            block = rows[start : start + _BLOCK]
            values = vectors[block]  # (B, n)
            empty = ~values.any(axis=1) & (not self._blank)
            bad = block[~np.isfinite(values).all(axis=1) | empty]
            self._bad.update(bad.tolist())
            count += len(bad)
        return [f"{count:,} vectors are empty or not numbers."] if count else []

    def _good_rows(self) -> int:
        good = [row for row in self._rows.tolist() if row not in self._bad]
        return max(good, default=-1) + 1

    def _tail(self) -> int:
        """Return the number of bytes behind the last good vector."""
        if not self._file.path.exists():
            return 0
        return self._file.path.stat().st_size - self._good_rows() * self._file.dimension * 2


def _is_sealed(record: list[object], sealed: bytes) -> bool:
    """Whether a record is as it was written, so far as that is known."""
    return not sealed or seal(*record) == sealed


def _are_options(written: str) -> bool:
    try:
        ReadOptions(**json.loads(written))
    except (TypeError, ValueError):
        return False
    return True
