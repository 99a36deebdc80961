"""The window is closed at random moments of its work: the process ends, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import PROJECT


@pytest.mark.bundled
def test_closing_at_any_moment_loses_nothing() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.closing", "--closings", "4", "--latest", "1", "--longest", "120"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = json.loads(ran.stdout.splitlines()[-1])
    assert told["closings"] == 4
    assert {"train", "download"} <= set(told["closed_while_at"])  # which do not end by themselves
