"""A judgement is a whole number on its scale, of two texts."""

import pytest

from explorer.errors import DataError
from explorer.judgement import Judgement


@pytest.mark.parametrize(
    ("value", "scale"), [(6, "grade"), (-1, "grade"), (2, "similar"), (2.5, "grade"), (True, "grade"), (1, "stars")]
)
def test_values_that_are_none(value, scale):
    with pytest.raises(DataError, match=r"Judge"):
        Judgement("a", "b", value, scale)


def test_empty_texts_are_no_pair():
    with pytest.raises(DataError, match="empty"):
        Judgement("a", " ", 3)
