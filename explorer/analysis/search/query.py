"""Parse and complete the query language of the query box.

    good durable knife      the meaning to look for
    +2 sharp  +0.5 cheap    a weight from 0.01 to 10 for the next word, exact words or `like:`
    -cheap                  push the meaning away, softly; "-5" is a number
    "exact words"           must occur, in any case and spacing; they count as meaning too
    -"exact words"          must not occur
    tag:x  -tag:x           a field is, or is not; "*" stands for anything
    title:"two words"       a value as it stands
    path:notes              a part of the path; folder:notes is a folder and all below, cluster:soup a part of its name
    date:>=2023-01          compared: a number or a date; also < <= >
    size:100..2000          between; either end may be left open
    like:notes/a.txt        near this document; several for a group, -like: away from it

A `"` within quotes is written twice. A `word:` that is not a field is plain text, and so are curly and corner
quotes, which occur in pasted sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, NoReturn, cast

from explorer.analysis.text.characters import normalise
from explorer.errors import ExplorerError
from explorer.messages import UserMessage

LIKE = "like"
FIELDS = frozenset({"tag", "cluster", "category", "date", "size", "path", "folder", "title", "type", "language"})
_LEAST, _MOST = 0.01, 10.0
_DECIMAL = re.compile(r"\+\d{1,9}(?:\.\d+)?")
# Possessive quantifiers: a query of a megabyte without a closing quote must not backtrack.
_QUOTED = re.compile(r'"(?P<inside>(?:[^"]++|"")*+)(?P<close>"?)')
_WEIGHT = re.compile(r"\+[.,]*\d[\d.,]*(?!\S)")
_FIELD = re.compile(r'([^\s":]++):')
_OPERATOR = re.compile(r"[<>]=?")
_BARE = re.compile(r"\S*")
_SPACE = re.compile(r"\s*")
# A word before a colon with something right behind it: a field, unless it is an address or a time. In a pasted text of
# more words than one types it is taken as it stands.
_LIKE_A_FIELD = re.compile(r"(?P<name>[^\W\d_]\w+):(?=[\w<>\"*])")
_NO_FIELDS = frozenset({"http", "https", "ftp", "file", "mailto", "re", "fw", "fwd", "aw", "ps", "cc"})
_TYPED = 12  # words

_Kind = Literal["word", "phrase", "field", "weight"]


class QueryError(ExplorerError):
    """A query that cannot be understood.

    Attributes:
        start: Where in the query the trouble begins.
        end: Where it ends.
    """

    def __init__(self, template: str, start: int, end: int, /, **values: Any) -> None:
        super().__init__(template, **values)
        self.start, self.end = start, end


@dataclass(frozen=True)
class WeightedText:
    """Words to look for; with a negative weight, to push away."""

    text: str
    weight: float = 1.0


@dataclass(frozen=True)
class Like:
    """A document to stay close to; with a negative weight, to stay away from."""

    name: str
    weight: float = 1.0


@dataclass(frozen=True)
class Query:
    """A parsed query.

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
    def semantic_parts(self) -> tuple[WeightedText, ...]:
        """Return all texts whose meaning counts: the plain words and the exact ones."""
        return self.meaning + self.required

    @property
    def semantic_text(self) -> str:
        """Return the words whose meaning is searched for, as one text."""
        return " ".join(part.text for part in self.semantic_parts if part.weight > 0)

    def text(self) -> str:
        """Return the query as one would type it; parsed with the same fields, it gives this query again."""
        parts = [_with_weight(part.text, part.weight) for part in self.meaning]
        parts += [_with_weight(_quote(part.text), part.weight) for part in self.required]
        parts += ["-" + _quote(words) for words in self.excluded]
        parts += [_filter_text(condition) for condition in self.filters]
        parts += [_with_weight(f"{LIKE}:{_quote_if_needed(like.name)}", like.weight) for like in self.likes]
        return " ".join(parts)


@dataclass(frozen=True)
class Completion:
    """One possible completion: text[start:end] of the query becomes `insert`; `label` is for the list."""

    start: int
    end: int
    insert: str
    label: str


