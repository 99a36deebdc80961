"""Read the front matter of a Markdown or reStructuredText file: YAML between "---", TOML between "+++".

Nothing is executed: the YAML loader only knows strings, lists and mappings. What is nested deeper is left out.
"""

from __future__ import annotations

import logging
import re
import tomllib
from typing import TYPE_CHECKING, Any

import yaml

from explorer.corpus.dates import iso_date

if TYPE_CHECKING:
    from collections.abc import Mapping

_log = logging.getLogger(__name__)

_FENCE = re.compile(r"(---|\+\+\+)[ \t]*\n")
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


def split(text: str) -> tuple[dict[str, str], str]:
    """Return the front matter of a text, names in lower case, and the text after it."""
    fence = _FENCE.match(text)
    if fence is None:
        return {}, text
    lines = text[fence.end() :].split("\n", _MAX_LINES)
    for index, line in enumerate(lines[:_MAX_LINES]):
        if line.rstrip() == fence[1] or (line.rstrip() == "..." and fence[1] == "---"):
            facts = _facts(lines[:index], fence[1])
            return (facts, "\n".join(lines[index + 1 :])) if facts or index == 0 else ({}, text)
    return {}, text


def known(facts: Mapping[str, str]) -> dict[str, str]:
    """Return the facts under their usual names, the date in ISO 8601 if it can be read."""
    renamed: dict[str, str] = {}
    for name, value in facts.items():
        usual = _RENAMED.get(name, name)
        if value and usual not in renamed:
            renamed[usual] = (iso_date(value) or value) if usual == "date" else value
    return renamed


def _facts(lines: list[str], fence: str) -> dict[str, str]:
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
    return {str(name).strip().lower(): _text(value) for name, value in parsed.items()}


def _text(value: Any) -> str:
    """Return a value as text, the items of a list joined by ", "; nothing for what is nested deeper."""
    if isinstance(value, list):
        return ", ".join(text for item in value if not isinstance(item, list) and (text := _text(item)))
    if isinstance(value, dict):
        return ""
    text = str(value).strip()
    return "" if text in ("null", "~") else text
