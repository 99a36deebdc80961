"""The disk runs full during all kinds of work: it is told, what was done is kept, and with room again it goes on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import PROJECT
from tests.faults.full_disk import allowed


def test_a_full_disk_is_told_and_loses_nothing() -> None:
    if not allowed():
        pytest.skip("this machine does not allow a disk of one's own")
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.full_disk", "--sizes", "8", "--files", "4"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    stopped = json.loads(ran.stdout)["stopped"]
    assert set(stopped) >= {"index", "clusters", "map", "csv", "report", "train", "settings"}
