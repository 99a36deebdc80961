"""Convert examples of one kind into another, and split a dataset by whole groups, so that no text is in two parts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.training.data.checks import positive_label
from explorer.training.data.dataset import Dataset, Kind, make_set, text_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


PARTS = ("train", "dev", "test")
SHARES = (0.8, 0.1, 0.1)
_STRATA = 5  # bands of scores that every part should have its share of
_FAR_OFF = 0.25  # of the wanted size; a part that differs by more gets a remark
SIMILAR_SCORE = 0.75  # a score from which two texts belong together
NLI_SCORES = {"contradiction": 0.0, "neutral": 0.5, "entailment": 1.0}


@dataclass(frozen=True)
class Split:
    """The three parts of a dataset.

    Attributes:
        train: What the model learns from.
        dev: What the best step is chosen by.
        test: What the result is measured on, once.
        seed: The seed of the split.
        remark: A sentence where groups forbid the wanted sizes; empty otherwise.
    """

    train: Dataset
    dev: Dataset
    test: Dataset
    seed: int
    remark: str = ""


def split(dataset: Dataset, shares: Sequence[float] = SHARES, seed: int = 0) -> Split:
    """Split a dataset by whole groups, with each label and band of scores spread over the parts as evenly as possible.

    The same dataset, shares and seed give the same parts.

    Args:
        dataset: The examples.
        shares: Of train, dev and test; they sum to 1. A share of 0 gives an empty part.
        seed: Seed of the split.

    Raises:
        DataError: The shares are invalid, or there are fewer groups than parts.
    """
    _check(dataset, shares)
    parts = assign(dataset, shares, seed)
    indices: list[list[int]] = [[], [], []]
    for index, part in enumerate(parts):
        indices[part].append(index)
    train, dev, test = (dataset.select(chosen) for chosen in indices)
    return Split(train, dev, test, seed, _remark(dataset, shares, [len(chosen) for chosen in indices]))


def assign(dataset: Dataset, shares: Sequence[float], seed: int) -> list[int]:
    """Return the part (0 train, 1 dev, 2 test) of each example.

    Large groups are placed first, each where it brings the counts nearest to those wanted; groups of one
    then fill every stratum exactly.
    """
    strata = _strata(dataset)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for index, group in enumerate(dataset.groups):
        members[group].append(index)
    rng = np.random.default_rng(seed)
    together = list(members.values())
    drawn = [together[group] for group in rng.permutation(len(together))]
    drawn.sort(key=len, reverse=True)  # stable, so equals stay as drawn
    wanted = np.outer(shares, np.bincount(strata))  # (3, S)
    room = wanted.copy()
    parts = [0] * len(dataset)
    singles: defaultdict[int, list[int]] = defaultdict(list)
    for indices in drawn:
        if len(indices) == 1:
            singles[int(strata[indices[0]])].append(indices[0])
            continue
        part = _best_part(room, wanted, Counter(strata[indices].tolist()))
        for index in indices:
            parts[index] = part
            room[part, strata[index]] -= 1
    for stratum in sorted(singles):
        _deal(singles[stratum], stratum, room, parts)
    for part, share in enumerate(shares):
        if share > 0 and part not in parts:
            _move_smallest_group(part, list(members.values()), parts)
    return parts


def _move_smallest_group(part: int, groups: list[list[int]], parts: list[int]) -> None:
    """Move the smallest group of a part with several to one that has none."""
    held = Counter(parts[indices[0]] for indices in groups)
    movable = [indices for indices in groups if held[parts[indices[0]]] > 1]
    for index in min(movable, key=len):
        parts[index] = part


def _best_part(room: NDArray[np.float64], wanted: NDArray[np.float64], counts: Counter[int]) -> int:
    """Return the part where a group does least harm by chi-square, over the part's size and each of its strata."""
    size = sum(counts.values())
    whole, goal = room.sum(axis=1), wanted.sum(axis=1)
    # (room - n)^2 - room^2 = n^2 - 2 n room, for all and for each stratum
    with np.errstate(divide="ignore", invalid="ignore"):
        harm = (size**2 - 2 * size * whole) / goal
        for stratum, count in counts.items():
            harm = harm + (count**2 - 2 * count * room[:, stratum]) / wanted[:, stratum]
    return int(np.argmin(np.where(goal > 0, harm, np.inf)))


