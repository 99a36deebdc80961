"""Check a workspace, and repair it: a damaged cache is made again, damaged words of the user are recovered."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from explorer.corpus.scan.paths import display_path
from explorer.errors import WorkspaceError
from explorer.messages import UserMessage
from explorer.task import Task
from explorer.workspace.storage import connection, database, integrity, location, user_database, vector_table
from explorer.workspace.storage.vector_file import VectorFile

State = Literal["ok", "repaired", "problem"]
_WORDS = {
    "settings": "which folder and model this is for",
    "document_keys": "which documents you spoke of",
    "tags": "tags",
    "judgements": "judgements of pairs of texts",
    "cluster_edits": "changes to clusters",
    "file_options": "how single files are to be read",
}


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        check: Its name, for programs.
        state: "ok", "repaired", or "problem" for what is still wrong.
        message: The same as a sentence.
    """

    check: str
    state: State
    message: str


def examine(target: Path | str, *, repair: bool = False, task: Task | None = None) -> list[Finding]:
    """Check the workspace of a folder, or at a path; with `repair`, repair what can be repaired.

    Raises:
        WorkspaceError: There is no workspace, or it cannot be opened at all.
        Cancelled: The task was cancelled.
    """
    target = Path(target)
    folder = location.workspace_of(target)
    if not (folder / database.FILE).is_file() and not (folder / user_database.FILE).is_file():
        raise WorkspaceError(
            "{target}: there is no workspace here to look at. Index a folder first: docexplorer index FOLDER",
            target=target,
        )
    lock = location.Lock(folder)
    try:
        obstacle = _obstacle(folder, lock) if repair else ""
        findings = [Finding("writing", "problem", obstacle)] if obstacle else []
        root = None if folder == target else target.absolute()
        return findings + _Doctor(folder, root, repair and not obstacle, task or Task()).run()
    finally:
        lock.release()


def _obstacle(folder: Path, lock: location.Lock) -> str:
    """Return why this process may not repair; empty if it may."""
    if connection.is_newer(folder):
        return (
            f"{folder}: this workspace was written by a later version of the program; it was only looked at. "
            f"Update the program to repair it."
        )
    try:
        return "" if lock.take() else (
            f"{folder}: another window is writing to this workspace; it was only looked at. Close that window first."
        )  # fmt: skip
    except WorkspaceError as error:
        return str(error)


