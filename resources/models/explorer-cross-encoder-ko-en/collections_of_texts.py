"""The English data sets the cross-encoder learns to search in, each read in its own format."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Scored = tuple[str, str, float]


@dataclass(frozen=True)
class Collection:
    """Documents, queries, and which documents answer which query.

    Attributes:
        documents: The texts by id.
        titles: Title and body of those documents that have both, by id.
        queries: The texts by id, in the order of the file.
        relevant: For each query the ids of what answers it.
    """

    documents: dict[str, str]
    titles: dict[str, tuple[str, str]]
    queries: dict[str, str]
    relevant: dict[str, set[str]]


def wikiqa(data: Path, part: str = "train") -> list[Scored]:
    """Questions with sentences, 1 for those that answer."""
    folder = data / "wikiqa" / part
    columns = [(folder / name).read_text("utf-8").splitlines() for name in ("a.toks", "b.toks", "sim.txt")]
    return [(question, sentence, float(label)) for question, sentence, label in zip(*columns, strict=True)]


def trecqa(data: Path, part: str = "train") -> list[Scored]:
    """Questions with sentences, 1 for those that answer."""
    with (data / "trecqa_wang" / f"{part}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [(_joined(row["qtext"]), _joined(row["atext"]), float(row["label"])) for row in rows]


def cranfield(data: Path) -> Collection:
    """The abstracts; queries are known by their place, from 1. Their text repeats the title."""
    folder = data / "cranfield"
    documents, titles = {}, {}
    for number, body in _smart(folder / "cran.all.1400"):
        title, text = _field(body, "T"), _field(body, "W")
        if text:
            documents[number] = text
            titles[number] = (title, text.removeprefix(title).strip())
    queries = {str(place): _field(body, "W") for place, (_, body) in enumerate(_smart(folder / "cran.qry"), 1)}
    relevant: dict[str, set[str]] = {}
    for line in (folder / "cranqrel").read_text("ascii").splitlines():
        query, document, grade = line.split()[:3]
        if int(grade) > 0 and document in documents:
            relevant.setdefault(query, set()).add(document)
    return Collection(documents, _both(titles), queries, relevant)


def cacm(data: Path) -> Collection:
    """Titles with their abstracts, where there are any."""
    folder = data / "cacm"
    titles = {number: (_field(body, "T"), _field(body, "W")) for number, body in _smart(folder / "cacm.all")}
    documents = {number: " ".join(f"{title} {text}".split()) for number, (title, text) in titles.items()}
    queries = {number: _field(body, "W") for number, body in _smart(folder / "query.text")}
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.text").read_text("ascii").splitlines():
        query, document = line.split()[:2]
        relevant.setdefault(str(int(query)), set()).add(str(int(document)))
    return Collection(documents, _both(titles), {key: queries[key] for key in relevant}, relevant)


def vaswani(data: Path) -> Collection:
    """Short abstracts; two spaces part the title from the rest, and queries are in capitals."""
    folder = data / "vaswani_npl" / "trec"
    found = re.findall(
        r"<DOCNO>(\d+)</DOCNO>\s(.*?)\s*</DOC>", (folder / "doc-text.trec").read_text("ascii"), re.DOTALL
    )
    titles = {}
    for number, text in found:
        title, _, body = text.partition("  ")
        titles[number] = (_joined(title), _joined(body))
    documents = {number: _joined(text) for number, text in found}
    asked = re.findall(
        r"<num>(\d+)</num><title>(.*?)</title>", (folder / "query-text.trec").read_text("ascii"), re.DOTALL
    )
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels").read_text("ascii").splitlines():
        query, _, document, grade = line.split()
        if int(grade) > 0:
            relevant.setdefault(query, set()).add(document)
    return Collection(documents, _both(titles), {number: _joined(text).lower() for number, text in asked}, relevant)


def ag_news(data: Path) -> list[tuple[str, str]]:
    """Titles with what follows them."""
    with (data / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as file:
        return [(_joined(title), _joined(text.replace("\\", " "))) for _, title, text in csv.reader(file)]


def stackoverflow(data: Path) -> list[str]:
    """Titles of questions."""
    text = (data / "stackoverflow_short" / "title_StackOverflow.txt").read_text("utf-8")
    return [line.strip() for line in text.split("\n") if line.strip()]


def posts(data: Path) -> list[tuple[str, str]]:
    """Subjects of posts with what was written, without quotations."""
    found = []
    for file in sorted(path for path in (data / "mini_newsgroups").rglob("*") if path.is_file()):
        head, _, body = file.read_text("latin-1").partition("\n\n")
        subject = re.search(r"^Subject: (?:Re: )*(.+)$", head, re.MULTILINE)
        text = _joined(re.sub(r"^[>|:].*$|^.*writes:$", "", body, flags=re.MULTILINE))
        if subject and len(text) > 120:
            found.append((_joined(subject[1]), text[:600]))
    return found


def _smart(path: Path) -> Iterator[tuple[str, str]]:
    parts = re.split(r"^\.I (\d+)\s*$", path.read_text("latin-1"), flags=re.MULTILINE)
    return zip(parts[1::2], parts[2::2], strict=True)


def _field(body: str, name: str) -> str:
    found = re.search(rf"^\.{name}\s*$(.*?)(?=^\.[A-Z]\s*$|\Z)", body, re.MULTILINE | re.DOTALL)
    return _joined(found[1]) if found else ""


def _both(titles: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    return {number: (title, text) for number, (title, text) in titles.items() if title and text}


def _joined(text: str) -> str:
    return " ".join(text.split())
