"""The data sets the cross-encoder is made of, each read in its own format."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Scored = tuple[str, str, float]
CRANFIELD_TRAIN = 72  # queries learned from; 73 to 112 choose, and the second half, 113 to 225, measures
VASWANI_TRAIN = 73  # of 93
CACM_TRAIN = 50  # numbers up to here, of 64


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

    def only(self, queries: list[str]) -> Collection:
        """The same documents with some of the queries."""
        kept = {key: self.queries[key] for key in queries}
        return Collection(self.documents, self.titles, kept, {key: self.relevant[key] for key in kept})


def stsb(data: Path, part: str) -> list[Scored]:
    """Pairs with scores brought to 0..1; `part` is train, dev or test."""
    with (data / "stsb_en" / f"stsb-en-{part}.csv").open(encoding="utf-8", newline="") as file:
        return [(first, second, float(score) / 5) for first, second, score in csv.reader(file)]


def sick(data: Path) -> list[Scored]:
    """Pairs with their relatedness brought to 0..1."""
    with (data / "sick" / "SICK_train.txt").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["sentence_A"], row["sentence_B"], (float(row["relatedness_score"]) - 1) / 4) for row in rows]


def msrp(data: Path) -> list[Scored]:
    """Pairs with 1 for a paraphrase and 0 for none."""
    lines = (data / "msrp" / "msr-para-train.tsv").read_text("utf-8-sig").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [(row[3], row[4], float(row[0])) for row in rows if len(row) == 5]


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
