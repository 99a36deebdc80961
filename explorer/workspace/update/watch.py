"""Keeping a workspace up to date: once, or for as long as one follows its folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from explorer.corpus.document import ReadOptions
from explorer.corpus.scan import diff
from explorer.task import Task
from explorer.workspace.storage import files

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.static_encoder import StaticEncoder
    from explorer.workspace.update.sync_files import Counts
    from explorer.workspace.workspace import Workspace

INTERVAL = 2.0  # seconds between two looks at a folder
FOLLOWING = "following the folder, Ctrl+C ends it; updates made:"
_NAP = 0.2


@dataclass(frozen=True)
class UpdateOptions:
    """How a workspace is kept up to date.

    Attributes:
        encoder: The model of the vectors.
        draft: Its draft, whose vectors come first.
        options: How files are read.
        retry: Whether files that could not be read are tried again.
    """

    encoder: BiEncoder
    draft: StaticEncoder | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    retry: bool = False

    def once(self, workspace: Workspace, task: Task) -> Counts:
        """Bring the workspace up to date; raises as Workspace.update does."""
        return workspace.update(
            self.encoder, draft=self.draft, options=self.options, retry=self.retry, task=task
        )


def follow(
    workspace: Workspace, how: UpdateOptions, task: Task, *, interval: float = INTERVAL,
    wait: Callable[[float], None] | None = None,
) -> Iterator[Counts]:  # fmt: skip
    """Look at the folder again and again, update when files changed, and yield what each update did.

    Args:
        workspace: The workspace, up to date and opened for writing.
        how: The model and the options.
        task: Ends the following.
        interval: Seconds between two looks.
        wait: Called with the interval between two looks.

    Raises:
        Cancelled: The task was cancelled, which is how following ends.
        ExplorerError: The folder is gone, or the workspace cannot be written.
    """
    updates = 0

    def pause(seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            task.report(updates, 0, FOLLOWING)
            time.sleep(min(left, _NAP))

    before = remembered(workspace)
    for _ in diff.watch(workspace.root, interval, task.silent(), before, wait=wait or pause):
        done = how.once(workspace, task)
        updates += 1
        yield done


def remembered(workspace: Workspace) -> dict[str, diff.FileState]:
    """What the workspace knows of the files it read."""
    return {
        record.path: diff.FileState(record.size, record.mtime_ns, record.digest)
        for record in files.records(workspace.connection)
    }
