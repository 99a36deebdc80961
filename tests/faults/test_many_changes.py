"""A thousand files change while the folder is followed: in the end the workspace holds what is there."""

from __future__ import annotations

from pathlib import Path

from tests.faults.many_changes import run


def test_a_folder_that_changes_all_the_time_is_followed(tmp_path: Path) -> None:
    told = run(1000, 0, tmp_path)
    assert told["faults"] == []
    assert int(str(told["changes"])) >= 1000
    assert int(str(told["updates"])) > 1
