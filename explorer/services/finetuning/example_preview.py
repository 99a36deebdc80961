"""Preview a source of training examples before training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.training.data.dataset import Dataset
    from explorer.training.data.preview import DataPreview
    from explorer.training.recipe import DataSource

SHOWN = 200  # examples in the table
PROBLEMS = 500  # bad rows listed
_BARS = 10


@dataclass(frozen=True)
class ExamplePreview:
    """A preview of training examples.

    Attributes:
        usable: Examples to train with.
        left_out: Rows that cannot be used.
        kind: What the examples are; empty if they are none.
        texts: Texts of an example, 2 for pairs and 3 for triplets.
        rows: Some of them: their texts, and last what people said.
        columns: Of a file: all its columns.
        raw: Of a file: its first rows as they stand there.
        kinds: The kinds that the columns could make.
        roles: The column taken for each role.
        score_range: The lowest and highest possible score; None where there are none.
        score_counts: How many scores lie in each of ten equal steps.
        labels: Each label with its count.
        positive: The label that means "similar"; empty if unknown.
        problems: Line and reason of rows that cannot be used.
        remarks: What is doubtful, each with whether it forbids to train.
        trouble: Why there is no example; empty where there are some.
    """

    usable: int = 0
    left_out: int = 0
    kind: str = ""
    texts: int = 2
    rows: tuple[tuple[str, ...], ...] = ()
    columns: tuple[str, ...] = ()
    raw: tuple[tuple[str, ...], ...] = ()
    kinds: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    score_range: tuple[float, float] | None = None
    score_counts: tuple[int, ...] = ()
    labels: tuple[tuple[str, int], ...] = ()
    positive: str = ""
    problems: tuple[tuple[int, str], ...] = ()
    remarks: tuple[tuple[str, bool], ...] = ()
    trouble: str = ""

    @property
    def trainable(self) -> bool:
        """Whether there are examples to train with."""
        return self.usable > 1 and not self.trouble and not any(fatal for _, fatal in self.remarks)


def in_file(path: Path, source: DataSource) -> ExamplePreview:
    """Preview the examples of a file, read with the options of a source.

    Raises:
        DataError: The file cannot be read as a table.
    """
    from explorer.training.data.preview import TableReading, look

    low_high: Any = source.score_range or None
    reading = TableReading(
        dict(source.columns), source.kind or None, low_high, source.low_is_same, dict(source.rename), source.labels
    )
    return _of_preview(look(path, reading))


def in_set(dataset: Dataset, *, alone: bool = False) -> ExamplePreview:
    """Preview a dataset; `alone` for texts that are paired with themselves on purpose."""
    from explorer.training.data.checks import find_remarks, positive_label

    remarks = [remark for remark in find_remarks(dataset) if not (alone and remark.kind == "same text")]
    rows, width = _rows(dataset), len(dataset.columns)
    if alone:
        rows, width = tuple((row[0], "") for row in rows), 1

    bars = Counter(min(_BARS - 1, int(score * _BARS + 1e-9)) for score in dataset.scores)
    counts = Counter(dataset.classes)
    return ExamplePreview(
        usable=len(dataset),
        left_out=len(dataset.problems),
        kind="texts" if alone else dataset.kind,
        texts=width,
        rows=rows,
        score_range=(0.0, 1.0) if dataset.scores else None,
        score_counts=tuple(bars[bar] for bar in range(_BARS)) if bars else (),
        labels=tuple((name, counts[index]) for index, name in enumerate(dataset.names)),
        positive=positive_label(dataset) or "",
        problems=_problems(dataset.problems),
        remarks=tuple((remark.sentence, remark.fatal) for remark in remarks),
    )


def _of_preview(shown: DataPreview) -> ExamplePreview:
    examples = shown.examples
    return ExamplePreview(
        usable=0 if examples is None else len(examples),
        left_out=len(shown.problems),
        kind=shown.kind or "",
        texts=2 if examples is None else len(examples.columns),
        rows=() if examples is None else _rows(examples, shown.score_range),
        columns=shown.columns,
        raw=tuple(tuple(cell or "" for cell in row) for row in shown.first_rows),
        kinds=shown.kinds,
        roles=dict(shown.roles),
        score_range=shown.score_range,
        score_counts=shown.score_counts,
        labels=tuple((label.name, label.count) for label in shown.labels),
        positive=shown.positive or "",
        problems=_problems(shown.problems),
        remarks=tuple((remark.sentence, remark.fatal) for remark in shown.remarks),
        trouble=shown.trouble,
    )


def _rows(dataset: Dataset, ends: tuple[float, float] | None = None) -> tuple[tuple[str, ...], ...]:
    """Return the first examples with their scores, in the range they were given in, or their labels."""
    low, high = ends or (0.0, 1.0)
    made = []
    for index in range(min(SHOWN, len(dataset))):
        answer = ""
        if dataset.scores:
            answer = f"{low + dataset.scores[index] * (high - low):.4g}"
        elif dataset.classes:
            answer = dataset.names[dataset.classes[index]]
        made.append((*dataset.example(index), answer))
    return tuple(made)


def _problems(problems: Sequence[Any]) -> tuple[tuple[int, str], ...]:
    return tuple((problem.line, problem.reason) for problem in problems[:PROBLEMS])
