"""The pixel buffer that is drawn into, and alpha blending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint32]
    Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Canvas:
    """A picture with a margin, so that discs at its edge need no clipping.

    Attributes:
        pixels: 0xffrrggbb, (height + 2 * margin, width + 2 * margin).
        margin: Pixels on each side.
    """

    pixels: Pixels
    margin: int

    @property
    def seen(self) -> Pixels:
        """Return the picture without its margin, (height, width)."""
        inside = slice(self.margin, -self.margin)
        return self.pixels[inside, inside]


def blend(flat: Pixels, where: NDArray[np.intp], mixed: Sequence[Floats], alpha: Floats) -> None:
    """Blend colours (red, green, blue) over pixels, each with its own alpha."""
    signed = flat.view(np.int32)  # numpy turns these into floats and back several times faster
    base = signed[where]
    result = np.full(len(where), -1 << 24, dtype=np.int32)
    for channel, shift in zip(mixed, (16, 8, 0), strict=True):
        under = ((base >> shift) & 255).astype(np.float32)
        part = channel - under
        part *= alpha
        part += under
        part += np.float32(0.5)
        value = part.astype(np.int32)
        value <<= shift
        result |= value
    signed[where] = result
