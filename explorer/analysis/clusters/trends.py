"""How clusters grow and shrink over time, where documents have dates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Unit = Literal["day", "week", "month", "quarter", "year", "decade"]
Direction = Literal["rising", "falling", "steady", "too few"]
Days = NDArray[np.datetime64]
Numbers = NDArray[np.float64]

FIRST_YEAR, LAST_YEAR = 1400, 2200  # years outside are mistakes or mean "never"

_MOST_BINS = 60
_PER_BIN = 5  # documents a bin should hold on average
_STRAY = 0.01  # share of documents at either end that may be left out ...
_STRETCH = 4  # ... if the rest then takes this many times less time
_LEAST_DOCUMENTS, _LEAST_BINS = 10, 3  # below, no trend can be determined
_CHANCE = 0.05  # share of the reported trends that may be chance
_UNITS: tuple[tuple[Unit, float], ...] = (
    ("day", 1), ("week", 7), ("month", 30.44), ("quarter", 91.31), ("year", 365.24), ("decade", 3652.4),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Trend:
    """One cluster over time.

    Attributes:
        label: The cluster.
        counts: (B,) documents in each bin.
        shares: (B,) share of the bin's documents; 0 where the bin has none.
        smooth: (B,) the same, evened out over neighbouring bins.
        direction: "rising" or "falling" where the share does so beyond chance; "steady" where that cannot be said;
            "too few" where there are too few documents or bins to ask.
        slope: Change of the share a year, along a straight line.
        p: The chance of such a slope or a steeper one without a trend; 1 where there are too few.
    """

    label: int
    counts: NDArray[np.int64]
    shares: Numbers
    smooth: Numbers
    direction: Direction
    slope: float
    p: float


@dataclass(frozen=True, eq=False)
class Trends:
    """All clusters over time.

    Attributes:
        unit: The length of a bin.
        starts: (B,) first days of the bins, one after the other, datetime64[D].
        totals: (B,) documents in each bin.
        clusters: A trend a cluster, by label.
        undated: Documents without a date.
        implausible: Documents whose date cannot be right.
        outside: Documents so far before or after all others that they are left out.
    """

    unit: Unit
    starts: Days
    totals: NDArray[np.int64]
    clusters: tuple[Trend, ...]
    undated: int = 0
    implausible: int = 0
    outside: int = 0

    def step(self, trend: Trend) -> float:
        """The change of a trend's share from one bin to the next, along its straight line."""
        return trend.slope * dict(_UNITS)[self.unit] / dict(_UNITS)["year"]


def days_of(dates: Iterable[str | date | None]) -> Days:
    """Days (N,) of dates and of texts in ISO 8601 with at least year and month; NaT where there is none.

    Example:
        >>> days_of(["2024-03-05T14:07:00+09:00", "2024-03", "", None])
        array(['2024-03-05', '2024-03-01',        'NaT',        'NaT'], dtype='datetime64[D]')
    """
    return np.array([_day(value) for value in dates], "datetime64[D]")


def trends(dates: ArrayLike, labels: ArrayLike, *, unit: Unit | None = None) -> Trends:
    """Count clusters over time, and determine which rise and which fall.

    The test is that of Cochran and Armitage for a trend in shares, widened where shares vary more than chance
    allows; of all clusters called rising or falling, at most one in twenty is expected to be neither.

    Args:
        dates: (N,) datetime64[D], NaT where there is none; `days_of` makes them.
        labels: (N,) cluster of each document; negative ones count in the totals but get no trend.
        unit: The length of a bin; chosen by span and number of documents if absent.

    Returns:
        Bins from the first dated document to the last, and a trend for every cluster with a label in `labels`.
    """
    days, clusters = np.asarray(dates, "datetime64[D]"), np.asarray(labels, np.int64)
    dated = ~np.isnat(days)
    years = days.astype("datetime64[Y]").astype(np.int64) + 1970  # NaT gives a number that `dated` hides
    plausible = dated & (years >= FIRST_YEAR) & (years <= LAST_YEAR)
    inside = plausible & _together(days, plausible)
    unit = unit or _unit(days[inside])
    bins, starts = _bins(days[inside], unit)
    names = np.unique(clusters[clusters >= 0])
    table = _table(bins, clusters[inside], names, len(starts))  # (C, B)
    totals = np.bincount(bins, minlength=len(starts))
    left_out = (int((~dated).sum()), int((dated & ~plausible).sum()), int((plausible & ~inside).sum()))
    return Trends(unit, starts, totals, _trends(names, table, totals, starts), *left_out)


def _day(value: str | date | None) -> np.datetime64:
    text = value.isoformat() if isinstance(value, date) else (value or "").strip()
    for length in (10, 7):
        try:
            return np.datetime64(date.fromisoformat((text[:length] + "-01")[:10]), "D")
        except ValueError:
            continue
    return np.datetime64("NaT", "D")


