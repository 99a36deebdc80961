"""Read Hangul documents: .hwp of version 5 and .hwpx; those of version 3 are listed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.readers.files import damaged, one_line, read_bytes, tidy, title_of, without_text
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task


# Versions up to 3, from before 2002, begin with this; version 5 is an OLE file. The wheels of unhwp leave 3 out.
_VERSION_3 = b"HWP Document File V"


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a Hangul document as one document.

    Raises:
        Unreadable: It is of version 3, has a password, is damaged or empty.
    """
    import unhwp

    data = read_bytes(path, options)
    task.check()
    if data.startswith(_VERSION_3):
        raise Unreadable(
            "binary",
            "{file} was written by Hangul 3 or earlier, which is not read. Open it in Hangul, save it as .hwpx and "
            "load it again.",
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
