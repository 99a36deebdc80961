"""Training examples from a file, for tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from explorer.errors import DataError
from explorer.training.data.dataset import Dataset
from explorer.training.data.preview import MAX_BYTES, TableReading, look


def read_training_set(path: str | Path, reading: TableReading | None = None, *, max_bytes: int = MAX_BYTES) -> Dataset:
    """Read the examples of a file, with the remarks on them.

    Raises:
        DataError: The file cannot be read, or has no usable row.
    """
    preview = look(path, reading, max_bytes=max_bytes)
    if preview.examples is None:
        raise DataError(preview.trouble)
    return replace(preview.examples, remarks=preview.remarks)
