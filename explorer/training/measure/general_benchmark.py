"""A small bundled benchmark that reveals what fine-tuning broke."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer import paths
from explorer.errors import DataError
from explorer.task import Task
from explorer.training.data.beir import Retrieval
from explorer.training.data.dataset import Dataset, Examples
from explorer.training.measure import bootstrap
from explorer.training.measure.evaluate import ExampleResults, example_results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from explorer.training.measure.bootstrap import Interval, MetricChange
    from explorer.training.measure.metrics import Floats
    from explorer.training.measure.similarity import BiEncoderLike, CrossEncoderLike

READS_KOREAN = 0.5  # Spearman on the Korean pairs; spelling alone, without the language, gives about 0.2
NO_ABILITY = 0.3  # a summary below this is near chance: there is nothing that could be lost
_OPPOSITE = frozenset({"negation", "role"})
_MEASURES = {
    "sentences": "spearman",
    "documents": "spearman",
    "retrieval": "ndcg@10",
    "korean": "spearman",
    "opposites": "accuracy",
}


@dataclass(frozen=True)
class BenchmarkPart:
    """One part of the benchmark.

    Attributes:
        name: sentences, documents, retrieval, korean or opposites.
        data: The examples.
        groups: The group of each example; examples of a group share a text.
        candidates: For retrieval, the passages that a cross-encoder puts in order, by the query's id.
    """

    name: str
    data: Examples
    groups: tuple[int, ...]
    candidates: dict[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class PartMeasure:
    """A model's result on one part.

    Attributes:
        part: The part.
        measure: The name of its measure.
        value: The measure.
        counted: Whether it counts for the summary.
        results: The model's results on each example.
    """

    part: BenchmarkPart
    measure: str
    value: float
    counted: bool
    results: ExampleResults


@dataclass(frozen=True)
class GeneralMeasures:
    """A model's results on all parts of the benchmark."""

    parts: tuple[PartMeasure, ...]

    @property
    def summary(self) -> float:
        """The mean of the parts that count, 0 to 1."""
        return _summary(self, [part.part.name for part in self.parts if part.counted])

    @property
    def values(self) -> dict[str, float]:
        """The metric of each part by its name."""
        return {part.part.name: part.value for part in self.parts}


def read_general(folder: Path | None = None) -> tuple[BenchmarkPart, ...]:
    """Read the parts of the benchmark, from `folder` or the bundled one.

    Raises:
        DataError: A file is missing or broken.
    """
    folder = folder or paths.resources() / "general"
    try:
        sentences = _rows(folder / "sentences.jsonl")
        documents = {row["id"]: row["text"] for row in _rows(folder / "documents.jsonl")}
        pairs = [
            row | {"first": documents[row["first"]], "second": documents[row["second"]]}
            for row in _rows(folder / "document_pairs.jsonl")
        ]
        return (
            _scored("sentences", _straight(sentences)),
            _scored("documents", pairs),
            _retrieval(_rows(folder / "queries.jsonl"), _rows(folder / "passages.jsonl")),
            _scored("korean", _straight(_rows(folder / "korean.jsonl"))),
            _opposites(sentences),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            "{folder}: the set that measures general ability cannot be read ({reason}). Install the program again.",
            folder=folder,
            reason=error,
        ) from error


def measure_general(
    model: BiEncoderLike | CrossEncoderLike, task: Task | None = None, *, parts: Sequence[BenchmarkPart] | None = None
) -> GeneralMeasures:
    """Measure a model on the benchmark.

    Sentences, documents and retrieval count for the summary; Korean only where the model reads Korean; the
    telling of opposites never, because hardly any bi-encoder can and it says little of the rest.

    Raises:
        Cancelled: The task was cancelled.
        DataError: The set cannot be read.
    """
    task = task or Task()
    return GeneralMeasures(tuple(_measure(part, model, task) for part in parts or read_general()))


def share_kept(before: GeneralMeasures, after: GeneralMeasures) -> float | None:
    """Return the summary after relative to before, over what counted before; None if there was no ability to lose."""
    names = [part.part.name for part in before.parts if part.counted]
    base = _summary(before, names)
    return _summary(after, names) / base if base >= NO_ABILITY else None


