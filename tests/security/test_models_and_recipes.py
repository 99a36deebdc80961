"""Models, workspaces and recipes as attackers: none of them runs anything."""

from __future__ import annotations

import json
import pickle
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.security.conftest import Watched


class Attack:
    """Touches a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (open, (str(self.mark), "w"))  # type: ignore[return-value]


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What an attack would leave behind."""
    return tmp_path / "pwned"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in (("a.txt", "cold winter river"), ("b.txt", "hot summer sea"), ("c.txt", "a loud king")):
        (folder / name).write_text(text)
    return folder


def test_pickled_weights_are_refused_unopened(
    tmp_path: Path, tiny: Path, mark: Path, watched: Watched
) -> None:
    model = Path(shutil.copytree(tiny, tmp_path / "model"))
    (model / "model.safetensors").unlink()
    (model / "pytorch_model.bin").write_bytes(pickle.dumps(Attack(mark)))
    (tmp_path / "lines.txt").write_text("cold\n")

    told = watched(
        ["encode", tmp_path / "lines.txt", "--model", model, "--out", tmp_path / "record" / "v.npy"]
    )

    assert told["codes"] == [1]
    assert "safetensors" in told["said"]
    assert told["pickles"] == []
    assert not mark.exists()


def test_code_of_a_model_is_refused_unread(tmp_path: Path, tiny: Path, mark: Path, watched: Watched) -> None:
    model = Path(shutil.copytree(tiny, tmp_path / "model"))
    config = json.loads((model / "config.json").read_text())
    config["auto_map"] = {"AutoModel": "attack.Model", "AutoConfig": "attack.Config"}
    (model / "config.json").write_text(json.dumps(config))
    (model / "attack.py").write_text(f"open({str(mark)!r}, 'w')")
    (tmp_path / "lines.txt").write_text("cold\n")

    told = watched(
        ["encode", tmp_path / "lines.txt", "--model", model, "--out", tmp_path / "record" / "v.npy"]
    )

    assert told["codes"] == [1]
    assert "config.json" in told["said"]
    assert not mark.exists()


def test_a_workspace_from_elsewhere_runs_nothing_and_writes_nowhere(
    texts: Path, tmp_path: Path, tiny: Path, mark: Path, watched: Watched
) -> None:
    watched(["index", texts, "--model", tiny])
    with closing(sqlite3.connect(_database(tmp_path))) as db, db:
        db.execute("UPDATE files SET name = '../../../pwned' WHERE id = 1")
        db.execute(
            "CREATE TRIGGER attack AFTER INSERT ON meta BEGIN SELECT writefile('pwned', 'x'), load_extension('x'); END"
        )

    told = watched(
        ["documents", texts],
        ["search", texts, "river", "--model", tiny],
        ["export", texts, "--out", tmp_path / "record" / "all.jsonl"],
        ["projector", texts, "--out", tmp_path / "record" / "projector"],
        ["index", texts, "--model", tiny],
        ["doctor", texts, "--repair"],
    )

    assert told["writes"] == told["programs"] == told["connections"] == told["pickles"] == []
    assert "Traceback" not in told["said"]
    assert not list(tmp_path.rglob("pwned"))
    assert not Path("pwned").exists()


def _database(tmp_path: Path) -> Path:
    found = [
        path for path in (tmp_path / "home").rglob("*")
        if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3"
    ]  # fmt: skip
    assert found
    return found[0]


@pytest.mark.parametrize("path", ["../outside.csv", "/etc/passwd", "..\\outside.csv", "C:\\outside.csv"])
def test_a_recipe_stays_in_its_folder(tmp_path: Path, path: str, watched: Watched) -> None:
    (tmp_path / "outside.csv").write_text("sentence1,sentence2,score\na,b,1\n")
    inside = tmp_path / "recipes"
    inside.mkdir()
    recipe = {"version": 1, "objective": "regression", "data": [{"source": "file", "path": path}]}
    (inside / "recipe.json").write_text(json.dumps(recipe))

    told = watched(["train", "--recipe", inside / "recipe.json", "--check"])

    assert told["codes"] == [1]
    assert "recipe" in told["said"]
    assert "Traceback" not in told["said"]
