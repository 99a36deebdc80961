"""What README and manual say to type runs: commands, blocks of Python, the demo; answers have the keys told of."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import main as cli_main
from explorer.cli.main import COMMANDS
from explorer.models.files import catalog
from explorer.workspace.storage.location import workspace_of
from tests.conftest import PROJECT, make_checkpoint

README = (PROJECT / "README.md").read_text("utf-8")
HELP = PROJECT / "resources" / "help"
PROGRAMS = {language: (HELP / language / "programs.md").read_text("utf-8") for language in ("en", "ko")}
DOCUMENT, ALIKE = "cooking/lentil-soup.md", "cooking/lentil-soup-weeknight.md"
# What keeps a command short here; its model is a tiny one.
SHORT = {
    "train": "--base TINY --set steps=2 --batch 4 --threads 1",
    "distil": "--model TINY",
    "benchmark": "--model TINY",
}
REST = "…"  # in a shape: the other keys, which are told elsewhere

Run = Callable[[str], tuple[int, Any, str]]
pytestmark = pytest.mark.bundled


def part(text: str, heading: str) -> str:
    """What stands below a heading, to the next of its kind."""
    found = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def rows(text: str) -> list[tuple[str, str]]:
    """The code that the first two cells of a row begin with, of each row whose first cell does."""
    return re.findall(r"^\| `([^`]+)` \|(?: `([^`]+)`)?", text, re.MULTILINE)


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


LISTED = [call for call, _ in rows(part(README, "Commands"))]
SHAPES = dict(rows(part(PROGRAMS["en"], "JSON")))
PYTHON = [
    (f"{name}-{place}", code)
    for name, text in {"readme": README, **PROGRAMS}.items()
    for place, code in enumerate(blocks(text, "python"), 1)
]
SHELL = sorted(
    {
        line
        for page in HELP.glob("*/*.md")
        for block in blocks(page.read_text("utf-8"), "bash")
        for line in block.splitlines()
        if line.startswith("docexplorer")
    }
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, indexed_sample: Path) -> Iterator[Path]:
    """A home of the program for all tests here, so that a folder is indexed once; the sample is indexed already."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCEXPLORER_HOME", str(folder))
        patch.setenv("HF_HUB_CACHE", str(folder / "hub"))
        shutil.copytree(indexed_sample, workspace_of(PROJECT / "resources" / "sample"))
        yield folder


@pytest.fixture(autouse=True)
def own_home(home: Path) -> None:
    """The home of this file, in the place of one a test."""


