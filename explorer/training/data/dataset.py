"""The dataset of training and evaluation: columns of texts, their scores or labels, and their groups."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from explorer.corpus.readers.tables.data_table import RowProblem
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.training.data.beir import Retrieval

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Kind = Literal["scored", "labelled", "triplets", "pairs", "texts"]
Texts = tuple[str, ...]
Columns = tuple[Texts, ...]
T = TypeVar("T")

WIDTHS: dict[str, int] = {"scored": 2, "labelled": 2, "triplets": 3, "pairs": 2, "texts": 1}


@dataclass(frozen=True)
class Remark:
    """Something about examples that a person should know before training on them.

    Attributes:
        kind: A short name for programs, such as "duplicates".
        count: How many examples it concerns.
        sentence: What it is and what to do about it.
        examples: Indices of a few of them.
        fatal: Whether training makes no sense until it is fixed.
    """

    kind: str
    count: int
    sentence: str
    examples: tuple[int, ...] = ()
    fatal: bool = False


@dataclass(frozen=True)
class Dataset:
    """N examples, as they are read, trained on and evaluated with.

    Attributes:
        kind: What they are: scored or labelled pairs, triplets (anchor, positive, negative), pairs that belong
            together, or texts alone.
        columns: The texts, N in each column: 2 columns for pairs, 3 for triplets, 1 for texts.
        scores: The score of each scored pair, within `score_range`.
        classes: The label of each labelled pair, an index of `names`.
        names: The k labels.
        groups: The group of each example; examples that share a text share a group. Empty if not found yet.
        lines: The line of its file each example is on; empty if they did not come from a file.
        problems: Rows that could not be used.
        remarks: What was noticed when the dataset was made.
        source: The file they came from, for messages; empty for none.
        score_range: The scores that mean "nothing in common" and "the same".
    """

    kind: Kind
    columns: Columns
    scores: tuple[float, ...] = ()
    classes: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)
    problems: tuple[RowProblem, ...] = ()
    remarks: tuple[Remark, ...] = ()
    source: str = ""
    score_range: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        if len(self.columns) != WIDTHS[self.kind]:
            raise ValueError(f"{self.kind} have {WIDTHS[self.kind]} columns of texts, not {len(self.columns)}")
        valued = [self.scores] * (self.kind == "scored") + [self.classes] * (self.kind == "labelled")
        grouped = [self.groups] * bool(self.groups)
        if any(len(column) != len(self) for column in (*self.columns, *valued, *grouped)):
            raise ValueError("the columns of a dataset must have the same length")

    @classmethod
    def scored(
        cls, first: Texts, second: Texts, scores: tuple[float, ...], low: float = 0.0, high: float = 1.0
    ) -> Dataset:
        """Make scored pairs, with scores from `low` to `high`."""
        return cls("scored", (first, second), scores=scores, score_range=(low, high))

    @classmethod
    def labelled(cls, first: Texts, second: Texts, classes: tuple[int, ...], names: tuple[str, ...]) -> Dataset:
        """Make labelled pairs, with classes that are indices of `names`."""
        return cls("labelled", (first, second), classes=classes, names=names)

    @classmethod
    def pairs(cls, first: Texts, second: Texts) -> Dataset:
        """Make pairs that belong together."""
        return cls("pairs", (first, second))

    @classmethod
    def triplets(cls, anchors: Texts, positives: Texts, negatives: Texts) -> Dataset:
        """Make triplets: each positive should be nearer to its anchor than the negative."""
        return cls("triplets", (anchors, positives, negatives))

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.columns[0])

    @property
    def first(self) -> Texts:
        """The first text of each pair."""
        return self.columns[0]

    @property
    def second(self) -> Texts:
        """The second text of each pair."""
        return self.columns[1]

    @property
    def labels(self) -> tuple[float, ...] | None:
        """The scores or the classes, whichever an objective learns; None if there are neither."""
        return self.scores or self.classes or None

    def select(self, indices: Iterable[int]) -> Dataset:
        """Return the examples at some indices, in that order; problems and remarks stay with the whole."""
        chosen = list(indices)

        def taken(column: tuple[T, ...]) -> tuple[T, ...]:
            return tuple(column[index] for index in chosen) if column else ()

        return replace(
            self,
            columns=tuple(taken(column) for column in self.columns),
            scores=taken(self.scores),
            classes=taken(self.classes),
            groups=taken(self.groups),
            lines=taken(self.lines),
            problems=(),
            remarks=(),
        )

    def message(self, sentence: str) -> str:
        """Put the file that the examples came from before a sentence about them."""
        return UserMessage("{file}: {message}", file=self.source, message=sentence) if self.source else sentence

    def example(self, index: int) -> Texts:
        """Return the texts of one example."""
        return tuple(column[index] for column in self.columns)


Examples = Dataset | Retrieval


def text_key(text: str) -> str:
    """Return a key that texts share if they differ only in case, width of letters or spaces."""
    text = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(text.split()).casefold()


def make_set(
    kind: Kind,
    columns: Columns,
    *,
    scores: tuple[float, ...] = (),
    classes: tuple[int, ...] = (),
    names: tuple[str, ...] = (),
    lines: tuple[int, ...] = (),
    problems: tuple[RowProblem, ...] = (),
    remarks: tuple[Remark, ...] = (),
    together: Sequence[Hashable] = (),
) -> Dataset:
    """Make a dataset and find its groups.

    Args:
        kind: See `Dataset`, as for the other columns.
        columns: The texts.
        scores: From 0 to 1.
        classes: Indices of `names`.
        names: The labels.
        lines: Lines of the file.
        problems: Rows that could not be used.
        remarks: What was noticed.
        together: A value for each example, such as its document; examples with equal values share a group.
    """
    groups = find_groups(columns, together)
    return Dataset(kind, columns, scores, classes, names, groups, lines, problems, remarks)


def find_groups(columns: Columns, together: Sequence[Hashable] = ()) -> tuple[int, ...]:
    """Return the group of each example: the connected component of examples that are linked by shared texts.

    Args:
        columns: The texts, each column of N.
        together: As for `make_set`.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(columns[0])
    links: list[Sequence[Hashable]] = [
        # An empty text links nothing.
        [("text", text_key(text) or index) for index, text in enumerate(column)]
        for column in columns
    ]
    if together:
        links.append([("group", item) for item in together])
    numbers: dict[Hashable, int] = {}
    nodes = [numbers.setdefault(item, len(numbers)) + count for column in links for item in column]
    rows = np.tile(np.arange(count), len(links))  # example i is node i; texts follow
    size = count + len(numbers)
    graph = coo_array((np.ones(len(nodes), np.int8), (rows, nodes)), shape=(size, size))
    _, components = connected_components(graph, directed=False)
    order: dict[int, int] = {}
    return tuple(order.setdefault(group, len(order)) for group in components[:count].tolist())


