"""Write a map as one self-contained HTML file with program, colours, points and texts."""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer import palette, paths
from explorer.errors import DataError
from explorer.workspace.export.map_colours import CLUSTER, MOST, TRUST, common
from explorer.workspace.export.map_data import LEFTOVER, MapPicture, Value, amounts, kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCRIPTS = ("words", "data", "painting", "groups", "labels", "card", "search", "map", "moving")
_TEXT = (120, 600)  # characters of a snippet, at least and at most
_ALL_TEXT = 30_000_000  # characters of all snippets together
_RAMP_STEPS = 64
_UNSAFE = "<>&\u2028\u2029"


def html(picture: MapPicture, by: str = CLUSTER) -> str:
    """Return the map as a page that works without a network.

    Args:
        picture: The map.
        by: What the colours mean at first: "cluster", "trust" or the name of a column.

    Raises:
        DataError: There is no column `by`.
    """
    if by not in {CLUSTER, TRUST, *picture.columns}:
        known = ", ".join([CLUSTER, TRUST, *picture.columns])
        raise DataError("The documents have no “{by}” to colour by. Choose one of: {known}.", by=by, known=known)
    folder = paths.resources() / "map"
    script = "".join((folder / f"{name}.js").read_text("utf-8") for name in _SCRIPTS)
    style = (folder / "map.css").read_text("utf-8")
    parts = {
        "title": escape(picture.title),
        "style_hash": _digest(style),
        "script_hash": _digest(script),
        "style": style,
        "script": script,
        "data": _json(_data(picture, by)),
        "texts": _json(_texts(picture)),
    }
    page = (folder / "map.html").read_text("utf-8")
    pieces = page.split("{")  # each piece after the first opens with the name of a part
    return pieces[0] + "".join(parts[name] + rest for name, _, rest in (piece.partition("}") for piece in pieces[1:]))


def _digest(text: str) -> str:
    """Return the hash by which the page's content security policy allows its own script and style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(value: object) -> str:
    """Return JSON that cannot close the script element it is embedded in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in _UNSAFE:
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _data(picture: MapPicture, by: str) -> dict[str, Any]:
    middle, half = _frame(picture.positions)
    order = picture.by_size()
    keys = {name: f"column-{index}" for index, name in enumerate(picture.columns)}
    columns = [_column(keys[name], name, values) for name, values in picture.columns.items()]
    return {
        "count": len(picture.ids),
        "positions": _pack((picture.positions - middle) / half, "<f4"),
        "extent": _extent(picture.positions, half),
        "clusters": _pack(_ranks(picture.clusters, order), "<i4"),
        "names": [_clean(picture.name(cluster)) for cluster in order],
        "levels": [
            [
                {
                    "text": _clean(label.text),
                    "x": round(float((label.x - middle[0]) / half), 6),
                    "y": round(float((label.y - middle[1]) / half), 6),
                    "size": label.size,
                }
                for label in level
            ]
            for level in picture.levels
        ],
        "trust": _pack(picture.trust, "<f4"),
        "meanTrust": picture.mean_trust,
        "columns": columns,
        "by": keys.get(by, by),
        "most": MOST,
        "look": {theme: _look(len(order), dark=theme == "dark") for theme in ("light", "dark")},
    }


def _texts(picture: MapPicture) -> dict[str, list[str]]:
    low, high = _TEXT
    most = min(high, max(low, _ALL_TEXT // max(1, len(picture.ids))))
    return {
        "titles": [_clean(title) for title in picture.titles],
        "snippets": [_cut(_clean(text), most) for text in picture.snippets],
        "paths": [_clean(path) for path in picture.paths],
        "parts": [_clean(part) for part in picture.parts],
    }


def _frame(positions: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
    """Return the centre of the map and half its longer side, which scale it to -1..1."""
    if not len(positions):
        return np.zeros(2, dtype=np.float32), 1.0
    low, high = positions.min(axis=0), positions.max(axis=0)
    return (low + high) / 2, float((high - low).max()) / 2 or 1.0


def _extent(positions: NDArray[np.float32], half: float) -> list[float]:
    if not len(positions):
        return [0.0, 0.0]
    return [float(side) / half for side in positions.max(axis=0) - positions.min(axis=0)]


def _ranks(clusters: NDArray[np.int64], order: Sequence[int]) -> list[int]:
    rank = {cluster: index for index, cluster in enumerate(order)}
    return [rank.get(cluster, LEFTOVER) for cluster in clusters.tolist()]


def _column(key: str, name: str, values: Sequence[Value]) -> dict[str, Any]:
    """Return a column as the page reads it; `choice` says whether it is useful to colour by."""
    of = kind(values)
    column: dict[str, Any] = {"key": key, "name": _clean(name), "kind": of}
    if of != "text":
        return column | {"values": _pack(amounts(values, of), "<f8"), "choice": True}
    names = common(values)
    number = {text: code for code, text in enumerate(names)}
    codes = [LEFTOVER if value is None else number.get(str(value), LEFTOVER) for value in values]
    present = sum(code != LEFTOVER for code in codes)
    choice = 0 < len(names) <= max(MOST, present // 2)  # values that hardly ever repeat do not form groups
    return column | {"values": _pack(codes, "<i4"), "names": [_clean(text) for text in names], "choice": choice}


def _look(groups: int, *, dark: bool) -> dict[str, Any]:
    return {
        "groups": palette.qualitative(max(groups, MOST), dark=dark),
        "ramp": [palette.ramp(step / (_RAMP_STEPS - 1), dark=dark) for step in range(_RAMP_STEPS)],
        "leftover": palette.LEFTOVER[dark],
        "context": palette.CONTEXT[dark],
        "ground": palette.GROUND[dark],
        "ink": palette.INK[dark],
        "accent": palette.ACCENT[dark],
    }


def _pack(values: object, form: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=form).tobytes()).decode()


def _clean(text: str) -> str:
    """Return composed letters (NFC), as a search types them: macOS stores Korean file names decomposed."""
    return unicodedata.normalize("NFC", text)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
