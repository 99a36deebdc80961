"""Read files that are packed in others: members of archives, attachments of messages, documents inside documents."""

from __future__ import annotations

import io
import logging
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers.files import too_large
from explorer.task import Task

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # before Python 3.12 Path itself cannot be subclassed

DEEPEST = 3  # archives in archives
_log = logging.getLogger(__name__)


@dataclass
class UnpackBudget:
    """The bytes and files that an archive, with everything packed inside it, may still yield."""

    size: int
    files: int = 20_000


class FileInMemory(_Path):
    """A path that readers open as any other; its content is in memory, whatever the disk holds by now.

    Attributes:
        data: The content.
        depth: How many archives and messages it is packed in.
        budget: What may still be unpacked, where it is packed in one.
    """

    data: bytes
    depth: int
    budget: UnpackBudget | None

    @classmethod
    def hold(cls, path: Path | str, data: bytes, depth: int = 0, budget: UnpackBudget | None = None) -> FileInMemory:
        """Return a path with its content."""
        file = cls(path)
        file.data, file.depth, file.budget = data, depth, budget
        return file

    def open(self, *_: Any, **__: Any) -> IO[Any]:  # type: ignore[override]
        """Return the content as an open binary file, whatever the mode."""
        return io.BytesIO(self.data)

    def read_bytes(self) -> bytes:
        """Return the content."""
        return self.data

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:  # noqa: ARG002
        """Return the status of a regular file of that size."""
        return os.stat_result((stat.S_IFREG | 0o400, 0, 0, 1, 0, 0, len(self.data), 0, 0, 0))


def read_inner(container: Path, name: str, data: bytes, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Yield the documents of a file that is packed in another; the part of each names where it was.

    Args:
        container: The file that holds it.
        name: Its name or path in there.
        data: Its content.
        options: How files are read.
        task: Checked for cancellation.

    Raises:
        Unreadable: It gave no text, or no more, or is packed too deeply.
    """
    from explorer.corpus.readers import registry

    budget, depth = budget_of(container, options), getattr(container, "depth", 0) + 1
    budget.size -= len(data)
    budget.files -= 1
    if budget.size < 0 or budget.files < 0:
        raise too_large(container, options.max_unpacked)
    if depth > DEEPEST:
        raise Unreadable(
            "too large",
            "{file} is packed in more than {count} archives, one inside the other. Unpack it and load the folder.",
            file=name,
            count=DEEPEST,
        )
    file = FileInMemory.hold(PurePosixPath(name).name or "?", data, depth, budget)
    for document in registry.read(file, replace(options, encoding="", text_column="", lines=False), task):
        part = f"{name} › {document.part}" if document.part else name
        yield replace(document, part=part)


def inner_text(container: Path, name: str, data: bytes, options: ReadOptions, task: Task) -> str:
    """Return the text of a document inside another, empty where it has none."""
    try:
        return "\n\n".join(document.text for document in read_inner(container, name, data, options, task))
    except Unreadable as error:
        _log.info("An inner document was left out: %s", error.reason)
        return ""


def budget_of(container: Path, options: ReadOptions) -> UnpackBudget:
    """Return what may still be unpacked from a file, shared by all that is packed inside it."""
    budget: UnpackBudget | None = getattr(container, "budget", None)
    if budget is None:
        budget = UnpackBudget(options.max_unpacked)
        if isinstance(container, FileInMemory):
            container.budget = budget
    return budget
