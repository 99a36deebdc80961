"""Read examples from table files and retrieval folders: find the column of each role, and read the rows."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from explorer.corpus.readers.tables.columns import as_number, is_missing, plain_name
from explorer.corpus.readers.tables.data_table import DataTable, RowProblem, TableRow, is_folder, read_table
from explorer.errors import DataError, ExplorerError
from explorer.messages import UserMessage
from explorer.training.data.beir import read_retrieval
from explorer.training.data.dataset import Dataset, Examples, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


KINDS = ("scored", "labelled", "triplets", "pairs", "retrieval")

_EXPECTED_TEMPLATES = {
    "scored": "two texts and a score (columns such as sentence1, sentence2, score)",
    "labelled": "two texts and a label (columns such as sentence1, sentence2, label)",
    "triplets": "three texts (columns such as anchor, positive, negative)",
    "pairs": "two texts (columns such as sentence1, sentence2)",
}
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # JSON may hold it; no tokenizer takes it
_RANGES = ((0, 1), (-1, 1), (1, 5), (0, 5), (0, 10), (0, 100))


T = TypeVar("T")
# Plain names (lower case, without signs and spaces), the likeliest first.
ALIASES: dict[str, tuple[str, ...]] = {
    "first": (
        *("sentence1", "sentencea", "sen1", "sent1", "text1", "texta", "question1", "1string", "first"),
        *("premise", "source", "query", "question", "qtext", "q1", "q"),
    ),
    "second": (
        *("sentence2", "sentenceb", "sen2", "sent2", "text2", "textb", "question2", "2string", "second"),
        *("hypothesis", "target", "document", "passage", "answer", "atext", "response", "q2", "a"),
    ),
    "score": ("score", "goldscore", "relatednessscore", "similarityscore", "similarity", "relatedness", "sim"),
    "label": (
        *("goldlabel", "label", "entailmentjudgment", "entailmentlabel", "isduplicate", "duplicate"),
        *("isparaphrase", "paraphrase", "quality", "labels", "class", "judgment"),
    ),
    "anchor": ("anchor", "query", "sent0", "question"),
    "positive": ("positive", "pos", "sent1"),
    "negative": ("negative", "neg", "hardneg", "hardnegative"),
}
KNOWN_NAMES = frozenset(name for names in ALIASES.values() for name in names)
TEXT_ROLES = {
    "scored": ("first", "second"),
    "labelled": ("first", "second"),
    "triplets": ("anchor", "positive", "negative"),
    "pairs": ("first", "second"),
}
_LABEL_WORDS = frozenset(
    {"entailment", "neutral", "contradiction", "true", "false", "yes", "no", "paraphrase", "duplicate"}
)
STS_WIDTH = 7  # columns of the STS benchmark, which has no header
_LONGEST_LABEL = 30  # characters
_MOST_LABELS = 20  # whole numbers in a label column with more values than this are scores


class _BadRowError(ExplorerError):
    """A row that cannot be used; its message follows "line 7" in a sentence."""


def read_examples(
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    kind: str | None = None,
    score_range: tuple[float, float] | None = None,
) -> Examples:
    """Read examples from a CSV, TSV, JSON or Parquet file, or from a folder in the BEIR layout.

    A row that cannot be used is left out and listed in the `problems` of the result.

    Args:
        path: The file or folder.
        columns: The column for each role that is not to be guessed, as in `{"first": "q1"}`. Roles are
            first, second, score, label, anchor, positive, negative. Columns of a file without a header
            are called "1", "2", ...
        kind: One of `KINDS`; guessed if None. Where there are scores and labels, the scores are taken.
        score_range: The lowest and highest possible score; guessed from the scores if None.

    Raises:
        DataError: There is no usable row, or no such column or kind as was asked for.
    """
    path, asked = Path(path), dict(columns or {})
    _check_request(asked, kind, score_range)
    if is_folder(path) and kind in (None, "retrieval"):
        return read_retrieval(path)
    if is_folder(path) or kind == "retrieval":
        wanted = "a folder" if kind == "retrieval" else "a file"
        raise DataError(
            "{file} cannot be read as {kind}: {wanted} was expected. Choose another or its kind.",
            file=path,
            kind=kind,
            wanted=wanted,
        )
    return build_examples(path, read_table(path, KNOWN_NAMES, asked.values()), asked, kind, score_range)


def build_examples(
    path: Path,
    table: DataTable,
    asked: Mapping[str, str],
    kind: str | None = None,
    score_range: tuple[float, float] | None = None,
) -> Examples:
    """Build the examples of a table that was read already; see `read_examples`.

    Raises:
        DataError: There is no usable row, or a column was asked for that there is not.
    """
    columns = find_columns(path, table, asked)
    kind = kind or guess_kind(table, columns, asked)
    indices = needed_columns(kind, columns) if kind else None
    if kind is None or indices is None:
        raise _nothing_usable(path, table, kind, table.problems)
    return _build(path, table, indices, kind, score_range)


def _check_request(asked: Mapping[str, str], kind: str | None, score_range: tuple[float, float] | None) -> None:
    check_roles(asked)
    if kind is not None and kind not in KINDS:
        raise DataError("Examples are {kinds}, not {kind}. Choose one of them.", kinds=", ".join(KINDS), kind=kind)
    if score_range is not None and not score_range[0] < score_range[1]:
        raise DataError(
            "A score range goes from low to high, not from {score_range} to {score_range2}.",
            score_range=score_range[0],
            score_range2=score_range[1],
        )


def _build(
    path: Path, table: DataTable, indices: Mapping[str, int], kind: str, score_range: tuple[float, float] | None
) -> Examples:
    text_places = [indices[role] for role in TEXT_ROLES[kind]]
    width = len(table.columns) + spare_cells(table)

    def parse(row: TableRow) -> tuple[int, list[str], str]:
        return row.line, _texts(table, row, text_places, width), _value(row, indices, kind, score_range)

    good, problems = _collect(table, parse)
    if not good:
        raise _nothing_usable(path, table, kind, problems)
    lines = tuple(line for line, _, _ in good)
    columns = tuple(zip(*(texts for _, texts, _ in good), strict=True))
    values = [value for _, _, value in good]
    scores: tuple[float, ...] = ()
    classes, names = _encode_labels(values) if kind == "labelled" else ((), ())
    if kind == "scored":
        scores = tuple(float(as_number(value) or 0) for value in values)
        score_range = score_range or _guess_range(scores)
    return Dataset(
        cast(Kind, kind),
        columns,
        scores=scores,
        classes=classes,
        names=names,
        lines=lines,
        problems=problems,
        score_range=(score_range if kind == "scored" else None) or (0.0, 1.0),
    )


def _collect(table: DataTable, parse: Callable[[TableRow], T]) -> tuple[list[T], tuple[RowProblem, ...]]:
    good, problems = [], list(table.problems)
    for row in table.rows:
        try:
            good.append(parse(row))
        except _BadRowError as bad:
            problems.append(RowProblem(row.line, bad.message))
    return good, tuple(sorted(problems, key=lambda problem: problem.line))


def _texts(table: DataTable, row: TableRow, indices: list[int], width: int) -> list[str]:
    if any(row.cells[width:]):
        raise _BadRowError("has {count} columns, not {expected}", count=len(row.cells), expected=len(table.columns))
    cells = [row.cells[index] if index < len(row.cells) else None for index in indices]
    for index, cell in zip(indices, cells, strict=True):
        if cell is None:
            raise _BadRowError("has no text in column {column}", column=table.columns[index])
    texts = [cell for cell in cells if cell is not None]
    if not any(text.strip() for text in texts):
        raise _BadRowError("has only empty texts")
    if any(_HALF_CHARACTER.search(text) for text in texts):
        raise _BadRowError("has half a character in a text (a lone surrogate)")
    return texts


def _value(row: TableRow, indices: Mapping[str, int], kind: str, score_range: tuple[float, float] | None) -> str:
    """Return the checked score or label of a row; empty for texts alone."""
    if kind in {"triplets", "pairs"}:
        return ""
    index = indices["score" if kind == "scored" else "label"]
    cell = row.cells[index] if index < len(row.cells) else None
    if cell is None or is_missing(cell):
        raise _BadRowError("has no score" if kind == "scored" else "has no label")
    value = as_number(cell)
    if kind == "scored" and value is None:
        raise _BadRowError("has a score that is not a number: {score}", score=cell.strip()[:40])
    low, high = score_range or (-math.inf, math.inf)
    if kind == "scored" and value is not None and not low <= value <= high:
        raise _BadRowError("has a score outside {low} to {high}: {score}", low=low, high=high, score=cell.strip())
    return cell


def _encode_labels(cells: list[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the class of each cell and the names of the classes; labels that differ only in case are one."""
    names = [_label_name(cell) for cell in cells]
    spelling: dict[str, str] = {}
    for name in names:
        spelling.setdefault(name.casefold(), name)
    order = sorted(spelling, key=lambda name: (as_number(name) is None, as_number(name) or 0.0, name))
    position = {name: index for index, name in enumerate(order)}
    classes = tuple(position[name.casefold()] for name in names)
    return classes, tuple(spelling[name] for name in order)


