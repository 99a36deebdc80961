"""A report of some documents as one HTML file: figures, a map, texts and scores; nothing is loaded, no script runs."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer import palette, paths
from explorer.rendering.camera import Camera, box_of
from explorer.rendering.labels import by_size, place_labels, shorten, text_width
from explorer.rendering.picture import circle, escape_text
from explorer.workspace.export.tables import write_whole

if TYPE_CHECKING:
    from explorer.workspace.export.map_data import MapPicture

SHORT = 1200  # characters of a text that are shown at once
LONG = 50_000  # characters of a text that are in the file at all
_AROUND = 300  # characters beside a passage
WIDTH, HEIGHT = 800, 500
CONTEXT = 5000  # grey points of the map at most; of more, every n-th is drawn
_MARGIN, _LABEL = 24, 13
_POLICY = "default-src 'none'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'none'"
_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Report on {folder}", "selection": "Selection", "query": "Query", "number": "Documents",
        "count": "{count} of {total} ({share})", "left_out": "{count} more are not in this report.",
        "model": "Model", "made": "Made", "map": "Map", "clusters": "Clusters", "none": "in no cluster",
        "map_caption": "Documents that say similar things lie together. Those of this report are coloured by cluster.",
        "documents": "Documents", "title_of": "Title", "cluster": "Cluster", "score": "Score", "texts": "Texts",
        "whole": "The whole text", "cut": "{count} more characters are in the file itself.",
    },
    "ko": {
        "title": "{folder} 보고서", "selection": "고른 문서", "query": "검색어", "number": "문서",
        "count": "전체 {total}개 중 {count}개({share})", "left_out": "{count}개는 이 보고서에 넣지 않았습니다.",
        "model": "모델", "made": "만든 때", "map": "문서 지도", "clusters": "묶음", "none": "묶음 없음",
        "map_caption": "내용이 비슷한 문서가 가까이 놓입니다. 이 보고서의 문서는 묶음별 색으로 표시했습니다.",
        "documents": "문서 목록", "title_of": "제목", "cluster": "묶음", "score": "점수", "texts": "본문",
        "whole": "전체 본문 보기", "cut": "나머지 {count}자는 원본 파일에 있습니다.",
    },
}  # fmt: skip


@dataclass(frozen=True)
class ReportItem:
    """A document of a report.

    Attributes:
        id: Its number in the workspace.
        title: Its title.
        path: Its file, below the folder.
        text: Its text.
        part: Which part of its file it is.
        passage: Where in the text the passage is that was found; None where nothing was searched.
        score: What the search gave it; None where nothing was searched.
        cluster: The name of its cluster; empty for none.
        tags: Its tags.
        facts: What else is known of it, by name.
    """

    id: int
    title: str
    path: str
    text: str
    part: str = ""
    passage: tuple[int, int] | None = None
    score: float | None = None
    cluster: str = ""
    tags: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Report:
    """The content of a report.

    Attributes:
        title: Of the folder.
        why: What the documents have in common, in the user's words.
        items: The documents, in order.
        total: How many documents the folder has.
        made: When, for people to read.
        query: What was searched for; empty where nothing was.
        model: The model of the scores.
        left_out: Documents of the selection that are not in the report, because they were too many.
        picture: The map of the whole folder; None where there is none.
    """

    title: str
    why: str
    items: Sequence[ReportItem]
    total: int
    made: str
    query: str = ""
    model: str = ""
    left_out: int = 0
    picture: MapPicture | None = None


def html(report: Report, language: str = "en") -> str:
    """Return the report as a page in English or Korean ("en", "ko"); all texts in it are shown as they are."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    words = _WORDS.get(language, _WORDS["en"])
    counts = Counter(item.cluster for item in report.items)
    clusters = [(name, count) for name, count in counts.most_common() if name]
    groups = {name: group for group, (name, _) in enumerate(clusters)}
    count = words["count"].format(
        count=f"{len(report.items):,}",
        total=f"{report.total:,}",
        share=f"{len(report.items) / max(1, report.total):.1%}",
    )
    if report.left_out:
        count += " " + words["left_out"].format(count=f"{report.left_out:,}")
    picture = report.picture
    drawn = ""
    if picture is not None and len(picture.ids):
        chosen = {item.id: groups.get(item.cluster, -1) for item in report.items}
        drawn = drawing(picture, chosen, escape(words["map"]))
    folder = paths.resources() / "report"
    style = (folder / "report.css").read_text("utf-8") + colour_rules(len(clusters))
    # The page's security policy knows its own style by this hash.
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    pages = Environment(loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined)
    return pages.get_template("report.html").render(
        language=language,
        words=words,
        title=words["title"].format(folder=report.title),
        style=style,
        policy=_POLICY.format(style=f"sha256-{digest}"),
        drawing=drawn,
        items=report.items,
        scored=any(item.score is not None for item in report.items),
        colours=palette.DOZEN,
        clusters=[(name, f"{size:,}", f"{120 * size / clusters[0][1]:.1f}") for name, size in clusters],
        in_none=f"{counts['']:,}" if counts[""] and clusters else "",
        short=SHORT,
        long=LONG,
        around=_AROUND,
        facts=[
            (words["selection"], report.why),
            (words["query"], report.query),
            (words["number"], count),
            (words["model"], report.model),
            (words["made"], report.made),
        ],
    )


