"""Neighbours come with the lines that show why."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from explorer import paths
from explorer.analysis.search.query import parse
from explorer.models.static_encoder import StaticEncoder
from explorer.workspace.search.similar import neighbours
from explorer.workspace.search.snippets import SHOWN, WIDTH, Excerpt, SentenceFinder, cut, similar
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace

PASSAGE = (
    "The town hall was painted last year. A new automobile factory opened beside the river, and\n"
    "eight hundred workers found a job there. The weather stayed mild. Schools begin in March."
)


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


@pytest.fixture(scope="module")
def finder() -> SentenceFinder:
    return SentenceFinder(StaticEncoder.open(paths.resources() / "models" / "all-MiniLM-L6-v2-draft"))


def marked(excerpt: Excerpt) -> list[str]:
    return [excerpt.text[start:end] for start, end in excerpt.words]


def sentence(excerpt: Excerpt, text: str = PASSAGE) -> str:
    return text[slice(*excerpt.sentence)]


@pytest.mark.bundled
def test_words_near_in_meaning_find_the_sentence_and_are_marked(finder: SentenceFinder) -> None:
    [found] = finder.find(parse("cars"), [PASSAGE])
    assert sentence(found).startswith("A new automobile factory")
    assert "automobile" in marked(found)
    assert not {"the", "a", "and"} & set(marked(found))
    assert "\n" not in found.text
    assert found.text.startswith("The town hall")  # there was room for it


@pytest.mark.bundled
def test_stems_and_exact_words_are_marked(finder: SentenceFinder) -> None:
    [stems] = finder.find(parse("paint a hall"), [PASSAGE])
    assert sentence(stems) == "The town hall was painted last year."
    assert {"hall", "painted"} <= set(marked(stems))
    [exact] = finder.find(parse('"stayed  Mild"'), [PASSAGE])
    assert sentence(exact) == "The weather stayed mild."
    assert "stayed mild" in marked(exact)


@pytest.mark.bundled
def test_words_of_a_title_match_by_themselves_and_by_meaning(finder: SentenceFinder) -> None:
    titles = ["A new automobile", "Painted walls", "", "The weather"]
    found = finder.words_in(parse("cars paint"), titles)
    words = [[title[start:end] for start, end in spans] for title, spans in zip(titles, found, strict=True)]
    assert words == [["automobile"], ["Painted"], [], []]
    without = SentenceFinder().words_in(parse("cars paint"), titles, by_meaning=False)
    assert [bool(spans) for spans in without] == [False, True, False, False]


def test_korean_words_are_marked_without_their_endings() -> None:
    text = "도시는 조용했다. 고양이가 학교에서 달을 보았습니다. 날씨는 맑았다."
    [found] = SentenceFinder().find(parse("학교 고양이"), [text], by_meaning=False)
    assert sentence(found, text) == "고양이가 학교에서 달을 보았습니다."
    assert marked(found) == ["고양이", "학교"]


@pytest.mark.parametrize("query", ["", "tag:x", "-mild", "zebra"])
def test_without_a_match_the_beginning_is_shown(query: str) -> None:
    [found] = SentenceFinder().find(parse(query), [PASSAGE])
    assert found.text.startswith("The town hall")
    assert found.words == ()
    assert sentence(found) == "The town hall was painted last year."


@pytest.mark.parametrize("text", ["", " ", "one", "a" * 5000, "word " * 3000, "zebra " * 500 + "\n\n" + "cat. " * 200])
def test_any_text_gives_one_line_with_spans_inside(text: str) -> None:
    [found] = SentenceFinder().find(parse("zebra word"), [text])
    assert len(found.text) <= WIDTH + 2
    assert all(0 <= start < end <= len(found.text) for start, end in found.words)
    assert 0 <= found.sentence[0] <= found.sentence[1] <= len(text)


@pytest.mark.bundled
def test_fifty_hits_cost_little(finder: SentenceFinder, bundled_folder: Path) -> None:
    """The bar is 30 ms; a pass of the model over each would take seconds."""
    texts = [(bundled_folder / "README.md").read_text("utf-8")[at : at + 1000] for at in range(0, 5000, 100)]
    query = parse("sentence embeddings for semantic search")
    finder.find(query, texts)
    times = []
    for _ in range(5):
        began = time.process_time()
        finder.find(query, texts)
        times.append(time.process_time() - began)
    assert min(times) < 0.15
