"""What the documents of a cluster have in common and others have not: its topic words, and a name made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.topics.distinct_terms import Term, choose
from explorer.analysis.topics.term_counts import TermCounts
from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

WORDS = 10  # of a topic
NAME_WORDS = 3
BETWEEN = " · "
NAMELESS = "no words"  # the name of a cluster whose texts have no word that says anything
_CANDIDATES = 40  # best terms of a cluster that are looked at
_EVEN = 0.2  # keeps a term that is as common elsewhere above 0, which is all there is if there is one cluster
_PRIOR = (
    2.0  # texts without the term that are added to each cluster, so that a small one is not named by chance
)


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
        name: The first of them, such as "space · orbit · shuttle"; no other cluster's.
    """

    label: int
    words: tuple[TopicWord, ...]
    name: str


def topics(
    counts: TermCounts,
    labels: Sequence[int] | NDArray[np.integer],
    *,
    words: int = WORDS,
    task: Task | None = None,
) -> list[Topic]:
    """Name clusters by class-based TF-IDF.

    The weight of a term is the share of the cluster's texts that have it, times the logarithm of how much greater
    that is than its share in all clusters on average. Shares of texts rather than counts of words: one long text
    must not name a cluster.

    Args:
        counts: The terms of the texts.
        labels: The cluster of each text, (N,); those below 0 belong to none.
        words: How many words and phrases to give for each.
        task: Where to report to.

    Returns:
        A topic for each label that occurs, by label.

    Raises:
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    own = np.asarray(labels, dtype=np.int64)
    distinct, place = np.unique(own[own >= 0], return_inverse=True)
    if not len(distinct):
        return []
    sizes = np.bincount(place)
    with_term = _texts_with_terms(counts, np.flatnonzero(own >= 0), place, len(distinct))
    weights = _weights(with_term, sizes)
    chosen = []
    for cluster in range(len(distinct)):
        task.check()
        chosen.append(_chosen(counts, with_term, weights, cluster, words))
    names = _names(chosen)
    return [
        Topic(int(label), tuple(found), name)
        for label, found, name in zip(distinct, chosen, names, strict=True)
    ]


def _texts_with_terms(
    counts: TermCounts, rows: NDArray[np.int64], place: NDArray[np.int64], clusters: int
) -> csr_matrix:
    """In how many texts of each cluster each term is, (C, T)."""
    from scipy.sparse import csr_matrix

    ones = np.ones(len(rows))
    members = csr_matrix((ones, (place, rows)), shape=(clusters, len(counts)))
    found = (members @ counts.damped).tocsr()
    found.sort_indices()
    return found


def _weights(with_term: csr_matrix, sizes: NDArray[np.int64]) -> csr_matrix:
    """The weight of each term in each cluster that has it, (C, T)."""
    shares = with_term.copy()
    cluster = np.repeat(np.arange(len(sizes)), np.diff(shares.indptr))
    shares.data /= sizes[cluster] + _PRIOR
    total = np.bincount(shares.indices, weights=with_term.data, minlength=shares.shape[1])
    average = total / (sizes.sum() + _PRIOR * len(sizes))
    shares.data *= np.maximum(np.log(_EVEN + shares.data / average[shares.indices]), 0)
    return shares


def _chosen(
    counts: TermCounts, with_term: csr_matrix, weights: csr_matrix, cluster: int, words: int
) -> list[TopicWord]:
    """The best terms of one cluster."""
    begin, end = weights.indptr[cluster], weights.indptr[cluster + 1]
    terms, weight, texts = weights.indices[begin:end], weights.data[begin:end], with_term.data[begin:end]
    # All that are as heavy as the last one, so that which are taken does not hang on their order.
    least = np.partition(weight, -_CANDIDATES)[-_CANDIDATES] if len(weight) > _CANDIDATES else 0.0
    kept = np.flatnonzero((weight >= least) & (weight > 0))
    candidates = [
        Term(
            counts.forms[terms[place]], counts.parts[terms[place]], float(weight[place]), float(texts[place])
        )
        for place in kept
    ]
    chosen = choose(candidates, words, least=min(2.0, float(texts.max(initial=0.0))))
    return [TopicWord(term.form, term.weight) for term in chosen]


def _names(chosen: Sequence[Sequence[TopicWord]]) -> list[str]:
    """A name for each cluster, all different."""
    taken: set[str] = set()
    names = []
    for words in chosen:
        name = next((name for name in _proposals([word.text for word in words]) if name not in taken), "")
        names.append(name)
        taken.add(name)
    return names


def _proposals(words: Sequence[str]) -> Iterator[str]:
    first = words[:NAME_WORDS]
    yield BETWEEN.join(first) or NAMELESS
    for other in words[NAME_WORDS:]:
        yield BETWEEN.join([*first[:-1], other])
    number = 2
    while True:
        yield f"{BETWEEN.join(first) or NAMELESS} ({number})"
        number += 1