def _label_name(cell: str) -> str:
    """Return the name of a label: `1.0`, as spreadsheets write it, is `1`."""
    value = as_number(cell)
    return cell.strip() if value is None or value != int(value) else str(int(value))


def _guess_range(scores: tuple[float, ...]) -> tuple[float, float]:
    """Return the first usual range that contains all scores, else the whole numbers around them."""
    low, high = min(scores), max(scores)
    for usual in _RANGES:
        if usual[0] <= low and high <= usual[1]:
            return float(usual[0]), float(usual[1])
    return float(math.floor(low)), float(max(math.ceil(high), math.floor(low) + 1))


def _nothing_usable(path: Path, table: DataTable, kind: str | None, problems: tuple[RowProblem, ...]) -> DataError:
    expected = {name: UserMessage(text) for name, text in _EXPECTED_TEMPLATES.items()}
    any_kind = UserMessage("either {scored}; or {labelled}; or {triplets}; or {pairs}", **expected)
    advice = UserMessage("Name the columns to use, or choose another file.")
    if problems:
        advice = UserMessage(
            "Line {line} {reason}. Name the columns to use, or choose another file.",
            line=problems[0].line,
            reason=problems[0].reason,
        )
    return DataError(
        "{file} has no usable row. Expected: {expected}. Columns found: {columns}. {advice}",
        file=path,
        expected=expected[kind] if kind else any_kind,
        columns=list_columns(table),
        advice=advice,
    )


