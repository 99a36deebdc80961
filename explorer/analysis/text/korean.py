"""Analyse Korean: the terms of a text for the word index, and the nouns that may name it.

Particles and endings are dropped. The tags are those of the Sejong corpus, as kiwipiepy gives them:
https://github.com/bab2min/kiwipiepy#품사-태그.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

from explorer.analysis.text.characters import HANGUL, HANGUL_SYLLABLES
from explorer.analysis.text.stop_words import KOREAN_SHORT_NOUNS, KOREAN_STOP_WORDS, KOREAN_WEAK_WORDS

MAX_FAILURES = 2  # processes that may die before this process does the work itself
_HANGUL_RUN = re.compile(f"[{HANGUL_SYLLABLES}]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # half a character, in names of files; the analyser fails on it

_NOUNS = frozenset({"NNG", "NNP", "XR"})
_SINGLE = frozenset({"NNB", "NR", "NP", "MAG", "MM", "IC", "UN"})
_VERBS = frozenset({"VV", "VA", "VX", "VCN"})
# Suffixes that inflect a noun as a particle would, and so are not part of a compound.
_INFLECTING = frozenset({"들", "님", "씨", "네", "쯤", "끼리", "짜리", "째"})

_NAMING = frozenset({"NNG", "NNP", "SL", "SH"})  # tags of words that may name a text, foreign ones included
_STOP_WORDS = KOREAN_STOP_WORDS | KOREAN_WEAK_WORDS
_NUMBERED = frozenset({"호"})  # ends the name of a ship or a rocket, though it counts as a unit

_AT_ONCE = 20_000  # characters: a query waits no longer than for these

_log = logging.getLogger(__name__)


class Morpheme(NamedTuple):
    """A morpheme: its form, its part of speech and its position in the line."""

    form: str
    tag: str
    start: int
    len: int


class Analyser(Protocol):
    """Splits lines into morphemes."""

    def tokenize(self, lines: Sequence[str]) -> list[list[Morpheme]]:
        """Return the morphemes of each line."""


class KoreanProcess:
    """An analyser in another process, which is restarted when it dies."""

    def __init__(self, load: Callable[[], Analyser]) -> None:
        """Prepare; the process is started by the first call.

        Args:
            load: Loads the analyser in the other process; a module-level function, since it is pickled.
        """
        self._load = load
        self._process: Any = None
        self._failures = 0

    def tokenize(self, lines: Sequence[str]) -> list[list[Morpheme]]:
        """Return the morphemes of each line.

        If no process can be started, or it died again, this process does the work.

        Raises:
            ImportError: The analyser is not installed.
            OSError: Its dictionary cannot be read.
        """
        while self._failures < MAX_FAILURES:
            try:
                if self._process is None:
                    self._start()
                self._requests.send(list(lines))
                response = self._responses.recv()
            except (EOFError, OSError) as error:
                _log.warning("The Korean analyser's process died (%s)", type(error).__name__)
                self._failures += 1
                self.stop()
                continue
            if isinstance(response, Exception):
                raise response
            results: list[list[Morpheme]] = response
            return results
        return self._load().tokenize(lines)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        requests, self._requests = context.Pipe(
            duplex=False
        )  # one-way pipes: multiprocessing makes duplex ones from sockets
        self._responses, responses = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(self._load, requests, responses), daemon=True)
        try:
            self._process.start()
        finally:
            requests.close()
            responses.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self._process is not None and bool(self._process.is_alive())

    def stop(self) -> None:
        """Close the pipes, so that the process ends by itself."""
        if self._process is not None:
            self._requests.close()
            self._responses.close()
            self._process = None


def _serve(load: Callable[[], Analyser], requests: Connection, responses: Connection) -> None:
    """Answer requests in the other process until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the program, which then ends this process
    with contextlib.suppress(EOFError, OSError):
        while True:
            lines = requests.recv()
            try:
                response: object = load().tokenize(lines)
            except (ImportError, OSError) as error:
                response = error
            responses.send(response)


class KoreanPiece(NamedTuple):
    """A term and the stretch of the text it was made of."""

    start: int
    end: int
    term: str


_lock = threading.Lock()
_warming: threading.Thread | None = None
_separate = False


def pieces(lines: Sequence[str]) -> list[list[KoreanPiece]]:
    """Return the terms of each line's Korean words, by position; several lines at once use several cores.

    Nouns, roots, adverbs and numerals come as they are, verbs and adjectives in their dictionary form ("먹다").
    A compound noun gives its parts and the whole. Without kiwipiepy the terms are pairs of syllables.
    """
    analysed = morphemes(lines)
    if analysed is None:
        return [list(_pairs(line)) for line in lines]
    return [list(_terms(tokens)) for tokens in analysed]


