"""The snippet of a hit: the sentence that matched, on one line, and the words that made it match."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from explorer import paths
from explorer.analysis.search.query import parse
from explorer.models.static_encoder import StaticEncoder
from explorer.workspace.search.hit_sentences import WIDTH, Excerpt, SentenceFinder

PASSAGE = (
    "The town hall was painted last year. A new automobile factory opened beside the river, and\n"
    "eight hundred workers found a job there. The weather stayed mild. Schools begin in March."
)


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
