"""Which files a folder leaves out: the rules of gitignore, read from `.explorerignore` files.

A character is a character here: `?` matches one Hangul syllable, where git would want its three bytes.
Names are compared in composed form (NFC), so that a rule typed on Windows matches a name made on a Mac.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

NAME = ".explorerignore"
BUILT_IN = "built in"
HIDDEN = (".*",)
JUNK = (
    ".git",
    ".DS_Store",
    NAME,
    "__pycache__/",
    "__MACOSX/",
    "node_modules/",
    "$RECYCLE.BIN/",
    "System Volume Information/",
    "Thumbs.db",
    "ehthumbs.db",
    "desktop.ini",
    "~$*",
    ".~lock.*#",
    "*~",
    "*.tmp",
    "*.swp",
    "*.part",
    "*.crdownload",
)

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_STAR, _SLASH, _DEEP, _DEEPER, _ALL = "*", "/", "**/", "**\\/", "**"


@dataclass(frozen=True)
class Rule:
    """One line of an ignore file.

    Attributes:
        text: The line as it was written.
        source: The file it is from, relative to the root, or BUILT_IN.
        line: Its line number there, from 1.
        negated: Whether it takes back what an earlier rule ignored.
        folders_only: Whether it speaks of folders only.
        by_name: Whether it is held against the last part of a path rather than the whole.
        base: The folder its file lies in, "" for the root; the rule is blind to anything elsewhere.
        pattern: What the name or path must match; None for a line that can match nothing.
    """

    text: str
    source: str
    line: int
    negated: bool
    folders_only: bool
    by_name: bool
    base: str
    pattern: re.Pattern[str] | None

    def matches(self, path: str, is_folder: bool) -> bool:
        """Return whether the rule speaks of this path, given in NFC and relative to the root."""
        if self.pattern is None or (self.folders_only and not is_folder):
            return False
        if self.base:
            if not path.startswith(self.base + "/"):
                return False
            path = path[len(self.base) + 1 :]
        return self.pattern.fullmatch(path.rpartition("/")[2] if self.by_name else path) is not None


@dataclass(frozen=True)
class Rules:
    """Rules in the order of their weight: the last one that matches decides."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def parse(cls, lines: Iterable[str], base: str = "", source: str = NAME, *, ignore_case: bool = False) -> Rules:
        """Return the rules of an ignore file's lines.

        Args:
            lines: The lines, with or without their line ends.
            base: The folder the file lies in, relative to the root, with "/" between parts.
            source: The file, for telling the user which rule it was.
            ignore_case: Whether "A" and "a" are the same, as they are to Windows and macOS.
        """
        numbered = ((number, _content(number, line)) for number, line in enumerate(lines, 1))
        base = composed(base)
        return cls(tuple(_rule(text, source, number, base, ignore_case) for number, text in numbered if text))

    @classmethod
    def built_in(cls, *, hidden: bool = False) -> Rules:
        """Return the built-in rules, for files that are never meant as texts; `hidden` lets dot files in."""
        return cls.parse(JUNK if hidden else HIDDEN + JUNK, source=BUILT_IN, ignore_case=True)

    def __add__(self, later: Rules) -> Rules:
        return Rules(self.rules + later.rules)

    def decide(self, path: str, is_folder: bool) -> Rule | None:
        """Return the rule that decides about this path itself, whether it ignores or keeps it."""
        path = composed(path)
        return next((rule for rule in reversed(self.rules) if rule.matches(path, is_folder)), None)

    def ignores(self, path: str, is_folder: bool = False) -> Rule | None:
        """Return the rule by which a path or a folder above it is ignored; nothing inside one can be taken back."""
        for position, character in enumerate(path):
            if character == "/" and (rule := self._ignoring(path[:position], True)):
                return rule
        return self._ignoring(path, is_folder)

    def _ignoring(self, path: str, is_folder: bool) -> Rule | None:
        rule = self.decide(path, is_folder)
        return None if rule is None or rule.negated else rule


def lines_of(data: bytes) -> list[str]:
    """Return the lines of an ignore file: UTF-8, or the UTF-16 that Notepad calls Unicode."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").split("\n")
    # Names that are not UTF-8 are carried as surrogates by os, so rules must carry them alike.
    return data.decode("utf-8", "surrogateescape").split("\n")


def composed(text: str) -> str:
    """Return the text in NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _content(number: int, line: str) -> str:
    """Return what a line says, without line end and trailing spaces; nothing for a comment."""
    line = line.removesuffix("\n").removesuffix("\r")
    if number == 1:
        line = line.removeprefix("\ufeff")
    return "" if line.startswith("#") else _trim(line)


def _trim(line: str) -> str:
    """Return the line without trailing spaces, unless a backslash keeps one."""
    bare = line.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if slashes % 2 and len(bare) < len(line) else bare


