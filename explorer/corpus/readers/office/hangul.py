"""Read Hangul documents: .hwp of versions 3 and 5, and .hwpx."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, one_line, read_bytes, tidy, title_of, without_text
from explorer.corpus.readers.office import hangul3
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task


_BEFORE_5 = b"HWP Document File V"  # version 5 is an OLE file


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a Hangul document as one document.

    Raises:
        Unreadable: It is of a version before 3, has a password, is damaged or empty.
    """
    import unhwp

    data = read_bytes(path, options)
    task.check()
    if data.startswith(hangul3.SIGNATURE):
        yield hangul3.read(path, data, options, task)  # the wheels of unhwp leave version 3 out
        return
    if data.startswith(_BEFORE_5):
        raise Unreadable(
            "binary",
            "{file} was written by a version of Hangul before 3, which is not read. Open it in Hangul, save it as "
            ".hwpx and load it again.",
            file=path.name,
        )
    try:
        with unhwp.parse_bytes(data) as result:
            text, title, author = result.plain_text, result.title, result.author
    except unhwp.UnhwpError as error:
        if re.search("password|encrypt", str(error), re.IGNORECASE):
            raise Unreadable(
                "encrypted", "{file} is protected by a password. Save it without one and load it again.", file=path.name
            ) from error
        raise damaged(path, UserMessage("it cannot be opened as a Hangul document")) from error
    text = tidy(text or "").strip()
    if not text:
        raise without_text(path)
    metadata: dict[str, Value] = {"author": one_line(author)} if author and author.strip() else {}
    yield Document(text=text, title=one_line(title or "") or title_of(text, path), metadata=metadata)
