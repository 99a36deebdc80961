"""The bootstrap: confidence intervals of metrics, and whether a difference is more than noise.

The examples are resampled with replacement, and every draw is measured by the same metric as the examples themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.task import Task
from explorer.training.measure.metrics import Floats

Rows = NDArray[np.intp]
Statistic = Callable[[Rows], Floats]  # (R, n) indices of drawn examples -> (R,); NaN where it is undefined
Verdict = Literal["gain", "loss", "noise"]

RESAMPLES = 2000
LEVEL = 0.95
FEWEST = 10  # examples; the bootstrap of fewer is far too sure of itself
_BLOCK = 1_500_000  # indices held at a time
_MOST = 40_000_000  # indices drawn in all; above, there are fewer draws
_FEWEST_RESAMPLES = 400


@dataclass(frozen=True)
class Interval:
    """A value and its confidence interval at the given level."""

    value: float
    low: float
    high: float
    level: float = LEVEL


@dataclass(frozen=True)
class MetricChange:
    """One metric before and after, on the same examples.

    Attributes:
        measure: The metric's name; a higher value is better.
        count: The number of examples it was measured on.
        before: The value before, with its interval.
        after: The value after, with its interval.
        difference: After minus before, with the interval of the paired difference.
        verdict: gain or loss if that interval does not contain 0, else noise.
    """

    measure: str
    count: int
    before: Interval
    after: Interval
    difference: Interval
    verdict: Verdict

    @property
    def sentence(self) -> str:
        """The change as a sentence."""
        moved = f"{self.measure}: {self.before.value:.3f} before, {self.after.value:.3f} after"
        if self.count < FEWEST:
            return f"{moved}. With {self.count} examples nothing can be said; {FEWEST} at least are needed."
        spread = self.difference
        sure = f"{spread.level:.0%} interval {spread.low:+.3f} to {spread.high:+.3f}"
        ends = {
            "gain": "This is a gain.",
            "loss": "This is a loss.",
            "noise": "The interval includes 0: this may be chance.",
        }
        return f"{moved} ({spread.value:+.3f}, {sure}). {ends[self.verdict]}"


def statistic(metric: Callable[..., Floats], *columns: ArrayLike) -> Statistic:
    """Return the metric of drawn examples, given one value of each column per example."""
    arrays = [np.asarray(column) for column in columns]
    return lambda rows: metric(*(array[rows] for array in arrays))


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
    """Compare every metric that both sides have by the paired bootstrap.

    Args:
        before: The statistics before, by the metric's name.
        after: The statistics after, on the same examples in the same order.
        count: N, the number of examples.
        groups: The group of each example; a group is drawn as a whole, because its examples are not independent.
        resamples: The number of draws; fewer are made of very many examples.
        level: The confidence level of the intervals.
        seed: Seed of the draws.
        task: Progress and cancellation.

    Raises:
        Cancelled: The task was cancelled.
    """
    names = [name for name in before if name in after]
    both = [*(before[name] for name in names), *(after[name] for name in names)]
    draws = _draw(both, count, groups, resamples, seed, task or Task())
    changes = []
    for row, name in enumerate(names):
        values = value_of(before[name], count), value_of(after[name], count)
        changes.append(change(name, count, values, (draws[row], draws[len(names) + row]), level))
    return tuple(changes)


def change(
    measure: str, count: int, values: tuple[float, float], draws: tuple[Floats, Floats], level: float = LEVEL
) -> MetricChange:
    """Build a change from the values before and after, and from their values in the same draws, (R,) each."""
    before, after = values
    difference = interval(after - before, draws[1] - draws[0], level)
    verdict: Verdict = "noise"
    if count >= FEWEST and difference.low > 0:
        verdict = "gain"
    elif count >= FEWEST and difference.high < 0:
        verdict = "loss"
    return MetricChange(
        measure, count, interval(before, draws[0], level), interval(after, draws[1], level), difference, verdict
    )


def interval(value: float, draws: Floats, level: float = LEVEL) -> Interval:
    """Return the percentile interval of draws, (R,), without those in which the metric is undefined."""
    usable = draws[np.isfinite(draws)]
    if usable.size == 0:
        return Interval(value, value, value, level)
    low, high = np.quantile(usable, ((1 - level) / 2, (1 + level) / 2))
    return Interval(value, float(low), float(high), level)


def draw_all(
    statistic: Statistic, count: int, *, groups: Sequence[int] | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """Return the statistic in every draw, (R,); the same count, groups and seed give the same draws."""
    draws: Floats = _draw([statistic], count, groups, resamples, seed, Task())[0]
    return draws


def value_of(statistic: Statistic, count: int) -> float:
    """Return the metric of the examples themselves, each taken once."""
    return float(statistic(np.arange(count)[None])[0])


def _draw(
    statistics: Sequence[Statistic], count: int, groups: Sequence[int] | None, resamples: int, seed: int, task: Task
) -> Floats:
    """Return the values of all statistics in all draws, (statistics, R)."""
    resamples = max(min(resamples, _FEWEST_RESAMPLES), min(resamples, _MOST // max(count, 1)))
    values = np.empty((len(statistics), resamples))
    done = 0
    for draws, rows in _resample(count, groups, resamples, seed):
        task.report(done, resamples, "Estimating the uncertainty")
        for value, statistic in zip(values, statistics, strict=True):
            value[draws] = statistic(rows)
        done += len(draws)
    task.report(resamples, resamples, "Estimating the uncertainty")
    return values


def _resample(count: int, groups: Sequence[int] | None, resamples: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield blocks of draws: their numbers, (r,), and the indices of the examples in each, (r, n).

    Groups differ in size, so a draw of whole groups has more or fewer examples than there are. Draws of the same
    length make one block: a metric computes hundreds of draws at once much faster than one by one.
    """
    codes = np.arange(count) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    members, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)  # members of group g: see `starts`
    starts = np.cumsum(sizes) - sizes
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // count)
    for start in range(0, resamples, block):
        drawn = random.integers(0, len(sizes), (min(block, resamples - start), len(sizes)))  # (r, groups)
        lengths = sizes[drawn].sum(axis=1)
        for length in np.unique(lengths):
            same = np.flatnonzero(lengths == length)
            chosen = drawn[same].ravel()
            ends = np.cumsum(sizes[chosen])
            # Position k of a group's copy is its start among the members plus k.
            offsets = np.arange(ends[-1]) - np.repeat(ends - sizes[chosen], sizes[chosen])
            rows = members[np.repeat(starts[chosen], sizes[chosen]) + offsets]
            yield start + same, rows.reshape(len(same), int(length))