def parse(text: str, fields: Iterable[str] = FIELDS, *, strict: bool = False) -> Query:
    """Parse a query.

    Args:
        text: What the user typed.
        fields: The fields there are; `like` is always one.
        strict: Whether to refuse what looks like a field and is none, such as "tga:x", instead of taking it as text.

    Raises:
        QueryError: A quote is not closed, a field has no value, a number is invalid, a "-" or a weight has nothing
            after it, or a weight has no effect where it is.
    """
    parser = _QueryParser()
    fields = tuple(fields)
    items = list(_items(text, _fields_by_name(fields)))
    for item in items if strict and len(items) <= _TYPED else ():
        match = _LIKE_A_FIELD.match(item.value) if item.kind == "word" else None
        if match and match["name"].casefold() not in _NO_FIELDS:
            near = get_close_matches(match["name"].casefold(), [_field_name(name) for name in fields], 1, 0.6)
            better = f"{near[0]}:" if near else ", ".join(f"{name}:" for name in sorted(FIELDS))
            _refuse(
                item,
                UserMessage(
                    "there is no field {name}. Did you mean {better}? To find it as text, write it in quotes.",
                    name=match["name"],
                    better=better,
                ),
            )
    for index, item in enumerate(items):
        parser.add(item, last=index == len(items) - 1)
    return parser.query()


def complete(text: str, cursor: int, fields: Mapping[str, Sequence[str]], most: int = 20) -> list[Completion]:
    """Complete the item before the cursor: the name of a field, or one of its values.

    Args:
        text: What the user typed so far.
        cursor: Where in it the next character would go.
        fields: The fields with their known values; those of `like` are names of documents.
        most: How many to return at most.
    """
    cursor = max(0, min(cursor, len(text)))
    names = _fields_by_name(fields)
    item = None
    for item in _items(text[:cursor], names):  # noqa: B007 - the last one is wanted
        pass
    if item is None or item.end != cursor or (item.quoted and item.closed):
        return []
    if item.field:
        values = _matching(item.value, fields.get(item.field, ()))[:most]
        return [Completion(item.value_start, cursor, _quote_if_needed(value), value) for value in values]
    if item.kind != "word":
        return []
    labels = [_field_name(name) + ":" for name in _matching(item.value, [*fields, *({LIKE} - fields.keys())])]
    return [Completion(item.value_start, cursor, label, label) for label in labels[:most]]


def phrase_spans(text: str, words: str) -> list[tuple[int, int]]:
    """Return where exact words occur in a text, in any case and with any space between them."""
    nfkc = normalise(text)
    pattern = r"\s+".join(map(re.escape, normalise(words).text.split()))
    if not pattern:
        return []
    return [nfkc.original(*match.span()) for match in re.finditer(pattern, nfkc.text, re.IGNORECASE)]


@dataclass(frozen=True)
class _Item:
    """A word, a quoted phrase, a weight or a field with its value, and its position.

    Attributes:
        kind: What it is.
        start: Where it begins, including its "-".
        end: Where it ends.
        minus: Whether a "-" precedes it.
        field: The field's name as the caller gave it; empty for other kinds.
        operator: "<", "<=", ">", ">=" or nothing.
        value: The word, the words within the quotes, the field's value, or the weight as written.
        value_start: Where the value begins, including its quote.
        quoted: Whether the value is in quotes.
        closed: Whether there is a closing quote, if an opening one.
    """

    kind: _Kind
    start: int
    end: int
    minus: bool
    field: str
    operator: str
    value: str
    value_start: int
    quoted: bool
    closed: bool


