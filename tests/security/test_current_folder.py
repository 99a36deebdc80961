"""A folder of documents whose files are named like Python's packages: no entry point imports them."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import PROJECT

SCRIPT = Path(sysconfig.get_path("scripts")) / ("docexplorer.exe" if os.name == "nt" else "docexplorer")
MODULE = [sys.executable, "-m", "explorer"]


@pytest.fixture(scope="module")
def decoys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file for every package there is, each of which leaves a mark when it is imported."""
    folder = tmp_path_factory.mktemp("decoys")
    (folder / "empty.py").write_text("import sys; print(*sys.modules)")
    # What `python -m` itself imports before it has found a program is nothing that the program can prevent.
    before = subprocess.check_output([sys.executable, "-m", "empty"], cwd=folder, text=True).split()
    names = {*sys.stdlib_module_names, *packages_distributions(), "tests", "resources"}
    attack = f"import sys\nopen({str(folder / 'mark')!r}, 'a').write(__name__ + ' ')\nsys.exit(3)\n"
    for name in names - {"explorer", *before}:
        (folder / f"{name}.py").write_text(attack)
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(attack)
    assert len(names) > 200
    # Korean starts the analyser's process, a PDF and a web page the readers.
    (folder / "글.txt").write_text("겨울 강가에 눈이 내립니다. 우리는 집에 있었습니다.\n" * 5, "utf-8")
    (folder / "page.html").write_text("<p>The ship sails on the summer sea.</p>")
    (folder / ".docexplorerignore").write_text("*.py\n")
    return folder


def ran(folder: Path, home: Path, words: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    usual = {name: value for name, value in os.environ.items() if name not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    own = {"DOCEXPLORER_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PYTHONDONTWRITEBYTECODE": "1"}
    installed = {"PYTHONPATH": str(PROJECT)}  # this tree and not another that may be installed
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=300, env=usual | own | installed | environment
    )
    assert not (folder / "mark").exists(), (folder / "mark").read_text()
    return done


def test_no_entry_point_imports_what_lies_in_the_current_folder(decoys: Path, tmp_path: Path, tiny: Path) -> None:
    # Both start by the same first lines; between them they run whatever commands import.
    script = [str(SCRIPT)] if SCRIPT.exists() else MODULE  # the program may not be installed as a command
    for words in (
        [*MODULE, "--version"],
        [*script, "--version"],
        [*script, "index", ".", "--model", str(tiny)],
        [*MODULE, "keywords", ".", "글.txt", "--model", str(tiny)],
        [*MODULE, "search", ".", "겨울 강", "--mode", "keyword"],
    ):
        done = ran(decoys, tmp_path / "home", words)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_window_does_not_either(decoys: Path, tmp_path: Path) -> None:
    done = ran(decoys, tmp_path / "home", [*MODULE, "--smoke", str(tmp_path / "picture.png")])
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "picture.png").stat().st_size > 0


def test_an_empty_entry_of_the_path_does_not_bring_it_back(decoys: Path, tmp_path: Path) -> None:
    # A PYTHONPATH such as "$OTHER:/here" with nothing in OTHER; what runs before our first line is not ours to stop.
    done = ran(decoys, tmp_path / "home", [*MODULE, "--version"], PYTHONPATH=f"{PROJECT}{os.pathsep}")
    assert done.returncode == 0, done.stderr


def test_the_source_tree_runs_without_an_installation(tmp_path: Path) -> None:
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    code = "import sys; sys.argv = ['-m']; import explorer; print(sys.path[0], sys.path[-1])"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(PROJECT)!r}); {code}"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
        env=usual,
    )
    first, last = done.stdout.split()
    assert first != str(PROJECT)
    assert last == str(PROJECT)
