"""Rate how likely a decoded text is in one of the languages known here."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import mul

from explorer.corpus.encoding import letter_frequencies

_LETTERS = re.compile(r"[^\W\d_]+")

ASCII = -4.5  # the weight of a character that every encoding here has
_UNLIKELY, _JUNK, _BROKEN = -11.0, -18.0, -26.0
_SCRIPTS_MEET = -7.0  # "wоrd": letters of two alphabets side by side
_LONELY = -4.0  # one foreign letter alone among ASCII words: rather an accent, "à"
_MISPLACED = -5.0  # a letter where spelling forbids it
_CASE_RISES = -5.0  # "пРИВЕТ": a small letter before a capital
_NEVER_FIRST, _ALWAYS_LAST, _VOWELS = frozenset("ьыъς"), frozenset("םןךףץς"), frozenset("аеиоуыэюяіїєё")


@dataclass(frozen=True)
class LanguageModel:
    """What one language expects of a text, as natural logarithms of shares.

    Attributes:
        known: Listed characters.
        family: "latin", "alphabet" (another one), or "wide" for the scripts of East Asia.
        native: The codec whose order tells common ideographs from rare ones; empty outside East Asia.
        ascii: How much likelier than on average each letter a to z is; empty where that is not known.
    """

    known: Mapping[str, float]
    family: str
    native: str = ""
    ascii: tuple[float, ...] = ()


@dataclass(frozen=True)
class Context:
    """What stands around the words that are read.

    Attributes:
        ascii: How often each letter a to z occurs near the start of the text.
        sparse: Whether most words there have ASCII letters only.
    """

    ascii: tuple[int, ...]
    sparse: bool


def likelihood(text: str, model: LanguageModel, context: Context) -> float:
    """Return the logarithm of how likely a text is in a language, up to a constant."""
    total = 0.0
    before = " "
    for char in text:
        total += _weight(char, model)
        if not (char.isascii() and before.isascii()):
            total += _meeting(before, char, model)
        before = char
    if model.ascii:
        total += sum(map(mul, model.ascii, context.ascii)) * min(1.0, 100.0 / (1 + sum(context.ascii)))
    elif context.sparse:
        total += _LONELY * sum(1 for word in _LETTERS.findall(text) if len(word) == 1 and not word.isascii())
    return total


def _weight(char: str, model: LanguageModel) -> float:
    if char < "\x80":
        return ASCII if char >= " " or char in "\n\t\r" else _JUNK
    known = model.known.get(char)
    if known is not None:
        return known
    small = model.known.get(char.lower()) if model.family != "wide" else None
    return small - 2.0 if small is not None else _foreign(char, model.family, model.native)


@lru_cache(maxsize=20_000)
def _foreign(char: str, family: str, native: str) -> float:
    """Return the weight of a character that its language does not list."""
    if char == "\ufffd":
        return _BROKEN
    if char in letter_frequencies.PUNCTUATION:
        return -7.5
    if char in letter_frequencies.SYMBOLS:
        return -9.5
    category = unicodedata.category(char)
    if category[0] == "C":
        return _JUNK
    if native and category == "Lo":
        return _ideograph(char, native)
    if family == "latin" and category[0] == "L":
        return -9.5 if unicodedata.name(char, "").startswith("LATIN") else _JUNK
    return _UNLIKELY if category[0] in "PSN" else _JUNK + 3.0


def _ideograph(char: str, native: str) -> float:
    """Return the weight of an unlisted syllable or ideograph: the standards put the common ones first."""
    last_common = {"euc_kr": 0xC8, "gb2312": 0xD7, "euc_jp": 0xCF, "big5": 0xC6}[native]
    try:
        encoded = char.encode(native)
    except UnicodeEncodeError:
        return -16.0
    if len(encoded) != 2 or "ｦ" <= char <= "ﾟ":
        return _JUNK + 2.0
    if native == "euc_kr" and not "가" <= char <= "힣":
        return -14.0
    return -10.5 if encoded[0] <= last_common else -13.5


def _meeting(before: str, char: str, model: LanguageModel) -> float:
    """Return the cost of two neighbours of which one at least is beyond ASCII."""
    if not (before.isalpha() and char.isalpha()):
        return _MISPLACED if char in _NEVER_FIRST else 0.0
    if model.family == "latin":
        crowded = -1.0 if before >= "\x80" and char >= "\x80" else 0.0
        return crowded + (_CASE_RISES if before.islower() and char.isupper() else 0.0)
    if before.isascii() or char.isascii():
        return _SCRIPTS_MEET if model.family == "alphabet" else -2.5
    if before in _ALWAYS_LAST or (char == "й" and before.lower() not in _VOWELS):
        return _MISPLACED
    if char.isupper():
        return 1.9 if before.isupper() else _CASE_RISES if before.islower() else 0.0
    return 0.0


@cache
def models() -> Mapping[str, tuple[LanguageModel, ...]]:
    """Return the languages by the group of encodings that serve them."""
    kana = {
        **_rank_weights(letter_frequencies.HIRAGANA, 0.5, 1.0),
        **_rank_weights(letter_frequencies.KATAKANA, 0.1, 0.8),
    }
    signs = _rank_weights(letter_frequencies.JAPANESE_SIGNS, 0.07, 1.0)
    chinese = _rank_weights(letter_frequencies.CHINESE_SIGNS, 0.12, 1.0)
    return {
        "korean": (
            _wide(
                _rank_weights(letter_frequencies.HANGUL, 0.95, 1.5),
                _rank_weights(letter_frequencies.KOREAN_SIGNS, 0.02, 0.5),
                "euc_kr",
            ),
        ),
        "japanese": (_wide(kana, _rank_weights(letter_frequencies.KANJI, 0.28, 0.8) | signs, "euc_jp"),),
        "simplified": (_wide(_rank_weights(letter_frequencies.SIMPLIFIED, 0.75, 0.9), chinese, "gb2312"),),
        "traditional": (_wide(_rank_weights(letter_frequencies.TRADITIONAL, 0.75, 0.9), chinese, "big5"),),
        "western": _build_models(letter_frequencies.WESTERN, "latin"),
        "central": _build_models(letter_frequencies.CENTRAL, "latin"),
        "turkish": _build_models(letter_frequencies.TURKISH, "latin"),
        "baltic": _build_models(letter_frequencies.BALTIC, "latin"),
        "cyrillic": _build_models(letter_frequencies.CYRILLIC, "alphabet"),
        "russian": _build_models({"Russian": letter_frequencies.CYRILLIC["Russian"]}, "alphabet"),
        "greek": _build_models(letter_frequencies.GREEK, "alphabet"),
        "hebrew": _build_models(letter_frequencies.HEBREW, "alphabet"),
        "arabic": _build_models(letter_frequencies.ARABIC, "alphabet"),
    }


def _wide(characters: Mapping[str, float], signs: Mapping[str, float], native: str) -> LanguageModel:
    return LanguageModel({**signs, **characters}, "wide", native)


def _build_models(languages: Mapping[str, str], family: str) -> tuple[LanguageModel, ...]:
    """Build the models of alphabetic languages from lines of shares such as "é1.9 è.3"."""
    built = []
    for name, line in languages.items():
        shares = {item[0]: float(item[1:]) for item in line.split()}
        total = sum(shares.values())
        # How much of a text the listed letters are; bounded, so that no language leads by it alone.
        density = min(8.0, max(4.0, total)) / 100 if family == "latin" else 1.0
        weights = {char: math.log(density * share / total) for char, share in shares.items()}
        built.append(LanguageModel(weights, family, ascii=_habits().get(name, ())))
    return tuple(built)


@cache
def _habits() -> Mapping[str, tuple[float, ...]]:
    """Return by language, how much likelier each letter a to z is than on average."""
    shares = {
        name: [float(share) for share in line.split()] for name, line in letter_frequencies.ASCII.items()
    }
    mean = [sum(column) / len(shares) for column in zip(*shares.values(), strict=True)]
    # 0.02 per cent keeps the letters that a language never uses from deciding alone.
    return {
        name: tuple(
            math.log((share + 0.02) / (average + 0.02)) for share, average in zip(row, mean, strict=True)
        )
        for name, row in shares.items()
    }


def _rank_weights(characters: str, share: float, fall: float) -> dict[str, float]:
    """Return weights that fall with the rank as (rank + 20) ** -fall and make up `share` of a text."""
    raw = [(rank + 20.0) ** -fall for rank in range(len(characters))]
    return {char: math.log(share * weight / sum(raw)) for char, weight in zip(characters, raw, strict=True)}
