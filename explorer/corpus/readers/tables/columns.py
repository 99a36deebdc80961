"""Recognise headers, guess which columns hold the text and the title, and convert the other cells."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.readers.files import one_line, tidy
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from explorer.corpus.document import Value

TEXT_NAMES = (
    "text", "body", "content", "contents", "fulltext", "abstract", "article", "document", "passage", "message",
    "review", "comment", "post", "tweet", "description", "summary", "sentence", "question", "query", "utterance",
    "본문", "내용", "텍스트", "본문내용", "기사", "기사내용", "기사본문", "초록", "리뷰", "댓글", "문서", "메시지",
    "설명", "요약", "문장", "질문", "질의", "발화", "상담내용", "민원내용",
)  # fmt: skip
TITLE_NAMES = (
    "title", "subject", "headline", "heading", "name", "topic", "제목", "기사제목", "글제목", "표제", "헤드라인",
    "이름", "명칭", "상품명", "도서명",
)  # fmt: skip
_OTHER_NAMES = frozenset(
    ("id", "no", "idx", "index", "date", "label", "category", "author", "url", "score", "source", "lang", "class",
     "answer", "type", "key", "split", "번호", "날짜", "작성일", "등록일", "분류", "카테고리", "작성자", "저자", "라벨",
     "레이블", "답변", "출처", "언론사", "평점")
)  # fmt: skip
_KNOWN_NAMES = frozenset({*TEXT_NAMES, *TITLE_NAMES, *_OTHER_NAMES})
# Words for an empty cell. "none" is not among them by default: labels of training data are called that.
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "-"})
MISSING_IN_TEXTS = _MISSING | {"none", "\\n"}
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,17})\.\d{1,18}(?:[eE][+-]?\d{1,2})?|-?\d(?:\.\d+)?[eE][+-]?\d{1,2}")
_TRUTH = {"true": True, "false": False}
_NEARLY = 0.8  # of the longest texts: columns of sentence pairs are equals
_LONGEST_NAME = 40  # characters; a longer cell of the first line is a text, not a column's name


@dataclass(frozen=True)
class ColumnLayout:
    """Which columns of a table are what.

    Attributes:
        text: The column of the text.
        title: That of the title; empty where there is none.
        date: The column that the user chose for the date; empty for none.
        remark: A sentence where the column the user asked for is not there; else empty.
    """

    text: str
    title: str
    remark: str = ""
    date: str = ""


def guess_layout(
    sample: Sequence[Mapping[str, Value]], asked: str, title: str = "", date: str = ""
) -> ColumnLayout | None:
    """Return the layout of a table, from some of its rows; None where no column holds text.

    Args:
        sample: Rows by column.
        asked: The column the user chose for the text; empty to guess it.
        title: That for the title.
        date: That for the date.
    """
    lengths = _mean_lengths(sample)
    named = _find_column(asked, {name for row in sample for name in row}) if asked else ""
    text = named or _guess_text(lengths)
    if not text:
        return None
    remark = (
        UserMessage('There is no column "{asked}" here; the texts are those of "{text}".', asked=asked, text=text)
        if asked and not named
        else ""
    )
    names = {name for row in sample for name in row}
    chosen, dated = (_find_column(name, names) if name else "" for name in (title, date))
    titles = (_find_column(name, lengths) for name in TITLE_NAMES)
    known = chosen or next((name for name in titles if name and name != text), "") or _guess_title(text, lengths)
    return ColumnLayout(text, known, remark, dated)


def plain_name(name: str) -> str:
    """Return a column's name in lower case, without signs and spaces: `Full_Text` is `fulltext`."""
    return re.sub(r"[\W_]+", "", name).casefold()


def column_names(cells: Sequence[str]) -> tuple[str, ...]:
    """Return names for columns: in lower case, none empty, none twice."""
    names: list[str] = []
    taken: set[str] = set()
    for number, cell in enumerate(cells, start=1):
        name = base = one_line(cell).lower() or f"column {number}"
        count = 1
        while name in taken:
            count += 1
            name = f"{base} {count}"
        taken.add(name)
        names.append(name)
    return tuple(names)


