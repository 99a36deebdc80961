"""The texts that the bilingual encoder is made of, read from the data folder."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Scored:
    """Pairs of texts with a score in 0..1."""

    first: list[str]
    second: list[str]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.scores)

    def pick(self, rows: list[int]) -> Scored:
        """Some of the pairs."""
        return Scored(*([column[row] for row in rows] for column in (self.first, self.second, self.scores)))  # type: ignore[arg-type]


def korean_similarity(data: Path, part: str) -> Scored:
    """KorSTS, part "train" or "dev"; row i of "train" is the translation of row i of STSb."""
    rows = _tabbed(data / "korsts" / f"sts-{part}.tsv")
    return _scored((row[5], row[6], float(row[4]) / 5) for row in rows)


def english_similarity(data: Path, part: str) -> Scored:
    """STSb, part "train", "dev" or "test"."""
    with (data / "stsb_en" / f"stsb-en-{part}.csv").open(encoding="utf-8", newline="") as file:
        return _scored((first, second, float(score) / 5) for first, second, score in csv.reader(file))


def questions(data: Path, part: str) -> Scored:
    """Pairs of Korean questions, "train" or "validation": 1 where they mean the same (the file says 0)."""
    rows = _tabbed(data / "ko_question_pair" / f"{part}.txt")
    return _scored((first, second, 1.0 - float(label)) for first, second, label in rows)


def inference(data: Path) -> list[tuple[str, str, str]]:
    """Korean premise, hypothesis, and entailment, neutral or contradiction."""
    return [(premise, told, label) for premise, told, label in _tabbed(data / "kornli_xnli" / "xnli.dev.ko.tsv")]


def korean_texts(data: Path) -> list[str]:
    """All Korean texts but those that measure the result."""
    measured = {
        text
        for pairs in (questions(data, "validation"), korean_similarity(data, "dev"))
        for column in (pairs.first, pairs.second)
        for text in column
    }
    texts = [
        text
        for pairs in (korean_similarity(data, "train"), questions(data, "train"))
        for column in (pairs.first, pairs.second)
        for text in column
    ]
    texts += [text for premise, told, _ in inference(data) for text in (premise, told)]
    texts += [text for row in _tabbed(data / "pawsx_ko" / "dev_2k.tsv") for text in row[1:3]]
    with (data / "ko_chatbot" / "ChatbotData.csv").open(encoding="utf-8", newline="") as file:
        texts += [text for row in csv.reader(file) for text in row[:2]]
    return sorted(set(texts) - measured)


def english_texts(data: Path) -> list[str]:
    """English texts of another kind than STSb's, on which the student is held to its teacher: titles of questions."""
    titles = (data / "stackoverflow_short" / "title_StackOverflow.txt").read_text(encoding="utf-8").splitlines()
    return sorted({title.strip() for title in titles[::5] if title.strip()})


def _scored(rows: Iterator[tuple[str, str, float]]) -> Scored:
    first, second, scores = zip(*rows, strict=True)
    return Scored(list(first), list(second), list(scores))


def _tabbed(file: Path) -> list[list[str]]:
    """The rows of a file of columns with tabs between and no quoting, without its head."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
