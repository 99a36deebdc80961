"""Count the words and phrases of texts once, and name clusters by their topic words (class-based TF-IDF)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.text.characters import HANGUL
from explorer.analysis.text.phrases import DocumentTerms, key, read_words, shown
from explorer.analysis.vectors.exact import distinct
from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_DENSE = 4  # codes up to so many times their number are counted in a table; more are sorted
_FEW = 50  # texts up to which a word that only one of them has is kept
_SEVERAL = 5_000  # texts from which a phrase must be in three of them
_RARE = 2  # texts that must have a term where there are more than a few
_BOUND = 0.5  # share of a word's uses that are uses of a phrase with it, from which the phrase stands for the word
_STEM = 5  # letters that two forms of one word must begin with in common
_SHARE = 0.75  # of the shorter one
WORDS = 10  # of a topic
NAME_WORDS = 3
LONGEST_NAME = 36  # characters: what a narrow column and a label on the map have room for
BETWEEN = " · "
NAMELESS = "no words"  # the name of a cluster whose texts have no word that says anything
_CANDIDATES = 40  # best terms of a cluster that are looked at
_EVEN = 0.2  # keeps a term that is as common elsewhere above 0, which is all there is if there is one cluster
_SHARED = 0.1  # of the texts of a cluster that must have a phrase, for it to stand in the name for one of its words
_TYPICAL = 0.4  # of the texts with the word that must have the phrase, which would narrow the name otherwise
_FEWEST = 3.0  # texts that must have it in a small cluster
_PRIOR = 2.0  # texts without the term that are added to each cluster, so that a small one is not named by chance


@dataclass(frozen=True, eq=False)
class TermCounts:
    """The words and phrases of some texts.

    Attributes:
        matrix: How often text i has term j, (N, T) float32.
        forms: How each term is written most often.
        parts: The keys of the words of each term: one for a word, two or three for a phrase.
    """

    matrix: csr_matrix
    forms: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @cached_property
    def damped(self) -> csr_matrix:
        """The counts with repetitions in one text counting less and less: 1, 1.33, 1.5, ... up to 2; (N, T) float64.

        In 64ths, so that sums are exact and the same in any order of the texts.
        """
        damped = self.matrix.astype(np.float64)
        damped.data = np.round(128 * damped.data / (damped.data + 1)) / 64
        return damped

    @cached_property
    def texts_with(self) -> NDArray[np.int64]:
        """Return how many texts have each term, (T,)."""
        return np.bincount(self.matrix.indices, minlength=len(self.forms)).astype(np.int64)

    @cached_property
    def places(self) -> dict[tuple[str, ...], int]:
        """The column of each term, by its parts."""
        return {parts: column for column, parts in enumerate(self.parts)}


def count_terms(words: DocumentTerms | Sequence[str], task: Task | None = None) -> TermCounts:
    """Count the words of texts, and the phrases of two or three of them side by side.

    Forms of one word are one term. Left out is what too few texts have to say anything about several.

    Args:
        words: The texts, or what `read_words` made of them.
        task: Progress and cancellation.
    """
    task = task or Task()
    if not isinstance(words, DocumentTerms):
        words = read_words(words, task)
    texts = len(words)
    enough = 1 if texts <= _FEW else _RARE
    enough_for_phrases = enough + (texts >= _SEVERAL)
    rows = np.repeat(np.arange(texts, dtype=np.int64), np.diff(words.ends, prepend=0))
    keys = [key(form) for form in words.forms]
    distinct = {word: index for index, word in enumerate(sorted(set(keys)))}
    names = list(distinct)
    number_of = np.array([distinct[word] for word in keys] + [-1], dtype=np.int64)
    singles = number_of[words.tokens]  # (T,) the word at each token, -1 where there is none
    task.check()
    counted = [_Grams.from_windows(singles[:, None], singles, rows, enough)]
    for length in (2, 3):
        counted.append(counted[-1].longer(singles, rows, enough_for_phrases, length))
        task.check()
    return _assemble(counted, names, words, texts)


@dataclass(frozen=True, eq=False)
class _Grams:
    """The runs of n words that occur in enough texts.

    Attributes:
        words: The words of each run, (G, n).
        at: The run that begins at each token, (T,); -1 where none does.
    """

    words: NDArray[np.int64]
    at: NDArray[np.int64]

    @classmethod
    def from_windows(
        cls, windows: NDArray[np.int64], codes: NDArray[np.int64], rows: NDArray[np.int64], enough: int
    ) -> _Grams:
        """Number the runs.

        Args:
            windows: The words from each token on, (T, n).
            codes: A number for each run, the same for the same, -1 for none, (T,).
            rows: The text of each token, (T,).
            enough: Texts that a run must be in.
        """
        places = np.flatnonzero(codes >= 0)
        first, inverse = _numbered(codes[places])
        texts_with = _distinct_rows(inverse, rows[places], len(first))
        frequent = texts_with >= enough
        if windows.shape[1] > 1:
            frequent &= np.bincount(inverse, minlength=len(first)) > 1
        index = np.where(frequent, np.cumsum(frequent) - 1, -1)
        at = np.full(len(codes), -1, dtype=np.int64)
        at[places] = index[inverse]
        return cls(windows[places[first[frequent]]], at)

    def longer(self, singles: NDArray[np.int64], rows: NDArray[np.int64], enough: int, length: int) -> _Grams:
        """Return the runs of one word more; a word is not repeated in one."""
        shifted = np.concatenate([self.at[1:], [-1]])[: len(singles)]
        windows = np.stack([np.roll(singles, -step) for step in range(length)], axis=1)
        good = (self.at >= 0) & (shifted >= 0) & (windows[:, 0] != windows[:, -1])
        codes = np.where(good, self.at * (len(self.words) + 1) + shifted, -1)
        return _Grams.from_windows(windows, codes, rows, enough)


def _numbered(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each code occurs first, by code (C,), and the number of each among them, as `np.unique` does."""
    most = int(codes.max(initial=-1)) + 1
    if most > _DENSE * len(codes):
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        return first, inverse
    first_at = np.full(most, -1, np.int64)
    first_at[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written stays: the first of its code
    there = first_at >= 0
    return first_at[there], (np.cumsum(there) - 1)[codes]


def _distinct_rows(grams: NDArray[Any], rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the number of rows in which each gram occurs, (count,)."""
    if not len(grams):
        return np.zeros(count, dtype=np.int64)
    pairs = distinct(grams * (rows.max() + 1) + rows)
    return np.bincount(pairs // (rows.max() + 1), minlength=count)


def _assemble(counted: Sequence[_Grams], names: Sequence[str], words: DocumentTerms, texts: int) -> TermCounts:
    from scipy.sparse import csr_matrix

    rows = np.repeat(np.arange(texts, dtype=np.int64), np.diff(words.ends, prepend=0))
    columns, documents = [], []
    forms: list[str] = []
    parts: list[tuple[str, ...]] = []
    for length, grams in enumerate(counted, 1):
        places = np.flatnonzero(grams.at >= 0)
        columns.append(grams.at[places] + len(parts))
        documents.append(rows[places])
        forms.extend(_commonest_forms(grams, places, words, length))
        parts.extend(tuple(names[word] for word in row) for row in grams.words.tolist())
    column, document = np.concatenate(columns), np.concatenate(documents)
    ones = np.ones(len(column), dtype=np.float32)
    matrix = csr_matrix((ones, (document, column)), shape=(texts, len(parts)))
    matrix.sum_duplicates()
    return TermCounts(matrix, tuple(forms), tuple(parts))


def _commonest_forms(grams: _Grams, places: NDArray[np.int64], words: DocumentTerms, length: int) -> list[str]:
    """Return how each run is written most often; of equally common ways the one in small letters, then the first."""
    ways = grams.at[places]  # (P,) numbered again with each word, as the ids of three words would overflow
    for step in range(length):
        _, ways = _numbered(ways * len(words.forms) + words.tokens[places + step])
    first, _ = _numbered(ways)
    counts = np.bincount(ways)
    windows = np.stack([words.tokens[places[first] + step] for step in range(length)], axis=1)
    gram_ids = grams.at[places[first]]
    best: list[tuple[int, int, str]] = [(0, 0, "")] * len(grams.words)
    for gram, form_ids, count in zip(gram_ids.tolist(), windows.tolist(), counts.tolist(), strict=True):
        form = shown([words.forms[index] for index in form_ids])
        way = (-count, sum(map(str.isupper, form)), form)
        best[gram] = min(best[gram], way)
    return [form for *_, form in best]


class Term(NamedTuple):
    """A word or phrase that may be chosen.

    Attributes:
        form: How it is shown.
        parts: The keys of its words.
        weight: How good it is.
        uses: How often it is used.
    """

    form: str
    parts: tuple[str, ...]
    weight: float
    uses: float


def ranked(terms: Iterable[Term]) -> list[Term]:
    """Return the terms by weight, equal ones by the alphabet."""
    return sorted(terms, key=lambda term: (-term.weight, term.form, term.parts))


def choose(terms: Iterable[Term], limit: int, least: float = 2.0) -> list[Term]:
    """Return the best terms; of similar ones only the best.

    A word that is hardly used but in one phrase gives its place to the phrase.

    Args:
        terms: What to choose from.
        limit: How many to choose at most.
        least: Uses that a phrase must have to stand for a word.
    """
    candidates = ranked(terms)
    phrases = [term for term in candidates if len(term.parts) > 1 and term.uses >= least]
    selected: list[Term] = []
    for term in candidates:
        if len(selected) >= limit:
            break
        for best in dict.fromkeys((_bound(term, phrases), term)):
            if not any(share_word(best, other) for other in selected):
                selected.append(best._replace(weight=term.weight))
                break
    return selected


def share_word(first: Term, second: Term) -> bool:
    """Return whether two terms share a word, or have forms of one, such as "Israel" and "Israeli"."""
    return any(_same(spelling, other) for spelling in _spellings(first) for other in _spellings(second))


def _spellings(term: Term) -> set[str]:
    return {*term.parts, *term.form.lower().split()}


def _same(spelling: str, other: str) -> bool:
    if spelling == other:
        return True
    shorter, longer = (spelling, other) if len(spelling) < len(other) else (other, spelling)
    if HANGUL.match(shorter):
        return len(shorter) > 1 and shorter in longer
    if len(shorter) < _STEM or shorter[:_STEM] != longer[:_STEM]:
        return False
    return longer.startswith(shorter[: math.ceil(_SHARE * len(shorter))])


def _bound(term: Term, phrases: Sequence[Term]) -> Term:
    """Return the phrase that most uses of the term are uses of, or the term itself."""
    own = set(term.parts)
    fitting = [phrase for phrase in phrases if own < set(phrase.parts) and phrase.uses >= _BOUND * term.uses]
    if not fitting:
        return term
    return min(fitting, key=lambda phrase: (-phrase.uses, -len(phrase.parts), phrase.form))


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
    """Return the number of texts of each cluster that have each term, (C, T)."""
    from scipy.sparse import csr_matrix

    ones = np.ones(len(rows))
    members = csr_matrix((ones, (index, rows)), shape=(clusters, len(counts)))
    sums = (members @ counts.damped).tocsr()
    sums.sort_indices()
    return sums


def _weights(with_term: csr_matrix, sizes: NDArray[np.int64]) -> csr_matrix:
    """Return the weight of each term in each cluster that has it, (C, T)."""
    shares = with_term.copy()
    cluster = np.repeat(np.arange(len(sizes)), np.diff(shares.indptr))
    shares.data /= sizes[cluster] + _PRIOR
    total = np.bincount(shares.indices, weights=with_term.data, minlength=shares.shape[1])
    average = total / (sizes.sum() + _PRIOR * len(sizes))
    shares.data *= np.maximum(np.log(_EVEN + shares.data / average[shares.indices]), 0)
    return shares


def _best_terms(counts: TermCounts, with_term: csr_matrix, weights: csr_matrix, cluster: int, words: int) -> list[Term]:
    """Return the best terms of one cluster."""
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
    """Return the phrases of two words that enough texts of one cluster have, best first."""
    begin, end = weights.indptr[cluster], weights.indptr[cluster + 1]
    terms, weight, texts = weights.indices[begin:end], weights.data[begin:end], with_term.data[begin:end]
    return ranked(
        Term(counts.forms[terms[index]], counts.parts[terms[index]], float(weight[index]), float(texts[index]))
        for index in np.flatnonzero((texts >= shared) & (weight > 0))
        if len(counts.parts[terms[index]]) == 2
    )


def _with_phrases(terms: Sequence[Term], phrases: Sequence[Term]) -> list[str]:
    """Return the terms as a name has them: a word as the best phrase it begins or ends, no two sharing a word."""
    named: list[Term] = []
    for term in terms:
        longer = (
            phrase
            for phrase in phrases
            if len(term.parts) == 1
            and term.parts[0] in phrase.parts
            and phrase.uses >= _TYPICAL * term.uses
            and not any(share_word(phrase, other) for other in named)
        )
        best = next(longer, term) if len(named) < NAME_WORDS else term
        if not any(share_word(best, other) for other in named):
            named.append(best)
    return [term.form for term in named]


def _names(selected: Sequence[Sequence[str]]) -> list[str]:
    """Return a name for each cluster, all different."""
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
