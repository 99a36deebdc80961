"""Compare a model before and after training: gains, losses, and how neighbours changed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.analysis.vectors.exact import all_pairs
from explorer.task import Task
from explorer.training.data.beir import Retrieval
from explorer.training.data.dataset import Dataset, Examples
from explorer.training.measure import bootstrap
from explorer.training.measure.evaluate import ExampleResults, answerable, example_results, majority_baseline
from explorer.training.measure.general_benchmark import BenchmarkPart, GeneralMeasures, compare_general, measure_general
from explorer.training.measure.similarity import BiEncoderLike, CrossEncoderLike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from explorer.training.measure.bootstrap import Interval, MetricChange

DEPTH = 10  # neighbours compared
SHOWN = 8  # examples shown of either kind
KEPT_ENOUGH = 0.95  # of the general ability


@dataclass(frozen=True)
class Example:
    """One held-out example on which the models differ.

    Attributes:
        place: Its index in the held-out data.
        texts: Its texts: a pair, a triplet, or a query with its best document.
        gold: The score or label that people gave; empty for none.
        before: The output before: a similarity, a margin, a probability, or one over the rank.
        after: The output after.
        change: How much closer to people's judgement it came; negative if farther away.
    """

    place: int
    texts: tuple[str, ...]
    gold: str
    before: float
    after: float
    change: float


@dataclass(frozen=True)
class NeighbourChange:
    """How the nearest neighbours of texts changed.

    Attributes:
        depth: How many neighbours of each were compared.
        kept: The share of its neighbours that each text kept, 0 to 1, in the order of the texts.
        most_changed: Indices of the texts that kept the fewest, the most changed first.
    """

    depth: int
    kept: tuple[float, ...]
    most_changed: tuple[int, ...]

    @property
    def changed(self) -> float:
        """The share of all neighbours that changed."""
        return 1 - float(np.mean(self.kept)) if self.kept else 0.0


@dataclass(frozen=True)
class BeforeAfter:
    """A model before and after training, measured on the same examples.

    Attributes:
        rows: Each measure of the held-out examples, the most important first.
        general: Each part of the general benchmark, and last its summary.
        counted: Names of the parts that count for the summary.
        share_kept: The general ability after relative to before; None if it was not measured or there was none.
        neighbours: How neighbours changed; None if no texts were given, or for a cross-encoder.
        best: The examples that came closest to people's judgement, the largest gain first.
        worst: Those that went farthest away, the largest loss first.
    """

    rows: tuple[MetricChange, ...]
    general: tuple[MetricChange, ...] = ()
    counted: tuple[str, ...] = ()
    share_kept: Interval | None = None
    neighbours: NeighbourChange | None = None
    best: tuple[Example, ...] = ()
    worst: tuple[Example, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings as sentences, the most important first."""
        sentences = [change.sentence for change in self.rows[:1]]
        if self.share_kept is not None:
            sentences.append(_general_sentence(self.share_kept, self.general[:-1]))
        if self.neighbours is not None:
            neighbours = self.neighbours
            sentences.append(
                f"Of each text's {neighbours.depth} nearest neighbours, {neighbours.changed:.0%} have changed."
            )
        return tuple(sentences)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self) | {"sentences": list(self.sentences)}


