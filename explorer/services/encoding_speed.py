"""The encoding speed of this machine, measured by large updates, to estimate the next one."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path

from explorer import paths
from explorer.settings import Settings

BUNDLED_WORK = 6 * 384**2  # layers times width squared: what a token costs with the bundled model
LEAST = (20_000, 3.0)  # bytes and seconds below which nothing is learnt


def work_of(model: Path | None) -> float:
    """Return the cost of a token with a model, by its configuration; that of the bundled model if unknown."""
    try:
        config = json.loads(((model or Path()) / "config.json").read_text("utf-8"))
        return float(config["num_hidden_layers"] * config["hidden_size"] ** 2)
    except (OSError, ValueError, KeyError, TypeError):
        return float(BUNDLED_WORK)


def note(text: float, seconds: float, work: float, settings: Settings) -> None:
    """Record how long an amount of text took, given the cost of a token."""
    if text < LEAST[0] or seconds < LEAST[1]:
        return
    known = _read()
    known[_key(settings)] = text / seconds * work / BUNDLED_WORK
    with contextlib.suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        fresh = _file().with_suffix(".new")
        fresh.write_text(json.dumps(known), encoding="utf-8")
        fresh.replace(_file())


def known(settings: Settings) -> float | None:
    """Return the bytes of text per second with the bundled model; None if not measured yet."""
    return _read().get(_key(settings))


def _file() -> Path:
    return paths.cache() / "pace.json"


def _key(settings: Settings) -> str:
    return f"{settings.device} {settings.threads}"


def _read() -> dict[str, float]:
    try:
        found = dict(json.loads(_file().read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}
    numbers = {str(key): value for key, value in found.items() if isinstance(value, int | float)}
    return {key: float(value) for key, value in numbers.items() if math.isfinite(value) and value > 0}
