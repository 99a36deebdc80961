"""Read pictures by text recognition, where that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers import recognition
from explorer.corpus.readers.files import damaged, file_title, open_file
from explorer.corpus.scan.paths import display_path
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions
    from explorer.task import Task

_MOST_FRAMES = 500  # of a TIFF, which may hold the pages of a fax


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read the text on a picture, all frames of a TIFF included, as one document.

    Raises:
        Unreadable: Recognition is not asked for, is not there, or finds no text.
    """
    if not options.recognise:
        raise Unreadable(
            "no text layer",
            "{file} is a picture. Index with text recognition (OCR) to read what is on it.",
            file=display_path(path.name),
        )
    from PIL import Image, ImageSequence

    pages = []
    with open_file(path, options) as file:
        try:
            with Image.open(file) as image:
                for number, frame in enumerate(ImageSequence.Iterator(image)):
                    task.check()
                    if number >= _MOST_FRAMES or (number and image.format == "GIF"):
                        break
                    pages.append(recognition.recognise(path, frame, options.recognise, task))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise damaged(path, UserMessage("it cannot be opened as a picture")) from error
    text = "\n\n".join(page.text for page in pages if page.text)
    if not text:
        raise recognition.nothing(path)
    metadata, remark = recognition.notes(pages, len(pages))
    yield Document(text=text, title=file_title(path), metadata=metadata, remarks=(remark,))
