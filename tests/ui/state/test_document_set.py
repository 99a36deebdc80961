"""Sets of documents as sorted arrays, and the rows of documents."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.ui.state.document_set import DocumentSet, RowIndex


def test_it_is_a_set_of_ids():
    found = DocumentSet([5, 1, 3, 3])
    assert found.ids.tolist() == [1, 3, 5]
    assert found == {1, 3, 5} == found
    assert found != {1, 3}
    assert found != DocumentSet([1, 3, 6])
    assert list(found) == [1, 3, 5]
    assert (3 in found, np.int64(3) in found, 4 in found, 6 in found, None in found) == (
        True,
        True,
        False,
        False,
        False,
    )
    assert not DocumentSet()
    assert DocumentSet(found).ids is found.ids


def test_nobody_can_change_it():
    given = np.array([1, 2, 3])
    found = DocumentSet(given)
    given[0] = 9
    assert found == {1, 2, 3}
    with pytest.raises(ValueError, match="read-only"):
        found.ids[0] = 9


@pytest.mark.parametrize("seed", range(5))
def test_it_combines_as_sets_do(seed: int):
    chance = np.random.default_rng(seed)
    one, other = (set(chance.integers(0, 30, 12).tolist()) for _ in range(2))
    first, second = DocumentSet(one), DocumentSet(other)
    assert first | second == one | other
    assert first & second == one & other
    assert first - second == one - other
    assert first ^ second == one ^ other
    assert (first <= second) == (one <= other)
    assert first & second <= first
    ids = np.arange(30)
    assert first.mask(ids).tolist() == [document in one for document in range(30)]
    assert first.among(ids) is first
    assert first.among(second.ids) == one & other


@pytest.mark.parametrize("documents", [[10, 20, 30], [30, 10, 20]])
def test_rows_are_found_in_any_order(documents: list[int]):
    index = RowIndex(np.array(documents))
    assert [index.row(document) for document in documents] == [0, 1, 2]
    assert (index.row(15), index.row(99), index.row(None)) == (-1, -1, -1)
    assert index.rows([20, 99, 10]).tolist() == [documents.index(20), documents.index(10)]
    assert RowIndex().rows([1]).tolist() == []
