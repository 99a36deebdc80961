"""What a user asks for: the grammar of the query box.

    good durable knife      the meaning to look for
    +2 sharp  +0.5 cheap    a weight from 0.01 to 10 for the next word, exact words or `like:`
    -cheap                  push the meaning away, softly; "-5" is a number
    "exact words"           must occur, in any case and spacing; they count as meaning too
    -"exact words"          must not occur
    tag:x  -tag:x           a field is, or is not; "*" stands for anything
    title:"two words"       a value as it stands
    date:>=2023-01          compared: a number or a date; also < <= >
    size:100..2000          between; either end may be left open
    like:notes/a.txt        near this document; several for a group, -like: away from it

A `"` within quotes is written twice. A `word:` that is no field is plain text, and so are curly and corner
quotes, which stand in pasted sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, cast

from explorer.analysis.search.filters import Filter, Operator, is_bound, is_reversed
from explorer.analysis.search.query_items import LIKE, QueryItem, items, known_names, written
from explorer.analysis.text.nfkc import normalise
from explorer.errors import ExplorerError

FIELDS = frozenset({"tag", "cluster", "date", "size", "path", "title", "type", "language"})
_LEAST, _MOST = 0.01, 10.0
_DECIMAL = re.compile(r"\+\d{1,9}(?:\.\d+)?")


class QueryError(ExplorerError):
    """A query that cannot be understood.

    Attributes:
        start: Where in the query the trouble begins.
        end: Where it ends.
    """

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.start, self.end = start, end


@dataclass(frozen=True)
class WeightedText:
    """Words to look for; with a negative weight, to push away."""

    text: str
    weight: float = 1.0


@dataclass(frozen=True)
class Like:
    """A document to be near to; with a negative weight, far from."""

    name: str
    weight: float = 1.0


@dataclass(frozen=True)
class Query:
    """A query, understood.

    Attributes:
        meaning: Plain words, together where they have no weight of their own.
        required: Exact words that must occur.
        excluded: Exact words that must not occur.
        filters: Conditions on fields; all must be met.
        likes: Documents given as examples.
    """

    meaning: tuple[WeightedText, ...] = ()
    required: tuple[WeightedText, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    likes: tuple[Like, ...] = ()

    @property
    def aims(self) -> tuple[WeightedText, ...]:
        """All texts whose meaning counts: the plain words and the exact ones."""
        return self.meaning + self.required

    def text(self) -> str:
        """The query as one would type it; parsed again with the same fields, it is this query."""
        parts = [_weighed(part.text, part.weight) for part in self.meaning]
        parts += [_weighed(_quoted(part.text), part.weight) for part in self.required]
        parts += ["-" + _quoted(words) for words in self.excluded]
        parts += [_filter_text(condition) for condition in self.filters]
        parts += [_weighed(f"{LIKE}:{_bare_or_quoted(like.name)}", like.weight) for like in self.likes]
        return " ".join(parts)


@dataclass(frozen=True)
class Completion:
    """One way to go on: text[start:end] of the query becomes `insert`; `label` is for the list."""

    start: int
    end: int
    insert: str
    label: str


def parse(text: str, fields: Iterable[str] = FIELDS) -> Query:
    """The query that the text says.

    Args:
        text: What the user typed.
        fields: The fields there are; `like` is always one.

    Raises:
        QueryError: A quote is not closed, a field has no value, a number is none, a "-" or a weight has nothing
            after it, or a weight stands where it can have no effect.
    """
    reading = _Parser()
    found = list(items(text, known_names(fields)))
    for place, item in enumerate(found):
        reading.take(item, last=place == len(found) - 1)
    return reading.query()


def complete(text: str, cursor: int, fields: Mapping[str, Sequence[str]], most: int = 20) -> list[Completion]:
    """What the item before the cursor may become: a field's name, or one of its values.

    Args:
        text: What the user typed so far.
        cursor: Where in it the next character would go.
        fields: The fields with their known values; those of `like` are names of documents.
        most: How many to give at most.
    """
    cursor = max(0, min(cursor, len(text)))
    names = known_names(fields)
    item = None
    for item in items(text[:cursor], names):  # noqa: B007 - the last one is wanted
        pass
    if item is None or item.end != cursor or (item.quoted and item.closed):
        return []
    if item.field:
        values = _beginning(item.value, fields.get(item.field, ()))[:most]
        return [Completion(item.value_start, cursor, _bare_or_quoted(value), value) for value in values]
    if item.kind != "word":
        return []
    labels = [written(name) + ":" for name in _beginning(item.value, [*fields, *({LIKE} - fields.keys())])]
    return [Completion(item.value_start, cursor, label, label) for label in labels[:most]]


def phrase_spans(text: str, words: str) -> list[tuple[int, int]]:
    """Where exact words occur in the text, whatever the case and whatever space is between them."""
    normal = normalise(text)
    pattern = r"\s+".join(map(re.escape, normalise(words).text.split()))
    if not pattern:
        return []
    return [normal.original(*match.span()) for match in re.finditer(pattern, normal.text, re.IGNORECASE)]


@dataclass
class _Parser:
    """A query while its items are read."""

    plain: list[str] = field(default_factory=list)
    plain_place: int = 0
    meaning: list[WeightedText] = field(default_factory=list)
    required: list[WeightedText] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    likes: list[Like] = field(default_factory=list)
    weight: QueryItem | None = None

    def query(self) -> Query:
        meaning = list(self.meaning)
        if self.plain:
            meaning.insert(self.plain_place, WeightedText(" ".join(self.plain)))
        return Query(
            tuple(meaning), tuple(self.required), tuple(self.excluded), tuple(self.filters), tuple(self.likes)
        )

    def take(self, item: QueryItem, *, last: bool) -> None:
        _check(item)
        if item.kind == "weight":
            self._take_weight(item, last=last)
            return
        if item.kind == "word" and item.value == "-" and (last or self.weight):
            _refuse(
                item,
                'the "-" has nothing after it. Write the word or the "exact words" to leave out, or remove it.',
            )
        if item.kind == "word":
            self._take_word(item)
        elif item.kind == "phrase":
            self._take_phrase(item)
        elif item.field == LIKE:
            self.likes.append(Like(item.value, self._weight_of(item)))
        else:
            self._refuse_weight("a condition on a field")
            self.filters.append(_filter(item))
        self.weight = None

    def _take_weight(self, item: QueryItem, *, last: bool) -> None:
        _weight(item)
        if last or self.weight:
            _refuse(
                self.weight or item, f"the weight {item.value} has no word after it. Write one, or remove it."
            )
        self.weight = item

    def _take_word(self, item: QueryItem) -> None:
        weight = self._weight_of(item)
        if weight != 1.0:
            self.meaning.append(WeightedText(item.value, weight))
            return
        if not self.plain:
            self.plain_place = len(self.meaning)
        self.plain.append(item.value)

    def _take_phrase(self, item: QueryItem) -> None:
        words = " ".join(item.value.split())
        if item.minus:
            self._refuse_weight("exact words to leave out")
            self.excluded.append(words)
        else:
            self.required.append(WeightedText(words, self._weight_of(item)))

    def _weight_of(self, item: QueryItem) -> float:
        weight = _weight(self.weight) if self.weight else 1.0
        return -weight if item.minus else weight

    def _refuse_weight(self, what: str) -> None:
        if self.weight:
            _refuse(self.weight, f"the weight {self.weight.value} has no effect on {what}. Remove it.")


def _refuse(item: QueryItem, what: str) -> NoReturn:
    raise QueryError(f"At character {item.start + 1} of the query, {what}", item.start, item.end)


def _check(item: QueryItem) -> None:
    if not item.closed:
        _refuse(item, 'a quote is opened and not closed. Add the closing " after the exact words.')
    if item.kind == "phrase" and not item.value.strip():
        _refuse(
            item, "there is nothing between the quotes. Write the exact words there, or remove the quotes."
        )
    if item.kind == "field" and not item.value.strip():
        _refuse(item, f"the field {item.field} has no value. Write one after the colon, without a space.")


def _weight(item: QueryItem) -> float:
    weight = float(item.value) if _DECIMAL.fullmatch(item.value) else 0.0
    if not _LEAST <= weight <= _MOST:
        _refuse(
            item,
            f'{item.value} is no weight from 0.01 to 10. Mend the number, or write "{item.value}" to find it.',
        )
    return weight


def _filter(item: QueryItem) -> Filter:
    if item.operator:
        if not is_bound(item.value):
            _refuse(item, f"{item.value} cannot be compared. Write a number, or a date such as 2023-01-31.")
        return Filter(item.field, cast("Operator", item.operator), item.value, negated=item.minus)
    if item.quoted:
        return Filter(item.field, "=", item.value, negated=item.minus)
    between = _range(item)
    return between or Filter(item.field, ":", item.value, negated=item.minus)


def _range(item: QueryItem) -> Filter | None:
    """The range that a value such as "1..5" says; None where it is another value with dots in it."""
    low, dots, high = item.value.partition("..")
    if not dots or not (is_bound(low) or is_bound(high)):
        return None
    wrong = next((end for end in (low, high) if end and not is_bound(end)), None)
    if wrong:
        _refuse(item, f"{wrong} is no end of a range. Write a number, or a date such as 2023-01-31.")
    if low and high and is_reversed(low, high):
        _refuse(item, f"the range {item.value} ends before it begins. Write the smaller value first.")
    return Filter(item.field, "..", low, high, item.minus)


def _weighed(words: str, weight: float) -> str:
    sign = "-" if weight < 0 else ""
    size = repr(abs(weight)).removesuffix(".0")
    return sign + words if size == "1" else f"+{size} {sign}{words}"


def _quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'


def _bare_or_quoted(value: str) -> str:
    plain = value and not re.search(r'[\s"*]|^[<>]|\.\.', value)
    return value if plain else _quoted(value)


def _filter_text(condition: Filter) -> str:
    name = ("-" if condition.negated else "") + written(condition.field) + ":"
    if condition.operator == "=":
        return name + _quoted(condition.value)
    if condition.operator == "..":
        return f"{name}{condition.value}..{condition.upper}"
    value = _quoted(condition.value) if " " in condition.value else condition.value
    return name + (value if condition.operator == ":" else condition.operator + value)


def _beginning(start: str, values: Iterable[str]) -> list[str]:
    """The values that begin so, then those with a later word that does; in their own order."""
    start = start.casefold()
    known = list(dict.fromkeys(values))
    first = [value for value in known if value.casefold().startswith(start)]
    inside = re.compile(r"(?<!\w)" + re.escape(start))
    return first + [v for v in known if not v.casefold().startswith(start) and inside.search(v.casefold())]
