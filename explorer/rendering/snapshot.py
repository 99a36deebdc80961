"""A whole map picture as values, ready to be written as SVG or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.rendering.camera import Camera
from explorer.rendering.labels import PlacedLabel
from explorer.rendering.point_layers import GlowPoint
from explorer.rendering.raster import Scene
from explorer.rendering.style import MapStyle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RATIO = 2  # pixels of a written picture for one pixel of its layout
SWATCH = 5  # radius of a dot of the legend


@dataclass(frozen=True)
class Text:
    """A line of text; `y` is the middle of its letters, and `anchor` says which part of it is at `x`."""

    text: str
    x: float
    y: float
    size: float
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
class Snapshot:
    """Everything in a map picture, in pixels unless said otherwise.

    The window alone has hits, contours, focus and query; the command line alone has texts, swatches and tooltips.

    Attributes:
        title: The picture's name, for screen readers.
        scene: The points.
        camera: The part of them that is visible.
        style: Colours.
        labels: The labels that found room.
        label_size: Height of the labels' letters.
        texts: Heading and legend.
        swatches: The dots of the legend.
        tooltips: The title of each row, shown on hover; empty for none.
        hits: The points that glow.
        contours: For each density its lines in map coordinates, each (M, 2).
        focus: The position of the focused point.
        query: The position of the query.
    """

    title: str
    scene: Scene
    camera: Camera
    style: MapStyle
    labels: Sequence[PlacedLabel] = ()
    label_size: float = 14
    texts: Sequence[Text] = ()
    swatches: Sequence[Swatch] = ()
    tooltips: Sequence[str] = ()
    hits: Sequence[GlowPoint] = ()
    contours: Sequence[Sequence[NDArray[np.float64]]] = ()
    focus: tuple[float, float] | None = None
    query: tuple[float, float] | None = None
