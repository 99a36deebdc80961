"""Korean words to the nouns that may name a text, without particles and endings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from explorer.analysis.text.korean import HANGUL, INFLECTING, KoreanPiece, morphemes
from explorer.analysis.text.korean_process import Morpheme
from explorer.analysis.text.stop_words import KOREAN_SHORT_NOUNS, KOREAN_STOP_WORDS, KOREAN_WEAK_WORDS

_NOUNS = frozenset({"NNG", "NNP", "SL", "SH"})
_STOP = KOREAN_STOP_WORDS | KOREAN_WEAK_WORDS
_NUMBERED = frozenset({"호"})  # ends the name of a ship or a rocket, though it counts as a unit


def nouns(words: Sequence[str]) -> list[list[KoreanPiece]]:
    """The nouns of each word by place, an empty one for everything else.

    A word is what stands between spaces: analysed by itself it need be analysed only once, and several at a time
    use several cores. A compound gives its parts. Without kiwipiepy a word is taken as it stands.
    """
    found = morphemes(words)
    if found is None:
        return [[KoreanPiece(0, len(word), word)] for word in words]
    return [list(_kept(_parts(tokens))) for tokens in found]


def _parts(tokens: Iterable[Morpheme]) -> list[KoreanPiece]:
    """Nouns with the prefixes, suffixes and single syllables that belong to them."""
    parts: list[KoreanPiece] = []
    open_ = False  # whether what follows may be added to the last part
    for token in tokens:
        piece = KoreanPiece(token.start, token.start + token.len, token.form)
        tag = token.tag.partition("-")[0]
        touching = bool(parts) and parts[-1].end == piece.start and parts[-1].term != ""
        if open_ and touching and (_belongs(tag, token.form) or (tag in _NOUNS and len(parts[-1].term) == 1)):
            parts[-1] = KoreanPiece(parts[-1].start, piece.end, parts[-1].term + token.form)
        elif tag in _NOUNS or tag == "XPN":
            parts.append(piece)
        else:
            parts.append(piece._replace(term=""))
        open_ = parts[-1].term != "" and tag != "SL"
    return parts


def _belongs(tag: str, form: str) -> bool:
    """Whether a morpheme is a part of the noun before it."""
    if tag == "XSN":
        return form not in INFLECTING and form != "적"
    return (tag in ("NNG", "NNP") and len(form) == 1) or (tag == "NNB" and form in _NUMBERED)


def _kept(parts: Iterable[KoreanPiece]) -> Iterator[KoreanPiece]:
    for part in parts:
        word = part.term
        good = word not in _STOP and (len(word) > 1 or word in KOREAN_SHORT_NOUNS or not HANGUL.search(word))
        yield part if good else part._replace(term="")
