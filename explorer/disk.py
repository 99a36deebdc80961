"""Write files that survive a crash and that only the user can read.

On Windows the user's profile, where these files are, is closed to other users already; there permissions are left
alone.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from explorer import paths

_log = logging.getLogger(__name__)
_FOLDER, _FILE = 0o700, 0o600
_OTHERS = 0o077
_user_masks: list[int] = []  # the umask that the user has, once this process has its own


def opener(path: str, flags: int) -> int:
    """Open a file for `open(..., opener=opener)`; a new one can be read by its owner alone, whatever the umask."""
    return os.open(path, flags, _FILE)


def keep_private() -> None:
    """Make every file that this process writes from now on the user's alone; libraries write some of them."""
    if sys.platform != "win32":
        _user_masks.append(os.umask(_OTHERS))


def share(path: Path) -> None:
    """Give an exported file the permissions that any other program would give it, unless it is among our own."""
    ours = any(path.absolute().is_relative_to(folder) for folder in (paths.data(), paths.cache(), paths.config()))
    if _user_masks and not ours:
        with suppress(OSError):  # a disk without permissions
            path.chmod((0o777 if path.is_dir() else 0o666) & ~_user_masks[0])


def close_own_folders() -> None:
    """Make folders private that earlier versions left readable by other users.

    A data folder that the user chose may hold other things, so that only ours in it are closed.
    """
    for folder in (paths.usual_data(), paths.cache(), paths.config()):
        close(folder)
    for name in ("workspaces", "models"):
        close(paths.data() / name)
    for name in ("logs", "backups"):  # a workspace is closed when it is opened
        close_all(paths.data() / name)


def create(path: Path) -> None:
    """Make an empty file that only the user can read, if there is none; whoever opens it says why it cannot be made."""
    with suppress(OSError):
        os.close(opener(str(path), os.O_CREAT | os.O_RDWR))


def make_folder(folder: Path) -> None:
    """Make a folder that only the user can look into, with those above it that are missing.

    Raises:
        OSError: It cannot be made.
    """
    for missing in reversed([missing for missing in (folder, *folder.parents) if not missing.exists()]):
        missing.mkdir(mode=_FOLDER, exist_ok=True)  # `parents=True` would make those above with the umask
    if not folder.is_dir():
        folder.mkdir()  # says what is there instead


def close(path: Path) -> None:
    """Make a file or folder private; one that cannot be changed, such as another user's, stays as it is."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        mode = path.lstat().st_mode
        if stat.S_IMODE(mode) & _OTHERS and not stat.S_ISLNK(mode):
            path.chmod(_FOLDER if stat.S_ISDIR(mode) else stat.S_IMODE(mode) & ~_OTHERS | _FILE)
            _log.info("%s was open to other users", path.name)


def close_all(folder: Path) -> None:
    """Make a folder and everything in it private, which earlier versions did not do."""
    if sys.platform == "win32" or not folder.is_dir() or folder.is_symlink():
        return
    close(folder)
    for path in folder.rglob("*"):
        close(path)


def replace(half: Path, path: Path) -> None:
    """Put a finished file in the place of another, for good: without the folder's own sync, a power failure undoes it.

    Raises:
        OSError: It cannot be replaced.
    """
    half.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power failure, where the system can."""
    if sys.platform == "win32":  # a folder cannot be opened there; NTFS writes names through its journal
        return
    with suppress(OSError):  # some network file systems cannot
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
