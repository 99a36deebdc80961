"""Open the files that readers read: size limits, decoded text, lines, titles, and the errors all formats share."""

from __future__ import annotations

import io
import re
import stat
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

from explorer.corpus.document import Document, Unreadable
from explorer.corpus.encoding import decode
from explorer.corpus.encoding.detect import kind, looks_binary
from explorer.messages import UserMessage
from explorer.paths import display_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.corpus.encoding.decode import Decoded
    from explorer.task import Task

LONGEST_TITLE = 120  # characters
_TITLE_HEAD = 10_000  # characters of a text in which its title is looked for
_TITLE_LINES = 20
_LARGEST_MARKUP = 64 * 2**20  # bytes; nobody writes larger marked-up texts by hand
_LINES_SAMPLE = 512 * 2**10  # characters
_LONGEST_LINE = 64 * 2**20  # characters
_CHECK_EVERY = 500  # lines between two checks for cancellation
# A byte order mark in the middle of a text, and two code points that Unicode reserves as noncharacters.
_NONCHARACTERS = re.compile("[\ufeff\ufffe\uffff]")


def check_size(path: Path, options: ReadOptions) -> int:
    """Return the size of a file in bytes.

    Raises:
        Unreadable: It is not a regular file, is empty or is larger than allowed.
        OSError: It cannot be examined.
    """
    name = display_path(path.name)
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("unreadable", "{name} is not a regular file. Choose a file or load its folder.", name=name)
    if status.st_size == 0:
        raise Unreadable("empty", "{name} is empty. Remove it or choose another file.", name=name)
    if status.st_size > options.max_bytes:
        raise Unreadable(
            "too large",
            "{name} has {st_size:,.1f} MB, more than the {max_bytes:,.1f} MB allowed. Split it, or "
            "allow more in the settings.",
            name=name,
            st_size=status.st_size / 2**20,
            max_bytes=options.max_bytes / 2**20,
        )
    return status.st_size


@contextmanager
def open_file(path: Path, options: ReadOptions) -> Iterator[BinaryIO]:
    """Open a file for reading bytes.

    Raises:
        Unreadable: It vanished, may not be read, fails while being read, is empty or too large.
    """
    try:
        check_size(path, options)
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise os_failure(path, error) from error


def size_of(file: BinaryIO) -> int:
    """Return the bytes of a file just opened, on disk or in memory."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


def read_bytes(path: Path, options: ReadOptions) -> bytes:
    """Read a file that has to be held in memory as a whole.

    Raises:
        Unreadable: As for `open_file`; also if the file is too large for memory.
    """
    limit = min(options.max_bytes, options.max_unpacked)
    with open_file(path, options) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise too_large(path, limit)
    return data


def read_text(path: Path, options: ReadOptions, hint: Callable[[bytes], str] | None = None) -> Decoded:
    """Read and decode a text file that has to be held in memory as a whole.

    Args:
        path: The file.
        options: How it is read.
        hint: Finds the encoding that the bytes themselves state.

    Raises:
        Unreadable: It cannot be opened, is too large, or is not text in the chosen encoding.
    """
    limit = min(_LARGEST_MARKUP, options.max_unpacked)
    with open_file(path, options) as file:
        # A log may grow while it is read; what is appended after the opening is left for the next update.
        size = size_of(file)
        if size > limit:
            raise too_large(path, limit)
        data = file.read(size)
    refuse_binary(path, data, options)
    stated = hint(data[:4096]) if hint else ""
    return decode.decode(data, options.encoding, options.repair, stated)


def refuse_binary(path: Path, data: bytes, options: ReadOptions) -> None:
    """Raise Unreadable if the first bytes of a file are not text, unless the user chose an encoding for it."""
    if not options.encoding and looks_binary(data):
        raise not_text(path, data)


class LineReader:
    """The lines of a text file of any size, read once.

    Attributes:
        sample: Whole lines from the beginning of the file.
        encoding: The encoding of the lines yielded last.
        confidence: How sure that encoding is, 0..1.
    """

    def __init__(self, path: Path, blocks: Iterator[Decoded], task: Task) -> None:
        self._path = path
        self._task = task
        first = next(blocks, None)
        if first is None:
            raise without_text(path)
        self._blocks = chain([first], blocks)
        self._flaws = decode.Flaws()
        self.encoding, self.confidence = first.encoding, first.confidence
        self._doubt = decode.doubt(first.encoding, first.confidence)  # reported once for all rows
        self.sample = first.text
        if len(self.sample) > _LINES_SAMPLE:
            end = self.sample.rfind("\n", 0, _LINES_SAMPLE) + 1
            self.sample = self.sample[: end or _LINES_SAMPLE]

    def __iter__(self) -> Iterator[str]:
        """Yield the lines, each ending in a line feed; raise Unreadable at a line too long for memory."""
        rest = ""
        for block in self._blocks:
            self.encoding, self.confidence = block.encoding, block.confidence
            self._flaws += block.flaws
            line = ""  # stays empty where a block is only a byte order mark
            for index, line in enumerate(io.StringIO(rest + block.text, newline="\n")):
                if index % _CHECK_EVERY == 0:
                    self._task.check()
                if line.endswith("\n"):
                    yield line
            rest = "" if line.endswith("\n") else line
            if len(rest) > _LONGEST_LINE:
                raise Unreadable(
                    "too large", "A line of {file} is too long to read. Check the file's format.", file=self._path.name
                )
        if rest:
            yield rest + "\n"

    def pop_remarks(self) -> tuple[str, ...]:
        """Return what was repaired or is doubtful since the last call, as sentences."""
        flaws, self._flaws = self._flaws, decode.Flaws()
        doubt, self._doubt = self._doubt, ()
        return (*doubt, *flaws.remarks)


@contextmanager
def open_lines(path: Path, options: ReadOptions, task: Task) -> Iterator[LineReader]:
    """Open a text file for one pass over its lines, with about a megabyte of it in memory at a time.

    Raises:
        Unreadable: It cannot be opened, is empty, is not text, or not in the encoding that was chosen.
    """
    with open_file(path, options) as file:
        head = file.read(decode.BLOCK)
        if looks_binary(head):
            raise not_text(path, head)
        file.seek(0)
        blocks = decode.decode_blocks(file, size_of(file), options.encoding, options.repair)
        yield LineReader(path, blocks, task)


def make_document(
    path: Path, source: Decoded, text: str, *, title: str = "", metadata: Mapping[str, Value] | None = None
) -> Document:
    """Make the one document of a file; its title falls back on the first line, then on the file's name.

    Raises:
        Unreadable: There is no text.
    """
    text = text.strip("\n").rstrip()
    if not text.strip():
        raise without_text(path)
    return Document(
        text=text,
        title=one_line(title) or first_line(text) or file_title(path),
        metadata=dict(metadata or {}),
        encoding=source.encoding,
        confidence=source.confidence,
        remarks=source.remarks,
    )


def tidy(text: str) -> str:
    r"""Return the text with "\\n" as its only line end and without what cannot be stored or shown."""
    return _NONCHARACTERS.sub("", decode.tidy(text)[0])


def title_of(text: str, path: Path) -> str:
    """Return a title for a text that has none: its first line, else the name of its file."""
    start = text[:_TITLE_HEAD].strip().partition("\n")[0]
    return one_line(start) or path.stem or path.name


def one_line(text: str) -> str:
    """Return the text as a title: on one line, not too long."""
    line = " ".join(tidy(text[:_TITLE_HEAD]).split())
    if len(line) <= LONGEST_TITLE:
        return line
    return line[: LONGEST_TITLE - 1].rstrip() + "…"


def first_line(text: str) -> str:
    """Return the first line with a letter or digit if it is short enough for a title; else nothing."""
    for line in text[:_TITLE_HEAD].split("\n")[:_TITLE_LINES]:
        if any(map(str.isalnum, line)):
            title = " ".join(line.split())
            return title if len(title) <= LONGEST_TITLE else ""
    return ""


def file_title(path: Path) -> str:
    """Return the file's name without its suffix, as a title."""
    return display_path(path.stem) or display_path(path.name) or "?"


