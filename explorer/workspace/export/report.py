"""A report of some documents as one HTML file: figures, a map, texts and scores; nothing is loaded, no script runs."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from explorer import palette, paths
from explorer.workspace.export.report_map import colour_rules, drawing
from explorer.workspace.export.tables import write_whole

if TYPE_CHECKING:
    from explorer.workspace.export.map_data import MapPicture

SHORT = 1200  # characters of a text that are shown at once
LONG = 50_000  # characters of a text that are in the file at all
_AROUND = 300  # characters beside a passage
_POLICY = "default-src 'none'; style-src '{style}'; img-src data:; base-uri 'none'; form-action 'none'"
_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Report on {folder}", "selection": "Selection", "query": "Query", "number": "Documents",
        "count": "{count} of {total} ({share})", "left_out": "{count} more are not in this report.",
        "model": "Model", "made": "Made", "map": "Map", "clusters": "Clusters", "none": "in no cluster",
        "map_told": "Documents that say similar things lie together. Those of this report are coloured by cluster.",
        "documents": "Documents", "title_of": "Title", "cluster": "Cluster", "score": "Score", "texts": "Texts",
        "whole": "The whole text", "cut": "{count} more characters are in the file itself.",
    },
    "ko": {
        "title": "{folder} 보고서", "selection": "고른 문서", "query": "검색어", "number": "문서",
        "count": "전체 {total}개 중 {count}개({share})", "left_out": "{count}개는 이 보고서에 넣지 않았습니다.",
        "model": "모델", "made": "만든 때", "map": "문서 지도", "clusters": "묶음", "none": "묶음 없음",
        "map_told": "내용이 비슷한 문서가 가까이 놓입니다. 이 보고서의 문서는 묶음별 색으로 표시했습니다.",
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
    """What a report tells.

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
    """The report as a page in English or Korean ("en", "ko"); all texts in it are shown as they are."""
    words = _WORDS.get(language, _WORDS["en"])
    clusters = [
        name for name, _ in Counter(item.cluster for item in report.items if item.cluster).most_common()
    ]
    style = (paths.resources() / "report" / "report.css").read_text("utf-8") + colour_rules(len(clusters))
    policy = _POLICY.format(style=_digest(style))
    title = escape(words["title"].format(folder=report.title))
    return "\n".join(
        (
            "<!DOCTYPE html>", f'<html lang="{escape(language)}">', "<head>", '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">', f"<title>{title}</title>", f"<style>{style}</style>",
            "</head>", "<body>", f"<h1>{title}</h1>", *_head(report, words), *_figures(report, clusters, words),
            f"<h2>{escape(words['documents'])}</h2>", *_list(report.items, words),
            f"<h2>{escape(words['texts'])}</h2>",
            *(_article(number, item, words) for number, item in enumerate(report.items, 1)), "</body>", "</html>", "",
        )
    )  # fmt: skip


def write_report(report: Report, out: Path, language: str = "en") -> None:
    """Write a report; the file appears whole or not at all.

    Raises:
        DataError: The file cannot be written.
    """
    content = html(report, language).encode("utf-8", "replace")
    write_whole(out, lambda partial: partial.write_bytes(content))


