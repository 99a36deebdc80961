"""Check examples before training: duplicates, contradictions, single classes, texts that leak into the test."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from explorer.corpus.readers.tables.columns import as_number
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.models.cross_encoder import POSITIVE
from explorer.training.data.dataset import Dataset, Remark, text_key

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from explorer.training.fit.losses import Objective

FEW = 50  # examples below which a model learns them by heart
APART = 0.3  # of the range; scores of one pair that differ by more contradict each other
_SHOWN = 5  # examples a remark names
_RARE = 5  # examples of a label below which it cannot be learnt
_UNEVEN = 20  # times as many of one label as of another
_TELLING = 5  # pairs of identical texts that are enough to tell which label means "similar"

Key = tuple[str, ...]


def find_remarks(dataset: Dataset) -> tuple[Remark, ...]:
    """Return all that is doubtful about a dataset, with what forbids training first."""
    keys = example_keys(dataset)
    checks = (
        *_value_remarks(dataset),
        _too_few(dataset),
        _contradictions(dataset, keys),
        _duplicates(dataset, keys),
        _same_text(dataset, keys),
        _bad_rows(dataset),
    )
    remarks = [*dataset.remarks, *(remark for remark in checks if remark is not None)]
    return tuple(sorted(remarks, key=lambda remark: not remark.fatal))


def require_trainable(dataset: Dataset) -> None:
    """Raise DataError with the first reason, if any, why training on a dataset makes no sense."""
    for remark in find_remarks(dataset):
        if remark.fatal:
            raise DataError(dataset.message(remark.sentence))


def example_keys(dataset: Dataset) -> list[Key]:
    """Return the texts that identify each example; order counts only where a label may depend on it."""
    keys = [tuple(map(text_key, texts)) for texts in zip(*dataset.columns, strict=True)]
    ordered = dataset.kind in {"triplets", "labelled"}
    return keys if ordered else [tuple(sorted(key)) for key in keys]


def leaking(train: Dataset, test: Dataset) -> list[int]:
    """Return the indices of training examples that share a text with the test."""
    held_out = {text_key(text) for column in test.columns for text in column}
    return [index for index in range(len(train)) if any(text_key(text) in held_out for text in train.example(index))]


def without_leaks(train: Dataset, test: Dataset) -> Dataset:
    """Return the training examples that share no text with the test.

    Raises:
        DataError: None is left.
    """
    leaks = set(leaking(train, test))
    if len(leaks) == len(train):
        raise DataError(
            "Every training example has a text that is also in the test set. Choose another test file, "
            "or let the training file be split."
        )
    return train.select(index for index in range(len(train)) if index not in leaks)


def positive_label(dataset: Dataset) -> str | None:
    """Guess the label that means "similar": by pairs of identical texts, else by its name; None if unknown.

    Real files disagree on whether 0 or 1 means "similar"; identical texts settle it.
    """
    if dataset.kind != "labelled":
        return None
    keys = example_keys(dataset)
    same = [label for (first, second), label in zip(keys, dataset.classes, strict=True) if first == second]
    if len(same) >= _TELLING:
        label, count = Counter(same).most_common(1)[0]
        if count >= 0.9 * len(same):
            return dataset.names[label]
    names = {name.casefold(): name for name in reversed(dataset.names)}
    return next((names[name] for name in POSITIVE if name in names), None)


def check_objective(data: Dataset, objective: Objective) -> None:
    """Check that examples suit an objective.

    Raises:
        DataError: They do not; the message says what is wrong with which example.
    """
    if len(data.columns) != objective.texts:
        raise DataError(
            "The objective “{name}” takes {texts} texts per example; these examples have {count}. "
            "Choose other data, or another objective.",
            name=objective.name,
            texts=objective.texts,
            count=len(data.columns),
        )
    count = len(data)
    if count < 2:
        raise DataError(
            "{count} example cannot train a model. Add examples; at least a few hundred are useful.", count=count
        )
    for column in data.columns:
        bad = next((index for index, text in enumerate(column) if not isinstance(text, str)), None)
        if bad is not None:
            raise DataError("Example {bad} has a value that is not a text. Fix or remove it.", bad=bad + 1)
    if objective.labels in ("score", "class"):
        _check_labels(data, objective, count)


def _check_labels(data: Dataset, objective: Objective, count: int) -> None:
    if data.labels is None or len(data.labels) != count:
        raise DataError(
            "The objective “{name}” needs a label for each of the {count} examples; there are "
            "{count2}. Choose another objective, or data with labels.",
            name=objective.name,
            count=count,
            count2=len(data.labels or ()),
        )
    for index, label in enumerate(data.labels, start=1):
        if objective.labels == "score" and not (math.isfinite(label) and 0 <= label <= 1):
            raise DataError(
                "Example {index} has the score {label}, outside 0 to 1. Check the score range.",
                index=index,
                label=label,
            )
        if objective.labels == "class" and not (0 <= label < objective.classes and label == int(label)):
            raise DataError(
                "Example {index} has the class {label}, which is none of the {classes} from 0 to "
                "{classes2}. Fix the labels.",
                index=index,
                label=label,
                classes=objective.classes,
                classes2=objective.classes - 1,
            )
    if len(set(data.labels)) == 1:
        raise DataError(
            "All {count} examples have the same label, so there is nothing to learn. Add others.", count=count
        )


def _value_remarks(dataset: Dataset) -> list[Remark | None]:
    if dataset.kind == "labelled":
        return _label_remarks(dataset)
    if dataset.kind == "scored" and len(set(dataset.scores)) == 1:
        sentence = UserMessage(
            "All {count} pairs have the same score, so there is nothing to learn from it. Check the column of "
            "scores, or take the pairs without it.",
            count=len(dataset),
        )
        return [Remark("single score", len(dataset), sentence, fatal=True)]
    return []


def _label_remarks(dataset: Dataset) -> list[Remark | None]:
    counts = Counter(dataset.classes)
    if len(counts) == 1:
        sentence = UserMessage(
            "All {count} pairs have the label {label}; at least two labels are needed. Add examples of another, "
            "or take the pairs without their label.",
            count=len(dataset),
            label=dataset.names[dataset.classes[0]],
        )
        return [Remark("single class", len(dataset), sentence, fatal=True)]
    return [_rare_labels(dataset, counts), _uneven_labels(dataset, counts), _mixed_labels(dataset)]


def _rare_labels(dataset: Dataset, counts: Counter[int]) -> Remark | None:
    rare = [label for label, count in counts.items() if count < _RARE]
    if not rare:
        return None
    listed = ", ".join(f"{dataset.names[label]} ({counts[label]})" for label in rare[:_SHOWN])
    sentence = UserMessage(
        "Labels with fewer than {least} examples cannot be learned: {labels}. Merge or drop them.",
        least=_RARE,
        labels=listed,
    )
    indices = [index for index, label in enumerate(dataset.classes) if label in set(rare)]
    return Remark("rare class", len(indices), sentence, tuple(indices[:_SHOWN]))


def _uneven_labels(dataset: Dataset, counts: Counter[int]) -> Remark | None:
    (most, many), (least, few) = counts.most_common()[0], counts.most_common()[-1]
    if many <= _UNEVEN * few:
        return None
    sentence = UserMessage(
        "The labels are uneven: {many} examples of {most}, {few} of {least}. A model may learn to always answer "
        "the first; add examples of the second.",
        many=many,
        most=dataset.names[most],
        few=few,
        least=dataset.names[least],
    )
    return Remark("uneven classes", many, sentence)


def _mixed_labels(dataset: Dataset) -> Remark | None:
    numbers = [name for name in dataset.names if as_number(name) is not None]
    if not numbers or len(numbers) == len(dataset.names):
        return None
    words = [name for name in dataset.names if name not in numbers]
    odd = {dataset.names.index(name) for name in min(numbers, words, key=len)}
    indices = [index for index, label in enumerate(dataset.classes) if label in odd]
    sentence = UserMessage(
        "Some labels are numbers ({numbers}) and some are words ({words}). If two of them mean the same, rename one.",
        numbers=", ".join(numbers[:_SHOWN]),
        words=", ".join(words[:_SHOWN]),
    )
    return Remark("mixed labels", len(indices), sentence, tuple(indices[:_SHOWN]))


def _too_few(dataset: Dataset) -> Remark | None:
    if len(dataset) >= FEW:
        return None
    sentence = UserMessage(
        "Only {count} examples: below about {few}, a gain can hardly be distinguished from noise, and "
        "several hundred are "
        "better. Add more.",
        count=len(dataset),
        few=FEW,
    )
    return Remark("few", len(dataset), sentence, fatal=len(dataset) < 2)


def _contradictions(dataset: Dataset, keys: Sequence[Key]) -> Remark | None:
    if dataset.kind == "triplets":
        indices = _contrary_triplets(keys)
    elif dataset.kind in {"labelled", "scored"}:
        indices = _contrary_values(dataset, keys)
    else:
        return None
    if not indices:
        return None
    sentence = UserMessage(
        "{count} contradict each other: the same texts with different answers. Decide which are right, and remove "
        "the others.",
        count=_count_of(indices, dataset),
    )
    if len(indices) == len(dataset):
        sentence = UserMessage(
            "All examples contradict each other, so nothing can be learned. {details}", details=sentence
        )
    return Remark("contradictions", len(indices), sentence, tuple(indices[:_SHOWN]), len(indices) == len(dataset))


def _contrary_values(dataset: Dataset, keys: Sequence[Key]) -> list[int]:
    values: Sequence[float] = dataset.classes if dataset.kind == "labelled" else dataset.scores
    limit = 0 if dataset.kind == "labelled" else APART
    groups = [indices for indices in _group_equal(keys).values() if len(indices) > 1]
    return sorted(
        index for indices in groups if np.ptp([values[index] for index in indices]) > limit for index in indices
    )


def _contrary_triplets(keys: Sequence[Key]) -> list[int]:
    """Return triplets whose positive is their negative, or that another triplet turns round."""
    known = set(keys)
    return [index for index, (anchor, near, far) in enumerate(keys) if near == far or (anchor, far, near) in known]


def _duplicates(dataset: Dataset, keys: Sequence[Key]) -> Remark | None:
    values: Sequence[float] = dataset.classes or dataset.scores or [0] * len(dataset)
    same = _group_equal(zip(keys, values, strict=True))
    again = sorted(index for indices in same.values() for index in indices[1:])
    if not again:
        return None
    fatal = len(same) == 1
    sentence = UserMessage(
        "{count} repeat an earlier one and add nothing. Leave them out.", count=_count_of(again, dataset)
    )
    if fatal:
        sentence = UserMessage("All {count} examples are the same. Choose another file.", count=len(dataset))
    return Remark("duplicates", len(again), sentence, tuple(again[:_SHOWN]), fatal)


def without_duplicates(dataset: Dataset) -> Dataset:
    """Keep the first of examples that say the same thing; problems and remarks stay with the whole."""
    values: Sequence[float] = dataset.classes or dataset.scores or [0] * len(dataset)
    same = _group_equal(zip(example_keys(dataset), values, strict=True))
    return dataset.select(indices[0] for indices in same.values())


_SAME_TEXT_TEMPLATES = {
    "low": "{count} have two identical texts and a low score. Check them.",
    "reversed": "{count} have two identical texts and a low score. Low seems to mean 'the same' here: reverse the "
    "scores.",
    "pairs": "{count} have two identical texts, which teaches little. Leave them out unless that is intended.",
}


def _same_text(dataset: Dataset, keys: Sequence[Key]) -> Remark | None:
    """Remark on pairs of identical texts: harmless if called similar, else an error of the file."""
    same = [index for index, key in enumerate(keys) if len(key) == 2 and key[0] == key[1]]
    if dataset.kind == "scored":
        indices = [index for index in same if dataset.scores[index] < 1 - APART]
        reversed_scores = 2 * len(indices) > len(same) > 2
        template = _SAME_TEXT_TEMPLATES["reversed" if reversed_scores else "low"]
    elif dataset.kind == "pairs":
        indices = same
        template = _SAME_TEXT_TEMPLATES["pairs"]
    else:
        return None
    if not indices:
        return None
    sentence = UserMessage(template, count=_count_of(indices, dataset))
    return Remark("same text", len(indices), sentence, tuple(indices[:_SHOWN]))


def _bad_rows(dataset: Dataset) -> Remark | None:
    if not dataset.problems:
        return None
    first = dataset.problems[0]
    sentence = UserMessage(
        "Rows that cannot be used and are left out: {count}; line {line} {reason}.",
        count=len(dataset.problems),
        line=first.line,
        reason=first.reason,
    )
    return Remark("bad rows", len(dataset.problems), sentence)


def _group_equal(items: Iterable[Hashable]) -> dict[Hashable, list[int]]:
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        groups[item].append(index)
    return groups


def _count_of(indices: Sequence[int], dataset: Dataset) -> UserMessage:
    """Return how many of all examples, and the lines of the first of them, to begin a sentence."""
    if not dataset.lines:
        return UserMessage("{count} of {total} examples", count=len(indices), total=len(dataset))
    lines = ", ".join(str(dataset.lines[index]) for index in indices[:_SHOWN])
    return UserMessage(
        "{count} of {total} examples (line {lines})",
        count=len(indices),
        total=len(dataset),
        lines=f"{lines}, ..." if len(indices) > _SHOWN else lines,
    )
