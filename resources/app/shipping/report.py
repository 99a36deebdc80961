"""What was made: the files a Linux desktop asks for beside it, and how large each part is."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from string import Template

_SHOWN = 14  # parts; the rest is one line


def install_linux_files(linux: Path, icons: Path, out: Path, said: Mapping[str, str]) -> None:
    """Put the desktop entry, the icon and the AppStream file into share/, as they lie below /usr.

    Args:
        linux: The folder of the templates.
        icons: The folder of the icon.
        out: The frozen program.
        said: What the templates leave open: see `linux_words`.
    """
    name, share = said["identifier"], out / "share"
    drawn = share / "icons" / "hicolor" / "scalable" / "apps" / f"{name}.svg"
    made = {
        share / "applications" / f"{name}.desktop": filled(linux / "entry.desktop", said),
        share / "metainfo" / f"{name}.metainfo.xml": filled(linux / "metainfo.xml", said),
        drawn: (icons / "icon.svg").read_text("utf-8"),
    }
    for target, text in made.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def linux_words(program: str, identifier: str, version: str) -> dict[str, str]:
    """What the files for Linux leave open; the release is dated today, or as SOURCE_DATE_EPOCH says."""
    publisher = identifier.rpartition(".")[0]
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return {
        "program": program,
        "identifier": identifier,
        "publisher": publisher,
        "homepage": f"https://{'.'.join(reversed(publisher.split('.')))}/",
        "version": version,
        "date": time.strftime("%Y-%m-%d", time.gmtime(seconds)),
    }


def filled(template: Path, said: Mapping[str, str]) -> str:
    """A template with its words filled in.

    Raises:
        KeyError: It asks for a word that nobody knows.
    """
    return Template(template.read_text("utf-8")).substitute(said)


def sizes(folder: Path) -> str:
    """A table of the parts of a folder, the largest first; links count nothing."""
    found: Counter[str] = Counter()
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            found[_part(file.relative_to(folder))] += file.stat().st_size
    shown = found.most_common(_SHOWN)
    rest = sum(found.values()) - sum(size for _, size in shown)
    lines = [*shown, ("everything else", rest), ("total", sum(found.values()))]
    return "\n".join(f"{size / 1e6:8.1f} MB  {name}" for name, size in lines)


def _part(path: Path) -> str:
    """The part a file belongs to: a package with its libraries, a model, an executable with its modules."""
    parts = path.parts[1:] if path.parts[0] == "_internal" else path.parts
    if parts[0] == "resources":
        return "/".join(parts[:3]) if parts[1:2] == ("models",) else "resources (the rest)"
    if "kiwipiepy" in parts[0]:
        return "kiwipiepy"
    if len(parts) == 1:
        return "libraries of the system and Python" if ".so" in parts[0] or ".dll" in parts[0] else parts[0]
    return parts[0].partition(".libs")[0].partition("-")[0]