def _together(days: Days, plausible: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which days (N,) are not strays: a few dates far off must not press all others into one bin."""
    if not plausible.any():
        return plausible
    numbers = days.astype(np.int64)
    ordered = np.sort(numbers[plausible])
    few = int(_STRAY * len(ordered))
    low, high = ordered[few], ordered[len(ordered) - 1 - few]
    if ordered[-1] - ordered[0] <= _STRETCH * max(high - low, 7):
        return plausible
    reach = high - low + 7
    return np.asarray((numbers >= low - reach) & (numbers <= high + reach), bool)


def _unit(days: Days) -> Unit:
    """Return the shortest unit that gives a readable number of bins with documents in them."""
    span = int((days.max() - days.min()).astype(np.int64)) + 1 if len(days) else 1
    most = min(_MOST_BINS, max(_LEAST_BINS, len(days) // _PER_BIN))
    return next((unit for unit, length in _UNITS if span / length <= most), "decade")


def _bins(days: Days, unit: Unit) -> tuple[NDArray[np.int64], Days]:
    """Return the bin of each day (N,) and the first days of all bins (B,), empty ones between included."""
    if not len(days):
        return np.zeros(0, np.int64), np.zeros(0, "datetime64[D]")
    places = _bin_numbers(days, unit)
    first, last = int(places.min()), int(places.max())
    return places - first, _start(np.arange(first, last + 1), unit)


def _bin_numbers(days: Days, unit: Unit) -> NDArray[np.int64]:
    """Number the bins from 1970 on."""
    if unit in ("day", "week"):
        since = days.astype(np.int64)
        return since if unit == "day" else (since + 3) // 7  # 1970 began on a Thursday, weeks begin on Mondays
    months = days.astype("datetime64[M]").astype(np.int64)
    return np.asarray(months // {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit], np.int64)


def _start(places: NDArray[np.int64], unit: Unit) -> Days:
    if unit in ("day", "week"):
        since = places if unit == "day" else places * 7 - 3
        return np.asarray(since.astype("datetime64[D]"))
    months = places * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit]
    return np.asarray(months.astype("datetime64[M]").astype("datetime64[D]"))


def _table(
    bins: NDArray[np.int64], labels: NDArray[np.int64], names: NDArray[np.int64], width: int
) -> NDArray[np.int64]:
    """Count the documents of each cluster in each bin, (C, B)."""
    own = labels >= 0
    flat = np.searchsorted(names, labels[own]) * width + bins[own]
    return np.bincount(flat, minlength=len(names) * width).reshape(len(names), width)


def _trends(
    names: NDArray[np.int64], table: NDArray[np.int64], totals: NDArray[np.int64], starts: Days
) -> tuple[Trend, ...]:
    years = (starts - starts[:1]).astype(np.int64) / 365.24  # (B,)
    tested = [_slope(counts, totals, years) for counts in table]
    limit = _beyond_chance(np.array([p for _, p, enough in tested if enough]))
    results = []
    for label, counts, (slope, p, enough) in zip(names, table, tested, strict=True):
        direction: Direction = "steady" if enough else "too few"
        if enough and p <= limit:
            direction = "rising" if slope > 0 else "falling"
        shares = counts / np.maximum(totals, 1)
        results.append(Trend(int(label), counts, shares, _smooth(counts, totals), direction, slope, p))
    return tuple(results)


def _slope(counts: NDArray[np.int64], totals: NDArray[np.int64], years: Numbers) -> tuple[float, float, bool]:
    """Change of the share a year, its chance without a trend, and whether there is enough to ask; counts (B,)."""
    from scipy.special import stdtr

    used = totals > 0
    counts, totals, years = counts[used], totals[used], years[used]
    share = counts.sum() / max(1, totals.sum())
    if len(totals) < _LEAST_BINS or counts.sum() < _LEAST_DOCUMENTS:
        return 0.0, 1.0, False
    if share >= 1:
        return 0.0, 1.0, True
    centred = years - np.average(years, weights=totals)
    weight = float((totals * centred**2).sum())
    slope = float((counts * centred).sum()) / weight
    fitted = np.clip(share + slope * centred, 0.5 / totals.sum(), 1 - 0.5 / totals.sum())
    freedom = len(totals) - 2
    excess = ((counts - totals * fitted) ** 2 / (totals * fitted * (1 - fitted))).sum() / freedom
    error = np.sqrt(share * (1 - share) * max(1.0, excess) / weight)
    return slope, float(2 * stdtr(freedom, -abs(slope) / error)), True


def _beyond_chance(p: Numbers) -> float:
    """Return the largest p that still counts, by the rule of Benjamini and Hochberg; negative if none does."""
    ordered = np.sort(p)
    passing = ordered <= _CHANCE * np.arange(1, len(ordered) + 1) / max(1, len(ordered))
    return float(ordered[passing].max()) if passing.any() else -1.0


def _smooth(counts: NDArray[np.int64], totals: NDArray[np.int64]) -> Numbers:
    """Shares (B,) of bins together with their neighbours, near ones counting more."""
    bins = np.arange(len(totals))
    reach = max(1.0, len(totals) / 20)
    near = np.exp(-0.5 * ((bins[:, None] - bins) / reach) ** 2)  # (B, B)
    return np.asarray(near @ counts / np.maximum(near @ totals, 1e-12), np.float64)
