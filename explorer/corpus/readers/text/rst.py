"""Read reStructuredText: headings, directives and roles become readable text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.corpus.readers.files import make_document, read_text, word_set
from explorer.corpus.readers.text.markdown import split_front_matter, usual_names
from explorer.corpus.readers.text.plain import date_near_top

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_DIRECTIVE = re.compile(r"([ \t]*)\.\.[ \t]+(?:\|[^|]*\|[ \t]+)?([\w:-]+?)::[ \t]*(.*)$")
_COMMENT = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
_NOTE = re.compile(r"([ \t]*)\.\.[ \t]+(\[(?:#?[\w.:+-]*|\*)\])(?:[ \t]+(.*))?$")  # a footnote or a citation
_OPTION = re.compile(r"[ \t]+:([\w -]+):(?:[ \t](.*))?$")
_TOLD_OPTIONS = word_set("alt caption header title")  # those that readers see
_TABLE_RULE = re.compile(r"[ \t]*(?:\+[-=+]+\+|=+(?:[ \t]+=+)+|-+(?:[ \t]+-+)+)[ \t]*$")
_FIELD = re.compile(r":([\w ]{1,40}):[ \t]+(.*)$")
_SILENT = word_set("include raw toctree contents highlight meta only index")
_ROLE = re.compile(r":[\w:+-]{1,40}:`([^`<]*)(?:<[^`>]*>)?`")
_NAMED_LINK = re.compile(r"`([^`<]*)<[^`>]*>`__?")
_LITERAL = re.compile(r"``([^`]+)``")
_REFERENCE = re.compile(r"`([^`]+)`__?(?!\w)|\b(\w[\w-]*)_(?![\w])")
_STRONG = re.compile(r"\*\*(?=\S)([^*]+)\*\*|(?<![\w*])\*(?=\S)([^*]+)\*(?!\*)|`([^`]+)`")
# Directives whose argument is a file, a language or a name rather than text.
_TECHNICAL = word_set("image figure code-block code sourcecode literalinclude currentmodule module")
_LONGEST_LINE = 20_000


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a reStructuredText file as one document.

    Raises:
        Unreadable: It cannot be opened, is not text, or is empty.
    """
    source = read_text(path, options)
    task.check()
    facts, body = split_front_matter(source.text)
    page = _RstPage(body.split("\n"))
    page.walk(task)
    metadata = usual_names({**page.fields, **facts})
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(page.lines))
    if "date" not in metadata and (date := date_near_top(text)):
        metadata["date"] = date
    yield make_document(path, source, text, title=metadata.get("title", "") or page.heading, metadata=metadata)


def inline(text: str) -> str:
    """Remove the inline markup of a line."""
    if len(text) > _LONGEST_LINE:
        return text
    text = _ROLE.sub(lambda match: match[1].strip(), text)
    text = _LITERAL.sub(r"\1", _NAMED_LINK.sub(lambda match: match[1].rstrip(" \t"), text))
    text = _REFERENCE.sub(lambda match: match[1] or match[2], text)
    return _STRONG.sub(lambda match: match[1] or match[2] or match[3], text).replace("::", ":")


class _RstPage:
    """Walks over the lines of a file.

    Attributes:
        lines: The readable lines so far.
        heading: The first heading.
        fields: The field list at the top, such as author and date.
    """

    def __init__(self, source: list[str]) -> None:
        self._source = source
        self.lines: list[str] = []
        self.heading = ""
        self.fields: dict[str, str] = {}

    def walk(self, task: Task) -> None:
        index = 0
        while index < len(self._source):
            if index % 1000 == 0:
                task.check()
            index = self._step(index)

    def _step(self, index: int) -> int:
        """Take one line, or a whole comment; the number of the next line."""
        line = self._source[index]
        directive = _DIRECTIVE.match(line)
        if directive:
            return self._directive(index, directive)
        if note := _NOTE.match(line):
            self.lines.append(f"{note[1]}{note[2]} {inline(note[3] or '')}".rstrip())
            return index + 1
        if _COMMENT.match(line):
            return self._skip_indented(index + 1)
        field = _FIELD.match(line) if index < 40 else None
        if field:
            self.fields[field[1].strip().lower()] = field[2].strip()
        elif _ADORNMENT.match(line):
            # The line above is a heading if there is one.
            if self.lines and self.lines[-1].strip():
                self.heading = self.heading or self.lines[-1].strip()
        elif not _TABLE_RULE.match(line):
            self.lines.append(inline(line).rstrip())
        return index + 1

    def _directive(self, index: int, match: re.Match[str]) -> int:
        """Leave out a directive's name and options; keep what it says unless it only fetches or draws."""
        if match[2] in _SILENT:
            return self._skip_indented(index + 1)
        if match[3] and match[2] not in _TECHNICAL:
            self.lines.append(match[1] + inline(match[3]))
        index += 1
        while index < len(self._source) and (option := _OPTION.match(self._source[index])):
            if option[1] in _TOLD_OPTIONS and option[2]:
                self.lines.append(match[1] + inline(option[2]))
            index += 1
        return index

    def _skip_indented(self, index: int) -> int:
        while index < len(self._source) and (self._source[index][:1] in (" ", "\t")):
            index += 1
        return index
