"""clusters and trends as people and programs call them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer import paths
from explorer.workspace.storage.vectors.imported import import_vectors
from explorer.workspace.workspace import open_workspace
from tests.cli.conftest import Run
from tests.conftest import WORDS, Indexed

KEYS = {"id", "name", "named", "size", "cohesion", "stability", "words", "central"}


def by_id(data: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {one["id"]: one for one in data["clusters"]}


def members(run: Run, folder: Path) -> dict[str, int]:
    """The cluster of each document."""
    code, data, err = run("clusters", folder, "--members")
    assert code == 0, err
    found = {row["document"] + row["part"]: one["id"] for one in data["clusters"] for row in one["members"]}
    return found | {row["document"] + row["part"]: -1 for row in data["leftover_members"]}


def nodes(tree: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in tree:
        yield node
        yield from nodes(node["clusters"])


@pytest.mark.bundled
class TestTheSample:
    def test_the_json_says_all(self, run: Run, sample_copy: Path) -> None:
        code, data, err = run("clusters", sample_copy)
        assert (code, err) == (0, "")
        assert set(data) == {"documents", "leftovers", "leftover_share", "recipe", "clusters", "tree"}
        assert data["recipe"] == {"method": "leiden", "granularity": 0.5, "count": None, "seed": 0}
        assert data["tree"] is None
        assert sum(one["size"] for one in data["clusters"]) + data["leftovers"] == data["documents"]
        assert data["leftover_share"] == pytest.approx(data["leftovers"] / data["documents"])
        sizes = [one["size"] for one in data["clusters"]]
        assert sizes == sorted(sizes, reverse=True)
        for one in data["clusters"]:
            assert set(one) == KEYS
            assert one["stability"] is None
            assert not one["named"]
            assert 0 < one["cohesion"] <= 1
            # A word of the name may be the phrase that it belongs to: "water" as "drink water".
            assert any(word["text"] in one["name"].split(" · ")[0] for word in one["words"][:3])
            assert {tuple(sorted(row)) for row in one["central"]} == {("document", "part", "title")}

    def test_members_stability_and_tree_come_when_asked_for(self, run: Run, sample_copy: Path) -> None:
        code, data, _ = run("clusters", sample_copy, "--members", "--stability", "--tree")
        assert code == 0
        assert all(len(one["members"]) == one["size"] for one in data["clusters"])
        assert len(data["leftover_members"]) == data["leftovers"]
        assert all(0 <= one["stability"] <= 1 for one in data["clusters"])
        assert max(one["stability"] for one in data["clusters"]) > 0.7
        shown = [node for node in nodes(data["tree"]) if node["id"] is not None]
        assert {(node["id"], node["name"], node["size"]) for node in shown} == {
            (one["id"], one["name"], one["size"]) for one in data["clusters"]
        }
        for node in nodes(data["tree"]):
            assert set(node) == {"name", "id", "size", "clusters"}
            assert node["name"]
            inside = [one["size"] for one in node["clusters"]]
            assert not inside or (len(inside) > 1 and sum(inside) == node["size"])
        assert len(data["tree"]) < len(shown) < len(list(nodes(data["tree"])))

    def test_people_see_a_table_and_a_tree(self, run: Run, sample_copy: Path) -> None:
        _, data, _ = run("clusters", sample_copy)
        code, out, _ = run("clusters", sample_copy, "--tree", plain=True)
        assert code == 0
        lines = out.splitlines()
        assert lines[0].split() == ["id", "size", "cohesion", "name"]
        for line, one in zip(lines[2:], data["clusters"], strict=False):
            assert line.split()[:2] == [str(one["id"]), str(one["size"])]
            assert line.endswith(one["name"])
        assert f"{data['leftovers']} of 183 documents" in out
        assert any(line.startswith("    ") and " · " in line for line in lines)
        _, out, _ = run("clusters", sample_copy, "--stability", plain=True)
        assert out.splitlines()[0].split() == ["id", "size", "cohesion", "stability", "name"]

    def test_granularity_method_and_count_stay_until_others_are_asked_for(self, run: Run, sample_copy: Path) -> None:
        _, plain, _ = run("clusters", sample_copy)
        _, coarse, _ = run("clusters", sample_copy, "--granularity", 0)
        _, fine, _ = run("clusters", sample_copy, "--granularity", 1)
        assert len(coarse["clusters"]) < len(plain["clusters"]) < len(fine["clusters"])
        _, again, _ = run("clusters", sample_copy)
        assert (again["recipe"], again["clusters"]) == (fine["recipe"], fine["clusters"])
        _, counted, _ = run("clusters", sample_copy, "--method", "kmeans", "--count", 5)
        assert counted["recipe"] == {"method": "kmeans", "granularity": 0.5, "count": 5, "seed": 0}
        assert len(counted["clusters"]) == 5
        for method in ("hdbscan", "agglomerative"):
            code, data, err = run("clusters", sample_copy, "--method", method)
            assert code == 0, err
            assert len(data["clusters"]) > 1

    def test_leftovers_are_assigned_and_that_is_undone_at_once(self, run: Run, sample_copy: Path) -> None:
        out = ["cooking/browning-abstract.md", "climate/el-nino-explained.md"]
        run("clusters", sample_copy, "--move", -1, out[0], "--move", -1, out[1])
        alone = members(run, sample_copy)
        assert [alone[document] for document in out] == [-1, -1]
        code, data, _ = run("clusters", sample_copy, "--assign-leftovers")
        assert (code, data["leftovers"]) == (0, 0)
        whole = members(run, sample_copy)
        assert all(whole[document] == label for document, label in alone.items() if label >= 0)
        run("clusters", sample_copy, "--undo")
        assert members(run, sample_copy) == alone


@pytest.fixture
def animals(indexed: Indexed) -> Path:
    """Two clear groups and the cluster numbers that the changes below work on."""
    return indexed(
        {
            f"{name}{number}.txt": text
            for number in range(8)
            for name, text in (
                ("cat", f"the cat sat on the mat under the moon {WORDS[number]}"),
                ("sea", f"cold winter ship sails over the green sea {WORDS[number + 8]}"),
            )
        }
    )


def two(run: Run, folder: Path) -> tuple[int, int]:
    """Ids of the first two clusters, which there must be."""
    _, data, _ = run("clusters", folder, "--method", "kmeans", "--count", 2)
    first, second = (one["id"] for one in data["clusters"])
    return first, second


class TestChanges:
    def test_a_name_is_given_kept_and_taken_back(self, run: Run, animals: Path) -> None:
        first, second = two(run, animals)
        code, data, _ = run("clusters", animals, "--rename", first, "내 고양이")
        assert code == 0
        assert (by_id(data)[first]["name"], by_id(data)[first]["named"]) == ("내 고양이", True)
        assert not by_id(data)[second]["named"]
        _, data, _ = run("clusters", animals)
        assert by_id(data)[first]["name"] == "내 고양이"
        _, data, _ = run("clusters", animals, "--undo")
        assert not by_id(data)[first]["named"]

    def test_merge_split_and_undo(self, run: Run, animals: Path) -> None:
        first, second = two(run, animals)
        before = members(run, animals)
        _, data, _ = run("clusters", animals, "--merge", first, second)
        assert [(one["id"], one["size"]) for one in data["clusters"]] == [(first, 16)]
        _, data, _ = run("clusters", animals, "--split", first, "--parts", 2)
        assert [one["size"] for one in data["clusters"]] == [8, 8]
        assert second not in by_id(data)
        parts = members(run, animals)
        assert len({parts[name] for name in parts if name.startswith("cat")}) == 1
        run("clusters", animals, "--undo")
        _, data, _ = run("clusters", animals, "--undo")
        assert members(run, animals) == before
        assert set(by_id(data)) == {first, second}

    def test_documents_are_moved_and_taken_out(self, run: Run, animals: Path) -> None:
        two(run, animals)
        before = members(run, animals)
        code, data, _ = run("clusters", animals, "--move", before["sea0.txt"], "cat0.txt", "--move", -1, "cat1.txt")
        assert (code, data["leftovers"]) == (0, 1)
        assert members(run, animals) == before | {"cat0.txt": before["sea0.txt"], "cat1.txt": -1}
        run("clusters", animals, "--undo")  # one command, one change
        assert members(run, animals) == before

    def test_another_process_that_writes_leaves_looking_but_no_changing(self, run: Run, animals: Path) -> None:
        first, _ = two(run, animals)
        with open_workspace(animals):
            code, data, _ = run("clusters", animals)
            assert (code, first in by_id(data)) == (0, True)
            code, _, err = run("clusters", animals, "--rename", first, "mine")
        assert code == 1
        assert "reading only" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rename", 99, "x"], "There is no cluster 99"),
        (["--merge", 0, 99], "There is no cluster 99"),
        (["--merge", 0], "name at least two"),
        (["--merge", 0, 0], "name at least two"),
        (["--split", 99], "There is no cluster 99"),
        (["--split", 0, "--parts", 1], "choose from 2 to 50"),
        (["--move", 99, "cat0.txt"], "There is no cluster 99"),
        (["--move", 0, "nobody.txt"], "no document is called that"),
        (["--undo"], "no changes to undo"),
        (["--undo", "--rename", 0, "x"], "--undo cannot be combined"),
        (["--granularity", 1.5], "choose from 0"),
        (["--granularity", "nan"], "choose from 0"),
        (["--count", 0], "choose at least 1"),
        (["--model", "nosuch"], "no model and no folder has this name"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_changes_nothing(
    run: Run, animals: Path, arguments: list[object], sentence: str
) -> None:
    _, before, _ = run("clusters", animals)
    code, _, err = run("clusters", animals, *arguments)
    assert code == 1
    assert sentence in err
    assert "unexpected" not in err
    assert run("clusters", animals)[1] == before


@pytest.mark.parametrize(
    "arguments", [["--rename", "x", "y"], ["--rename", "1"], ["--method", "guess"], ["--merge", "a"]]
)
def test_bad_usage(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    assert run("clusters", tmp_path, *arguments)[0] == 2


@pytest.mark.parametrize("command", ["clusters", "trends"])
def test_a_folder_that_is_not_indexed_stays_without_a_workspace(run: Run, tmp_path: Path, command: str) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("the cat")
    code, _, err = run(command, texts)
    assert code == 1
    assert "not indexed yet" in err
    assert [path.name for path in paths.data().iterdir()] == ["logs"]
    code, _, err = run(command, tmp_path / "nowhere")
    assert (code, "no such folder" in err) == (1, True)


FEW: dict[str, dict[str, str]] = {
    "none": {},
    "one": {"a.txt": "the cat"},
    "two": {"a.txt": "the cat", "b.txt": "the green sea"},
    "three": {"a.txt": "the cat", "b.txt": "the green sea", "c.txt": "the king plays"},
    "identical": {f"{number}.txt": "the same cat" for number in range(12)},
    "empty": {f"{number}.txt": " \n" * number for number in range(5)},
    "signs": {f"{number}.txt": "?! " * number for number in range(1, 9)},
}


@pytest.mark.parametrize("texts", FEW.values(), ids=FEW)
def test_odd_folders(run: Run, indexed: Indexed, texts: dict[str, str]) -> None:
    root = indexed(texts)
    for plain in (False, True):
        code, data, err = run("clusters", root, "--stability", "--tree", "--assign-leftovers", plain=plain)
        assert (code, err) == (0, "")
        if not plain:
            assert sum(one["size"] for one in data["clusters"]) + data["leftovers"] == data["documents"]
            assert all(one["name"] for one in data["clusters"])
    for method in ("kmeans", "hdbscan", "agglomerative"):
        assert run("clusters", root, "--method", method)[0] == 0
    assert run("clusters", root, "--count", 3)[0] == 0
    code, data, err = run("trends", root)
    assert (code, data["starts"], err) == (0, [], "")


def test_vectors_of_ones_own_have_clusters(run: Run, animals: Path, tmp_path: Path) -> None:
    names = [f"{kind}{number}.txt" for kind in ("cat", "sea") for number in range(8)]
    vectors = np.eye(2)[[0, 1] * 8] + np.random.default_rng(0).normal(0, 0.05, (16, 2))
    np.save(tmp_path / "mine.npy", vectors.astype(np.float32))
    (tmp_path / "ids.txt").write_text("\n".join(names))
    with open_workspace(animals) as workspace:
        import_vectors(workspace, tmp_path / "mine.npy", tmp_path / "ids.txt")
    code, data, _ = run("clusters", animals, "--model", "mine", "--count", 2, "--method", "kmeans", "--members")
    assert code == 0
    halves = [{row["document"] for row in one["members"]} for one in data["clusters"]]
    assert sorted(map(sorted, halves)) == sorted([sorted(names[::2]), sorted(names[1::2])])


class TestTrends:
    @pytest.fixture
    def dated(self, indexed: Indexed) -> Path:
        """Cats are written about less and less, ships more and more."""
        rows = ["title,date,text"]
        for year in range(2000, 2012):
            for number in range(12):
                ship = number < year - 2000
                text = "cold winter ship sails over the sea" if ship else "the cat sat on the mat under the moon"
                rows.append(f"t{year}{number},{year}-0{1 + number % 9}-05,{text} {WORDS[number]}")
        rows.append("late,,the cat sat on the mat")
        return indexed({"rows.csv": "\n".join(rows) + "\n"})

    def test_the_json_says_all(self, run: Run, dated: Path) -> None:
        two(run, dated)
        code, data, err = run("trends", dated, "--unit", "year")
        assert (code, err) == (0, "")
        assert set(data) == {"unit", "starts", "totals", "undated", "implausible", "outside", "clusters"}
        assert data["unit"] == "year"
        assert data["starts"] == [f"{year}-01-01" for year in range(2000, 2012)]
        assert data["totals"] == [12] * 12
        assert (data["undated"], data["implausible"], data["outside"]) == (1, 0, 0)
        keys = {"cluster", "name", "direction", "slope", "p", "counts", "shares"}
        assert all(set(row) == keys for row in data["clusters"])
        found = {row["direction"]: row for row in data["clusters"]}
        assert found["rising"]["counts"] == list(range(12))
        assert found["falling"]["shares"] == pytest.approx([(12 - year) / 12 for year in range(12)])
        assert found["rising"]["slope"] > 0.05
        assert found["rising"]["p"] < 0.001

    def test_people_see_directions(self, run: Run, dated: Path) -> None:
        two(run, dated)
        code, out, _ = run("trends", dated, "--unit", "year", plain=True)
        assert code == 0
        assert out.startswith("2000-01-01 to 2011-01-01 by year; 1 document")
        assert "rising" in out
        assert "falling" in out

    def test_a_field_without_dates_is_a_sentence(self, run: Run, dated: Path) -> None:
        code, out, _ = run("trends", dated, "--field", "title", plain=True)
        assert code == 0
        assert "No document has a date in “title”" in out

    def test_files_have_a_day_of_change(self, run: Run, dated: Path) -> None:
        _, data, _ = run("trends", dated, "--field", "modified")
        assert (len(data["starts"]), data["undated"]) == (1, 0)


def test_a_changed_cluster_survives_an_update(run: Run, animals: Path, indexed: Indexed) -> None:
    first, _ = two(run, animals)
    run("clusters", animals, "--rename", first, "mine")
    before = members(run, animals)
    indexed({"cat99.txt": "the cat sat on the mat under the moon bright"})
    after = members(run, animals)
    assert {name: label for name, label in after.items() if name != "cat99.txt"} == before
    _, data, _ = run("clusters", animals)
    assert by_id(data)[first]["name"] == "mine"


@pytest.mark.parametrize("spoilt", ["{", "[]", "3", '{"recipe": 3}', '{"recipe": {"method": "guess"}}'])
def test_a_spoilt_note_of_the_last_run_is_passed_over(run: Run, animals: Path, spoilt: str) -> None:
    first, second = two(run, animals)
    with open_workspace(animals) as workspace:
        workspace.set_meta("clusters", spoilt)
        workspace.set_setting("clusters", spoilt)
    code, data, err = run("clusters", animals)
    assert (code, err) == (0, "")
    assert data["recipe"]["method"] == "leiden"
    fresh = set(by_id(data)) - {first, second}
    assert all(number > max(first, second) for number in fresh)