@dataclass
class _QueryParser:
    """A query while its items are read."""

    plain: list[str] = field(default_factory=list)
    plain_index: int = 0
    meaning: list[WeightedText] = field(default_factory=list)
    required: list[WeightedText] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    likes: list[Like] = field(default_factory=list)
    weight: _Item | None = None

    def query(self) -> Query:
        meaning = list(self.meaning)
        if self.plain:
            meaning.insert(self.plain_index, WeightedText(" ".join(self.plain)))
        return Query(tuple(meaning), tuple(self.required), tuple(self.excluded), tuple(self.filters), tuple(self.likes))

    def add(self, item: _Item, *, last: bool) -> None:
        _check(item)
        if item.kind == "weight":
            self._add_weight(item, last=last)
            return
        if item.kind == "word" and item.value == "-" and (last or self.weight):
            _refuse(
                item,
                UserMessage(
                    'the "-" has nothing after it. Write the word or the "exact words" to leave out, or remove it.'
                ),
            )
        if item.kind == "word":
            self._add_word(item)
        elif item.kind == "phrase":
            self._add_phrase(item)
        elif item.field == LIKE:
            self.likes.append(Like(item.value, self._weight_of(item)))
        else:
            self._refuse_weight(UserMessage("a condition on a field"))
            self.filters.append(_filter(item))
        self.weight = None

    def _add_weight(self, item: _Item, *, last: bool) -> None:
        _weight(item)
        if last or self.weight:
            _refuse(
                self.weight or item,
                UserMessage("the weight {value} has no word after it. Write one, or remove it.", value=item.value),
            )
        self.weight = item

    def _add_word(self, item: _Item) -> None:
        weight = self._weight_of(item)
        if weight != 1.0:
            self.meaning.append(WeightedText(item.value, weight))
            return
        if not self.plain:
            self.plain_index = len(self.meaning)
        self.plain.append(item.value)

    def _add_phrase(self, item: _Item) -> None:
        words = " ".join(item.value.split())
        if item.minus:
            self._refuse_weight(UserMessage("exact words to leave out"))
            self.excluded.append(words)
        else:
            self.required.append(WeightedText(words, self._weight_of(item)))

    def _weight_of(self, item: _Item) -> float:
        weight = _weight(self.weight) if self.weight else 1.0
        return -weight if item.minus else weight

    def _refuse_weight(self, what: str) -> None:
        if self.weight:
            _refuse(
                self.weight,
                UserMessage(
                    "the weight {value} has no effect on {what}. Remove it.", value=self.weight.value, what=what
                ),
            )


def _refuse(item: _Item, what: str) -> NoReturn:
    raise QueryError("At character {start} of the query, {what}", item.start, item.end, start=item.start + 1, what=what)


def _check(item: _Item) -> None:
    if not item.closed:
        _refuse(item, UserMessage('a quote is opened and not closed. Add the closing " after the exact words.'))
    if item.kind == "phrase" and not item.value.strip():
        _refuse(
            item, UserMessage("there is nothing between the quotes. Write the exact words there, or remove the quotes.")
        )
    if item.kind == "field" and not item.value.strip():
        _refuse(
            item,
            UserMessage(
                "the field {field} has no value. Write one after the colon, without a space.", field=item.field
            ),
        )


def _weight(item: _Item) -> float:
    weight = float(item.value) if _DECIMAL.fullmatch(item.value) else 0.0
    if not _LEAST <= weight <= _MOST:
        _refuse(
            item,
            UserMessage(
                '{value} is not a weight from 0.01 to 10. Correct the number, or write "{value}" to find it.',
                value=item.value,
            ),
        )
    return weight


def _filter(item: _Item) -> Filter:
    if item.operator:
        if not is_bound(item.value):
            _refuse(
                item,
                UserMessage(
                    "{value} cannot be compared. Write a number, or a date such as 2023-01-31.", value=item.value
                ),
            )
        return Filter(item.field, cast("Operator", item.operator), item.value, negated=item.minus)
    if item.quoted:
        return Filter(item.field, "=", item.value, negated=item.minus)
    between = _range(item)
    return between or Filter(item.field, ":", item.value, negated=item.minus)


def _range(item: _Item) -> Filter | None:
    """Return the range of a value such as "1..5"; None for any other value with dots in it."""
    low, dots, high = item.value.partition("..")
    if not dots or not (is_bound(low) or is_bound(high)):
        return None
    wrong = next((end for end in (low, high) if end and not is_bound(end)), None)
    if wrong:
        _refuse(
            item, UserMessage("{wrong} cannot end a range. Write a number, or a date such as 2023-01-31.", wrong=wrong)
        )
    if low and high and is_reversed(low, high):
        _refuse(
            item,
            UserMessage("the range {value} ends before it begins. Write the smaller value first.", value=item.value),
        )
    return Filter(item.field, "..", low, high, item.minus)


