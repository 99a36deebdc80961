"""Finds the models that already lie in the hub's local cache."""

from __future__ import annotations

import os
import re
from pathlib import Path

_SHARD = re.compile(r"(.+-)\d{5}(-of-(\d{5})\.safetensors)")


def cached_models(cache: Path | None = None) -> list[tuple[str, Path]]:
    """Models in the hub's local cache that are whole, as (name, snapshot folder), sorted by name."""
    found = []
    for repo in (cache or _default_cache()).glob("models--*"):
        snapshot = next((each for each in _snapshots(repo) if _whole(each)), None)
        if snapshot is not None:
            found.append(("/".join(repo.name.split("--")[1:]), snapshot))
    return sorted(found)


def _default_cache() -> Path:
    if chosen := os.environ.get("HF_HUB_CACHE"):
        return Path(chosen).expanduser()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return Path(os.environ.get("HF_HOME") or caches / "huggingface").expanduser() / "hub"


def _snapshots(repo: Path) -> list[Path]:
    """The snapshots of a cached model: the one of refs/main, then the others from new to old."""
    try:
        main = (repo / "refs" / "main").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        main = ""
    folders = [each for each in repo.glob("snapshots/*") if each.is_dir()]
    return sorted(folders, key=lambda each: (each.name == main, each.stat().st_mtime), reverse=True)


def _whole(snapshot: Path) -> bool:
    """Whether a snapshot has its configuration, and weights without a missing shard or a broken link."""
    weights = list(snapshot.rglob("*.safetensors"))
    shards = [match for each in weights if (match := _SHARD.fullmatch(each.name))]
    kinds = {(match[1], match[2]): int(match[3]) for match in shards}
    return (
        (snapshot / "config.json").is_file()
        and bool(weights)
        and all(each.exists() for each in snapshot.rglob("*"))
        and len(shards) == sum(kinds.values())
    )
