"""Write a map as PNG, SVG, CSV or HTML, chosen by the suffix of the file."""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer import palette, paths
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.rendering.camera import Camera, box_of
from explorer.rendering.colours import Colouring, PointColours, point_colours, style
from explorer.rendering.labels import FreeRoom, Label, Offsets, PlacedLabel, by_size, place_labels, shorten, text_width
from explorer.rendering.picture import Snapshot, Swatch, Text, png, svg
from explorer.rendering.point_grid import build_grid
from explorer.rendering.raster import Layer, Scene
from explorer.task import Task
from explorer.workspace.export.map_data import (
    CLUSTER,
    LEFTOVER,
    MOST,
    TRUST,
    MapPicture,
    Value,
    amounts,
    colouring,
    common,
    kind,
)
from explorer.workspace.export.tables import write_rows, write_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray


FORMATS = ("png", "svg", "csv", "html")
_SCRIPTS = ("words", "data", "painting", "groups", "labels", "card", "search", "map", "moving")
_TEXT = (120, 600)  # characters of a snippet, at least and at most
_ALL_TEXT = 30_000_000  # characters of all snippets together
_RAMP_STEPS = 64
_UNSAFE = "<>&\u2028\u2029"


@dataclass(frozen=True)
class Written:
    """The result of writing a map: the number of points, and sentences about what could not be drawn."""

    points: int
    remarks: tuple[str, ...] = ()


def write_map(
    picture: MapPicture, out: Path, *, by: str = CLUSTER, language: str = "en", task: Task | None = None
) -> Written:
    """Write a map in the format of the file's suffix; the file appears whole or not at all.

    Args:
        picture: The map.
        out: The file, ending in .png, .svg, .csv or .html.
        by: What the colours mean at first: "cluster", "trust" or the name of a column.
        language: Language of the words on a still picture, "en" or "ko"; the html has both.
        task: Receives the progress.

    Returns:
        How many points there are, and what could not be drawn.

    Raises:
        DataError: The suffix is unknown, there is no column `by`, or the file cannot be written.
        Cancelled: The task was cancelled; nothing is left behind.
    """
    task = task or Task()
    suffix = require_format(out)
    task.report(0, len(picture.ids), UserMessage("writing {name}", name=out.name))
    remarks: list[str] = []
    if suffix == "csv":
        write_rows(rows(picture), out)
    else:
        content, remarks = _content(picture, suffix, by, language)
        task.check()
        write_whole(out, lambda partial: partial.write_bytes(content))
    task.report(len(picture.ids), len(picture.ids), UserMessage("writing {name}", name=out.name))
    return Written(len(picture.ids), tuple(remarks))


def require_format(out: Path) -> str:
    """Return the format of a file's suffix, one of FORMATS.

    Raises:
        DataError: The suffix is none of them.
    """
    suffix = out.suffix.lower().lstrip(".")
    if suffix not in FORMATS:
        raise DataError(
            "{out}: the format “{suffix}” is not known. End the name with .png, .svg, .csv or .html.",
            out=out,
            suffix=out.suffix,
        )
    return suffix


def rows(picture: MapPicture) -> Iterator[dict[str, Any]]:
    """Yield the map as a table, one row per document; metadata follows the fixed columns."""
    fixed = {"id", "path", "part", "title", "x", "y", "cluster", "cluster_name", "trust"}
    more = {name if name not in fixed else f"metadata_{name}": name for name in picture.columns}
    for row, document in enumerate(picture.ids):
        cluster, trust = int(picture.clusters[row]), float(picture.trust[row])
        x, y = picture.positions[row].tolist()
        yield {
            "id": document,
            "path": picture.paths[row],
            "part": picture.parts[row],
            "title": picture.titles[row],
            "x": round(x, 5),
            "y": round(y, 5),
            "cluster": cluster,
            "cluster_name": picture.name(cluster),
            "trust": round(trust, 4) if np.isfinite(trust) else None,
        } | {written: picture.columns[name][row] for written, name in more.items()}


