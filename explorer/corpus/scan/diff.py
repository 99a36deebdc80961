"""Compare a folder with its remembered state: new, changed, removed, moved and swapped files."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from explorer.corpus.document import Unreadable
from explorer.corpus.scan.scanner import FileEntry, changed_ns
from explorer.paths import display_path
from explorer.task import Task

_BLOCK = 2**20
_HUGE = 2**32  # bytes; a larger file is not read as a rule, and may have terabytes of nothing
_TICK = 2_000_000_000  # nanoseconds; FAT has the coarsest clock of all file systems, 2 s


@dataclass(frozen=True, slots=True)
class FileState:
    """The remembered state of a file: size, modification time and the digest of its content."""

    size: int
    mtime_ns: int
    digest: str


class Moved(NamedTuple):
    """A file that has a new path: the old one, and the file as it is now."""

    old: str
    entry: FileEntry


@dataclass(frozen=True)
class FolderChanges:
    """How a folder differs from what was remembered; each part in the order of the paths.

    Attributes:
        added: Files not known before.
        changed: Files with new content.
        removed: Paths that are gone.
        moved: Files that are where they were not, with content that is no longer where it was.
        same: Files with the content they had, though perhaps saved again.
        digests: The digests that had to be computed on the way, by path.
    """

    added: tuple[FileEntry, ...] = ()
    changed: tuple[FileEntry, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    same: tuple[FileEntry, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.moved)


def fingerprint(path: Path, task: Task | None = None) -> str:
    """Return the digest of a file's content, 40 hexadecimal digits of BLAKE2b; of a huge one, of its size and time.

    Raises:
        Unreadable: The file is gone, cannot be opened, or is not a regular file.
        Cancelled: The task was cancelled.
    """
    digest = hashlib.blake2b(digest_size=20)
    with _opened(path) as file:
        state = os.fstat(file.fileno())
        if state.st_size > _HUGE:
            return hashlib.blake2b(f"{state.st_size} {changed_ns(state)}".encode(), digest_size=20).hexdigest()
        while block := file.read(_BLOCK):
            digest.update(block)
            if task is not None:
                task.check()
    return digest.hexdigest()


def read_whole(path: Path, limit: int) -> bytes | None:
    """Return a file's content; None if it has more bytes than the limit. Raises as `fingerprint` does."""
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            return None
        pieces, left = [], limit + 1
        # About as much as there is: reading allocates what is asked for, 64 MB for a text of 1 KB.
        while left and (block := file.read(min(left, size + 1))):
            pieces.append(block)
            left -= len(block)
    return b"".join(pieces) if left else None


@contextmanager
def _opened(path: Path) -> Iterator[FileIO]:
    # A file may have become a pipe since it was listed; opening one must not wait for its writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable(
                    "unreadable", "{file} is no longer a file with contents.", file=display_path(str(path))
                )
            yield file
    except FileNotFoundError as error:
        raise Unreadable("vanished", "{file} is gone; update the folder.", file=display_path(str(path))) from error
    except PermissionError as error:
        raise Unreadable(
            "unreadable",
            "{name} cannot be opened ({why}); check its permissions.",
            name=display_path(str(path)),
            why=error.strerror,
        ) from error
    except OSError as error:  # such as EIO: permissions have nothing to do with it
        raise Unreadable(
            "unreadable",
            "{name} cannot be read ({reason}). Check the disk or the connection to it.",
            name=display_path(str(path)),
            reason=error.strerror or type(error).__name__,
        ) from error


def time_to_remember(entry: FileEntry, looked_ns: int) -> int:
    """Return the modification time to remember, deliberately wrong if the file was modified just now.

    Within one tick of the file system's clock a file may change again without a new time. A time that does not match
    makes the next update compare the content (git calls such files "racily clean").

    Args:
        entry: The file.
        looked_ns: When it was looked at, before its content was read.
    """
    return entry.mtime_ns + (abs(looked_ns - entry.mtime_ns) < _TICK)


def is_still(entry: FileEntry) -> bool:
    """Return whether a file still has the size and the time that it was listed with."""
    try:
        status = entry.location.stat()
    except OSError:
        return False
    return (status.st_size, changed_ns(status)) == (entry.size, entry.mtime_ns)


