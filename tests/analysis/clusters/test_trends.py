"""Clusters over time: bins that fit, shares that add up, and no trend where there is none."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.clusters.trends import Trends, days_of, trends


def spread(first: str, last: str, count: int) -> NDArray[Any]:
    """Days evenly from one to the other, datetime64[D]."""
    start, stop = (np.datetime64(day, "D").astype(np.int64) for day in (first, last))
    return np.linspace(start, stop, count).astype(np.int64).astype("datetime64[D]")


def growing(count: int = 600, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Three years in which cluster 0 grows from a tenth to six tenths, 1 shrinks, and 2 stays at three tenths."""
    random = np.random.default_rng(seed)
    time = np.linspace(0, 1, count)
    draw = random.random(count)
    labels = np.where(draw < 0.1 + 0.5 * time, 0, np.where(draw < 0.7, 1, 2))
    return spread("2021-01-01", "2023-12-31", count), labels


def test_rising_falling_and_steady() -> None:
    dates, labels = growing()
    found = trends(dates, labels)
    assert [trend.direction for trend in found.clusters] == ["rising", "falling", "steady"]
    assert found.clusters[0].slope == pytest.approx(0.5 / 3, abs=0.04)  # a year
    assert found.clusters[0].p < 0.001
    assert found.step(found.clusters[0]) == pytest.approx(found.clusters[0].slope / 12, rel=0.01)  # a month
    assert found.clusters[0].smooth[-1] > found.clusters[0].smooth[0] + 0.3


def test_counts_and_shares_add_up() -> None:
    dates, labels = growing()
    found = trends(dates, labels)
    np.testing.assert_array_equal(sum(trend.counts for trend in found.clusters), found.totals)
    np.testing.assert_allclose(sum(trend.shares for trend in found.clusters), found.totals > 0)
    np.testing.assert_allclose(sum(trend.smooth for trend in found.clusters), 1)
    assert found.totals.sum() == 600
    assert (np.diff(found.starts).astype(int) > 0).all()
    assert found.starts[0] <= dates.min()


def test_chance_makes_no_trends() -> None:
    random = np.random.default_rng(3)
    dates = spread("2020-01-01", "2024-01-01", 400)
    told = 0
    for _ in range(40):
        found = trends(dates, random.integers(0, 8, 400))
        told += any(trend.direction in ("rising", "falling") for trend in found.clusters)
    assert told <= 6  # two are expected


def test_bursts_are_not_taken_for_trends() -> None:
    """Shares that jump about from month to month say little about a slope."""
    random = np.random.default_rng(4)
    month = np.repeat(np.arange(24), 40)
    dates = (np.datetime64("2020-01") + month).astype("datetime64[D]")
    told = 0
    for _ in range(40):
        burst = random.random(24) < 0.3
        found = trends(dates, np.where(random.random(960) < np.where(burst, 0.9, 0.1)[month], 0, 1), unit="month")
        told += found.clusters[0].direction != "steady"
    assert told <= 6


@pytest.mark.parametrize(
    ("first", "last", "count", "unit"),
    [
        ("2024-03-01", "2024-03-20", 500, "day"),
        ("2024-01-01", "2024-06-30", 500, "week"),
        ("2021-01-01", "2023-12-31", 500, "month"),
        ("2012-01-01", "2023-12-31", 500, "quarter"),
        ("1980-01-01", "2023-12-31", 500, "year"),
        ("1700-01-01", "2023-12-31", 5000, "decade"),
        ("2021-01-01", "2023-12-31", 30, "year"),
    ],
)
def test_bins_suit_span_and_number(first: str, last: str, count: int, unit: str) -> None:
    found = trends(spread(first, last, count), np.zeros(count, int))
    assert found.unit == unit
    assert len(found.starts) <= 61


def test_bins_begin_where_people_expect() -> None:
    dates = days_of(["2024-02-14", "2024-05-31"])
    begins: dict[Any, str] = {
        "week": "2024-02-12",
        "month": "2024-02-01",
        "quarter": "2024-01-01",
        "year": "2024-01-01",
    }
    for unit, begin in begins.items():
        assert str(trends(dates, [0, 0], unit=unit).starts[0]) == begin
    months = trends(dates, [0, 0], unit="month")
    assert months.totals.tolist() == [1, 0, 0, 1]
    old = trends(days_of(["1969-12-31", "1970-01-01"]), [0, 0], unit="week")
    assert [str(day) for day in old.starts] == ["1969-12-29"]


def test_missing_wrong_and_stray_dates_are_counted() -> None:
    dates = np.concatenate([days_of(["", None, "0001-01-01", "9999-12-31", "1850-06-01"]), growing()[0]])
    labels = np.concatenate([[0, 1, 2, 0, 1], growing()[1]])
    found = trends(dates, labels)
    assert (found.undated, found.implausible, found.outside) == (2, 2, 1)
    assert found.totals.sum() == 600
    assert found.unit == "month"


def test_leftovers_count_in_totals_only() -> None:
    dates, labels = growing()
    found = trends(dates, np.where(labels == 2, -1, labels))
    assert [(trend.label, trend.counts.sum()) for trend in found.clusters] == [
        (0, (labels == 0).sum()),
        (1, (labels == 1).sum()),
    ]
    assert found.totals.sum() == 600


def test_a_small_cluster_is_too_small_to_tell() -> None:
    dates, labels = growing()
    labels[-5:] = 7
    small = trends(dates, labels).clusters[-1]
    assert (small.label, small.direction, small.p) == (7, "too few", 1.0)


def test_order_changes_nothing() -> None:
    dates, labels = growing()
    order = np.random.default_rng(0).permutation(600)
    same(trends(dates, labels), trends(dates[order], labels[order]))


def same(first: Trends, second: Trends) -> None:
    for one, other in zip(first.clusters, second.clusters, strict=True):
        np.testing.assert_array_equal(one.counts, other.counts)
        assert (one.direction, one.slope, one.p) == (other.direction, other.slope, other.p)


@pytest.mark.parametrize("texts", [[], [""], [None, None], ["0001-01-01"]])
def test_no_dates(texts: list[str | None]) -> None:
    found = trends(days_of(texts), np.zeros(len(texts), int))
    assert len(found.starts) == len(found.totals) == 0
    assert all(trend.direction == "too few" for trend in found.clusters)
    assert found.undated + found.implausible == len(texts)


@pytest.mark.parametrize("count", [1, 2, 3, 500])
def test_one_date(count: int) -> None:
    found = trends(days_of(["2024-03-05"] * count), np.arange(count) % 2)
    assert found.totals.tolist() == [count]
    assert {trend.direction for trend in found.clusters} == {"too few"}


def test_one_cluster_is_steady() -> None:
    found = trends(growing()[0], np.zeros(600, int))
    assert found.clusters[0].direction == "steady"


def test_days_of_texts_and_dates() -> None:
    texts = [
        "2024-03-05",
        "2024-03-05T14:07:00+09:00",
        "2024-03",
        "2024",
        "2024-13-01",
        "soon",
        "",
        None,
        date(2020, 2, 29),
        datetime(2020, 2, 29, 23, 59, tzinfo=UTC),
    ]
    expected = ["2024-03-05", "2024-03-05", "2024-03-01", *["NaT"] * 5, "2020-02-29", "2020-02-29"]
    assert [str(day) for day in days_of(texts)] == expected
    assert days_of([]).dtype == np.dtype("datetime64[D]")
