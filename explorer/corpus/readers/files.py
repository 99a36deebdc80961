"""What every reader asks of a file: its bytes within limits, tidy text, and a name for people."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from explorer.corpus.document import Unreadable
from explorer.corpus.encoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions

LONGEST_TITLE = 120  # characters
_NO_CHARACTERS = re.compile("[\ufeff\ufffe\uffff]")


@contextmanager
def opened(path: Path, options: ReadOptions) -> Iterator[BinaryIO]:
    """The open file.

    Raises:
        Unreadable: It vanished, may not be read, fails while being read, is empty or too large.
    """
    try:
        size = path.stat().st_size
        if size == 0:
            raise Unreadable("empty", f"{path.name} is empty. Remove it or choose another file.")
        if size > options.max_bytes:
            raise too_large(path, options.max_bytes)
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise Unreadable("vanished", f"{path.name} is no longer there. Load the folder again.") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unreadable("unreadable", f"{path.name} cannot be read ({reason}). Check its rights.") from error


def whole(path: Path, options: ReadOptions) -> bytes:
    """All bytes of a file that has to be held in memory.

    Raises:
        Unreadable: As `opened` says; also where the file is too large for memory.
    """
    limit = min(options.max_bytes, options.max_unpacked)
    with opened(path, options) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise too_large(path, limit)
    return data


def too_large(path: Path, limit: int) -> Unreadable:
    """The error for a file beyond a limit of so many bytes."""
    allowed = f"{limit / 2**20:,.0f} MB" if limit >= 2**20 else f"{limit:,} bytes"
    return Unreadable(
        "too large", f"{path.name} is larger than the {allowed} allowed. Split it and try again."
    )


def damaged(path: Path, what: str) -> Unreadable:
    """The error for a file whose content breaks the rules of its format."""
    return Unreadable("damaged", f"{path.name} is damaged: {what}. Get a good copy or save it again.")


def without_text(path: Path) -> Unreadable:
    """The error for a sound file in which no text is written."""
    return Unreadable("empty", f"{path.name} holds no text. Remove it or choose another file.")


def tidy(text: str) -> str:
    r"""The text with "\\n" as its only line end and nothing in it that cannot be stored or shown."""
    return _NO_CHARACTERS.sub("", decode.tidy(text)[0])


def title_of(text: str, path: Path) -> str:
    """A name for a text that has none: its first line, else the name of its file."""
    start = text[:10_000].strip().partition("\n")[0]
    return one_line(start) or path.stem or path.name


def one_line(text: str) -> str:
    """The text as a title: on one line, not too long."""
    line = " ".join(tidy(text[:10_000]).split())
    if len(line) <= LONGEST_TITLE:
        return line
    return line[: LONGEST_TITLE - 1].rstrip() + "…"