def _with_weight(words: str, weight: float) -> str:
    sign = "-" if weight < 0 else ""
    size = repr(abs(weight)).removesuffix(".0")
    return sign + words if size == "1" else f"+{size} {sign}{words}"


def _quote(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'


def _quote_if_needed(value: str) -> str:
    plain = value and not re.search(r'[\s"*]|^[<>]|\.\.', value)
    return value if plain else _quote(value)


def _filter_text(condition: Filter) -> str:
    name = ("-" if condition.negated else "") + _field_name(condition.field) + ":"
    if condition.operator == "=":
        return name + _quote(condition.value)
    if condition.operator == "..":
        return f"{name}{condition.value}..{condition.upper}"
    value = _quote(condition.value) if " " in condition.value else condition.value
    return name + (value if condition.operator == ":" else condition.operator + value)


def _matching(start: str, values: Iterable[str]) -> list[str]:
    """Return the values that begin with `start`, then those with a later word that does, in their own order."""
    start = start.casefold()
    known = list(dict.fromkeys(values))
    first = [value for value in known if value.casefold().startswith(start)]
    inside = re.compile(r"(?<!\w)" + re.escape(start))
    return first + [v for v in known if not v.casefold().startswith(start) and inside.search(v.casefold())]


def _fields_by_name(fields: Iterable[str]) -> dict[str, str]:
    """Return the fields and `like` by the name that a query uses: casefolded, "_" for a space."""
    return {_field_name(field).casefold(): field for field in (*fields, LIKE)}


def _field_name(field: str) -> str:
    """Return a field's name as a query writes it."""
    return "_".join(field.split())


def _items(text: str, names: Mapping[str, str]) -> Iterator[_Item]:
    """Yield the items of a query in turn.

    Args:
        text: The query.
        names: The fields by `_fields_by_name`; another word before a colon is plain text.
    """
    position = _skip(_SPACE, text, 0)
    while position < len(text):
        item = _item(text, position, names)
        yield item
        position = _skip(_SPACE, text, item.end)


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _item(text: str, start: int, names: Mapping[str, str]) -> _Item:
    minus = _is_minus(text, start)
    position = start + minus
    if text[position] == '"':
        return _with_value("phrase", text, start, position, minus=minus)
    match = _FIELD.match(text, position)
    field = names.get(match[1].casefold()) if match else None
    if match and field:
        operator = "" if field == LIKE else text[match.end() : _skip(_OPERATOR, text, match.end())]
        value_start = match.end() + len(operator)
        return _with_value("field", text, start, value_start, minus=minus, field=field, operator=operator)
    kind: _Kind = "weight" if _WEIGHT.match(text, position) else "word"
    return _with_value(kind, text, start, position, minus=minus)


def _is_minus(text: str, position: int) -> bool:
    """Return whether a "-" excludes: before a letter or a quote; "-5", "--" and "-_-" are plain text."""
    following = text[position + 1 : position + 2]
    return text[position] == "-" and (following == '"' or following.isalpha())


def _with_value(
    kind: _Kind, text: str, start: int, position: int, *, minus: bool, field: str = "", operator: str = ""
) -> _Item:
    quoted = kind in ("phrase", "field") and text.startswith('"', position)
    match = (_QUOTED if quoted else _BARE).match(text, position)
    end = match.end() if match else position
    value, closed = text[position:end], True
    if quoted and match:
        value, closed = match["inside"].replace('""', '"'), bool(match["close"])
    return _Item(kind, start, end, minus, field, operator, value, position, quoted, closed)


Operator = Literal[":", "=", "<", "<=", ">", ">=", ".."]
Value = str | int | float | bool

_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d+)?")
_DATE = re.compile(
    r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)?)?)?"
)


