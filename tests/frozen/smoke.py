"""Tries a built program as it reaches a user: python -m tests.frozen.smoke DIST/DocumentSimilarityExplorer

The folder is moved to a place with spaces and Korean letters, made read-only, and run without a network, without Python
in the path and with an empty home. The window opens the sample, indexes, searches, reranks where a cross-encoder ships,
is photographed and closed; then the command line does the same. At last the frozen start page is timed beside that of
the source tree. Needs Xvfb. Ends with exit code 0, or with 1 and what was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WINDOW, COMMAND = "DocumentSimilarityExplorer", "docexplorer"
PLACE = "탐색기 시험 dir"
QUERY = "the printer stopped working"
LIMIT = 1800  # seconds for one run
SLOWER = 2.0  # times that the frozen start page may take beside the other
ROUNDS = 3


def main() -> int:
    """Run everything; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the built folder")
    parser.add_argument("--keep", type=Path, help="where to leave the pictures")
    parser.add_argument(
        "--copy", action="store_true", help="leave the built folder where it is and try a copy"
    )
    chosen = parser.parse_args()
    if sys.platform != "linux":
        raise SystemExit("This test knows only Linux.")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        with placed(chosen.folder.resolve(), work / PLACE, copied=chosen.copy) as program, display():
            faults = [
                *inside(program),
                *by_window(program, work / "window", "ko_KR.UTF-8"),
                *by_command(program, work / "command", "C"),
                *start_times(program, work / "times"),
            ]
        if chosen.keep:
            chosen.keep.mkdir(parents=True, exist_ok=True)
            for picture in work.rglob("*.png"):
                shutil.copy(picture, chosen.keep / f"{picture.parent.name}-{picture.name}")
    print("\n".join(faults) or "The built program works.")
    return 1 if faults else 0


@contextmanager
def placed(folder: Path, place: Path, *, copied: bool) -> Iterator[Path]:
    """The program in a folder with an awkward name that nobody may write to."""
    if copied:
        shutil.copytree(folder, place, symlinks=True)
    else:
        shutil.move(folder, place)
    for path in [*place.rglob("*"), place]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    try:
        yield place
        # Root may write whatever the mode says; what it adds has another mode.
        new = [one for one in place.rglob("*") if not one.is_symlink() and one.stat().st_mode & 0o222]
        assert not new, f"written into the program's folder: {new}"
    finally:
        for path in [place, *place.rglob("*")]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o200)
        if not copied:
            shutil.move(place, folder)


@contextmanager
def display() -> Iterator[None]:
    """A screen that nobody sees, on a number that is free."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        pass_fds=[write], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as said:
        number = said.readline().strip()
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = f":{number}"
    try:
        yield
    finally:
        os.environ.pop("DISPLAY") if before is None else os.environ.update(DISPLAY=before)
        server.terminate()
        server.wait()


def environment(home: Path, language: str) -> dict[str, str]:
    """What the program is told: an empty home, a language, and a path on which no Python is."""
    tools = home.parent / "tools"
    for folder in (home, tools):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("lscpu",):  # asked for the number of cores
        found = shutil.which(name)
        if found and not (tools / name).exists():
            (tools / name).symlink_to(found)
    return {
        "HOME": str(home), "LANG": language, "LC_ALL": language, "PATH": str(tools),
        "DISPLAY": os.environ["DISPLAY"], "XDG_RUNTIME_DIR": str(home),
    }  # fmt: skip


def offline() -> list[str]:
    """What to put before a command so that it has no network; nothing where this machine does not allow it."""
    denied = ["unshare", "--user", "--map-root-user", "--net"]
    tool = shutil.which("unshare")
    if tool is None or subprocess.run([*denied, "true"], capture_output=True, check=False).returncode:
        print("note: the network cannot be denied on this machine")
        return []
    return [tool, *denied[1:]]


def run(command: list[str], home: Path, language: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the folder without a network."""
    # The sockets of the screen are files, so it is reached without a network.
    return subprocess.run(
        [*offline(), *command], env=environment(home, language), capture_output=True, text=True, encoding="utf-8",
        errors="replace", timeout=LIMIT, check=False, cwd=home.parent,
    )  # fmt: skip


def inside(program: Path) -> list[str]:
    """What must not be in the folder, and what must."""
    names = {one.name.lower() for one in (program / "_internal").iterdir()}
    strangers = "sentence_transformers pytest _pytest mypy ruff pyinstaller tkinter docx nvidia".split()
    faults = [f"{one} is inside" for one in strangers if one in names]
    faults += [f"{one.name} is a GPU library" for one in program.rglob("libcu*.so*")]
    index = program / "_internal" / "LICENSES" / "INDEX.txt"
    said = index.read_text("utf-8") if index.is_file() else ""
    faults += [
        f"the licence of {one} is missing"
        for one in ("torch", "PySide6", "numpy", "Python")
        if one not in said
    ]
    return faults


