"""What a model makes of each single example, so that two models can be compared example by example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import DataError
from explorer.training.data.examples import (
    Examples,
    LabelledPairs,
    Retrieval,
    ScoredPairs,
    TextPairs,
    Triplets,
)
from explorer.training.measure import metrics
from explorer.training.measure import weighted_measures as weighted
from explorer.training.measure.evaluate import (
    NLI_GRADES,
    answerable,
    check_labels,
    model_labels,
    positive_label,
)
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
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from explorer.task import Task
    from explorer.training.measure.weighted_measures import Floats, Statistic


@dataclass(frozen=True)
class ExampleResults:
    """What a model makes of N examples.

    Attributes:
        statistics: The measures by the names of `evaluate`, the most important first.
        shown: What the model says of each, (N,): a similarity, a margin, a probability, or one over the rank.
        closeness: How right that is, (N,); comparable between models for one example. Empty if it is not known.
    """

    statistics: dict[str, Statistic]
    shown: Floats
    closeness: Floats

    def __len__(self) -> int:
        """The number of examples."""
        return len(self.shown)


def outcome(
    data: Examples,
    model: BiEncoderLike | CrossEncoderLike,
    task: Task,
    *,
    positive: str | None = None,
    retriever: BiEncoderLike | None = None,
    candidates: Mapping[str, Sequence[str]] | None = None,
) -> ExampleResults:
    """Run a model over examples; the measures are those of `evaluate`, thresholds left out.

    Args:
        data: The examples.
        model: The model.
        task: Progress and cancel.
        positive: The label that means "similar"; guessed from its name if None.
        retriever: The bi-encoder whose candidates a cross-encoder reranks.
        candidates: Ids of the documents a cross-encoder reranks for each query, in the place of a retriever.

    Raises:
        DataError: The data do not suit the model.
        Cancelled: The task was cancelled.
    """
    task.check()
    if isinstance(data, ScoredPairs):
        return _scored(data, model, task)
    if isinstance(data, LabelledPairs):
        return _labelled(data, model, positive, task)
    if isinstance(data, Triplets):
        return _triplets(data, model, task)
    if isinstance(data, TextPairs):
        return _matched(data, model, task)
    return _retrieval(data, model, retriever, candidates, task)


def _scored(data: ScoredPairs, model: BiEncoderLike | CrossEncoderLike, task: Task) -> ExampleResults:
    gold = np.asarray(data.scores, dtype=np.float64)
    if isinstance(model, BiEncoderLike):
        first, second = encode_columns(model, (data.first, data.second), task)
        cosines = cosine(first, second)
        similarity, apart = Similarity(cosines, cosines), -distance(first, second)
        more = {"spearman_euclidean": weighted.spearman(apart, gold)}
    else:
        similarity, more = score_columns(model, data.first, data.second, task), {}
    statistics = {
        "spearman": weighted.spearman(similarity.order, gold),
        "pearson": weighted.pearson(similarity.value, gold),
    }
    return ExampleResults(
        statistics | more, _floats(similarity.value), _rank_closeness(similarity.order, gold)
    )


def _labelled(
    data: LabelledPairs, model: BiEncoderLike | CrossEncoderLike, positive: str | None, task: Task
) -> ExampleResults:
    if isinstance(model, CrossEncoderLike) and len(model.labels) > 1:
        return _classified(data, model, task)
    check_labels(data, positive)
    if isinstance(model, BiEncoderLike):
        cosines = cosine(*encode_columns(model, (data.first, data.second), task))
        similarity = Similarity(cosines, cosines)
    else:
        similarity = score_columns(model, data.first, data.second, task)
    shown, labels = _floats(similarity.value), np.asarray(data.labels)
    if positive is not None or len(data.names) == 2:
        truth = labels == positive_label(data, positive)
        return ExampleResults(_binary(truth, similarity), shown, _rank_closeness(similarity.order, truth))
    names = [name.casefold() for name in data.names]
    if set(names) != set(NLI_GRADES):
        areas = weighted.auc_one_vs_rest(labels, similarity.order)
        return ExampleResults({"auc_one_vs_rest": areas}, shown, np.empty(0))
    grades = np.asarray([NLI_GRADES[name] for name in names])[labels]
    statistics = {"spearman": weighted.spearman(similarity.order, grades)}
    return ExampleResults(statistics, shown, _rank_closeness(similarity.order, grades))


def _binary(truth: NDArray[np.bool_], similarity: Similarity) -> dict[str, Statistic]:
    return {
        "average_precision": weighted.average_precision(truth, similarity.order),
        "auc": weighted.auc(truth, similarity.order),
        "best_accuracy": weighted.best_accuracy(truth, similarity.value),
        "best_f1": weighted.best_f1(truth, similarity.value),
    }


def _classified(data: LabelledPairs, model: CrossEncoderLike, task: Task) -> ExampleResults:
    truth = model_labels(data, model.labels)
    scores = model.score(list(zip(data.first, data.second, strict=True)), task=task)
    guess = scores.whole().argmax(axis=1)
    statistics = {"accuracy": weighted.mean(truth == guess), "macro_f1": weighted.macro_f1(truth, guess)}
    right = _floats(scores.probabilities()[np.arange(len(truth)), truth])
    return ExampleResults(statistics, right, right)


def always_commonest(data: LabelledPairs) -> ExampleResults:
    """What one would make of examples who says the commonest class of each: the least a classifier must beat."""
    truth = np.asarray(data.labels)
    guess = np.full(len(truth), np.bincount(truth).argmax())
    statistics = {"accuracy": weighted.mean(truth == guess), "macro_f1": weighted.macro_f1(truth, guess)}
    right = _floats(truth == guess)
    return ExampleResults(statistics, right, right)


def _triplets(data: Triplets, model: BiEncoderLike | CrossEncoderLike, task: Task) -> ExampleResults:
    if isinstance(model, BiEncoderLike):
        anchor, near, far = encode_columns(model, (data.anchors, data.positives, data.negatives), task)
        margin = cosine(anchor, near) - cosine(anchor, far)
        nearer = distance(anchor, near) < distance(anchor, far)
        statistics = {"accuracy": weighted.mean(nearer), "accuracy_cosine": weighted.mean(margin > 0)}
        return ExampleResults(statistics, _floats(margin), _floats(margin))
    both = score_columns(model, data.anchors * 2, data.positives + data.negatives, task)
    count = len(data)
    margin = both.value[:count] - both.value[count:]
    statistics = {"accuracy": weighted.mean(both.order[:count] > both.order[count:])}
    return ExampleResults(statistics, _floats(margin), _floats(margin))


def _matched(data: TextPairs, model: BiEncoderLike | CrossEncoderLike, task: Task) -> ExampleResults:
    """Whether no other pair's second text is nearer to a first text than its own."""
    if not isinstance(model, BiEncoderLike):
        raise DataError("Pairs without labels measure bi-encoders only. Choose held-out data with labels.")
    first, second = encode_columns(model, (data.first, data.second), task)
    margin = own_margin(first, second, task)
    return ExampleResults({"matched": weighted.mean(margin >= 0)}, _floats(margin), _floats(margin))