def is_header(
    first: Sequence[str],
    below: Sequence[Sequence[str]],
    known: Collection[str] = _KNOWN_NAMES,
    asked: Collection[str] = (),
    *,
    over_texts: bool = True,
) -> bool:
    """Return whether the first row of a table names its columns rather than being a row like the others.

    Args:
        first: Its cells.
        below: The cells of some rows below.
        known: Plain names that columns usually have.
        asked: Names of columns that the user asked for; a row that has one is a header.
        over_texts: Whether a short cell above much longer ones counts as a name. In sentence pairs it does not:
            the first sentence may just be short.
    """
    names = [cell.strip() for cell in first]
    if any(as_number(name) is not None or is_missing(name) for name in names if name):
        return False
    plain = [plain_name(name) for name in names]
    recognised = [name for name in plain if name in known]
    if len(recognised) >= 2 or {plain_name(name) for name in asked}.intersection(plain):
        return True
    if any(len(name) > _LONGEST_NAME for name in names):
        return False
    if any(len(name) > 1 for name in recognised):  # an `a` alone may be a text
        return True
    columns = zip(*(row for row in below if len(row) == len(names)), strict=True)
    for index, (name, column) in enumerate(zip(names, columns, strict=False)):
        present = [cell for cell in column if not is_missing(cell, MISSING_IN_TEXTS)]
        # Pandas leaves the name of its index, the first column, empty.
        if present and (name or index == 0) and all(as_number(cell) is not None for cell in present):
            return True
        mean = sum(map(len, present)) / max(1, len(present))
        if over_texts and name and len(names) > 1 and len(name) <= 20 and mean > max(20, 3 * len(name)):
            return True
    return False


def is_missing(cell: str | None, words: frozenset[str] = _MISSING) -> bool:
    """Return whether a cell holds nothing, or a word for nothing."""
    if cell is None:
        return True
    cell = cell.strip()
    return len(cell) < 8 and cell.casefold() in words


def as_number(cell: str) -> float | None:
    """Return the finite number in a cell, decimal commas allowed; None if there is none."""
    cell = cell.strip()
    if _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def converter(cells: Iterable[str]) -> Callable[[str], Value]:
    """Return what turns the cells of a column into values, judged by some of them.

    A column of which all sampled cells are numbers, dates or truths is one of those; numbers with zeros in
    front, such as postal codes, are text. A later cell that does not fit stays text.
    """
    present = [cell.strip() for cell in cells if not is_missing(cell, MISSING_IN_TEXTS)]
    parsers: tuple[Callable[[str], Value | None], ...] = (
        lambda cell: _TRUTH.get(cell.lower()),
        _number,
        lambda cell: iso_date(cell) or None,
    )
    for parse in parsers:
        if present and all(parse(cell) is not None for cell in present):

            def convert(cell: str, parse: Callable[[str], Value | None] = parse) -> Value:
                value = parse(cell.strip())
                return tidy(cell) if value is None else value

            return convert
    return tidy


def storable(value: object) -> Value | None:
    """Return a value of JSON or Parquet as metadata; None where there is nothing to keep."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value) if value.bit_length() < 4096 else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return (tidy(value) or None) if isinstance(value, str) else None


def _number(cell: str) -> int | float | None:
    if _INTEGER.fullmatch(cell):
        return int(cell)
    return float(cell) if _DECIMAL.fullmatch(cell) else None


def _mean_lengths(sample: Sequence[Mapping[str, Value]]) -> dict[str, float]:
    """Return the mean text length of each column that mostly holds text; missing cells count as empty."""
    characters: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for row in sample:
        for name, value in row.items():
            characters[name] += len(value.strip()) if isinstance(value, str) else 0
            others[name] += 1 if not isinstance(value, str) or iso_date(value) else 0
    rows = max(1, len(sample))
    return {name: count / rows for name, count in characters.items() if count and others[name] * 2 < rows}


def _guess_text(lengths: Mapping[str, float]) -> str:
    """Return the column with a well-known name; else the one with the longest texts, of near equals the first."""
    for name in TEXT_NAMES:
        if column := _find_column(name, lengths):
            return column
    titles = {plain_name(name) for name in TITLE_NAMES}
    texts = {name: length for name, length in lengths.items() if plain_name(name) not in titles} or lengths
    longest = max(texts.values(), default=0.0)
    return next((name for name, length in texts.items() if length >= _NEARLY * longest), "")


def _guess_title(text: str, lengths: Mapping[str, float]) -> str:
    """Return the unnamed column before the text if its texts are as short as titles are; else nothing."""
    names = list(lengths)
    before = names[names.index(text) - 1] if text in names[1:] else ""
    unnamed = before.startswith("column ") and text.startswith("column ")
    return before if unnamed and 10 <= lengths[before] <= min(100, lengths[text] / 2) else ""


def _find_column(wanted: str, names: Iterable[str]) -> str:
    """Return the column with that plain name, or whose last part has it; empty if there is none."""
    wanted = plain_name(wanted)
    names = sorted(names, key=lambda name: (name.count("."), name))
    whole = (name for name in names if plain_name(name) == wanted)
    last = (name for name in names if plain_name(name.rpartition(".")[2]) == wanted)
    return next(whole, "") or next(last, "")