def _content(picture: MapPicture, suffix: str, by: str, language: str) -> tuple[bytes, list[str]]:
    if suffix == "html":
        return html(picture, by).encode("utf-8", "replace"), []
    still = lay_out(picture, by, language)
    return png(still) if suffix == "png" else (svg(still).encode("utf-8", "replace"), [])


WIDTH, HEIGHT = 1280, 800
_MARGIN, _LEGEND, _HEAD, _ROW = 24, 280, 56, 21
_LABEL, _BODY = 14, 13  # height of letters, in pixels
_FITTING = 0.6  # share of a level's labels that must find room
WORDS = {
    "en": {"none": "no cluster", "other": "none of these", "more": "and {} more", "documents": "{} documents",
           "trust": "map trust {} %"},
    "ko": {"none": "묶음 없음", "other": "해당 없음", "more": "외 {}개", "documents": "문서 {}개",
           "trust": "지도 신뢰도 {}%"},
}  # fmt: skip


def lay_out(picture: MapPicture, by: str = CLUSTER, language: str = "en") -> Snapshot:
    """Lay out the still picture of a map.

    Args:
        picture: The map.
        by: What the colours mean: "cluster", "trust" or the name of a column.
        language: Of the heading and the legend: "en" or "ko".

    Raises:
        DataError: There is no column of the name `by`.
    """
    colours = colouring(picture, by)
    words = WORDS.get(language, WORDS["en"])
    texts, swatches = _legend(colours, words, words["none" if by == CLUSTER else "other"])
    # A large disc hides those before it; sorted, the picture does not depend on the order of the documents.
    order = np.lexsort((picture.positions[:, 1], picture.positions[:, 0]))
    positions, camera = picture.positions[order], _camera(picture.positions)
    scene = _scene(positions, point_colours(colours.points, dark=False), order)
    return Snapshot(
        title=picture.title,
        scene=scene,
        camera=camera,
        style=style(),
        labels=_labels(picture.levels, camera, positions, scene.radius),
        label_size=_LABEL,
        texts=(*_heading(picture, words), *texts),
        swatches=tuple(swatches),
        tooltips=[picture.titles[row] for row in order.tolist()],
    )


def _camera(positions: NDArray[np.float32]) -> Camera:
    """Fit the map into the room that heading and legend leave."""
    room = Camera(width=WIDTH - _LEGEND, height=HEIGHT - _HEAD).fitted(box_of(positions), _MARGIN)
    return replace(
        room, x=room.x + _LEGEND / 2 / room.scale, y=room.y + _HEAD / 2 / room.scale, width=WIDTH, height=HEIGHT
    )


def _scene(positions: NDArray[np.float32], colours: PointColours, order: NDArray[np.intp]) -> Scene:
    """Draw points without a category below the others."""
    grid, index = build_grid(positions), colours.index[order]
    without = index == len(colours.colours) - 1
    layers = []
    for mask in (without, ~without):
        part = grid.part(mask)
        layers.append(Layer(part, index[part.rows], colours.colours))
    radius = float(np.clip(90 / np.sqrt(max(len(positions), 1)), 0.9, 5))
    return Scene(tuple(layers), palette.BACKGROUND[0], radius)


def _labels(
    levels: Sequence[Sequence[Label]], camera: Camera, positions: NDArray[np.float32], radius: float
) -> list[PlacedLabel]:
    """Place the finest level whose labels mostly find room, beside the points."""
    x = (positions[:, 0] - camera.x) * camera.scale + camera.width / 2
    y = camera.height / 2 - (positions[:, 1] - camera.y) * camera.scale
    heading = PlacedLabel("", WIDTH / 2, _HEAD / 2, WIDTH / 2, _HEAD / 2)
    room = FreeRoom(x, y, WIDTH - _LEGEND, HEIGHT, radius=radius + 1, covered=[heading])
    half_line = _LABEL * 0.75

    def beside(label: Label) -> Offsets:
        return room.offsets(*camera.on_screen(label.x, label.y), _measure(label.text)[1] / 2, half_line)

    placed: list[PlacedLabel] = []
    for level in reversed(levels):
        placed = place_labels(by_size(level), camera, _measure, half_line, offsets=beside, right=WIDTH - _LEGEND)
        if len(placed) >= _FITTING * len(level):
            break
    return placed


