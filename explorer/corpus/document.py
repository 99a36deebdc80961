"""The values of the corpus: a document, a passage of it, and why a file could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.errors import ExplorerError
from explorer.messages import UserMessage

Value = str | int | float | bool


@dataclass(frozen=True)
class Document:
    r"""One text as a reader found it: a whole file, or a message, a row or a part of one.

    Attributes:
        text: The text, with "\\n" as the only line end.
        title: A name for people; never empty.
        part: Which part of its file it is, such as "row 12"; empty for a whole file. Unique in its file,
            and the same again when the file is read again.
        metadata: What else is known: author, date (ISO 8601), columns, headers; names in lower case.
        encoding: The encoding the bytes were read with; empty where the format itself says it.
        confidence: How sure that encoding is, 0..1.
        remarks: Sentences about what was repaired or doubtful on the way.
    """

    text: str
    title: str
    part: str = ""
    metadata: Mapping[str, Value] = field(default_factory=dict)
    encoding: str = ""
    confidence: float = 1.0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Passage:
    """A stretch of a document that fits the model, text[start:end]."""

    start: int
    end: int


class Unreadable(ExplorerError):  # noqa: N818 - it is listed, not thrown at the user
    """A file that gave no text.

    Attributes:
        reason: One of REASONS, for programs and for grouping.
    """

    # Messages, so that a sentence that quotes a reason can be translated.
    REASONS = (
        UserMessage("unreadable"),
        UserMessage("binary"),
        UserMessage("encrypted"),
        UserMessage("empty"),
        UserMessage("too large"),
        UserMessage("no text layer"),
        UserMessage("timeout"),
        UserMessage("crash"),
        UserMessage("damaged"),
        UserMessage("vanished"),
    )

    def __init__(self, reason: str, template: str, /, **values: Any) -> None:
        super().__init__(template, **values)
        self.reason = reason


@dataclass(frozen=True)
class ReadOptions:
    """How files are read.

    Attributes:
        encoding: The encoding the user chose for this file; empty to find it.
        repair: Whether doubly encoded text is repaired where nothing can be lost.
        text_column: The column of a table that holds the text; empty to guess it.
        title_column: The column that holds the title; empty to guess it.
        date_column: The column that is the date of a row; empty for one that is called so.
        lines: Whether each line of a plain text is a document.
        max_bytes: Files larger than this are listed, not read.
        max_unpacked: Bytes that may come out of an archive such as a .docx or .epub.
        seconds: Time that each document of a file may take; a large file is given more.
        archives: Whether archives are read as folders.
        recognise: The languages of text recognition, such as "eng+kor"; empty for none.
        part_characters: A longer plain text becomes several documents, cut at a paragraph.
    """

    encoding: str = ""
    repair: bool = True
    text_column: str = ""
    title_column: str = ""
    date_column: str = ""
    lines: bool = False
    max_bytes: int = 4 * 2**30
    max_unpacked: int = 512 * 2**20
    seconds: float = 60.0
    archives: bool = True
    recognise: str = ""
    part_characters: int = 4_000_000
