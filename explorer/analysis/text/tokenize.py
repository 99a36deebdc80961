"""Turn text into index terms: what makes "running" find "run", and "학교" find "학교에서".

The terms feed an FTS5 table tokenised by `unicode61 remove_diacritics 2`, which leaves them as they are. Stemming is
done here rather than by FTS5's `porter`: the highlighter needs to know in Python which word became which term,
Korean needs its own analyser anyway, and two stemmers in a row would not be the one that the query went through.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer

from explorer.analysis.text import korean
from explorer.analysis.text.characters import (
    HAN,
    HANGUL,
    HANGUL_SYLLABLES,
    HIRAGANA,
    JAMO,
    KATAKANA,
    SOUTHEAST_ASIAN,
    UNSPACED,
    VOWEL_SIGNS,
    normalise,
)
from explorer.analysis.text.korean import KoreanPiece, character_pairs
from explorer.analysis.text.stop_words import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS

_UNSPACED = re.compile(f"(?P<han>[{HAN}]+)|[{HIRAGANA}]+|[{KATAKANA}]+")
_LETTER = rf"(?![{SOUTHEAST_ASIAN}])(?:[^\W_{UNSPACED}{JAMO}{HANGUL_SYLLABLES}]|[{VOWEL_SIGNS}])"
_SOUTHEAST_ASIAN = re.compile(f"[{SOUTHEAST_ASIAN}]+")
_PRIVATE = 0xE000  # the first letter for private use
_JOINED = r"[-‐‑_.,'’]"
_END = r"(?:\+\+|(?<=\b[CcFf])\#)?"
_ASCII_WORD = re.compile(rf"[A-Za-z0-9]+(?:{_JOINED}[A-Za-z0-9]+)*{_END}")
_WORD = re.compile(rf"{_LETTER}+(?:{_JOINED}{_LETTER}+)*{_END}")
_JOINT = re.compile(f"({_JOINED})")
_PART = re.compile(_JOINED.replace("[", "[^") + "+")
_HYPHENS = frozenset("-‐‑_")
_CONTRACTED = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})
_LONGEST_WORD = 100  # characters; longer is a chain of words, or not a word at all
_LONGEST_COMPOUND = 4  # parts; more is the title in a web address, or the rule of a table
_POINT = "\ua4f8"  # a letter to FTS5 that looks like the point of "3.14"
# The analyser of Korean takes more than twice the time for twice the length without a space.
_LINE = re.compile(r"[^\n]{1,2000}(?![^\s])|[^\n]{1,2000}")
_BATCH = 256  # texts


class _Stemmers(threading.local):
    """A stemmer for each thread, as it keeps the word that it works on in itself."""

    def __init__(self) -> None:
        self.english = EnglishStemmer()


_stemmers = _Stemmers()


def analyse(text: str) -> str:
    """Return the index terms of a text, with spaces between them.

    Words are folded to lower case without diacritics and stemmed; "3.14" and "C++" stay whole; "GPT-4" gives
    "gpt4", "gpt" and "4". Korean comes as morphemes (see `korean.pieces`). Chinese and Japanese come as pairs of
    neighbouring characters within one script, and ideographs also one by one; Thai, Lao, Burmese and Khmer as pairs of
    neighbouring letters with their signs.

    Example:
        >>> analyse("Running dogs: COVID-19, 3,000 C++ files")
        'run dog covid19 covid 19 3000 cplusplus file'
    """
    return next(analyse_all([text]))


def analyse_all(texts: Iterable[str]) -> Iterator[str]:
    """Yield `analyse` of each text in turn; Korean on several cores."""
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _BATCH:
            yield from _analyse_batch(batch)
            batch = []
    yield from _analyse_batch(batch)


def terms(query: str) -> list[str]:
    """Return the distinct terms to search for, in the order of the query.

    English stop words are left out unless there is nothing else. Korean ones stay: without them the ranking of
    short questions fell from nDCG@10 0.70 to 0.62. Of Chinese and Japanese words only the pairs are used, which
    say more than single characters.
    """
    [pieces] = _pieces([unicodedata.normalize("NFKC", query)], singles=False)
    distinct = list(dict.fromkeys(piece.term for piece in sorted(pieces, key=lambda piece: piece.start)))
    return [term for term in distinct if term not in _SKIPPED] or distinct


def highlight(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Return the spans of the words that give one of the terms, in order and without overlaps.

    Stop words are marked only if there is nothing else to mark.

    Example:
        >>> highlight("He runs; running is fun.", terms("run"))
        [(3, 7), (9, 16)]
    """
    return highlight_all([text], wanted)[0]


