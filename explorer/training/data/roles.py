"""Find the column of a table for each role: first, second, score, label, anchor, positive, negative."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.corpus.readers.tables.columns import as_number, is_missing, plain_name
from explorer.errors import DataError
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from explorer.corpus.readers.tables.data_table import DataTable

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
