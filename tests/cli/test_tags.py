"""tag, tags and searches as programs call them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import main as cli_main
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.workspace import open_workspace

Ask = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def root(tiny: Path, tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for name, text in {"cat.txt": "The cat sat.", "dog.txt": "The dog ran.", "한글.txt": "고양이가 잔다."}.items():
        (root / name).write_text(text, encoding="utf-8")
    with open_workspace(root) as workspace:
        workspace.update(BiEncoder.open(tiny, choose("cpu")))
    return root


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], root: Path) -> Ask:
    def ask(command: str, *arguments: str) -> tuple[int, Any, str]:
        capsys.readouterr()
        code = cli_main.main([command, str(root), *arguments, "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if code == 0 else out, err

    return ask


def test_documents_are_tagged_by_path_and_found_by_tag(ask: Ask, tiny: Path) -> None:
    code, data, _ = ask("tag", "cat.txt", "한글.txt", "--add", " to  read ", "--add", "동물")
    assert code == 0
    assert [row["tags"] for row in data] == [["to read", "동물"]] * 2
    assert ask("tags")[1] == [{"tag": "to read", "documents": 2}, {"tag": "동물", "documents": 2}]
    assert ask("tag", "cat.txt", "--remove", "to read")[1][0]["tags"] == ["동물"]
    found = ask("search", 'tag:동물 -tag:"to read"', "--model", str(tiny))[1]
    assert [hit["document"] for hit in found["hits"]] == ["cat.txt"]
    code, _, err = ask("tag", "nothing.txt", "--add", "x")
    assert (code, "no document is called that" in err) == (1, True)
    assert ask("tag", "cat.txt")[0] == 1


def test_saved_searches_tell_what_is_new(ask: Ask, root: Path, tiny: Path) -> None:
    model = ("--model", str(tiny), "--device", "cpu")
    _, data, _ = ask("searches", "--save", "cats", "cat", "--mode", "keyword", *model)
    assert data == [{"name": "cats", "query": "cat", "mode": "keyword", "new": []}]
    (root / "new.txt").write_text("Another cat and a mat.", encoding="utf-8")
    assert ask("index", *model)[0] == 0
    _, data, _ = ask("searches", *model)
    assert [one["document"] for one in data[0]["new"]] == ["new.txt"]
    assert ask("searches", "--seen", "cats", *model)[1][0]["new"] == []
    assert ask("searches", "--remove", "cats", *model)[1] == []
    assert ask("searches", "--remove", "cats", *model)[0] == 1
