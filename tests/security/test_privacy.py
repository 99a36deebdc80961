"""What the program writes can be read by its user alone, whatever the umask; what it exports, as the user has it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.workspace.workspace import open_workspace
from tests.conftest import PROJECT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there the user's profile is closed to others")
RUN = "import os, sys; os.umask(int(sys.argv.pop(1), 8)); from explorer.__main__ import main; sys.exit(main())"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir(mode=0o755)
    (folder / "a.txt").write_text("cold winter river")
    (folder / "b.txt").write_text("hot summer sea")
    (folder / "c.txt").write_text("a loud king and a quiet queen")
    return folder


def open_to_others(*folders: Path) -> list[str]:
    """Everything in some folders that another user could read, write or enter."""
    found = [path for folder in folders for path in (folder, *folder.rglob("*")) if path.exists()]
    return [str(path) for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o077 and not path.is_symlink()]


def run(home: Path, umask: str, *words: object) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUN, umask, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        env=os.environ | {"DOCEXPLORER_HOME": str(home), "PYTHONPATH": str(PROJECT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_open_to_others_but_what_was_exported(texts: Path, tiny: Path, tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()  # the user's own folder stays as it is
    out.mkdir()
    run(home, "000", "index", texts, "--inside", "--model", tiny)
    for umask in ("000", "022"):
        run(home, umask, "export", texts, "--out", out / f"{umask}.csv")
        run(home, umask, "export", texts, "--out", home / "data" / f"{umask}.csv")
        assert stat.S_IMODE((out / f"{umask}.csv").stat().st_mode) == 0o666 & ~int(umask, 8)
    written = (home / "data", home / "cache", home / "config", texts / ".docexplorer")
    assert open_to_others(*written) == []
    assert (home / "data" / "logs" / "docexplorer.log").is_file()
    # What earlier versions left open is closed when it is opened; exported files are the user's.
    for folder in written:
        for path in (folder, *folder.rglob("*")):
            if path.exists() and path.suffix != ".csv":
                path.chmod(0o777 if path.is_dir() else 0o666)
    run(home, "022", "index", texts, "--model", tiny)
    assert open_to_others(home / "data", texts / ".docexplorer") == []


def test_a_program_that_uses_the_package_keeps_its_umask(texts: Path) -> None:
    before = os.umask(0o022)
    try:
        with open_workspace(texts, inside=True) as workspace:
            workspace.set_setting("something", "said")
        assert os.umask(0o022) == 0o022
        assert open_to_others(texts / ".docexplorer") == []
    finally:
        os.umask(before)