def highlight_all(texts: Sequence[str], wanted: Collection[str]) -> list[list[tuple[int, int]]]:
    """Return `highlight` of each text; together they cost less, as Korean is analysed by another process."""
    wanted = frozenset(wanted)
    wanted = (wanted - STOP_TERMS) or wanted
    if not wanted:
        return [[] for _ in texts]
    nfkc = [normalise(text) for text in texts]
    return [
        merge_spans(sorted(text.original(piece.start, piece.end) for piece in pieces if piece.term in wanted))
        for text, pieces in zip(nfkc, _pieces([text.text for text in nfkc], singles=True), strict=True)
    ]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word by Snowball's English stemmer (Porter 2).

    Words of one or two letters and words with other characters are returned as they are.

    Example:
        >>> stem("running"), stem("relational"), stem("skies")
        ('run', 'relat', 'sky')
    """
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    return str(_stemmers.english.stemWord(word))


def version() -> str:
    """Return the version of the analysis: an index made by another version must be rebuilt."""
    return f"words 3, {korean.version()}"


def _analyse_batch(batch: Sequence[str]) -> Iterator[str]:
    # ASCII, most of many short texts, without positions, which took most of the time.
    others = _pieces([unicodedata.normalize("NFKC", text) for text in batch if not text.isascii()], singles=True)
    rest = iter(others)
    for text in batch:
        if text.isascii():
            yield " ".join(filter(None, map(_word_terms, _ASCII_WORD.findall(text))))
        else:
            yield " ".join([piece.term for piece in next(rest)])


@lru_cache(maxsize=1 << 17)
def _word_terms(word: str) -> str:
    pieces = _word_pieces.__wrapped__(word) if len(word) <= _LONGEST_WORD else _long_word_pieces(word)
    return " ".join(piece.term for piece in pieces)


def _pieces(texts: Sequence[str], *, singles: bool) -> list[list[KoreanPiece]]:
    """Return the terms of normalised texts with their positions; `singles` adds each ideograph alone."""
    results = [list(_spaced_terms(text)) for text in texts]
    for text, pieces in zip(texts, results, strict=True):
        if not text.isascii():
            pieces.extend(_unspaced_terms(text, singles=singles))
    lines = [(index, start, line) for index, text in enumerate(texts) for start, line in _korean_lines(text)]
    for (index, start, _), pieces in zip(lines, korean.pieces([line for *_, line in lines]), strict=True):
        results[index].extend(KoreanPiece(start + piece.start, start + piece.end, piece.term) for piece in pieces)
    return results


def _spaced_terms(text: str) -> Iterator[KoreanPiece]:
    """Yield the terms of what is between spaces: Latin, Greek, Cyrillic, Arabic and other words, and numbers."""
    for match in (_ASCII_WORD if text.isascii() else _WORD).finditer(text):
        start, word = match.start(), match[0]
        pieces = _word_pieces(word) if len(word) <= _LONGEST_WORD else _long_word_pieces(word)
        for piece in pieces:
            yield KoreanPiece(start + piece.start, start + piece.end, piece.term)


def _unspaced_terms(text: str, *, singles: bool) -> Iterator[KoreanPiece]:
    for run in _UNSPACED.finditer(text):
        yield from character_pairs(run[0], run.start())
        if singles and run["han"] and len(run[0]) > 1:
            yield from (KoreanPiece(run.start() + n, run.start() + n + 1, sign) for n, sign in enumerate(run[0]))
    for run in _SOUTHEAST_ASIAN.finditer(text):
        starts = [at for at in range(*run.span()) if at == run.start() or not _is_sign(text[at])]
        edges = [*starts, run.end()]
        for start, end in zip(edges, edges[2:] or edges[1:], strict=False):
            yield KoreanPiece(start, end, _fold(text[start:end]))


def _korean_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with Hangul and where they begin; long ones in several, cut at a space if there is one."""
    if text.isascii() or not HANGUL.search(text):
        return
    for match in _LINE.finditer(text):
        if HANGUL.search(match[0]):
            yield match.start(), match[0]


