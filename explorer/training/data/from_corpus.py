"""Make training examples from the texts of a corpus alone, without labels."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from explorer.corpus.readers.tables.columns import plain_name
from explorer.corpus.readers.tables.data_table import MAX_BYTES, DataTable, read_head, read_raw_text, read_table
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.training.data.dataset import Dataset, Remark, make_set, text_key
from explorer.training.data.examples import KNOWN_NAMES

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from pathlib import Path


PER_DOCUMENT = 8  # pairs of neighbouring passages, so that a book does not drown the letters
SHORTEST = 40  # characters of a passage that says something
LONGEST_BODY = 1500  # characters of a body; the model reads no more of it
_FILE_NAME = re.compile(r"\S*[\w-]\.[A-Za-z]\w{1,4}")
_LETTERS = re.compile(r"[^\W\d_]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")  # scripts of which one word says much


def title_pairs(titles: Sequence[str], bodies: Sequence[str]) -> Dataset:
    """Pair each title with the text below it; for search, because titles are short like questions.

    Left out are titles that say nothing (file names, numbers, single short words) and those that several
    documents share, as another's body would then count as wrong. The title is cut off the body's beginning.

    Args:
        titles: A title for each document; "" where there is none.
        bodies: The text of each.

    Raises:
        DataError: No document has a usable title.
    """
    shared = Counter(map(text_key, titles))
    rows: list[tuple[str, str, int]] = []
    for document, (title, body) in enumerate(zip(titles, bodies, strict=True)):
        rest = _without_title(body, title)
        if shared[text_key(title)] == 1 and says_something(title) and len(rest) >= SHORTEST:
            rows.append((title.strip(), _shortened(rest), document))
    return _pairs(rows, len(titles), UserMessage("documents have no informative title with text below it"))


def neighbour_pairs(documents: Sequence[Sequence[str]], *, per_document: int = PER_DOCUMENT, seed: int = 0) -> Dataset:
    """Pair passages with the one that follows in their document; for similarity of topic.

    Args:
        documents: The passages of each document, in order.
        per_document: The most pairs sampled from one document.
        seed: Seed of the sample.

    Raises:
        DataError: No document has two passages of some length.
    """
    rng = np.random.default_rng(seed)
    # A line that occurs in many documents, such as a footer, belongs to none of them.
    spread = Counter(key for passages in documents for key in set(map(text_key, passages)))
    rows: list[tuple[str, str, int]] = []
    for document, passages in enumerate(documents):
        pairs = [
            (first, second, document)
            for first, second in pairwise(passages)
            if min(len(first), len(second)) >= SHORTEST and spread[text_key(first)] == spread[text_key(second)] == 1
        ]
        chosen = sorted(rng.permutation(len(pairs))[:per_document].tolist())
        rows += [pairs[index] for index in chosen]
    return _pairs(rows, len(documents), UserMessage("documents have no two neighbouring passages of some length"))


def dropout_pairs(texts: Iterable[str], *, most: int = 20_000, seed: int = 0) -> Dataset:
    """Pair each text with itself: dropout makes two different vectors of it, which training brings together.

    This is unsupervised SimCSE (https://arxiv.org/abs/2104.08821).

    Args:
        texts: The texts; duplicates are taken once.
        most: The most texts sampled.
        seed: Seed of the sample.

    Raises:
        DataError: Fewer than two different texts say something.
    """
    distinct = {text_key(text): text for text in texts if _LETTERS.search(text)}
    if len(distinct) < 2:
        raise DataError("Fewer than two different texts hold words, so there is nothing to tell apart. Add texts.")
    chosen = np.random.default_rng(seed).permutation(len(distinct))[:most]
    choices = list(distinct.values())
    column = tuple(choices[index] for index in sorted(chosen.tolist()))
    return make_set("pairs", (column, column))


def says_something(title: str) -> bool:
    """Return whether a title can represent its text: two words, or four letters of Korean, Chinese or Japanese."""
    title = title.strip()
    if not title or _FILE_NAME.fullmatch(title):
        return False
    words = [word for word in re.split(r"[\s_-]+", title) if _LETTERS.search(word)]
    return len(words) >= 2 or len(_WIDE.findall(title)) >= 4


def _without_title(body: str, title: str) -> str:
    body, title = body.strip(), title.strip()
    if title and body[: len(title)].casefold() == title.casefold():
        return body[len(title) :].lstrip(" \n\t.:-–—#=")
    return body


def _shortened(body: str) -> str:
    """Return the beginning of a body, cut between two words."""
    if len(body) <= LONGEST_BODY:
        return body
    start = body[:LONGEST_BODY]
    return start[: start.rfind(" ")] if " " in start[LONGEST_BODY // 2 :] else start


def _pairs(rows: Sequence[tuple[str, str, Hashable]], documents: int, lack: str) -> Dataset:
    """Group pairs by their document, with a remark on the documents that gave none."""
    if not rows:
        raise DataError(
            "All {documents} {lack}. Train on judgements or on a file instead.", documents=documents, lack=lack
        )
    first, second, sources = zip(*rows, strict=True)
    left = documents - len(set(sources))
    remark = Remark(
        "left out",
        left,
        UserMessage("{count} of {documents} {lack}; they are left out.", count=left, documents=documents, lack=lack),
    )
    return make_set("pairs", (first, second), together=sources, remarks=(remark,) if left else ())


ROLE = "text"  # under which a recipe names the column


def read_texts(path: Path, column: str = "", *, max_bytes: int = MAX_BYTES) -> tuple[str, ...]:
    """Return the texts of a file, empty ones left out.

    Args:
        path: A .txt file with one text per line, or a table as `read_table` reads it.
        column: The column of a table; the one with the longest texts if empty.
        max_bytes: Larger files are refused.

    Raises:
        DataError: The file cannot be read, there is no such column, or no text.
    """
    if path.suffix.lower() == ".txt" and not column:
        read_head(path, max_bytes)
        texts = tuple(line.strip() for line in read_raw_text(path).split("\n"))
    else:
        table = read_table(path, KNOWN_NAMES, [column] if column else [], max_bytes=max_bytes)
        index = _named(path, table, column) if column else _longest(table)
        texts = tuple((row.cells[index] or "") if index < len(row.cells) else "" for row in table.rows)
    texts = tuple(text for text in texts if text.strip())
    if not texts:
        raise DataError("{file} holds no text. Choose another file, or name the column of the texts.", file=path)
    return texts


def _named(path: Path, table: DataTable, column: str) -> int:
    names = [plain_name(name) for name in table.columns]
    if plain_name(column) not in names:
        raise DataError(
            "{file} has no column {column}. There are {table}.",
            file=path,
            column=column,
            table=", ".join(table.columns),
        )
    return names.index(plain_name(column))


def _longest(table: DataTable) -> int:
    sizes = [sum(map(len, table.sample(index))) for index in range(len(table.columns))]
    return sizes.index(max(sizes, default=0)) if sizes else 0