def compare_general(
    before: GeneralMeasures, after: GeneralMeasures, *, seed: int = 0, task: Task | None = None
) -> tuple[tuple[MetricChange, ...], Interval | None]:
    """Compare each part before and after, and last the summary; and return the share kept with its interval.

    What counts is what counted before. The share is None where there was no ability to lose.

    Raises:
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    changes, drawn = [], []
    for index, (old, new) in enumerate(zip(before.parts, after.parts, strict=True)):
        task.check()
        both = [_draws(measured, seed + index) for measured in (old, new)]  # the parts are drawn independently
        changes.append(bootstrap.change(old.part.name, len(old.results), (old.value, new.value), (both[0], both[1])))
        if old.counted:
            drawn.append(np.clip(both, 0, 1))  # (2, R)
    names = [part.part.name for part in before.parts if part.counted]
    if not names:
        return tuple(changes), None
    values = _summary(before, names), _summary(after, names)
    draws = np.mean(drawn, axis=0)  # (2, R)
    count = sum(len(part.results) for part in before.parts if part.counted)
    changes.append(bootstrap.change("summary", count, values, (draws[0], draws[1])))
    value = share_kept(before, after)
    share = None if value is None else bootstrap.interval(value, draws[1] / np.maximum(draws[0], 1e-9))
    return tuple(changes), share


def _draws(measured: PartMeasure, seed: int) -> Floats:
    statistic = measured.results.statistics[measured.measure]
    return bootstrap.draw_all(statistic, len(measured.results), groups=measured.part.groups, seed=seed)


def _measure(part: BenchmarkPart, model: BiEncoderLike | CrossEncoderLike, task: Task) -> PartMeasure:
    results = example_results(part.data, model, task, candidates=part.candidates)
    measure = _MEASURES[part.name]
    value = bootstrap.value_of(results.statistics[measure], len(results))
    counted = part.name != "opposites" and (part.name != "korean" or value >= READS_KOREAN)
    return PartMeasure(part, measure, value, counted, results)


def _summary(measures: GeneralMeasures, names: Sequence[str]) -> float:
    values = [min(max(measures.values[name], 0.0), 1.0) for name in names]
    return float(np.mean(values)) if values else 0.0


def _rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _straight(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the pairs in which one text does not say the opposite of the other."""
    return [row for row in rows if row["kind"] not in _OPPOSITE]


def _scored(name: str, rows: Sequence[Mapping[str, Any]]) -> BenchmarkPart:
    first, second = tuple(row["first"] for row in rows), tuple(row["second"] for row in rows)
    scores = tuple(float(row["score"]) for row in rows)
    return BenchmarkPart(name, Dataset.scored(first, second, scores, 0.0, 5.0), _codes([row["group"] for row in rows]))


def _opposites(rows: Sequence[Mapping[str, Any]]) -> BenchmarkPart:
    """Make triplets of a sentence, its paraphrase, and its negation or role swap, grouped by sentence."""
    paraphrases = {row["group"]: {row["first"], row["second"]} for row in rows if row["kind"] == "paraphrase"}
    triplets, groups = [], []
    for row in rows:
        if row["kind"] in _OPPOSITE:
            pair, same = {row["first"], row["second"]}, paraphrases[row["group"]]
            (anchor,) = pair & same
            (near,), (far,) = same - {anchor}, pair - {anchor}
            triplets.append((anchor, near, far))
            groups.append(row["group"])
    anchors, positives, negatives = zip(*triplets, strict=True)
    return BenchmarkPart("opposites", Dataset.triplets(anchors, positives, negatives), _codes(groups))


def _retrieval(queries: Sequence[Mapping[str, Any]], passages: Sequence[Mapping[str, Any]]) -> BenchmarkPart:
    data = Retrieval(
        {row["id"]: row["text"] for row in passages},
        {row["id"]: row["text"] for row in queries},
        {row["id"]: {row["passage"]: 1} for row in queries},
    )
    candidates = {row["id"]: tuple(row["candidates"]) for row in queries}
    return BenchmarkPart("retrieval", data, tuple(range(len(queries))), candidates)


def _codes(groups: Sequence[object]) -> tuple[int, ...]:
    """Number the names of groups."""
    code_of: dict[object, int] = {}
    return tuple(code_of.setdefault(group, len(code_of)) for group in groups)
