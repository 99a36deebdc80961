"""The Korean word pieces that the bundled vocabulary gains, and the tokenizer with them.

Pieces follow morphemes, so that a noun is the same piece before any particle, and each has the vector of what it means.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from morphemes import Morpheme, Segment, hangul

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from morphemes import Korean
    from numpy.typing import NDArray

INSIDE = "##"  # marks a piece that does not begin a word
LETTERS = "ㅋㅎㅠㅜㅇㄱㄴㄷㄹㅁㅂㅅㅈㅊㅌㅍㄲㄸㅃㅆㅉㅏㅑㅓㅕㅗㅛㅡㅣ"  # written alone, as in ㅋㅋ
FREQUENT = 3  # times that a piece comes in the texts
WITHIN, CONJUGATED = (3000, 8000)  # frequent morphemes: that many nouns also within words, verbs also with endings
_CONTRACTING = (("었", "EP"), ("어", "EC"), ("ᆫ", "ETM"), ("ᆯ", "ETM"), ("ᆸ니다", "EF"))
_UNUSED = "[unused"
_FIRST, _LAST, _ENDS = "가", "힣", 28  # syllables, in rows of one without and 27 with a last consonant
_BYTES = 2
_OLD_LETTERS = ("ᄀ", "ᇿ")  # of decomposed syllables, which come no more


@dataclass(frozen=True)
class Pieces:
    """Word pieces.

    Attributes:
        texts: The pieces.
        vectors: What each means in the space of the morphemes, (P, m).
    """

    texts: list[str]
    vectors: NDArray[np.float32]


def choose(korean: Korean, vectors: NDArray[np.float32], texts: Sequence[str], count: int) -> Pieces:
    """The pieces: single syllables, what is frequent in the texts, then the dictionary from its frequent words on.

    Args:
        korean: The analyser.
        vectors: Of its morphemes.
        texts: Korean texts.
        count: How many.
    """
    syllables = _syllables(korean.vocabulary)
    chosen: dict[str, dict[int, float]] = syllables | dict(_frequent(korean.words(texts)))
    for piece, number in _dictionary(korean):
        if len(chosen) >= count:
            break
        if piece not in chosen:
            chosen[piece] = {number: 1.0}
    centred = vectors - vectors.mean(axis=0)
    found = [_mean(means, centred) for means in chosen.values()]
    return Pieces(list(chosen), np.array(found, np.float32))


def _mean(means: dict[int, float], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The weighted mean of morphemes' vectors, (m,); 0 where there is none."""
    if not means:
        return np.zeros(vectors.shape[1], np.float32)
    mean: NDArray[np.float32] = np.average(vectors[list(means)], axis=0, weights=list(means.values()))
    return mean


