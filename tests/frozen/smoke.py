"""Tries a built program as it reaches a user: python -m tests.frozen.smoke DIST/DocumentSimilarityExplorer

The folder is moved to a place with spaces and Korean letters, made read-only, and run without a network, without Python
in the path and with an empty home. The window opens the sample, indexes, searches, reranks,
is photographed and closed; then the command line does the same. At last the frozen start page is timed beside that of
the source tree. Without Xvfb the window is left out, and that is said. Exit code 0, or 1 and what was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.corpus.readers.office import ole_files

WINDOW, COMMAND = "DocumentSimilarityExplorer", "docexplorer"
PLACE = "탐색기 시험 dir"
QUERY = "the printer stopped working"
LIMIT = 1200  # seconds for one run; a minute would do on a machine with nothing else to do
SLOWER = 2.0  # times that the frozen start page may take beside the other
ROUNDS = 5
STRANGERS = (
    "_pytest datasets dill docx import-linter mypy nvidia psutil pytest python-docx ruff "
    "sentence-transformers tkinter triton"
).split()  # packages and folders that have no business there
TEXTS = (
    "INDEX.txt", "Apache-2.0.txt", "LGPL-3.0.txt", "GPL-3.0.txt", "Qt.txt", "Python/LICENSE.txt",
    "torch", "numpy", "scipy", "transformers", "kiwipiepy", "pypdfium2", "pyqtgraph",
)  # fmt: skip


def main() -> int:
    """Run everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the built folder")
    parser.add_argument("--keep", type=Path, help="where to leave the pictures")
    parser.add_argument("--copy", action="store_true", help="leave the built folder and try a copy")
    parser.add_argument("--strict", action="store_true", help="a slow start page is a fault, not a remark")
    chosen = parser.parse_args()
    if sys.platform != "linux":
        raise SystemExit("This test knows only Linux.")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        with placed(chosen.folder.resolve(), work / PLACE, copied=chosen.copy) as program:
            faults = [*inside(program), *on_screen(program, work, strict=chosen.strict)]
            faults += [*by_command(program, work / "command", "C"), *written(program)]
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
    finally:
        for path in [place, *place.rglob("*")]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o200)
        if not copied:
            shutil.move(place, folder)


def written(program: Path) -> list[str]:
    """What was written into the program's folder. Root may do so whatever the mode says; it has another mode then."""
    new = [one for one in program.rglob("*") if not one.is_symlink() and one.stat().st_mode & 0o222]
    return [f"written into the program's folder: {one.relative_to(program)}" for one in new]


@contextmanager
def display() -> Iterator[bool]:
    """A screen that nobody sees, on a number that is free; false where there is none to be had."""
    tool = shutil.which("Xvfb")
    if tool is None:
        yield False
        return
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        [tool, "-displayfd", str(write_end), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    with os.fdopen(read_end) as said:
        number = said.readline().strip()  # empty if it ends before it has one
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = f":{number}"
    try:
        yield bool(number)
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
        "HOME": str(home),
        "LANG": language,
        "LC_ALL": language,
        "PATH": str(tools),
        "DISPLAY": os.environ.get("DISPLAY", ""),
        "XDG_RUNTIME_DIR": str(home),
    }


def offline() -> list[str]:
    """What to put before a command so that it has no network; nothing where this machine does not allow it."""
    denied = ["unshare", "--user", "--map-root-user", "--net"]
    tool = shutil.which("unshare")
    if tool is None or subprocess.run([*denied, "true"], capture_output=True, check=False).returncode:
        print("note: the network cannot be denied on this machine")
        return []
    return [tool, *denied[1:]]


