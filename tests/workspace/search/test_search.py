"""Finding: by meaning and by word, with every condition of the grammar, while the workspace changes."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from explorer.analysis.search.query import QueryError
from explorer.analysis.search.ranking import reread
from explorer.analysis.vectors import exact as vectors_exact
from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.overview.documents import cluster_labels, save_labels
from explorer.workspace.search import keyword_search, vector_search
from explorer.workspace.search.filters import field_of, pieces
from explorer.workspace.search.search import Mode, Results, Searcher, find_document
from explorer.workspace.storage.documents import DocumentEntry
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.workspace import Workspace, open_workspace
from tests.conftest import make_checkpoint

TEXTS = {
    "animals/cat.txt": "The cat sat on\nthe mat under the bright moon.",
    "animals/dog.txt": "The lazy dog ran over the green stone.",
    "animals/both.txt": "A cat and a dog. The mat is green.",
    "sea/ship.md": "---\nauthor: Anna Sea\ndate: 2022-05-01\n---\n\nThe ship sails the cold sea in winter.",
    "sea/queen.md": "---\nauthor: Bo Land\ndate: 2023-07-09\n---\n\nThe queen plays loud music; the king plays soft.",
    "한글.txt": "고양이가 달을 봅니다. 강가의 돌은 차갑습니다.",
    "long.txt": " ".join(f"river stone number{n} tea" for n in range(400)),
    "ligature.txt": "A ﬁne oﬃce with ｗｉｄｅ letters.",
    "unspaced.txt": "".join(chr(0x4E00 + n * 7 % 2000) for n in range(1500)),
}


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoder:
    path = make_checkpoint(tmp_path_factory.mktemp("cross") / "model", "bert", classes=1)
    return CrossEncoder.open(path, choose("cpu", precision="float32"))


def write_texts(root: Path) -> Path:
    for name, text in TEXTS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory, encoder: BiEncoder) -> Iterator[Searcher]:
    """The small texts, not to be changed."""
    root = tmp_path_factory.mktemp("small")
    with Workspace(root / "workspace", write_texts(root / "texts"), writable=True) as workspace:
        workspace.update(encoder)
        yield Searcher(workspace, encoder)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path / "texts")


@pytest.fixture
def fresh(texts: Path, encoder: BiEncoder) -> Iterator[Searcher]:
    """The same, a test's own."""
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        yield Searcher(workspace, encoder)


@pytest.fixture(scope="module")
def sample(bundled: BiEncoder, indexed_sample: Path) -> Iterator[Searcher]:
    """The sample texts, read by the real model."""
    with Workspace(indexed_sample, None, writable=False) as workspace:
        yield Searcher(workspace, bundled, ("en",))


def paths(finder: Searcher, query: str, mode: Mode = "hybrid", k: int = 50) -> list[str]:
    return [hit.path for hit in finder.search(query, mode=mode, k=k).hits]


