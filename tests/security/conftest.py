"""What the tests of attacks share: commands that are watched, with the network taken away where that can be done."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
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


def run_watched(base: Path, *commands: list[object]) -> dict[str, Any]:
    """Run commands in one process of their own, with its home in a folder; what they may write lies beside it.

    Returns what was recorded, with what each command printed as "each", and all that was printed as "said".
    """
    usual = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}  # as users have it
    record = base / "record" / "record.json"
    record.parent.mkdir(exist_ok=True)
    words = [str(word) for command in commands for word in ("--", *command)]
    ran = subprocess.run(
        [*without_network(), sys.executable, "-m", "tests.security.watched", str(record), str(base / "home"), *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=500,
        env=usual | {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(record.parent)},
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(record.read_text("utf-8")) | {"said": ran.stdout + ran.stderr}


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    """Runs commands in a process of their own."""
    return partial(run_watched, tmp_path)
