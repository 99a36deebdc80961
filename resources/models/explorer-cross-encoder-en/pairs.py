"""Pairs to learn from: what people said of them, mixed with what the bi-encoders think.

Two scales share one score in 0..1. Of similarity, people's scores or a teacher's. Of relevance, half people's label
and half the cosine: what answers stays above what does not, and among its like the bi-encoder's order is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from sources import Collection, Scored

from explorer.models.bi_encoder import BiEncoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

Item = TypeVar("Item")
PARAPHRASE, NO_PARAPHRASE = 0.85, 0.6  # even the pairs of MSRP that are no paraphrases are much alike
_K1, _B = 1.2, 0.75  # the usual constants of BM25


@dataclass(frozen=True)
class Teacher:
    """A bi-encoder that remembers the vectors it gave."""

    encoder: BiEncoder
    known: dict[str, NDArray[np.float32]]

    def vectors(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """Unit vectors of texts, (N, n)."""
        wanted = list(texts)
        fresh = [text for text in dict.fromkeys(wanted) if text not in self.known]
        self.known.update(zip(fresh, self.encoder.encode(fresh).whole(), strict=True))
        return np.stack([self.known[text] for text in wanted])

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """How near the texts of each pair are, (N,), within 0..1."""
        first, second = (self.vectors(pair[side] for pair in pairs) for side in (0, 1))
        near: NDArray[np.float64] = np.clip((first * second).sum(axis=1, dtype=np.float64), 0, 1)
        return near


def relevance(teacher: Teacher, labelled: Sequence[Scored]) -> list[Scored]:
    """Labelled pairs with half the label and half the cosine."""
    near = teacher.cosines([(first, second) for first, second, _ in labelled])
    return [
        (first, second, 0.5 * label + 0.5 * float(cosine))
        for (first, second, label), cosine in zip(labelled, near, strict=True)
    ]


def neighbouring(
    teacher: Teacher, texts: Sequence[str], count: int, chance: np.random.Generator
) -> list[tuple[str, str]]:
    """Pairs of texts by chance, of which a third are very near, a third near, and a third anything."""
    distinct = sorted(set(texts))
    vectors = teacher.vectors(distinct)
    pairs = []
    for place in chance.choice(len(distinct), count, replace=count > len(distinct)):
        order = np.argsort(-(vectors @ vectors[place]))[1:]  # the first is the text itself
        limits = ((0, 3), (3, 60), (60, len(order)))[int(chance.integers(3))]
        pairs.append((distinct[place], distinct[order[int(chance.integers(*limits))]]))
    return pairs


def titled(titles: Sequence[tuple[str, str]], count: int, chance: np.random.Generator) -> list[Scored]:
    """Titles with their own text, 1, and with the text of another that shares their words, 0."""
    picked = [titles[place] for place in chance.choice(len(titles), count, replace=False)]
    bodies = [body for _, body in picked]
    near = best_by_words([title for title, _ in picked], bodies, 6)
    pairs: list[Scored] = []
    for place, (title, body) in enumerate(picked):
        others = [other for other in near[place] if other != place and bodies[other] != body]
        pairs.append((title, body, 1.0))
        pairs.append((title, bodies[others[int(chance.integers(len(others)))]], 0.0))
    return pairs


def judged(collection: Collection, positives: int, negatives: int, chance: np.random.Generator) -> list[Scored]:
    """Queries with documents that answer them, 1, and with some that only share their words, 0."""
    names, texts = list(collection.documents), list(collection.documents.values())
    near = best_by_words(list(collection.queries.values()), texts, 60)
    pairs: list[Scored] = []
    for (key, query), found in zip(collection.queries.items(), near, strict=True):
        right = sorted(collection.relevant[key] & collection.documents.keys())
        wrong = [names[place] for place in found if names[place] not in collection.relevant[key]]
        # The nearest first: half of the negatives from the top, half from farther down.
        chosen = [*wrong[: negatives // 2], *_some(wrong[negatives // 2 :], negatives - negatives // 2, chance)]
        pairs += [(query, collection.documents[name], 1.0) for name in _some(right, positives, chance)]
        pairs += [(query, collection.documents[name], 0.0) for name in chosen]
    return pairs


def answers(labelled: Sequence[Scored], negatives: int, foreign: int, chance: np.random.Generator) -> list[Scored]:
    """Of each question: its answers, some sentences that do not answer, and some of other questions."""
    of: dict[str, list[Scored]] = {}
    for row in labelled:
        of.setdefault(row[0], []).append(row)
    sentences = sorted({sentence for _, sentence, _ in labelled})
    near = best_by_words(list(of), sentences, 30)
    pairs: list[Scored] = []
    for (question, rows), found in zip(of.items(), near, strict=True):
        own = {sentence for _, sentence, _ in rows}
        others = [(question, sentences[place], 0.0) for place in found if sentences[place] not in own]
        pairs += [row for row in rows if row[2] == 1][:4]
        pairs += _some([row for row in rows if row[2] == 0], negatives, chance)
        pairs += _some(others, foreign, chance)
    return pairs


def best_by_words(queries: Sequence[str], texts: Sequence[str], depth: int) -> list[list[int]]:
    """For each query the places of the texts that are best by BM25, best first."""
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(stop_words="english")
    counts = counter.fit_transform(texts).tocsc().astype(np.float64)  # (N, words)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    rare = np.log1p((len(texts) - np.diff(counts.indptr) + 0.5) / (np.diff(counts.indptr) + 0.5))
    counts = counts.tocoo()
    bound = _K1 * (1 - _B + _B * lengths[counts.row] / lengths.mean())
    counts.data = rare[counts.col] * counts.data * (_K1 + 1) / (counts.data + bound)
    scores = (counter.transform(queries) > 0).astype(np.float64) @ counts.T.tocsr()  # (Q, N)
    return [np.argsort(-row.toarray().ravel(), kind="stable")[:depth].tolist() for row in scores]


def _some(items: Sequence[Item], count: int, chance: np.random.Generator) -> list[Item]:
    if len(items) <= count:
        return list(items)
    return [items[place] for place in sorted(chance.choice(len(items), count, replace=False).tolist())]