@pytest.mark.bundled
class TestMeaning:
    @pytest.mark.parametrize(
        ("query", "wanted"),
        [
            ("how much money to put aside for bad times", "finance/emergency-fund.md"),
            ("cutting back shrubs so that they bloom", "gardening/pruning-hydrangeas.md"),
            ("first book made with metal letters", "history/jikji.md"),
            ("my old laptop takes ages to start", "support/chat-slow-laptop.txt"),
        ],
    )
    @pytest.mark.parametrize("mode", ["semantic", "hybrid"])
    def test_other_words_find_the_document(self, sample: Searcher, query: str, wanted: str, mode: Mode) -> None:
        assert wanted in paths(sample, query, mode, k=3)

    def test_korean_is_found_by_words_though_the_model_reads_none(self, sample: Searcher) -> None:
        assert "cooking/김치-담그기.md" in paths(sample, "김장 배추", k=3)
        assert "cooking/김치-담그기.md" in paths(sample, "김장 배추", "keyword", k=3)

    def test_a_hit_says_where_it_stands_and_why(self, sample: Searcher) -> None:
        for hit in sample.search("prune hydrangea", k=10).hits:
            assert sample.workspace.text(hit.document)[hit.start : hit.end] == hit.text
            assert hit.bi_score is not None or hit.keyword_score is not None
        assert [hit.rank for hit in sample.search("prune", k=5).hits] == [1, 2, 3, 4, 5]

    def test_fields_narrow_the_search(self, sample: Searcher) -> None:
        assert all(path.startswith("cooking/") for path in paths(sample, "soup folder:cooking"))
        korean = sample.search("music language:ko", k=100).hits
        assert korean
        assert {sample.workspace.document(hit.document).language for hit in korean} == {"ko"}
        for hit in sample.search('author:"Elena Brandt" date:>=2023', k=100).hits:
            metadata = sample.workspace.document(hit.document).metadata
            assert metadata["author"] == "Elena Brandt"
            assert str(metadata["date"]) >= "2023"

    def test_like_finds_the_likeness_first(self, sample: Searcher) -> None:
        found = paths(sample, "like:space/far-side-samples.txt", "semantic", k=3)
        assert found[0] == "space/far-side-samples.txt"
        assert "space/far-side-samples-reprint.txt" in found
        several = paths(sample, "like:cooking/lentil-soup.md like:cooking/preserved-lemons.txt", k=4)
        assert len([path for path in several if path.startswith("cooking/")]) >= 3

    def test_a_word_with_a_minus_pushes_its_meaning_away(self, sample: Searcher) -> None:
        plain, pushed = paths(sample, "moon", "semantic"), paths(sample, "moon +3 -rocket", "semantic")
        rocket = "space/artemis-one-notes.txt"
        assert plain.index(rocket) < (pushed.index(rocket) if rocket in pushed else len(pushed))


