"""Examples ready to train on: columns of texts, what people said of them, and which belong to one group."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from explorer.errors import DataError
from explorer.training.data.examples import (
    Examples,
    LabelledPairs,
    Retrieval,
    RowProblem,
    ScoredPairs,
    TextPairs,
    Triplets,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Kind = Literal["scored", "labelled", "triplets", "pairs", "texts"]
Columns = tuple[tuple[str, ...], ...]
T = TypeVar("T")

WIDTHS: dict[str, int] = {"scored": 2, "labelled": 2, "triplets": 3, "pairs": 2, "texts": 1}


@dataclass(frozen=True)
class Remark:
    """Something about examples that a person should know before training on them.

    Attributes:
        kind: One word or two for programs, such as "duplicates".
        count: How many examples it concerns.
        sentence: What it is and what to do about it.
        examples: Places in the set of a few of them.
        fatal: Whether training makes no sense until it is mended.
    """

    kind: str
    count: int
    sentence: str
    examples: tuple[int, ...] = ()
    fatal: bool = False


@dataclass(frozen=True)
class TrainingSet:
    """N examples.

    Attributes:
        kind: What they are: scored or labelled pairs, triplets (anchor, positive, negative), pairs that
            belong together, or texts alone.
        columns: The texts, each column of N: 2 for pairs, 3 for triplets, 1 for texts.
        scores: Of scored pairs: how alike each is, from 0 to 1.
        classes: Of labelled pairs: the place of each one's label in `names`.
        names: The k labels.
        groups: Which group each belongs to; examples that share a text share a group.
        lines: The line of its file each stands on; empty where they came from no file.
        problems: Rows that could not be used.
        remarks: What was noticed when the set was made.
        source: The file they came from, for messages; empty for none.
    """

    kind: Kind
    columns: Columns
    scores: tuple[float, ...] = ()
    classes: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    problems: tuple[RowProblem, ...] = ()
    remarks: tuple[Remark, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if len(self.columns) != WIDTHS[self.kind]:
            raise ValueError(
                f"{self.kind} have {WIDTHS[self.kind]} columns of texts, not {len(self.columns)}"
            )
        valued = [self.scores] * (self.kind == "scored") + [self.classes] * (self.kind == "labelled")
        if any(len(column) != len(self) for column in (*self.columns, *valued, self.groups)):
            raise ValueError("the columns of a training set are of one length")

    def __len__(self) -> int:
        """The number of examples."""
        return len(self.columns[0])

    @property
    def labels(self) -> tuple[float, ...] | None:
        """What an objective learns: the scores, or the classes; None where there are neither."""
        return self.scores or self.classes or None

    def take(self, places: Iterable[int]) -> TrainingSet:
        """The examples at some places, in that order; problems and remarks stay with the whole."""
        chosen = list(places)

        def taken(column: tuple[T, ...]) -> tuple[T, ...]:
            return tuple(column[place] for place in chosen) if column else ()

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

    def told(self, sentence: str) -> str:
        """A sentence on these examples, with the file they came from in front."""
        return f"{self.source}: {sentence}" if self.source else sentence

    def example(self, place: int) -> tuple[str, ...]:
        """The texts of one example."""
        return tuple(column[place] for column in self.columns)


def text_key(text: str) -> str:
    """What two texts share that differ in case, width of letters or spaces alone."""
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
) -> TrainingSet:
    """A training set with its groups found.

    Args:
        kind: See `TrainingSet`, as are the other columns.
        columns: The texts.
        scores: From 0 to 1.
        classes: Places in `names`.
        names: The labels.
        lines: Lines of the file.
        problems: Rows that could not be used.
        remarks: What was noticed.
        together: Something for each example, such as its document, that puts equal ones into one group.
    """
    groups = find_groups(columns, together)
    return TrainingSet(kind, columns, scores, classes, names, groups, lines, problems, remarks)


def find_groups(columns: Columns, together: Sequence[Hashable] = ()) -> tuple[int, ...]:
    """The group of each example: linked by a shared text, however many links away; numbered as they come.

    Args:
        columns: The texts, each column of N.
        together: As for `make_set`.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(columns[0])
    links: list[Sequence[Hashable]] = [
        # An empty text links nothing.
        [("text", text_key(text) or place) for place, text in enumerate(column)]
        for column in columns
    ]
    if together:
        links.append([("group", item) for item in together])
    numbers: dict[Hashable, int] = {}
    nodes = [numbers.setdefault(item, len(numbers)) + count for column in links for item in column]
    rows = np.tile(np.arange(count), len(links))  # example i is node i; texts follow
    size = count + len(numbers)
    graph = coo_array((np.ones(len(nodes), np.int8), (rows, nodes)), shape=(size, size))
    _, found = connected_components(graph, directed=False)
    order: dict[int, int] = {}
    return tuple(order.setdefault(group, len(order)) for group in found[:count].tolist())


