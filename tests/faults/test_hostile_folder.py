"""Bombs and damaged files of every format cost themselves alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import PROJECT


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc")
def test_a_folder_of_hostile_and_damaged_files_is_indexed() -> None:
    """In a process of its own, whose memory is that of indexing alone."""
    command = [sys.executable, "-m", "tests.faults.hostile_folder", "--count", "56", "--seconds", "4"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
