"""Pictures of the real program on the sample corpus for the README: light and dark, English and Korean.

Run by hand:  python tests/screenshots.py [--into resources/screenshots]
Needs Xvfb and the fonts of fonts-noto-cjk. Each picture is of a window of its own, quantised to few colours.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.ui.support.xvfb import screen  # noqa: E402

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

SIZE = (1440, 900)
MODELS = {"en": "", "ko": "explorer-minilm-ko-en"}  # by the language of the window; empty for the usual one
LARGEST = 250_000  # bytes of a picture


@dataclass(frozen=True)
class Shot:
    """A picture: what it is called, how the window looks, and what is shown."""

    name: str
    theme: str
    language: str
    query: str
    scene: str


SHOTS = (
    Shot("search-light-en", "light", "en", "storms and floods", "similar"),
    Shot("search-dark-en", "dark", "en", "storms and floods", "similar"),
    Shot("search-light-ko", "light", "ko", "독감과 예방 주사", "similar"),
    Shot("compare-dark-ko", "dark", "ko", "해안시에 내린 장대비", "compare"),
    Shot("compare-light-en", "light", "en", "a recipe for soup", "compare"),
    Shot("start-light-en", "light", "en", "", "start"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "resources" / "screenshots")
    parser.add_argument("--only", default="", help="the beginning of the names wanted")
    parser.add_argument("--child")
    chosen = parser.parse_args()
    if chosen.child:
        take(next(shot for shot in SHOTS if shot.name == chosen.child), chosen.into)
    chosen.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, screen(f"{SIZE[0]}x{SIZE[1]}") as environment:
        environment |= {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
        for shot in sorted(SHOTS, key=lambda one: one.language):
            if shot.name.startswith(chosen.only):
                home = Path(made) / shot.language
                environment["DOCEXPLORER_HOME"] = os.environ["DOCEXPLORER_HOME"] = str(home)
                if not home.exists() and shot.scene != "start":
                    index(shot.language)
                command = [sys.executable, __file__, "--child", shot.name, "--into", made]
                subprocess.run(command, env=environment, check=True, timeout=600)
                shrink(Path(made) / f"{shot.name}.png", chosen.into / f"{shot.name}.png")


def index(language: str) -> None:
    """Encode the sample once for all pictures in a language, where the program itself would."""
    from explorer import paths
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.workspace.workspace import open_workspace

    with open_workspace(paths.resources() / "sample") as workspace:
        workspace.update(BiEncoder.open(catalog.find(MODELS[language] or catalog.BUNDLED)))


def take(shot: Shot, into: Path) -> None:
    """Start the program, bring it to the scene, and keep what the screen shows."""
    from explorer import paths, settings
    from tests.ui.support import live_app

    before, _ = settings.load()
    model = MODELS[shot.language]
    recent = () if shot.scene == "start" else before.recent  # whose paths are those of this machine
    look = replace(before, theme=shot.theme, language=shot.language, model=model, motion=False, recent=recent)
    settings.save(look)

    def story(window: MainWindow) -> None:
        window.setGeometry(0, 0, *SIZE)
        SCENES[shot.scene](window, shot.query)
        live_app.run_loop_for(1.5)
        window.statusBar().clearMessage()
        assert window.grab().save(str(into / f"{shot.name}.png"))
        window.close()

    live_app.live(None if shot.scene == "start" else paths.resources() / "sample", story)


def found(window: MainWindow, query: str) -> list[int]:
    """Wait for the map, ask, and return what was found."""
    from tests.ui.support.live_app import until

    session, runner = window.session, window.actions.runner
    until(
        lambda: session.map_layout is not None and not session.map_layout.drawing and not runner.jobs(), 500, "the map"
    )
    window.query.ask(query)
    until(lambda: session.search is not None and session.search.results is not None and not session.search.stale, 60)
    assert session.search is not None
    assert session.search.results is not None
    return [hit.document for hit in session.search.results.hits]


def similar(window: MainWindow, query: str) -> None:
    """The best result is read, with what is similar to it."""
    from tests.ui.support.live_app import until

    hits = found(window, query)
    window.session.focus(hits[0])
    until(lambda: not window.actions.runner.jobs(), 120, "the workers to rest")


def compare(window: MainWindow, query: str) -> None:
    """Two results side by side, with room for them."""
    from tests.ui.support.live_app import until

    hits = found(window, query)
    window.session.focus(hits[0])
    window.compare()
    window.session.focus(hits[1])
    window.compare()
    until(lambda: not window.actions.runner.jobs(), 120, "the workers to rest")


def start(window: MainWindow, _query: str) -> None:
    """The page without a folder."""
    from tests.ui.support.live_app import until

    until(lambda: not window.actions.runner.jobs(), 60, "the workers to rest")


SCENES: dict[str, Callable[[MainWindow, str], None]] = {"similar": similar, "compare": compare, "start": start}


def shrink(picture: Path, into: Path) -> None:
    """Keep a picture in so few colours that it is small."""
    from PIL import Image

    with Image.open(picture) as image:
        for colours in (256, 160, 96, 64):
            kept = image.convert("RGB").quantize(
                colours, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE
            )  # small dots keep their colours
            kept.save(into, optimize=True)
            if into.stat().st_size <= LARGEST:
                break
    print(f"{into.name}: {into.stat().st_size / 1000:.0f} kB, {colours} colours")


if __name__ == "__main__":
    main()