def _syllables(vocabulary: Iterable[Morpheme]) -> dict[str, dict[int, float]]:
    """Each syllable at the beginning of a word and within, with the words it comes in, the frequent ones first."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for each in vocabulary:
        if hangul(each.form):
            for place, syllable in enumerate(each.form):
                for piece in (syllable, INSIDE + syllable) if len(each.form) == 1 else (_at(place, syllable),):
                    found[piece].setdefault(each.id, 1 / (each.id * len(each.form) ** 2))
    for syllable in sorted({piece.removeprefix(INSIDE) for piece in found}):
        found[syllable] = found.get(syllable) or found[INSIDE + syllable]
        found[INSIDE + syllable] = found.get(INSIDE + syllable) or found[syllable]
    letters = {_at(place, letter): {} for letter in LETTERS for place in (0, 1)}
    return {piece: dict(list(means.items())[:30]) for piece, means in found.items()} | letters


def _at(place: int, text: str) -> str:
    return (INSIDE if place else "") + text


def _frequent(words: Iterator[tuple[bool, list[Segment]]]) -> Iterator[tuple[str, dict[int, float]]]:
    """Pieces that come often, with the morphemes in them: segments, and ends of words that mean nothing alone."""
    counts: Counter[str] = Counter()
    means: dict[str, Counter[int]] = defaultdict(Counter)
    for begins, word in words:
        last = len(word)
        while last and not word[last - 1].content:
            last -= 1
        parts = [(place, (segment,)) for place, segment in enumerate(word)]
        if last < len(word) - 1:
            parts.append((last, tuple(word[last:])))
        for place, segments in parts:
            piece = _at(place or not begins, "".join(each.text for each in segments))
            counts[piece] += 1
            for each in segments:
                means[piece].update(each.morphemes[:1] if each.content else each.morphemes)
    for piece, count in counts.most_common():
        if count >= FREQUENT and len(piece.removeprefix(INSIDE)) > 1:
            yield piece, dict(means[piece])


def _dictionary(korean: Korean) -> Iterator[tuple[str, int]]:
    """Words of the dictionary as they are written: nouns also within a word, verbs also grown together with endings."""
    for each in korean.vocabulary:
        if not hangul(each.form) or not each.content:
            continue
        yield each.form, each.id
        if each.tag == "NNG" and len(each.form) > 1 and each.id < WITHIN:
            yield INSIDE + each.form, each.id
        if each.tag.startswith(("VV", "VA")) and each.id < CONJUGATED:
            for ending in _CONTRACTING:
                written = korean.joined(each, ending)[: len(each.form)]
                if hangul(written) and written != each.form:
                    yield written, each.id


def tokenizer_json(text: str, pieces: Sequence[str]) -> tuple[str, list[int]]:
    """The bundled tokenizer with more pieces: its settings as JSON, and the ids of the pieces.

    Syllables are put together again after the bundled normaliser has taken them apart; English is cut as before.
    Pieces first take the places that the vocabulary keeps unused, so that every other id stays.
    """
    settings: dict[str, Any] = json.loads(text)
    known: dict[str, int] = settings["model"]["vocab"]
    size = len(known)
    free = sorted(number for word, number in known.items() if word.startswith(_UNUSED) or _old_letter(word))
    taken = set(free)
    vocabulary = {word: number for word, number in known.items() if number not in taken}
    fresh = [piece for piece in pieces if piece not in vocabulary]
    places = free + list(range(size, size + len(fresh) - len(free)))
    vocabulary |= dict(zip(fresh, places, strict=True))
    settings["model"]["vocab"] = dict(sorted(vocabulary.items(), key=lambda item: item[1]))
    settings["normalizer"] = {"type": "Sequence", "normalizers": [settings["normalizer"], {"type": "NFC"}]}
    settings["truncation"] = settings["padding"] = None
    return json.dumps(settings, ensure_ascii=False, separators=(",", ":")), [vocabulary[piece] for piece in pieces]


def _old_letter(word: str) -> bool:
    letter = word.removeprefix(INSIDE)
    return len(letter) == 1 and _OLD_LETTERS[0] <= letter <= _OLD_LETTERS[1]


def missing(vocabulary: Mapping[str, int]) -> dict[str, str]:
    """Syllables in common use that are no pieces, such as 될 and 렸, each with the piece that it is nearest to.

    No morpheme has them: they come where a stem and an ending have grown together. Without them a word that holds one
    would be unknown as a whole. The nearest is the syllable without its last consonant, 되 and 려; if that is none
    either, the mark of an unknown word.
    """
    found = {}
    for number in range(ord(_FIRST), ord(_LAST) + 1):
        syllable, alone = chr(number), chr(number - (number - ord(_FIRST)) % _ENDS)
        if _common(syllable):
            for piece, nearest in ((syllable, alone), (INSIDE + syllable, INSIDE + alone)):
                if piece not in vocabulary:
                    found[piece] = nearest if nearest in vocabulary else "[UNK]"
    return found


def _common(syllable: str) -> bool:
    """Whether the Korean standard KS X 1001 has a syllable: 2,350 of the 11,172 that can be written."""
    try:
        return len(syllable.encode("euc_kr")) == _BYTES
    except UnicodeEncodeError:
        return False
