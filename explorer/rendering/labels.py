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
_CELL = 4  # pixels of a cell that points occupy or leave free
_STEPS = (12, 6)  # pixels between two places that are looked at, across and down
_REACH = 240  # pixels from its part of the map at which a label still belongs to it
_TRIED = 60  # of the best places
_BOTH = np.array((-1.0, 1.0))  # sides of a middle


@dataclass(frozen=True)
class Label:
    """A name for a part of the map.

    Attributes:
        text: The name of a cluster, or of several taken together.
        x: Its middle, in map coordinates.
        y: The same, upwards.
        size: How many documents it stands for; labels of more documents are placed first.
        cluster: The cluster that all of them belong to, whose colour the label has; -1 for none or several.
    """

    text: str
    x: float
    y: float
    size: int
    cluster: int = -1


@dataclass(frozen=True)
class PlacedLabel:
    """A label with the room it takes.

    Attributes:
        text: What is written, on one or several lines.
        x: Its middle, in pixels.
        y: The same, downwards.
        half_width: Half the width it takes.
        half_height: Half the height.
        cluster: As in `Label`.
        title: Whether it is the title of one document, which is written smaller.
    """

    text: str
    x: float
    y: float
    half_width: float
    half_height: float
    cluster: int = -1
    title: bool = False

    def overlaps(self, other: PlacedLabel) -> bool:
        """Return whether the two labels cover some of the same pixels."""
        return (
            abs(self.x - other.x) < self.half_width + other.half_width
            and abs(self.y - other.y) < self.half_height + other.half_height
        )


def label(text: str, positions: NDArray[np.float32], cluster: int = -1) -> Label:
    """Return a label at the document nearest the median of its documents' positions, (M, 2).

    Raises:
        ValueError: There are no documents.
    """
    if not len(positions):
        raise ValueError("a label needs at least one document")
    middle = np.median(positions, axis=0)
    nearest = positions[np.argmin(((positions - middle) ** 2).sum(axis=1))]
    return Label(text, float(nearest[0]), float(nearest[1]), len(positions), cluster)


def by_size(labels: Iterable[Label]) -> list[Label]:
    """Return labels in the order in which they are placed: the largest first, then by name."""
    return sorted(labels, key=lambda label: (-label.size, label.text))


Offsets = Sequence[tuple[float, float]]


def place_labels(
    labels: Sequence[Label],
    camera: Camera,
    measure: Callable[[str], tuple[str, float]],
    half_line: float,
    *,
    offsets: Callable[[Label], Offsets] = lambda _: ((0.0, 0.0),),
    right: float | None = None,
    taken: Iterable[PlacedLabel] = (),
) -> list[PlacedLabel]:
    """Return the labels that find room, each at the first of its offsets where it overlaps none before it.

    Args:
        labels: In the order of their importance, as `by_size` gives them.
        camera: The view.
        measure: Returns the text as it is drawn, empty to leave it out, and the width of its widest line in pixels.
        half_line: Half the height of a line, in pixels.
        offsets: Returns where a label may stand, in pixels from its place on the map, the best first.
        right: The right edge of a still picture's map, inside which all labels are moved. By default only labels in
            sight are moved inside the camera's view; those outside scroll in with their part of the map.
        taken: Room that is taken already.
    """
    edge = camera.width if right is None else right
    placed = list(taken)
    before = len(placed)
    for item in labels:
        at_x, at_y = camera.on_screen(item.x, item.y)
        if not (-_BESIDE < at_x < edge + _BESIDE and -_ABOVE < at_y < camera.height + _ABOVE):
            continue
        text, width = measure(item.text)
        half_width, half_height = width / 2 + _SPACE, half_line * (1 + text.count("\n"))
        in_sight = (0 <= at_x <= edge and 0 <= at_y <= camera.height) or right is not None
        for across, down in offsets(item) if text else ():
            x, y = at_x + across, at_y + down
            if in_sight and 2 * half_width < edge:  # the label of a part in sight is shown whole
                x = min(max(x, half_width), edge - half_width)
                y = min(max(y, half_height), max(camera.height - half_height, half_height))
            candidate = PlacedLabel(text, x, y, half_width, half_height, item.cluster)
            # A few dozen labels fit a picture, so comparing each with all before it is fast enough.
            if not any(candidate.overlaps(other) for other in placed):
                placed.append(candidate)
                break
    return placed[before:]


