"""Neighbours come with the lines that show why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.workspace.search.similar import neighbours
from explorer.workspace.search.snippets import SHOWN, cut, similar
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace


def test_a_snippet_is_cut_where_most_words_are() -> None:
    text = "nothing here\n" * 50 + "rice and steam and more rice" + " nothing there" * 50
    spans = [(at, at + 4) for at in range(len(text)) if text[at : at + 4] == "rice"] + [(5, 7)]
    shown, words = cut(text, sorted(spans), 100)
    assert [shown[start:end] for start, end in words] == ["rice", "rice"]
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "\n" not in shown
    assert len(shown) <= 102


@pytest.mark.parametrize("text", ["", "short", "한국어 문서"])
def test_a_short_text_is_whole(text: str) -> None:
    assert cut(text, []) == (text, ())


@pytest.mark.bundled
def test_the_nearest_share_words_with_what_was_asked(indexed_sample: Path, bundled: Any) -> None:
    with Workspace(indexed_sample, None, writable=False) as workspace:
        vectors = vector_table.load(workspace)
        soup = next(entry.id for entry in workspace.documents() if entry.title == "Red lentil soup")
        found = similar(workspace, vectors, [soup], k=5)
        assert [(one.document, one.score) for one in found] == [
            (one.document, one.score) for one in neighbours(vectors, [soup], k=5)
        ]
        marked = {found[0].text[start:end].lower() for start, end in found[0].words}
        assert marked & {"lentil", "lentils", "soup", "onion"}
        assert "the" not in marked
        assert all(len(one.text) <= SHOWN + 2 for one in found)
        words = "lentil soup"
        [nearest] = similar(
            workspace, vectors, words=words, vector=bundled.encode([words], role="query").whole()[0], k=1
        )
        assert {nearest.text[start:end].lower().rstrip("s") for start, end in nearest.words} <= {"lentil", "soup"}


@pytest.mark.bundled
def test_words_that_any_two_texts_share_are_not_marked(indexed_sample: Path) -> None:
    with Workspace(indexed_sample, None, writable=False) as workspace:
        vectors = vector_table.load(workspace)
        storm = next(one.id for one in workspace.documents() if "Keeping the station" in one.title)
        found = similar(workspace, vectors, [storm], k=8)
        marked = {one.text[start:end].lower() for one in found for start, end in one.words}
    assert "rain" in marked
    assert not marked & {"two", "hour", "00", "12", "14", "today"}
