"""Filter documents by their fields: `tag:x`, `date:>=2023-01`, `size:100..2000`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Operator = Literal[":", "=", "<", "<=", ">", ">=", ".."]
Value = str | int | float | bool

_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d+)?")
_DATE = re.compile(
    r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)?)?)?"
)


@dataclass(frozen=True)
class Filter:
    """One condition on a field.

    Attributes:
        field: The field's name.
        operator: ":" for a value in which "*" stands for anything, "=" for a value as it stands (in quotes), a
            comparison, or ".." for a range with both ends.
        value: What it is compared with; the lower end of a range, empty where it is open.
        upper: The upper end of a range, empty where it is open.
        negated: Whether the documents that meet it are left out.
    """

    field: str
    operator: Operator
    value: str
    upper: str = ""
    negated: bool = False

    def accepts(self, value: Value | None) -> bool:
        """Whether a document with this value of the field stays; None is a document without the field.

        Texts are compared without regard to case. A year or month stands for the whole of it: `date:2023` and
        `date:<=2023` take every day of 2023, `date:>2023` none.
        """
        return self.negated != (value is not None and self._holds(value))

    def _holds(self, value: Value) -> bool:
        if self.operator == "..":
            low = not self.value or _compares(value, self.value, lambda order: order >= 0)
            return low and (not self.upper or _compares(value, self.upper, lambda order: order <= 0))
        if self.operator in _ORDERS:
            return _compares(value, self.value, _ORDERS[self.operator])
        if is_bound(self.value) and _compares(value, self.value, lambda order: order == 0):
            return True
        if self.operator == "=":
            return _fold(str(value)) == _fold(self.value)
        return _fits(_fold(str(value)), _fold(self.value))


_ORDERS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def is_bound(text: str) -> bool:
    """Whether the text is a number or an ISO date, and so can be compared."""
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def is_reversed(low: str, high: str) -> bool:
    """Whether a range's lower end is above its upper one."""
    return not _compares(low, high, lambda order: order <= 0)


def _compares(value: Value, bound: str, holds: Callable[[int], bool]) -> bool:
    """Whether the order of the two is as asked; False where they cannot be compared."""
    left, right = str(value), bound
    if _NUMBER.fullmatch(bound) and not isinstance(value, bool):
        parsed = _number(value)
        if parsed is not None:
            return holds(_sign(parsed, float(bound)))
    if not (_DATE.fullmatch(bound) and _DATE.match(left)):
        return False
    left, right = left.replace(" ", "T"), right.replace(" ", "T")
    shared = min(len(left), len(right))
    return holds(_sign(left[:shared], right[:shared]))


def _number(value: Value) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    try:
        return float(value)
    except OverflowError:
        return None


def _sign(left: float | str, right: float | str) -> int:
    return (left > right) - (left < right)  # type: ignore[operator]  # both are of one kind


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _fits(text: str, pattern: str) -> bool:
    """Whether the text is the pattern, in which "*" stands for anything."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    if not text.startswith(first):
        return False
    position = len(first)
    for part in rest[:-1]:
        at = text.find(part, position)
        if at < 0:
            return False
        position = at + len(part)
    return len(text) - position >= len(rest[-1]) and text.endswith(rest[-1])
