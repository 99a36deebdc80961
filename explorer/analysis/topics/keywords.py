"""The key words of one document, and those that two documents share or do not."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.text.language import language
from explorer.analysis.text.phrases import BREAK, FoundPhrase, find_words, key, shown
from explorer.analysis.topics.topic_words import Term, TermCounts, choose, ranked, share_word
from explorer.analysis.vectors.exact import unit_vectors
from explorer.task import Task

Encode = Callable[[Sequence[str]], NDArray[np.floating]]
Span = tuple[int, int]
COUNT = 10
_CANDIDATES = 60  # words and phrases that are encoded
_RELEVANCE = 0.5  # as much as being unlike those chosen before
_FAINT = 0.3  # share of the best cosine below which a term is not about the document
_EARLY = 0.2  # what a term gains that stands at the very beginning, where people say what a text is about
_LONGEST = 3  # words of a phrase


@dataclass(frozen=True)
class Keyword:
    """A word or phrase that tells what a document is about.

    Attributes:
        text: As the document writes it most often.
        score: Its cosine with the document, or its weight where no encoder was used.
        spans: Where it occurs in the document.
    """

    text: str
    score: float
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class SharedKeyword:
    """A word or phrase of two documents, its weight, and where it stands in each."""

    text: str
    score: float
    first: tuple[Span, ...]
    second: tuple[Span, ...]


@dataclass(frozen=True)
class Contrast:
    """The key words that two documents share, and those that only one of them has, best first."""

    shared: tuple[SharedKeyword, ...]
    first: tuple[Keyword, ...]
    second: tuple[Keyword, ...]


def keywords(
    text: str,
    encode: Encode | None = None,
    vector: NDArray[np.floating] | None = None,
    *,
    corpus: TermCounts | None = None,
    reads: Callable[[str], bool] | None = None,
    count: int = COUNT,
    task: Task | None = None,
) -> list[Keyword]:
    """Return the words and phrases nearest to a document in meaning, no two saying the same; best first.

    Args:
        text: The document.
        encode: Texts to vectors of any length, (N, n). Without it the words that are frequent here and rare
            elsewhere are taken.
        vector: The document's vector, (n,); by default that of its text.
        corpus: The terms of all documents, to know what is rare.
        reads: Whether the encoder reads a language, by its code; by default any. Texts in others are treated as if
            there were no encoder, words in others are left out.
        count: How many at most.
        task: Where to ask whether to go on.
    """
    task = task or Task()
    uses = _uses(text)
    terms = _weigh_terms(uses, corpus)
    task.check()
    if encode is not None and (reads is None or reads(language(text))):
        readable = [term for term in terms if reads is None or reads(language(term.form))]
        candidates = ranked(readable)[:_CANDIDATES]
        selected = _nearest(candidates, encode, text if vector is None else vector, count)
    else:
        selected = choose(terms, count)
    task.check()
    return [Keyword(term.form, term.weight, tuple(uses[term.parts].spans)) for term in selected]


def contrast(first: str, second: str, *, corpus: TermCounts | None = None, count: int = COUNT) -> Contrast:
    """Return the key words that two documents share, and those that only one of them has.

    A word is its own only if no form of it is in the other. Weights are by frequency in the document and, with a
    corpus, rarity in it.
    """
    uses = _uses(first), _uses(second)
    terms = [{term.parts: term for term in _weigh_terms(document_uses, corpus)} for document_uses in uses]
    both = [
        term._replace(weight=math.sqrt(term.weight * terms[1][parts].weight))
        for parts, term in terms[0].items()
        if parts in terms[1]
    ]
    return Contrast(
        tuple(
            SharedKeyword(term.form, term.weight, *(tuple(document_uses[term.parts].spans) for document_uses in uses))
            for term in choose(both, count)
        ),
        tuple(_own(uses[0], terms[0], terms[1], count)),
        tuple(_own(uses[1], terms[1], terms[0], count)),
    )


class _Uses:
    """The uses of one word or phrase in a document."""

    def __init__(self) -> None:
        self.forms: Counter[str] = Counter()
        self.spans: list[Span] = []

    @property
    def form(self) -> str:
        return min(self.forms, key=lambda form: (-self.forms[form], sum(map(str.isupper, form)), form))


def _uses(text: str) -> Mapping[tuple[str, ...], _Uses]:
    """Return the words and phrases of a text by the keys of their words."""
    uses: defaultdict[tuple[str, ...], _Uses] = defaultdict(_Uses)
    run: list[tuple[FoundPhrase, str]] = []
    for word in find_words(text):
        if word.form == BREAK:
            run = []
            continue
        run = [*run[1 - _LONGEST :], (word, key(word.form))]
        for length in range(1, len(run) + 1):
            words, keys = zip(*run[-length:], strict=True)
            if length > 1 and keys[0] == keys[-1]:
                continue
            term_uses = uses[tuple(keys)]
            term_uses.forms[shown([part.form for part in words])] += 1
            term_uses.spans.append((words[0].start, words[-1].end))
    return dict(uses)


def _weigh_terms(uses: Mapping[tuple[str, ...], _Uses], corpus: TermCounts | None) -> list[Term]:
    """Return the terms of a document with their weight: damped frequency times the rarity of their words on average."""
    length = 1 + max((use.spans[-1][1] for use in uses.values()), default=0)
    rarity = {parts[0]: _rarity(parts[0], corpus) for parts in uses if len(parts) == 1}
    terms = []
    for parts, use in uses.items():
        often = len(use.spans)
        early = 1 + _EARLY * (1 - use.spans[0][0] / length)
        rare = sum(rarity[part] for part in parts) / len(parts)
        terms.append(Term(use.form, parts, 2 * often / (often + 1) * rare * early, often))
    return terms


def _rarity(word: str, corpus: TermCounts | None) -> float:
    """Return the logarithm of how rare a word is; what only one document has is as often a slip as a rare word."""
    if corpus is None or not len(corpus):
        return 1.0
    index = corpus.places.get((word,))
    return math.log1p(len(corpus) / max(2, 0 if index is None else int(corpus.texts_with[index])))


def _nearest(
    candidates: Sequence[Term], encode: Encode, document: str | NDArray[np.floating], count: int
) -> list[Term]:
    """Maximal marginal relevance: each time the term that is near the document and far from those chosen before."""
    if not candidates:
        return []
    texts = [term.form for term in candidates]
    encoded = np.asarray(encode([*texts, document] if isinstance(document, str) else texts), dtype=np.float32)
    query_vector = encoded[-1] if isinstance(document, str) else np.asarray(document, dtype=np.float32)
    unit, _ = unit_vectors(np.concatenate([encoded[: len(texts)], query_vector[None]]))
    vectors, relevance = unit[:-1], unit[:-1] @ unit[-1]  # (C, n), (C,)
    similarity = vectors @ vectors.T
    selected: list[int] = []
    closest = np.zeros(len(texts), dtype=np.float32)  # to any that was chosen
    left = set(range(len(texts)))
    while left and len(selected) < count:
        value = _RELEVANCE * relevance - (1 - _RELEVANCE) * closest
        best = min(left, key=lambda index: (-round(float(value[index]), 6), texts[index]))
        selected.append(best)
        closest = np.maximum(closest, similarity[best])
        left = {index for index in left if not share_word(candidates[index], candidates[best])}
    chosen_terms = [candidates[index]._replace(weight=float(relevance[index])) for index in selected]
    return [term for term in ranked(chosen_terms) if term.weight >= _FAINT * relevance.max()]


def _own(
    uses: Mapping[tuple[str, ...], _Uses],
    terms: Mapping[tuple[str, ...], Term],
    other: Mapping[tuple[str, ...], Term],
    count: int,
) -> Iterable[Keyword]:
    foreign = {part for parts in other for part in parts}
    own = [term for parts, term in terms.items() if foreign.isdisjoint(parts)]
    for term in choose(own, count):
        yield Keyword(term.form, term.weight, tuple(uses[term.parts].spans))