class _Doctor:
    """The checks, in the order in which repairs build on each other."""

    def __init__(self, folder: Path, root: Path | None, repair: bool, task: Task) -> None:
        self._folder, self._root = folder, root
        self._repair, self._task = repair, task

    def run(self) -> list[Finding]:
        self._task.report(0, 0, "checking the database")
        findings = [self._check_words(), self._check_cache()]
        if any(finding.state == "problem" for finding in findings) or not self._file(database.FILE).is_file():
            return findings
        with closing(connection.connect(self._folder, writable=self._repair)) as db:
            version = database.version(db)
            if version < database.VERSION:
                message = (
                    f"{self._folder}: its version {version} is older than the program's {database.VERSION}. "
                    f"“docexplorer index” brings it up to date."
                )
                return [*findings, Finding("version", "problem", message)]
            message = f"The workspace has version {version} of its format."
            if version > database.VERSION:
                message += " That is later than this program knows; it can be read, not changed."
            findings += [
                Finding("version", "ok", message), self._check_root(db), self._check_options(db), self._half_read(db),
            ]  # fmt: skip
            contents = self._check_contents(db)
            findings += contents or self._check_vectors(db)
        if contents and self._repair:
            kept = integrity.rebuild_cache(self._folder)
            findings[-1] = Finding(
                "cache", "repaired", f"{findings[-1].message} {_rebuilt(vectors_kept=kept)}"
            )
        return findings

    def _file(self, name: str) -> Path:
        return self._folder / name

    def _settle(self, check: str, trouble: str, would: str, done: str, repair: Callable[[], None]) -> Finding:
        """Repair and say what was done, or say what `--repair` would do."""
        if not self._repair:
            return Finding(check, "problem", f"{trouble} “docexplorer doctor --repair” {would}.")
        repair()
        return Finding(check, "repaired", f"{trouble} {done}.")

    def _check_words(self) -> Finding:
        """Check the structure of the user's database, and recover what can be read of a damaged one."""
        file = self._file(user_database.FILE)
        if not file.is_file():
            return Finding("user", "ok", "You have said nothing about this folder yet.")
        trouble = integrity.damaged_structure(file, user_database.statements(), user_database.VERSION)
        if not trouble:
            return Finding("user", "ok", "Your tags, judgements, names and options can be read.")
        if not self._repair:
            advice = (
                "“docexplorer doctor --repair” moves it aside and recovers your tags and judgements from it."
            )
            return Finding("user", "problem", f"{trouble} {advice}")
        return Finding("user", "repaired", f"{trouble} {self._recover(user_database.FILE)}")

    def _recover(self, name: str) -> str:
        """Put a damaged database aside and the words that can be read of it into a new one."""
        aside = connection.set_aside(self._folder, name)
        new = self._file(f"{user_database.FILE}.part")
        new.unlink(missing_ok=True)
        lost = integrity.recover_words(new, aside, self._file(user_database.BACKUP))
        new.replace(self._file(user_database.FILE))
        message = f"The damaged file is kept as {aside.name}, and a new one was made."
        if not lost:
            return f"{message} All that you said was saved."
        return f"{message} Some of this may be lost: {'; '.join(_WORDS[table] for table in lost)}."

    def _check_cache(self) -> Finding:
        """Check the structure of the cache, and delete one that is damaged."""
        file = self._file(database.FILE)
        if not file.is_file():
            return Finding("cache", "ok", "There is no cache. The next index reads the files and makes it.")
        trouble = integrity.damaged_structure(file, database.schema(), database.VERSION)
        if not trouble:
            return Finding("cache", "ok", "The database file is sound.")
        if not self._repair:
            advice = "“docexplorer doctor --repair” makes a new one; what you said about documents stays."
            return Finding("cache", "problem", f"{trouble} {advice}")
        if not user_database.has_words_of_cache(self._folder):  # they may still be in this file
            return Finding(
                "cache",
                "repaired",
                f"{trouble} {self._recover(database.FILE)} {_rebuilt(vectors_kept=False)}",
            )
        kept = integrity.rebuild_cache(self._folder)
        return Finding("cache", "repaired", f"{trouble} {_rebuilt(vectors_kept=kept)}")

    def _check_root(self, db: sqlite3.Connection) -> Finding:
        noted = user_database.setting(db, "root")
        if noted is not None:
            return Finding("belonging", "ok", f"The workspace belongs to {display_path(os.fsdecode(noted))}.")
        trouble = f"{self._folder}: the workspace does not say which folder it belongs to."
        root = self._root or (self._folder.parent if self._folder.name == location.INSIDE else None)
        if root is None:
            return Finding("belonging", "problem", f"{trouble} Index that folder again, by its own name.")
        return self._settle(
            "belonging", trouble, "notes it down", f"It is noted to be {display_path(str(root))}",
            lambda: user_database.set_setting(db, "root", location.as_noted(root)),
        )  # fmt: skip

    def _check_options(self, db: sqlite3.Connection) -> Finding:
        bad = integrity.bad_options(db)
        if not bad:
            return Finding("options", "ok", "The options of single files can be read.")
        return self._settle(
            "options", f"The options of {len(bad):,} single files cannot be understood.",
            "forgets them", "They were forgotten; set them again, such as the encoding of a file",
            lambda: integrity.forget_options(db, bad),
        )  # fmt: skip

    def _half_read(self, db: sqlite3.Connection) -> Finding:
        count = integrity.half_read(db)
        message = f"{count:,} files were not read to their end; the next update reads them again."
        return Finding("half_read", "ok", message if count else "Every file was read to its end.")

    def _check_contents(self, db: sqlite3.Connection) -> list[Finding]:
        """Check the rows of the cache; the caller makes it again once the database is closed."""
        try:
            trouble = integrity.damaged_rows(db, self._folder, self._task, may_write=self._repair)
        except sqlite3.Error as error:
            return [Finding("cache", "problem", f"{self._folder}: the cache could not be checked ({error}).")]
        if trouble and not self._repair:
            trouble += (
                " “docexplorer doctor --repair” makes a new cache; what you said about documents stays."
            )
        return [Finding("cache", "problem", trouble)] if trouble else []

    def _check_vectors(self, db: sqlite3.Connection) -> list[Finding]:
        findings = []
        for model in vector_table.models(db):
            self._task.report(0, 0, UserMessage("checking vectors of {name}", name=model.name))
            file = VectorFile(self._folder / "vectors" / f"{model.id}.f16", max(1, model.dimension))
            trouble = integrity.damaged_vectors(db, model, file, self._task)
            if not trouble:
                findings.append(Finding("vectors", "ok", f"The vectors of {model.name} are sound."))
                continue
            after = "import them again" if model.kind == "own" else "the next update encodes the texts again"

            def forget(model: vector_table.StoredModel = model, file: VectorFile = file) -> None:
                with database.transaction(db):
                    vector_table.remove_model(db, model)
                file.path.unlink(missing_ok=True)

            findings.append(
                self._settle(
                    "vectors",
                    f"{model.name}: {trouble}",
                    f"forgets its vectors; {after}",
                    f"Its vectors were forgotten; {after}",
                    forget,
                )
            )
        return findings


def _rebuilt(*, vectors_kept: bool) -> str:
    if vectors_kept:
        return "The cache was deleted; the next index reads every file again. Your vectors were kept."
    return "The cache was deleted; the next index reads every file and encodes every text again."