def _measure(name: str) -> tuple[str, float]:
    text = shorten(name, 260, _LABEL)
    return text, text_width(text, _LABEL)


def _heading(picture: MapPicture, words: dict[str, str]) -> list[Text]:
    about = [words["documents"].format(f"{len(picture.ids):,}")]
    if picture.mean_trust is not None:
        about.append(words["trust"].format(round(100 * picture.mean_trust)))
    title = shorten(picture.title, WIDTH - _LEGEND - 340, 17)
    return [
        Text(title, _MARGIN, _HEAD / 2, 17, palette.FOREGROUND[0], bold=True),
        Text(" · ".join(about), WIDTH - _LEGEND - _MARGIN, _HEAD / 2, _BODY, palette.FAINT[0], anchor="end"),
    ]


def _legend(colours: Colouring, words: dict[str, str], rest: str) -> tuple[list[Text], list[Swatch]]:
    left, top = WIDTH - _LEGEND + 8, _HEAD + 12
    lines = [(entry.text, entry.colour, f"{entry.count:,}") for entry in colours.entries()]
    room = (HEIGHT - top - _MARGIN) // _ROW - 2
    tail = [(rest, palette.LEFTOVER[0], f"{colours.rest:,}")] if colours.rest else []
    if len(lines) > room:
        tail.insert(0, (words["more"].format(len(lines) - room), "", ""))
        lines = lines[:room]
    texts, swatches = [], []
    for row, (text, colour, count) in enumerate([*lines, *tail]):
        y = top + row * _ROW
        if colour:
            swatches.append(Swatch(left + 5, y, colour))
        most = _LEGEND - 18 - _MARGIN - 16 - text_width(count, _BODY)
        texts.append(Text(shorten(text, most, _BODY), left + 18, y, _BODY, palette.FOREGROUND[0]))
        texts.append(Text(count, WIDTH - _MARGIN, y, _BODY, palette.FAINT[0], anchor="end"))
    return texts, swatches


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
    column_kind = kind(values)
    column: dict[str, Any] = {"key": key, "name": _clean(name), "kind": column_kind}
    if column_kind != "text":
        return column | {"values": _pack(amounts(values, column_kind), "<f8"), "choice": True}
    names = common(values)
    code_of = {text: code for code, text in enumerate(names)}
    codes = [LEFTOVER if value is None else code_of.get(str(value), LEFTOVER) for value in values]
    present = sum(code != LEFTOVER for code in codes)
    choice = 0 < len(names) <= max(MOST, present // 2)  # values that hardly ever repeat do not form groups
    return column | {"values": _pack(codes, "<i4"), "names": [_clean(text) for text in names], "choice": choice}


def _look(groups: int, *, dark: bool) -> dict[str, Any]:
    return {
        "groups": palette.qualitative(max(groups, MOST), dark=dark),
        "ramp": [palette.ramp(step / (_RAMP_STEPS - 1), dark=dark) for step in range(_RAMP_STEPS)],
        "leftover": palette.LEFTOVER[dark],
        "context": palette.CONTEXT[dark],
        "ground": palette.BACKGROUND[dark],
        "ink": palette.FOREGROUND[dark],
        "accent": palette.ACCENT[dark],
    }


def _pack(values: object, form: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=form).tobytes()).decode()


def _clean(text: str) -> str:
    """Return composed letters (NFC), as a search types them: macOS stores Korean file names decomposed."""
    return unicodedata.normalize("NFC", text)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