class TestWords:
    def test_keywords_find_forms_of_a_word(self, finder: Searcher) -> None:
        assert paths(finder, "sailing ships", "keyword") == ["sea/ship.md"]

    def test_nothing_matches(self, finder: Searcher) -> None:
        assert finder.search("zebra", mode="keyword").hits == ()
        assert finder.search("zebra folder:sea", mode="keyword").hits == ()
        assert finder.search('cat "zebra crossing"').hits == ()

    def test_scores_are_those_of_their_list(self, finder: Searcher) -> None:
        (ship,) = finder.search("ship", mode="keyword").hits
        assert ship.score == 1.0  # the best by words has a full bar, though words are only a part of the search by both
        assert ship.bi_score is None
        assert ship.keyword_score is not None
        assert all(hit.keyword_score is None for hit in finder.search("ship", mode="semantic").hits)

    def test_common_terms_are_left_out_where_rarer_ones_say_more(
        self, finder: Searcher, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(keyword_search, "MOST", 5)
        assert paths(finder, "river sails", "keyword") == ["sea/ship.md"]
        assert paths(finder, "river", "keyword") == ["long.txt"]


class TestExactWords:
    @pytest.mark.parametrize(
        ("query", "wanted"),
        [
            ('"sat on the mat"', {"animals/cat.txt"}),  # across a line break
            ('"THE   mat"', {"animals/cat.txt", "animals/both.txt"}),
            ('"the mat" -"bright moon"', {"animals/both.txt"}),
            ('"fine office"', {"ligature.txt"}),
            ('"wide"', {"ligature.txt"}),
            ('"고양이가 달을"', {"한글.txt"}),
            ('"is"', {"animals/both.txt"}),
            ('"concat"', set()),
        ],
    )
    @pytest.mark.parametrize("mode", ["semantic", "keyword", "hybrid"])
    def test_they_must_occur(self, finder: Searcher, query: str, wanted: set[str], mode: Mode) -> None:
        assert set(paths(finder, query, mode)) == wanted

    def test_across_the_border_of_two_passages(self, finder: Searcher) -> None:
        document = find_document(finder.workspace, "long.txt")
        text, (first, second, *_) = (finder.workspace.text(document.id), finder.workspace.passages(document.id))
        words = " ".join([*text[: first.end].split()[-2:], *text[second.start :].split()[:2]])
        assert paths(finder, f'"{words}"') == ["long.txt"]

    def test_a_word_that_is_itself_cut_in_two(self, finder: Searcher) -> None:
        document = find_document(finder.workspace, "unspaced.txt")
        first, second, *_ = finder.workspace.passages(document.id)
        assert first.end == second.start
        text = finder.workspace.text(document.id)
        assert paths(finder, f'"{text[first.end - 3 : first.end + 3]}"') == ["unspaced.txt"]

    def test_decomposed_letters(self, texts: Path, fresh: Searcher) -> None:
        (texts / "mac.txt").write_text(unicodedata.normalize("NFD", "새벽 시장의 두부"), encoding="utf-8")
        fresh.workspace.update(fresh.encoder)
        assert paths(fresh, '"시장의 두부"') == ["mac.txt"]

    def test_only_proposed_texts_are_read(self, finder: Searcher) -> None:
        read: list[str] = []
        finder.search('"bright moon"')  # looks at the texts beyond ASCII once
        finder.workspace.connection.set_trace_callback(read.append)
        assert paths(finder, '"bright moon"') == ["animals/cat.txt"]
        finder.workspace.connection.set_trace_callback(None)
        assert sum(line.startswith("SELECT text FROM documents") for line in read) <= 4

    def test_what_the_index_is_asked_for(self) -> None:
        assert pieces("an Éclair au chocolat is it") == ["chocolat", "clair"]
        assert pieces("ab cd") == []


class TestConditions:
    @pytest.mark.parametrize(
        ("query", "wanted"),
        [
            ("folder:sea", {"sea/ship.md", "sea/queen.md"}),
            ("date:>=2023", {"sea/queen.md"}),
            ("author:anna*", {"sea/ship.md"}),
            ("author:sea", {"sea/ship.md"}),  # a word of it
            ("-author:sea author:*", {"sea/queen.md"}),
            ("-folder:animals path:*.txt", {"한글.txt", "long.txt", "ligature.txt", "unspaced.txt"}),
            ('-"the"', {"한글.txt", "long.txt", "ligature.txt", "unspaced.txt"} - {"long.txt"} | {"long.txt"}),
            ("modified:>=2020 folder:sea", {"sea/ship.md", "sea/queen.md"}),
            ("modified:<2000", set()),
        ],
    )
    @pytest.mark.parametrize("mode", ["keyword", "hybrid"])
    def test_alone_they_list_all_that_meet_them(
        self, finder: Searcher, query: str, wanted: set[str], mode: Mode
    ) -> None:
        assert set(paths(finder, query, mode)) == wanted

    def test_the_author_of_a_message_is_who_sent_it(self) -> None:
        message = DocumentEntry(1, "a.eml", "", "Hello", {"from": "Kim"}, "en", "utf-8", 1.0, (), 5)
        assert field_of(message, "author") == "Kim"
        assert field_of(replace(message, metadata={"from": "Kim", "author": "Lee"}), "author") == "Lee"

    def test_they_are_not_read_anew_at_every_key(self, finder: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
        assert paths(finder, "cat folder:animals")
        monkeypatch.setattr(Workspace, "documents", lambda _: pytest.fail("the documents were read again"))
        assert paths(finder, "cats folder:animals")

    @pytest.mark.parametrize(
        ("query", "start"), [('cat "dog', 4), ("cat date:>=soon", 4), ("cat +2", 4), ("folder:", 0)]
    )
    def test_a_query_that_cannot_be_understood_says_where(self, finder: Searcher, query: str, start: int) -> None:
        with pytest.raises(QueryError, match=f"At character {start + 1} ") as caught:
            finder.search(query)
        assert caught.value.start == start

    def test_likes_and_weights(self, finder: Searcher) -> None:
        assert paths(finder, "like:sea/ship.md", "semantic")[0] == "sea/ship.md"
        assert paths(finder, "like:sea/ship.md +3 like:한글.txt", "semantic")[0] == "한글.txt"
        assert paths(finder, "-like:sea/ship.md", "semantic")[-1] == "sea/ship.md"
        assert paths(finder, "+5 cat +0.1 dog", "semantic") != paths(finder, "+0.1 cat +5 dog", "semantic")
        with pytest.raises(WorkspaceError, match="no document is called that"):
            finder.search("like:nowhere.txt")


class TestChanges:
    def test_an_empty_workspace_is_a_sentence(self, tmp_path: Path, encoder: BiEncoder) -> None:
        (tmp_path / "empty").mkdir()
        with open_workspace(tmp_path / "empty") as workspace:
            for mode in ("keyword", "hybrid"):
                with pytest.raises(WorkspaceError, match=r"nothing is indexed yet\. Index the folder first\."):
                    Searcher(workspace, encoder).search("cat", mode=mode)

    def test_new_documents_are_found_and_deleted_ones_never(self, texts: Path, fresh: Searcher) -> None:
        assert "animals/cat.txt" in paths(fresh, "cat")
        (texts / "animals/cat.txt").unlink()
        (texts / "fox.txt").write_text("The quick brown fox jumps over a cat.")
        fresh.workspace.update(fresh.encoder)
        for query, mode in (("cat", "semantic"), ("cat", "keyword"), ('"cat"', "hybrid"), ("path:*", "hybrid")):
            found = paths(fresh, query, mode)
            assert "animals/cat.txt" not in found
            assert "fox.txt" in found

    def test_another_connection_sees_the_change(self, texts: Path, fresh: Searcher) -> None:
        with open_workspace(texts, writable=False) as workspace:
            reader = Searcher(workspace, fresh.encoder)
            assert paths(reader, "violin", "keyword") == []
            assert paths(reader, "folder:new") == []
            before = len(reader.matrix().passages)
            (texts / "new").mkdir()
            (texts / "new/violin.txt").write_text("A violin.")
            fresh.workspace.update(fresh.encoder)
            assert paths(reader, "violin", "keyword") == ["new/violin.txt"]
            assert paths(reader, "folder:new") == ["new/violin.txt"]
            assert len(reader.matrix().passages) == before + 1

    def test_searching_goes_on_during_an_update(self, texts: Path, fresh: Searcher) -> None:
        for number in range(40):
            (texts / f"more{number}.txt").write_text(f"The cat ran to house {number}. " * 30)
        at_work, turns = threading.Semaphore(0), threading.Semaphore(0)

        def told(_: Progress) -> None:
            at_work.release()
            turns.acquire(timeout=300)

        def update() -> None:
            fresh.workspace.update(fresh.encoder, task=Task(told))
            over.set()
            at_work.release()

        over, writer = threading.Event(), threading.Thread(target=update)
        counts = []
        with open_workspace(texts, writable=False) as workspace:
            reader = Searcher(workspace, fresh.encoder)
            writer.start()
            while not over.is_set():  # a search at each step of the update, which waits for it
                assert at_work.acquire(timeout=300)
                counts.append(len(paths(reader, 'cat -"loud music"', k=500)))
                turns.release()
            writer.join()
        assert counts[0] == len(TEXTS) - 1
        assert counts == sorted(counts)
        assert counts[-1] == len(TEXTS) - 1 + 40
        assert len(counts) > 2


class TestReranking:
    def test_both_ranks_and_both_scores_are_told(self, finder: Searcher, reranker: CrossEncoder) -> None:
        plain = finder.search("cat and dog", k=9).hits
        found = finder.search("cat and dog", k=9, reranker=reranker)
        assert found.reranked == len(found.hits) == len(plain)
        assert [hit.rank for hit in found.hits] == list(range(1, len(plain) + 1))
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        by_document = {hit.document: hit for hit in plain}
        for hit in found.hits:
            assert hit.found_rank == by_document[hit.document].rank
            assert hit.bi_score == by_document[hit.document].bi_score
            assert hit.cross_score is not None
            assert hit.score == reread(hit.cross_score, by_document[hit.document].score)

    def test_results_in_hand_are_reranked_without_another_search(
        self, finder: Searcher, reranker: CrossEncoder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = finder.search("cat and dog", k=9, reranker=reranker)
        plain = finder.search("cat and dog", k=9)
        monkeypatch.setattr(finder, "search", None)
        once = finder.rerank(plain, reranker, 9, 100)
        assert once.hits == whole.hits
        assert finder.rerank(once, reranker, 9, 100) == once

    def test_the_first_are_published_before_the_rest_is_scored(
        self, finder: Searcher, reranker: CrossEncoder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = finder.search("cat and dog", k=9, reranker=reranker)
        monkeypatch.setattr("explorer.workspace.search.search.FIRST_RERANKED", 3)
        published: list[Results] = []
        found = finder.search("cat and dog", k=9, reranker=reranker, task=Task(on_partial=published.append))
        assert [hit.document for hit in found.hits] == [hit.document for hit in whole.hits]
        assert found.reranked == whole.reranked > 3
        (first,) = published
        assert first.reranked == 3
        assert {hit.found_rank for hit in first.hits[:3]} == {1, 2, 3}
        assert [hit.cross_score is not None for hit in first.hits] == [True] * 3 + [False] * (len(first.hits) - 3)

    def test_without_time_the_order_stays(self, finder: Searcher, reranker: CrossEncoder) -> None:
        plain = finder.search("cat", k=5).hits
        found = finder.search("cat", k=5, reranker=reranker, seconds=0)
        assert found.hits == plain
        assert found.reranked == 0
        assert all(hit.cross_score is None for hit in found.hits)

    def test_conditions_alone_are_not_reranked(self, finder: Searcher, reranker: CrossEncoder) -> None:
        found = finder.search("folder:sea", reranker=reranker)
        assert len(found.hits) == 2
        assert found.reranked == 0

    def test_cancelling_ends_it(self, finder: Searcher, reranker: CrossEncoder) -> None:
        task = Task(lambda progress: task.cancel() if progress.note == "scoring" else None)
        with pytest.raises(Cancelled):
            finder.search("cat", reranker=reranker, task=task)
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            finder.search("cat", task=task)


class TestLargeFolders:
    @pytest.fixture
    def large(self, texts: Path, fresh: Searcher, monkeypatch: pytest.MonkeyPatch) -> Searcher:
        for number in range(60):
            (texts / f"more{number}.txt").write_text(
                f"The {'quick brown cold hot'.split()[number % 4]} house {number}."
            )
        fresh.workspace.update(fresh.encoder)
        monkeypatch.setattr(vectors_exact, "EXACT_LIMIT", 50)
        return fresh

    def test_they_are_searched_by_a_graph_that_is_kept(self, large: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
        exact = large.search("brown house", mode="semantic")
        assert exact.exact
        large.prepare()
        assert vector_search.hnsw_file(large.workspace, large.matrix().model).is_file()
        found = large.search("brown house", mode="semantic")
        assert not found.exact
        assert [hit.path for hit in found.hits] == [hit.path for hit in exact.hits]
        monkeypatch.setattr(vector_search.HnswIndex, "build", lambda *_, **__: pytest.fail("built again"))
        again = Searcher(large.workspace, large.encoder)
        again.prepare()
        assert again.search("brown house", mode="semantic") == found

    def test_hard_conditions_are_searched_exactly(self, large: Searcher) -> None:
        large.prepare()
        found = large.search("cat folder:animals", mode="semantic")
        assert found.exact
        assert {hit.path for hit in found.hits} == {"animals/cat.txt", "animals/dog.txt", "animals/both.txt"}

    @pytest.mark.parametrize("tail", [20_000, 0])
    def test_rows_that_came_and_went(
        self, texts: Path, large: Searcher, tail: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        large.prepare()
        monkeypatch.setattr(vector_search, "TAIL", tail)
        (texts / "animals/cat.txt").unlink()
        (texts / "late.txt").write_text("The king and queen ran over cold tea.")
        large.workspace.update(large.encoder)
        assert paths(large, "like:late.txt", "semantic")[0] == "late.txt"
        assert large.search("cat", mode="semantic").exact == (tail == 0)
        large.prepare()
        assert not large.search("cat", mode="semantic").exact
        assert paths(large, "like:late.txt", "semantic")[0] == "late.txt"
        assert "animals/cat.txt" not in paths(large, "cat", "semantic", k=200)

    @pytest.mark.parametrize("damage", [b"", b"no graph at all" * 50, None])
    def test_a_damaged_graph_is_built_anew(self, large: Searcher, damage: bytes | None) -> None:
        large.prepare()
        file = vector_search.hnsw_file(large.workspace, large.matrix().model)
        if damage is None:
            others = np.random.default_rng(0).normal(size=large.matrix().vectors.shape).astype(np.float32)
            vector_search.HnswIndex.build(others).save(file)
        else:
            file.write_bytes(damage)
        again = Searcher(large.workspace, large.encoder)
        assert again.search("cat", mode="semantic").exact
        again.prepare()
        assert not again.search("cat", mode="semantic").exact

    def test_repeated_questions_have_the_same_answer(self, large: Searcher) -> None:
        first = large.search("brown house", mode="semantic", k=100)
        assert large.search("brown house", mode="semantic", k=100) == first


def test_fields_find_what_they_name(fresh: Searcher) -> None:
    ids = {entry.path: entry.id for entry in fresh.workspace.documents()}
    user_words.add_tag(fresh.workspace, [ids["animals/cat.txt"], ids["sea/ship.md"]], "to read")
    user_words.add_tag(fresh.workspace, [ids["sea/ship.md"]], "ships")
    documents = np.array(sorted(ids.values()))
    labels = np.where(documents == ids["sea/queen.md"], 3, 8).astype(np.int32)
    save_labels(fresh.workspace, "clusters", cluster_labels(documents, labels, {3: "royal music", 8: "rest"}))

    def found(query: str) -> set[str]:
        return {hit.path for hit in fresh.search(query, mode="keyword", k=50).hits}

    assert found('tag:"to read"') == {"animals/cat.txt", "sea/ship.md"}
    assert found('tag:"to read" -tag:ships') == {"animals/cat.txt"}
    assert found("tag:ships tag:to*") == {"sea/ship.md"}
    assert found("cluster:music") == {"sea/queen.md"}
    assert found("path:ueen") == {"sea/queen.md"}
    assert found("folder:sea") == {"sea/ship.md", "sea/queen.md"}
    assert found("type:md -folder:animals") == {"sea/ship.md", "sea/queen.md"}
    assert found("category:x") == set()
    with pytest.raises(QueryError, match=r"no field tga.*tag:"):
        fresh.search("tga:x")
    assert fresh.search("12:30 http://a.b Re: cat").hits  # no fields


def test_quotation_marks_of_a_pasted_sentence_are_softened_with_a_notice(finder: Searcher) -> None:
    exact = finder.search('the cat "sat on the mat" at night', mode="keyword")
    assert [hit.path for hit in exact.hits] == ["animals/cat.txt"]
    assert exact.notices == ()
    soft = finder.search('a cat "who sat by the mat" at night', mode="keyword")
    assert "animals/cat.txt" in {hit.path for hit in soft.hits}
    assert "quotation marks" in soft.notices[0]
    assert finder.search('"who sat by the mat"', mode="keyword").hits == ()  # asked for by itself, it is a condition


def test_by_meaning_the_score_is_the_cosine(finder: Searcher) -> None:
    found = finder.search("cat", mode="semantic").hits
    assert [hit.score for hit in found] == [hit.bi_score for hit in found]
