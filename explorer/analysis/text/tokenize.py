"""Text to index terms: what makes "running" find "run", and "학교" find "학교에서".

The terms feed an FTS5 table tokenised by `unicode61 remove_diacritics 2`, for which they are final. Stemming is
done here rather than by FTS5's `porter`: the highlighter needs to know in Python which word became which term,
Korean needs its own analyser anyway, and two stemmers in a row would not be the one that the query went through.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from explorer.analysis.text import korean
from explorer.analysis.text.korean import KoreanPiece, character_pairs
from explorer.analysis.text.nfkc import normalise
from explorer.analysis.text.stemmer import stem
from explorer.analysis.text.stop_words import ENGLISH_STOP_WORDS, KOREAN_STOP_WORDS

__all__ = [
    "ENGLISH_STOP_WORDS",
    "KOREAN_STOP_WORDS",
    "STOP_TERMS",
    "analyse",
    "analyse_all",
    "highlight",
    "match_any",
    "terms",
    "version",
]

_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HIRAGANA = r"\u3041-\u309f"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_JAMO = r"\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\ud7b0-\ud7ff"
_UNSPACED = re.compile(f"(?P<han>[{_HAN}]+)|[{_HIRAGANA}]+|[{_KATAKANA}]+")
# Scripts from India to Cambodia, whose vowel signs are no \w.
_SIGNS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0eff\u1000-\u109f\u1780-\u17ff"
_LETTER = rf"(?:[^\W_{_HAN}{_HIRAGANA}{_KATAKANA}{_JAMO}\uac00-\ud7a3]|[{_SIGNS}])"
_JOINED = r"[-‐‑_.,'’]"
_END = r"(?:\+\+|(?<=\b[CcFf])\#)?"
_ASCII_WORD = re.compile(rf"[A-Za-z0-9]+(?:{_JOINED}[A-Za-z0-9]+)*{_END}")
_WORD = re.compile(rf"{_LETTER}+(?:{_JOINED}{_LETTER}+)*{_END}")
_JOINT = re.compile(f"({_JOINED})")
_PART = re.compile(_JOINED.replace("[", "[^") + "+")
_HYPHENS = frozenset("-‐‑_")
_CONTRACTED = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})
_LONGEST_WORD = 100  # characters; longer is a chain of words, or no word at all
_LONGEST_COMPOUND = 4  # parts; more is a title in an address, or a table's rule
_POINT = "\ua4f8"  # a letter to FTS5 that looks like the point of "3.14"
# The analyser of Korean takes more than twice the time for twice the length without a space.
_LINE = re.compile(r"[^\n]{1,2000}(?![^\s])|[^\n]{1,2000}")
_BATCH = 256  # texts


def analyse(text: str) -> str:
    """The index terms of a text, with spaces between them.

    Words are folded to lower case without diacritics and stemmed; "3.14" and "C++" stay whole; "GPT-4" gives
    "gpt4", "gpt" and "4". Korean comes as morphemes (see `korean.pieces`). Chinese and Japanese come as pairs of
    neighbouring characters within one script, and ideographs also one by one.

    Example:
        >>> analyse("Running dogs: COVID-19, 3,000 C++ files")
        'run dog covid19 covid 19 3000 cplusplus file'
    """
    return next(analyse_all([text]))


def analyse_all(texts: Iterable[str]) -> Iterator[str]:
    """`analyse` of each text in turn; Korean on several cores."""
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _BATCH:
            yield from _analysed(batch)
            batch = []
    yield from _analysed(batch)


def terms(query: str) -> list[str]:
    """The distinct terms to look for, in the order of the query.

    English stop words are left out unless there is nothing else. Korean ones stay: without them the ranking of
    short questions fell from nDCG@10 0.70 to 0.62. Of Chinese and Japanese words only the pairs are taken, which
    say more than single characters.
    """
    [pieces] = _pieces([unicodedata.normalize("NFKC", query)], singles=False)
    found = list(dict.fromkeys(piece.term for piece in sorted(pieces, key=lambda piece: piece.start)))
    return [term for term in found if term not in _SKIPPED] or found


def match_any(found: Iterable[str]) -> str:
    """The FTS5 expression for any of the terms; empty for none."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in found)


