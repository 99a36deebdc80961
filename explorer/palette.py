"""Colours of maps and scores for light and dark backgrounds, the same in the window and in files."""

from __future__ import annotations

import math
from collections.abc import Iterable

LEFTOVER = ("#a3a8b0", "#6b727d")  # light, dark: points of no cluster
CONTEXT = ("#c3c8cf", "#4a515b")  # points that are not highlighted
BACKGROUND = ("#ffffff", "#16191e")
FOREGROUND = ("#1d2127", "#e6e8eb")
FAINT = ("#5c636d", "#9aa2ad")
ACCENT = ("#2f6fde", "#6ea8ff")

# Found by a search that maximised the smallest distance between any two colours, seen with full colour vision, without
# red and without green cones. The dark ones are the same hues, lighter.
DOZEN = 12  # colours that everyone can tell apart
_LIGHT = (
    "#3e6cd6", "#c8ad2f", "#a7240d", "#7fb5dc", "#6d2c7b", "#c5662e",
    "#9a88ff", "#a54f93", "#0f3bb7", "#4bc98f", "#19634c", "#589c83",
)  # fmt: skip
_DARK = (
    "#6696fd", "#f2d761", "#b25120", "#b2deff", "#9552a3", "#f18e58",
    "#b2b1ff", "#d076bc", "#3265e4", "#7af4b8", "#448971", "#80c5ab",
)  # fmt: skip
_FURTHER = ((0.60, 0.115), (0.74, 0.105))  # lightness and chroma (OKLCH) of all colours after those
# The golden angle between one further hue and the next spreads any number of them evenly, and the first ones stay.
_GOLDEN = 137.507764  # degrees
_GOLDEN_SHARE = 0.618034
_GREYS = ((0.25, 0.75), (0.45, 0.95))  # darkest and lightest (OKLCH)

# Viridis: even in lightness from dark violet over teal to yellow.
_RAMP = (
    "#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26",
    "#fde725",
)  # fmt: skip
_SPAN = ((0.0, 0.9), (0.16, 1.0))  # the part of the ramp that contrasts with the background


def qualitative(count: int, *, dark: bool = False, name: str = "clear") -> list[str]:
    """Return colours for `count` groups, as "#rrggbb".

    The first dozen can be told apart by the colour-blind too. After those, "clear" continues with evenly spread hues of
    one lightness; "colour-blind" repeats the dozen, paler each time; "grey" has shades only. A group keeps its colour
    when others are added after it.
    """
    if name == "grey":
        low, high = _GREYS[dark]
        return [_oklch(low + (high - low) * (index * _GOLDEN_SHARE % 1), 0, 0) for index in range(count)]
    first = (_DARK if dark else _LIGHT)[:count]
    if name == "colour-blind":
        dozen = _DARK if dark else _LIGHT
        return [_paler(dozen[index % len(dozen)], index // len(dozen), dark=dark) for index in range(count)]
    lightness, chroma = _FURTHER[dark]
    hues = (20 + index * _GOLDEN for index in range(count - len(first)))
    return [*first, *(_oklch(lightness, chroma, hue) for hue in hues)]


def ramp(value: float, *, dark: bool = False) -> str:
    """Return the colour of a value between 0 and 1, as "#rrggbb"; values outside get the colour of the end."""
    low, high = _SPAN[dark]
    position = (low + min(max(value, 0.0), 1.0) * (high - low)) * (len(_RAMP) - 1)
    lower = min(int(position), len(_RAMP) - 2)
    pairs = zip(channels(_RAMP[lower]), channels(_RAMP[lower + 1]), strict=True)
    return _hex(first + (second - first) * (position - lower) for first, second in pairs)


def channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of "#rrggbb", each 0..255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def readable(colour: str, *, dark: bool = False) -> str:
    """Return a colour as text: itself, or mixed with ink until its contrast with the ground is 4.5 to 1 (WCAG AA)."""
    mixed, behind = channels(colour), _luminance(channels(BACKGROUND[dark]))
    for share in range(1, 11):
        luminance = _luminance(mixed)
        if (max(luminance, behind) + 0.05) / (min(luminance, behind) + 0.05) >= 4.5:
            break
        pairs = zip(channels(colour), channels(FOREGROUND[dark]), strict=True)
        mixed = tuple(round(own + (text - own) * share / 10) for own, text in pairs)  # type: ignore[assignment]
    return _hex(mixed)


def _luminance(parts: Iterable[int]) -> float:
    linear = [value / 3294.6 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _paler(colour: str, times: int, *, dark: bool) -> str:
    share = 1 - 0.68**times
    pairs = zip(channels(colour), channels(BACKGROUND[dark]), strict=True)
    return _hex(own + (behind - own) * share for own, behind in pairs)


def _hex(values: Iterable[float]) -> str:
    return "#" + "".join(f"{round(value):02x}" for value in values)


def _oklch(lightness: float, chroma: float, hue: float) -> str:
    """Convert from OKLCH, where equal lightness looks equally light (https://bottosson.github.io/posts/oklab/)."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return _hex(255 * _srgb(min(max(value, 0.0), 1.0)) for value in linear)


def _srgb(value: float) -> float:
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
