"""Read RTF files with a small, tolerant parser."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.corpus.document import Document
from explorer.corpus.readers.files import damaged, one_line, read_bytes, tidy, title_of, without_text, word_set
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import ReadOptions, Value
    from explorer.task import Task

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?"
    rb"|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<symbol>[^a-zA-Z])"
    rb"|(?P<brace>[{}])"
    rb"|(?P<text>[^\\{}\r\n]+)"
    rb"|[\r\n\\]",
    re.DOTALL,
)
_DEEPEST = 10_000
_STEPS = 20_000  # tokens between two looks at the clock
_CHARACTERS = {
    "par": "\n", "line": "\n", "sect": "\n\n", "page": "\n\n", "row": "\n", "tab": "\t", "cell": "\t",
    "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "qmspace": " ", "bullet": "•",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
_SYMBOLS = {b"~": " ", b"_": "-", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n", b"\t": "\t"}
_SKIPPED = word_set(
    "colortbl stylesheet pict object objdata nonshppict sp xe tc rxe listtable listoverridetable revtbl "
    "rsidtbl generator datastore themedata colorschememapping latentstyles xmlnstbl mmathPr filetbl falt "
    "panose fldinst ftnsep ftnsepc aftnsep"
)
_READ_THOUGH_STARRED = frozenset({"shpinst", "shptxt", "footnote", "do", "annotation"})
# Text beside the body, and what it is marked with.
_SIDES = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "Header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "Footer"),
    "annotation": "Comment",
}
_NEXT = "\x1e"  # begins the next text of a kind
_PROPERTIES = ("title", "author", "subject", "keywords")
# Windows character sets of fonts, as code pages.
_CHARSETS = {
    77: 10000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
    178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437,
}  # fmt: skip
_CODECS = {10000: "mac_roman", 65001: "utf-8", 1361: "johab", 932: "cp932", 936: "gb18030"}


@dataclass(frozen=True)
class _Group:
    """What holds inside one pair of braces.

    Attributes:
        into: Where text goes: "body", a mark of _SIDES, "fonts", a name of _PROPERTIES, "info", a time, or "" for
            nowhere.
        fallback: How many characters after a Unicode one repeat it for old programs.
        page: The code page of bytes.
    """

    into: str = "body"
    fallback: int = 1
    page: int = 0


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read an RTF file as one document.

    Raises:
        Unreadable: The file is not RTF, nests too deeply, or holds no text.
    """
    data = read_bytes(path, options)
    if not data.lstrip(b"\xef\xbb\xbf \r\n\t\0").startswith(b"{\\rtf"):
        raise damaged(path, UserMessage("it does not begin as RTF does"))
    parser = _RtfParser(data, path, task)
    parser.run()
    text = "\n\n".join(part for part in (_tidy_spaces(parser.text("body")), *_side_texts(parser)) if part)
    if not text:
        raise without_text(path)
    yield Document(
        text=text,
        title=one_line(parser.text("title")) or title_of(text, path),
        metadata=parser.metadata(),
        remarks=() if parser.closed else (UserMessage("The file is cut off; everything before that point was read."),),
    )


def to_text(data: bytes, path: Path, task: Task) -> str:
    """Return the text of RTF that is part of another file, such as a message; empty where it has none.

    Raises:
        Unreadable: It nests too deeply.
    """
    parser = _RtfParser(data, path, task)
    parser.run()
    return _tidy_spaces(parser.text("body"))


def _side_texts(parser: _RtfParser) -> list[str]:
    """Return the comments, headers and footers, each once: every section repeats its own."""
    marks = ("Comment", "Header", "Footer")
    sides = ((mark, _tidy_spaces(side)) for mark in marks for side in parser.text(mark).split(_NEXT))
    return list(dict.fromkeys(f"[{mark}: {text}]" for mark, text in sides if text))


