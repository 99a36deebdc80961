"""What the map can be coloured by, and how."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorer.rendering.colours import Amounts, Categories
from explorer.ui.map.colouring import _by_value, columns
from explorer.workspace.storage.documents import Listing

MANY = 100


def listing(**fields: list[Any]) -> Listing:
    numbers = np.arange(1, MANY + 1)
    names = [f"{number}.txt" for number in numbers]
    plain = [""] * MANY
    return Listing(numbers, names, plain, names, numbers, plain, plain, np.ones(MANY, np.float32), fields=fields)


def test_a_field_is_offered_where_colours_tell_documents_apart() -> None:
    found = listing(
        same=["a"] * MANY,
        half=["a", None] * (MANY // 2),
        kinds=["a", "b"] * (MANY // 2),
        ids=[f"<{number}@host>" for number in range(MANY)],
        size=list(range(MANY)),
        date=[f"2024-03-{1 + number % 28:02}T10:00:00" for number in range(MANY)],
        at=[f"2024-03-01T10:{number % 60:02}:{number // 60:02}" for number in range(MANY)],
    )
    assert columns(found) == ["half", "kinds", "size", "date"]


def test_dates_are_a_ramp() -> None:
    found = _by_value([f"20{year:02}-05-01T07:00:00+09:00" for year in range(MANY)] + [None, "soon"])
    assert isinstance(found.points, Amounts)
    assert np.isnan(found.points.values[-2:]).all()
    assert (np.diff(found.points.values[:-2]) > 0).all()
    low, high = found.names
    assert "2000-05-01" <= low < "2003" < "2097" < high <= "2099-05-01"


def test_numbers_are_a_ramp_and_words_are_groups() -> None:
    found = _by_value([1, 2.5, None, 4])
    assert isinstance(found.points, Amounts)
    assert found.names == (f"{found.points.low:,.4g}", f"{found.points.high:,.4g}")
    words = _by_value(["b", "a", "b", None, "2024-01-01"])
    assert isinstance(words.points, Categories)
    assert words.names[0] == "b"
    assert words.points.values[3] == -1