@pytest.fixture(scope="module")
def given(home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What stands for each word in capitals: the folder is indexed, with something of all that answers can tell of."""
    place = tmp_path_factory.mktemp("given")
    folder = make_folder(place / "folder")
    index_and_tag(folder)
    save = ["searches", str(folder), "--save", "soup", "soup"]
    assert cli_main.main(save) == 0
    (folder / "cooking" / "new-soup.txt").write_text("A new soup of leeks and potatoes.\n")  # matches it since then
    assert cli_main.main(["index", str(folder), "--model", catalog.BUNDLED]) == 0  # half of it is advised against
    (place / "tagged").mkdir()
    shutil.copy(folder / DOCUMENT, place / "tagged" / "soup.md")
    index_and_tag(place / "tagged")
    (place / "texts.txt").write_text("a cat sits\na dog runs\n", encoding="utf-8")
    return {
        "FOLDER": str(folder),
        "TAGGED": str(place / "tagged"),
        "DOCUMENT": DOCUMENT,
        "DOCUMENT:START": f"{DOCUMENT}:0",
        "A": DOCUMENT,
        "B": ALIKE,
        "QUERY": "soup for a cold evening",
        "NAME": "cooking",
        "M": "explorer-cross-encoder-ko-en",
        "TINY": str(make_checkpoint(place / "tiny", "bert")),
        "TEXTS": str(place / "texts.txt"),
        **dict.fromkeys(("PAIRS", "DATA", "FILE"), str(make_pairs(place / "pairs.csv"))),
        "FILE.parquet": str(make_vectors(place / "vectors.parquet")),
    }


def index_and_tag(folder: Path) -> None:
    """Make a folder searchable, and say something of one of its documents, so that there is a backup."""
    assert cli_main.main(["index", str(folder), "--model", catalog.BUNDLED]) == 0  # half of it is advised against
    document = next(path for path in sorted(folder.rglob("*soup*.md")))
    assert cli_main.main(["tag", str(folder), str(document.relative_to(folder)), "--add", "first"]) == 0


def make_folder(folder: Path) -> Path:
    """Texts of the sample, most of them Korean, and files that cannot be read, are ignored, skipped or say nothing."""
    sample = PROJECT / "resources" / "sample"
    for path in [*(sample / "cooking").iterdir(), *sorted(sample.glob("*/[가-힣]*.txt"))[:20]]:
        (folder / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / path.parent.name)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    (folder / "dashes.txt").write_text("---- ---- ----\n")
    (folder / ".explorerignore").write_text("*.bak\n")
    (folder / "old.bak").write_text("old")
    (folder / "lost.txt").symlink_to(folder / "nowhere")
    return folder


def make_pairs(file: Path) -> Path:
    """Scored pairs, the last of which has no score."""
    with file.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(["sentence1", "sentence2", "score"])
        table.writerows([f"the cat sat {place}", f"a dog ran {place}", place % 6] for place in range(40))
        table.writerow(["the quick fox", "the lazy dog", "none"])
    return file


def make_vectors(file: Path) -> Path:
    """Vectors of one's own for two documents."""
    import pyarrow
    from pyarrow import parquet

    table = {"document": [DOCUMENT, ALIKE], "vector": [[1.0, 0.0, 0.5], [0.9, 0.1, 0.5]]}
    parquet.write_table(pyarrow.table(table), file)
    return file


@pytest.fixture(scope="module")
def run(given: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command once, as it is told of: exit code, its JSON, and what went wrong."""
    answers: dict[str, tuple[int, Any, str]] = {}

    def run(call: str) -> tuple[int, Any, str]:
        if call not in answers:
            said, wrong = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
                code = cli_main.main([*filled(call, given, tmp_path_factory.mktemp("out")), "--json"])
            answers[call] = code, json.loads(said.getvalue() or "null"), wrong.getvalue()
        return answers[call]

    return run


def filled(call: str, given: dict[str, str], place: Path) -> list[str]:
    """The words of a command with something real for those in capitals; what it writes goes to `place`."""
    if call.startswith("restore"):  # the folder wants indexing afterwards, so it is not the one that others use
        call = call.replace("FOLDER", "TAGGED")
    words = [*call.split(), *SHORT.get(call.split(maxsplit=1)[0], "").split()]
    found = []
    for before, word in zip(["", *words], words, strict=False):
        if before == "--out":
            found.append(str(place / word))
        else:
            found.append(given[word] if re.match("[A-Z]", word) else word)
    return found


@pytest.fixture
def ends_at_once(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """What would wait for the network or for Ctrl+C does not."""
    from explorer.cli import index

    monkeypatch.setattr(catalog, "download", lambda name, **_: home / name)
    monkeypatch.setattr(index, "follow", lambda opened, how, task: iter([how.once(opened, task)]))


@pytest.mark.skipif(sys.platform != "linux", reason="there is always a display there")
def test_the_demo_runs_without_a_display(demo: Path, tmp_path: Path) -> None:
    command = re.search(r"<!-- demo -->\n```bash\n(.+)\n```", README)
    assert command
    python, *words = shlex.split(command[1].rpartition("&&")[2])
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["DOCEXPLORER_HOME"] = str(shutil.copytree(demo / "home", tmp_path / "again"))
    ended = subprocess.run(
        [sys.executable, *words], cwd=PROJECT, env=environment, capture_output=True, encoding="utf-8"
    )
    assert (python, ended.returncode) == ("python", 0), ended.stderr
    assert "encoded with explorer-gte-ko-en in" in (demo / "out").read_text("utf-8")  # the first time
    assert "already indexed, nothing has changed" in ended.stdout
    assert "Most similar documents:" in ended.stdout
    assert "display" in ended.stderr


def test_the_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) > 5
    assert [link for link in links if not (PROJECT / link).is_file()] == []


def test_the_table_of_models_is_what_its_script_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the figures that each model brings along."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    printed = runpy.run_path(str(PROJECT / "tests" / "benchmarks" / "shipped_models.py"))["ROWS"]
    lines = [line for line in part(README, "Models").splitlines() if line.startswith("|")]
    (_, *names), _, _, *cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert [title for title, *_ in cells] == list(printed)
    entries = {entry.name: entry for entry in catalog.entries() if entry.source == "shipped"}
    bi_encoders = [name for name, entry in entries.items() if entry.kind == "bi"]
    columns = {name.removesuffix(" (default)"): place for place, name in enumerate(names)}
    assert set(bi_encoders) <= set(columns)
    for title, *row in cells:
        measure, form = printed[title]
        for name in bi_encoders:
            measures = dict(entries[name].measures) | {"MB": entries[name].bytes / 1e6}
            if measure in measures:  # which were rounded to four places
                near = {form(measures[measure] + rounded) for rounded in (-4e-5, 0, 4e-5)}
                assert row[columns[name]] in near, (title, name)


def test_the_readme_lists_every_command_once() -> None:
    assert sorted(call.split()[0] for call in LISTED) == sorted(COMMANDS)


@pytest.mark.parametrize("call", LISTED)
def test_a_command_of_the_readme_runs(run: Run, call: str) -> None:
    code, _, wrong = run(call)
    assert (code, wrong) == (0, "")


def test_the_shape_of_every_answer_is_told_in_both_languages_alike() -> None:
    assert {call.split()[0] for call in SHAPES} == set(COMMANDS)
    english, korean = (rows(part(text, "JSON")) for text in PROGRAMS.values())
    assert english == korean
    assert len(english) == len(SHAPES)


@pytest.mark.parametrize("call", SHAPES)
@pytest.mark.usefixtures("ends_at_once")
def test_an_answer_has_the_keys_that_are_told(run: Run, call: str) -> None:
    code, answer, wrong = run(call)
    assert (code, wrong) == (0, "")
    told = shape(tokens(SHAPES[call]))
    assert paths(cut(answer, told)) == paths(told)


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in PYTHON])
def test_a_block_of_python_runs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    exec(compile(code, "block", "exec"), {"__name__": "__main__"})


def test_the_blocks_are_found() -> None:
    names = [name.partition("-")[0] for name, _ in PYTHON]
    assert names.count("en") == names.count("ko") >= 2
    assert len(SHELL) >= 3


@pytest.mark.parametrize("line", SHELL)
def test_a_line_of_the_shell_runs(
    line: str, given: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line.partition(" > ")[0])[1:]
    assert cli_main.main([given["FOLDER"] if word.startswith("~/") else word for word in words]) == 0


def tokens(text: str) -> list[str]:
    return [one for word in re.findall(r"[{}\[\],:]|[^{}\[\],:]+", text) if (one := word.strip())]


def shape(words: list[str]) -> Any:
    """A shape as the manual writes it: keys with their values, a list of one, or None for what is not told further."""
    first = words.pop(0)
    if first == "{":
        keys: dict[str, Any] = {}
        while (key := words.pop(0)) != "}":
            if key == ",":
                continue
            keys[key] = None
            if words[0] == ":":
                words.pop(0)
                keys[key] = shape(words)
        return None if "NAME" in keys else keys
    if first == "[":
        inner = shape(words)
        del words[: words.index("]") + 1]
        return None if inner is None else [inner]
    return None


def cut(answer: Any, told: Any) -> Any:
    """An answer without what is below the keys that are told, and without keys that are told elsewhere."""
    if told is None or answer is None:
        return None
    if isinstance(told, list):
        return [cut(one, told[0]) for one in answer]
    found = {key: cut(value, told.get(key)) for key, value in answer.items()}
    if REST in told:
        return {REST: None} | {key: value for key, value in found.items() if key in told}
    return found


def paths(value: Any, above: str = "") -> set[str]:
    """The keys of an answer or a shape, each with those above it; of a list, those of all in it."""
    if isinstance(value, list):
        return {above}.union(*(paths(one, f"{above}[]") for one in value))
    if not isinstance(value, dict):
        return {above}
    return {above}.union(*(paths(one, f"{above}.{key}") for key, one in value.items()))
