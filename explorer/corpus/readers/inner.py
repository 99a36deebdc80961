"""Read files that are packed in others: members of archives, attachments of messages, documents inside documents."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers.files import too_large
from explorer.corpus.readers.memory_file import FileInMemory, UnpackBudget
from explorer.task import Task

DEEPEST = 3  # archives in archives
_log = logging.getLogger(__name__)


def read_inner(container: Path, name: str, data: bytes, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Yield the documents of a file that is packed in another; the part of each names where it was.

    Args:
        container: The file that holds it.
        name: Its name or path in there.
        data: Its content.
        options: How files are read.
        task: Asked whether to stop.

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
