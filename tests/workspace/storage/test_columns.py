"""Columns that are packed answer as the lists would that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.workspace.storage.columns import MOST_SHARED, CodedColumn, ColumnBuilder, PackedTexts, RowsById, mapped

TEXTS = ["Grüße aus Köln", "", "한국어 문장", "a\ud800b", "the End the", "THE", "straße"]


def built(values: list[object]) -> object:
    builder = ColumnBuilder()
    for row, value in enumerate(values):
        builder.add(row, value)
    return builder.finished(len(values))


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["x", None, "y", "x"],
        [1, 1.0, True, "1", None],
        [f"text {row}" for row in range(MOST_SHARED + 9)],
        [None if row % 3 else f"text {row}" for row in range(4 * MOST_SHARED)],
        list(range(MOST_SHARED + 9)),
        [row / 2 for row in range(MOST_SHARED + 9)],
        [None if row % 5 == 0 else row for row in range(2 * MOST_SHARED)],
        [*range(MOST_SHARED + 9), 2**70],
        [*range(MOST_SHARED + 9), "a text"],
    ],
)
def test_a_column_has_the_values_it_was_built_of(values: list[object]) -> None:
    column = built(values)
    assert [(type(value), value) for value in column] == [(type(value), value) for value in values]
    assert list(column[1:7:2]) == values[1:7:2]
    for row in (0, len(values) // 2, -1) if values else ():
        assert column[row] == values[row]
    with pytest.raises(IndexError):
        column[len(values)]


@pytest.mark.parametrize("word", ["e", "th", "the", "end t", "ü", "ss", "국어", "", "thethe", "kölnㅤ"])
def test_texts_are_searched_as_each_would_be(word: str) -> None:
    folded = PackedTexts.pack([*TEXTS, *["the"] * 3, "t", "he"]).casefolded()
    assert folded.containing(word).tolist() == [word in text for text in folded]


@pytest.mark.parametrize("texts", [TEXTS, ["Plain ASCII", "", "TEXT"]])
def test_case_is_folded_as_strings_fold_it(texts: list[str]) -> None:
    assert list(PackedTexts.pack(texts).casefolded()) == [text.casefold() for text in texts]


def test_rows_are_grouped_by_value_and_the_commonest_comes_first() -> None:
    column = mapped(["b", "a", "", "a", "c"], str.upper)
    groups = [(value, rows.tolist()) for value, rows in column.rows_of_each()]
    assert groups == [("A", [1, 3]), ("B", [0]), ("", [2]), ("C", [4])]
    assert list(mapped(column, len)) == [1, 1, 0, 1, 1]
    assert list(column.at_rows(np.array([4, -1, 0]))) == ["C", None, "B"]
    assert list(CodedColumn(np.zeros(0, np.int32), ()).at_rows(np.array([-1]))) == [None]


@pytest.mark.parametrize("ids", [[3, 5, 9], [9, 3, 5], []])
def test_documents_are_found_by_their_ids(ids: list[int]) -> None:
    rows = RowsById(np.array(ids, np.int64))
    assert dict(rows) == {document_id: row for row, document_id in enumerate(ids)}
    assert rows.get(4) is None
    assert rows.get(10) is None
    assert None not in rows
    assert rows.of_each(np.array([5, 4, 10])).tolist() == [ids.index(5) if ids else -1, -1, -1]
