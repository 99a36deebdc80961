"""Folders of the program on this machine, and paths as people see them and as Windows needs them."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from pathlib import Path

APP = "DocumentSimilarityExplorer"
# What desktops and macOS know the program by. example.org belongs to nobody: who publishes it puts a domain of theirs.
IDENTIFIER = f"org.example.{APP}"
_chosen: list[Path] = []  # the data folder of the settings, where they name one
HOME_VARIABLE = "DOCEXPLORER_HOME"  # puts everything the program writes below one folder
# Control characters; those that turn the direction of writing, since "gpj.exe" must not read as "exe.jpg"; those that
# nobody sees, by which two names look the same. Joiners and variants mean something after letters that are not ASCII,
# tags after a black flag.
_UNSHOWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
    "|(?<![^\x00-\x7f])[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef](?!\u20e3)"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]"
)


def resources() -> Path:
    """Return the folder of what ships with the program: in a frozen app, a wheel, or the source tree."""
    if getattr(sys, "frozen", False):
        return Path(sys._MEIPASS) / "resources"  # type: ignore[attr-defined]  # noqa: SLF001 - PyInstaller's name
    here = Path(__file__).resolve().parent
    inside = here / "resources"
    return inside if inside.is_dir() else here.parent / "resources"


def data() -> Path:
    """Return the user's data folder: workspaces and models. Not created here."""
    return _chosen[0] if _chosen else usual_data()


def use_data(folder: str) -> None:
    """Keep the user's data in another folder from now on; empty for the system's default."""
    _chosen[:] = [Path(folder)] if folder and HOME_VARIABLE not in os.environ else []


def usual_data() -> Path:
    """Return the default folder of the user's data."""
    return _folder(
        "data", windows="LOCALAPPDATA", mac="Library/Application Support", xdg="XDG_DATA_HOME", unix=".local/share"
    )


def config() -> Path:
    """Return the folder of the settings file. Not created here."""
    return _folder("config", windows="APPDATA", mac="Library/Preferences", xdg="XDG_CONFIG_HOME", unix=".config")


def cache() -> Path:
    """Return the folder of what can be computed again. Not created here."""
    return _folder("cache", windows="LOCALAPPDATA", mac="Library/Caches", xdg="XDG_CACHE_HOME", unix=".cache")


def models() -> Path:
    """Return the user's own models: downloaded and fine-tuned ones."""
    return data() / "models"


def _folder(kind: str, *, windows: str, mac: str, xdg: str, unix: str) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / kind
    if sys.platform == "win32":
        base = os.environ.get(windows)
        return (Path(base) if base else Path.home()) / APP / kind
    if sys.platform == "darwin":
        return Path.home() / mac / APP
    base = os.environ.get(xdg)
    return (Path(base) if base else Path.home() / unix) / APP


def display_path(path: str) -> str:
    """Return a path as people should see it: composed, no control characters, a mark for what cannot be decoded."""
    raw = os.fsencode(path)
    for encoding in ("utf-8", "cp949"):  # the second for names from older Korean systems
        try:
            return _UNSHOWABLE.sub("\ufffd", unicodedata.normalize("NFC", raw.decode(encoding)))
        except UnicodeDecodeError:
            continue
    return _UNSHOWABLE.sub("\ufffd", raw.decode("utf-8", "replace"))


def long_path(path: str) -> str:
    """Return an absolute path in the form in which Windows opens more than 260 characters; as it is elsewhere."""
    if os.name != "nt" or path.startswith("\\\\?\\"):
        return path
    return f"\\\\?\\UNC\\{path[2:]}" if path.startswith("\\\\") else f"\\\\?\\{path}"
