"""Place names on a map so that none overlaps another."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.rendering.camera import Camera

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SPACE = 5.0  # pixels on each side of a label
# Pixels around the picture in which labels still take room, so that none jumps while the map is dragged.
_BESIDE, _ABOVE = 400, 200


@dataclass(frozen=True)
class Label:
    """A name for a part of the map.

    Attributes:
        text: The name of a cluster, or of several taken together.
        x: Its middle, in map coordinates.
        y: The same, upwards.
        size: How many documents it stands for; labels of more documents are placed first.
    """

    text: str
    x: float
    y: float
    size: int


@dataclass(frozen=True)
class PlacedLabel:
    """A label with the room it takes: its middle, and half its width and height, in pixels."""

    text: str
    x: float
    y: float
    half_width: float
    half_height: float

    def overlaps(self, other: PlacedLabel) -> bool:
        """Return whether the two labels cover some of the same pixels."""
        return (
            abs(self.x - other.x) < self.half_width + other.half_width
            and abs(self.y - other.y) < self.half_height + other.half_height
        )


def label(text: str, positions: NDArray[np.float32]) -> Label:
    """Return a label at the document nearest the median of its documents' positions, (M, 2).

    Raises:
        ValueError: There are no documents.
    """
    if not len(positions):
        raise ValueError("a label needs at least one document")
    middle = np.median(positions, axis=0)
    nearest = positions[np.argmin(((positions - middle) ** 2).sum(axis=1))]
    return Label(text, float(nearest[0]), float(nearest[1]), len(positions))


def by_size(labels: Iterable[Label]) -> list[Label]:
    """Return labels in the order in which they are placed: the largest first, then by name."""
    return sorted(labels, key=lambda label: (-label.size, label.text))


def place_labels(
    labels: Sequence[Label],
    camera: Camera,
    measure: Callable[[str], tuple[str, float]],
    half_height: float,
    *,
    lift: float = 0.0,
    right: float | None = None,
) -> list[PlacedLabel]:
    """Return the labels that find room, each placed unless it would overlap one before it.

    Args:
        labels: In the order of their importance, as `by_size` gives them.
        camera: The view.
        measure: Returns the text as it is drawn, empty to leave it out, and its width in pixels.
        half_height: Half the height of a label, in pixels.
        lift: Pixels by which labels are moved up, so that they hide no point.
        right: The right edge of a still picture's map, inside which all labels are moved. By default only labels in
            sight are moved inside the camera's view; those outside scroll in with their part of the map.
    """
    edge = camera.width if right is None else right
    placed: list[PlacedLabel] = []
    for item in labels:
        x, y = camera.on_screen(item.x, item.y)
        if not (-_BESIDE < x < edge + _BESIDE and -_ABOVE < y < camera.height + _ABOVE):
            continue
        text, width = measure(item.text)
        half_width = width / 2 + _SPACE
        if (0 <= x <= edge or right is not None) and 2 * half_width < edge:
            x = min(max(x, half_width), edge - half_width)  # show the whole label of a part in sight
        candidate = PlacedLabel(text, x, y - lift, half_width, half_height)
        # A few dozen labels fit a picture, so comparing each with all before it is fast enough.
        if text and not any(candidate.overlaps(other) for other in placed):
            placed.append(candidate)
    return placed


def text_width(text: str, size: float) -> float:
    """Estimate the width of a line of text in a typical font of that size, without loading one."""
    return size * sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.58 for letter in text)


def shorten(text: str, most: float, size: float) -> str:
    """Return the text on one line, cut with an ellipsis where it is wider than `most` pixels."""
    text = " ".join(text.split())
    if text_width(text, size) <= most:
        return text
    while text and text_width(text + "…", size) > most:
        text = text[:-1]
    return text.rstrip(" ·,") + "…"