def prepare_for_training(examples: Examples) -> Dataset:
    """Bring scores to 0..1 by their range, find groups, and leave out examples with an empty text as problems.

    Of a retrieval folder, each query and each document judged relevant to it make a pair.

    Raises:
        DataError: Nothing is left.
    """
    dataset = _from_retrieval(examples) if isinstance(examples, Retrieval) else _scaled(examples)
    full = [all(text.strip() for text in dataset.example(index)) for index in range(len(dataset))]
    if all(full):
        return dataset
    if not any(full):
        raise DataError("Every example has an empty text. Choose other columns, or another file.")
    bad = [
        RowProblem(line, UserMessage("has an empty text"))
        for line, good in zip(dataset.lines, full, strict=False)
        if not good
    ]
    problems = sorted([*dataset.problems, *bad], key=lambda problem: problem.line)
    usable = dataset.select(compress(range(len(dataset)), full))
    return replace(usable, problems=tuple(problems), remarks=dataset.remarks)


def _scaled(dataset: Dataset) -> Dataset:
    low, high = dataset.score_range
    scores = tuple((score - low) / (high - low) for score in dataset.scores)
    groups = find_groups(dataset.columns)
    return replace(dataset, scores=scores, score_range=(0.0, 1.0), groups=groups)


def _from_retrieval(data: Retrieval) -> Dataset:
    relevant = [
        (data.queries[query], data.corpus[document])
        for query, grades in data.relevant.items()
        for document, grade in grades.items()
        if grade > 0
    ]
    if not relevant:
        raise DataError("No query has a relevant document, so there is no pair to train on. Fix the qrels file.")
    first, second = zip(*relevant, strict=True)
    return make_set("pairs", (first, second), problems=data.problems)


def require_measurable(dataset: Dataset) -> Dataset:
    """Return a dataset that a model can be evaluated with.

    Raises:
        DataError: They are texts alone, which say nothing about a model.
    """
    if dataset.kind == "texts":
        raise DataError("Texts alone cannot measure a model. Choose pairs with scores or labels, or triplets.")
    return dataset


def joined(parts: Sequence[Dataset]) -> Dataset:
    """Concatenate datasets of one kind; labels of the same name are merged, and so are groups that share a text.

    Lines, problems and remarks stay with the parts, as they belong to their files.

    Raises:
        DataError: The kinds differ, or there is no dataset.
    """
    kinds = {part.kind for part in parts}
    if len(kinds) != 1:
        listed = ", ".join(sorted(kinds)) or "none"
        raise DataError(
            "Only examples of one kind can be put together, not of: {listed}. Choose one kind.", listed=listed
        )
    names = tuple(dict.fromkeys(chain.from_iterable(part.names for part in parts)))
    index_of = {name: index for index, name in enumerate(names)}
    classes = tuple(index_of[part.names[label]] for part in parts for label in part.classes)
    texts = tuple(
        tuple(chain.from_iterable(columns)) for columns in zip(*(part.columns for part in parts), strict=True)
    )
    together = [(index, group) for index, part in enumerate(parts) for group in part.groups]
    scores = tuple(chain.from_iterable(part.scores for part in parts))
    return make_set(parts[0].kind, texts, scores=scores, classes=classes, names=names, together=together)