def _digest(text: str) -> str:
    """The hash by which the page's security policy knows its own style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _head(report: Report, words: dict[str, str]) -> Iterator[str]:
    share = f"{len(report.items) / max(1, report.total):.1%}"
    count = words["count"].format(count=f"{len(report.items):,}", total=f"{report.total:,}", share=share)
    if report.left_out:
        count += " " + words["left_out"].format(count=f"{report.left_out:,}")
    told = [
        (words["selection"], report.why), (words["query"], report.query), (words["number"], count),
        (words["model"], report.model), (words["made"], report.made),
    ]  # fmt: skip
    yield "<dl>"
    for name, value in told:
        if value:
            yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>"


def _figures(report: Report, clusters: Sequence[str], words: dict[str, str]) -> Iterator[str]:
    if report.picture is not None and len(report.picture.ids):
        yield f"<h2>{escape(words['map'])}</h2>"
        groups = {name: place for place, name in enumerate(clusters)}
        chosen = {item.id: groups.get(item.cluster, -1) for item in report.items}
        yield f"<figure>{drawing(report.picture, chosen, escape(words['map']))}"
        yield f"<figcaption>{escape(words['map_told'])}</figcaption></figure>"
    if clusters:
        counts = Counter(item.cluster for item in report.items)
        most = max(counts[name] for name in clusters)
        yield f"<h2>{escape(words['clusters'])}</h2><table>"
        for place, name in enumerate(clusters):
            dot = f'<svg class="bar" viewBox="0 0 120 8" role="presentation"><rect class="g{place % palette.DOZEN}" '
            dot += f'width="{120 * counts[name] / most:.1f}" height="8"/></svg>'
            yield f'<tr><td>{escape(name)}</td><td class="number">{counts[name]:,}</td><td>{dot}</td></tr>'
        if counts[""]:
            yield f'<tr><td class="faint">{escape(words["none"])}</td><td class="number">{counts[""]:,}</td><td></td>'
            yield "</tr>"
        yield "</table>"


def _list(items: Sequence[ReportItem], words: dict[str, str]) -> Iterator[str]:
    """A table of contents."""
    scored = any(item.score is not None for item in items)
    yield f'<table><tr><th class="number">#</th><th>{escape(words["title_of"])}</th><th>{escape(words["cluster"])}</th>'
    yield f'<th class="number">{escape(words["score"])}</th></tr>' if scored else "</tr>"
    for number, item in enumerate(items, 1):
        score = "" if item.score is None else f"{item.score:.2f}"
        yield (
            f'<tr><td class="number">{number}</td><td><a href="#d{number}">{escape(item.title or item.path)}</a></td>'
            f"<td>{escape(item.cluster)}</td>"
            + (f'<td class="number">{score}</td></tr>' if scored else "</tr>")
        )
    yield "</table>"


def _article(number: int, item: ReportItem, words: dict[str, str]) -> str:
    where = item.path + (f" · {item.part}" if item.part else "")
    facts = [fact for fact in (item.cluster, *(f"{name}: {value}" for name, value in item.facts)) if fact]
    score = ""
    if item.score is not None:
        share = min(1.0, max(0.0, item.score))
        score = (
            f'<p><svg class="bar" viewBox="0 0 120 8" role="presentation"><rect class="track" width="120" height="8"/>'
            f'<rect class="share" width="{120 * share:.1f}" height="8"/></svg> {item.score:.2f}</p>'
        )
    tags = "".join(f'<span class="tag">{escape(tag)}</span>' for tag in item.tags)
    return (
        f'<article id="d{number}"><h3>{number}. {escape(item.title or item.path)}</h3>'
        f'<p class="faint">{escape(where)}</p>'
        + (f'<p class="faint">{escape(" · ".join(facts))}</p>' if facts else "")
        + (f"<p>{tags}</p>" if tags else "") + score + _text(item, words) + "</article>"
    )  # fmt: skip


def _text(item: ReportItem, words: dict[str, str]) -> str:
    """A short text whole; of a long one its passage or its beginning, and the rest on demand."""
    text = item.text
    start, end = item.passage or (0, 0)
    if len(text) <= SHORT:
        return f'<div class="text">{_lit(text, start, end)}</div>'
    low = max(0, start - _AROUND) if end else 0
    high = min(len(text), end + _AROUND) if end else SHORT
    before, after = "… " if low else "", " …" if high < len(text) else ""
    part = f'<div class="text">{before}{_lit(text[low:high], start - low, end - low)}{after}</div>'
    told = words["cut"].format(count=f"{len(text) - LONG:,}")
    cut = "" if len(text) <= LONG else f'<p class="faint">{escape(told)}</p>'
    whole = f'<div class="text">{_lit(text[:LONG], start, end)}</div>{cut}'
    return f"{part}<details><summary>{escape(words['whole'])}</summary>{whole}</details>"


def _lit(text: str, start: int, end: int) -> str:
    if end <= max(0, start):
        return escape(text)
    return f"{escape(text[:start])}<mark>{escape(text[start:end])}</mark>{escape(text[end:])}"
