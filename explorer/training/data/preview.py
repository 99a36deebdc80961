"""Preview a file of examples before training, and read it as the user wants."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer.corpus.readers.tables.data_table import MAX_BYTES, RowProblem, is_folder, read_table
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.training.data.checks import find_remarks, positive_label
from explorer.training.data.dataset import Dataset, Examples, Remark, prepare_for_training
from explorer.training.data.examples import (
    KINDS,
    KNOWN_NAMES,
    TEXT_ROLES,
    build_examples,
    check_roles,
    find_columns,
    guess_kind,
    needed_columns,
    read_examples,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.corpus.readers.tables.data_table import DataTable

_FIRST_ROWS = 20
_BARS = 10  # of the picture of the scores
_NEARLY_ALL = 0.95  # of the scores lie within a usual range: the others are slips, not its ends
_USUAL_RANGES = ((0.0, 1.0), (-1.0, 1.0), (1.0, 5.0), (0.0, 5.0), (0.0, 10.0), (0.0, 100.0))


@dataclass(frozen=True)
class TableReading:
    """How to read a file, where that is not to be guessed.

    Attributes:
        columns: The column for a role: first, second, score, label, anchor, positive, negative.
        kind: scored, labelled, triplets or pairs; None to guess.
        score_range: The lowest and highest possible score; None to guess.
        low_is_same: Whether the lowest score means "the same", as for distances.
        rename: Another name for a label, by the name in the file; "" leaves its rows out.
        labels: The labels allowed, after renaming, in their order; empty for all.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = None
    score_range: tuple[float, float] | None = None
    low_is_same: bool = False
    rename: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelCount:
    """A label with its count and its share of all examples."""

    name: str
    count: int
    share: float


@dataclass(frozen=True)
class DataPreview:
    """The contents of a file.

    Attributes:
        path: The file.
        columns: Its columns; "1", "2", ... where it has no header.
        has_header: Whether it names its columns.
        roles: The column taken for each role.
        kind: The kind of examples they make; None if they make none.
        kinds: The kinds they could make.
        first_rows: The first rows, one cell per column; None for a missing cell.
        rows: How many rows there are, bad ones included.
        score_range: The lowest and highest possible score; None where there are none.
        score_counts: A histogram of the scores, in ten equal bins of the range.
        labels: The labels with their counts.
        positive: The label that seems to mean "similar"; None if none does.
        problems: Rows that cannot be used, with their lines.
        remarks: What is doubtful.
        trouble: Why there are no examples, as a sentence; empty if there are some.
        examples: The examples; None if there are none.
    """

    path: Path
    columns: tuple[str, ...] = ()
    has_header: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = None
    kinds: tuple[str, ...] = ()
    first_rows: tuple[tuple[str | None, ...], ...] = ()
    rows: int = 0
    score_range: tuple[float, float] | None = None
    score_counts: tuple[int, ...] = ()
    labels: tuple[LabelCount, ...] = ()
    positive: str | None = None
    problems: tuple[RowProblem, ...] = ()
    remarks: tuple[Remark, ...] = ()
    trouble: str = ""
    examples: Dataset | None = field(default=None, repr=False)


def look(path: str | Path, reading: TableReading | None = None, *, max_bytes: int = MAX_BYTES) -> DataPreview:
    """Read a file, or a folder in the BEIR layout, and show what is in it.

    If its columns make no examples, the preview still shows them, for a person to choose from, and `trouble` says what
    is missing.

    Raises:
        DataError: The file cannot be read as a table, or what is asked for makes no sense.
    """
    path, reading = Path(path), reading or TableReading()
    _check(reading)
    if reading.kind == "retrieval" or (reading.kind is None and is_folder(path)):
        return _describe(
            DataPreview(path, kind="pairs", kinds=("pairs",)), read_examples(path, kind=reading.kind), reading
        )
    table = read_table(path, KNOWN_NAMES, reading.columns.values(), max_bytes=max_bytes)
    columns = find_columns(path, table, reading.columns)
    kind = reading.kind or guess_kind(table, columns, reading.columns)
    used = (needed_columns(kind, columns) if kind else None) or {}
    shown = DataPreview(
        path,
        columns=table.columns,
        has_header=table.has_header,
        roles={role: table.columns[index] for role, index in used.items()},
        kind=kind if used else None,
        kinds=tuple(kind for kind in TEXT_ROLES if needed_columns(kind, columns)),
        first_rows=_first_rows(table),
        rows=len(table.rows) + len(table.problems),
        problems=table.problems,
    )
    try:
        return _describe(shown, _build(path, table, reading), reading)
    except DataError as error:
        named = str(path) in error.message
        trouble = error.message if named else UserMessage("{file}: {message}", file=path, message=error)
        return replace(shown, trouble=trouble)


