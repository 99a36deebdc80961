"""A user's judgement of how similar two texts are: made in the window, stored in a workspace, used for training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from explorer.errors import DataError

Scale = Literal["similar", "grade"]

HIGHEST: dict[Scale, int] = {"similar": 1, "grade": 5}


@dataclass(frozen=True)
class Judgement:
    """How similar a user finds two texts.

    Attributes:
        first: One text.
        second: The other text.
        value: 0 or 1 on the scale "similar" (1 is similar), 0 to 5 on the scale "grade" (5 is the same).
        scale: The scale of the value.
        made: When the judgement was made, in ISO 8601; empty if unknown.
        id: Its id in the workspace, growing with time; 0 if it is not stored.
        first_document: The id of the document of the first text; None if it is gone or unknown.
        second_document: The id of the document of the second text.

    Raises:
        DataError: The value is not on the scale, or a text is empty.
    """

    first: str
    second: str
    value: int
    scale: Scale = "grade"
    made: str = ""
    id: int = 0
    first_document: int | None = None
    second_document: int | None = None

    def __post_init__(self) -> None:
        if self.scale not in HIGHEST:
            raise DataError("A judgement is on the scale similar or grade, not {scale}. Judge again.", scale=self.scale)
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not whole or not 0 <= self.value <= HIGHEST[self.scale]:
            raise DataError(
                "A judgement on the scale {scale} is a whole number from 0 to {highest}, not {value}. "
                "Judge the pair again.",
                scale=self.scale,
                highest=HIGHEST[self.scale],
                value=self.value,
            )
        if not self.first.strip() or not self.second.strip():
            raise DataError("A judgement is on two texts, and one of them is empty. Judge another pair.")

    @property
    def score(self) -> float:
        """The judgement from 0 to 1."""
        return self.value / HIGHEST[self.scale]
