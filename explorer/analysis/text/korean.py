"""Korean text to its morphemes: what carries meaning, without particles and endings."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from explorer.analysis.text.korean_process import Analyser, KoreanProcess, Morpheme

HANGUL = re.compile(r"[\uac00-\ud7a3]")
_HANGUL_RUN = re.compile(r"[\uac00-\ud7a3]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # half a character, in names of files; the analyser fails on it

_NOUNS = frozenset({"NNG", "NNP", "XR"})
_SINGLE = frozenset({"NNB", "NR", "NP", "MAG", "MM", "IC", "UN"})
_VERBS = frozenset({"VV", "VA", "VX", "VCN"})
# Suffixes that inflect a noun as a particle would, and so are no part of a compound.
INFLECTING = frozenset({"들", "님", "씨", "네", "쯤", "끼리", "짜리", "째"})

_AT_ONCE = 20_000  # characters: a query waits no longer than for these

_logger = logging.getLogger(__name__)


class KoreanPiece(NamedTuple):
    """A term and the stretch of the text it was made of."""

    start: int
    end: int
    term: str


_lock = threading.Lock()
_warming: threading.Thread | None = None
_aside = False


def pieces(lines: Sequence[str]) -> list[list[KoreanPiece]]:
    """The terms of each line's Korean words, by place; several lines at once use several cores.

    Nouns, roots, adverbs and numerals come as they are, verbs and adjectives in their dictionary form ("먹다").
    A compound noun gives its parts and the whole. Without kiwipiepy the terms are pairs of syllables.
    """
    found = morphemes(lines)
    return [list(_pairs(line)) for line in lines] if found is None else [list(_terms(one)) for one in found]


def morphemes(lines: Sequence[str]) -> list[list[Morpheme]] | None:
    """The morphemes of each line with their tags; None where kiwipiepy cannot be used."""
    whole = [_SURROGATE.sub(" ", line) for line in lines]
    found: list[list[Morpheme]] = []
    while len(found) < len(whole):
        with _lock:
            analyser = _analyser()
            if analyser is None:
                return None
            found.extend(analyser.tokenize(_some(whole, len(found))))
        if len(found) < len(whole):
            time.sleep(0.001)  # whoever waits for it meanwhile is next
    return found


def _some(lines: Sequence[str], first: int) -> Sequence[str]:
    """The lines from one on that are analysed in one go."""
    end, length = first, 0
    while end == first or (end < len(lines) and length + len(lines[end]) <= _AT_ONCE):
        length += len(lines[end])
        end += 1
    return lines[first:end]


def version() -> str:
    """Names the way in which Korean is analysed: terms of another version do not match.

    The analyser is not loaded for it, which takes seconds.
    """
    from importlib import metadata

    return f"kiwi {metadata.version('kiwipiepy')}" if find_spec("kiwipiepy") else "pairs"


def warm_up() -> None:
    """Begin to load the analyser in the background, if nobody did, so that the first text need not wait for it.

    The thread is joined at exit rather than cut off inside the library, which would end the process badly.
    """
    global _warming  # noqa: PLW0603 - once a process
    if _warming is None:
        # The first word takes seconds too, after the loading.
        _warming = threading.Thread(target=pieces, args=(["가"],), name="korean")
        _warming.start()


def work_apart() -> None:
    """Analyse in a process of its own: for a window, which would stand still while this one loads."""
    global _aside  # noqa: PLW0603 - once a process
    _aside = True


def works_apart() -> bool:
    """Whether Korean was analysed, in a process of its own."""
    found = _analyser() if _analyser.cache_info().currsize else None
    return isinstance(found, KoreanProcess) and found.is_there


@cache
def load() -> Analyser:
    """The analyser in this process, loaded in some seconds.

    Raises:
        ImportError: It is not installed.
        OSError: Its dictionary cannot be read.
    """
    return _Kiwi()


class _Kiwi:
    def __init__(self) -> None:
        from kiwipiepy import Kiwi

        # The dictionary of names of several words would make one word of what is a compound elsewhere.
        self._kiwi = Kiwi(load_multi_dict=False)

    def tokenize(self, lines: Sequence[str]) -> list[list[Morpheme]]:
        # Addresses and hashtags are cut into words as well: the pattern matching is off.
        found = self._kiwi.tokenize(list(lines), match_options=0, split_complex=True)
        return [[Morpheme(one.form, one.tag, one.start, one.len) for one in line] for line in found]


@cache
def _analyser() -> Analyser | None:
    """The analyser that is to be used; None where it is not installed."""
    try:
        found = KoreanProcess(load) if _aside else load()
        found.tokenize(["가"])
    except (ImportError, OSError) as error:
        _logger.warning("Korean is indexed by pairs of syllables: kiwipiepy cannot be used (%s).", error)
        return None
    return found


def _terms(tokens: Iterable[Morpheme]) -> Iterator[KoreanPiece]:
    compound: list[KoreanPiece] = []
    for token in tokens:
        tag = token.tag.partition("-")[0]  # "VV-I" is an irregular verb
        piece = KoreanPiece(token.start, token.start + token.len, token.form)
        if compound and not (_extends(tag, token.form) and piece.start == compound[-1].end):
            yield from _whole(compound)
            compound = []
        if tag in _NOUNS or (_extends(tag, token.form) and (compound or tag == "XPN")):
            compound.append(piece)
        if HANGUL.search(token.form):
            yield from _term(piece, tag)
    yield from _whole(compound)


def _extends(tag: str, form: str) -> bool:
    """Whether a morpheme may belong to a compound noun."""
    return tag in _NOUNS or tag == "XPN" or (tag == "XSN" and form not in INFLECTING)


def _term(piece: KoreanPiece, tag: str) -> Iterator[KoreanPiece]:
    if tag in _VERBS:
        yield piece._replace(term=piece.term + "다")
    elif tag in _NOUNS or tag in _SINGLE:
        yield from (piece._replace(term=word) for word in piece.term.split())


def _whole(compound: list[KoreanPiece]) -> Iterator[KoreanPiece]:
    if len(compound) > 1:
        yield KoreanPiece(compound[0].start, compound[-1].end, "".join(part.term for part in compound))


def _pairs(line: str) -> Iterator[KoreanPiece]:
    for run in _HANGUL_RUN.finditer(line):
        yield from character_pairs(run[0], run.start())


def character_pairs(run: str, start: int) -> Iterator[KoreanPiece]:
    """Every two neighbouring characters, or the only one."""
    for place in range(max(1, len(run) - 1)):
        pair = run[place : place + 2]
        yield KoreanPiece(start + place, start + place + len(pair), pair)
