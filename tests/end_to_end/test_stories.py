"""The main stories in a real window on a screen, by mouse and keyboard, and the same window on the next day."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT, make_checkpoint
from tests.security.conftest import without_network
from tests.ui.support.xvfb import MISSING, XVFB, screen

pytestmark = [pytest.mark.bundled, pytest.mark.skipif(XVFB is None, reason=MISSING)]
FOLDERS = ("space", "cooking", "football")


@pytest.fixture(scope="module")
def display() -> Iterator[dict[str, str]]:
    with screen() as environment:
        yield environment


def test_a_day_with_the_window_and_the_next(display: dict[str, str], tmp_path: Path) -> None:
    folder, work = tmp_path / "texts", tmp_path / "work"
    work.mkdir()
    for name in FOLDERS:
        shutil.copytree(PROJECT / "resources" / "sample" / name, folder / name)
    _have_a_cross_encoder(tmp_path)

    for day, pictures in (("first", 11), ("next", 2)):
        output = _run_day(display, day, folder, work)
        assert len(list(work.glob("*.png"))) >= pictures, output
        _check_pictures(work)


def _run_day(display: dict[str, str], day: str, folder: Path, work: Path) -> str:
    """Run a day of the story without a network, check that nothing went wrong, and return what it printed."""
    environment = display | {"DOCEXPLORER_HOME": os.environ["DOCEXPLORER_HOME"], "PYTHONPATH": str(PROJECT)}
    environment.pop("HF_HUB_OFFLINE", None)  # users have not set it
    isolated = _without_network(display)
    ran = subprocess.run(
        [
            *isolated,
            sys.executable,
            "-m",
            "tests.security.watched_window",
            str(work / f"{day}.calls"),
            day,
            str(folder),
            str(work),
        ],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    ended = time.time()
    faults = (work / f"{day}.faults").read_text()
    assert ran.returncode == 0, f"{faults}\n{ran.stdout}\n{ran.stderr}\npictures in {work}"
    assert faults == ""
    assert (work / f"{day}.calls").read_text() == ""  # no connection, and no program was started
    assert not isolated or (work / f"{day}.count").read_text() == "0"
    closing = float((work / "closing").read_text())
    assert ended - closing < 120  # 3 s on an idle machine: no worker keeps the process alive
    return ran.stdout


def _without_network(display: dict[str, str]) -> tuple[str, ...]:
    """Return the command that takes the network away; none where the screen has no socket file to reach it by."""
    socket = Path("/tmp/.X11-unix") / f"X{display['DISPLAY'].lstrip(':')}"
    return without_network() if socket.exists() else ()


def _have_a_cross_encoder(tmp_path: Path) -> None:
    """Make a tiny cross-encoder where none comes with the program."""
    from explorer import paths
    from explorer.models.files import catalog

    if not any(entry.kind == "cross" and entry.on_disk for entry in catalog.entries()):
        make_checkpoint(paths.models() / "tiny", "bert", classes=1)


def _check_pictures(work: Path) -> None:
    """No picture is blank."""
    import numpy as np
    from PIL import Image

    for file in work.glob("*.png"):
        with Image.open(file) as image:
            pixels = np.asarray(image.convert("L").crop((0, 0, 1200, 700)))
        assert len(np.unique(pixels)) > 30, file
        assert pixels.std() > 5, file