def _deal(indices: Sequence[int], stratum: int, room: NDArray[np.float64], parts: list[int]) -> None:
    """Deal groups of one: each to the part that lacks most of this stratum, then most of all."""
    sizes = _fill(room[:, stratum], room.sum(axis=1), len(indices))
    start = 0
    for part, size in enumerate(sizes):
        for index in indices[start : start + size]:
            parts[index] = part
        room[part, stratum] -= size
        start += size


def _fill(room: NDArray[np.float64], whole: NDArray[np.float64], count: int) -> list[int]:
    """Return how many of `count` each part gets: its room, cut to what there is, the rest by what it lacks overall."""
    free = np.maximum(room, 0)
    if free.sum() > count:
        free = free * (count / free.sum())
    sizes = np.floor(free).astype(int)
    left = whole - sizes
    for _ in range(count - int(sizes.sum())):
        part = int(np.argmax(left))
        sizes[part] += 1
        left[part] -= 1
    return [int(size) for size in sizes]


def _strata(dataset: Dataset) -> NDArray[np.intp]:
    """Return the stratum of each example, (N,): its label, the band of its score, or 0."""
    if dataset.kind == "labelled":
        return np.asarray(dataset.classes, dtype=np.intp)
    if dataset.kind == "scored":
        bands = np.floor(np.asarray(dataset.scores) * _STRATA)
        return np.asarray(np.clip(bands, 0, _STRATA - 1), dtype=np.intp)
    return np.zeros(len(dataset), dtype=np.intp)


def _check(dataset: Dataset, shares: Sequence[float]) -> None:
    if len(shares) != len(PARTS) or min(shares) < 0 or not abs(sum(shares) - 1) <= 1e-6 or not shares[0]:
        raise DataError(
            "Shares of train, dev and test sum to 1, none below 0, train above 0; not {map}.",
            map=", ".join(map(str, shares)),
        )
    if len(set(dataset.groups)) < sum(share > 0 for share in shares):
        raise _too_linked(dataset)


def _too_linked(dataset: Dataset) -> DataError:
    groups = len(set(dataset.groups))
    sentence = UserMessage(
        "Groups of examples that share no text: {groups} in {count} examples, too few for a training, a development "
        "and a test part. Add examples with other texts, or give a separate test file.",
        groups=groups,
        count=len(dataset),
    )
    return DataError(dataset.message(sentence))


def _remark(dataset: Dataset, shares: Sequence[float], sizes: Sequence[int]) -> str:
    wanted = [share * len(dataset) for share in shares]
    off = [abs(size - goal) > max(1, _FAR_OFF * goal) for size, goal in zip(sizes, wanted, strict=True)]
    if not any(off):
        return ""
    largest = Counter(dataset.groups).most_common(1)[0][1]
    got = ", ".join(f"{size} {name}" for size, name in zip(sizes, PARTS, strict=True))
    goals = ", ".join(f"{goal:.0f} {name}" for goal, name in zip(wanted, PARTS, strict=True))
    return UserMessage(
        "Examples that share a text must stay together, and {largest} of {count} are linked, so the parts are {sizes} "
        "instead of {goals}.",
        largest=largest,
        count=len(dataset),
        sizes=got,
        goals=goals,
    )


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
            "{kind} cannot be used as {kind2}. Choose another goal or other examples.",
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
    similar = dataset.select(index for index, score in enumerate(scores) if score >= SIMILAR_SCORE)
    if not len(similar):
        raise DataError("No pair is labelled similar, so there is nothing to train on. Choose other examples.")
    return make_set("pairs", similar.columns, lines=similar.lines)


def _triplets(dataset: Dataset, scores: Iterable[float]) -> Dataset:
    """Combine each similar pair with a dissimilar pair that shares a text with it, taken in turn."""
    near: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    far: defaultdict[str, list[str]] = defaultdict(list)
    for (first, second), score in zip(zip(*dataset.columns, strict=True), scores, strict=True):
        for anchor, other in ((first, second), (second, first)):
            if score >= SIMILAR_SCORE:
                near[text_key(anchor)].append((anchor, other))
            elif score <= 1 - SIMILAR_SCORE:
                far[text_key(anchor)].append(other)
    rows = [
        (anchor, other, far[key][turn % len(far[key])])
        for key, others in near.items()
        if key in far
        for turn, (anchor, other) in enumerate(others)
    ]
    if not rows:
        raise DataError(
            "No text is in both a similar and a dissimilar pair, so no triplet can be made. Choose another goal."
        )
    return make_set("triplets", tuple(zip(*rows, strict=True)))
