"""The items of a query as they stand: words, quoted words, weights, and fields with their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

LIKE = "like"

_QUOTED = re.compile(r'"(?P<inside>(?:[^"]++|"")*+)(?P<close>"?)')
_WEIGHT = re.compile(r"\+[.,]*\d[\d.,]*(?!\S)")
_FIELD = re.compile(r'([^\s":]++):')
_OPERATOR = re.compile(r"[<>]=?")
_BARE = re.compile(r"\S*")
_SPACE = re.compile(r"\s*")

Kind = Literal["word", "phrase", "field", "weight"]


@dataclass(frozen=True)
class QueryItem:
    """One item and where it stands.

    Attributes:
        kind: What it is.
        start: Where it begins, with its "-".
        end: Where it ends.
        minus: Whether a "-" stands before it.
        field: The field's name as the caller gave it; empty for other kinds.
        operator: "<", "<=", ">", ">=" or nothing.
        value: The word, the words within the quotes, the field's value, or the weight as written.
        value_start: Where the value begins, with its quote.
        quoted: Whether the value is in quotes.
        closed: Whether there is a closing quote, if an opening one.
    """

    kind: Kind
    start: int
    end: int
    minus: bool
    field: str
    operator: str
    value: str
    value_start: int
    quoted: bool
    closed: bool


def known_names(fields: Iterable[str]) -> dict[str, str]:
    """The fields, with `like`, by the name under which a query has them: no capitals, "_" for a space."""
    return {written(field).casefold(): field for field in (*fields, LIKE)}


def written(field: str) -> str:
    """The field's name as a query writes it."""
    return "_".join(field.split())


def items(text: str, names: Mapping[str, str]) -> Iterator[QueryItem]:
    """The items of the text in turn.

    Args:
        text: The query.
        names: The fields by `known_names`; another word before a colon is plain text.
    """
    place = _past(_SPACE, text, 0)
    while place < len(text):
        item = _item(text, place, names)
        yield item
        place = _past(_SPACE, text, item.end)


def _past(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _item(text: str, start: int, names: Mapping[str, str]) -> QueryItem:
    minus = _is_minus(text, start)
    place = start + minus
    if text[place] == '"':
        return _with_value("phrase", text, start, place, minus=minus)
    match = _FIELD.match(text, place)
    field = names.get(match[1].casefold()) if match else None
    if match and field:
        operator = "" if field == LIKE else text[match.end() : _past(_OPERATOR, text, match.end())]
        value_start = match.end() + len(operator)
        return _with_value("field", text, start, value_start, minus=minus, field=field, operator=operator)
    kind: Kind = "weight" if _WEIGHT.match(text, place) else "word"
    return _with_value(kind, text, start, place, minus=minus)


def _is_minus(text: str, place: int) -> bool:
    """Whether a "-" excludes: before a letter or a quote; "-5", "--" and "-_-" are plain text."""
    following = text[place + 1 : place + 2]
    return text[place] == "-" and (following == '"' or following.isalpha())


def _with_value(
    kind: Kind, text: str, start: int, place: int, *, minus: bool, field: str = "", operator: str = ""
) -> QueryItem:
    quoted = kind in ("phrase", "field") and text.startswith('"', place)
    match = (_QUOTED if quoted else _BARE).match(text, place)
    end = match.end() if match else place
    value, closed = text[place:end], True
    if quoted and match:
        value, closed = match["inside"].replace('""', '"'), bool(match["close"])
    return QueryItem(kind, start, end, minus, field, operator, value, place, quoted, closed)