@lru_cache(maxsize=1 << 16)
def _word_pieces(word: str) -> tuple[KoreanPiece, ...]:
    """Return the terms of a word and their positions in it."""
    if word.isalpha():
        return (KoreanPiece(0, len(word), stem(_fold(word))),)
    if word.endswith(("++", "#")):
        return (KoreanPiece(0, len(word), _fold(word).replace("++", "plusplus").replace("#", "sharp")),)
    parts, joints = _join_parts(_JOINT.split(word))
    stemmed = [part._replace(term=stem(part.term)) for part in parts]
    if 1 < len(parts) <= _LONGEST_COMPOUND and joints <= _HYPHENS:
        whole = "".join(part.term for part in parts)
        stemmed.insert(0, KoreanPiece(parts[0].start, parts[-1].end, stem(whole)))
    return tuple(stemmed)


def _long_word_pieces(word: str) -> Iterator[KoreanPiece]:
    """Yield the parts of a chain of words; encoded bytes and the like are left out."""
    for part in _PART.finditer(word):
        if len(part[0]) <= _LONGEST_WORD:
            yield KoreanPiece(part.start(), part.end(), stem(_fold(part[0])))


def _join_parts(pieces: list[str]) -> tuple[list[KoreanPiece], set[str]]:
    """Return the parts of a word, with numbers and contractions joined again, and the joints left between them.

    Args:
        pieces: Parts and joints in turn.
    """
    if len(pieces) > 3 and set(pieces[1::2]) == {"."} and all(len(part) == 1 for part in pieces[::2]):
        return [KoreanPiece(0, 2 * len(pieces[::2]) - 1, _fold("".join(pieces[::2])))], set()  # "U.S.A"
    parts = [KoreanPiece(0, len(pieces[0]), _fold(pieces[0]))]
    joints: set[str] = set()
    for joint, part in zip(pieces[1::2], pieces[2::2], strict=True):
        last, start = parts[-1], parts[-1].end + 1
        end, glue = start + len(part), _join(last.term, joint, part)
        if glue is None:
            joints.add(joint)
            parts.append(KoreanPiece(start, end, _fold(part)))
        else:
            parts[-1] = KoreanPiece(last.start, end, glue)
    return parts, joints


def _join(before: str, joint: str, after: str) -> str | None:
    """Return the one term that two parts make, or None if they are two terms."""
    if joint in ".,":
        if not (before[-1].isdigit() and after[0].isdigit()):
            return None
        if joint == ".":
            return before + _POINT + _fold(after)
        return before + after if len(after) == 3 and after.isdigit() else None
    if joint in "'’" and after.lower() in _CONTRACTED:
        return before.removesuffix("n") if after in "tT" and before != "can" else before
    return None


def _fold(word: str) -> str:
    """Return the word in lower case, its Latin letters without diacritics, its signs as letters."""
    return word.lower() if word.isascii() else "".join(map(_plain, word)).lower()


@lru_cache(maxsize=1 << 12)
def _plain(sign: str) -> str:
    if _is_sign(sign):
        # FTS5 would cut the word here, and a query for it would find nothing; a letter for private use is one to it.
        return chr(_PRIVATE + ord(sign) - 0x0900) if 0x0900 <= ord(sign) <= 0x17FF else sign
    base = unicodedata.normalize("NFD", sign)[0]
    return base if base.isascii() else sign


def _is_sign(sign: str) -> bool:
    """Return whether a character is written on, around or below the one before it."""
    return unicodedata.category(sign) in ("Mn", "Mc")


def merge_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted spans with those that overlap joined."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


_PARTICLES = frozenset("はがのをにでともへや")  # of Japanese
_SKIPPED = _PARTICLES | {stem(word) for word in ENGLISH_STOP_WORDS if word.isalpha()}
STOP_TERMS = KOREAN_STOP_WORDS | _SKIPPED
