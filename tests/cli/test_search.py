"""search, neighbours and duplicates as people and programs call them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.cli import main as cli_main
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.storage.vectors.imported import import_vectors
from explorer.workspace.workspace import open_workspace

Ask = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], tiny: Path, tmp_path: Path) -> Ask:
    """Indexes a small folder, then runs commands on it: exit code, what --json printed, and what went wrong."""
    root = tmp_path / "texts"
    (root / "deep").mkdir(parents=True)
    (root / "cat.txt").write_text("The cat sat on the mat.")
    (root / "copy.txt").write_text("The cat sat on the mat.")
    (root / "deep/sea: ship.txt").write_text("The ship sails the cold sea. " * 30)
    (root / "한글.txt").write_text("고양이가 달을 봅니다.", encoding="utf-8")
    with open_workspace(root) as workspace:
        workspace.update(BiEncoder.open(tiny, choose("cpu", precision="float32")))

    def ask(command: str, *arguments: object, json_too: bool = True) -> tuple[int, Any, str]:
        capsys.readouterr()
        words = [command, str(root), *map(str, arguments), "--model", str(tiny), "--device", "cpu"]
        code = cli_main.main([*words, "--json"] if json_too else words)
        out, err = capsys.readouterr()
        return code, json.loads(out) if json_too and code == 0 else out, err

    return ask


@pytest.fixture
def own(tmp_path: Path) -> None:
    """Vectors of the user's own: the cat is near to the ship, and far from the Korean text."""
    rows = {"cat.txt": [1.0, 0.0], "한글.txt": [-1.0, 0.1], "deep/sea: ship.txt": [1.0, 0.1]}
    np.save(tmp_path / "mine.npy", np.array(list(rows.values()), dtype=np.float32))
    (tmp_path / "ids.txt").write_text("\n".join(rows), encoding="utf-8")
    with open_workspace(tmp_path / "texts") as workspace:
        import_vectors(workspace, tmp_path / "mine.npy", tmp_path / "ids.txt")


@pytest.mark.parametrize("name", ["own", "mine"])
def test_neighbours_by_vectors_of_ones_own(
    ask: Ask, own: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    words = ["neighbours", str(tmp_path / "texts"), "cat.txt", "--json", "--model", name]
    assert cli_main.main(words) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["document"] for row in rows] == ["copy.txt", "deep/sea: ship.txt", "한글.txt"]
    assert cli_main.main([*words, "--text", "cat"]) == 1
    assert "imported vectors" in capsys.readouterr().err
    assert cli_main.main(["search", str(tmp_path / "texts"), "cat", "--model", name]) == 1
    assert "imported vectors" in capsys.readouterr().err


def test_own_vectors_that_are_not_there_are_a_sentence(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli_main.main(["neighbours", str(tmp_path / "texts"), "cat.txt", "--model", "own"]) == 1
    assert "--import" in capsys.readouterr().err


def test_search_tells_where_and_how_it_looked(ask: Ask) -> None:
    code, data, _ = ask("search", "cat")
    assert code == 0
    assert data["exact"] is True
    assert data["hits"][0]["document"] in {"cat.txt", "copy.txt"}
    assert data["hits"][0]["text"] == "The cat sat on the mat."
    code, out, _ = ask("search", "cat folder:deep", "--mode", "keyword", json_too=False)
    assert (code, out) == (0, "No results.\n")


def test_a_query_that_cannot_be_understood_is_a_sentence(ask: Ask) -> None:
    code, _, err = ask("search", 'cat "sat')
    assert code != 0
    assert "At character 5 of the query" in err


def test_neighbours_of_a_document(ask: Ask) -> None:
    code, data, _ = ask("neighbours", "cat.txt", "-k", 2)
    assert code == 0
    assert data[0]["document"] == "copy.txt"
    assert len(data) == 2


def test_neighbours_of_a_passage(ask: Ask) -> None:
    code, data, _ = ask("neighbours", "--passage", "deep/sea: ship.txt:100")
    assert code == 0
    assert data["exact"] is True
    assert {row["document"] for row in data["passages"]} == {"cat.txt", "copy.txt", "한글.txt"}
    cat = next(row for row in data["passages"] if row["document"] == "cat.txt")
    assert (cat["start"], cat["end"], cat["text"]) == (0, 23, "The cat sat on the mat.")
    code, out, _ = ask("neighbours", "--passage", "cat.txt:0", json_too=False)
    assert code == 0
    assert "copy.txt" in out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--passage", "cat.txt"], "not of the form DOCUMENT:START"),
        (["--passage", "cat.txt:99999"], "no encoded passage at character 99999"),
        (["--passage", "dog.txt:1"], "no document is called that"),
        (["--passage", "cat.txt:1", "--text", "dog"], "--passage cannot be combined"),
        ([], "Name a document"),
    ],
)
def test_neighbours_of_nothing_are_a_sentence(ask: Ask, arguments: list[str], sentence: str) -> None:
    code, _, err = ask("neighbours", *arguments)
    assert code != 0
    assert sentence in err


def test_duplicates_are_grouped(ask: Ask) -> None:
    code, data, _ = ask("duplicates", "--threshold", 0.9999)
    assert code == 0
    assert data["left_out"] == 0
    (exact,) = [group for group in data["groups"] if group["kind"] == "exact"]
    assert {place["document"] for place in exact["places"]} == {"cat.txt", "copy.txt"}
    code, out, _ = ask("duplicates", "--threshold", 0.9999, json_too=False)
    assert "exact  1.0000\n    cat.txt\n    copy.txt" in out
