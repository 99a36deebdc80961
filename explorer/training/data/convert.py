"""Convert examples of one kind into another, where their meaning allows it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from explorer.errors import DataError
from explorer.training.data.checks import positive_label
from explorer.training.data.dataset import Dataset, Kind, make_set, text_key

if TYPE_CHECKING:
    from collections.abc import Iterable

ALIKE = 0.75  # a score from which two texts belong together
NLI_SCORES = {"contradiction": 0.0, "neutral": 0.5, "entailment": 1.0}


def as_kind(dataset: Dataset, kind: Kind, *, positive: str | None = None) -> Dataset:
    """Convert examples to another kind.

    | from | to | how |
    |---|---|---|
    | labelled | scored | the positive label is 1, others 0; of NLI's, neutral is 0.5 |
    | scored | labelled | "similar" from a score of 0.5 on |
    | labelled, scored | pairs | those of the positive label, or with a score of at least 0.75 |
    | labelled, scored | triplets | two pairs with one text in common, one alike and one not |
    | triplets | pairs | anchor and positive |
    | any | texts | each text once |

    Args:
        dataset: The examples.
        kind: The kind to convert to.
        positive: The label that means "similar"; guessed if None.

    Raises:
        DataError: They cannot become that, or none does.
    """
    if kind == dataset.kind:
        return dataset
    if kind == "texts":
        return _texts(dataset)
    if kind == "pairs" and dataset.kind == "triplets":
        return make_set("pairs", dataset.columns[:2])
    if dataset.kind not in {"scored", "labelled"}:
        raise DataError(
            "{kind} cannot be used as {kind2}. Choose another aim or other examples.",
            kind=dataset.kind.capitalize(),
            kind2=kind,
        )
    scores = dataset.scores or _label_scores(dataset, positive)
    if kind == "scored":
        return make_set("scored", dataset.columns, scores=scores, lines=dataset.lines)
    if kind == "labelled":
        labels = tuple(int(score >= 0.5) for score in scores)
        names = ("not similar", "similar")
        return make_set("labelled", dataset.columns, classes=labels, names=names, lines=dataset.lines)
    return _pairs(dataset, scores) if kind == "pairs" else _triplets(dataset, scores)


def _label_scores(dataset: Dataset, positive: str | None) -> tuple[float, ...]:
    names = [name.casefold() for name in dataset.names]
    if positive is None and set(names) == set(NLI_SCORES):
        return tuple(NLI_SCORES[names[label]] for label in dataset.classes)
    positive = positive if positive is not None else positive_label(dataset)
    if positive is None or positive.casefold() not in names:
        raise DataError(
            "Which label means 'similar'? The labels are {dataset}. Name one of them.", dataset=", ".join(dataset.names)
        )
    wanted = names.index(positive.casefold())
    return tuple(float(label == wanted) for label in dataset.classes)


def _texts(dataset: Dataset) -> Dataset:
    first = {text_key(text): text for column in reversed(dataset.columns) for text in reversed(column)}
    texts = dict.fromkeys(text for column in dataset.columns for text in column)
    return make_set("texts", (tuple(text for text in texts if first[text_key(text)] == text),))


def _pairs(dataset: Dataset, scores: Iterable[float]) -> Dataset:
    alike = dataset.take(index for index, score in enumerate(scores) if score >= ALIKE)
    if not len(alike):
        raise DataError("No pair is called alike, so there is none to bring together. Choose other examples.")
    return make_set("pairs", alike.columns, lines=alike.lines)


def _triplets(dataset: Dataset, scores: Iterable[float]) -> Dataset:
    """Combine each similar pair with a dissimilar pair that shares a text with it, taken in turn."""
    near: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    far: defaultdict[str, list[str]] = defaultdict(list)
    for (first, second), score in zip(zip(*dataset.columns, strict=True), scores, strict=True):
        for anchor, other in ((first, second), (second, first)):
            if score >= ALIKE:
                near[text_key(anchor)].append((anchor, other))
            elif score <= 1 - ALIKE:
                far[text_key(anchor)].append(other)
    rows = [
        (anchor, other, far[key][turn % len(far[key])])
        for key, others in near.items()
        if key in far
        for turn, (anchor, other) in enumerate(others)
    ]
    if not rows:
        raise DataError(
            "No text has both a pair alike and a pair not alike, so there is no triplet. Choose another aim."
        )
    return make_set("triplets", tuple(zip(*rows, strict=True)))