def _retrieval(
    data: Retrieval,
    model: BiEncoderLike | CrossEncoderLike,
    retriever: BiEncoderLike | None,
    candidates: Mapping[str, Sequence[str]] | None,
    task: Task,
) -> ExampleResults:
    queries = answerable(data)
    if not queries:
        raise DataError("No query has a relevant document, so that retrieval cannot be measured. Mend qrels.")
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
    found = [(rankings[key], data.relevant[key]) for key in queries]
    gains = np.asarray([metrics.ndcg(*one) for one in found])
    ranks = np.asarray([metrics.reciprocal_rank(*one) for one in found])
    recalls = [metrics.recall(*one) for one in found]
    statistics = {
        "ndcg@10": weighted.mean(gains),
        "mrr@10": weighted.mean(ranks),
        "recall@100": weighted.mean(recalls),
    }
    return ExampleResults(statistics, ranks, gains)


def _rank_closeness(order: ArrayLike, gold: ArrayLike) -> Floats:
    """One less the distance between the rank a model gives an example and the rank people gave it, in 0..1.

    Ranks, because neither a cosine nor a logit is on the scale of people's scores.
    """
    from scipy.stats import rankdata

    ranks, wanted = rankdata(order), rankdata(gold)
    return _floats(1 - np.abs(ranks - wanted) / len(wanted))


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)