def check_roles(roles: Collection[str]) -> None:
    """Raise DataError if there is a role that no column can have."""
    strange = [role for role in roles if role not in ALIASES]
    if strange:
        raise DataError(
            "A column can be given for {aliases}, not for {strange}.",
            aliases=", ".join(ALIASES),
            strange=", ".join(strange),
        )


def find_columns(path: Path, table: DataTable, asked: Mapping[str, str]) -> dict[str, int]:
    """Return the index of each role's column: as asked for, else by its name, else by what it holds."""
    plain = [plain_name(name) for name in table.columns]
    indices = {role: _asked_column(path, table, name) for role, name in asked.items()}
    taken = set(indices.values())
    value = indices.get("score", indices.get("label"))
    guesses = _by_name(plain) if table.has_header else _by_content(table, value)
    return {role: index for role, index in guesses.items() if index not in taken} | indices


def _asked_column(path: Path, table: DataTable, name: str) -> int:
    if name in table.columns:
        return table.columns.index(name)
    plain = [plain_name(column) for column in table.columns]
    if plain_name(name) in plain:
        return plain.index(plain_name(name))
    raise DataError(
        "{file} has no column {name}. It has: {columns}. Name one of these.",
        file=path,
        name=name,
        columns=list_columns(table),
    )


def _by_name(plain: list[str]) -> dict[str, int]:
    matches = {
        role: next((plain.index(alias) for alias in aliases if alias in plain), None)
        for role, aliases in ALIASES.items()
    }
    return {role: index for role, index in matches.items() if index is not None}


