"""Files of a workspace are spoilt: each command gives the sound result or a sentence; a repair brings all back."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.conftest import PROJECT


def test_what_is_spoilt_is_told_and_repaired() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.corrupt", "--damages", "14", "--files", "4", "--seed", "1"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(json.loads(ran.stdout)["files"]) >= 12
