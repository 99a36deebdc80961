"""Files whose bytes are at hand already: read once from the disk, or unpacked from an archive."""

from __future__ import annotations

import io
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # before Python 3.12 Path itself cannot be subclassed


@dataclass
class UnpackBudget:
    """What may still come out of an archive and of all that is packed inside it: bytes and files."""

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
