"""The scripts that make the shipped models follow the program: whatever they take from it is there."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import PROJECT

SCRIPTS = sorted((PROJECT / "resources" / "models").rglob("*.py"))


def imported(tree: ast.Module) -> dict[str, object]:
    """What a script imports from the program, by the name it has there."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("explorer"):
            module = importlib.import_module(str(node.module))
            for alias in node.names:
                if not hasattr(module, alias.name):  # or it is a module itself
                    importlib.import_module(f"{node.module}.{alias.name}")
                found[alias.asname or alias.name] = getattr(module, alias.name)
    return found


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_names_of_the_program_are_there(script: Path) -> None:
    tree = ast.parse(script.read_text("utf-8"))
    names = imported(tree)
    missing = [
        f"line {node.lineno}: {node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and isinstance(holder := names.get(node.value.id), ModuleType | type)
        and not hasattr(holder, node.attr)
    ]
    assert not missing
