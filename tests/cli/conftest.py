"""What tests of commands share: a command run in this process, and folders that are indexed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import main as cli_main
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.workspace import open_workspace

Run = Callable[..., tuple[int, Any, str]]
Indexed = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command: exit code, what was printed (parsed where that is JSON), and what went wrong."""

    def run(command: str, *arguments: object, plain: bool = False) -> tuple[int, Any, str]:
        capsys.readouterr()
        words = [command, *map(str, arguments)]
        code = cli_main.main(words if plain else [*words, "--json"])
        out, err = capsys.readouterr()
        return code, out if plain or code else json.loads(out, parse_constant=pytest.fail), err

    return run


@pytest.fixture
def indexed(tiny: Path, tmp_path: Path) -> Indexed:
    """Writes a folder of texts and indexes it with the tiny BERT."""

    def indexed(texts: Mapping[str, str]) -> Path:
        root = tmp_path / "texts"
        root.mkdir(exist_ok=True)
        for name, text in texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        with open_workspace(root) as workspace:
            workspace.update(BiEncoder.open(tiny, choose("cpu")))
        return root

    return indexed