def by_window(program: Path, work: Path, language: str) -> list[str]:
    """The window tries itself on the sample."""
    home, picture = work / "home", work / "window.png"
    sample = program / "_internal" / "resources" / "sample"
    began = time.monotonic()
    work.mkdir()
    done = run([str(program / WINDOW), "--smoke", str(picture), str(sample)], home, language)
    told = read(picture.with_suffix(".json"))
    faults = (
        [] if done.returncode == 0 else [f"the window ended with {done.returncode}: {done.stderr[-2000:]}"]
    )
    if not told.get("done"):
        return [*faults, f"the window did not come to its end: {told}"]
    print(
        f"window: {told['documents']} documents, {len(told['hits'])} hits, {told['reranked']} reranked, ",
        end="",
    )
    print(f"{time.monotonic() - began:.0f} s; told: {told['sentences']}")
    shipped = cross_encoders(program)
    faults += [] if told["documents"] > 100 else [f"only {told['documents']} documents of the sample"]
    faults += (
        [] if any("support" in hit for hit in told["hits"][:3]) else [f"unlikely hits: {told['hits'][:3]}"]
    )
    faults += [] if told["reranked"] or not shipped else [f"nothing was reranked, though {shipped} ships"]
    return faults + blank(picture)


def by_command(program: Path, work: Path, language: str) -> list[str]:
    """The command line indexes and searches the sample."""
    home, command = work / "home", str(program / COMMAND)
    sample = str(program / "_internal" / "resources" / "sample")
    work.mkdir()
    shipped = cross_encoders(program)
    rerank = ["--rerank", shipped[0]] if shipped else []
    faults = []
    for words in (["index", sample], ["search", sample, QUERY, *rerank], ["clusters", sample]):
        began = time.monotonic()
        done = run([command, *words, "--json"], home, language)
        print(f"{COMMAND} {words[0]}: {time.monotonic() - began:.0f} s")
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = None
        if done.returncode or not answer:
            faults.append(f"{COMMAND} {words[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
        elif done.stderr.strip():  # such as that Korean cannot be analysed
            faults.append(f"{COMMAND} {words[0]} complains: {done.stderr[-2000:]}")
        elif words[0] == "search" and not any("support" in hit["document"] for hit in answer["hits"][:3]):
            faults.append(f"unlikely hits: {[hit['document'] for hit in answer['hits'][:3]]}")
        elif words[0] == "search" and shipped and not answer["reranked"]:
            faults.append(f"nothing was reranked, though {shipped} ships")
    return faults


def cross_encoders(program: Path) -> list[str]:
    """The cross-encoders that ship, by the names of their folders."""
    models = program / "_internal" / "resources" / "models"
    weights = (one.parent for one in models.glob("*/model.safetensors"))
    return sorted(one.name for one in weights if "SequenceClassification" in str(read(one / "config.json")))


def start_times(program: Path, work: Path) -> list[str]:
    """The time to the painted start page, frozen and not, in turns; the best of each counts."""
    root = Path(__file__).resolve().parents[2]
    sides = {"frozen": [str(program / WINDOW)], "source": [sys.executable, "-m", "explorer"]}
    best = dict.fromkeys(sides, float("inf"))
    work.mkdir()
    for number in range(ROUNDS + 1):  # the first of each warms the disk
        for side, command in sides.items():
            picture = work / f"{side}.png"
            began = time.time()
            known = {**os.environ, "HOME": str(work), "XDG_RUNTIME_DIR": str(work)}
            subprocess.run(
                [*command, "--smoke", str(picture)], env=known, cwd=root, timeout=LIMIT, check=True
            )
            took = float(read(picture.with_suffix(".json"))["painted"]) - began
            best[side] = min(best[side], took) if number else best[side]
    ratio = best["frozen"] / best["source"]
    print(
        f"start page painted: frozen {best['frozen']:.2f} s, source {best['source']:.2f} s, ratio {ratio:.2f}"
    )
    late = [f"the frozen start page takes {ratio:.2f} times as long"] if ratio > SLOWER else []
    return late + blank(work / "frozen.png")


def blank(picture: Path) -> list[str]:
    """Whether a picture shows nothing: hardly a colour, or one that is nearly everywhere."""
    from PIL import Image

    with Image.open(picture) as image:
        colours = image.convert("RGB").getcolors(1 << 24) or []
    most, pixels = max(count for count, _ in colours), sum(count for count, _ in colours)
    return [f"{picture.name} is blank"] if len(colours) < 50 or most > 0.97 * pixels else []


def read(file: Path) -> dict[str, Any]:
    """A file of JSON; empty where there is none."""
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


if __name__ == "__main__":
    sys.exit(main())
