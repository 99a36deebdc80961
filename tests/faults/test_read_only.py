"""Folders that may only be read: what can be done is done, and the rest is a sentence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import make_checkpoint
from tests.faults.bound import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All that was done, in one process, since it takes seconds to start."""
    base = tmp_path_factory.mktemp("read-only")
    model, texts, free = make_checkpoint(base / "model", "bert"), base / "texts", base / "free"
    for folder in (texts, free):
        folder.mkdir()
        for name, text in (("a", "cold winter river"), ("b", "hot summer sea"), ("c", "a loud king plays")):
            (folder / f"{name}.txt").write_text(f"The {text} and so on.")
    home, filled, bare = base / "home", base / "filled", base / "bare"
    index(free, filled, model)
    for folder in (texts, filled, bare):
        folder.mkdir(exist_ok=True)
        allow(folder, write=False)
    (free / "new.txt").write_text("A new text.")
    searched = ["river", "--model", model]
    names = (
        "bound",
        "made",
        "found",
        "made inside",
        "documents",
        "found in filled",
        "updated",
        "doctor",
        "window",
        "in bare",
        "window on bare",
        "inside",
        "export",
    )
    found = run(
        # Texts that may only be read.
        ["home", home],
        ["index", texts, "--model", model],
        ["search", texts, *searched],
        ["index", texts, "--inside"],
        # A workspace that may only be read.
        ["home", filled],
        ["documents", free],
        ["search", free, *searched],
        ["index", free, "--model", model],
        ["doctor", free],
        ["window", free, model],
        # A home that may only be read.
        ["home", bare],
        ["index", free, "--model", model],
        ["window", free, model],
        ["index", free, "--model", model, "--inside"],
        ["export", free, "--out", texts / "all.csv"],
    )
    for folder in (texts, filled, bare):
        allow(folder, write=True)
    if not found[0]["bound"]:
        pytest.skip("permissions do not bind here")
    return dict(zip(names, found, strict=True)) | {"left": sorted(path.name for path in texts.iterdir())}


def index(texts: Path, home: Path, model: Path) -> None:
    from explorer.cli import main as cli_main

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCEXPLORER_HOME", str(home))
        assert cli_main.main(["index", str(texts), "--model", str(model)]) == 0


def allow(folder: Path, *, write: bool) -> None:
    """Give the right to write in a folder, and to all in it, or take it away."""
    for path in (*folder.rglob("*"), folder):
        mode = path.stat().st_mode
        path.chmod(mode | 0o200 if write else mode & ~0o222)


def check_sentences(said: list[str]) -> None:
    assert said
    for sentence in said:
        assert "unexpected" not in sentence, sentence
        assert "in the program itself" not in sentence, sentence
        assert "Traceback" not in sentence, sentence


def test_texts_that_may_only_be_read_are_indexed(ran: dict[str, Any]) -> None:
    assert ran["made"]["code"] == 0, ran["made"]["said"]
    assert ran["found"]["code"] == 0, ran["found"]["said"]
    assert "a.txt" in ran["found"]["out"]
    assert ran["made inside"]["code"] == 1
    assert ".docexplorer" in ran["made inside"]["said"]
    check_sentences([ran["made inside"]["said"]])
    assert ran["left"] == ["a.txt", "b.txt", "c.txt"]


def test_a_workspace_that_may_only_be_read_is_read(ran: dict[str, Any]) -> None:
    for name in ("documents", "found in filled", "doctor"):
        assert ran[name]["code"] == 0, ran[name]["said"]
    assert "a.txt" in ran["found in filled"]["out"]
    assert "new.txt" not in ran["documents"]["out"]
    assert ran["updated"]["code"] == 1
    assert "reading only" in ran["updated"]["said"]
    window = ran["window"]
    assert window["writable"] is False
    assert window["hits"] > 0
    assert "winter" in window["texts"][0]
    assert any("reading only" in one for one in window["told"])
    check_sentences([ran["updated"]["said"], *window["told"]])


def test_a_home_that_may_only_be_read_is_told(ran: dict[str, Any]) -> None:
    assert ran["in bare"]["code"] == 1
    assert "cannot be written" in ran["in bare"]["said"]
    window = ran["window on bare"]
    assert window["writable"] is None
    assert any("cannot be written" in one for one in window["told"])
    assert ran["inside"]["code"] == 0, ran["inside"]["said"]  # the way out that needs no home
    check_sentences([ran["in bare"]["said"], *window["told"]])


def test_an_export_to_such_a_folder_is_told_and_leaves_nothing(ran: dict[str, Any]) -> None:
    assert ran["export"]["code"] == 1
    assert "all.csv" in ran["export"]["said"]
    check_sentences([ran["export"]["said"]])
