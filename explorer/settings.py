"""The user's settings: frozen values, saved in one JSON file."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from explorer import disk, paths
from explorer.errors import DataError
from explorer.messages import UserMessage

VERSION = 1
RECENT = 12  # folders that are remembered

CHOICES: dict[str, tuple[str, ...]] = {
    "language": ("system", "en", "ko"),
    "theme": ("system", "light", "dark"),
    "device": ("auto", "cpu", "cuda", "mps"),
    "precision": ("auto", "float32", "bfloat16", "float16"),
    "mode": ("hybrid", "semantic", "keyword"),
    "palette": ("clear", "colour-blind", "grey"),
}
RANGES: dict[str, tuple[float, float]] = {
    "text_size": (9, 24),
    "reader_size": (9, 36),
    "threads": (0, 256),
    "largest_file_mb": (1, 1_000_000),
    "seconds_a_file": (1, 86_400),
    "rerank_count": (5, 500),
    "granularity": (0, 1),
}


@dataclass(frozen=True)
class Settings:
    """All settings with their defaults.

    Attributes:
        language: Of the interface: "system", "en" or "ko".
        theme: "system", "light" or "dark".
        text_size: Font size of the interface, in points.
        reader_size: Font size of the reader, in points.
        palette: Colours of clusters on the map.
        motion: Whether changes are animated.
        model: Name or folder of the bi-encoder; empty for the default one.
        reranker: Name or folder of the cross-encoder; empty for the shipped one.
        device: Where models run.
        threads: CPU cores to use; 0 for all.
        precision: The number type that models compute in.
        cluster: Address of the Ray cluster that reads and encodes; empty for this machine.
        mode: How the query box searches.
        rerank: Whether the best results are reranked by the cross-encoder.
        rerank_count: How many are.
        granularity: From 0, a handful of clusters, to 1, hundreds.
        largest_file_mb: Larger files are listed, not read.
        seconds_a_file: Time-out for a file that yields no text.
        watch: Whether changes of the files in an open folder are followed.
        data_folder: The folder of workspaces and models; empty for the system's default.
        recent: Recently opened folders, the last one first.
        model_folders: Folders of models that the user added.
    """

    language: str = "system"
    theme: str = "system"
    text_size: int = 10
    reader_size: int = 12
    palette: str = "clear"
    motion: bool = True
    model: str = ""
    reranker: str = ""
    device: str = "auto"
    threads: int = 0
    precision: str = "auto"
    cluster: str = ""
    mode: str = "hybrid"
    rerank: bool = False
    rerank_count: int = 100
    granularity: float = 0.5
    largest_file_mb: int = 4096
    seconds_a_file: int = 60
    watch: bool = True
    data_folder: str = ""
    recent: tuple[str, ...] = ()
    model_folders: tuple[str, ...] = ()

    def opened(self, folder: str) -> Settings:
        """Return the settings with a folder at the head of the recent ones."""
        others = (recent for recent in self.recent if recent != folder)
        return replace(self, recent=(folder, *others)[:RECENT])


def file() -> Path:
    """Return the path of the settings file."""
    return paths.config() / "settings.json"


def load(path: Path | None = None) -> tuple[Settings, str]:
    """Read the settings, and a message about those that could not be used; empty if all is well.

    A file that is not a settings file is renamed, not overwritten.
    """
    path = path or file()
    try:
        stored = json.loads(path.read_text("utf-8"))
        if not isinstance(stored, dict):
            raise TypeError("not a JSON object")  # noqa: TRY301 - handled like text that is not JSON
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, ValueError, TypeError, RecursionError) as error:
        aside = path.with_suffix(".broken.json")
        with contextlib.suppress(OSError):
            path.replace(aside)
        return Settings(), UserMessage(
            "{file}: the settings cannot be read ({reason}). The defaults are used; the file is now {name}.",
            file=path,
            reason=error,
            name=aside.name,
        )
    defaults = asdict(Settings())
    for name, value in stored.items():
        if isinstance(defaults.get(name), tuple) and isinstance(value, list):
            stored[name] = tuple(str(item) for item in value[:RECENT])
    valid = {name: value for name, value in stored.items() if name in defaults and _is_valid(name, value)}
    invalid = ", ".join(name for name in defaults if name in stored and name not in valid)
    message = UserMessage("{file}: {bad}: invalid value; the default is used.", file=path, bad=invalid)
    return Settings(**valid), message if invalid else ""


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings atomically.

    Raises:
        DataError: They cannot be written.
    """
    path = path or file()
    fresh = path.with_suffix(".new")
    try:
        disk.make_folder(path.parent)
        # The name of a folder need not be Unicode.
        with open(fresh, "w", encoding="utf-8", errors="backslashreplace", opener=disk.opener) as out:
            json.dump({"version": VERSION, **asdict(settings)}, out, ensure_ascii=False, indent=1)
            out.flush()
            os.fsync(out.fileno())
        disk.replace(fresh, path)
    except OSError as error:
        raise DataError(
            "{file}: the settings cannot be saved ({reason}). Free space or allow writing there.",
            file=path,
            reason=error.strerror,
        ) from error


def _is_valid(name: str, value: Any) -> bool:
    default = getattr(Settings(), name)
    if name in CHOICES:
        return value in CHOICES[name]
    if name in RANGES:
        low, high = RANGES[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and low <= value <= high and (isinstance(default, float) or isinstance(value, int))
    return isinstance(value, type(default))
