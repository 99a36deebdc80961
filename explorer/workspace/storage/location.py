"""Where the workspace of a folder lies, and who may write to it."""

from __future__ import annotations

import hashlib
import os
import re
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
    if inside or (beside / database.FILE).is_file() or user_database.is_workspace(beside):
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


class Lock:
    """Held by the one process that writes to a workspace; given back when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: FileLock | None = None

    def take(self) -> bool:
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
