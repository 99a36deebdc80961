"""Write a map as PNG, SVG, CSV or HTML, chosen by the suffix of the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.rendering.picture import png, svg
from explorer.task import Task
from explorer.workspace.export import map_html
from explorer.workspace.export.map_colours import CLUSTER
from explorer.workspace.export.map_data import MapPicture
from explorer.workspace.export.map_layout import lay_out
from explorer.workspace.export.tables import write_rows, write_whole

FORMATS = ("png", "svg", "csv", "html")


@dataclass(frozen=True)
class Written:
    """The result of writing a map: the number of points, and sentences about what could not be drawn."""

    points: int
    remarks: tuple[str, ...] = ()


def write_map(
    picture: MapPicture,
    out: Path,
    *,
    by: str = CLUSTER,
    language: str = "en",
    task: Task | None = None,
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
        return map_html.html(picture, by).encode("utf-8", "replace"), []
    still = lay_out(picture, by, language)
    return png(still) if suffix == "png" else (svg(still).encode("utf-8", "replace"), [])
