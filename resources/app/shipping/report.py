"""What was made: the files a Linux desktop asks for beside it, and how large each part is."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

_SHOWN = 14  # parts; the rest is one line


def install_linux_files(linux: Path, icons: Path, out: Path) -> None:
    """Put the desktop entry, the icon and the AppStream file into share/, as they lie below /usr."""
    places = {".desktop": "applications", ".xml": "metainfo"}
    for file in sorted(linux.iterdir()):
        if file.suffix in places:
            target = out / "share" / places[file.suffix] / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    names = [one.stem for one in linux.glob("*.desktop")]
    drawn = out / "share" / "icons" / "hicolor" / "scalable" / "apps"
    drawn.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copyfile(icons / "icon.svg", drawn / f"{name}.svg")


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