def _rule(text: str, source: str, number: int, base: str, ignore_case: bool) -> Rule:
    negated = text.startswith("!")
    glob = composed(text[negated:])
    folders_only = glob.endswith("/")
    glob = glob.removesuffix("/")
    by_name = "/" not in glob
    regex = _regex(glob.removeprefix("/"))
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    pattern = None if regex is None else re.compile(regex, flags)
    return Rule(text, source, number, negated, folders_only, by_name, base, pattern)


def _regex(glob: str) -> str | None:
    """Return the glob as a regular expression that needs no more than quadratic time; None if it is broken.

    Where a star is followed by another, the text between them may be taken at its first occurrence: what
    comes later can only be found in a longer rest. So each such stretch is an atomic group.
    """
    try:
        tokens = list(_tokens(glob))
    except ValueError:
        return None
    if not tokens:
        return None
    pieces: list[list[str]] = [[]]
    deep: list[str] = []
    for token in tokens:
        if token in (_DEEP, _DEEPER):
            deep.append("*" if token == _DEEP else "+")
            pieces.append([])
        else:
            pieces[-1].append(token)
    regex = [_path(pieces[0])]
    for position, (piece, repeat) in enumerate(zip(pieces[1:], deep, strict=True), 1):
        rest = f"(?:[^/]+/){repeat}?{_path(piece)}"
        regex.append(rest if position == len(deep) else f"(?>{rest})")
    return "".join(regex)


def _path(tokens: list[str]) -> str:
    """Return the expression of a stretch without `**/`."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == _SLASH:
            parts.append([])
        else:
            parts[-1].append(token)
    return "/".join(_segment(part) for part in parts)


def _segment(tokens: list[str]) -> str:
    """Return the expression of a stretch without slashes."""
    if tokens == [_ALL]:
        return ".+"
    chunks = [""]
    for token in tokens:
        if token == _STAR:
            chunks.append("")
        else:
            chunks[-1] += token
    if len(chunks) == 1:
        return chunks[0]
    first, *middle, last = chunks
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in middle if chunk) + "[^/]*" + last


def _tokens(glob: str) -> Iterator[str]:
    """Yield the parts of a glob: stars and slashes by name, any other as the expression of one character.

    Raises:
        ValueError: If a bracket is not closed, a class has no such name, or the last character is a
            lone backslash: git lets such a pattern match nothing.
    """
    position = 0
    while position < len(glob):
        character = glob[position]
        if character == "*":
            token, position = _stars(glob, position)
        elif character == "[":
            token, position = _bracket(glob, position + 1)
        elif character == "\\":
            if position + 1 == len(glob):
                raise ValueError("lone backslash")
            token, position = re.escape(glob[position + 1]), position + 2
        else:
            token, position = "[^/]" if character == "?" else re.escape(character), position + 1
        yield token


def _stars(glob: str, position: int) -> tuple[str, int]:
    """Return the token of a run of stars, and where the glob goes on."""
    end = position
    while glob.startswith("*", end):
        end += 1
    if end - position > 1 and (position == 0 or glob[position - 1] == "/"):
        if end == len(glob):
            return _ALL, end
        if glob[end] == "/":
            return _DEEP, end + 1
        if glob.startswith("\\/", end):
            return _DEEPER, end + 2
    return _STAR, end


def _bracket(glob: str, position: int) -> tuple[str, int]:
    """Return the expression of a bracket whose inside begins at `position`, and where the glob goes on."""
    negated = glob[position : position + 1] in ("!", "^")
    position += negated
    items: list[str] = []
    low = ""  # what a range would begin with
    first = True
    while first or glob[position : position + 1] != "]":
        first = False
        if glob.startswith("[:", position) and (named := _class(glob, position)):
            items.append(named[0])
            low, position = "", named[1]
            continue
        following = glob[position + 1 : position + 2]
        ranged = bool(low) and glob.startswith("-", position) and following not in ("", "]")
        high, position = _member(glob, position + ranged)
        if not ranged:
            items.append(re.escape(high))
        elif low <= high:
            items.append(f"{re.escape(low)}-{re.escape(high)}")
        low = "" if ranged else high
    inside = "".join(items)
    if negated:
        return f"[^/{inside}]", position + 1
    return (f"(?!/)[{inside}]" if inside else "(?!)"), position + 1


def _member(glob: str, position: int) -> tuple[str, int]:
    """Return a character inside a bracket, perhaps after a backslash, and where the glob goes on."""
    position += glob.startswith("\\", position)
    if position >= len(glob):
        raise ValueError("open bracket")
    return glob[position], position + 1


def _class(glob: str, position: int) -> tuple[str, int] | None:
    """Return the inside of a class such as `[:digit:]`; None where it is not one after all."""
    end = glob.find("]", position + 2)
    if end < 0:
        raise ValueError("open bracket")
    if end == position + 2 or glob[end - 1] != ":":
        return None
    name = glob[position + 2 : end - 1]
    if name not in _CLASSES:
        raise ValueError("unknown class")
    return _CLASSES[name], end + 1
