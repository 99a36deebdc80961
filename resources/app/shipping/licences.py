"""The licences of everything inside the frozen program, collected from where each part came from."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from resources.app.shipping.contents import Entry

_NAMES = ("licen", "copying", "notice", "authors")


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
    out.mkdir(parents=True)
    sources = {str(Path(source).resolve()) for _, source, _ in entries if source and source != "-"}
    shutil.copyfile(root / "LICENSE", out / "LICENSE.txt")
    lines, bare = ["Document Similarity Explorer: Apache-2.0 (LICENSE.txt)"], []
    for part in _distributions(sources):
        name, said = part.metadata["Name"], _said(part)
        written = _copy(((Path(str(one.locate())), str(one)) for one in part.files or []), out / name)
        bare += [] if written else [name]
        lines.append(f"{name} {part.version}: {said}" + ("" if written else " (no text in the package)"))
    lines += _python(out) + _system(sources, out)
    (out / "INDEX.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return bare


def _distributions(sources: set[str]) -> list[metadata.Distribution]:
    """The installed packages that some file of the program came from, by name."""
    found = {}
    for part in metadata.distributions():
        files = (str(Path(str(one.locate())).resolve()) for one in part.files or [])
        if part.metadata["Name"] and any(one in sources for one in files):
            found[part.metadata["Name"].lower()] = part
    return [found[name] for name in sorted(found)]


def _said(part: metadata.Distribution) -> str:
    known = part.metadata
    if known.get("License-Expression"):
        return str(known["License-Expression"])
    classes = [one.split("::") for one in known.get_all("Classifier") or [] if one.startswith("License")]
    return (
        ", ".join(one[-1].strip() for one in classes)
        or str(known.get("License") or "see its page").splitlines()[0]
    )


def _copy(files: Iterable[tuple[Path, str]], out: Path) -> int:
    """Copy the texts of licences; `files` are paths and their names below the place of installation."""
    written = 0
    for path, name in files:
        below = Path(*Path(name).parts[1:])
        if (
            any(one in path.name.lower() for one in _NAMES)
            and path.suffix not in {".py", ".pyc"}
            and path.is_file()
        ):
            target = out / below
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            written += 1
    return written


def _python(out: Path) -> list[str]:
    library = Path(sysconfig.get_path("stdlib"))
    for text in (
        library / "LICENSE.txt",
        Path(sys.base_prefix) / "LICENSE.txt",
        Path(sys.base_prefix) / "LICENSE",
    ):
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
    return [f"{package}: a library of the system, see system/{package}/copyright" for package in packages]