def likely_range(scores: tuple[float, ...]) -> tuple[float, float] | None:
    """Return the usual range that contains nearly all scores but not all; None if there is none."""
    values = np.asarray(scores)
    within = [float(np.mean((low <= values) & (values <= high))) for low, high in _USUAL_RANGES]
    if max(within) == 1:
        return None
    return next((span for span, share in zip(_USUAL_RANGES, within, strict=True) if share >= _NEARLY_ALL), None)


def _check(reading: TableReading) -> None:
    check_roles(reading.columns)
    if reading.kind is not None and reading.kind not in KINDS:
        raise DataError(
            "Examples are {kinds}, not {kind}. Choose one of them.", kinds=", ".join(KINDS), kind=reading.kind
        )
    if reading.score_range is None:
        return
    low, high = reading.score_range
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise DataError(
            "A score range goes from a lower to a higher number, not from {low:g} to {high:g}. Swap "
            "them; if low scores mean 'the same', say so.",
            low=low,
            high=high,
        )


def _first_rows(table: DataTable) -> tuple[tuple[str | None, ...], ...]:
    width = len(table.columns)
    return tuple((row.cells + (None,) * width)[:width] for row in table.rows[:_FIRST_ROWS])


def _build(path: Path, table: DataTable, reading: TableReading) -> Examples:
    examples = build_examples(path, table, reading.columns, reading.kind, reading.score_range)
    if isinstance(examples, Dataset) and examples.kind == "scored" and reading.score_range is None:
        usual = likely_range(examples.scores)
        if usual is not None:
            return build_examples(path, table, reading.columns, reading.kind, usual)
    if isinstance(examples, Dataset) and examples.kind == "labelled":
        return _rename_labels(path, examples, reading)
    return examples


def _rename_labels(path: Path, examples: Dataset, reading: TableReading) -> Dataset:
    """Rename labels as asked; a row whose label is not allowed becomes a problem."""
    renamed = [reading.rename.get(name, name) for name in examples.names]
    names = reading.labels or tuple(dict.fromkeys(name for name in renamed if name))
    index_of = {name: index for index, name in enumerate(names)}
    classes = [index_of.get(renamed[label]) for label in examples.classes]
    rows = [index for index, label in enumerate(classes) if label is not None]
    if not rows:
        raise DataError(
            "{file} has no pair with one of the labels {what}; it has {examples}. Name labels that are in the file.",
            file=path,
            what=", ".join(names) or "left",
            examples=", ".join(examples.names[:20]),
        )
    strange = [
        RowProblem(
            line, UserMessage("has a label other than {names}: {label}", names=", ".join(names), label=renamed[label])
        )
        for line, label in zip(examples.lines, examples.classes, strict=True)
        if renamed[label] and renamed[label] not in index_of
    ]
    return replace(
        examples.select(rows),
        classes=tuple(label for label in classes if label is not None),
        names=names,
        problems=tuple(sorted([*examples.problems, *strange], key=lambda problem: problem.line)),
    )


def _describe(shown: DataPreview, examples: Examples, reading: TableReading) -> DataPreview:
    dataset = replace(prepare_for_training(examples), source=str(shown.path))
    if reading.low_is_same:
        dataset = replace(dataset, scores=tuple(1 - score for score in dataset.scores))
    # A touch more, as 0.6 may come out a little less than six tenths.
    bars = Counter(min(_BARS - 1, int(score * _BARS + 1e-9)) for score in dataset.scores)
    return replace(
        shown,
        rows=shown.rows or len(dataset) + len(dataset.problems),
        score_range=examples.score_range if isinstance(examples, Dataset) and examples.scores else None,
        score_counts=tuple(bars[bar] for bar in range(_BARS)) if bars else (),
        labels=_label_counts(dataset),
        positive=positive_label(dataset),
        problems=dataset.problems,
        remarks=find_remarks(dataset),
        examples=dataset,
    )


def _label_counts(dataset: Dataset) -> tuple[LabelCount, ...]:
    counts = Counter(dataset.classes)
    return tuple(
        LabelCount(name, counts[index], counts[index] / len(dataset)) for index, name in enumerate(dataset.names)
    )