def write_report(report: Report, out: Path, language: str = "en") -> None:
    """Write a report; the file appears whole or not at all.

    Raises:
        DataError: The file cannot be written.
    """
    content = html(report, language).encode("utf-8", "replace")
    write_whole(out, lambda partial: partial.write_bytes(content))


def colour_rules(groups: int) -> str:
    """Return the colours of the groups as a style sheet, for light and dark."""

    def rules(dark: bool) -> str:
        colours = palette.qualitative(min(groups, palette.DOZEN), dark=dark)
        return "".join(f".g{group} {{ fill: {colour}; }}\n" for group, colour in enumerate(colours))

    return f"{rules(False)}@media screen and (prefers-color-scheme: dark) {{\n{rules(True)}}}\n"


def drawing(picture: MapPicture, chosen: Mapping[int, int], name: str) -> str:
    """Return the map as the text of an SVG element, coloured by the report's style sheet.

    Args:
        picture: The map.
        chosen: The group of each document of the report, -1 for none.
        name: What it shows, escaped already.
    """
    camera = Camera(width=WIDTH, height=HEIGHT).fitted(box_of(picture.positions), _MARGIN)
    points = [camera.on_screen(x, y) for x, y in picture.positions.tolist()]
    radius = float(np.clip(60 / np.sqrt(max(1, len(points))), 0.8, 4))
    is_chosen = np.array([document in chosen for document in picture.ids], bool)
    rest = np.flatnonzero(~is_chosen)
    rest = rest[:: max(1, -(-len(rest) // CONTEXT))]
    return "".join(
        (
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{name}</title>',
            '<g class="other">',
            *(circle(*points[row], radius) for row in rest.tolist()),
            "</g>",
            *(
                f'<g class="{_css_class(chosen[picture.ids[row]])}">'
                + circle(*points[row], radius + 1.2, title=picture.titles[row])
                + "</g>"
                for row in np.flatnonzero(is_chosen).tolist()
            ),
            *_labels(picture, camera),
            "</svg>",
        )
    )


def _css_class(group: int) -> str:
    return f"g{group % palette.DOZEN}" if group >= 0 else "share"


def _labels(picture: MapPicture, camera: Camera) -> Iterator[str]:
    """Yield the labels of the coarsest level that find room."""
    level = picture.levels[0] if picture.levels else ()
    for label in place_labels(by_size(level), camera, _measure, 8, offsets=lambda _: ((0, -10),), right=WIDTH):
        text = escape_text(label.text)
        yield f'<text class="name" x="{label.x:.1f}" y="{label.y:.1f}" text-anchor="middle">{text}</text>'


def _measure(name: str) -> tuple[str, float]:
    text = shorten(name, 220, _LABEL)
    return text, text_width(text, _LABEL)
