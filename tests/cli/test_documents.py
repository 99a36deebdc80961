"""keywords, classify and outliers as people and programs call them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from explorer import paths
from explorer.models.bi_encoder import BiEncoder
from explorer.workspace.storage.vectors.imported import import_vectors
from explorer.workspace.workspace import Workspace, open_workspace
from tests.cli.conftest import Run
from tests.cli.test_clusters import FEW
from tests.conftest import WORDS, Indexed

RECIPE, SPACE = "cooking/browning-abstract.md", "space/parker-solar-probe.txt"
TEXTS = {
    **{f"cat{number}.txt": f"the cat sat on the mat {WORDS[number]}" for number in range(8)},
    **{f"sea{number}.txt": f"cold ship sails over the sea {WORDS[number]}" for number in range(8)},
}


@pytest.fixture
def texts(indexed: Indexed) -> Path:
    return indexed(TEXTS)


@pytest.fixture
def own(texts: Path, tmp_path: Path) -> Path:
    """The same folder with vectors of the user's own: even numbers are alike, and odd ones."""
    rows = np.eye(2)[[int(name[3]) % 2 for name in TEXTS]] + 0.01
    np.save(tmp_path / "mine.npy", rows.astype(np.float32))
    (tmp_path / "ids.txt").write_text("\n".join(TEXTS))
    with open_workspace(texts) as workspace:
        import_vectors(workspace, tmp_path / "mine.npy", tmp_path / "ids.txt")
    return texts


class TestKeywords:
    @pytest.mark.bundled
    def test_the_json_says_all(self, run: Run, sample_copy: Path) -> None:
        code, data, err = run("keywords", sample_copy, RECIPE, SPACE)
        assert (code, err) == (0, "")
        assert [row["document"] for row in data] == [RECIPE, SPACE]
        for row in data:
            assert set(row) == {"document", "part", "title", "keywords"}
            assert 3 <= len(row["keywords"]) <= 10
            text = read(sample_copy, row["document"])
            scores = [word["score"] for word in row["keywords"]]
            assert scores == sorted(scores, reverse=True)
            for word in row["keywords"]:
                assert set(word) == {"text", "score", "spans"}
                assert {text[start:end].casefold() for start, end in word["spans"]} & {word["text"].casefold()}
        assert any("onion" in word["text"] for word in data[0]["keywords"])
        assert any("sun" in word["text"].lower() or "solar" in word["text"].lower() for word in data[1]["keywords"])

    @pytest.mark.bundled
    def test_people_see_one_line_a_document(self, run: Run, sample_copy: Path) -> None:
        code, out, _ = run("keywords", sample_copy, RECIPE, "--count", 3, plain=True)
        assert code == 0
        (line,) = out.splitlines()
        assert line.startswith(RECIPE)
        assert line.count(" · ") == 2

    @pytest.mark.bundled
    def test_korean_comes_without_particles(self, run: Run, sample_copy: Path) -> None:
        _, listed, _ = run("documents", sample_copy)
        korean = next(row for row in listed if row["language"] == "ko" and row["characters"] > 300)
        _, data, _ = run("keywords", sample_copy, korean["document"])
        words = [word["text"] for word in data[0]["keywords"]]
        assert words
        assert not [word for word in words if word.endswith(("에서", "으로", "는", "을", "를"))]

    def test_the_model_of_the_vectors_is_found_by_its_folder(self, run: Run, texts: Path, tiny: Path) -> None:
        code, data, err = run("keywords", texts, "cat0.txt", "--model", tiny)
        assert (code, err) == (0, "")
        assert all(-1 <= word["score"] <= 1 for word in data[0]["keywords"])

    def test_without_the_model_words_come_by_rarity(self, run: Run, texts: Path) -> None:
        code, data, err = run("keywords", texts, "sea3.txt")  # of a model that is in no folder of models
        assert (code, err) == (0, "")
        assert {"ship", "sea"} & {part for word in data[0]["keywords"] for part in word["text"].split()}

    def test_vectors_of_ones_own_need_no_model(self, run: Run, own: Path) -> None:
        code, data, err = run("keywords", own, "sea3.txt", "--model", "own")
        assert (code, err) == (0, "")
        assert data[0]["keywords"]

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [(["nobody.txt"], "no document is called that"), (["cat1.txt", "--count", 0], "choose at least 1")],
    )
    def test_what_cannot_be_told_is_a_sentence(
        self, run: Run, texts: Path, arguments: list[object], sentence: str
    ) -> None:
        code, _, err = run("keywords", texts, *arguments)
        assert code == 1
        assert sentence in err

    def test_a_document_without_words_has_none(self, run: Run, indexed: Indexed) -> None:
        root = indexed({"a.txt": "?! ?!", "b.txt": "12 34"})
        code, data, err = run("keywords", root, "a.txt", "b.txt")
        assert (code, err) == (0, "")
        assert [row["keywords"] for row in data] == [[], []]


