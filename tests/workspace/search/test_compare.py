"""Comparing documents: aligned passages, what is in one only, quotations, and what a second model says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from explorer.analysis.topics.topic_words import count_terms
from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Task
from explorer.workspace.search import compare as search_compare
from explorer.workspace.search.compare import Comparison, compare
from explorer.workspace.search.search import Searcher, find_document
from explorer.workspace.workspace import Workspace
from tests.conftest import make_checkpoint

SOUP = "Rinse the red lentils, fry the onions in oil, add cumin and water, and simmer for twenty minutes. " * 8
STEW = "Wash lentils, brown some onions, pour in water with a little cumin, and let it cook gently. " * 8
ROCKET = "The rocket lifted off before dawn and put the satellite into a low orbit around the Earth. " * 8
RENT = "The tenant shall pay the rent on the first day of each month, without any deduction. " * 8
OTHERS = (
    "Hydrangeas are cut back in early spring.", "The match ended with a penalty in the last minute.",
    "Interest rates rose for the third time this year.", "The violin was tuned before the concert began.",
    "A new vaccine protects against the flu.", "The laptop takes ages to start in the morning.",
    "The train to the coast leaves at nine.", "Voters went to the polls in the northern province.",
    "The dog barked at the postman all day.", "Glaciers are melting faster than before.",
    "The museum bought a painting of the sea.", "Steel prices fell after the strike.",
    "The judge adjourned the hearing until May.", "Bees find their way by the light of the sun.",
    "The novel tells of three sisters.", "The bridge was closed because of ice.",
    "Teachers asked for smaller classes.", "The recipe for bread is very old.",
    "A whale was seen near the harbour.", "The password must have twelve letters.",
    "The tax office wants the form by June.", "Wool shrinks when it is washed hot.",
    "Coffee grows best in the shade.", "The clock in the tower stopped.",
    "The desert blooms after rain.", "Chess was played in the park.",
    "The ferry was late again.", "A comet can be seen this week.",
    "The dentist moved to another street.", "The cellar was full of wine.",
)  # fmt: skip
TEXTS = {
    "plan.txt": f"{SOUP}\n\n{ROCKET}\n\n{RENT}",
    "book.txt": f"{ROCKET}\n\n{STEW}",
    "soup.txt": SOUP,
    **{f"others/{number}.txt": text for number, text in enumerate(OTHERS)},
}


def opened(root: Path, encoder: BiEncoder, texts: dict[str, str]) -> Iterator[Searcher]:
    for name, text in texts.items():
        (root / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "texts" / name).write_text(text, encoding="utf-8")
    with Workspace(root / "workspace", root / "texts", writable=True) as workspace:
        workspace.update(encoder)
        yield Searcher(workspace, encoder)


@pytest.fixture(scope="module")
def finder(bundled: BiEncoder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    yield from opened(tmp_path_factory.mktemp("comparison"), bundled, TEXTS)


@pytest.fixture
def small(tiny: Path, tmp_path: Path) -> Iterator[Searcher]:
    """Two long documents of a tiny model, alone in their folder."""
    texts = {
        name: "\n\n".join(" ".join(["cat moon", word] * 15) for word in words.split())
        for name, words in (("a.txt", "dog ship sea king queen tea"), ("b.txt", "tea dog river stone house"))
    }
    yield from opened(tmp_path, BiEncoder.open(tiny, choose("cpu", precision="float32")), texts)


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoder:
    return CrossEncoder.open(
        make_checkpoint(tmp_path_factory.mktemp("cross") / "model", "bert", classes=1),
        choose("cpu", precision="float32"),
    )


def told(finder: Searcher, first: str, second: str, **options: object) -> Comparison:
    ids = [find_document(finder.workspace, name).id for name in (first, second)]
    return compare(finder.workspace, finder.matrix(), *ids, encoder=finder.encoder, **options)


@pytest.mark.bundled
class TestMeaning:
    def test_what_both_say_is_aligned_and_what_one_says_is_marked(self, finder: Searcher) -> None:
        found = told(finder, "plan.txt", "book.txt")
        for one in found.first.passages:
            assert one.matched == ("tenant" not in one.text), one
            other = found.second.passages[one.best].text
            assert ("rocket" in one.text) == ("rocket" in other) or not one.matched
        assert all(one.matched for one in found.second.passages)
        rent = sum(one.end - one.start for one in found.first.passages if "tenant" in one.text)
        whole = sum(one.end - one.start for one in found.first.passages)
        assert found.first.matched == pytest.approx(1 - rent / whole)
        assert found.second.matched == 1

    def test_the_nearest_pair_is_explained(self, finder: Searcher) -> None:
        found = told(finder, "plan.txt", "book.txt", explained=1)
        best, *rest = found.pairs
        assert "rocket" in found.first.passages[best.first].text
        assert best.why is not None
        assert best.why.method == "exact"
        assert best.why.cosine == pytest.approx(best.score, abs=2e-3)
        assert best.differences is not None
        assert [one.kind for one in best.differences] == ["same"]
        assert len(rest) + 1 == len(told(finder, "plan.txt", "book.txt", explained=99).pairs) > 1
        assert all(pair.why is None and pair.differences is None for pair in rest)

    def test_a_quotation_and_the_words(self, finder: Searcher) -> None:
        found = told(finder, "plan.txt", "book.txt")
        (run,) = found.runs
        assert TEXTS["plan.txt"][slice(*run.first)] == ROCKET.strip().removesuffix(".")
        shared, first = (" ".join(word.text for word in words) for words in (found.words.shared, found.words.first))
        assert "rocket" in shared
        assert "tenant" in first
        assert "tenant" not in shared

    def test_the_cosine_is_that_of_the_documents(self, finder: Searcher) -> None:
        found = told(finder, "plan.txt", "soup.txt")
        vectors = [finder.matrix().document_vector(side.entry.id) for side in (found.first, found.second)]
        assert found.cosine == pytest.approx(float(vectors[0] @ vectors[1]))
        assert 0.2 < found.cosine < 0.95

    def test_a_document_and_itself(self, finder: Searcher) -> None:
        found = told(finder, "plan.txt", "plan.txt")
        assert found.cosine == pytest.approx(1)
        assert (found.first.matched, found.second.matched) == (1, 1)
        assert all(pair.mutual for pair in found.pairs[: len(found.first.passages)])

    def test_strangers_have_nothing_in_common(self, finder: Searcher) -> None:
        found = told(finder, "others/0.txt", "others/1.txt")
        assert (found.first.matched, found.second.matched, found.runs) == (0, 0, ())


class TestScores:
    def test_passages_stand_where_the_document_has_them(self, small: Searcher) -> None:
        found = told(small, "a.txt", "b.txt")
        assert len(found.first.passages) > 1
        for side in (found.first, found.second):
            text = small.workspace.text(side.entry.id)
            assert all(text[one.start : one.end] == one.text for one in side.passages)
        for one, other in ((found.first, found.second), (found.second, found.first)):
            assert all(0 <= passage.best < len(other.passages) for passage in one.passages)

    def test_without_a_model_nothing_is_said_of_words(self, small: Searcher) -> None:
        matrix = small.matrix()
        first, second = np.unique(matrix.documents).tolist()
        found = compare(small.workspace, matrix, first, second)
        assert found.pairs[0].why is None
        assert found.pairs[0].differences is not None

    def test_the_cross_encoder_scores_the_nearest_pairs(
        self, small: Searcher, reranker: CrossEncoder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = told(small, "a.txt", "b.txt")
        assert all(pair.cross_score is None and pair.disagree is None for pair in plain.pairs)
        monkeypatch.setattr(search_compare, "RERANKED", 5)
        found = told(small, "a.txt", "b.txt", reranker=reranker)
        assert [pair.first for pair in found.pairs] == [pair.first for pair in plain.pairs]
        scored, rest = found.pairs[:5], found.pairs[5:]
        texts = [(found.first.passages[pair.first].text, found.second.passages[pair.second].text) for pair in scored]
        assert rest
        np.testing.assert_allclose([pair.cross_score for pair in scored], reranker.score(texts).relevance(), atol=1e-6)
        assert all(isinstance(pair.disagree, bool) for pair in scored)
        assert all(pair.cross_score is None for pair in rest)

    def test_what_cannot_be_compared_is_a_sentence(self, small: Searcher) -> None:
        workspace, matrix = small.workspace, small.matrix()
        first = int(matrix.documents[0])
        with pytest.raises(WorkspaceError, match="no document 99"):
            compare(workspace, matrix, first, 99)
        (workspace.root / "c.txt").write_text("The cat sat.")
        workspace.update(small.encoder)
        with pytest.raises(WorkspaceError, match=r"c\.txt: this document is not encoded yet"):
            compare(workspace, matrix, first, find_document(small.workspace, "c.txt").id)
        workspace.connection.execute("UPDATE documents SET text = ' ' WHERE id = ?", (first,))
        with pytest.raises(WorkspaceError, match=r"a\.txt: this document has no text"):
            compare(workspace, matrix, first, first)

    def test_it_can_be_cancelled(self, small: Searcher) -> None:
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            told(small, "a.txt", "b.txt", task=task)


def test_with_the_words_of_all_documents_rare_ones_come_first(small: Searcher) -> None:
    first, second = (find_document(small.workspace, name).id for name in ("a.txt", "b.txt"))
    only = {"ship", "sea", "king", "queen"}
    for rare in sorted(only):
        counts = count_terms([" ".join(only - {rare})] * 30)
        found = compare(small.workspace, small.matrix(), first, second, counts=counts).words.first
        assert found[0].text == rare
        assert {word.text for word in found} <= only