def changes(
    before: Mapping[str, FileState], now: Iterable[FileEntry], task: Task | None = None, *, unseen: Iterable[str] = ()
) -> FolderChanges:
    """Compare the files there are with those remembered.

    A file is read only if it was saved again with the same size, could not be read before, or is new and has the size
    of one that is gone.

    Args:
        before: What was remembered, by path.
        now: The files there are.
        task: Checked for cancellation.
        unseen: Folders that could not be opened: files remembered below them are not reported as removed.
    """
    entries = sorted(now, key=lambda entry: entry.path.split("/"))
    digests = _Digests(task)
    known = [entry for entry in entries if entry.path in before]
    same = [entry for entry in known if _is_same(entry, before[entry.path], digests)]
    unchanged = {entry.path for entry in same}
    changed = [entry for entry in known if entry.path not in unchanged]
    added = [entry for entry in entries if entry.path not in before]
    present = {entry.path for entry in entries}
    hidden = {f"{path}/" for path in unseen}
    removed = [path for path in before if path not in present and not f"{path}/".startswith(tuple(hidden))]
    moved = _moves(removed, added, before, digests)
    old, new = {move.old for move in moved}, {move.entry.path for move in moved}
    gone = digests.gone
    return FolderChanges(
        added=tuple(entry for entry in added if entry.path not in new | gone),
        changed=tuple(entry for entry in changed if entry.path not in gone),
        removed=tuple(sorted([*(path for path in removed if path not in old), *(gone & before.keys())])),
        moved=tuple(moved),
        same=tuple(same),
        digests=digests.known,
    )


def find_swapped(listed: FolderChanges, before: Mapping[str, FileState], task: Task) -> FolderChanges:
    """Report files that took each other's names as moved: a and b were swapped, or a is now b and b is now c.

    A changed file counts as moved only if its old content is elsewhere and its new content came from elsewhere.
    A copy made before a file was edited is a new file.
    """
    if not listed.changed:
        return listed
    former: defaultdict[str, list[str]] = defaultdict(list)  # digest -> the paths that had this content
    for path in (*(entry.path for entry in listed.changed), *listed.removed):
        if before[path].size > 0:
            former[before[path].digest].append(path)
    sizes = {before[path].size for paths in former.values() for path in paths}
    digests, moved = dict(listed.digests), {}
    for entry in (*listed.changed, *listed.added):
        if entry.size not in sizes:
            continue
        try:
            content = digests.get(entry.path) or fingerprint(entry.location, task)
        except Unreadable:  # reported when the file is read
            continue
        digests[entry.path] = content
        if former[content]:
            moved[entry.path] = Moved(former[content].pop(), entry)
    stayed = {entry.path for entry in listed.changed}
    sources = {old for old, _ in moved.values()}
    # Dropping one move may break the chain of another, so repeat until every chain is closed.
    while broken := {
        path
        for path, (old, _) in moved.items()
        if (path in stayed and path not in sources) or (old in stayed and old not in moved)
    }:
        moved = {path: move for path, move in moved.items() if path not in broken}
        sources = {old for old, _ in moved.values()}
    return replace(
        listed,
        added=tuple(entry for entry in listed.added if entry.path not in moved),
        changed=tuple(entry for entry in listed.changed if entry.path not in moved),
        removed=tuple(path for path in listed.removed if path not in sources),
        moved=(*listed.moved, *moved.values()),
        digests=digests,
    )


class _Digests:
    """Digests, computed on demand, and the paths of the files that turned out to be gone."""

    def __init__(self, task: Task | None, known: Mapping[str, str] | None = None) -> None:
        self._task = task
        self.known = dict(known or {})
        self.gone: set[str] = set()

    def get(self, entry: FileEntry) -> str:
        """Return the digest of a file; empty if it cannot be read."""
        if entry.path not in self.known:
            try:
                self.known[entry.path] = fingerprint(entry.location, self._task)
            except Unreadable as error:
                if error.reason == "vanished":
                    self.gone.add(entry.path)
                return ""
        return self.known[entry.path]


def _is_same(entry: FileEntry, state: FileState, digests: _Digests) -> bool:
    if entry.size != state.size:
        return False
    if entry.mtime_ns == state.mtime_ns and state.digest:
        return True
    return digests.get(entry) == state.digest  # without a digest: whether it still cannot be read


def _moves(
    removed: Iterable[str], added: Iterable[FileEntry], before: Mapping[str, FileState], digests: _Digests
) -> list[Moved]:
    """Return the added files that are removed ones under a new path; empty files are all equal, so they never are."""
    lost: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(removed):
        if before[path].size and before[path].digest:
            lost[before[path].digest].append(path)
    sizes = {before[path].size for paths in lost.values() for path in paths}
    moved = []
    for entry in added:
        candidates = lost.get(digests.get(entry)) if entry.size in sizes else None
        if candidates:
            name = entry.path.rpartition("/")[2]
            old = min(candidates, key=lambda path: (path.rpartition("/")[2] != name, path))
            candidates.remove(old)
            moved.append(Moved(old, entry))
    return moved
