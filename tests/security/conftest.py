"""What the tests of attacks share: commands that are watched, with the network taken away where that can be done."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PROJECT

Watched = Callable[..., dict[str, Any]]


@cache
def without_network() -> tuple[str, ...]:
    """What a command is put behind to have no network; nothing where this user may not do that."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    words = (unshare, "--net") if os.geteuid() == 0 else (unshare, "--map-root-user", "--net")
    return words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else ()


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    """Runs commands in a process of their own; what was recorded, with all that was printed as "said"."""

    usual = {
        name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"
    }  # users have not set it

    def watched(*commands: list[object]) -> dict[str, Any]:
        record = tmp_path / "record" / "record.json"
        record.parent.mkdir(exist_ok=True)
        words = [str(word) for command in commands for word in ("--", *command)]
        ran = subprocess.run(
            [*without_network(), sys.executable, "-m", "tests.security.watched", str(record),
             str(tmp_path / "home"), *words],
            cwd=PROJECT, capture_output=True, text=True, timeout=300,
            env=usual | {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(record.parent)},
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return json.loads(record.read_text("utf-8")) | {"said": ran.stdout + ran.stderr}

    return watched