def _tidy_spaces(text: str) -> str:
    """Return the text without the tabs that end table rows, at most one blank line between paragraphs."""
    lines = (line.rstrip() for line in tidy(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


@dataclass
class _RtfParser:
    """Walks the tokens of one file once, with the open groups on a list.

    Attributes:
        data: The bytes of the file.
        path: Its file.
        task: Ends the reading.
        closed: Whether every group has been closed.
    """

    data: bytes
    path: Path
    task: Task
    closed: bool = False
    _group: _Group = field(default_factory=_Group)
    _open: list[_Group] = field(default_factory=list)
    _texts: dict[str, list[str]] = field(default_factory=dict)
    _bytes: bytearray = field(default_factory=bytearray)
    _fonts: dict[int, int] = field(default_factory=dict)
    _font: int = 0
    _ansi: int = 1252
    _skip: int = 0
    _starred: bool = False
    _created: dict[str, int] = field(default_factory=dict)

    def run(self) -> None:
        position, step = 0, 0
        while not self.closed and (match := _TOKEN.match(self.data, position)):
            if step % _STEPS == 0:
                self.task.check()
            step += 1
            position = match.end() + self._handle(match)
        self._flush()

    def text(self, into: str) -> str:
        """Return all text of a destination, surrogate pairs joined."""
        joined = "".join(self._texts.get(into, ()))
        return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def metadata(self) -> dict[str, Value]:
        metadata: dict[str, Value] = {}
        for name in _PROPERTIES[1:]:
            if value := one_line(self.text(name)):
                metadata[name] = value
        year, month, day = (self._created.get(part, 0) for part in ("yr", "mo", "dy"))
        if 1000 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31:
            metadata["date"] = f"{year:04}-{month:02}-{day:02}"
        return metadata

    def _handle(self, match: re.Match[bytes]) -> int:
        """Handle a token and return how many raw bytes to skip after it."""
        if match["text"] is not None:
            self._literal(match["text"])
        elif match["brace"] is not None:
            self._brace(match["brace"])
        elif match["hex"] is not None:
            self._literal(bytes.fromhex(match["hex"].decode()))
        elif match["symbol"] is not None:
            self._symbol(match["symbol"])
        elif match["word"] is not None:
            number = None if match["number"] is None else int(match["number"])
            return self._word(match["word"].decode(), number)
        return 0

    def _literal(self, text: bytes) -> None:
        dropped = min(self._skip, len(text))
        self._skip -= dropped
        if self._group.into:
            self._bytes += text[dropped:]

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._skip, self._starred = 0, False
        if brace == b"{":
            if len(self._open) >= _DEEPEST:
                raise damaged(self.path, UserMessage("its groups nest too deeply"))
            self._open.append(self._group)
        elif self._open:
            self._group = self._open.pop()
            self.closed = not self._open

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif self._skip:
            self._skip -= 1
        elif symbol in _SYMBOLS:
            self._append(_SYMBOLS[symbol])

    def _word(self, word: str, number: int | None) -> int:
        starred, self._starred = self._starred, False
        if word == "bin":
            return max(0, number or 0)
        if self._skip and word != "u":
            self._skip -= 1
            return 0
        if word in _CHARACTERS:
            self._append(_CHARACTERS[word])
        elif word == "u" and number is not None:
            self._append(chr(number % 65536))
            self._skip = self._group.fallback
        elif number is not None:
            self._set(word, number)
        elif word == "plain":
            self._use_page(0)
        else:
            self._destination(word)
        if starred and word not in _READ_THOUGH_STARRED:
            self._group = replace(self._group, into="")
        return 0

    def _destination(self, word: str) -> None:
        """Handle a word that says where the text of its group goes."""
        into = self._group.into
        if word in _SKIPPED:
            into = ""
        elif word in _SIDES and into == "body":
            into = _SIDES[word]
            self._texts.setdefault(into, []).append(_NEXT)
        elif word == "fonttbl":
            into = "fonts"
        elif word == "info" or (into == "info" and word != "upr"):
            into = word if word in (*_PROPERTIES, "info", "creatim") else ""
        elif word == "mac":
            self._ansi = 10000
        if into != self._group.into:
            self._flush()
            self._group = replace(self._group, into=into)

    def _set(self, word: str, number: int) -> None:
        """Handle a word that sets a value."""
        if word == "uc":
            self._group = replace(self._group, fallback=max(0, min(number, 100)))
        elif word == "ansicpg":
            self._ansi = number
        elif word == "f" and self._group.into == "fonts":
            self._font = number
        elif word == "fcharset" and number in _CHARSETS:
            self._fonts[self._font] = _CHARSETS[number]
        elif word == "f":
            self._use_page(self._fonts.get(number, 0))
        elif self._group.into == "creatim":
            self._created[word] = number

    def _use_page(self, page: int) -> None:
        if page != self._group.page:
            self._flush()
            self._group = replace(self._group, page=page)

    def _append(self, text: str) -> None:
        self._flush()
        if self._group.into:
            self._texts.setdefault(self._group.into, []).append(text)

    def _flush(self) -> None:
        """Decode the bytes gathered: only together do two of them make a Korean letter."""
        if not self._bytes:
            return
        data, self._bytes = bytes(self._bytes), bytearray()
        if self._group.into and self._group.into != "fonts":
            page = self._group.page or self._ansi
            self._texts.setdefault(self._group.into, []).append(data.decode(_codec(page), "replace"))


def _codec(page: int) -> str:
    name = _CODECS.get(page, f"cp{page}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name
