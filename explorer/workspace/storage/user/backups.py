"""Backups of what cannot be computed again: the user's words about a folder, and the cards of trained models.

They are outside of the workspace, so that deleting or damaging it does not take them along. A copy is made when the
words were changed since the last one: when a workspace is opened, when it is closed, and every half hour that it stays
open and they are changed. The newest are kept, then one a day, then one a week.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from explorer import disk, paths
from explorer.errors import WorkspaceError
from explorer.workspace.storage import database, integrity, location
from explorer.workspace.storage.user import database as user_database

NEWEST, DAYS, WEEKS = 6, 7, 8
_log = logging.getLogger(__name__)
_NAME = "user-%Y%m%dT%H%M%SZ.db"
_HEADER = 100  # bytes of a database that count its changes
_COARSEST = 2_000_000_000  # nanoseconds: the times of files on FAT; elsewhere they are some milliseconds late
_CARDS = ("README.md", "recipe.json")
_OURS = {"settings", "document_keys"}  # what the program notes for itself


@dataclass(frozen=True)
class Backup:
    """A copy of the user's words.

    Attributes:
        path: Its file.
        made: When, in UTC.
        counts: How many rows each table has, such as {"tags": 3}; empty ones left out.
    """

    path: Path
    made: datetime
    counts: dict[str, int]


def folder_of(root: Path) -> Path:
    """Return where the copies of the words about a folder of texts are."""
    return paths.data() / "backups" / location.key_of(root)


def back_up(workspace: Path, root: Path, *, now: datetime | None = None) -> Path | None:
    """Copy the user's words if they were changed since the last copy; a failure is only logged.

    Args:
        workspace: The workspace's own folder.
        root: The folder of texts.
        now: The time, for tests.

    Returns:
        The copy; None if there is nothing new.
    """
    file, folder = workspace / user_database.FILE, folder_of(root)
    try:
        _copy_cards()
        # A copy carries the time from which it may be too old: a change right after it can have the same time as it.
        as_of = time.time_ns() - _COARSEST
        old = _files(folder)
        changed = max(path.stat().st_mtime_ns for path in workspace.glob(f"{file.name}*") if "damaged" not in path.name)
        if old and old[0].stat().st_mtime_ns >= changed:
            return None
        disk.make_folder(folder)
        half = folder / "user.part"
        half.unlink(missing_ok=True)
        with closing(database.read_only(file)) as db:
            if not user_database.has_words(db):
                return None
            db.execute("VACUUM INTO ?", (str(half),))
        _require_sound(half)
        disk.close(half)
        if old and _contents(old[0]) == _contents(half):
            half.unlink()
            os.utime(old[0], ns=(as_of, as_of))  # nothing was saved since
            return None
        with half.open("rb+") as stream:
            os.fsync(stream.fileno())
        os.utime(half, ns=(as_of, as_of))
        path = folder / (now or datetime.now(UTC)).strftime(_NAME)
        disk.replace(half, path)
        for extra in superfluous(_files(folder)):
            extra.unlink(missing_ok=True)
    except (sqlite3.Error, OSError, UnicodeDecodeError, WorkspaceError, ValueError) as error:
        _log.warning("the user's words were not copied: %s", type(error).__name__)
        return None
    else:
        return path


def list_backups(root: Path) -> list[Backup]:
    """Return the copies of the words about a folder of texts, newest first; damaged ones are left out."""
    copies = []
    for path in _files(folder_of(root)):
        with suppress(WorkspaceError):
            _require_sound(path)
            copies.append(Backup(path, _time(path), _counts(path)))
    return copies


def restore(workspace: Path, root: Path, backup: Path) -> None:
    """Put a copy in the place of the user's words; those of today are copied first, so that this can be undone.

    The ids in the copy are those of its day. So the cache is made again, without its vectors, by the next update,
    which finds the documents by their paths and texts.

    Raises:
        WorkspaceError: The copy is damaged or foreign, another process writes, or the disk is full.
    """
    _require_sound(backup)
    location.require_own_files(workspace)
    lock = location.Lock(workspace)
    if not lock.acquire():
        raise WorkspaceError(
            "{folder}: another window is writing to this workspace. Close that window first.", folder=workspace
        )
    try:
        back_up(workspace, root)
        half = workspace / f"{user_database.FILE}.part"
        shutil.copyfile(backup, half)
        disk.close(half)
        with half.open("rb+") as stream:
            os.fsync(stream.fileno())
        for end in ("-wal", "-shm"):  # of the words of today; the copy is whole without
            (workspace / f"{user_database.FILE}{end}").unlink(missing_ok=True)
        disk.replace(half, workspace / user_database.FILE)
        integrity.rebuild_cache(workspace)
    except OSError as error:
        raise WorkspaceError(
            "{file}: cannot be written ({reason}). Free space on its disk; nothing was lost.",
            file=workspace / user_database.FILE,
            reason=error.strerror,
        ) from error
    finally:
        lock.release()


def superfluous(newest_first: Sequence[Path]) -> list[Path]:
    """Return the copies that are not among the newest, and neither the last of a day nor of a week that is kept."""
    if not newest_first:
        return []
    today = _time(newest_first[0])
    keep, days, weeks = set(newest_first[:NEWEST]), set[object](), set[object]()
    for path in newest_first:
        made = _time(path)
        if made.date() not in days and today - made < timedelta(days=DAYS):
            days.add(made.date())
            keep.add(path)
        week = made.isocalendar()[:2]
        if week not in weeks and today - made < timedelta(weeks=WEEKS):
            weeks.add(week)
            keep.add(path)
    return [path for path in newest_first if path not in keep]


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("user-*Z.db"), reverse=True)


def _time(path: Path) -> datetime:
    try:
        return datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)
    except ValueError:  # a copy that the user put elsewhere
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _contents(path: Path) -> bytes:
    return path.read_bytes()[_HEADER:]


def _require_sound(path: Path) -> None:
    """Make sure that a copy can take the place of the user's words.

    Raises:
        WorkspaceError: It is missing, damaged, or not ours.
    """
    try:
        with closing(database.read_only(path)) as db:
            sound = db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            ours = "document_keys" in database.statements(db)
            user_database.require_own(db, path, "main")
    except (sqlite3.Error, UnicodeDecodeError):
        sound = ours = False
    if not (sound and ours):
        raise WorkspaceError("{file}: this is not a sound copy of a workspace. Choose another one.", file=path)


def _counts(path: Path) -> dict[str, int]:
    with closing(database.read_only(path)) as db:
        tables = [name for name, made in database.statements(db).items() if made.startswith("CREATE TABLE")]
        counts = {
            name: int(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])  # noqa: S608 - the names are ours
            for name in tables
            if name not in _OURS
        }
    return {name: count for name, count in counts.items() if count}


def _copy_cards() -> None:
    """Copy the recipes and cards of trained models; their weights would be too large."""
    for folder in paths.models().glob("*"):
        for name in _CARDS:
            source, copy = folder / name, paths.data() / "backups" / "models" / folder.name / name
            if source.is_file() and (not copy.is_file() or copy.stat().st_mtime_ns < source.stat().st_mtime_ns):
                disk.make_folder(copy.parent)
                shutil.copy2(source, copy)
                disk.close(copy)
