"""How sure a measure is, and whether a difference is more than noise: the bootstrap.

The items are drawn again and again with replacement, and every draw is measured; `weighted_measures` says how.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.task import Task
from explorer.training.measure.weighted_measures import Floats, Statistic

Verdict = Literal["gain", "loss", "noise"]

RESAMPLES = 2000
LEVEL = 0.95
FEWEST = 10  # items; the bootstrap of fewer is far too sure of itself
_BLOCK = 1_500_000  # weights held at a time
_MOST = 200_000_000  # weights drawn in all; above, there are fewer draws
_FEWEST_RESAMPLES = 400


@dataclass(frozen=True)
class Interval:
    """A value with the interval that holds the true one at the given level."""

    value: float
    low: float
    high: float
    level: float = LEVEL


@dataclass(frozen=True)
class MetricChange:
    """One measure before and after, on the same items.

    Attributes:
        measure: Its name; a higher value is better.
        count: How many items it was measured on.
        before: The value before, with its interval.
        after: The value after, with its interval.
        difference: After less before, with the interval of the paired difference.
        verdict: gain or loss where that interval does not hold 0, else noise.
    """

    measure: str
    count: int
    before: Interval
    after: Interval
    difference: Interval
    verdict: Verdict

    @property
    def sentence(self) -> str:
        """The same in words."""
        moved = f"{self.measure}: {self.before.value:.3f} before, {self.after.value:.3f} after"
        if self.count < FEWEST:
            return f"{moved}. With {self.count} examples nothing can be said; {FEWEST} at least are needed."
        spread = self.difference
        sure = f"{spread.level:.0%} interval {spread.low:+.3f} to {spread.high:+.3f}"
        ends = {
            "gain": "This is a gain.",
            "loss": "This is a loss.",
            "noise": "The interval holds 0: this may be chance.",
        }
        return f"{moved} ({spread.value:+.3f}, {sure}). {ends[self.verdict]}"


def compare(
    before: Mapping[str, Statistic],
    after: Mapping[str, Statistic],
    count: int,
    *,
    groups: Sequence[int] | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
    task: Task | None = None,
) -> tuple[MetricChange, ...]:
    """Every measure that both sides have, before and after, by the paired bootstrap.

    Args:
        before: The statistics before, by the measure's name.
        after: The statistics after, on the same items in the same order.
        count: N, the number of items.
        groups: The group of each item; a group is drawn as a whole, for its items are not independent.
        resamples: How many draws; fewer for very many items.
        level: The share of cases in which an interval holds the true value.
        seed: Of the draws.
        task: Progress and cancel.

    Raises:
        Cancelled: The task was cancelled.
    """
    names = [name for name in before if name in after]
    both = [*(before[name] for name in names), *(after[name] for name in names)]
    values, draws = _evaluate(both, count, groups, resamples, seed, task or Task())
    size = len(names)
    return tuple(
        change(
            name,
            count,
            (values[place], values[size + place]),
            (draws[place], draws[size + place]),
            level,
        )
        for place, name in enumerate(names)
    )


def intervals(
    statistics: Mapping[str, Statistic],
    count: int,
    *,
    groups: Sequence[int] | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
    task: Task | None = None,
) -> dict[str, Interval]:
    """Every measure with its interval; see `compare` for the arguments.

    Raises:
        Cancelled: The task was cancelled.
    """
    values, draws = _evaluate(list(statistics.values()), count, groups, resamples, seed, task or Task())
    return {name: interval(values[k], draws[k], level) for k, name in enumerate(statistics)}


def change(
    measure: str, count: int, values: tuple[float, float], draws: tuple[Floats, Floats], level: float = LEVEL
) -> MetricChange:
    """A change out of the values before and after, and their values in the same draws, (R,) each."""
    before, after = values
    difference = interval(after - before, draws[1] - draws[0], level)
    verdict: Verdict = "noise"
    if count >= FEWEST and difference.low > 0:
        verdict = "gain"
    elif count >= FEWEST and difference.high < 0:
        verdict = "loss"
    return MetricChange(
        measure,
        count,
        interval(before, draws[0], level),
        interval(after, draws[1], level),
        difference,
        verdict,
    )


def interval(value: float, draws: Floats, level: float = LEVEL) -> Interval:
    """The percentile interval of draws, (R,); draws in which the measure is not defined are left out."""
    usable = draws[np.isfinite(draws)]
    if usable.size == 0:
        return Interval(value, value, value, level)
    low, high = np.quantile(usable, ((1 - level) / 2, (1 + level) / 2))
    return Interval(value, float(low), float(high), level)


def draw_all(
    statistic: Statistic,
    count: int,
    *,
    groups: Sequence[int] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Floats:
    """The statistic in every draw, (R,); the same draws for the same count, groups and seed."""
    draws: Floats = _evaluate([statistic], count, groups, resamples, seed, Task())[1][0]
    return draws


def value_of(statistic: Statistic, count: int) -> float:
    """The measure of the items themselves, each taken once."""
    return float(statistic(np.ones((1, count)))[0])


def _evaluate(
    statistics: Sequence[Statistic],
    count: int,
    groups: Sequence[int] | None,
    resamples: int,
    seed: int,
    task: Task,
) -> tuple[list[float], Floats]:
    """The value of each statistic, and its values in all draws, (statistics, R)."""
    values = [value_of(statistic, count) for statistic in statistics]
    resamples = max(min(resamples, _FEWEST_RESAMPLES), min(resamples, _MOST // max(count, 1)))
    draws = np.empty((len(statistics), resamples))
    start = 0
    for weights in _weights(count, groups, resamples, seed):
        task.report(start, resamples, "Estimating the uncertainty")
        end = start + len(weights)
        for row, statistic in zip(draws, statistics, strict=True):
            row[start:end] = statistic(weights)
        start = end
    task.report(resamples, resamples, "Estimating the uncertainty")
    return values, draws


def _weights(count: int, groups: Sequence[int] | None, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each item was drawn, in blocks of draws, (r, N)."""
    random = np.random.default_rng(seed)
    codes = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    units = count if codes is None else int(codes.max()) + 1
    block = max(1, _BLOCK // count)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = random.integers(0, units, (rows, units)) + np.arange(rows)[:, None] * units
        times = np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units)
        yield (times if codes is None else times[:, codes]).astype(np.float64)
