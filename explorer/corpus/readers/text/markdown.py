"""Read Markdown as its author would read it aloud, and the front matter of Markdown and reStructuredText files."""

from __future__ import annotations

import html
import logging
import re
import tomllib
from typing import TYPE_CHECKING, Any

import yaml

from explorer.corpus.dates import iso_date
from explorer.corpus.readers.files import make_document, read_text
from explorer.corpus.readers.text.plain import date_near_top

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++|$)(.*)$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_TABLE_RULE = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*(?:\|[ \t]*+)?$")
_DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\[\]\n]{1,200}\]:[ \t]*\S+(?:[ \t]+[\"'(].*)?$")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+")
_BULLET = re.compile(r"^([ \t]*)[*+](?=[ \t])")
_MODULE = re.compile(r"(?:import|export)\s.*(?:from\s+[\"']|[;{=])")

_CODE = re.compile(r"(?<!`)(`++)(.+?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\[\]]*)\](?:\([^()\s]*(?:[ \t]+[^()]*)?\)|\[[^\[\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+[\"'(][^()]*)?\)|\[[^\[\]]*\])")
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^<>\s]+|[^<>\s@]+@[^<>\s@]+)>")
_LINE_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_]+|(?:(?!\1).)+)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?![\s*])([^*]+)(?<!\s)\*(?!\*)|(?<!\w)_(?![\s_])([^_]+)(?<!\s)_(?!\w)")
_STRUCK = re.compile(r"~~(?=\S)([^~]+)(?<=\S)~~")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LONGEST_LINE = 20_000  # characters; longer lines were not written by people and stay as they are
_log = logging.getLogger(__name__)

_FRONT_FENCE = re.compile(r"(---|\+\+\+)[ \t]*\n")
_KEY = re.compile(r"([\w][\w .-]{0,60}?)[ \t]*(?::(?=[ \t]|$)|=)[ \t]*(.*)")
_MAX_LINES = 200
_MAX_CHARACTERS = 64 * 2**10
# PyYAML looks at up to 1,024 open brackets for each new token: 60,000 of them would take it minutes.
_MAX_BRACKETS = 500
_RENAMED = {
    **dict.fromkeys(("authors", "by", "writer", "저자", "작성자", "글쓴이"), "author"),
    **dict.fromkeys(("published", "publishdate", "created", "날짜", "작성일"), "date"),
    **dict.fromkeys(("keywords", "tag", "태그"), "tags"),
    "제목": "title",
}


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a Markdown file as one document.

    Raises:
        Unreadable: It cannot be opened, is not text, or is empty.
    """
    source = read_text(path, options)
    task.check()
    facts, body = split_front_matter(source.text)
    metadata = usual_names(facts)
    text, heading = to_text(body, task, modules=path.suffix.lower() == ".mdx")
    if "date" not in metadata and (date := date_near_top(text)):
        metadata["date"] = date
    title = metadata.get("title", "") or heading
    yield make_document(path, source, text or metadata.get("title", ""), title=title, metadata=metadata)


def to_text(source: str, task: Task | None = None, *, modules: bool = False) -> tuple[str, str]:
    """Return the readable text of Markdown, and its first heading.

    Args:
        source: Markdown without front matter.
        task: Checked now and then for cancellation.
        modules: Whether lines that import or export code are left out, as in MDX.
    """
    page = _MarkdownPage(modules=modules)
    for number, line in enumerate(_without_comments(source).split("\n")):
        if task is not None and number % 1000 == 0:
            task.check()
        page.add(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(page.lines)).strip("\n"), page.heading


def _without_comments(source: str) -> str:
    pieces: list[str] = []
    position = 0
    while (start := source.find("<!--", position)) >= 0 and (end := source.find("-->", start + 4)) >= 0:
        pieces.append(source[position:start])
        position = end + 3
    return "".join(pieces) + source[position:]


def inline(text: str) -> str:
    """Remove the marks for emphasis, links, pictures and code from a line."""
    if len(text) > _LONGEST_LINE:
        return text
    pieces: list[str] = []
    end = 0
    for code in _CODE.finditer(text) if "`" in text else ():
        pieces += (_spoken(text[end : code.start()]), code[2].strip() or code[2])
        end = code.end()
    pieces.append(_spoken(text[end:]))
    return "".join(pieces)


def _spoken(text: str) -> str:
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if "<" in text:
        text = _TAG.sub("", _LINE_BREAK.sub("\n", _AUTOLINK.sub(r"\1", text)))
    if "*" in text or "_" in text or "~~" in text:
        text = _EMPHASIS.sub(lambda match: match[1] or match[2], _STRONG.sub(r"\2", _STRUCK.sub(r"\1", text)))
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return html.unescape(text) if "&" in text else text


class _MarkdownPage:
    """Takes Markdown line by line.

    Attributes:
        lines: The readable lines so far.
        heading: The first heading; empty until there is one.
    """

    def __init__(self, *, modules: bool) -> None:
        self.lines: list[str] = []
        self.heading = ""
        self._modules = modules
        self._fence = ""

    def add(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not line[fence.end() :].strip():
                self._fence = ""
            else:
                self.lines.append(line)
        elif fence:
            self._fence = fence[1]
        else:
            self._add_prose(line)

    def _add_prose(self, line: str) -> None:
        if self._underlines(line) or _DEFINITION.match(line) or (self._modules and _MODULE.match(line)):
            return
        if _RULE.match(line) or ("|" in line and _TABLE_RULE.match(line)):
            return
        heading = _HEADING.match(line)
        if heading:
            title = inline(_without_closing_marks(heading[2])).strip()
            self._note(title)
            self.lines.append(title)
        else:
            self.lines.append(inline(_row(_BULLET.sub(r"\1-", _QUOTE.sub("", line)))).rstrip())

    def _underlines(self, line: str) -> bool:
        """Return whether the line only marks the one above as a heading."""
        if not _UNDERLINE.match(line) or not self.lines or not self.lines[-1].strip():
            return False
        if self.lines[-1].lstrip().startswith(("- ", "|")):
            return False
        self._note(self.lines[-1].strip())
        return True

    def _note(self, heading: str) -> None:
        self.heading = self.heading or heading


def _without_closing_marks(heading: str) -> str:
    """Return the words of a heading without the "#" that may close it, which stand apart from them."""
    heading = heading.rstrip(" \t")
    words = heading.rstrip("#")
    return words if words.endswith((" ", "\t")) else heading


def _row(line: str) -> str:
    """Return a row of a table without its outer bars."""
    stripped = line.strip()
    if not (stripped.startswith("|") and stripped.endswith("|") and len(stripped) > 2):
        return line
    return " | ".join(cell.strip() for cell in stripped[1:-1].split("|"))


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the front matter of a text, names in lower case, and the text after it."""
    fence = _FRONT_FENCE.match(text)
    if fence is None:
        return {}, text
    lines = text[fence.end() :].split("\n", _MAX_LINES)
    for index, line in enumerate(lines[:_MAX_LINES]):
        if line.rstrip() == fence[1] or (line.rstrip() == "..." and fence[1] == "---"):
            facts = _front_matter(lines[:index], fence[1])
            return (facts, "\n".join(lines[index + 1 :])) if facts or index == 0 else ({}, text)
    return {}, text


