"""Retrieval sets as folders of files, searched by the program itself."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

from explorer.training.data.beir import Retrieval, read_retrieval
from explorer.training.measure.metrics import ndcg


def read_cranfield(folder: Path) -> Retrieval:
    """The SMART files; judgements name queries by their place, and -1 stands for not relevant."""
    corpus = {number: _field(body, "W") for number, body in _entries(folder / "cran.all.1400") if _field(body, "W")}
    queries = {str(place): _field(body, "W") for place, (_, body) in enumerate(_entries(folder / "cran.qry"), 1)}
    relevant: dict[str, dict[str, int]] = {}
    for line in (folder / "cranqrel").read_text("ascii").splitlines():
        query, document, grade = line.split()[:3]
        if document in corpus:
            relevant.setdefault(query, {})[document] = int(int(grade) > 0)
    return Retrieval(corpus, queries, relevant)


def read_cacm(folder: Path) -> Retrieval:
    """Titles with abstracts, where there are some; the 52 queries that are judged."""
    entries = {
        number: f"{_field(body, 'T')} {_field(body, 'W')}".strip() for number, body in _entries(folder / "cacm.all")
    }
    queries = {number: _field(body, "W") for number, body in _entries(folder / "query.text")}
    relevant: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.text").read_text("ascii").splitlines():
        query, document = line.split()[:2]
        relevant.setdefault(str(int(query)), {})[str(int(document))] = 1
    return Retrieval(entries, queries, relevant)


def read_vaswani(folder: Path) -> Retrieval:
    """Short abstracts on physics, in TREC's layout."""
    texts = (folder / "trec" / "doc-text.trec").read_text("ascii")
    corpus = {
        number: " ".join(body.split())
        for number, body in re.findall(r"<DOCNO>(\d+)</DOCNO>(.*?)</DOC>", texts, re.DOTALL)
    }
    asked = (folder / "trec" / "query-text.trec").read_text("ascii")
    queries = {
        number: " ".join(body.lower().split())
        for number, body in re.findall(r"<num>(\d+)</num><title>(.*?)</title>", asked, re.DOTALL)
    }
    relevant: dict[str, dict[str, int]] = {}
    for line in (folder / "trec" / "qrels").read_text("ascii").splitlines():
        query, _, document, grade = line.split()
        relevant.setdefault(query, {})[document] = int(grade)
    return Retrieval(corpus, queries, relevant)


def read_bills(folder: Path, most: int = 400) -> Retrieval:
    """Korean bills of PyPI's korean-assembly-bills (CC BY 4.0): the sentence that says a bill's aim, to find the rest.

    Those that the default model did not learn from, by a digest of their numbers; at most three bills of a law.
    """
    import pyarrow.parquet as parquet

    reasons = parquet.read_table(folder / "bill_texts.parquet", columns=["BILL_ID", "propose_reason"]).to_pydict()
    text_of = dict(zip(reasons["BILL_ID"], reasons["propose_reason"], strict=True))
    named = parquet.read_table(folder / "bills.parquet", columns=["BILL_ID", "BILL_NAME"]).to_pydict()
    corpus: dict[str, str] = {}
    queries: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for number, name in sorted(zip(named["BILL_ID"], named["BILL_NAME"], strict=True)):
        drawn = int(hashlib.sha256(number.encode()).hexdigest()[:8], 16) % 20 == 0
        sentences = re.split(r"(?<=[함음임됨다])\.\s+", " ".join((text_of.get(number) or "").split()))
        aim = next((one for one in sentences if one.startswith("이에 ")), "")
        rest = " ".join(one for one in sentences if one != aim)
        if drawn and aim and len(rest) >= 80 and taken[name] < 3 and len(corpus) < most:
            taken[name] += 1
            corpus[number], queries[number] = rest, re.sub(r"\(안.*?\)", "", aim).removeprefix("이에 ")[:70]
    return Retrieval(corpus, queries, {number: {number: 1} for number in corpus})


def read_msmarco(folder: Path) -> Retrieval:
    """A folder in the BEIR layout, its grades as gains 2^grade - 1."""
    data = read_retrieval(folder)
    gains = {
        query: {document: 2**grade - 1 for document, grade in grades.items()} for query, grades in data.relevant.items()
    }
    return Retrieval(data.corpus, data.queries, gains)


def part_of(data: Retrieval, *, queries: int, others: int) -> Retrieval:
    """The first queries, the documents that are judged for them, and the first of the rest."""
    kept = dict(list(data.queries.items())[:queries])
    relevant = {key: grades for key, grades in data.relevant.items() if key in kept}
    judged = {document for grades in relevant.values() for document in grades}
    more = [document for document in data.corpus if document not in judged][:others]
    corpus = {document: text for document, text in data.corpus.items() if document in judged or document in more}
    return Retrieval(corpus, kept, relevant)


def write_files(data: Retrieval, folder: Path) -> Path:
    """A text file a document, named by its id."""
    folder.mkdir()
    for number, text in data.corpus.items():
        (folder / f"{number}.txt").write_text(text, "utf-8")
    return folder


def scores(finder: Any, data: Retrieval, mode: str) -> list[float]:
    """nDCG@10 of each query that has a relevant document; signs of the query grammar are taken out."""
    asked = {key: text for key, text in data.queries.items() if any(data.relevant.get(key, {}).values())}
    return [
        ndcg(
            [hit.path.removesuffix(".txt") for hit in finder.search(plain(text), mode=mode, k=10).hits],
            data.relevant[key],
        )
        for key, text in asked.items()
    ]


def plain(query: str) -> str:
    """The words of a query alone."""
    return re.sub(r"[\"“”+:\-()]", " ", query)


def _entries(path: Path) -> list[tuple[str, str]]:
    parts = re.split(r"^\.I (\d+)\s*$", path.read_text("ascii"), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def _field(body: str, name: str) -> str:
    found = re.search(rf"^\.{name}\s*$(.*?)(?=^\.[A-Z]\s*$|\Z)", body, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else ""
