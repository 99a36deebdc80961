"""The block of facts in front of a Markdown or reStructuredText file, read without a YAML library.

Understood are `key: value`, `key: [a, b]`, lists of "- item" lines and text blocks after "|" or ">";
nothing is executed, and what is nested deeper is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date

if TYPE_CHECKING:
    from collections.abc import Mapping

_FENCE = re.compile(r"(---|\+\+\+)[ \t]*\n")
_KEY = re.compile(r"([\w][\w .-]{0,60}?)[ \t]*(?::(?=[ \t]|$)|=)[ \t]*(.*)")
_LONGEST = 200  # lines
_RENAMED = {
    **dict.fromkeys(("authors", "by", "writer", "저자", "작성자", "글쓴이"), "author"),
    **dict.fromkeys(("published", "publishdate", "created", "날짜", "작성일"), "date"),
    **dict.fromkeys(("keywords", "tag", "태그"), "tags"),
    "제목": "title",
}


def split(text: str) -> tuple[dict[str, str], str]:
    """The facts in front of a text, names in lower case, and the text behind them."""
    fence = _FENCE.match(text)
    if fence is None:
        return {}, text
    lines = text[fence.end() :].split("\n", _LONGEST)
    for number, line in enumerate(lines[:_LONGEST]):
        if line.rstrip() == fence[1] or (line.rstrip() == "..." and fence[1] == "---"):
            facts = _facts(lines[:number])
            return (facts, "\n".join(lines[number + 1 :])) if facts or number == 0 else ({}, text)
    return {}, text


def known(facts: Mapping[str, str]) -> dict[str, str]:
    """The facts under their usual names, the date in ISO 8601 where it can be read."""
    found: dict[str, str] = {}
    for name, value in facts.items():
        usual = _RENAMED.get(name, name)
        if value and usual not in found:
            found[usual] = (iso_date(value) or value) if usual == "date" else value
    return found


def _facts(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    index = 0
    while index < len(lines):
        match = _KEY.fullmatch(lines[index].rstrip())
        index += 1
        if match is None:
            continue
        below: list[str] = []
        while index < len(lines) and (lines[index][:1] in (" ", "\t", "-") or not lines[index].strip()):
            below.append(lines[index].strip())
            index += 1
        found[match[1].strip().lower()] = _value(match[2].strip(), below)
    return found


def _value(value: str, below: list[str]) -> str:
    """What stands behind a key and on the lines below it, lists joined by ", "."""
    if value in ("|", ">", "|-", ">-", "|+", ">+"):
        return ("\n" if value[0] == "|" else " ").join(below).strip()
    if value:
        return _list(value[1:-1]) if value[0] == "[" and value[-1] == "]" else _scalar(value)
    items = [_scalar(line[1:].strip()) for line in below if line[:1] == "-"]
    return ", ".join(item for item in items if item)


def _list(inside: str) -> str:
    items = re.findall(r"[ \t]*(?:\"[^\"]*\"|'[^']*'|[^,]+)", inside)
    return ", ".join(cleaned for item in items if (cleaned := _scalar(item.strip())))


def _scalar(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        inside = value[1:-1]
        return inside.replace('\\"', '"') if value[0] == '"' else inside.replace("''", "'")
    value = re.split(r"\s#", value, maxsplit=1)[0].strip()
    return "" if value in ("null", "~", "{}", "[]") else value
