"""What tests of commands share: a command run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from explorer.cli import main as cli_main

Run = Callable[..., tuple[int, Any, str]]


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
