"""What is doubtful about examples: repeats, contradictions, one class alone, texts that leak into the test."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import DataError
from explorer.models.cross_encoder import POSITIVE
from explorer.training.data.dataset import Dataset, Remark, text_key
from explorer.training.data.tables import as_number

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from explorer.training.fit.losses import Objective

FEW = 50  # examples below which a model learns them by heart
APART = 0.3  # of the range; scores of one pair that differ by more contradict each other
_SHOWN = 5  # examples a remark names
_RARE = 5  # examples of a label below which it cannot be learnt
_UNEVEN = 20  # times as many of one label as of another
_TELLING = 5  # pairs of identical texts that are enough to tell the label which means "similar"

Key = tuple[str, ...]


def find_remarks(found: Dataset) -> tuple[Remark, ...]:
    """All that is doubtful about a set, what forbids training first."""
    keys = example_keys(found)
    checks = (
        *_value_remarks(found),
        _few(found),
        _contradictions(found, keys),
        _duplicates(found, keys),
        _same_text(found, keys),
        _bad_rows(found),
    )
    remarks = [*found.remarks, *(remark for remark in checks if remark is not None)]
    return tuple(sorted(remarks, key=lambda remark: not remark.fatal))


def require_trainable(found: Dataset) -> None:
    """Raise DataError with the first reason, if there is one, why training on a set makes no sense."""
    for remark in find_remarks(found):
        if remark.fatal:
            raise DataError(found.message(remark.sentence))


def example_keys(found: Dataset) -> list[Key]:
    """What makes two examples one: their texts; the order in a pair counts only where a label may depend on it."""
    keys = [tuple(map(text_key, texts)) for texts in zip(*found.columns, strict=True)]
    ordered = found.kind in {"triplets", "labelled"}
    return keys if ordered else [tuple(sorted(key)) for key in keys]


def leaked_texts(train: Dataset, test: Dataset) -> Remark | None:
    """A remark on the training examples of which a text is in the test too; None if there is none."""
    places = leaking(train, test)
    if not places:
        return None
    sentence = (
        f"{_count(places, train)} hold a text that is in the test too, so the test would flatter the model. "
        "Leave them out of the training."
    )
    return Remark("leak", len(places), sentence, tuple(places[:_SHOWN]))


def leaking(train: Dataset, test: Dataset) -> list[int]:
    """The places of training examples that share a text with the test."""
    held_out = {text_key(text) for column in test.columns for text in column}
    return [
        place
        for place in range(len(train))
        if any(text_key(text) in held_out for text in train.example(place))
    ]


def without_leaks(train: Dataset, test: Dataset) -> Dataset:
    """The training examples that share no text with the test.

    Raises:
        DataError: None is left.
    """
    leaks = set(leaking(train, test))
    if len(leaks) == len(train):
        raise DataError(
            "Every training example has a text that is in the test too. Choose another test file, "
            "or let the training file be split."
        )
    return train.take(place for place in range(len(train)) if place not in leaks)


def positive_label(found: Dataset) -> str | None:
    """The label that means "similar", told by pairs of identical texts, else by its name; None if unknown.

    Real files disagree on whether 0 or 1 means "similar"; identical texts settle it.
    """
    if found.kind != "labelled":
        return None
    keys = example_keys(found)
    same = [label for (first, second), label in zip(keys, found.classes, strict=True) if first == second]
    if len(same) >= _TELLING:
        label, count = Counter(same).most_common(1)[0]
        if count >= 0.9 * len(same):
            return found.names[label]
    names = {name.casefold(): name for name in reversed(found.names)}
    return next((names[name] for name in POSITIVE if name in names), None)


def check_objective(data: Dataset, objective: Objective) -> None:
    """See that examples suit an objective.

    Raises:
        DataError: They do not; the message says what is wrong with which example.
    """
    if len(data.columns) != objective.texts:
        raise DataError(
            f"The objective “{objective.name}” takes {objective.texts} texts an example; these examples have "
            f"{len(data.columns)}. Choose other data, or another objective."
        )
    count = len(data)
    if count < 2:
        raise DataError(
            f"{count} example cannot train a model. Add examples; some hundred at least are of use."
        )
    for column in data.columns:
        bad = next((place for place, text in enumerate(column) if not isinstance(text, str)), None)
        if bad is not None:
            raise DataError(f"Example {bad + 1} has something in the place of a text. Mend or remove it.")
    if objective.labels in ("score", "class"):
        _check_labels(data, objective, count)


def _check_labels(data: Dataset, objective: Objective, count: int) -> None:
    if data.labels is None or len(data.labels) != count:
        raise DataError(
            f"The objective “{objective.name}” needs a label for each of the {count} examples; there are "
            f"{len(data.labels or ())}. Choose another objective, or data with labels."
        )
    for place, label in enumerate(data.labels, start=1):
        if objective.labels == "score" and not (math.isfinite(label) and 0 <= label <= 1):
            raise DataError(f"Example {place} has the score {label}, outside 0 to 1. Check the score range.")
        if objective.labels == "class" and not (0 <= label < objective.classes and label == int(label)):
            raise DataError(
                f"Example {place} has the class {label}, which is none of the {objective.classes} from 0 to "
                f"{objective.classes - 1}. Mend the labels."
            )
    if len(set(data.labels)) == 1:
        raise DataError(
            f"All {count} examples have the same label, so there is nothing to learn. Add others."
        )


def _value_remarks(found: Dataset) -> list[Remark | None]:
    if found.kind == "labelled":
        return _label_remarks(found)
    if found.kind == "scored" and len(set(found.scores)) == 1:
        sentence = (
            f"All {len(found)} pairs have the same score, so there is nothing to learn from it. Check the "
            "column of scores, or take the pairs without it."
        )
        return [Remark("single score", len(found), sentence, fatal=True)]
    return []


def _label_remarks(found: Dataset) -> list[Remark | None]:
    counts = Counter(found.classes)
    if len(counts) == 1:
        sentence = (
            f"All {len(found)} pairs have the label {found.names[found.classes[0]]}; at least two labels are "
            "needed. Add examples of another, or take the pairs without their label."
        )
        return [Remark("single class", len(found), sentence, fatal=True)]
    return [_rare_labels(found, counts), _uneven_labels(found, counts), _mixed_labels(found)]


def _rare_labels(found: Dataset, counts: Counter[int]) -> Remark | None:
    rare = [label for label, count in counts.items() if count < _RARE]
    if not rare:
        return None
    listed = ", ".join(f"{found.names[label]} ({counts[label]})" for label in rare[:_SHOWN])
    sentence = f"Labels with fewer than {_RARE} examples cannot be learnt: {listed}. Merge or drop them."
    places = [place for place, label in enumerate(found.classes) if label in set(rare)]
    return Remark("rare class", len(places), sentence, tuple(places[:_SHOWN]))


def _uneven_labels(found: Dataset, counts: Counter[int]) -> Remark | None:
    (most, many), (least, few) = counts.most_common()[0], counts.most_common()[-1]
    if many <= _UNEVEN * few:
        return None
    sentence = (
        f"The labels are uneven: {many} examples of {found.names[most]}, {few} of {found.names[least]}. "
        "A model may learn to say the first always; add examples of the second."
    )
    return Remark("uneven classes", many, sentence)


def _mixed_labels(found: Dataset) -> Remark | None:
    numbers = [name for name in found.names if as_number(name) is not None]
    if not numbers or len(numbers) == len(found.names):
        return None
    words = [name for name in found.names if name not in numbers]
    odd = {found.names.index(name) for name in min(numbers, words, key=len)}
    places = [place for place, label in enumerate(found.classes) if label in odd]
    sentence = (
        f"Some labels are numbers ({', '.join(numbers[:_SHOWN])}) and some are words "
        f"({', '.join(words[:_SHOWN])}). If two of them mean the same, rename one."
    )
    return Remark("mixed labels", len(places), sentence, tuple(places[:_SHOWN]))


def _few(found: Dataset) -> Remark | None:
    if len(found) >= FEW:
        return None
    sentence = (
        f"There {'is' if len(found) == 1 else 'are'} only {_counted(len(found), found)}; "
        f"a gain can hardly be told from noise below some {FEW}, and several hundred are better. Add more."
    )
    return Remark("few", len(found), sentence, fatal=len(found) < 2)


def _contradictions(found: Dataset, keys: Sequence[Key]) -> Remark | None:
    if found.kind == "triplets":
        places = _contrary_triplets(keys)
    elif found.kind in {"labelled", "scored"}:
        places = _contrary_values(found, keys)
    else:
        return None
    if not places:
        return None
    sentence = (
        f"{_count(places, found)} contradict each other: the same texts with different answers. "
        "Decide which are right, and remove the others."
    )
    if len(places) == len(found):
        sentence = f"All examples contradict each other, so nothing can be learnt. {sentence}"
    return Remark("contradictions", len(places), sentence, tuple(places[:_SHOWN]), len(places) == len(found))


def _contrary_values(found: Dataset, keys: Sequence[Key]) -> list[int]:
    values: Sequence[float] = found.classes if found.kind == "labelled" else found.scores
    limit = 0 if found.kind == "labelled" else APART
    groups = [places for places in _same(keys).values() if len(places) > 1]
    return sorted(
        place for places in groups if np.ptp([values[place] for place in places]) > limit for place in places
    )


def _contrary_triplets(keys: Sequence[Key]) -> list[int]:
    """Triplets whose two texts are one, or that another turns round."""
    known = set(keys)
    return [
        place for place, (anchor, near, far) in enumerate(keys) if near == far or (anchor, far, near) in known
    ]


def _duplicates(found: Dataset, keys: Sequence[Key]) -> Remark | None:
    values: Sequence[float] = found.classes or found.scores or [0] * len(found)
    same = _same(zip(keys, values, strict=True))
    again = sorted(place for places in same.values() for place in places[1:])
    if not again:
        return None
    fatal = len(same) == 1
    sentence = f"{_count(again, found)} repeat an earlier one and are of no further use. Leave them out."
    if fatal:
        sentence = f"All {len(found)} examples are the same one. Choose another file."
    return Remark("duplicates", len(again), sentence, tuple(again[:_SHOWN]), fatal)


def without_duplicates(found: Dataset) -> Dataset:
    """The set with the first of examples that say the same thing; problems and remarks are kept by the whole."""
    values: Sequence[float] = found.classes or found.scores or [0] * len(found)
    same = _same(zip(example_keys(found), values, strict=True))
    return found.take(places[0] for places in same.values())


def _same_text(found: Dataset, keys: Sequence[Key]) -> Remark | None:
    """Pairs whose two texts are one: harmless if called alike, else an error of the file."""
    same = [place for place, key in enumerate(keys) if len(key) == 2 and key[0] == key[1]]
    if found.kind == "scored":
        places = [place for place in same if found.scores[place] < 1 - APART]
        advice = (
            "Low seems to mean 'the same' here: turn the scores round."
            if 2 * len(places) > len(same) > 2
            else "Check them."
        )
        what = f"have two identical texts and a low score. {advice}"
    elif found.kind == "pairs":
        places = same
        what = "have two identical texts, which teaches little. Leave them out unless that is meant."
    else:
        return None
    return (
        Remark("same text", len(places), f"{_count(places, found)} {what}", tuple(places[:_SHOWN]))
        if places
        else None
    )


def _bad_rows(found: Dataset) -> Remark | None:
    if not found.problems:
        return None
    first = found.problems[0]
    sentence = (
        f"{len(found.problems)} {'row' if len(found.problems) == 1 else 'rows'} cannot be used and "
        f"{'is' if len(found.problems) == 1 else 'are'} left out; line {first.line} {first.reason}."
    )
    return Remark("bad rows", len(found.problems), sentence)


def _same(items: Iterable[Hashable]) -> dict[Hashable, list[int]]:
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        groups[item].append(place)
    return groups


def _count(places: Sequence[int], found: Dataset) -> str:
    """How many examples of all, as a sentence begins with it, and the lines of the first."""
    lines = [str(found.lines[place]) for place in places[:_SHOWN]] if found.lines else []
    where = f" (line {', '.join(lines)}{', ...' if len(places) > _SHOWN else ''})" if lines else ""
    return f"{len(places)} of {_counted(len(found), found)}{where}"


def _counted(count: int, found: Dataset) -> str:
    one, many = {
        "triplets": ("triplet", "triplets"),
        "texts": ("text", "texts"),
    }.get(found.kind, ("pair", "pairs"))
    return f"{count} {one if count == 1 else many}"
