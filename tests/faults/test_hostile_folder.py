"""Bombs and damaged files of every format cost themselves alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.faults import hostile_folder


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc")
def test_a_folder_of_hostile_and_damaged_files_is_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCEXPLORER_HOME", str(tmp_path / "home"))
    root = tmp_path / "texts"
    root.mkdir()
    hostile_folder.fill(root, count=56)
    faults, figures = hostile_folder.check(root, seconds=4)
    assert faults == [], figures
