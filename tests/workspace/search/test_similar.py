"""What is like what: neighbours of documents and passages, duplicates without chains or foreign languages."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Task
from explorer.workspace.search import duplicates as search_duplicates
from explorer.workspace.search import similar
from explorer.workspace.search.duplicates import DuplicateGroups
from explorer.workspace.search.search import Searcher, find_document
from explorer.workspace.workspace import Workspace

SOUP = "Rinse the red lentils, fry the onions in oil, add cumin and water, and simmer for twenty minutes."
SOUP_AGAIN = "Rinse the red lentils, fry onions in oil, add the cumin and water and simmer it for twenty minutes."
ROCKET = "The rocket lifted off before dawn and put the satellite into a low orbit around the Earth."
RENT = "The tenant shall pay the rent on the first day of each month, without deduction."
KOREAN = ("수국은 이른 봄에 가지를 잘라 줍니다.", "전세 보증금은 계약이 끝나는 날 돌려줍니다.")
FILLER = "\n\n".join(
    f"Chapter {n}. {ROCKET} Then, in part {n}, the crew of {n} people slept, ate and measured dust." * 4
    for n in range(4)
)
TEXTS = {
    "soup.txt": SOUP,
    "soup again.txt": SOUP_AGAIN,
    "rocket.txt": ROCKET,
    "rent.txt": RENT,
    "copy of rent.txt": RENT,
    "수국.txt": KOREAN[0],
    "전세.txt": KOREAN[1],
    "복사.txt": KOREAN[0],
    "book.txt": f"{FILLER}\n\nA recipe\n\n{f'{SOUP} ' * 8}",
}


@pytest.fixture(scope="module")
def finder(bundled: BiEncoder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    root = tmp_path_factory.mktemp("alike")
    (root / "texts").mkdir()
    for name, text in TEXTS.items():
        (root / "texts" / name).write_text(text, encoding="utf-8")
    with Workspace(root / "workspace", root / "texts", writable=True) as workspace:
        workspace.update(bundled)
        yield Searcher(workspace, bundled, ("en",))


def named(finder: Searcher, found: DuplicateGroups, kind: str) -> list[set[str]]:
    return [
        {finder.workspace.document(place.document).path for place in group.places}
        for group in found.groups
        if group.kind == kind
    ]


@pytest.mark.bundled
class TestNeighbours:
    def test_the_likeness_comes_first_and_the_asked_one_never(self, finder: Searcher) -> None:
        soup = find_document(finder.workspace, "soup.txt").id
        for metric in ("cosine", "euclidean"):
            found = similar.neighbours(finder.matrix(), [soup], metric=metric)
            assert len(found) == len(TEXTS) - 1
            assert finder.workspace.document(found[0].document).path == "soup again.txt"
            assert soup not in [one.document for one in found]

    def test_away_from_another(self, finder: Searcher) -> None:
        book, rocket = (
            find_document(finder.workspace, "book.txt").id,
            find_document(finder.workspace, "rocket.txt").id,
        )
        plain = similar.neighbours(finder.matrix(), [book])
        away = similar.neighbours(finder.matrix(), [book], [rocket])
        assert finder.workspace.document(plain[0].document).path == "rocket.txt"
        assert rocket not in [one.document for one in away]

    def test_of_a_pasted_text(self, finder: Searcher) -> None:
        vector = finder.encoder.encode(["a launch into space"], role="document").whole()[0]
        (found,) = similar.neighbours(finder.matrix(), vector=vector, k=1)
        assert finder.workspace.document(found.document).path in {"rocket.txt", "book.txt"}

    def test_a_document_that_is_not_there(self, finder: Searcher) -> None:
        with pytest.raises(WorkspaceError, match="not encoded yet"):
            similar.neighbours(finder.matrix(), [999])

    def test_of_a_passage_are_passages_of_other_documents(self, finder: Searcher) -> None:
        book = find_document(finder.workspace, "book.txt")
        start = finder.workspace.text(book.id).index("red lentils")
        found, exact = similar.passage_neighbours(finder.workspace, finder.vector_search(), book.id, start, k=3)
        assert exact
        assert finder.workspace.document(found[0].location.document).path in {"soup.txt", "soup again.txt"}
        assert book.id not in [one.location.document for one in found]
        for one in found:
            text = finder.workspace.text(one.location.document)
            assert one.text == text[one.location.start : one.location.end]
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        for place in (10**9, -1):
            with pytest.raises(WorkspaceError, match=f"no encoded passage at character {place}"):
                similar.passage_neighbours(finder.workspace, finder.vector_search(), book.id, place)


@pytest.mark.bundled
class TestDuplicates:
    def test_exact_near_and_in_passages(self, finder: Searcher) -> None:
        found = search_duplicates.duplicates(finder.workspace, finder.matrix(), 0.9, languages=("en",))
        assert {"rent.txt", "copy of rent.txt"} in named(finder, found, "exact")
        assert named(finder, found, "near") == [{"soup.txt", "soup again.txt"}]
        assert all(0.9 <= group.score <= 1 for group in found.groups if group.kind == "near")

    def test_languages_the_model_cannot_read_are_compared_only_as_they_stand(self, finder: Searcher) -> None:
        everything = search_duplicates.duplicates(finder.workspace, finder.matrix(), 0.3)
        assert everything.left_out == 0
        found = search_duplicates.duplicates(finder.workspace, finder.matrix(), 0.3, languages=("en",))
        assert found.left_out == 3
        assert {"수국.txt", "복사.txt"} in named(finder, found, "exact")
        for kind in ("near", "passage"):
            assert not any({"수국.txt", "전세.txt", "복사.txt"} & group for group in named(finder, found, kind))


@pytest.mark.parametrize(
    ("languages", "spoken", "wanted"),
    [
        ((), "ko", True),
        (("en",), "ko", False),
        (("en",), "latin", False),
        (("en", "de"), "latin", True),
        (("en", "ko"), "latin", False),
        (("*",), "th", True),
        (("en",), "", True),
    ],
)
def test_what_a_model_reads(languages: tuple[str, ...], spoken: str, wanted: bool) -> None:
    assert similar.reads(languages, spoken) is wanted


def test_a_chain_of_small_steps_is_no_group() -> None:
    angles = np.arange(0, 1.6, 0.1)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    groups = search_duplicates._groups(circle, np.arange(len(circle)) + 100, float(np.cos(0.25)), Task())
    assert max(len(members) for members, _ in groups) == 3
    for members, score in groups:
        rows = circle[np.array(members) - 100]
        assert (rows @ rows[0] >= np.cos(0.25) - 1e-6).all()
        assert score == pytest.approx((rows @ rows.T).min(), abs=1e-6)
    taken = [member for members, _ in groups for member in members]
    assert len(taken) == len(set(taken))
