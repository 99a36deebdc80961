"""Where everything stands on a still picture of a map: points, names that do not overlap, the legend."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette
from explorer.workspace.export.map_colours import CLUSTER, PictureColouring, colouring
from explorer.workspace.export.map_data import Label, MapPicture

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 1280, 800
FEW = 2000  # so few points would be hidden by a name on top of them
_MARGIN, _LEGEND, _HEAD, _ROW = 24, 280, 56, 21
_NAME, _BODY = 14, 13  # letters, in pixels
_FITTING = 0.6  # share of a level's names that must find room
WORDS = {
    "en": {"none": "no cluster", "other": "none of these", "more": "and {} more", "documents": "{} documents",
           "trust": "map trust {} %"},
    "ko": {"none": "묶음 없음", "other": "해당 없음", "more": "외 {}개", "documents": "문서 {}건",
           "trust": "지도 신뢰도 {}%"},
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """A line of text on the picture; y is the middle of its letters, `anchor` the place of x in it."""

    text: str
    x: float
    y: float
    size: int
    colour: str
    bold: bool = False
    anchor: str = "start"


@dataclass(frozen=True)
class Swatch:
    """A dot of the legend."""

    x: float
    y: float
    colour: str


@dataclass(frozen=True, eq=False)
class PictureLayout:
    """A picture in pixels, y downwards.

    Attributes:
        points: The middle of each point, (N, 2).
        radius: Of the points.
        groups: The colour of each point as a place in `colours`, (N,); the last one is that of the leftovers.
        colours: As "#rrggbb".
        names: The names of clusters, drawn with a halo.
        texts: Title and legend.
        swatches: The dots of the legend.
    """

    points: NDArray[np.float64]
    radius: float
    groups: NDArray[np.int64]
    colours: tuple[str, ...]
    names: tuple[Text, ...]
    texts: tuple[Text, ...]
    swatches: tuple[Swatch, ...]


def lay_out(picture: MapPicture, by: str = CLUSTER, language: str = "en") -> PictureLayout:
    """The still picture of a map.

    Args:
        picture: The map.
        by: What the colours mean: "cluster", "trust" or the name of a column.
        language: Of the few words that are not the user's: "en" or "ko".

    Raises:
        DataError: There is nothing of the name `by`.
    """
    colours = colouring(picture, by)
    words = WORDS.get(language, WORDS["en"])
    texts, swatches = _legend(colours, words, words["none" if by == CLUSTER else "other"])
    shift, scale = _frame(picture.positions)
    hexes = (*(entry.colour for entry in colours.entries), palette.LEFTOVER[0])
    return PictureLayout(
        points=_pixels(picture.positions, shift, scale),
        radius=float(np.clip(90 / np.sqrt(max(len(picture.ids), 1)), 0.9, 5)),
        groups=np.where(colours.groups < 0, len(colours.entries), colours.groups),
        colours=hexes,
        names=_names(picture.levels, shift, scale, lift=14 if len(picture.ids) < FEW else 0),
        texts=(*_heading(picture, words), *texts),
        swatches=tuple(swatches),
    )


def width(text: str, size: float) -> float:
    """About how wide a line of text is, for fonts of usual width."""
    return size * sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.58 for letter in text)


def shortened(text: str, most: float, size: float) -> str:
    """The text on one line, cut with an ellipsis where it is wider than `most` pixels."""
    text = " ".join(text.split())
    if width(text, size) <= most:
        return text
    while text and width(text + "…", size) > most:
        text = text[:-1]
    return text.rstrip(" ·,") + "…"


def _frame(positions: NDArray[np.float32]) -> tuple[NDArray[np.float64], float]:
    """The middle of the map and the pixels for one unit of it."""
    if not len(positions):
        return np.zeros(2), 1.0
    low, high = positions.min(axis=0).astype(np.float64), positions.max(axis=0).astype(np.float64)
    room = np.array([WIDTH - _LEGEND - 2 * _MARGIN, HEIGHT - _HEAD - 2 * _MARGIN])
    span = np.where(high > low, high - low, np.nan)
    ratios = room / span
    scale = float(np.nanmin(ratios)) if np.isfinite(ratios).any() else 1.0
    return (low + high) / 2, scale


def _pixels(positions: NDArray[np.float32], shift: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    middle = np.array([(WIDTH - _LEGEND) / 2, (HEIGHT + _HEAD) / 2])
    return np.asarray(middle + (positions - shift) * scale * [1, -1], dtype=np.float64)


def _names(
    levels: Sequence[Sequence[Label]], shift: NDArray[np.float64], scale: float, lift: float
) -> tuple[Text, ...]:
    """The finest level whose names mostly find room."""
    best: list[Text] = []
    for level in reversed(levels):
        placed = _placed(level, shift, scale, lift)
        if len(placed) >= _FITTING * len(level):
            return tuple(placed)
        best = placed
    return tuple(best)


def _placed(level: Sequence[Label], shift: NDArray[np.float64], scale: float, lift: float) -> list[Text]:
    """The names that find room, the largest cluster's first."""
    taken: list[tuple[float, float, float, float]] = []
    placed = []
    for name in sorted(level, key=lambda name: (-name.size, name.text)):
        text = shortened(name.text, 260, _NAME)
        if not text:
            continue
        half = width(text, _NAME) / 2 + 4
        x, y = _pixels(np.array([[name.x, name.y]], dtype=np.float32), shift, scale)[0] - [0, lift]
        x = min(max(x, half), WIDTH - _LEGEND - half)
        box = (x - half, y - _NAME * 0.75, x + half, y + _NAME * 0.75)
        if not any(_overlap(box, other) for other in taken):
            taken.append(box)
            placed.append(Text(text, x, y, _NAME, palette.INK[0], bold=True, anchor="middle"))
    return placed


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _heading(picture: MapPicture, words: dict[str, str]) -> list[Text]:
    about = [words["documents"].format(f"{len(picture.ids):,}")]
    if picture.mean_trust is not None:
        about.append(words["trust"].format(round(100 * picture.mean_trust)))
    title = shortened(picture.title, WIDTH - _LEGEND - 340, 17)
    return [
        Text(title, _MARGIN, _HEAD / 2, 17, palette.INK[0], bold=True),
        Text(" · ".join(about), WIDTH - _LEGEND - _MARGIN, _HEAD / 2, _BODY, palette.FAINT[0], anchor="end"),
    ]


def _legend(colours: PictureColouring, words: dict[str, str], rest: str) -> tuple[list[Text], list[Swatch]]:
    left, top = WIDTH - _LEGEND + 8, _HEAD + 12
    lines = [(entry.text, entry.colour, f"{entry.count:,}") for entry in colours.entries]
    room = (HEIGHT - top - _MARGIN) // _ROW - 2
    tail = [(rest, palette.LEFTOVER[0], f"{colours.rest:,}")] if colours.rest else []
    if len(lines) > room:
        tail.insert(0, (words["more"].format(len(lines) - room), "", ""))
        lines = lines[:room]
    texts, swatches = [], []
    for place, (text, colour, count) in enumerate([*lines, *tail]):
        y = top + place * _ROW
        if colour:
            swatches.append(Swatch(left + 5, y, colour))
        most = _LEGEND - 18 - _MARGIN - 16 - width(count, _BODY)
        texts.append(Text(shortened(text, most, _BODY), left + 18, y, _BODY, palette.INK[0]))
        texts.append(Text(count, WIDTH - _MARGIN, y, _BODY, palette.FAINT[0], anchor="end"))
    return texts, swatches
