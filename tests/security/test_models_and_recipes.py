"""Models, workspaces and recipes as attackers: none of them runs anything."""

from __future__ import annotations

import json
import pickle
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROJECT
from tests.security.conftest import run_watched

RECIPES = ("../outside.csv", "/etc/passwd", "..\\outside.csv", "C:\\outside.csv")


class Attack:
    """Touches a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (open, (str(self.mark), "w"))  # type: ignore[return-value]


@dataclass
class Attacked:
    """What came of all attacks, which one process saw, since it takes seconds to start.

    Attributes:
        base: The folder with everything in it.
        told: What was recorded.
        names: Which attack each command belongs to.
    """

    base: Path
    told: dict[str, Any]
    names: list[str]

    def codes(self, name: str) -> list[int]:
        return [code for code, one in zip(self.told["codes"], self.names, strict=True) if one == name]

    def said(self, name: str) -> str:
        return "".join(text for text, one in zip(self.told["each"], self.names, strict=True) if one == name)

    def is_unharmed(self) -> bool:
        """Whether no attack left its mark."""
        return not list(self.base.rglob("pwned")) and not (PROJECT / "pwned").exists()


@pytest.fixture(scope="module")
def attacked(checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    base, tiny = tmp_path_factory.mktemp("attacked"), checkpoints["bert"]
    out, texts = base / "record", hostile_workspace(base, tiny)
    (base / "lines.txt").write_text("cold\n")
    encode = ["encode", base / "lines.txt", "--out", out / "v.npy", "--model"]
    commands: list[tuple[str, list[object]]] = [
        ("pickle", [*encode, pickled(base, tiny)]),
        ("code", [*encode, with_code(base, tiny)]),
        *((path, ["train", "--recipe", recipe(base, path), "--check"]) for path in RECIPES),
        ("workspace", ["documents", texts]),
        ("workspace", ["search", texts, "river", "--model", tiny]),
        ("workspace", ["export", texts, "--out", out / "all.jsonl"]),
        ("workspace", ["projector", texts, "--out", out / "projector"]),
        ("workspace", ["index", texts, "--model", tiny]),
        ("workspace", ["doctor", texts, "--repair"]),
    ]
    told = run_watched(base, *(command for _, command in commands))
    return Attacked(base, told, [name for name, _ in commands])


def pickled(base: Path, tiny: Path) -> Path:
    """A model whose weights are a pickle."""
    model = Path(shutil.copytree(tiny, base / "pickled"))
    (model / "model.safetensors").unlink()
    (model / "pytorch_model.bin").write_bytes(pickle.dumps(Attack(base / "pwned")))
    return model


def with_code(base: Path, tiny: Path) -> Path:
    """A model that brings code of its own."""
    model = Path(shutil.copytree(tiny, base / "code"))
    config = json.loads((model / "config.json").read_text())
    config["auto_map"] = {"AutoModel": "attack.Model", "AutoConfig": "attack.Config"}
    (model / "config.json").write_text(json.dumps(config))
    (model / "attack.py").write_text(f"open({str(base / 'pwned')!r}, 'w')")
    return model


def recipe(base: Path, path: str) -> Path:
    """A recipe that wants a file outside of its folder."""
    (base / "outside.csv").write_text("sentence1,sentence2,score\na,b,1\n")
    inside = base / f"recipes {RECIPES.index(path)}"
    inside.mkdir()
    said = {"version": 1, "objective": "regression", "data": [{"source": "file", "path": path}]}
    (inside / "recipe.json").write_text(json.dumps(said))
    return inside / "recipe.json"


def hostile_workspace(base: Path, tiny: Path) -> Path:
    """A folder whose workspace has a name that leads elsewhere; triggers are in test_foreign_workspaces."""
    from explorer.cli import main as cli_main

    folder = base / "texts"
    folder.mkdir()
    for name, text in (("a.txt", "cold winter river"), ("b.txt", "hot summer sea"), ("c.txt", "a loud king")):
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCEXPLORER_HOME", str(base / "home"))
        assert cli_main.main(["index", str(folder), "--model", str(tiny)]) == 0
    (database,) = (base / "home").rglob("workspace.db")
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("UPDATE files SET name = '../../../pwned' WHERE id = 1")
    database.with_suffix(".sums").unlink()  # which would tell; whoever makes such a workspace leaves none
    return folder


def test_pickled_weights_are_refused_unopened(attacked: Attacked) -> None:
    assert attacked.codes("pickle") == [1]
    assert "safetensors" in attacked.said("pickle")
    assert attacked.told["pickles"] == []
    assert attacked.is_unharmed()


def test_code_of_a_model_is_refused_unread(attacked: Attacked) -> None:
    assert attacked.codes("code") == [1]
    assert "config.json" in attacked.said("code")
    assert attacked.is_unharmed()


def test_a_workspace_from_elsewhere_runs_nothing_and_writes_nowhere(attacked: Attacked) -> None:
    told = attacked.told
    assert attacked.codes("workspace")[:4] == [0] * 4  # the last two write, and may refuse
    assert told["writes"] == told["programs"] == told["connections"] == told["pickles"] == []
    assert "Traceback" not in told["said"]
    assert attacked.is_unharmed()


@pytest.mark.parametrize("path", RECIPES)
def test_a_recipe_stays_in_its_folder(attacked: Attacked, path: str) -> None:
    assert attacked.codes(path) == [1]
    assert "recipe" in attacked.said(path)
    assert "Traceback" not in attacked.said(path)