def from_examples(examples: Examples) -> TrainingSet:
    """A training set of examples as they were read; scores are brought to 0..1 by their range.

    An example with an empty text cannot be trained on: it becomes a problem. Of a retrieval folder, each
    query and each document judged relevant to it make a pair.

    Raises:
        DataError: Nothing is left.
    """
    found = _whole_set(examples)
    full = [all(text.strip() for text in found.example(place)) for place in range(len(found))]
    if all(full):
        return found
    if not any(full):
        raise DataError("Every example has an empty text. Choose other columns, or another file.")
    bad = [
        RowProblem(line, "has an empty text")
        for line, good in zip(found.lines, full, strict=False)
        if not good
    ]
    problems = sorted([*found.problems, *bad], key=lambda problem: problem.line)
    kept = found.take(compress(range(len(found)), full))
    return replace(kept, problems=tuple(problems), remarks=found.remarks)


def _whole_set(examples: Examples) -> TrainingSet:
    problems = examples.problems
    if isinstance(examples, Retrieval):
        return _from_retrieval(examples)
    lines = examples.lines
    if isinstance(examples, Triplets):
        texts = (examples.anchors, examples.positives, examples.negatives)
        return make_set("triplets", texts, lines=lines, problems=problems)
    pair = (examples.first, examples.second)
    if isinstance(examples, ScoredPairs):
        span = examples.high - examples.low
        scores = tuple((score - examples.low) / span for score in examples.scores)
        return make_set("scored", pair, scores=scores, lines=lines, problems=problems)
    if isinstance(examples, LabelledPairs):
        return make_set(
            "labelled", pair, classes=examples.labels, names=examples.names, lines=lines, problems=problems
        )
    return make_set("pairs", pair, lines=lines, problems=problems)


def _from_retrieval(data: Retrieval) -> TrainingSet:
    relevant = [
        (data.queries[query], data.corpus[document])
        for query, grades in data.relevant.items()
        for document, grade in grades.items()
        if grade > 0
    ]
    if not relevant:
        raise DataError("No query has a relevant document, so there is no pair to train on. Mend qrels.")
    first, second = zip(*relevant, strict=True)
    return make_set("pairs", (first, second), problems=data.problems)


def as_examples(found: TrainingSet) -> Examples:
    """The same examples as `evaluation.evaluate` takes them.

    Raises:
        DataError: They are texts alone, which say nothing of a model.
    """
    texts, lines = found.columns, found.lines
    if found.kind == "triplets":
        return Triplets(texts[0], texts[1], texts[2], lines=lines)
    if found.kind == "scored":
        return ScoredPairs(texts[0], texts[1], found.scores, 0.0, 1.0, lines=lines)
    if found.kind == "labelled":
        return LabelledPairs(texts[0], texts[1], found.classes, found.names, lines=lines)
    if found.kind == "pairs":
        return TextPairs(texts[0], texts[1], lines=lines)
    raise DataError("Texts alone cannot measure a model. Choose pairs with scores or labels, or triplets.")


def joined(sets: Sequence[TrainingSet]) -> TrainingSet:
    """Several sets of one kind as one; labels of one name become one, and groups that share a text too.

    Lines, problems and remarks stay with the sets, as they belong to their files.

    Raises:
        DataError: The kinds differ, or there is no set.
    """
    kinds = {found.kind for found in sets}
    if len(kinds) != 1:
        listed = ", ".join(sorted(kinds)) or "none"
        raise DataError(f"Only examples of one kind can be put together, not of: {listed}. Choose one kind.")
    names = tuple(dict.fromkeys(chain.from_iterable(found.names for found in sets)))
    place = {name: number for number, name in enumerate(names)}
    classes = tuple(place[found.names[label]] for found in sets for label in found.classes)
    texts = tuple(
        tuple(chain.from_iterable(columns))
        for columns in zip(*(found.columns for found in sets), strict=True)
    )
    together = [(number, group) for number, found in enumerate(sets) for group in found.groups]
    scores = tuple(chain.from_iterable(found.scores for found in sets))
    return make_set(sets[0].kind, texts, scores=scores, classes=classes, names=names, together=together)
