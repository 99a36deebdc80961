"""Where the workspace of a folder lies, and who may write to it."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from explorer import disk, paths
from explorer.errors import WorkspaceError
from explorer.workspace.storage import database, database_checksums
from explorer.workspace.storage.user import database as user_database

if TYPE_CHECKING:
    from filelock import FileLock

INSIDE = ".docexplorer"  # the workspace's folder where the user wants it beside the texts
_LOCK = "workspace.lock"
# A file of this many bytes of which less than this share was ever written is none of ours: it takes no space on the
# disk of whoever made it, and terabytes of time or memory to read.
_HUGE, _WRITTEN = 2**30, 1 / 64
_BLOCK = 512  # bytes of st_blocks, whatever the file system


def workspace_of(target: Path, *, inside: bool = False) -> Path:
    """Return the workspace's folder for a folder of texts, or the workspace itself where that is what was given.

    Args:
        target: A folder of texts, or a workspace.
        inside: Whether a new workspace goes into the folder of texts instead of the user's data folder.
    """
    if (target / database.FILE).is_file() and not database.is_foreign(target / database.FILE):
        return target
    if not (target / database.FILE).exists() and user_database.is_workspace(target):
        return target  # without its cache
    beside = target / INSIDE
    # A link is refused when it is opened; until then nothing behind it is looked at.
    if inside or beside.is_symlink() or (beside / database.FILE).is_file() or user_database.is_workspace(beside):
        return beside
    return paths.data() / "workspaces" / key_of(target)


def key_of(root: Path) -> str:
    """Return the name of a folder of texts in the data folder: readable, and of no other folder.

    The same under every locale: what Python makes of a file name depends on it, the bytes do not.
    """
    whole = os.fsencode(root.absolute().resolve())
    try:
        name = os.fsencode(root.absolute().name).decode()
    except UnicodeDecodeError:
        name = "folder"
    slug = re.sub(r"[^\w-]+", "-", name).strip("-")[:40] or "folder"
    # As bytes, since a locale without these letters could not name the folder.
    return os.fsdecode(f"{slug}-{hashlib.blake2b(whole, digest_size=6).hexdigest()}".encode())


def as_noted(root: Path) -> str | bytes:
    """Return a folder of texts as a workspace notes it, under every locale: bytes where its name is not UTF-8."""
    name = os.fsencode(root)
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name


def as_path(noted: str | bytes) -> Path:
    """Return the folder of texts that a workspace noted."""
    return Path(os.fsdecode(noted.encode() if isinstance(noted, str) else noted))


def is_locked_up(folder: Path) -> bool:
    """Return whether a workspace is there that this user may not write, or on a disk that cannot be written."""
    files = [path for name in (database.FILE, user_database.FILE) if (path := folder / name).is_file()]
    return bool(files) and not all(os.access(path, os.W_OK) for path in (folder, *files))


def foreign_entries(folder: Path) -> Iterator[Path]:
    """Yield what no workspace has, which someone else must have put there: links, pipes, devices, files of holes.

    A link would have us read or overwrite what it leads to: the lock alone empties the file that it is.
    """
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:  # it is not there, or whoever opens it says what is wrong
        return
    for entry in entries:
        try:
            state = entry.stat(follow_symlinks=False)
        except OSError:  # it is gone by now, as the files of SQLite come and go
            continue
        kind, path = state.st_mode, Path(entry.path)
        if stat.S_ISDIR(kind) and not _is_junction(state):
            yield from foreign_entries(path)
        elif not stat.S_ISREG(kind) or _is_hollow(path, state):
            yield path


def _is_hollow(file: Path, state: os.stat_result) -> bool:
    """Return whether hardly anything of a huge file was ever written."""
    if state.st_size < _HUGE or getattr(state, "st_blocks", _HUGE) * _BLOCK >= state.st_size * _WRITTEN:
        return False
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        # Some network file systems count no blocks; those know no holes either, and say that the first is at the end.
        return os.lseek(descriptor, 0, os.SEEK_HOLE) < state.st_size
    except (OSError, AttributeError):
        return False
    finally:
        os.close(descriptor)


def _is_junction(state: os.stat_result) -> bool:
    """Return whether a folder of Windows is a link to another one."""
    return getattr(state, "st_reparse_tag", 0) == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)


def require_in_place(folder: Path) -> None:
    """Make sure that a workspace beside the texts is there and not elsewhere.

    Raises:
        WorkspaceError: It is a link.
    """
    if folder.name == INSIDE and folder.is_symlink():
        raise WorkspaceError(
            "{folder}: this is a link to another place, which may be someone else's idea. Delete the link; if the "
            "workspace is to lie elsewhere, choose a data folder in the settings.",
            folder=folder,
        )


def require_own_files(folder: Path) -> None:
    """Make sure that a workspace consists of files and folders, before anything of it is opened.

    Raises:
        WorkspaceError: It has something else, or is a link beside the texts.
    """
    require_in_place(folder)
    for path in foreign_entries(folder):
        raise WorkspaceError(
            "{file}: this is a link, a pipe, a device or a huge file of nothing. No workspace has that, so this one is "
            "not used. “docexplorer doctor --repair {folder}” removes it, and nothing that it leads to.",
            file=path,
            folder=folder,
        )


class Lock:
    """Held by the one process that writes to a workspace; given back when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: FileLock | None = None

    def acquire(self) -> bool:
        """Try to become the writer; return whether that worked.

        Raises:
            WorkspaceError: The folder cannot be written at all.
        """
        from filelock import FileLock, Timeout

        try:
            disk.make_folder(self._folder)
            # The file stays: deleting it could let two processes lock two files of the same name.
            file = self._folder / _LOCK
            lock = FileLock(file, timeout=0, mode=0o600, thread_local=False, preserve_lock_file=True)
            lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            raise WorkspaceError(
                "{parent}: the workspace cannot be written ({reason}). Choose another data folder.",
                parent=self._folder,
                reason=error.strerror,
            ) from error
        self._held = lock
        return True

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._held is not None

    def release(self) -> None:
        """Let another process write; the databases get their checksums first, once they are closed."""
        if self._held is not None:
            for name in (database.FILE, user_database.FILE):
                database_checksums.leave(self._folder / name)
        # A lock that is still referenced when the interpreter ends prints a traceback of its own destructor.
        held, self._held = self._held, None
        if held is not None:
            held.release(force=True)
