"""Killed again and again in every stage, indexing comes to the same end and computes hardly anything twice."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import PROJECT


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_killed_update_is_resumed_to_the_same_end() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.kill_indexing", "--kills", "7", "--files", "40"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = json.loads(ran.stdout)
    assert told["kills"] == 7
    assert told["vectors_computed"] >= told["vectors_wanted"] > 100