def word_set(words: str) -> frozenset[str]:
    """Return the words of a space-separated list as a set."""
    return frozenset(words.split())


def too_large(path: Path, limit: int) -> Unreadable:
    """Return the error for a file that exceeds a limit in bytes."""
    allowed = f"{limit / 2**20:,.0f} MB" if limit >= 2**20 else f"{limit:,} bytes"
    return Unreadable(
        "too large",
        "{file} is larger than the {allowed} allowed. Split it and try again.",
        file=path.name,
        allowed=allowed,
    )


def most_unpacked(size: int) -> int:
    """Return how many bytes of text a file of that size may honestly hold: packed ones hold up to 100 times theirs."""
    return 64 * 2**20 + 400 * size


def unpacks_too_far(path: Path) -> Unreadable:
    """Return the error for a file that gives more than `most_unpacked`."""
    return Unreadable(
        "too large",
        "{file} unpacks to far more text than its size allows for. Do not open it unless you trust its source.",
        file=display_path(path.name),
    )


def damaged(path: Path, what: str) -> Unreadable:
    """Return the error for a file whose content breaks the rules of its format."""
    return Unreadable(
        "damaged", "{file} is damaged: {what}. Get a good copy or save it again.", file=path.name, what=what
    )


def without_text(path: Path) -> Unreadable:
    """Return the error for a sound file without any text in it."""
    return Unreadable("empty", "{file} holds no text. Remove it or choose another file.", file=path.name)


def not_text(path: Path, head: bytes) -> Unreadable:
    """Return the error for a file that is binary, with its kind if the first bytes tell it."""
    what = kind(head)
    description = UserMessage("looks like a {what}", what=what) if what else UserMessage("holds binary data")
    return Unreadable(
        "binary",
        "{file} {description}, not text. Open it with its own program.",
        file=display_path(path.name),
        description=description,
    )


def os_failure(path: Path, error: OSError) -> Unreadable:
    """Return the error for a file that the system would not open or read."""
    name = display_path(path.name)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Unreadable("vanished", "{name} is no longer there. Load the folder again.", name=name)
    if isinstance(error, PermissionError):
        return Unreadable(
            "unreadable", "You are not allowed to read {name}. Change its permissions or ask its owner.", name=name
        )
    reason = error.strerror or type(error).__name__
    return Unreadable(
        "unreadable",
        "{name} cannot be read ({reason}). Check the disk or the connection to it.",
        name=name,
        reason=reason,
    )