def run(command: list[str], home: Path, language: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the folder without a network; one that takes too long is ended, with the code -9."""
    # The sockets of the screen are files, so it is reached without a network.
    words = [*offline(), *command]
    try:
        return subprocess.run(
            words,
            env=environment(home, language),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT,
            check=False,
            cwd=home.parent,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -9, "", f"it was not done after {LIMIT} s")


def inside(program: Path) -> list[str]:
    """What must not be in the folder, and what must."""
    texts = program / "_internal" / "LICENSES"
    listed = texts.joinpath("INDEX.txt").read_text("utf-8").splitlines()  # a line for each package inside
    names = {one.split()[0].lower() for one in listed}
    names |= {one.name for one in (program / "_internal").iterdir()}
    faults = [f"{one} is inside" for one in STRANGERS if one in names]
    faults += [] if cross_encoders(program) else ["no cross-encoder ships"]
    faults += [f"{one.name} is a GPU library" for one in program.rglob("libcu*.so*")]
    faults += [f"the licence {one} is missing" for one in TEXTS if not (texts / one).exists()]
    faults += unlinked(program)
    shared = [*program.glob("share/*/*"), *program.glob("share/icons/hicolor/scalable/apps/*.svg")]
    ends = {one.suffix for one in shared}
    return faults + [f"no {one} for the desktop" for one in (".desktop", ".xml", ".svg") if one not in ends]


def unlinked(program: Path) -> list[str]:
    """Libraries that others inside are linked to and that are neither inside nor on this machine."""
    tool, inner = shutil.which("ldd"), program / "_internal"
    if tool is None:
        return []
    # What Qt asks of the system is not ours to bring.
    files = [str(one) for one in inner.rglob("*.so*") if not one.is_symlink() and "PySide6" not in one.parts]
    known = {**os.environ, "LD_LIBRARY_PATH": str(inner)}  # as the program is started
    done = subprocess.run([tool, *files], env=known, capture_output=True, text=True, check=False)
    missing = {line.split()[0] for line in done.stdout.splitlines() if line.endswith("not found")}
    return [f"{one} is missing" for one in sorted(missing)]


def on_screen(program: Path, work: Path, *, strict: bool) -> list[str]:
    """What needs a screen: the window on the sample, and the time that the start page takes."""
    with display() as there:
        if not there:
            print("note: there is no Xvfb here, so the window was not tried")
            return []
        faults = by_window(program, work / "window", "ko_KR.UTF-8")
        slow = start_times(program, work / "times")
        return [*faults, *(slow if strict else []), *blank(work / "times" / "frozen.png")]


def by_window(program: Path, work: Path, language: str) -> list[str]:
    """The window tries itself on the sample."""
    home, picture = work / "home", work / "window.png"
    sample = program / "_internal" / "resources" / "sample"
    began = time.monotonic()
    work.mkdir()
    done = run([str(program / WINDOW), "--smoke", str(picture), str(sample)], home, language)
    told = read(picture.with_suffix(".json"))
    faults = [f"the window ended with {done.returncode}: {done.stderr[-2000:]}"] if failed(done) else []
    if not told.get("done"):
        return [*faults, f"the window did not come to its end: {told}"]
    counts = f"{told['documents']} documents, {len(told['hits'])} hits, {told['reranked']} reranked"
    print(f"window: {counts}, {time.monotonic() - began:.0f} s; told: {told['sentences']}")
    best = told["hits"][:3]
    if told["documents"] <= 100:
        faults.append(f"only {told['documents']} documents of the sample")
    if not any("support" in hit for hit in best):
        faults.append(f"unlikely hits: {best}")
    if not told["reranked"]:
        faults.append("nothing was reranked")
    if not told["korean_apart"]:
        faults.append("Korean was not analysed in a process of its own")
    return faults + blank(picture)


def by_command(program: Path, work: Path, language: str) -> list[str]:
    """The command line indexes the sample, searches it with a cross-encoder, draws its map, exports it, and trains."""
    home, picture, pairs = work / "home", work / "map.png", work / "pairs.csv"
    sample = str(program / "_internal" / "resources" / "sample")
    work.mkdir()
    pairs.write_text("".join(f"a dog barks {one},a cat sleeps {one},{one % 6}\n" for one in range(40)), "utf-8")
    learning = "--data-kind scored --score-range 0 5 --epochs 1 --batch 8 --name tried".split()
    faults = []
    foreign = work / "다른 형식"
    foreign.mkdir()
    (foreign / "공문.hwp").write_bytes(ole_files.hwp("한글 문서"))
    (foreign / "old.doc").write_bytes(ole_files.doc("An old text."))
    done = run([str(program / COMMAND), "index", str(foreign), "--json"], home, language)
    answer = {} if failed(done) else json.loads(done.stdout)
    if answer.get("documents") != 2 or answer["problems"]:
        faults.append(f"old office files are not read: {done.stdout[-500:]}")
    for words in (
        ["index", sample],
        ["search", sample, QUERY, "--rerank", *cross_encoders(program)[:1]],
        ["map", sample, "--out", str(picture)],
        ["export", sample, "--out", str(work / "documents.parquet")],
        ["train", str(pairs), *learning],
    ):
        began = time.monotonic()
        done = run([str(program / COMMAND), *words, "--json"], home, language)
        print(f"{COMMAND} {words[0]}: {time.monotonic() - began:.0f} s")
        faults += [f"{COMMAND} {words[0]}: {fault}" for fault in wrong(words[0], done)]
    return faults + (blank(picture) if picture.is_file() else ["the command line drew no map"])


def wrong(command: str, done: subprocess.CompletedProcess[str]) -> list[str]:
    """What is wrong with the answer of a command."""
    if failed(done):
        return [f"ended with {done.returncode}: {done.stderr[-2000:]}"]
    answer = json.loads(done.stdout)
    if command == "train":
        return [] if answer["sentences"] else ["the training says nothing of what it gained"]
    if command == "index" and answer["problems"]:  # PDF, office files and pages are read in a process of their own
        return [f"{answer['problems']} files could not be read"]
    if command != "search":
        return [] if answer["documents"] > 100 else [f"only {answer['documents']} documents of the sample"]
    best = [hit["document"] for hit in answer["hits"][:3]]
    faults = [] if any("support" in one for one in best) else [f"unlikely hits: {best}"]
    return faults + ([] if answer["reranked"] else ["nothing was reranked"])


def failed(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a program failed, or says that a part of it is missing; else what it remarks is shown."""
    if done.stderr.strip():
        print(f"remarks: {done.stderr[-2000:]}")
    return done.returncode != 0 or any(word in done.stderr for word in ("Traceback", "kiwipiepy"))


def cross_encoders(program: Path) -> list[str]:
    """The cross-encoders that ship, by the names of their folders."""
    models = program / "_internal" / "resources" / "models"
    weights = (one.parent for one in models.glob("*/model.safetensors"))
    return sorted(one.name for one in weights if "SequenceClassification" in str(read(one / "config.json")))


def start_times(program: Path, work: Path) -> list[str]:
    """The time to the painted start page, frozen and not, in turns; the one in the middle counts."""
    root = Path(__file__).resolve().parents[2]
    sides = {"frozen": [str(program / WINDOW)], "source": [sys.executable, "-m", "explorer"]}
    took: dict[str, list[float]] = {side: [] for side in sides}
    known = {**os.environ, "HOME": str(work), "XDG_RUNTIME_DIR": str(work)}
    work.mkdir()
    for _ in range(ROUNDS + 1):
        for side, command in sides.items():
            picture = work / f"{side}.png"
            began = time.time()
            subprocess.run([*command, "--smoke", str(picture)], env=known, cwd=root, timeout=LIMIT, check=True)
            took[side].append(float(read(picture.with_suffix(".json"))["painted"]) - began)
    # The first of each brings the files from the disk.
    frozen, source = (statistics.median(took[side][1:]) for side in ("frozen", "source"))
    ratio = frozen / source
    print(f"start page painted: frozen {frozen:.2f} s, source {source:.2f} s, ratio {ratio:.2f}")
    return [f"the frozen start page takes {ratio:.2f} times as long"] if ratio > SLOWER else []


def blank(picture: Path) -> list[str]:
    """Whether a picture shows nothing: hardly a colour, or one that is nearly everywhere."""
    from PIL import Image

    with Image.open(picture) as image:
        colours = image.convert("RGB").getcolors(1 << 24) or []
    most, pixels = max(count for count, _ in colours), sum(count for count, _ in colours)
    return [f"{picture.name} is blank"] if len(colours) < 50 or most > 0.99 * pixels else []


def read(file: Path) -> dict[str, Any]:
    """A file of JSON; empty where there is none."""
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


if __name__ == "__main__":
    sys.exit(main())
