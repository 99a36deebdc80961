"""A short list of words and phrases in which no two say the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorer.analysis.text.characters import HANGUL

_BOUND = (
    0.5  # share of a word's uses that are uses of a phrase with it, from which the phrase stands for the word
)
_STEM = 5  # letters that two forms of one word must begin with in common
_SHARE = 0.75  # of the shorter one


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
    """The terms by weight, equal ones by the alphabet."""
    return sorted(terms, key=lambda term: (-term.weight, term.form, term.parts))


def choose(terms: Iterable[Term], limit: int, least: float = 2.0) -> list[Term]:
    """The best terms, of those that are alike only the best.

    A word that is hardly used but in one phrase gives its place to the phrase.

    Args:
        terms: What to choose from.
        limit: How many to choose at most.
        least: Uses that a phrase must have to stand for a word.
    """
    candidates = ranked(terms)
    phrases = [term for term in candidates if len(term.parts) > 1 and term.uses >= least]
    chosen: list[Term] = []
    for term in candidates:
        if len(chosen) >= limit:
            break
        for best in dict.fromkeys((_bound(term, phrases), term)):
            if not any(alike(best, other) for other in chosen):
                chosen.append(best._replace(weight=term.weight))
                break
    return chosen


def alike(first: Term, second: Term) -> bool:
    """Whether two terms share a word, or have forms of one, such as "Israel" and "Israeli"."""
    return any(_same(one, other) for one in _spellings(first) for other in _spellings(second))


def _spellings(term: Term) -> set[str]:
    return {*term.parts, *term.form.lower().split()}


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    if HANGUL.match(shorter):
        return len(shorter) > 1 and shorter in longer
    if len(shorter) < _STEM or shorter[:_STEM] != longer[:_STEM]:
        return False
    return longer.startswith(shorter[: math.ceil(_SHARE * len(shorter))])


def _bound(term: Term, phrases: Sequence[Term]) -> Term:
    """The phrase that most uses of the term are uses of, or the term itself."""
    own = set(term.parts)
    fitting = [phrase for phrase in phrases if own < set(phrase.parts) and phrase.uses >= _BOUND * term.uses]
    if not fitting:
        return term
    return min(fitting, key=lambda phrase: (-phrase.uses, -len(phrase.parts), phrase.form))
