"""What the user has chosen: frozen values, kept in one JSON file."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from explorer import paths
from explorer.errors import DataError
from explorer.messages import UserMessage

VERSION = 1
RECENT = 12  # folders that are remembered

CHOICES: dict[str, tuple[str, ...]] = {
    "language": ("system", "en", "ko"),
    "theme": ("system", "light", "dark"),
    "device": ("auto", "cpu", "cuda", "mps"),
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
        text_size: Points of the interface's letters.
        reader_size: Points of the reader's letters.
        palette: Colours of clusters on the map.
        motion: Whether things move to explain what happened.
        model: Name or folder of the bi-encoder; empty for the bundled one.
        reranker: Name or folder of the cross-encoder; empty for the shipped one.
        device: Where models run.
        threads: Of the processor; 0 for all its cores.
        mode: How the query box searches.
        rerank: Whether the best results go through the cross-encoder.
        rerank_count: How many of them.
        granularity: Of the clusters, 0 for a handful to 1 for hundreds.
        largest_file_mb: Larger files are listed, not read.
        seconds_a_file: Longest wait for one file that brings nothing.
        watch: Whether an open folder is followed as its files change.
        data_folder: Where workspaces and models lie; empty for the system's place.
        recent: Folders opened lately, the last one first.
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
        """The same with a folder at the head of the recent ones."""
        rest = (one for one in self.recent if one != folder)
        return replace(self, recent=(folder, *rest)[:RECENT])


def file() -> Path:
    """Where the settings lie."""
    return paths.config() / "settings.json"


def load(path: Path | None = None) -> tuple[Settings, str]:
    """The settings, and a sentence where some of them could not be used; empty if all is well.

    A file that is no settings file is put aside, not overwritten.
    """
    path = path or file()
    try:
        found = _object(path.read_text("utf-8"))
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, ValueError, TypeError, RecursionError) as error:
        aside = path.with_suffix(".broken.json")
        with contextlib.suppress(OSError):
            path.replace(aside)
        return (
            Settings(),
            UserMessage(
                "{file}: the settings cannot be read ({reason}). The defaults are used; the file is now "
                "{name}.",
                file=path,
                reason=error,
                name=aside.name,
            ),
        )
    return _checked(found, path)


def save(settings: Settings, path: Path | None = None) -> None:
    """Write the settings, whole or not at all.

    Raises:
        DataError: They cannot be written.
    """
    path = path or file()
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open(
            "w", encoding="utf-8", errors="backslashreplace"
        ) as out:  # a path need not be Unicode
            json.dump({"version": VERSION, **asdict(settings)}, out, ensure_ascii=False, indent=1)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(path)
    except OSError as error:
        raise DataError(
            "{file}: the settings cannot be saved ({reason}). Free space or allow writing there.",
            file=path,
            reason=error.strerror,
        ) from error


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError("it is no JSON object")
    return found


def _checked(found: Mapping[str, Any], path: Path) -> tuple[Settings, str]:
    defaults = Settings()
    good: dict[str, Any] = {}
    bad: list[str] = []
    for one in fields(Settings):
        if one.name not in found:
            continue
        value = found[one.name]
        if isinstance(getattr(defaults, one.name), tuple) and isinstance(value, list):
            value = tuple(str(item) for item in value[:RECENT])
        if _fits(one.name, value, getattr(defaults, one.name)):
            good[one.name] = value
        else:
            bad.append(one.name)
    told = (
        UserMessage(
            "{file}: {bad}: not a possible value; the default is used.", file=path, bad=", ".join(bad)
        )
        if bad
        else ""
    )
    return replace(defaults, **good), told


def _fits(name: str, value: Any, default: Any) -> bool:
    if name in CHOICES:
        return value in CHOICES[name]
    if name in RANGES:
        low, high = RANGES[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and low <= value <= high and (isinstance(default, float) or isinstance(value, int))
    return isinstance(value, type(default))