def read(folder: Path, document: str) -> str:
    with open_workspace(folder, writable=False) as workspace:
        number = next(entry.id for entry in workspace.documents() if entry.path == document)
        return workspace.text(number)


class TestClassify:
    @pytest.mark.bundled
    def test_the_json_says_all(self, run: Run, sample_copy: Path) -> None:
        code, data, err = run(
            "classify",
            sample_copy,
            "--category",
            "cooking=recipes, food and kitchens",
            "--category",
            "football",
            "--example",
            f"outer space={SPACE}",
            "--example",
            "outer space=space/solar-sail-faq.html",
        )
        assert (code, err) == (0, "")
        assert set(data) == {"categories", "none", "documents"}
        assert [row["name"] for row in data["categories"]] == ["cooking", "football", "outer space"]
        keys = {"document", "part", "title", "category", "confidence"}
        assert all(set(row) == keys and 0 <= row["confidence"] <= 1 for row in data["documents"])
        counted = [row["category"] for row in data["documents"]]
        assert [row["documents"] for row in data["categories"]] == [
            counted.count(row["name"]) for row in data["categories"]
        ]
        assert data["none"] == counted.count(None) > 0
        assert len(counted) == 183
        given = {row["document"]: row for row in data["documents"]}
        assert (given[SPACE]["category"], given[SPACE]["confidence"]) == ("outer space", 1)
        folders = {"cooking": "cooking", "football": "football", "space": "outer space"}
        right = [
            row["category"] == folders[folder]
            for row in data["documents"]
            if row["category"] and (folder := row["document"].partition("/")[0]) in folders
        ]
        assert len(right) > 20
        assert np.mean(right) > 0.9

    @pytest.mark.bundled
    def test_people_see_sums_and_the_first_documents(self, run: Run, sample_copy: Path) -> None:
        code, out, _ = run("classify", sample_copy, "--category", "cooking", "--show", 2, plain=True)
        assert code == 0
        lines = out.splitlines()
        assert lines[0].split() == ["category", "documents"]
        assert any(line.startswith("none of these") for line in lines)
        assert lines[-1] == "… and 181 more; --json lists all"

    def test_examples_alone_need_no_model(self, run: Run, own: Path) -> None:
        for model in ([], ["--model", "own"]):
            code, data, err = run("classify", own, "--example", "cats=cat0.txt", "--example", "ships=sea1.txt", *model)
            assert (code, err) == (0, "")
        found = {row["document"]: row["category"] for row in data["documents"]}
        assert {found[name] for name in TEXTS if int(name[3]) % 2} <= {"ships", None}
        assert found["cat0.txt"] == "cats"

    def test_a_threshold_of_0_gives_each_one_a_category(self, run: Run, texts: Path, tiny: Path) -> None:
        words = ["classify", texts, "--category", "cat", "--category", "ship", "--model", tiny]
        code, data, _ = run(*words, "--threshold", 0)
        assert (code, data["none"]) == (0, 0)
        _, data, _ = run(*words, "--threshold", 1)
        assert data["none"] == 16

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ([], "Give at least one category"),
            (["--category", "cat"], "the model that made the vectors"),
            (["--category", "cat", "--model", "own"], "not clear which vectors of your own"),
            (["--example", "cat=nobody.txt"], "no document is called that"),
            (["--example", "cat=cat0.txt", "--threshold", 2], "choose from 0 to 1"),
        ],
    )
    def test_what_cannot_be_done_is_a_sentence(
        self, run: Run, texts: Path, arguments: list[object], sentence: str
    ) -> None:
        code, _, err = run("classify", texts, *arguments)
        assert code == 1
        assert sentence in err
        assert "unexpected" not in err

    @pytest.mark.parametrize("arguments", [["--category", "=x"], ["--example", "x"], ["--threshold", "high"]])
    def test_bad_usage(self, run: Run, tmp_path: Path, arguments: list[str]) -> None:
        assert run("classify", tmp_path, *arguments)[0] == 2


