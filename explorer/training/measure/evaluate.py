"""How good a bi-encoder or a cross-encoder is on examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

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
from explorer.training.measure import metrics as measures
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

    from numpy.typing import NDArray

    from explorer.task import Task

Measure = Callable[[BiEncoderLike | CrossEncoderLike, "Task"], Mapping[str, float]]

_POSITIVE_NAMES = (
    *("1", "true", "yes", "duplicate", "paraphrase", "entailment"),
    *("same", "similar", "equivalent", "relevant", "positive"),
)
NLI_GRADES = {"contradiction": 0, "neutral": 1, "entailment": 2}


@dataclass(frozen=True)
class Evaluation:
    """How good a model is on examples.

    Attributes:
        data_kind: What it was measured on: scored, labelled, triplets or retrieval.
        model_kind: bi or cross.
        count: How many pairs, triplets or queries were measured.
        measures: The measures by name, the most important first.
        problems: Rows of the data that could not be used.
    """

    data_kind: str
    model_kind: str
    count: int
    measures: dict[str, float]
    problems: tuple[RowProblem, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The same as plain values, ready for JSON."""
        return asdict(self) | {"problems": [asdict(problem) for problem in self.problems]}


def evaluate(
    data: Examples,
    model: BiEncoderLike | CrossEncoderLike,
    task: Task,
    *,
    positive: str | None = None,
    retriever: BiEncoderLike | None = None,
) -> Evaluation:
    """Measure a model on examples.

    | data | bi-encoder | cross-encoder |
    |---|---|---|
    | scored | spearman, pearson of the cosine; spearman of the Euclidean distance | spearman, pearson |
    | labelled | the cosine against the positive label, see below | accuracy, macro-F1; one output: as left |
    | triplets | share right by Euclidean distance and by cosine | share right |
    | retrieval | nDCG@10, MRR@10, recall@100 | the same, of the retriever's candidates reranked |

    One similarity against labels: for two labels, or with `positive` given, average precision, AUC and the
    accuracy and F1 at the best threshold (optimistic: chosen on the same data). For the three labels of
    NLI, Spearman with entailment above neutral above contradiction. For other labels, the mean over the
    labels of how well the similarity tells it from the rest, as an AUC, whichever way round.

    Queries without a relevant document are left out, and not counted.

    Args:
        data: The examples.
        model: The model to measure.
        task: Progress and cancel.
        positive: The label that means "similar"; guessed from its name if None.
        retriever: The bi-encoder whose candidates a cross-encoder reranks.

    Raises:
        DataError: The data do not suit the model.
        Cancelled: The task was cancelled.
    """
    task.check()
    count = len(data)
    if isinstance(data, ScoredPairs):
        kind, values = "scored", _evaluate_scored(data, model, task)
    elif isinstance(data, LabelledPairs):
        kind, values = "labelled", _evaluate_labelled(data, model, positive, task)
    elif isinstance(data, Triplets):
        kind, values = "triplets", _evaluate_triplets(data, model, task)
    elif isinstance(data, TextPairs):
        raise DataError(
            "Pairs without a score or a label say nothing of a model. Name the column with --columns."
        )
    else:
        count = len(answerable(data))
        kind, values = "retrieval", _evaluate_retrieval(data, model, retriever, task)
    model_kind = "bi" if isinstance(model, BiEncoderLike) else "cross"
    return Evaluation(kind, model_kind, count, values, data.problems)


def _evaluate_scored(
    data: ScoredPairs, model: BiEncoderLike | CrossEncoderLike, task: Task
) -> dict[str, float]:
    if isinstance(model, BiEncoderLike):
        first, second = encode_columns(model, (data.first, data.second), task)
        cosines = cosine(first, second)
        return {
            "spearman": measures.spearman(cosines, data.scores),
            "pearson": measures.pearson(cosines, data.scores),
            "spearman_euclidean": measures.spearman(-distance(first, second), data.scores),
        }
    similarity = score_columns(model, data.first, data.second, task)
    return {
        "spearman": measures.spearman(similarity.order, data.scores),
        "pearson": measures.pearson(similarity.value, data.scores),
    }


def _evaluate_labelled(
    data: LabelledPairs, model: BiEncoderLike | CrossEncoderLike, positive: str | None, task: Task
) -> dict[str, float]:
    if isinstance(model, BiEncoderLike):
        check_labels(data, positive)
        cosines = cosine(*encode_columns(model, (data.first, data.second), task))
        return _against_labels(Similarity(cosines, cosines), data, positive)
    if len(model.labels) == 1:
        check_labels(data, positive)
        return _against_labels(score_columns(model, data.first, data.second, task), data, positive)
    truth = model_labels(data, model.labels)
    pairs, places = unique(list(zip(data.first, data.second, strict=True)))
    scores = model.score(pairs, task=task)
    guess = scores.whole().argmax(axis=1)[places]
    return {"accuracy": measures.accuracy(truth, guess), "macro_f1": measures.macro_f1(truth, guess)}


def _evaluate_triplets(
    data: Triplets, model: BiEncoderLike | CrossEncoderLike, task: Task
) -> dict[str, float]:
    if isinstance(model, BiEncoderLike):
        anchor, near, far = encode_columns(model, (data.anchors, data.positives, data.negatives), task)
        return {
            "accuracy": measures.triplet_accuracy(distance(anchor, near), distance(anchor, far)),
            "accuracy_cosine": measures.triplet_accuracy(-cosine(anchor, near), -cosine(anchor, far)),
        }
    both = score_columns(model, data.anchors * 2, data.positives + data.negatives, task).order
    return {"accuracy": measures.triplet_accuracy(-both[: len(data)], -both[len(data) :])}


