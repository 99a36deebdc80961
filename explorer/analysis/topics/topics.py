"""Name clusters by their topic words, found by class-based TF-IDF.

c-TF-IDF: Grootendorst (2022), BERTopic, https://arxiv.org/abs/2203.05794.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.topics.term_counts import Term, TermCounts, alike, choose, ranked
from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

WORDS = 10  # of a topic
NAME_WORDS = 3
LONGEST_NAME = 36  # characters: what a narrow column and a label on the map have room for
BETWEEN = " · "
NAMELESS = "no words"  # the name of a cluster whose texts have no word that says anything
_CANDIDATES = 40  # best terms of a cluster that are looked at
_EVEN = 0.2  # keeps a term that is as common elsewhere above 0, which is all there is if there is one cluster
_SHARED = 0.1  # of the texts of a cluster that must have a phrase, for it to stand in the name for one of its words
_FEWEST = 3.0  # texts that must have it in a small cluster
_PRIOR = 2.0  # texts without the term that are added to each cluster, so that a small one is not named by chance


@dataclass(frozen=True)
class TopicWord:
    """A word or phrase of a topic and its weight, above 0."""

    text: str
    weight: float


@dataclass(frozen=True)
class Topic:
    """What a cluster is about.

    Attributes:
        label: The cluster.
        words: Its words and phrases, best first, no two saying the same; may be empty.
        name: The first three, the words as the phrases that many texts have them in, such as "space station · orbit";
            no other cluster's.
    """

    label: int
    words: tuple[TopicWord, ...]
    name: str


def topics(
    counts: TermCounts, labels: Sequence[int] | NDArray[np.integer], *, words: int = WORDS, task: Task | None = None
) -> list[Topic]:
    """Name clusters by class-based TF-IDF.

    The weight of a term is the share of the cluster's texts that have it, times the logarithm of how much greater
    that is than its share in all clusters on average. Shares of texts rather than counts of words: one long text
    must not name a cluster.

    Args:
        counts: The terms of the texts.
        labels: The cluster of each text, (N,); those below 0 belong to none.
        words: How many words and phrases to give for each.
        task: Progress and cancellation.

    Returns:
        A topic for each label that occurs, by label.
    """
    task = task or Task()
    own = np.asarray(labels, dtype=np.int64)
    distinct, index = np.unique(own[own >= 0], return_inverse=True)
    if not len(distinct):
        return []
    sizes = np.bincount(index)
    with_term = _texts_with_terms(counts, np.flatnonzero(own >= 0), index, len(distinct))
    weights = _weights(with_term, sizes)
    selected, named = [], []
    for cluster in range(len(distinct)):
        task.check()
        best = _best_terms(counts, with_term, weights, cluster, words)
        selected.append([TopicWord(term.form, term.weight) for term in best])
        shared = max(_FEWEST, _SHARED * sizes[cluster])
        named.append(_with_phrases(best, _phrases(counts, with_term, weights, cluster, shared)))
    names = _names(named)
    return [Topic(int(label), tuple(sums), name) for label, sums, name in zip(distinct, selected, names, strict=True)]


def _texts_with_terms(
    counts: TermCounts, rows: NDArray[np.int64], index: NDArray[np.int64], clusters: int
) -> csr_matrix:
    """In how many texts of each cluster each term is, (C, T)."""
    from scipy.sparse import csr_matrix

    ones = np.ones(len(rows))
    members = csr_matrix((ones, (index, rows)), shape=(clusters, len(counts)))
    sums = (members @ counts.damped).tocsr()
    sums.sort_indices()
    return sums


def _weights(with_term: csr_matrix, sizes: NDArray[np.int64]) -> csr_matrix:
    """The weight of each term in each cluster that has it, (C, T)."""
    shares = with_term.copy()
    cluster = np.repeat(np.arange(len(sizes)), np.diff(shares.indptr))
    shares.data /= sizes[cluster] + _PRIOR
    total = np.bincount(shares.indices, weights=with_term.data, minlength=shares.shape[1])
    average = total / (sizes.sum() + _PRIOR * len(sizes))
    shares.data *= np.maximum(np.log(_EVEN + shares.data / average[shares.indices]), 0)
    return shares


def _best_terms(counts: TermCounts, with_term: csr_matrix, weights: csr_matrix, cluster: int, words: int) -> list[Term]:
    """The best terms of one cluster."""
    begin, end = weights.indptr[cluster], weights.indptr[cluster + 1]
    terms, weight, texts = weights.indices[begin:end], weights.data[begin:end], with_term.data[begin:end]
    # All that are as heavy as the last one, so that which are taken does not hang on their order.
    least = np.partition(weight, -_CANDIDATES)[-_CANDIDATES] if len(weight) > _CANDIDATES else 0.0
    heaviest = np.flatnonzero((weight >= least) & (weight > 0))
    candidates = [
        Term(counts.forms[terms[index]], counts.parts[terms[index]], float(weight[index]), float(texts[index]))
        for index in heaviest
    ]
    return choose(candidates, words, least=min(2.0, float(texts.max(initial=0.0))))


def _phrases(counts: TermCounts, with_term: csr_matrix, weights: csr_matrix, cluster: int, shared: float) -> list[Term]:
    """The phrases of two words that so many texts of one cluster have, best first."""
    begin, end = weights.indptr[cluster], weights.indptr[cluster + 1]
    terms, weight, texts = weights.indices[begin:end], weights.data[begin:end], with_term.data[begin:end]
    return ranked(
        Term(counts.forms[terms[index]], counts.parts[terms[index]], float(weight[index]), float(texts[index]))
        for index in np.flatnonzero((texts >= shared) & (weight > 0))
        if len(counts.parts[terms[index]]) == 2
    )


def _with_phrases(terms: Sequence[Term], phrases: Sequence[Term]) -> list[str]:
    """The terms as a name has them: a word as the best phrase that begins or ends with it, no two sharing a word."""
    named: list[Term] = []
    for term in terms:
        longer = (
            phrase
            for phrase in phrases
            if len(term.parts) == 1 and term.parts[0] in phrase.parts
            and not any(alike(phrase, other) for other in named)
        )  # fmt: skip
        best = next(longer, term) if len(named) < NAME_WORDS else term
        if not any(alike(best, other) for other in named):
            named.append(best)
    return [term.form for term in named]


def _names(selected: Sequence[Sequence[str]]) -> list[str]:
    """A name for each cluster, all different."""
    taken: set[str] = set()
    names = []
    for words in selected:
        name = next((name for name in _proposals(words) if name not in taken), "")
        names.append(name)
        taken.add(name)
    return names


def _proposals(words: Sequence[str]) -> Iterator[str]:
    first = words[:NAME_WORDS]
    if len(BETWEEN.join(first)) > LONGEST_NAME:
        first = first[:1]
    yield BETWEEN.join(first) or NAMELESS
    for other in words[NAME_WORDS:]:
        yield BETWEEN.join([*first[:-1], other])
    number = 2
    while True:
        yield f"{BETWEEN.join(first) or NAMELESS} ({number})"
        number += 1
