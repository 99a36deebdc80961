"""Whether the values of a recipe are ones that make sense, each by its name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from explorer.errors import DataError

_CHOICES: dict[str, tuple[str, ...]] = {
    "source": ("file", "judgements", "corpus"),
    "use": ("", "train", "dev", "test", "guard"),
    "head": ("hub", "own"),
    "schedule": ("linear", "constant"),
    "precision": ("auto", "float32", "bfloat16", "float16"),
}
_RANGES: dict[str, tuple[float, float]] = {
    "dev_share": (0, 0.5),
    "test_share": (0, 0.5),
    "batch": (1, 4096),
    "learning_rate": (1e-9, 1),
    "epochs": (0.001, 1000),
    "steps": (0, 10_000_000),
    "warm_up": (0, 1),
    "weight_decay": (0, 1),
    "clipping": (0, 1000),
    "accumulation": (1, 1024),
    "max_tokens": (0, 100_000),
    "freeze_layers": (0, 1000),
    "adapter_rank": (0, 1024),
    "seed": (0, 2**31 - 1),
    "patience": (0, 1000),
    "evaluate_every": (0, 10_000_000),
    "checkpoint_minutes": (0, 1440),
    "max_minutes": (0, 100_000),
    "max_examples": (0, 1_000_000_000),
    "share": (0, 0.9),
    "weight": (0, 1000),
    "average": (0, 1),
    "negatives": (0, 20),
    "rounds": (0, 100),
}
LISTS = {"score_range": 2, "data": 1000, "labels": 10_000}


def check_values(part: Any) -> None:
    """See that every value of a recipe, or of a part of one, has its type and lies in its range.

    Raises:
        DataError: One does not; the message says which.
    """
    for each in fields(part):
        value = getattr(part, each.name)
        if each.name in _CHOICES and value not in _CHOICES[each.name]:
            raise DataError(
                f"“{each.name}” is one of {', '.join(_CHOICES[each.name]).lstrip(' ,')}, not {str(value)[:40]}."
            )
        if each.name in _RANGES:
            _check_number(each.name, value, whole=each.type == "int")
        if each.type == "str" and (not isinstance(value, str) or len(value) > 4096 or "\0" in value):
            raise DataError(f"“{each.name}” must be a text.")
        if each.type == "bool" and not isinstance(value, bool):
            raise DataError(f"“{each.name}” is true or false, not {str(value)[:40]}.")
        if each.name in ("columns", "rename") and not _texts(value):
            raise DataError(f"“{each.name}” must give a name for a name.")
        if each.name == "labels" and not _names(value):
            raise DataError("“labels” must be a list of names.")
        if each.name == "score_range" and value and not _is_range(value):
            raise DataError("“score_range” must be the lowest and the highest score.")


def _check_number(name: str, value: object, *, whole: bool) -> None:
    low, high = _RANGES[name]
    good = isinstance(value, int) if whole else isinstance(value, int | float)
    if not good or isinstance(value, bool) or not low <= value <= high:  # type: ignore[operator]
        kind = "a whole number" if whole else "a number"
        raise DataError(f"“{name}” is {kind} from {low:g} to {high:g}, not {str(value)[:40]}.")


def _texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(each, str) for pair in value.items() for each in pair
    )


def _names(value: object) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) <= LISTS["labels"]
        and all(isinstance(each, str) for each in value)
    )


def _is_range(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != LISTS["score_range"]:
        return False
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in value)
    return numbers and all(map(math.isfinite, value)) and value[0] < value[1]
