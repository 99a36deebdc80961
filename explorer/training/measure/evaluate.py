"""Evaluate a bi-encoder or a cross-encoder: per-example results, and the metrics of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from explorer.corpus.readers.tables.data_table import RowProblem
from explorer.errors import DataError
from explorer.models.cross_encoder import POSITIVE
from explorer.training.data.beir import Retrieval
from explorer.training.data.dataset import Dataset, Examples, require_measurable
from explorer.training.measure import metrics
from explorer.training.measure.bootstrap import Statistic, statistic, value_of
from explorer.training.measure.similarity import (
    BiEncoderLike,
    CrossEncoderLike,
    Similarity,
    cosine,
    distance,
    encode_columns,
    own_margin,
    rank_documents,
    rerank,
    score_columns,
    unique,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from explorer.task import Task
    from explorer.training.measure.metrics import Floats

Model = BiEncoderLike | CrossEncoderLike
Measure = Callable[[Model, "Task"], Mapping[str, float]]

_POSITIVE_NAMES = (*POSITIVE, "positive")
_NLI_GRADES = {"contradiction": 0, "neutral": 1, "entailment": 2}


@dataclass(frozen=True)
class Evaluation:
    """How good a model is on examples.

    Attributes:
        data_kind: What it was measured on: scored, labelled, triplets or retrieval.
        model_kind: bi or cross.
        count: How many pairs, triplets or queries were measured.
        measures: The metrics by name, the most important first.
        problems: Rows of the data that could not be used.
    """

    data_kind: str
    model_kind: str
    count: int
    measures: dict[str, float]
    problems: tuple[RowProblem, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return plain values, ready for JSON."""
        return asdict(self) | {"problems": [asdict(problem) for problem in self.problems]}


@dataclass(frozen=True)
class ExampleResults:
    """The results of a model on each of N examples, so that two models can be compared example by example.

    Attributes:
        statistics: The metrics of these or of resampled examples, by name, the most important first.
        shown: The model's output for each example, (N,): a similarity, a margin, a probability, or one over the rank.
        closeness: How right that is, (N,); comparable between models for one example. Empty if it is unknown.
        thresholds: The thresholds at which the best accuracy and the best F1 are reached.
    """

    statistics: dict[str, Statistic]
    shown: Floats
    closeness: Floats
    thresholds: dict[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.shown)

    @property
    def measures(self) -> dict[str, float]:
        """The metrics of all examples; a threshold follows the metric that it belongs to."""
        values: dict[str, float] = {}
        for name, each in self.statistics.items():
            values[name] = value_of(each, len(self))
            if name in self.thresholds:
                values[f"{name}_threshold"] = self.thresholds[name]
        return values


def evaluate(
    data: Examples, model: Model, task: Task, *, positive: str | None = None, retriever: BiEncoderLike | None = None
) -> Evaluation:
    """Evaluate a model on examples.

    | data | bi-encoder | cross-encoder |
    |---|---|---|
    | scored | spearman, pearson of the cosine; spearman of the Euclidean distance | spearman, pearson |
    | labelled | the cosine against the positive label, see below | accuracy, macro-F1; one output: as left |
    | triplets | share right by Euclidean distance and by cosine | share right |
    | retrieval | nDCG@10, MRR@10, recall@100 | the same, of the retriever's candidates reranked |

    One similarity against labels: for two labels, or with `positive` given, average precision, AUC, and the accuracy
    and F1 at the best threshold (optimistic: chosen on the same data). For the three labels of NLI, Spearman with
    entailment above neutral above contradiction. For other labels, the mean over the labels of how well the
    similarity separates it from the rest, as an AUC, in either direction.

    Queries without a relevant document are left out, and not counted.

    Args:
        data: The examples.
        model: The model to evaluate.
        task: Progress and cancellation.
        positive: The label that means "similar"; guessed from its name if None.
        retriever: The bi-encoder whose candidates a cross-encoder reranks.

    Raises:
        DataError: The data do not suit the model.
        Cancelled: The task was cancelled.
    """
    task.check()
    if isinstance(data, Dataset) and data.kind == "pairs":
        raise DataError("Pairs without a score or a label say nothing about a model. Name the column with --columns.")
    results = example_results(data, model, task, positive=positive, retriever=retriever)
    kind = data.kind if isinstance(data, Dataset) else "retrieval"
    model_kind = "bi" if isinstance(model, BiEncoderLike) else "cross"
    return Evaluation(kind, model_kind, len(results), results.measures, data.problems)


def measure_dev(dev: Examples | Measure, model: Model, task: Task) -> dict[str, float]:
    """Measure a model on held-out examples; the first metric decides, and higher is better.

    Raises:
        DataError: The examples do not suit the model.
        Cancelled: The task was cancelled.
    """
    if callable(dev):
        return dict(dev(model, task))
    return example_results(dev, model, task).measures