def morphemes(lines: Sequence[str]) -> list[list[Morpheme]] | None:
    """Return the morphemes of each line with their tags; None if kiwipiepy cannot be used."""
    whole = [_SURROGATE.sub(" ", line) for line in lines]
    results: list[list[Morpheme]] = []
    while len(results) < len(whole):
        with _lock:
            analyser = _analyser()
            if analyser is None:
                return None
            results.extend(analyser.tokenize(_portion(whole, len(results))))
        if len(results) < len(whole):
            time.sleep(0.001)  # locks are not fair: let a query that waits go first
    return results


def _portion(lines: Sequence[str], first: int) -> Sequence[str]:
    """Return the lines from `first` on that are analysed in one call."""
    end, length = first, 0
    while end == first or (end < len(lines) and length + len(lines[end]) <= _AT_ONCE):
        length += len(lines[end])
        end += 1
    return lines[first:end]


def version() -> str:
    """Return the version of the analysis: terms of another version do not match.

    Does not load the analyser, which takes seconds.
    """
    from importlib import metadata

    return f"kiwi {metadata.version('kiwipiepy')}" if find_spec("kiwipiepy") else "pairs"


def warm_up() -> None:
    """Start loading the analyser in the background, so that the first text need not wait for it.

    The thread is not a daemon: cut off inside the library at exit, it would crash the process.
    """
    global _warming  # noqa: PLW0603 - once a process
    if _warming is None:
        # The first word takes seconds too, after the loading.
        _warming = threading.Thread(target=pieces, args=(["가"],), name="korean")
        _warming.start()


def use_process() -> None:
    """Analyse in a separate process: for a window, which would freeze while this one loads."""
    global _separate  # noqa: PLW0603 - once a process
    _separate = True


def uses_process() -> bool:
    """Return whether Korean was analysed, in a separate process."""
    analyser = _analyser() if _analyser.cache_info().currsize else None
    return isinstance(analyser, KoreanProcess) and analyser.is_alive


@cache
def load() -> Analyser:
    """Load the analyser in this process, which takes some seconds.

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
        tokens = self._kiwi.tokenize(list(lines), match_options=0, split_complex=True)
        return [[Morpheme(token.form, token.tag, token.start, token.len) for token in line] for line in tokens]


@cache
def _analyser() -> Analyser | None:
    """Return the analyser to use; None if it is not installed."""
    try:
        analyser = KoreanProcess(load) if _separate else load()
        analyser.tokenize(["가"])
    except (ImportError, OSError) as error:
        _log.warning("Korean is indexed by pairs of syllables: kiwipiepy cannot be used (%s)", error)
        return None
    return analyser


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
    """Return whether a morpheme may belong to a compound noun."""
    return tag in _NOUNS or tag == "XPN" or (tag == "XSN" and form not in _INFLECTING)


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
    """Yield every two neighbouring characters, or the only one."""
    for offset in range(max(1, len(run) - 1)):
        pair = run[offset : offset + 2]
        yield KoreanPiece(start + offset, start + offset + len(pair), pair)


def nouns(words: Sequence[str]) -> list[list[KoreanPiece]]:
    """Return the nouns of each word by position, with an empty term for everything else.

    A word is what is between spaces: analysed on its own it has to be analysed only once, and several at a time
    use several cores. A compound gives its parts. Without kiwipiepy a word is returned as it is.
    """
    analysed = morphemes(words)
    if analysed is None:
        return [[KoreanPiece(0, len(word), word)] for word in words]
    return [list(_without_weak(_noun_parts(tokens))) for tokens in analysed]


def _noun_parts(tokens: Iterable[Morpheme]) -> list[KoreanPiece]:
    """Return nouns with the prefixes, suffixes and single syllables that belong to them."""
    parts: list[KoreanPiece] = []
    extendable = False  # whether what follows may be added to the last part
    for token in tokens:
        piece = KoreanPiece(token.start, token.start + token.len, token.form)
        tag = token.tag.partition("-")[0]
        touching = bool(parts) and parts[-1].end == piece.start and parts[-1].term != ""
        if extendable and touching and (_belongs(tag, token.form) or (tag in _NAMING and len(parts[-1].term) == 1)):
            parts[-1] = KoreanPiece(parts[-1].start, piece.end, parts[-1].term + token.form)
        elif tag in _NAMING or tag == "XPN":
            parts.append(piece)
        else:
            parts.append(piece._replace(term=""))
        extendable = parts[-1].term != "" and tag != "SL"
    return parts


def _belongs(tag: str, form: str) -> bool:
    """Return whether a morpheme is a part of the noun before it."""
    if tag == "XSN":
        return form not in _INFLECTING and form != "적"
    return (tag in ("NNG", "NNP") and len(form) == 1) or (tag == "NNB" and form in _NUMBERED)


def _without_weak(parts: Iterable[KoreanPiece]) -> Iterator[KoreanPiece]:
    for part in parts:
        word = part.term
        good = word not in _STOP_WORDS and (len(word) > 1 or word in KOREAN_SHORT_NOUNS or not HANGUL.search(word))
        yield part if good else part._replace(term="")
