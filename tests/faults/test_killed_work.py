"""Killed while it draws, exports or migrates, the program leaves a whole workspace and whole files."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import PROJECT


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_killed_work_leaves_everything_whole() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.kill_work", "--kills", "8", "--files", "10"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads(ran.stdout)["kills"] == 8