class FreeRoom:
    """Where on a picture there are no points, so that labels can stand beside them.

    Counts occupied cells in a summed-area table, so that the room of a label is looked up in constant time.
    """

    def __init__(
        self,
        x: NDArray[np.float32],
        y: NDArray[np.float32],
        width: float,
        height: float,
        *,
        radius: float = 0.0,
        covered: Iterable[PlacedLabel] = (),
    ) -> None:
        """Take what is on the picture.

        Args:
            x: Pixels of the points, (N,), inside the picture or around it.
            y: The same, downwards.
            width: Of the picture.
            height: Of the picture.
            radius: Of the discs of points.
            covered: What else no label may hide or stand under.
        """
        self._size, self._radius = (width, height), radius
        columns, rows = (int(size + 2 * around) // _CELL + 2 for size, around in ((width, _BESIDE), (height, _ABOVE)))
        occupied = np.zeros((rows + 1, columns + 1), np.int32)
        column, row = _cells(x, _BESIDE, columns - 1), _cells(y, _ABOVE, rows - 1)
        occupied[row + 1, column + 1] = 1
        for part in covered:
            left, right = _cells(part.x + part.half_width * _BOTH, _BESIDE, columns - 1)
            top, bottom = _cells(part.y + part.half_height * _BOTH, _ABOVE, rows - 1)
            occupied[top + 1 : bottom + 2, left + 1 : right + 2] = 1
        self._sums = occupied.cumsum(axis=0).cumsum(axis=1)

    def offsets(self, x: float, y: float, half_width: float, half_height: float) -> Offsets:
        """Return the places for a label near a pixel, in pixels from it, the best first.

        The nearest ones where it hides no part of a disc; if there are none, those where it hides little and is near:
        a place 20 pixels farther away must leave one more cell of points free.
        """
        across, down = (np.arange(-_REACH, _REACH + 1, step, dtype=float) for step in _STEPS)
        right, below = (grid.ravel() for grid in np.meshgrid(across, down))
        left, top = x + right - half_width, y + below - half_height
        hidden = self._hidden(left, top, 2 * half_width, 2 * half_height)
        width, height = self._size
        inside = (left >= 0) & (top >= 0) & (left + 2 * half_width <= width) & (top + 2 * half_height <= height)
        if 0 <= x <= width and 0 <= y <= height and inside.any():  # or it would be moved inside, over points
            right, below, hidden = right[inside], below[inside], hidden[inside]
        # The eye finds a name above or below its points sooner than one far to the side.
        away = np.hypot(np.maximum(abs(right) - half_width / 2, 0) + abs(right) / 8, below)
        free = np.flatnonzero(hidden == 0)
        best = free[np.argsort(away[free], kind="stable")][:_TRIED]
        if not len(best):
            best = np.argsort(hidden + away / 20, kind="stable")[:_TRIED]
        return [(float(right[index]), float(below[index])) for index in best]

    def is_free(self, x: float, y: float, half_width: float, half_height: float) -> bool:
        """Return whether a label with its middle at a pixel hides no part of a disc."""
        left, top = np.array([x - half_width]), np.array([y - half_height])
        return not self._hidden(left, top, 2 * half_width, 2 * half_height)[0]

    def _hidden(
        self, left: NDArray[np.float64], top: NDArray[np.float64], width: float, height: float
    ) -> NDArray[np.int32]:
        """Return how many cells of points labels would hide, given their upper left corners."""
        sums, radius = self._sums, self._radius
        rows, columns = (size - 1 for size in sums.shape)
        first, last = _cells(left - radius, _BESIDE, columns), _cells(left + width + radius, _BESIDE, columns - 1) + 1
        upper, lower = _cells(top - radius, _ABOVE, rows), _cells(top + height + radius, _ABOVE, rows - 1) + 1
        hidden: NDArray[np.int32] = sums[lower, last] - sums[upper, last] - sums[lower, first] + sums[upper, first]
        return hidden


def _cells(pixels: NDArray[np.float64] | NDArray[np.float32], around: float, last: int) -> NDArray[np.intp]:
    """Return the cells of pixels along one side of the picture."""
    return np.clip(np.floor((pixels + around) / _CELL), 0, last).astype(np.intp)


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
