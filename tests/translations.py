"""Brings the translations up to date with the program: `python tests/translations.py`, then fill in what it prints."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
KOREAN, PLURALS = FOLDER / "explorer_ko.ts", FOLDER / "explorer_en.ts"  # of English only what has a plural
ENGINE = "engine"  # the context of the sentences of the rooms below the window
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
    print(f"{len(missing)} texts are not translated")
    return int(bool(missing))


def look(file: Path) -> None:
    """Gather the texts of the window into a .ts file; what it holds already is kept."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "explorer" / "ui").rglob("*.py"))
    kind = ["-pluralonly"] if file.stem == PLURALS.stem else []
    target = file.stem.removeprefix("explorer_")
    with tempfile.TemporaryDirectory() as folder:
        # The rooms below know nothing of Qt, so their templates are written down for lupdate to find.
        engine = Path(folder, "engine.py")
        texts = (json.dumps(text, ensure_ascii=False) for text in templates())
        engine.write_text("".join(f'QCoreApplication.translate("{ENGINE}", {text})\n' for text in texts), "utf-8")
        _qt(
            "lupdate",
            *files,
            str(engine),
            *kind,
            "-silent",
            "-no-obsolete",
            "-locations",
            "none",
            "-source-language",
            "en",
            "-target-language",
            target,
            "-ts",
            str(file),
        )


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
            text = (other.text or "") if other is not None and done else ""
            text = text if text.strip() else ""  # a part of a sentence may begin with a space
            text = "\n".join(forms) if done and forms and all(forms) else text
            found.append(Entry(context.findtext("name", ""), message.findtext("source", ""), text))
    return found


def templates() -> list[str]:
    """Return the templates of all messages of the rooms below: of errors, progress notes and remarks."""
    found: set[str] = set()
    errors = error_names()
    for node in _nodes():
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(values=values)) if name.endswith("TEMPLATES"):
                found.update(text for value in values for text in _literals(value))
            case ast.Call(func=func, args=arguments):
                name = getattr(func, "id", getattr(func, "attr", ""))
                # The note of a report is its third argument, the sentence of an Unreadable its second.
                index = {"report": 2, "Unreadable": 1}.get(name, 0 if name in {"UserMessage", *errors} else 99)
                if index < len(arguments):
                    found.update(_literals(arguments[index]))
    return sorted(text for text in found if re.search("[a-z]{3}", HOLE.sub("", text)))


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
    """Return the calls, assignments and classes of the rooms below the window, without the command line."""
    kinds = (ast.Call, ast.Assign, ast.ClassDef)
    paths = (path for path in sorted((ROOT / "explorer").rglob("*.py")) if "cli" not in path.parts)
    trees = (ast.parse(path.read_text("utf-8")) for path in paths)
    return tuple(node for tree in trees for node in ast.walk(tree) if isinstance(node, kinds))


def error_names() -> set[str]:
    """Return the names of ExplorerError and the classes derived from it."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for node in _nodes()
        if isinstance(node, ast.ClassDef)
    }
    found = {"ExplorerError"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def _literals(node: ast.AST) -> list[str]:
    """Return a literal text, or both texts of a choice between two."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp(body=body, orelse=other):
            return _literals(body) + _literals(other)
    return []


def _qt(tool: str, *arguments: str) -> None:
    import PySide6

    folder = Path(PySide6.__file__).parent
    program = folder / (f"{tool}.exe" if sys.platform == "win32" else tool)
    subprocess.run([str(program), *arguments], cwd=ROOT, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