def _evaluate_retrieval(
    data: Retrieval, model: BiEncoderLike | CrossEncoderLike, retriever: BiEncoderLike | None, task: Task
) -> dict[str, float]:
    queries = answerable(data)
    if not queries:
        raise DataError("No query has a relevant document, so that retrieval cannot be measured. Mend qrels.")
    if isinstance(model, BiEncoderLike):
        rankings = rank_documents(data.corpus, queries, model, task)
    elif retriever is None:
        raise DataError(
            "A cross-encoder cannot search on its own: it orders what a bi-encoder finds. "
            "Give a bi-encoder as retriever too."
        )
    else:
        found = rank_documents(data.corpus, queries, retriever, task)
        rankings = rerank(found, data.corpus, queries, model, task)
    return measures.retrieval_measures(rankings, data.relevant)


def answerable(data: Retrieval) -> dict[str, str]:
    """The queries that have a relevant document, by their ids."""
    grades = data.relevant
    return {
        key: text for key, text in data.queries.items() if any(g > 0 for g in grades.get(key, {}).values())
    }


def check_labels(data: LabelledPairs, positive: str | None) -> None:
    """Raise DataError, before any encoding, if a similarity cannot be measured against the labels."""
    if len(data.names) < 2:
        raise DataError(
            f"All pairs have the label {data.names[0]}: two labels at least are needed to measure."
        )
    if positive is not None or len(data.names) == 2:
        positive_label(data, positive)


def positive_label(data: LabelledPairs, positive: str | None) -> int:
    """The place of the label that means "similar".

    Raises:
        DataError: There is no such label, or none is known to mean that.
    """
    names = [name.casefold() for name in data.names]
    wanted = (positive.casefold(),) if positive is not None else _POSITIVE_NAMES
    for name in wanted:
        if name in names:
            return names.index(name)
    problem = (
        f"There is no label {positive}" if positive is not None else "No label is known to mean 'similar'"
    )
    raise DataError(f"{problem}. The labels are {', '.join(data.names)}. Say which one means 'similar'.")


def _against_labels(similarity: Similarity, data: LabelledPairs, positive: str | None) -> dict[str, float]:
    """Measures of one similarity against labels; see `evaluate`."""
    labels = np.asarray(data.labels)
    if positive is not None or len(data.names) == 2:
        return _binary_measures(labels == positive_label(data, positive), similarity)
    names = [name.casefold() for name in data.names]
    if set(names) == set(NLI_GRADES):
        grades = np.asarray([NLI_GRADES[name] for name in names])[labels]
        return {"spearman": measures.spearman(similarity.order, grades)}
    each = [measures.auc(labels == label, similarity.order) for label in range(len(names))]
    return {"auc_one_vs_rest": float(np.mean([max(area, 1 - area) for area in each]))}


def _binary_measures(truth: NDArray[np.bool_], similarity: Similarity) -> dict[str, float]:
    accuracy = measures.best_accuracy(truth, similarity.value)
    f1 = measures.best_f1(truth, similarity.value)
    return {
        "average_precision": measures.average_precision(truth, similarity.order),
        "auc": measures.auc(truth, similarity.order),
        "best_accuracy": accuracy.value,
        "best_accuracy_threshold": accuracy.threshold,
        "best_f1": f1.value,
        "best_f1_threshold": f1.threshold,
    }


def model_labels(data: LabelledPairs, labels: Sequence[str]) -> NDArray[np.intp]:
    """The data's labels as places among the model's; `LABEL_1`, a model's word for no name, is `1`."""
    places = {name.casefold().removeprefix("label_"): place for place, name in enumerate(labels)}
    missing = [name for name in data.names if name.casefold() not in places]
    if missing:
        raise DataError(
            f"The model knows the labels {', '.join(labels)}, the data have {', '.join(data.names)}. "
            "Choose data with the model's labels, or rename the labels in the data."
        )
    return np.asarray([places[name.casefold()] for name in data.names], dtype=np.intp)[list(data.labels)]


def measure_dev(
    dev: Examples | Measure, model: BiEncoderLike | CrossEncoderLike, task: Task
) -> dict[str, float]:
    """Measures of a model on held-out examples; the first is the one that decides, and higher is better.

    Raises:
        DataError: The examples do not suit the model.
        Cancelled: The task was cancelled.
    """
    if isinstance(dev, TextPairs):
        return {"matched": matched_share(dev, model, task)}
    if callable(dev):
        return dict(dev(model, task))
    return evaluate(dev, model, task).measures


def matched_share(pairs: TextPairs, model: BiEncoderLike | CrossEncoderLike, task: Task) -> float:
    """The share of first texts to which no other pair's second text is nearer than their own.

    Raises:
        DataError: The model has no vectors.
        Cancelled: The task was cancelled.
    """
    if not isinstance(model, BiEncoderLike):
        raise DataError("Pairs without labels measure bi-encoders only. Choose held-out data with labels.")
    u, v = encode_columns(model, (pairs.first, pairs.second), task)
    return float((own_margin(u, v, task) >= 0).mean())