def _by_content(table: DataTable, value: int | None) -> dict[str, int]:
    """Guess the roles of three columns without names: the one of scores or labels, and texts in their order.

    Args:
        table: The rows.
        value: The column of scores or labels if it was asked for, else None.
    """
    if len(table.columns) == STS_WIDTH and value is None:
        return _sts_columns(table)
    if len(table.columns) != 3:
        return {}
    roles = {} if value is not None else _value_by_content(table)
    value = next(iter(roles.values()), value)
    if value is None:
        return {"anchor": 0, "positive": 1, "negative": 2}
    first, second = (index for index in range(3) if index != value)
    return {"first": first, "second": second, **roles}


def _sts_columns(table: DataTable) -> dict[str, int]:
    """Return the columns of the STS benchmark as published: genre, file, year, number, score, and two texts."""
    scores = table.sample(4)
    sts = bool(_numbers(scores)) and not any(_numbers(table.sample(index)) for index in (0, 1, 5, 6))
    return {"score": 4, "first": 5, "second": 6} if sts else {}


def spare_cells(table: DataTable) -> int:
    """Return how many extra cells a row may have: the STS benchmark adds one or two sources to some rows."""
    return 2 if not table.has_header and len(table.columns) == STS_WIDTH and _sts_columns(table) else 0


def _value_by_content(table: DataTable) -> dict[str, int]:
    """Return the last column of scores, else of labels; nothing if there is none."""
    samples = [table.sample(index) for index in range(3)]
    # More whole numbers than NLI has labels are grades in the last column; before it they name classes.
    most_labels = (_MOST_LABELS, _MOST_LABELS, 3)
    scores = [index for index in range(3) if _are_scores(samples[index], most_labels[index])]
    labels = [index for index in range(3) if _are_labels(samples[index])]
    if scores:
        return {"score": scores[-1]}
    return {"label": labels[-1]} if labels else {}


def _numbers(cells: list[str]) -> list[float]:
    """Return the numbers in the cells, or none if more than a tenth of the cells hold no number."""
    numbers = [number for number in map(as_number, cells) if number is not None]
    return numbers if len(numbers) >= 0.9 * len(cells) else []


def _are_scores(cells: list[str], most_labels: int = _MOST_LABELS) -> bool:
    """Return whether numbers are grades rather than classes: some are fractions, or there are many."""
    numbers = _numbers(cells)
    return any(number != int(number) for number in numbers) or len(set(numbers)) > most_labels


def _are_labels(cells: list[str]) -> bool:
    distinct = {cell.strip().casefold() for cell in cells}
    repeated = 10 * len(distinct) <= len(cells) and all(len(name) <= _LONGEST_LABEL for name in distinct)
    return bool(distinct) and (bool(_numbers(cells)) or distinct <= _LABEL_WORDS or repeated)


def guess_kind(table: DataTable, indices: Mapping[str, int], asked: Mapping[str, str]) -> str | None:
    """Guess the kind of examples from the columns, preferring what was asked for; None if there is none."""
    if needed_columns("triplets", indices) and not {"first", "second", "score", "label"} & set(asked):
        return "triplets"
    if "score" in indices and ("score" in asked or "label" not in asked):
        return "scored"
    if "label" in indices:
        values = [row.cells[indices["label"]] for row in table.rows if len(row.cells) > indices["label"]]
        usable = [value for value in values if value is not None and not is_missing(value)]
        return "scored" if _are_scores(usable) else "labelled"
    return "pairs" if {"first", "second"} <= set(indices) else None


def needed_columns(kind: str, indices: Mapping[str, int]) -> dict[str, int] | None:
    """Return the index of each column that the kind needs; None if one is missing.

    Labels serve as scores, and scores as labels, where the kind wants what has no column of its own.
    """
    roles = list(TEXT_ROLES[kind])
    if kind in {"scored", "labelled"}:
        wanted, other = ("score", "label") if kind == "scored" else ("label", "score")
        value = indices.get(wanted, indices.get(other))
        indices = {**indices, wanted: value} if value is not None else indices
        roles.append(wanted)
    return {role: indices[role] for role in roles} if all(role in indices for role in roles) else None


def list_columns(table: DataTable) -> str:
    """List the names of the columns for a message."""
    names = ", ".join(name[:40] or "(no name)" for name in table.columns[:20]) or "none"
    return names if table.has_header else UserMessage("{names} (there is no header)", names=names)