def compare_models(
    before: BiEncoderLike | CrossEncoderLike,
    after: BiEncoderLike | CrossEncoderLike,
    held_out: Examples | None,
    general: Sequence[BenchmarkPart] | GeneralMeasures | None = None,
    *,
    texts: Sequence[str] | None = None,
    groups: Sequence[int] | None = None,
    positive: str | None = None,
    retriever: BiEncoderLike | None = None,
    seed: int = 0,
    task: Task | None = None,
) -> BeforeAfter:
    """Compare a model before and after training.

    Args:
        before: The model before.
        after: The model after.
        held_out: Examples that neither was trained on; None if there are none.
        general: The general set (`read_general()`), or what was measured before with it; None leaves it out.
        texts: Texts of the user's corpus, to see how neighbours change.
        groups: The group of each held-out example, if examples share texts.
        positive: The label that means "similar"; guessed from its name if None.
        retriever: The bi-encoder whose candidates a cross-encoder reranks.
        seed: Of the bootstrap.
        task: Progress and cancel.

    Raises:
        DataError: The data do not suit the models.
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    rows: tuple[MetricChange, ...] = ()
    best: tuple[Example, ...] = ()
    worst: tuple[Example, ...] = ()
    if held_out is not None:
        new = example_results(held_out, after, task, positive=positive, retriever=retriever)
        old = _results_before(before, after, held_out, task, positive=positive, retriever=retriever)
        rows = bootstrap.compare(old.statistics, new.statistics, len(old), groups=groups, seed=seed, task=task)
        best, worst = _examples(held_out, old, new)
    neighbours = _compare_neighbours(before, after, texts, task)
    if general is None:
        return BeforeAfter(rows, neighbours=neighbours, best=best, worst=worst)
    base = general if isinstance(general, GeneralMeasures) else measure_general(before, task, parts=general)
    trained = measure_general(after, task, parts=[part.part for part in base.parts])
    changes, share = compare_general(base, trained, seed=seed, task=task)
    counted = tuple(part.part.name for part in base.parts if part.counted)
    return BeforeAfter(rows, changes, counted, share, neighbours, best, worst)


def _results_before(
    before: BiEncoderLike | CrossEncoderLike,
    after: BiEncoderLike | CrossEncoderLike,
    held_out: Examples,
    task: Task,
    *,
    positive: str | None,
    retriever: BiEncoderLike | None,
) -> ExampleResults:
    """Return the results before; a new classifier is compared with always predicting the most common class."""
    new_classes = isinstance(after, CrossEncoderLike) and len(after.labels) > 1 and isinstance(before, BiEncoderLike)
    if new_classes and isinstance(held_out, Dataset) and held_out.kind == "labelled":
        return majority_baseline(held_out)
    return example_results(held_out, before, task, positive=positive, retriever=retriever)


def neighbour_change(
    before: NDArray[Any], after: NDArray[Any], *, depth: int = DEPTH, shown: int = 50, task: Task | None = None
) -> NeighbourChange:
    """Compare the nearest neighbours by cosine in two sets of vectors of the same texts, (N, n) and (N, m).

    Args:
        before: The vectors before, one row per text.
        after: The vectors after.
        depth: How many neighbours to compare.
        shown: How many of the most changed texts to name.
        task: Progress and cancel.

    Raises:
        ValueError: There are not as many vectors after as before.
        Cancelled: The task was cancelled.
    """
    if len(before) != len(after):
        raise ValueError(f"{len(before)} vectors before cannot be compared with {len(after)} after")
    depth = min(depth, len(before) - 1)
    if depth < 1:
        return NeighbourChange(0, (), ())
    old, new = (all_pairs(vectors, depth, task=task).rows for vectors in (before, after))  # (N, depth)
    shares = (old[:, :, None] == new[:, None, :]).any(axis=2).mean(axis=1)  # (N,)
    order = np.argsort(shares, kind="stable")[:shown]
    return NeighbourChange(depth, tuple(shares.tolist()), tuple(int(row) for row in order if shares[row] < 1))


def _compare_neighbours(
    before: BiEncoderLike | CrossEncoderLike,
    after: BiEncoderLike | CrossEncoderLike,
    texts: Sequence[str] | None,
    task: Task,
) -> NeighbourChange | None:
    if not texts or not isinstance(before, BiEncoderLike) or not isinstance(after, BiEncoderLike):
        return None
    old, new = (model.encode(texts, role="document", task=task).whole() for model in (before, after))
    return neighbour_change(old, new, task=task)


def _examples(
    data: Examples, old: ExampleResults, new: ExampleResults
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Return the examples that gained most and lost most."""
    if not old.closeness.size:
        return (), ()
    change = new.closeness - old.closeness
    order = np.argsort(-change, kind="stable")
    best = [row for row in order[:SHOWN].tolist() if change[row] > 0]
    worst = [row for row in order[::-1][:SHOWN].tolist() if change[row] < 0]

    def show(index: int) -> Example:
        texts, gold = _describe(data, index)
        return Example(index, texts, gold, float(old.shown[index]), float(new.shown[index]), float(change[index]))

    return tuple(map(show, best)), tuple(map(show, worst))


def _describe(data: Examples, index: int) -> tuple[tuple[str, ...], str]:
    """Return the texts of an example, and the score or label that people gave it."""
    if isinstance(data, Retrieval):
        key, text = list(answerable(data).items())[index]
        grades = data.relevant[key]
        return (text, data.corpus[max(grades, key=lambda name: grades[name])]), ""
    gold = f"{data.scores[index]:g}" if data.scores else ""
    return data.example(index), data.names[data.classes[index]] if data.classes else gold


def _general_sentence(share: Interval, parts: Sequence[MetricChange]) -> str:
    sentence = f"{share.value:.0%} of the general ability was kept ({share.low:.0%} to {share.high:.0%})."
    lost = [part.measure for part in parts if part.verdict == "loss"]
    if lost:
        sentence += f" Lost on: {', '.join(lost)}."
    if share.value < KEPT_ENOUGH:
        sentence += " Train more gently, or turn the guard on."
    return sentence
