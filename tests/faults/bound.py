"""Runs commands in a process that permissions bind even where it belongs to root.

    python -m tests.faults.bound -- COMMAND ... -- COMMAND ...

Prints a JSON list: the exit code, output and messages of each command. The one word "window" instead of a command
opens the window on the folder of the next word and tells what it said; "home" makes another folder the home.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_DROP_FROM_BOUNDING_SET = 24
_OVERRIDES = (1, 2)  # to write and to read what permissions forbid
_DONE = "TESTS_BOUND"


def run(*commands: list[object], **environment: str) -> list[dict[str, Any]]:
    """What came of commands in a process of their own."""
    words = [str(word) for command in commands for word in ("--", *command)]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.bound", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "QT_QPA_PLATFORM": "offscreen"} | environment,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found: list[dict[str, Any]] = json.loads(ran.stdout)
    return found


def bind() -> None:
    """Give up what lets root pass over permissions; the process begins anew."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and _DONE not in os.environ:
        libc = ctypes.CDLL(None)
        for one in _OVERRIDES:
            libc.prctl(_DROP_FROM_BOUNDING_SET, one, 0, 0, 0)
        os.environ[_DONE] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "tests.faults.bound", *sys.argv[1:]])


def is_bound() -> bool:
    """Whether permissions bind this process."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o500)
        try:
            (Path(made) / "file").touch()
        except OSError:
            return True
        finally:
            Path(made).chmod(0o700)
    return False


def main() -> None:
    bind()
    found: list[dict[str, Any]] = [{"bound": is_bound()}]
    words: list[list[str]] = []
    for word in sys.argv[1:]:
        words.append([]) if word == "--" else words[-1].append(word)
    for command in words:
        if command[0] == "home":
            os.environ["DOCEXPLORER_HOME"] = command[1]
        elif command[0] == "window":
            found.append(window(Path(command[1]), command[2]))
        else:
            found.append(_command(command))
    print(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)


def _command(words: list[str]) -> dict[str, Any]:
    from explorer.cli import main as cli_main

    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = cli_main.main(words)
    return {"code": code, "out": out.getvalue(), "said": said.getvalue()}


def window(folder: Path, model: str) -> dict[str, Any]:
    """Open a folder in the window, read and search, set a tag and a setting, and close it."""
    from PySide6.QtWidgets import QApplication

    from explorer.settings import Settings
    from explorer.ui.app import WindowManager
    from tests.ui.support.live_app import until

    app = QApplication.instance() or QApplication(["tests"])
    windows = WindowManager(app, Settings(model=model, language="en"))  # type: ignore[arg-type]
    window = windows.open()
    session, actions, told = window.session, window.actions, list[str]()
    actions.notified.connect(lambda said: told.append(said.sentence))
    actions.open_folder(folder)
    until(lambda: not actions.runner.jobs(), 120, "the folder to be read")
    texts: list[str] = []
    if session.listing is not None and len(session.listing):
        session.focus(int(session.listing.ids[0]))
        actions.search.ask("river")
        actions.edits.add_tag([int(session.listing.ids[0])], "tag")
        until(lambda: not actions.runner.jobs(), 120, "the answers")
        texts.append(window.docks.reader.view.toPlainText())
    hits = len(session.search.results.hits) if session.search and session.search.results else 0
    place = session.folder
    window.close()
    windows.end()
    return {"told": told, "texts": texts, "hits": hits, "writable": place.writable if place else None}


if __name__ == "__main__":
    main()