def example_results(
    data: Examples,
    model: Model,
    task: Task,
    *,
    positive: str | None = None,
    retriever: BiEncoderLike | None = None,
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> ExampleResults:
    """Run a model over examples; the metrics are listed at `evaluate`.

    Of pairs without a score or a label, "matched" is the share of first texts to which no other pair's second text
    is nearer than their own.

    Args:
        data: The examples.
        model: The model.
        task: Progress and cancellation.
        positive: The label that means "similar"; guessed from its name if None.
        retriever: The bi-encoder whose candidates a cross-encoder reranks.
        candidates: Ids of the documents a cross-encoder reranks for each query, in place of a retriever.

    Raises:
        DataError: The data do not suit the model.
        Cancelled: The task was cancelled.
    """
    task.check()
    if isinstance(data, Retrieval):
        return _retrieval(data, model, retriever, candidates, task)
    require_measurable(data)
    if data.kind == "scored":
        return _scored(data, model, task)
    if data.kind == "labelled":
        return _labelled(data, model, positive, task)
    return _triplets(data, model, task) if data.kind == "triplets" else _matched(data, model, task)


def majority_baseline(data: Dataset) -> ExampleResults:
    """Return the results of always predicting the most common class: the least a classifier must beat."""
    truth = np.asarray(data.classes)
    predicted = np.full(len(truth), np.bincount(truth).argmax())
    right = _floats(truth == predicted)
    return ExampleResults(_classification(truth, predicted), right, right)


def answerable(data: Retrieval) -> dict[str, str]:
    """Return the queries that have a relevant document, by their ids."""
    grades = data.relevant
    return {key: text for key, text in data.queries.items() if any(g > 0 for g in grades.get(key, {}).values())}


def _scored(data: Dataset, model: Model, task: Task) -> ExampleResults:
    gold = _floats(data.scores)
    euclidean: dict[str, Statistic] = {}
    if isinstance(model, BiEncoderLike):
        first, second = encode_columns(model, data.columns, task)
        cosines = cosine(first, second)
        similarity = Similarity(cosines, cosines)
        euclidean["spearman_euclidean"] = statistic(metrics.spearman, -distance(first, second), gold)
    else:
        similarity = score_columns(model, data.first, data.second, task)
    statistics = {
        "spearman": statistic(metrics.spearman, similarity.order, gold),
        "pearson": statistic(metrics.pearson, similarity.value, gold),
    }
    return ExampleResults(statistics | euclidean, _floats(similarity.value), _rank_closeness(similarity.order, gold))


def _labelled(data: Dataset, model: Model, positive: str | None, task: Task) -> ExampleResults:
    if isinstance(model, CrossEncoderLike) and len(model.labels) > 1:
        return _classified(data, model, task)
    if len(data.names) < 2:
        raise DataError(
            "All pairs have the label {names}: at least two labels are needed to measure.", names=data.names[0]
        )
    binary = positive is not None or len(data.names) == 2
    wanted = _positive_index(data, positive) if binary else 0  # before any encoding: it may be unknown
    if isinstance(model, BiEncoderLike):
        cosines = cosine(*encode_columns(model, data.columns, task))
        similarity = Similarity(cosines, cosines)
    else:
        similarity = score_columns(model, data.first, data.second, task)
    shown, labels = _floats(similarity.value), np.asarray(data.classes)
    if binary:
        return _binary(labels == wanted, similarity)
    names = [name.casefold() for name in data.names]
    if set(names) == set(_NLI_GRADES):
        grades = np.asarray([_NLI_GRADES[name] for name in names])[labels]
        statistics = {"spearman": statistic(metrics.spearman, similarity.order, grades)}
        return ExampleResults(statistics, shown, _rank_closeness(similarity.order, grades))
    areas = partial(metrics.auc_one_vs_rest, classes=np.unique(labels))
    statistics = {"auc_one_vs_rest": statistic(areas, labels, similarity.order)}
    return ExampleResults(statistics, shown, np.empty(0))  # unordered labels: no closeness


def _binary(truth: NDArray[np.bool_], similarity: Similarity) -> ExampleResults:
    best = {"best_accuracy": metrics.best_accuracy, "best_f1": metrics.best_f1}
    # The default binds each metric; a closure would see the last one of the loop.
    optimistic = {
        name: statistic(lambda t, s, metric=metric: metric(t, s).value, truth, similarity.value)
        for name, metric in best.items()
    }
    statistics = {
        "average_precision": statistic(metrics.average_precision, truth, similarity.order),
        "auc": statistic(metrics.auc, truth, similarity.order),
    }
    thresholds = {name: float(metric(truth, similarity.value).threshold) for name, metric in best.items()}
    closeness = _rank_closeness(similarity.order, truth)
    return ExampleResults(statistics | optimistic, _floats(similarity.value), closeness, thresholds)


def _classified(data: Dataset, model: CrossEncoderLike, task: Task) -> ExampleResults:
    truth = _model_labels(data, model.labels)
    pairs, indices = unique(list(zip(data.first, data.second, strict=True)))
    scores = model.score(pairs, task=task)
    predicted = scores.whole().argmax(axis=1)[indices]
    right = _floats(scores.probabilities()[indices, truth])
    return ExampleResults(_classification(truth, predicted), right, right)


def _classification(truth: NDArray[np.intp], predicted: NDArray[np.intp]) -> dict[str, Statistic]:
    return {
        "accuracy": statistic(metrics.accuracy, truth, predicted),
        "macro_f1": statistic(metrics.macro_f1, truth, predicted),
    }


def _triplets(data: Dataset, model: Model, task: Task) -> ExampleResults:
    if isinstance(model, BiEncoderLike):
        anchor, near, far = encode_columns(model, data.columns, task)
        margin = cosine(anchor, near) - cosine(anchor, far)
        statistics = {
            "accuracy": statistic(metrics.triplet_accuracy, distance(anchor, near), distance(anchor, far)),
            "accuracy_cosine": statistic(metrics.mean, margin > 0),
        }
        return ExampleResults(statistics, _floats(margin), _floats(margin))
    anchors, positives, negatives = data.columns
    both = score_columns(model, anchors * 2, positives + negatives, task)
    count = len(data)
    margin = both.value[:count] - both.value[count:]
    statistics = {"accuracy": statistic(metrics.triplet_accuracy, -both.order[:count], -both.order[count:])}
    return ExampleResults(statistics, _floats(margin), _floats(margin))


def _matched(data: Dataset, model: Model, task: Task) -> ExampleResults:
    if not isinstance(model, BiEncoderLike):
        raise DataError("Pairs without labels measure bi-encoders only. Choose held-out data with labels.")
    first, second = encode_columns(model, data.columns, task)
    margin = own_margin(first, second, task)
    return ExampleResults({"matched": statistic(metrics.mean, margin >= 0)}, margin, margin)


def _retrieval(
    data: Retrieval,
    model: Model,
    retriever: BiEncoderLike | None,
    candidates: Mapping[str, Sequence[str]] | None,
    task: Task,
) -> ExampleResults:
    queries = answerable(data)
    if not queries:
        raise DataError("No query has a relevant document, so retrieval cannot be evaluated. Fix the qrels file.")
    if isinstance(model, BiEncoderLike):
        rankings = rank_documents(data.corpus, queries, model, task)
    else:
        if candidates is None and retriever is not None:
            candidates = rank_documents(data.corpus, queries, retriever, task)
        if candidates is None:
            raise DataError(
                "A cross-encoder cannot search on its own: it orders what a bi-encoder finds. "
                "Give a bi-encoder as retriever too."
            )
        rankings = rerank({key: candidates[key] for key in queries}, data.corpus, queries, model, task)
    judged = [(rankings[key], data.relevant[key]) for key in queries]
    gains = _floats([metrics.ndcg(*query) for query in judged])
    ranks = _floats([metrics.reciprocal_rank(*query) for query in judged])
    statistics = {
        "ndcg@10": statistic(metrics.mean, gains),
        "mrr@10": statistic(metrics.mean, ranks),
        "recall@100": statistic(metrics.mean, [metrics.recall(*query) for query in judged]),
    }
    return ExampleResults(statistics, ranks, gains)


def _positive_index(data: Dataset, positive: str | None) -> int:
    """Return the index of the label that means "similar".

    Raises:
        DataError: There is no such label, or none is known to mean that.
    """
    names = [name.casefold() for name in data.names]
    wanted = (positive.casefold(),) if positive is not None else _POSITIVE_NAMES
    for name in wanted:
        if name in names:
            return names.index(name)
    problem = f"There is no label {positive}" if positive is not None else "No label is known to mean 'similar'"
    raise DataError(
        "{problem}. The labels are {data}. Say which one means 'similar'.", problem=problem, data=", ".join(data.names)
    )


def _model_labels(data: Dataset, labels: Sequence[str]) -> NDArray[np.intp]:
    """Return the data's labels as indices of the model's; transformers names unnamed labels `LABEL_1`."""
    indices = {name.casefold().removeprefix("label_"): index for index, name in enumerate(labels)}
    missing = [name for name in data.names if name.casefold() not in indices]
    if missing:
        raise DataError(
            "The model knows the labels {labels}, the data have {data}. Choose data with the model's "
            "labels, or rename the labels in the data.",
            labels=", ".join(labels),
            data=", ".join(data.names),
        )
    return np.asarray([indices[name.casefold()] for name in data.names], dtype=np.intp)[list(data.classes)]


def _rank_closeness(order: ArrayLike, gold: ArrayLike) -> Floats:
    """Return 1 minus the distance between the model's rank of an example and people's, in 0..1.

    Ranks, because neither a cosine nor a logit is on the scale of people's scores.
    """
    from scipy.stats import rankdata

    ranks, wanted = rankdata(order), rankdata(gold)
    return _floats(1 - np.abs(ranks - wanted) / len(wanted))


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)
