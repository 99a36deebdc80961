"""Read Pages, Numbers and Keynote files by the preview that older versions of these programs save in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.corpus.document import Unreadable
from explorer.corpus.readers import pdf
from explorer.corpus.readers.inner import FileInMemory
from explorer.corpus.readers.office.package import open_archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read the PDF preview as one document.

    Raises:
        Unreadable: There is no such preview, or it has no text.
    """
    with open_archive(path, options) as archive:
        if "QuickLook/Preview.pdf" not in archive:
            raise Unreadable(
                "binary",
                "{file} is read only where it was saved with a preview. Export it as .docx or .pdf.",
                file=path.name,
            )
        preview = archive.read("QuickLook/Preview.pdf")
    yield from pdf.read(FileInMemory.hold(path, preview), options, task)
