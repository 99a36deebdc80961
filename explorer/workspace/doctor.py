"""Check a workspace, and repair it: a damaged cache is made again, damaged words of the user are recovered."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from explorer import disk
from explorer.errors import WorkspaceError
from explorer.messages import UserMessage
from explorer.paths import display_path
from explorer.task import Task
from explorer.workspace.storage import connection, database, database_checksums, integrity, location
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.file import VectorFile
from explorer.workspace.storage.vectors.table import StoredModel

State = Literal["ok", "repaired", "problem"]
_RECOVERED = {
    True: "{trouble} It is kept as {aside}, and a new one was made; all your tags, ratings and names were saved.",
    False: "{trouble} It is kept as {aside}, and a new one was made. What could not be read of it may be lost: {lost}.",
}
_CHANGED = (
    "{trouble} It is kept as {aside}, and a new one was made of all that can be read. A tag or a name may be wrong; "
    "“docexplorer restore” brings back an earlier copy."
)
_REBUILT = {
    True: "{trouble} The cache was deleted; the next index reads every file again. The vectors were kept.",
    False: "{trouble} The cache was deleted; the next index reads every file and encodes every text again.",
}
_FOREIGN = (
    "These are links, pipes, devices or huge files of nothing, which no workspace has: {names}. “docexplorer doctor "
    "--repair” removes them, and nothing that they lead to."
)
_REMOVED = "Links, pipes, devices or huge files of nothing, which no workspace has, were removed: {names}."
_WOULD_RECOVER = "{trouble} “docexplorer doctor --repair” moves it aside and recovers your tags and judgements."
_WOULD_REBUILD = "{trouble} “docexplorer doctor --repair” makes a new cache; your tags, ratings and names are kept."


@dataclass(frozen=True)
class CheckResult:
    """The result of one check.

    Attributes:
        check: Its name, for programs.
        state: "ok", "repaired", or "problem" for what is still wrong.
        message: The same as a sentence.
    """

    check: str
    state: State
    message: str


def examine(target: Path | str, *, repair: bool = False, task: Task | None = None) -> list[CheckResult]:
    """Check the workspace of a folder, or at a path; with `repair`, repair what can be repaired.

    Raises:
        WorkspaceError: There is no workspace, or it cannot be opened at all.
        Cancelled: The task was cancelled.
    """
    target = Path(target)
    folder = location.workspace_of(target)
    if not (folder / database.FILE).is_file() and not (folder / user_database.FILE).is_file():
        raise WorkspaceError(
            "{target}: there is no workspace here to check. Index a folder first: docexplorer index FOLDER",
            target=target,
        )
    location.require_in_place(folder)
    foreign = list(location.foreign_entries(folder))
    if foreign and not repair:
        names = ", ".join(display_path(str(path.relative_to(folder))) for path in foreign)
        return [CheckResult("files", "problem", UserMessage(_FOREIGN, names=names))]
    lock = location.Lock(folder)
    try:
        removed = _remove(folder, foreign)
        obstacle = _obstacle(folder, lock) if repair else ""
        results = [CheckResult("writing", "problem", obstacle)] if obstacle else []
        root = None if folder == target else target.absolute()
        return removed + results + _Doctor(folder, root, repair and not obstacle, task or Task()).run()
    finally:
        lock.release()


def _remove(folder: Path, foreign: Sequence[Path]) -> list[CheckResult]:
    """Delete links and other things that no workspace has, and nothing that they lead to.

    Raises:
        WorkspaceError: One cannot be deleted.
    """
    for path in foreign:
        try:
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()  # a junction of Windows
        except OSError as error:
            raise WorkspaceError(
                "{file}: cannot be deleted ({reason}). Delete it by hand.", file=path, reason=error.strerror
            ) from error
    names = ", ".join(display_path(str(path.relative_to(folder))) for path in foreign)
    return [CheckResult("files", "repaired", UserMessage(_REMOVED, names=names))] if foreign else []


def _obstacle(folder: Path, lock: location.Lock) -> str:
    """Return why this process may not repair; empty if it may."""
    if connection.is_newer(folder):
        return UserMessage(
            "{folder}: this workspace was written by a later version of the program; it was only looked at. "
            "Update the program to repair it.",
            folder=folder,
        )
    try:
        if lock.acquire():
            return ""
    except WorkspaceError as error:
        return error.message
    return UserMessage(
        "{folder}: another window is writing to this workspace; it was only checked. Close that window first.",
        folder=folder,
    )


class _Doctor:
    """The checks, in the order in which repairs build on each other."""

    def __init__(self, folder: Path, root: Path | None, repair: bool, task: Task) -> None:
        self._folder, self._root = folder, root
        self._repair, self._task = repair, task

    def run(self) -> list[CheckResult]:
        self._task.report(0, 0, "checking the database")
        results = [self._check_words(), self._check_cache()]
        if any(result.state == "problem" for result in results) or not (self._folder / database.FILE).is_file():
            return results
        with closing(connection.connect(self._folder, writable=self._repair, verify=False)) as db:
            version = database.version(db)
            if version < database.VERSION:
                message = UserMessage(
                    "{folder}: its version {version} is older than the program's {latest}. “docexplorer index” brings "
                    "it up to date.",
                    folder=self._folder,
                    version=version,
                    latest=database.VERSION,
                )
                return [*results, CheckResult("version", "problem", message)]
            results += [
                CheckResult("version", "ok", UserMessage("The workspace has version {version}.", version=version)),
                self._check_root(db),
                self._check_options(db),
                self._half_read(db),
            ]
            contents = self._check_contents(db)
            results += contents or self._check_vectors(db)
        if contents and self._repair:
            saved = integrity.rebuild_cache(self._folder)
            results[-1] = CheckResult("cache", "repaired", UserMessage(_REBUILT[saved], trouble=results[-1].message))
        return results

    def _check_words(self) -> CheckResult:
        """Check the structure of the user's database, and recover what can be read of a damaged one."""
        file = self._folder / user_database.FILE
        if not file.is_file():
            return CheckResult("user", "ok", UserMessage("This folder has no tags, ratings or names of yours yet."))
        if trouble := self._changed(file):
            if not self._repair:
                return CheckResult("user", "problem", UserMessage(_WOULD_RECOVER, trouble=trouble))
            aside, _ = self._recover(user_database.FILE)
            return CheckResult("user", "repaired", UserMessage(_CHANGED, trouble=trouble, aside=aside))
        trouble = integrity.damaged_structure(file, user_database.statements(), user_database.VERSION)
        if not trouble:
            return CheckResult("user", "ok", UserMessage("Your tags, judgements, names and options can be read."))
        if self._repair:
            return CheckResult("user", "repaired", self._recovered(user_database.FILE, trouble))
        return CheckResult("user", "problem", UserMessage(_WOULD_RECOVER, trouble=trouble))

    def _changed(self, file: Path) -> str:
        """Return the sentence about a database that is not as it was left; without its checksums where it is repaired.

        Raises:
            WorkspaceError: It cannot be read.
        """
        try:
            if not database_checksums.differs(file, again=True) or database_checksums.was_written(file):
                return ""  # of what another program wrote, the records are checked
            if self._repair:
                database_checksums.remove(file)
        except OSError as error:
            raise WorkspaceError(
                "{file}: cannot be read ({reason}). Its disk may be failing: copy your folder elsewhere.",
                file=file,
                reason=error.strerror,
            ) from error
        return UserMessage("{file}: some of its bytes changed on the disk.", file=file)

    def _recovered(self, name: str, trouble: str) -> str:
        """Recover the words of a damaged database; return what came of it as a sentence."""
        aside, lost = self._recover(name)
        return UserMessage(_RECOVERED[not lost], trouble=trouble, aside=aside, lost=", ".join(lost))

    def _recover(self, name: str) -> tuple[str, list[str]]:
        """Put a damaged database aside and the words that can be read of it into a new one.

        Returns:
            What it is called now, and the tables of which something may be lost.
        """
        aside = connection.set_aside(self._folder, name)
        new = self._folder / f"{user_database.FILE}.part"
        new.unlink(missing_ok=True)
        lost = integrity.recover_words(new, aside, self._folder / user_database.BACKUP)
        disk.replace(new, self._folder / user_database.FILE)
        return aside.name, lost

    def _check_cache(self) -> CheckResult:
        """Check the structure of the cache, and delete one that is damaged."""
        file = self._folder / database.FILE
        if not file.is_file():
            message = UserMessage("There is no cache. The next index reads the files and makes it.")
            return CheckResult("cache", "ok", message)
        trouble = self._changed(file) or integrity.damaged_structure(file, database.schema(), database.VERSION)
        if not trouble:
            return CheckResult("cache", "ok", UserMessage("The database file is sound."))
        if not self._repair:
            return CheckResult("cache", "problem", UserMessage(_WOULD_REBUILD, trouble=trouble))
        if not user_database.has_words_of_cache(self._folder):  # they may still be in this file
            trouble = self._recovered(database.FILE, trouble)
            return CheckResult("cache", "repaired", UserMessage(_REBUILT[False], trouble=trouble))
        saved = integrity.rebuild_cache(self._folder)
        return CheckResult("cache", "repaired", UserMessage(_REBUILT[saved], trouble=trouble))

    def _check_root(self, db: sqlite3.Connection) -> CheckResult:
        noted = user_database.setting(db, "root")
        if noted is not None:
            root = display_path(os.fsdecode(noted))
            return CheckResult("belonging", "ok", UserMessage("The workspace belongs to {folder}.", folder=root))
        root_folder = self._root or (self._folder.parent if self._folder.name == location.INSIDE else None)
        if self._repair and root_folder is not None:
            user_database.set_setting(db, "root", location.as_noted(root_folder))
            message = UserMessage("The workspace now belongs to {folder}.", folder=display_path(str(root_folder)))
            return CheckResult("belonging", "repaired", message)
        template = "{folder}: the workspace does not say which folder it belongs to. Index that folder again."
        return CheckResult("belonging", "problem", UserMessage(template, folder=self._folder))

    def _check_options(self, db: sqlite3.Connection) -> CheckResult:
        bad = integrity.bad_options(db)
        if not bad:
            return CheckResult("options", "ok", UserMessage("The options of single files can be read."))
        if self._repair:
            integrity.forget_options(db, bad)
            template = "The options of {count:,} single files made no sense and were forgotten; set them again."
            return CheckResult("options", "repaired", UserMessage(template, count=len(bad)))
        template = "The options of {count:,} single files make no sense. “docexplorer doctor --repair” forgets them."
        return CheckResult("options", "problem", UserMessage(template, count=len(bad)))

    def _half_read(self, db: sqlite3.Connection) -> CheckResult:
        count = integrity.half_read(db)
        template = "{count:,} files were not read to their end; the next update reads them again."
        return CheckResult(
            "half_read",
            "ok",
            UserMessage(template, count=count) if count else UserMessage("Every file was read to its end."),
        )

    def _check_contents(self, db: sqlite3.Connection) -> list[CheckResult]:
        """Check the rows of the cache; the caller makes it again once the database is closed."""
        try:
            trouble = integrity.damaged_rows(db, self._folder, self._task, may_write=self._repair)
        except sqlite3.Error as error:
            template = "{folder}: the cache could not be checked ({reason}). Close other programs that use it."
            return [CheckResult("cache", "problem", UserMessage(template, folder=self._folder, reason=error))]
        if trouble and not self._repair:
            trouble = UserMessage(_WOULD_REBUILD, trouble=trouble)
        return [CheckResult("cache", "problem", trouble)] if trouble else []

    def _check_vectors(self, db: sqlite3.Connection) -> list[CheckResult]:
        results = []
        for model in vector_table.models(db):
            self._task.report(0, 0, UserMessage("checking vectors of {name}", name=model.name))
            path = self._folder / "vectors" / f"{model.id}.f16"
            file = VectorFile(path, max(1, model.dimension), model.fingerprint)
            trouble, blocks = integrity.damaged_vectors(db, model, file, self._task)
            if not trouble:
                message = UserMessage("The vectors of {name} are sound.", name=model.name)
                results.append(CheckResult("vectors", "ok", message))
            elif not self._repair:
                template = (
                    "{name}: {trouble} “docexplorer doctor --repair” forgets them; the next update encodes their texts "
                    "again, and vectors of your own must be imported again."
                )
                results.append(
                    CheckResult("vectors", "problem", UserMessage(template, name=model.name, trouble=trouble))
                )
            else:
                self._forget(db, model, file, blocks)
                template = (
                    "{name}: {trouble} They were forgotten; the next update encodes their texts again, and vectors of "
                    "your own must be imported again."
                )
                results.append(
                    CheckResult("vectors", "repaired", UserMessage(template, name=model.name, trouble=trouble))
                )
        return results

    def _forget(self, db: sqlite3.Connection, model: StoredModel, file: VectorFile, blocks: list[slice] | None) -> None:
        """Forget some vectors of a model, or the model with all of them."""
        with database.transaction(db):
            if blocks is None:
                vector_table.remove_model(db, model)
            for block in blocks or ():
                vector_table.forget_rows(db, model.id, block)
        if blocks is None:
            file.path.unlink(missing_ok=True)
            file.checksums.path.unlink(missing_ok=True)
        else:
            file.forget([block for block in blocks if block.stop <= file.rows()])