@pytest.fixture(scope="module")
def mixed(bundled: BiEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of forty notes on soup and one on something else."""
    root = tmp_path_factory.mktemp("mixed")
    (root / "texts").mkdir()
    for number in range(40):
        text = f"Cook the soup with {number + 2} onions and a spoon of salt"
        (root / "texts" / f"{number:02}.txt").write_text(text)
    (root / "texts" / "odd.txt").write_text("The supreme court heard the appeal about maritime patents.")
    with Workspace(root / "workspace", root / "texts", writable=True) as workspace:
        workspace.update(bundled)
    return root / "workspace"


class TestOutliers:
    @pytest.mark.bundled
    def test_the_json_says_all(self, run: Run, mixed: Path) -> None:
        code, data, err = run("outliers", mixed)
        assert (code, err) == (0, "")
        assert set(data[0]) == {"rank", "document", "part", "title", "score", "reasons"}
        assert (data[0]["rank"], data[0]["document"]) == (1, "odd.txt")
        assert data[0]["score"] > 2.5
        assert {"kind", "sentence"} == set(data[0]["reasons"][0])
        assert data[0]["reasons"][0]["kind"] == "far"
        assert "far from every other document" in data[0]["reasons"][0]["sentence"]
        assert run("outliers", mixed, "-k", 0)[1] == []

    @pytest.mark.bundled
    def test_people_see_the_reason_below(self, run: Run, mixed: Path) -> None:
        code, out, _ = run("outliers", mixed, plain=True)
        assert code == 0
        first, second = out.splitlines()[:2]
        assert first.split()[0] == "1"
        assert first.endswith("odd.txt")
        assert second.strip().startswith("It is far from every other document")

    def test_where_nothing_stands_apart_that_is_said(self, run: Run, indexed: Indexed) -> None:
        code, out, _ = run("outliers", indexed({"a.txt": "the cat", "b.txt": "the sea"}), plain=True)
        assert (code, out) == (0, "No outliers found.\n")

    def test_an_infinite_score_is_none_in_json(self, run: Run, texts: Path) -> None:
        with open_workspace(texts) as workspace:
            (model,) = workspace.models()
            rows = np.memmap(workspace.vector_file(model).path, np.float16, "r+").reshape(-1, model.dimension)
            rows[0] = 0
            rows.flush()
            del rows
        code, data, err = run("outliers", texts)
        assert (code, err) == (0, "")
        assert (data[0]["score"], data[0]["reasons"][0]["kind"]) == (None, "empty")
        code, out, _ = run("outliers", texts, plain=True)
        assert (code, "inf" in out) == (0, False)


@pytest.mark.parametrize(
    "words", [["keywords", "a.txt"], ["classify", "--category", "x"], ["outliers"]], ids=lambda words: words[0]
)
def test_a_folder_that_is_not_indexed_stays_without_a_workspace(run: Run, tmp_path: Path, words: list[str]) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("the cat")
    code, _, err = run(words[0], texts, *words[1:])
    assert code == 1
    assert "not indexed yet" in err
    assert [path.name for path in paths.data().iterdir()] == ["logs"]


@pytest.mark.parametrize("texts", FEW.values(), ids=FEW)
def test_odd_folders(run: Run, indexed: Indexed, tiny: Path, texts: dict[str, str]) -> None:
    root = indexed(texts)
    for plain in (False, True):
        code, _, err = run("outliers", root, plain=plain)
        assert (code, err) == (0, "")
        code, data, err = run("classify", root, "--category", "cat", "--category", "sea", "--model", tiny, plain=plain)
        assert (code, err) == (0, "")
        if not plain:
            assert sum(row["documents"] for row in data["categories"]) + data["none"] == len(data["documents"])
    _, listed, _ = run("documents", root)
    for row in listed[:2]:
        code, _, err = run("keywords", root, row["document"], "--model", tiny)
        assert code == 0 or "is not encoded" in err
