"""Porter's stemmer: an English word to the stem it shares with its other forms.

M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980), with the two changes of the author's own
later program: "bli" for "abli", and "logi" to "log".
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip


def _by_length(suffixes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(suffixes, key=len, reverse=True))


# The longest suffix that fits is the one that counts.
_STEP_2_SUFFIXES = _by_length(tuple(_STEP_2))
_STEP_3_SUFFIXES = _by_length(tuple(_STEP_3))
_STEP_4_SUFFIXES = _by_length(_STEP_4)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a lower-case word; words of one or two letters and words with other signs stay.

    Example:
        >>> stem("running"), stem("relational"), stem("skies")
        ('run', 'relat', 'ski')
    """
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replaced(word, _STEP_2_SUFFIXES, _STEP_2)
    word = _replaced(word, _STEP_3_SUFFIXES, _STEP_3)
    return _step_5(_step_4(word))


def _consonants(word: str) -> list[bool]:
    """Which letters are consonants: all but aeiou, and y unless it follows a consonant."""
    found: list[bool] = []
    for place, letter in enumerate(word):
        found.append(not (place and found[-1]) if letter == "y" else letter not in "aeiou")
    return found


def _measure(word: str) -> int:
    """Porter's m: how often consonants follow vowels."""
    kinds = _consonants(word)
    return sum(after and not before for before, after in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _consonants(word)[-1]


def _ends_short(word: str) -> bool:
    """Whether the word ends consonant, vowel, consonant, the last not w, x or y."""
    return _consonants(word)[-3:] == [True, False, True] and word[-1] not in "wxy"


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        base = word.removesuffix(suffix)
        if base != word:
            return _mended(base) if _has_vowel(base) else word
    return word


def _mended(base: str) -> str:
    """The base with the e that its ending took, or without the letter that it doubled."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _ends_double(base) and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_short(base) else base


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replaced(word: str, suffixes: tuple[str, ...], endings: dict[str, str]) -> str:
    for suffix in suffixes:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + endings[suffix] if _measure(base) > 0 else word
    return word


def _step_4(word: str) -> str:
    for suffix in _STEP_4_SUFFIXES:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            fits = _measure(base) > 1 and (suffix != "ion" or base.endswith(("s", "t")))
            return base if fits else word
    return word


def _step_5(word: str) -> str:
    base = word[:-1]
    if word.endswith("e") and (_measure(base) > 1 or (_measure(base) == 1 and not _ends_short(base))):
        word = base
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