@dataclass(frozen=True)
class Filter:
    """One condition on a field.

    Attributes:
        field: The field's name.
        operator: ":" for words of the value, or all of it with "*" for anything, "=" for a value as it stands (in
            quotes), a comparison, or ".." for a range with both ends.
        value: What it is compared with; the lower end of a range, empty where it is open.
        upper: The upper end of a range, empty where it is open.
        negated: Whether the documents that meet it are left out.
    """

    field: str
    operator: Operator
    value: str
    upper: str = ""
    negated: bool = False

    def accepts(self, value: Value | None) -> bool:
        """Return whether a document with this value of the field stays; None is a document without the field.

        Texts are compared without regard to case. A year or month stands for the whole of it: `date:2023` and
        `date:<=2023` take every day of 2023, `date:>2023` none.
        """
        return self.negated != (value is not None and self._holds(value))

    def _holds(self, value: Value) -> bool:
        if self.operator == "..":
            low = not self.value or _compares(value, self.value, lambda order: order >= 0)
            return low and (not self.upper or _compares(value, self.upper, lambda order: order <= 0))
        if self.operator in _ORDERS:
            return _compares(value, self.value, _ORDERS[self.operator])
        if is_bound(self.value) and _compares(value, self.value, lambda order: order == 0):
            return True
        if self.field in _PARTS and "*" not in self.value:
            return _PARTS[self.field](_fold(str(value)), _fold(self.value))
        if self.operator == "=":
            return _fold(str(value)) == _fold(self.value)
        if self.field not in _WHOLE and "*" not in self.value:
            return _has_words(_fold(str(value)), _fold(self.value))
        return _fits(_fold(str(value)), _fold(self.value))


# Fields of which people know a part: of a path any, of a folder the way down to it, of a cluster some words.
_PARTS: dict[str, Callable[[str, str], bool]] = {
    "path": lambda value, wanted: wanted in value,
    "cluster": lambda value, wanted: wanted in value,
    "folder": lambda value, wanted: value == wanted or value.startswith(wanted.rstrip("/") + "/"),
}
# Fields whose values are names of their own: the tag "inv" is not one of the words of the tag "inv later".
_WHOLE = frozenset({"tag", "category", "type", "language", "encoding", "part"})
_ORDERS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def is_bound(text: str) -> bool:
    """Return whether the text is a number or an ISO date, and so can be compared."""
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def is_reversed(low: str, high: str) -> bool:
    """Return whether a range's lower end is above its upper one."""
    return not _compares(low, high, lambda order: order <= 0)


def _compares(value: Value, bound: str, holds: Callable[[int], bool]) -> bool:
    """Return whether the comparison of the two holds; False where they cannot be compared."""
    left, right = str(value), bound
    if _NUMBER.fullmatch(bound) and not isinstance(value, bool):
        parsed = _number(value)
        if parsed is not None:
            return holds(_sign(parsed, float(bound)))
    if not (_DATE.fullmatch(bound) and _DATE.match(left)):
        return False
    left, right = left.replace(" ", "T"), right.replace(" ", "T")
    shared = min(len(left), len(right))
    return holds(_sign(left[:shared], right[:shared]))


def _number(value: Value) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    try:
        return float(value)
    except OverflowError:
        return None


def _sign(left: float | str, right: float | str) -> int:
    return (left > right) - (left < right)  # type: ignore[operator]  # both are of one kind


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _has_words(text: str, words: str) -> bool:
    """Return whether words are in a text as whole words, side by side; a Korean one may have an ending.

    Example:
        >>> _has_words("keith allan (keith@caltech.edu)", "keith allan"), _has_words("김민지가 씀", "김민지")
        (True, True)
    """
    ends = "" if words[-1:] > "\u02af" else r"(?!\w)"  # scripts that join endings, or have no spaces
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}{ends}", text) is not None


def _fits(text: str, pattern: str) -> bool:
    """Return whether the text is the pattern, in which "*" stands for anything."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    if not text.startswith(first):
        return False
    position = len(first)
    for part in rest[:-1]:
        at = text.find(part, position)
        if at < 0:
            return False
        position = at + len(part)
    return len(text) - position >= len(rest[-1]) and text.endswith(rest[-1])