def highlight(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Where in the text the words are that give one of the terms: spans in order, apart from each other.

    Stop words are marked only where there is nothing else to mark.

    Example:
        >>> highlight("He runs; running is fun.", terms("run"))
        [(3, 7), (9, 16)]
    """
    wanted = frozenset(wanted)
    wanted = (wanted - STOP_TERMS) or wanted
    if not wanted:
        return []
    normal = normalise(text)
    [pieces] = _pieces([normal.text], singles=True)
    return _merged(
        sorted(normal.original(piece.start, piece.end) for piece in pieces if piece.term in wanted)
    )


def version() -> str:
    """Names the analysis: an index made by another version must be made anew."""
    return f"words 1, {korean.version()}"


def _analysed(batch: Sequence[str]) -> Iterator[str]:
    normal = [unicodedata.normalize("NFKC", text) for text in batch]
    for pieces in _pieces(normal, singles=True):
        yield " ".join([piece.term for piece in pieces])


def _pieces(texts: Sequence[str], *, singles: bool) -> list[list[KoreanPiece]]:
    """The terms of normalised texts with their places; `singles` adds each ideograph alone."""
    found = [list(_spaced(text)) for text in texts]
    for text, pieces in zip(texts, found, strict=True):
        if not text.isascii():
            pieces.extend(_unspaced(text, singles=singles))
    lines = [
        (number, start, line) for number, text in enumerate(texts) for start, line in _korean_lines(text)
    ]
    for (number, start, _), pieces in zip(lines, korean.pieces([line for *_, line in lines]), strict=True):
        found[number].extend(
            KoreanPiece(start + piece.start, start + piece.end, piece.term) for piece in pieces
        )
    return found


def _spaced(text: str) -> Iterator[KoreanPiece]:
    """The terms of what stands between spaces: Latin, Greek, Cyrillic, Arabic and other words, and numbers."""
    for match in (_ASCII_WORD if text.isascii() else _WORD).finditer(text):
        start, word = match.start(), match[0]
        pieces = _word_pieces(word) if len(word) <= _LONGEST_WORD else _long_word_pieces(word)
        for piece in pieces:
            yield KoreanPiece(start + piece.start, start + piece.end, piece.term)


def _unspaced(text: str, *, singles: bool) -> Iterator[KoreanPiece]:
    for run in _UNSPACED.finditer(text):
        yield from character_pairs(run[0], run.start())
        if singles and run["han"] and len(run[0]) > 1:
            yield from (
                KoreanPiece(run.start() + n, run.start() + n + 1, sign) for n, sign in enumerate(run[0])
            )


def _korean_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with Hangul and where they begin; long ones in several, cut at a space where there is one."""
    if text.isascii() or not korean.HANGUL.search(text):
        return
    for match in _LINE.finditer(text):
        if korean.HANGUL.search(match[0]):
            yield match.start(), match[0]


@lru_cache(maxsize=1 << 16)
def _word_pieces(word: str) -> tuple[KoreanPiece, ...]:
    """The terms of one word and their places in it."""
    if word.isalpha():
        return (KoreanPiece(0, len(word), stem(_folded(word))),)
    if word.endswith(("++", "#")):
        return (KoreanPiece(0, len(word), _folded(word).replace("++", "plusplus").replace("#", "sharp")),)
    parts, joints = _glued(_JOINT.split(word))
    stemmed = [part._replace(term=stem(part.term)) for part in parts]
    if 1 < len(parts) <= _LONGEST_COMPOUND and joints <= _HYPHENS:
        whole = "".join(part.term for part in parts)
        stemmed.insert(0, KoreanPiece(parts[0].start, parts[-1].end, stem(whole)))
    return tuple(stemmed)


def _long_word_pieces(word: str) -> Iterator[KoreanPiece]:
    """The parts of a chain of words; what is encoded bytes or the like is left out."""
    for part in _PART.finditer(word):
        if len(part[0]) <= _LONGEST_WORD:
            yield KoreanPiece(part.start(), part.end(), stem(_folded(part[0])))


def _glued(pieces: list[str]) -> tuple[list[KoreanPiece], set[str]]:
    """The parts of a word, numbers and contractions made one again, and the joints left between them.

    Args:
        pieces: Parts and joints in turn.
    """
    if len(pieces) > 3 and set(pieces[1::2]) == {"."} and all(len(part) == 1 for part in pieces[::2]):
        return [KoreanPiece(0, 2 * len(pieces[::2]) - 1, _folded("".join(pieces[::2])))], set()  # "U.S.A"
    parts = [KoreanPiece(0, len(pieces[0]), _folded(pieces[0]))]
    joints: set[str] = set()
    for joint, part in zip(pieces[1::2], pieces[2::2], strict=True):
        last, start = parts[-1], parts[-1].end + 1
        end, glue = start + len(part), _glue(last.term, joint, part)
        if glue is None:
            joints.add(joint)
            parts.append(KoreanPiece(start, end, _folded(part)))
        else:
            parts[-1] = KoreanPiece(last.start, end, glue)
    return parts, joints


def _glue(before: str, joint: str, after: str) -> str | None:
    """The one term that two parts make, or None where they are two."""
    if joint in ".,":
        if not (before[-1].isdigit() and after[0].isdigit()):
            return None
        if joint == ".":
            return before + _POINT + _folded(after)
        return before + after if len(after) == 3 and after.isdigit() else None
    if joint in "'’" and after.lower() in _CONTRACTED:
        return before.removesuffix("n") if after in "tT" and before != "can" else before
    return None


def _folded(word: str) -> str:
    """The word in lower case, its Latin letters without diacritics."""
    return word.lower() if word.isascii() else "".join(map(_plain, word)).lower()


def _plain(sign: str) -> str:
    base = unicodedata.normalize("NFD", sign)[0]
    return base if base.isascii() else sign


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
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
