"""What the teaching reads: Korean with the teacher's vectors of the originals, English to be kept, and pairs."""

from __future__ import annotations

import csv
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import bills
import sources
from teach import Materials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bills import Bill

    from explorer.models.bi_encoder import BiEncoder

_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[임음함다])\.\s*")
_QUERY, _PASSAGE, _LEAST = 160, 260, 60  # letters


def gather(data: Path, learned: Sequence[Bill], parallel: Sequence[tuple[str, str]], teacher: BiEncoder) -> Materials:
    """Gather all materials; the teacher encodes each English text once."""
    chosen = random.Random(0)  # noqa: S311 - the same each time
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    titles = sorted({*english.first, *english.second})
    others = _english(data, chosen)
    texts = sorted({*titles, *others, *(original for _, original in parallel)})
    row = {text: place for place, text in enumerate(texts)}
    asked = sources.questions(data, "train")
    return Materials(
        scored=[
            (first, second, row[one], row[other], score)
            for first, second, one, other, score in zip(
                korean.first, korean.second, english.first, english.second, korean.scores, strict=True
            )
        ],
        originals=[
            (one, other, row[one], row[other], score)
            for one, other, score in zip(english.first, english.second, korean.scores, strict=True)
        ],
        parallel=[(text, row[original]) for text, original in parallel],
        english=[(text, row[text]) for text in [*others, *titles]],
        targets=teacher.encode(texts).whole(),
        questions=list(zip(asked.first, asked.second, asked.scores, strict=True)),
        findable=[pair for bill in learned for pair in _findable(bill, chosen)],
    )


def for_the_centre(data: Path) -> list[str]:
    """English texts of all kinds, whose mean vector is the centre that is taken away."""
    chosen = random.Random(1)  # noqa: S311 - the same each time
    english = sources.english_similarity(data, "train")
    kinds = sorted({*english.first, *english.second}), sources.english_texts(data), _news(data), _posts(data)
    return [text for kind in kinds for text in chosen.sample(kind, 700)]


def _english(data: Path, chosen: random.Random) -> list[str]:
    """English of other kinds than STSb's: news, posts, questions and answers, captions, paraphrases."""
    sick = {text for row in _rows(data / "sick" / "SICK_train.txt", "\t") for text in row[1:3]}
    paraphrases = {text for row in _rows(data / "msrp" / "msr-para-train.tsv", "\t") for text in row[-2:]}
    with (data / "trecqa_wang" / "train.csv").open(encoding="utf-8", newline="") as file:
        answers = {text for row in csv.reader(file) for text in row if len(text) > 15}
    kinds = ((_news(data), 7000), (_posts(data), 4000), (sick, 2500), (paraphrases, 3500), (answers, 4700))
    some = [text for kind, count in kinds for text in chosen.sample(sorted(set(kind)), min(count, len(set(kind))))]
    return sorted({*some, *sources.english_texts(data)})


def _news(data: Path) -> list[str]:
    with (data / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) > 2]
    return [text for row in rows for text in (row[1], f"{row[1]}. {row[2]}")]


def _posts(data: Path) -> list[str]:
    found = []
    for file in sorted(path for path in (data / "mini_newsgroups").rglob("*") if path.is_file()):
        body = _SPACE.sub(" ", file.read_text("latin-1").partition("\n\n")[2])
        parts = (body[start : start + 420] for start in range(0, min(len(body), 1500), 500))
        found += [part for part in parts if len(part) > 80]
    return found


def _rows(file: Path, delimiter: str) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE))


def _findable(bill: Bill, chosen: random.Random) -> list[tuple[str, str]]:
    """Something to ask for a bill by, and a part of it: its aim, its title, or one of its sentences."""
    body, kind = _SPACE.sub(" ", bill.reason), chosen.random()
    if kind < 0.35 and bill.aim:
        rest = body.replace(_SPACE.sub(" ", bill.aim), " ")
        return [(bill.aim[:_QUERY], rest[:_PASSAGE])] if len(rest) > _LEAST else []
    if kind < 0.7:
        return [(bill.title, body[:_PASSAGE])]
    sentences = [each for each in _SENTENCE.split(body) if 15 < len(each) < _QUERY]
    if len(sentences) < 3:
        return []
    query = chosen.choice(sentences)
    rest = body.replace(query, " ")
    start = chosen.randrange(max(1, len(rest) - _PASSAGE))
    return [(query, rest[start : start + _PASSAGE])]


def learned(archive: Path) -> list[Bill]:
    """Return the bills that are learned from."""
    return [bill for bill in bills.read(archive) if not bill.held_out]
