"""The same folder is the same workspace, whatever the locale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT

CODE = """
import sys
from pathlib import Path
from explorer.workspace.workspace import open_workspace
with open_workspace(Path(sys.argv[1])) as workspace:
    print(workspace.setting("said"))
    workspace.set_setting("said", "before")
"""
LOCALES = (
    {"LC_ALL": "C.UTF-8"},
    {"LC_ALL": "C", "LANG": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},  # where names become letters of ASCII
)


@pytest.mark.skipif(sys.platform == "win32", reason="names are Unicode there, whatever the locale")
@pytest.mark.parametrize("name", ["편지".encode(), b"caf\xe9"], ids=["Korean", "not UTF-8"])
def test_a_folder_is_found_again_under_another_locale(tmp_path: Path, name: bytes) -> None:
    folder = tmp_path / os.fsdecode(name)
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes no such name")
    said = [
        subprocess.run(
            [sys.executable, "-P", "-c", CODE, folder],
            env={**os.environ, "PYTHONPATH": str(PROJECT), "DOCEXPLORER_HOME": str(tmp_path / "home"), **locale},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.strip()
        for locale in LOCALES
    ]
    assert said == ["None", "before", "before"]
    assert len(list((tmp_path / "home" / "data" / "workspaces").iterdir())) == 1
