"""Corpus, queries and judgements out of a folder in the BEIR layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.corpus.readers.tables.columns import as_number
from explorer.corpus.readers.tables.data_table import RowProblem, json_cell, read_raw_text
from explorer.corpus.readers.tables.records import NOT_AN_OBJECT, json_lines
from explorer.errors import DataError
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Retrieval:
    """Queries, the documents to find among, and people's judgements.

    Attributes:
        corpus: Text of each document, its title in front, by the document's id.
        queries: Text of each query, by its id.
        relevant: Grade of each judged document, by the query's and the document's id; 0 is not relevant.
        problems: Rows that could not be used.
    """

    corpus: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]
    problems: tuple[RowProblem, ...] = ()

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.queries)


def read_retrieval(folder: Path) -> Retrieval:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/*.tsv`, the latter with or without a header.

    Raises:
        DataError: A file is missing, is no UTF-8 text, or has no usable row.
    """
    for name in ("corpus.jsonl", "queries.jsonl"):
        if not (folder / name).is_file():
            raise DataError(
                "{folder} has no {name}: a folder of corpus.jsonl, queries.jsonl and qrels/test.tsv was "
                "expected. Choose such a folder, or a file of pairs.",
                folder=folder,
                name=name,
            )
    problems: list[RowProblem] = []
    corpus = _read_texts(folder / "corpus.jsonl", problems)
    queries = _read_texts(folder / "queries.jsonl", problems)
    relevant = _read_judgements(_judgement_file(folder), corpus, queries, problems)
    return Retrieval(corpus, queries, relevant, tuple(problems))


def _read_texts(path: Path, problems: list[RowProblem]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for line, value in json_lines(read_raw_text(path).split("\n")):
        if isinstance(value, dict):
            reason = _add_text(value, texts)
        else:
            reason = value if isinstance(value, UserMessage) else NOT_AN_OBJECT
        if reason:
            problems.append(RowProblem(line, UserMessage("{file}: {reason}", file=path.name, reason=reason)))
    if not texts:
        raise DataError(
            "{file} has no usable row: one JSON object per line with _id and text was expected. Fix the file.",
            file=path,
        )
    return texts


def _add_text(item: dict[str, object], texts: dict[str, str]) -> str:
    """Add an object's text under its id; returns what is wrong with it, or nothing."""
    key = json_cell(item.get("_id", item.get("id")))
    title, text = json_cell(item.get("title")) or "", json_cell(item.get("text"))
    if not key or text is None:
        return UserMessage("has no _id or no text")
    if key in texts:
        return UserMessage("repeats the id {id}", id=key)
    whole = f"{title} {text}".strip()
    if not whole:
        return UserMessage("has an empty text")
    texts[key] = whole
    return ""


def _judgement_file(folder: Path) -> Path:
    files = sorted((folder / "qrels").glob("*.tsv"))
    test = folder / "qrels" / "test.tsv"
    if test in files:
        return test
    if len(files) == 1:
        return files[0]
    names = ", ".join(file.name for file in files) or "none"
    raise DataError(
        "{folder} must hold test.tsv or one single .tsv file of judgements; found: {present}. "
        "Name the one to use test.tsv.",
        folder=folder / "qrels",
        present=names,
    )


def _read_judgements(
    path: Path, corpus: dict[str, str], queries: dict[str, str], problems: list[RowProblem]
) -> dict[str, dict[str, int]]:
    relevant: dict[str, dict[str, int]] = {}
    for line, source in enumerate(read_raw_text(path).split("\n"), start=1):
        cells = [cell.strip() for cell in (source.split("\t") if "\t" in source else source.split())]
        if not any(cells) or (line == 1 and as_number(cells[-1]) is None):
            continue  # blank, or the header
        reason = _judgement_problem(cells, corpus, queries)
        if reason:
            problems.append(RowProblem(line, UserMessage("{file}: {reason}", file=f"qrels/{path.name}", reason=reason)))
            continue
        relevant.setdefault(cells[0], {})[cells[-2]] = int(as_number(cells[-1]) or 0)
    if not relevant:
        raise DataError(
            "{file} has no usable row: query id, document id and grade between tabs were expected, "
            "with ids from queries.jsonl and corpus.jsonl. Fix the file.",
            file=path,
        )
    return relevant


def _judgement_problem(cells: list[str], corpus: dict[str, str], queries: dict[str, str]) -> str:
    """Return what is wrong with a judgement, or nothing; TREC's four columns are as good as BEIR's three."""
    if len(cells) not in (3, 4):
        return UserMessage("has {count} columns, not {expected}", count=len(cells), expected=3)
    grade = as_number(cells[-1])
    if grade is None or grade != int(grade):
        return UserMessage("has a grade that is not a whole number")
    if cells[0] not in queries:
        return UserMessage("judges for the query {id}, which queries.jsonl does not have", id=cells[0])
    if cells[-2] not in corpus:
        return UserMessage("judges the document {id}, which corpus.jsonl does not have", id=cells[-2])
    return ""
