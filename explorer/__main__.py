"""`python -m explorer`: a command, or the window."""

from explorer.safe_path import leave_current_folder  # isort: skip - before anything that a document could replace

import os
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the window, on a folder if one is given; with a command, run that instead. Returns the exit code."""
    if arguments is None:
        leave_current_folder()
        from explorer import disk

        disk.keep_private()
    words = list(sys.argv[1:] if arguments is None else arguments)
    smoke = _smoke(words)
    folder = _folder(words)
    if words and folder is None and smoke is None:
        return _command(words)
    from explorer.ui import app

    problem = app.why_no_window()
    nowhere = os.environ.get("QT_QPA_PLATFORM", "") in ("offscreen", "minimal")
    if not problem and nowhere and smoke is None:
        problem = "Qt draws to nowhere here (QT_QPA_PLATFORM), so no window is opened."
    if problem:
        print(problem, file=sys.stderr)  # noqa: T201
        return _command(words if words == ["demo"] else [])
    return app.run(folder, smoke=smoke)


def _command(words: list[str]) -> int:
    """Run a command, or tell which there are."""
    from explorer.cli.main import main as run_command

    return run_command(words)


def _smoke(words: list[str]) -> tuple[Path, Path | None] | None:
    """Return the picture and the folder of a program that is to try itself: `--smoke PICTURE.png [FOLDER]`."""
    if words[:1] != ["--smoke"] or len(words) not in (2, 3):
        return None
    return Path(words[1]), Path(words[2]) if len(words) == 3 else None


def _folder(words: list[str]) -> Path | None:
    """Return the folder or file to open: the one that is given alone, or the sample for the demo."""
    if words == ["demo"]:
        from explorer import paths

        return paths.resources() / "sample"
    return Path(words[0]) if len(words) == 1 and Path(words[0]).exists() else None


if __name__ == "__main__":
    if getattr(sys, "frozen", False):  # this may be a process that reads files or analyses Korean, not the program
        if sys.argv[1:] == ["--read-files"]:
            from explorer.corpus.readers.process.worker import main as read_files

            read_files()
            sys.exit()
        import multiprocessing

        multiprocessing.freeze_support()
    sys.exit(main())
