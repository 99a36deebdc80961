"""The licences of everything inside the frozen program, collected from where each part came from."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from resources.app.shipping.contents import Entry

TEXTS = Path(__file__).with_name("texts")  # licences that packages name and do not bring
_NAMES = ("licen", "copying", "notice", "authors")
# What a package without a text of its own names, and where that lies.
_NAMED = {"LGPL-3.0": ["LGPL-3.0.txt", "GPL-3.0.txt", "Qt.txt"], "Apache": ["Apache-2.0.txt"]}
_COMMON = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])")


def collect(entries: Iterable[Entry], out: Path, root: Path) -> list[str]:
    """Write a folder a part, with its licences, and INDEX.txt, which names them all.

    Args:
        entries: What is inside: modules, libraries, files.
        out: The folder to write, anew.
        root: The project.

    Returns:
        The parts without a licence text; what their metadata says is in the index.
    """
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(TEXTS, out)
    shutil.copyfile(root / "LICENSE", out / "Apache-2.0.txt")
    sources = {str(Path(source).resolve()) for _, source, _ in entries if source and source != "-"}
    lines, bare = ["Document Similarity Explorer: Apache-2.0 (Apache-2.0.txt)"], []
    for part in _distributions(sources):
        name, said = part.metadata["Name"], _said(part)
        written = _copy(((Path(str(one.locate())), str(one)) for one in part.files or []), out / name)
        where = [name] if written else next((files for key, files in _NAMED.items() if key in said), [])
        bare += [] if where else [name]
        lines.append(f"{name} {part.version}: {said} ({', '.join(where) or 'no text in the package'})")
    lines += _python(out) + _system(sources, out)
    (out / "INDEX.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return bare


def _distributions(sources: set[str]) -> list[metadata.Distribution]:
    """The installed packages that some file of the program came from, by name."""
    found = {}
    for part in metadata.distributions():
        base = Path(str(part.locate_file(""))).resolve()  # once: to ask the disk for every file takes long
        if part.metadata["Name"] and any(os.path.normpath(base / one) in sources for one in part.files or []):
            found[part.metadata["Name"].lower()] = part
    return [found[name] for name in sorted(found)]


def _said(part: metadata.Distribution) -> str:
    known = part.metadata
    brief = str(known.get("License-Expression") or known.get("License") or "")
    if brief and "\n" not in brief:  # some put the whole text there
        return brief
    classes = [one.split("::") for one in known.get_all("Classifier") or [] if one.startswith("License")]
    return ", ".join(one[-1].strip() for one in classes) or "see its page"


def _copy(files: Iterable[tuple[Path, str]], out: Path) -> int:
    """Copy the texts of licences; `files` are paths and their names below the place of installation."""
    written = 0
    for path, name in files:
        below = Path(*Path(name).parts[1:])
        said = any(one in path.name.lower() for one in _NAMES) or below.parts[:1] == ("licenses",)
        if said and path.suffix not in {".py", ".pyc"} and path.is_file():
            target = out / below
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            written += 1
    return written


def _python(out: Path) -> list[str]:
    library = Path(sysconfig.get_path("stdlib"))
    for text in (library / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE"):
        if text.is_file():
            (out / "Python").mkdir()
            shutil.copyfile(text, out / "Python" / "LICENSE.txt")
            break
    return [f"Python {sys.version.split()[0]}: PSF-2.0"]


def _system(sources: set[str], out: Path) -> list[str]:
    """Libraries of the system the program was made on, where its package manager knows them."""
    tool = shutil.which("dpkg-query")
    libraries = sorted(one for one in sources if one.startswith(("/lib", "/usr/lib")))
    if tool is None or not libraries:
        return []
    names = [alias for one in libraries for alias in (one, one.removeprefix("/usr"))]
    said = subprocess.run([tool, "-S", *names], capture_output=True, text=True, check=False).stdout  # noqa: S603
    packages = sorted({line.partition(":")[0] for line in said.splitlines() if ": " in line})
    for package in packages:
        text = Path("/usr/share/doc") / package / "copyright"
        if text.is_file():
            (out / "system" / package).mkdir(parents=True)
            shutil.copyfile(text, out / "system" / package / "copyright")
            _copy_common(text.read_text("utf-8", errors="replace"), out / "system")
    return [f"{package}: a library of the system, see system/{package}/copyright" for package in packages]


def _copy_common(said: str, out: Path) -> None:
    """Copy the licences that a notice of the system only points to."""
    for name in set(_COMMON.findall(said)):
        text = Path("/usr/share/common-licenses") / name
        if text.is_file() and not (out / name).exists():
            shutil.copyfile(text, out / name)