def usual_names(facts: Mapping[str, str]) -> dict[str, str]:
    """Return the facts under their usual names, the date in ISO 8601 if it can be read."""
    renamed: dict[str, str] = {}
    for name, value in facts.items():
        usual = _RENAMED.get(name, name)
        if value and usual not in renamed:
            renamed[usual] = (iso_date(value) or value) if usual == "date" else value
    return renamed


def _front_matter(lines: list[str], fence: str) -> dict[str, str]:
    """Parse front matter as a whole or, if it is not valid, key by key: people write `title: Soup: a history`."""
    facts = _parse("\n".join(lines), fence)
    if facts is not None:
        return facts
    facts, index = {}, 0
    while index < len(lines):
        start, match = index, _KEY.fullmatch(lines[index].rstrip())
        index += 1
        if match is None:
            continue
        while index < len(lines) and (lines[index][:1] in (" ", "\t", "-") or not lines[index].strip()):
            index += 1
        # A value that is still not valid is taken as it is written.
        facts |= _parse("\n".join(lines[start:index]), fence) or {match[1].strip().lower(): match[2].strip()}
    return facts


def _parse(block: str, fence: str) -> dict[str, str] | None:
    """Return the entries of a YAML or TOML mapping as text; None if it is not one, or is suspiciously large."""
    if len(block) > _MAX_CHARACTERS or block.count("[") + block.count("{") > _MAX_BRACKETS:
        return None
    try:
        # BaseLoader is safer than SafeLoader: it has no tags at all, and leaves "2023-01-16" and "007" as written.
        # Aliases share objects and are never expanded, so that nested ones ("billion laughs") stay small.
        parsed = tomllib.loads(block) if fence == "+++" else yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        _log.debug("Front matter is not valid: %s", type(error).__name__)
        return None
    if not isinstance(parsed, dict):
        return None
    return {str(name).strip().lower(): _as_text(value) for name, value in parsed.items()}


def _as_text(value: Any) -> str:
    """Return a value as text, the items of a list joined by ", "; nothing for what is nested deeper."""
    if isinstance(value, list):
        return ", ".join(text for item in value if not isinstance(item, list) and (text := _as_text(item)))
    if isinstance(value, dict):
        return ""
    text = str(value).strip()
    return "" if text in ("null", "~") else text
