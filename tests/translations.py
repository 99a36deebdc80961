"""Brings the translations up to date with the program: `python tests/translations.py`, then fill in what it prints."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
KOREAN, PLURALS = FOLDER / "explorer_ko.ts", FOLDER / "explorer_en.ts"  # of English only what has a plural
SENTENCES = FOLDER / "sentences_ko.json"
HOLE = re.compile(r"\{[^{}]*\}|%L?n|%\d")


@dataclass(frozen=True)
class Entry:
    """One text of the window: where it is used, what it says, its translation (a form a line, empty if none)."""

    context: str
    source: str
    translation: str


def main() -> int:
    """Look for texts, keep what is translated, compile; returns 1 while something is missing."""
    missing = []
    for file in (KOREAN, PLURALS):
        look(file)
        if file == PLURALS:
            _count_in_english(file)
        compile_to(file, file.with_suffix(".qm"))
        missing += [one for one in entries(file) if not one.translation]
    for one in missing:
        print(f"{one.context}|{one.source!r}")
    known = sentences()
    lacking = sorted(wanted_sentences() - known.keys())
    print(*(json.dumps(one, ensure_ascii=False) for one in lacking), sep="\n")
    for gone in sorted(known.keys() - all_strings()):
        print("not said any more:", json.dumps(gone, ensure_ascii=False))
    print(f"{len(missing)} texts and {len(lacking)} sentences are not translated")
    return int(bool(missing or lacking))


def look(file: Path) -> None:
    """Gather the texts of the window into a .ts file; what it holds already is kept."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "explorer" / "ui").rglob("*.py"))
    kind = ["-pluralonly"] if file.stem == PLURALS.stem else []
    target = file.stem.removeprefix("explorer_")
    _qt("lupdate", *files, *kind, "-silent", "-no-obsolete", "-locations", "none", "-source-language", "en",
        "-target-language", target, "-ts", str(file))  # fmt: skip


def compile_to(source: Path, file: Path) -> None:
    """Make the .qm that the window loads."""
    _qt("lrelease", "-silent", str(source), "-qm", str(file))


def entries(file: Path) -> list[Entry]:
    """All texts of a .ts file."""
    found = []
    for context in ET.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            other = message.find("translation")
            done = other is not None and other.get("type") != "unfinished"
            forms = [form.text or "" for form in message.iter("numerusform")]
            text = (other.text or "").strip() if other is not None and done else ""
            text = "\n".join(forms) if done and forms and all(forms) else text
            found.append(Entry(context.findtext("name", ""), message.findtext("source", ""), text))
    return found


def sentences() -> dict[str, str]:
    """What the rooms below say, with its translation."""
    found: dict[str, str] = json.loads(SENTENCES.read_text("utf-8")) if SENTENCES.exists() else {}
    return found


def wanted_sentences() -> set[str]:
    """The sentences of errors and the notes of progress that can reach the window, {} for their values."""
    found = set()
    errors = _errors()
    for node in _nodes():
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in errors or name == "report":
                found.add(_template(node.args[-1]))
    return {one for one in found if re.search("[a-z]{3}", one)}


def all_strings() -> set[str]:
    """Every text in the rooms below, {} for values."""
    return {_template(node) for node in _nodes()}


def holes(text: str) -> list[str]:
    """The places for values in a text, sorted."""
    return sorted(HOLE.findall(text))


def _count_in_english(file: Path) -> None:
    """Fill in the two forms of "%n document(s)": "%n document" and "%n documents"."""
    form = re.compile(r"(<source>([^<]*)</source>\s*<translation)[^>]*>\s*.*?</translation>", re.DOTALL)

    def filled(found: re.Match[str]) -> str:
        said = found[2]
        one, more = re.sub(r"\(e?s\)", "", said), re.sub(r"\((e?s)\)", r"\1", said)
        forms = "".join(f"\n            <numerusform>{text}</numerusform>" for text in (one, more))
        return f"{found[1]}>{forms}\n        </translation>"

    file.write_text(form.sub(filled, file.read_text("utf-8")), "utf-8")


@cache
def _nodes() -> tuple[ast.AST, ...]:
    """What the rooms below are written in, without what neither calls, nor says, nor is a class."""
    kinds = (ast.Call, ast.Constant, ast.JoinedStr, ast.BinOp, ast.ClassDef)
    paths = (path for path in sorted((ROOT / "explorer").rglob("*.py")) if "cli" not in path.parts)
    trees = (ast.parse(path.read_text("utf-8")) for path in paths)
    return tuple(node for tree in trees for node in ast.walk(tree) if isinstance(node, kinds))


def _errors() -> set[str]:
    """ExplorerError and what comes of it."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for node in _nodes() if isinstance(node, ast.ClassDef)
    }  # fmt: skip
    found = {"ExplorerError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def _template(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_template(value) if isinstance(value, ast.Constant) else "{}" for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (_template(left) or "{}") + (_template(right) or "{}")
    return ""


def _qt(tool: str, *arguments: str) -> None:
    import PySide6

    folder = Path(PySide6.__file__).parent
    program = folder / (f"{tool}.exe" if sys.platform == "win32" else tool)
    subprocess.run([str(program), *arguments], cwd=ROOT, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
