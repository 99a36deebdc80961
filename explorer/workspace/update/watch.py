"""Keep a workspace up to date: once, or whenever the files of its folder change."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.corpus.document import ReadOptions
from explorer.corpus.scan.diff import FileState, FolderChanges, changes
from explorer.corpus.scan.scanner import Scan, scan
from explorer.task import Task
from explorer.workspace.storage import files

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.static_encoder import StaticEncoder
    from explorer.workspace.update.split import TextSplitters
    from explorer.workspace.update.sync_files import Counts, FileReaders
    from explorer.workspace.workspace import Workspace

WATCHING = "watching the folder, Ctrl+C stops it; updates:"
REST = 1.0  # seconds without a change, after which a file counts as written to its end
_POLL = 15.0  # seconds between two looks at a folder whose system does not report changes
_NAP = 0.2  # seconds between two checks for cancellation
_REMOTE = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "fuse.rclone", "davfs", "afs", "ceph")  # kinds of mounts
_log = logging.getLogger(__name__)

Wait = Callable[[float | None], None]  # for seconds of rest; None: until something may have changed


@dataclass(frozen=True)
class UpdateOptions:
    """How a workspace is kept up to date.

    Attributes:
        encoder: The model of the vectors.
        static_encoder: The one that belongs to it, whose vectors come first.
        options: How files are read.
        retry: Whether files that could not be read are tried again.
        readers: What reads files; processes of this machine if absent.
        splitters: What splits texts into passages; this process if absent.
    """

    encoder: BiEncoder
    static_encoder: StaticEncoder | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    retry: bool = False
    readers: FileReaders | None = None
    splitters: TextSplitters | None = None

    def once(self, workspace: Workspace, task: Task, already: Counts | None = None) -> Counts:
        """Bring the workspace up to date; arguments and exceptions are those of Workspace.update."""
        return workspace.update(
            self.encoder,
            static_encoder=self.static_encoder,
            options=self.options,
            retry=self.retry,
            readers=self.readers,
            splitters=self.splitters,
            task=task,
            already=already,
        )


def follow(workspace: Workspace, how: UpdateOptions, task: Task, *, wait: Wait | None = None) -> Iterator[Counts]:
    """Update whenever files change, and yield what each update did.

    Args:
        workspace: The workspace, up to date and opened for writing.
        how: The model and the options.
        task: Ends the following.
        wait: Waits for a change, instead of asking the system.

    Raises:
        Cancelled: The task was cancelled, which is how following ends.
        ExplorerError: The folder is gone, or the workspace cannot be written.
    """
    updates, last = 0, FolderChanges()
    while True:
        changed = wait_for_changes(
            workspace.root,
            remembered(workspace),
            task,
            wait=wait,
            on_nap=lambda: task.report(updates, 0, WATCHING),  # noqa: B023 - used before updates changes
        )
        if changed != last:  # what an update does not settle is no reason for another
            updates += 1
            yield how.once(workspace, task)
        last = changed


def remembered(workspace: Workspace) -> dict[str, FileState]:
    """Return what the workspace knows of the files it read."""
    return {
        record.path: FileState(record.size, record.mtime_ns, record.digest)
        for record in files.records(workspace.connection)
    }


def wait_for_changes(
    root: Path,
    known: Mapping[str, FileState],
    task: Task,
    *,
    wait: Wait | None = None,
    on_nap: Callable[[], None] | None = None,
) -> FolderChanges:
    """Block until files differ from what is known of them, and are no longer being written.

    The folder is walked at the beginning and when the system reports a change, not in between. A change counts once
    two walks find a file equal, so one that an editor replaces in two steps is reported once and whole.

    Args:
        root: The folder.
        known: Its files as they were read.
        task: Ends the waiting when cancelled.
        wait: Waits for a change, instead of asking the system.
        on_nap: Called several times a second while nothing changes.

    Raises:
        Cancelled: The task was cancelled.
        ExplorerError: The folder itself is gone.
    """
    task = task.silent()
    if wait is not None:
        return _settled_changes(root, known, task, wait)
    with closing(_signals(root, on_nap or task.check)) as signals:
        next(signals)  # from here on no change is missed
        return _settled_changes(root, known, task, signals.send)


def _settled_changes(root: Path, known: Mapping[str, FileState], task: Task, wait: Wait) -> FolderChanges:
    now = scan(root, task)
    is_restless = bool(changes(known, now.files, task, unseen=now.unseen))
    while True:
        wait(REST if is_restless else None)
        task.check()
        last, now = now, scan(root, task)
        is_restless = last.files != now.files
        if settled := _stable_changes(known, last, now, task):
            return settled


def _stable_changes(known: Mapping[str, FileState], last: Scan, now: Scan, task: Task) -> FolderChanges:
    """Return the changes among the files that two walks found equal."""
    earlier, later = ({entry.path: entry for entry in look.files} for look in (last, now))
    restless = {path for path in earlier.keys() | later.keys() if earlier.get(path) != later.get(path)}
    quiet = {path: state for path, state in known.items() if path not in restless}
    entries = (entry for entry in now.files if entry.path not in restless)
    return changes(quiet, entries, task, unseen={*last.unseen, *now.unseen})


def _signals(root: Path, on_nap: Callable[[], None]) -> Generator[None, float | None]:
    """Wait, each time it is sent a number of seconds of rest or None, as `Wait` says."""
    import watchfiles

    if is_remote(root):
        yield from _poll(on_nap)
        return
    top = len(root.absolute().parts)

    def is_visible(path: str) -> bool:
        """Leave out what no walk reads: a workspace inside the folder changes with every update."""
        return not any(name.startswith(".") for name in Path(path).parts[top:-1])

    # Not filtered by watchfiles: it stays silent while all it sees is filtered out, and cancelling would wait for it.
    reports = watchfiles.watch(
        root.absolute(),
        watch_filter=None,
        debounce=400,
        rust_timeout=int(_NAP * 1000),
        yield_on_timeout=True,
        raise_interrupt=True,
        ignore_permission_denied=True,
    )
    try:
        next(reports)
    except FileNotFoundError:
        yield  # the walk says that the folder is gone
        return
    except (OSError, RuntimeError) as error:  # such as more folders than inotify may watch
        _log.warning("changes are not reported here, so the folder is looked at now and then: %s", error)
        yield from _poll(on_nap)
        return
    rest = yield
    while True:
        end = time.monotonic() + (math.inf if rest is None else rest)
        for report in reports:
            on_nap()
            is_change = rest is None and any(is_visible(path) for _, path in report)
            if is_change or time.monotonic() >= end:
                break
        rest = yield


def _poll(on_nap: Callable[[], None]) -> Generator[None, float | None]:
    rest = yield
    while True:
        end = time.monotonic() + (_POLL if rest is None else rest)
        while (left := end - time.monotonic()) > 0:
            on_nap()
            time.sleep(min(left, _NAP))
        rest = yield


def is_remote(folder: Path) -> bool:
    """Return whether a folder is on another machine, whose changes this one's system does not report."""
    path = str(folder.absolute())
    if sys.platform == "win32":
        import ctypes

        drive = Path(path).anchor
        return drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(drive) == 4
    try:
        mounts = [line.split(" ")[1:3] for line in Path("/proc/mounts").read_text("utf-8", "replace").splitlines()]
    except OSError:  # macOS reports changes of its network drives made on this machine, and of others none
        return path.startswith("/Volumes/")
    inside = [(len(point), kind) for point, kind in mounts if f"{path}/".startswith(f"{point.rstrip('/')}/")]
    return max(inside, default=(0, ""))[1].startswith(_REMOTE)
