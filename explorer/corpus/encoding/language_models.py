"""Rate how likely a decoded text is to be in one of the known languages."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise

from explorer.corpus.encoding import letter_frequencies
from explorer.paths import resources

ASCII = -4.5  # the weight of a character that every encoding here has
_UNLIKELY, _JUNK, _BROKEN = -11.0, -18.0, -26.0
_UNLISTED = -9.5  # a letter of the right script that the language does not write
_RARE_PAIR = -11.5  # two letters of the language that never meet in it
_SCRIPTS_MEET = -7.0  # "wоrd": letters of two alphabets side by side
_FOREIGN = -4.0  # another script in a text that is mostly a to z
_LONELY = -6.0  # one foreign letter alone among ASCII words: rather an accent, "à"
_MISPLACED = -5.0  # a letter where spelling forbids it
_CASE_RISES = -5.0  # "пРИВЕТ": a small letter before a capital
_BETWEEN = -4.0  # "ge”ffnet": a quotation mark or dash inside a word
_INSIDE_WORD = -3.0  # "c½ur": a sign beside a letter that does not go with letters
_NEVER_FIRST, _ALWAYS_LAST = frozenset("ьыъςًٌٍّْ"), frozenset("םןךףץς")
_BESIDE_LETTERS = frozenset("’‘“”«»„‚‹›–—…·°ªº¿¡\u00a0\u200c\u200d\u200e\u200f´`،؛؟")
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_])(?:[‘“”„‚‹›«»•°ªº¿¡،؛](?=[^\W\d_])|[–—…](?=[a-zß-ÿа-я]))")
_QUOTES = re.compile(r"[‘“”„‚‹›«»]")
_UNBALANCED = -3.0  # quotation marks of an odd number
# Means of a pair below which a text is not in any language here. Right readings were above in 989 of 1,000 strings
# of an interface in 24 languages, Kazakh and Tajik read as Russian below.
_STRANGE = {"latin": -4.5, "greek": -4.2, "cyrillic": -4.0, "hebrew": -4.4, "arabic": -4.9, "thai": -4.5}
_FEW_PAIRS = 8.0  # one odd letter of a few says little
_STRANGE_WIDE = -8.2  # the same for a character of East Asia
_MOST_WEIGHTS = 20_000  # kept of a language; a text has some hundreds
_STEP = 0.12  # of letter_pairs.txt
_HABITS = 150.0  # pairs of ASCII letters that say as much of the language as any number of them
_POINTS = re.compile("[\u0591-\u06ff\u200c-\u200f]")  # vowels, digits and direction marks of Hebrew and Arabic
_LONE_LETTERS = re.compile(r"(?<![^\x00-\x7f])[^\W\d_\x00-\x7f](?![^\x00-\x7f])")
_ASCII_PAIR = re.compile(r"(?=([a-z][a-z]))")
# The last code point of each script, in order; what lies between the alphabets counts as signs.
_SCRIPTS = (
    (0x24F, "latin"),
    (0x36F, "latin"),
    (0x3FF, "greek"),
    (0x52F, "cyrillic"),
    (0x58F, ""),
    (0x5FF, "hebrew"),
    (0x6FF, "arabic"),
    (0xDFF, ""),
    (0xE7F, "thai"),
    (0x1DFF, ""),
    (0x1EFF, "latin"),
)


@dataclass(frozen=True)
class Context:
    """What stands around the words that are read.

    Attributes:
        pairs: How often each pair of letters a to z occurs near the start of the text.
        sparse: Whether most words there have ASCII letters only.
    """

    pairs: Mapping[str, int]
    sparse: bool
    _deficits: dict[str, float] = field(default_factory=dict)

    @classmethod
    def from_start(cls, start: bytes, *, sparse: bool) -> Context:
        """Return the context that the first bytes of a text give."""
        return cls(Counter(_ASCII_PAIR.findall(start.decode("latin-1").lower())), sparse)

    def deficit(self, language: str) -> float:
        """Return how much less likely the pairs are in a language of Latin script than in the likeliest, up to 0."""
        if not self._deficits:
            share = min(1.0, _HABITS / max(1, sum(self.pairs.values())))
            totals = {
                model.name: share * sum(model.pairs[pair] * count for pair, count in self.pairs.items())
                for model in alphabet_models()["latin"]
            }
            best = max(totals.values())
            self._deficits.update({name: total - best for name, total in totals.items()})
        return self._deficits[language]


@dataclass(frozen=True)
class AlphabetModel:
    """What a language with an alphabet expects of a text, as natural logarithms of shares.

    Attributes:
        name: The code of the language.
        script: Its script: "latin", "cyrillic" and so on.
        letters: The share of each letter.
        pairs: The share of each pair among those that begin alike; empty where only letters are known.
        weights: The weight of each pair of neighbours met so far, one of them beyond ASCII.
    """

    name: str
    script: str
    letters: Mapping[str, float]
    pairs: Mapping[str, float] = field(default_factory=dict)
    weights: dict[tuple[str, str], float] = field(default_factory=dict)

    def likelihood(self, neighbours: Mapping[tuple[str, str], int], context: Context, floor: float) -> float:
        """Return the logarithm of how likely the neighbours of a text are, up to a constant.

        Args:
            neighbours: How often each two characters follow each other; the ASCII pairs are left out.
            context: The rest of the text; its ASCII letters tell the languages of Latin script apart.
            floor: Below this the value does not matter, and may be too high.
        """
        weights = self.weights
        total = context.deficit(self.name) if self.script == "latin" else 0.0
        for pair, count in neighbours.items():
            weight = weights.get(pair)
            if weight is None:
                if len(weights) > _MOST_WEIGHTS:
                    weights.clear()
                weight = weights[pair] = self._weight(*pair)
            total += weight * count
            if total < floor:  # no weight is positive, so nothing can make up for that
                break
        return total

    def _weight(self, before: str, char: str) -> float:
        """Return the weight of a character after another."""
        small, previous = char.lower()[:1], before.lower()[:1]
        own = self.letters.get(small)
        if not char.isalpha() and own is None:
            if char >= "\x80":
                beside = before.isalpha() and char not in _BESIDE_LETTERS
                weight = -8.0 if _POINTS.match(char) and self.script in ("hebrew", "arabic") else sign_weight(char)
                return weight + (_INSIDE_WORD if beside else 0.0)
            return ASCII if char >= " " or char in "\n\t\r" else _JUNK
        if own is None:
            if char.isascii():
                return ASCII + (_SCRIPTS_MEET if before.isalpha() else _beside(before))
            own = _UNLISTED if script_of(char) == self.script else _JUNK
            return own + (_SCRIPTS_MEET if before.isalpha() and before.isascii() and self.script != "latin" else 0.0)
        if before.isalpha() or previous in self.letters:
            if previous in self.letters:
                weight = self.pairs.get(previous + small, own) if self.pairs else own
            else:
                weight = own + (_SCRIPTS_MEET if before.isascii() else 0.0)
            if before in _ALWAYS_LAST:
                weight += _MISPLACED
            if before.islower() and char.isupper():
                weight += _CASE_RISES
            return weight - (1.0 if before.isupper() and char.islower() and not before.isascii() else 0.0)
        capital = -2.0 if char.isupper() else 0.0
        return own + capital + _beside(before) + (_MISPLACED if char in _NEVER_FIRST else 0.0)


@dataclass(frozen=True)
class WideModel:
    """What a language of East Asia expects of a text, as natural logarithms of shares.

    Attributes:
        characters: The share of each common syllable, ideograph and sign.
        native: The codec whose order tells common ideographs from rare ones.
    """

    characters: Mapping[str, float]
    native: str

    def likelihood(self, text: str) -> float:
        """Return the logarithm of how likely a text is in the language, up to a constant."""
        total = sum(self._weight(char) * count for char, count in Counter(text).items())
        for (before, char), count in Counter(pairwise(text)).items():
            if before.isascii() != char.isascii() and before.isalpha() and char.isalpha():
                total -= 2.5 * count
        return total

    def _weight(self, char: str) -> float:
        if char < "\x80":
            return ASCII if char >= " " or char in "\n\t\r" else _JUNK
        known = self.characters.get(char)
        return known if known is not None else _ideograph(char, self.native)


def rate(text: str, group: str, context: Context, floor: float = -math.inf) -> float:
    """Return the logarithm of how likely a text is in the likeliest language, up to a constant.

    Args:
        text: The text as one encoding reads it.
        group: "korean", "japanese", "simplified" or "traditional"; else empty, and the text's own script decides.
        context: What stands around it.
        floor: Below this the value does not matter, and may be too high.
    """
    foreign = _FOREIGN + _LONELY * len(_LONE_LETTERS.findall(text)) if context.sparse else 0.0
    if group:
        return wide_models()[group].likelihood(text) + foreign
    reading = _Reading.from_text(text)
    total = reading.fixed
    if not reading.script:
        return total + _JUNK * sum(reading.neighbours.values())
    if reading.script != "latin":
        total += foreign
    best = -math.inf
    for model in alphabet_models()[reading.script]:
        best = max(best, model.likelihood(reading.neighbours, context, max(best, floor - total)))
    return total + best


def is_language(text: str, group: str) -> bool:
    """Return whether a text is good in itself, not only better than other readings of its bytes."""
    if group:
        plain = sum(map(str.isascii, text))
        return wide_models()[group].likelihood(text) - ASCII * plain > _STRANGE_WIDE * (len(text) - plain)
    reading = _Reading.from_text(text)
    if not reading.script:
        return False
    pairs = max(1, sum(reading.neighbours.values()))
    models = alphabet_models()[reading.script]
    best = max(model.likelihood(reading.neighbours, Context({}, sparse=False), -math.inf) for model in models)
    return best / pairs > _STRANGE[reading.script] - _FEW_PAIRS / pairs


@dataclass(frozen=True)
class _Reading:
    """A text as it is rated.

    Attributes:
        script: The script of most of its letters beyond ASCII; empty where no model has it.
        neighbours: How often each two characters follow each other, one of them beyond ASCII.
        fixed: What is the same in all languages: the weight of ASCII pairs and of signs out of place.
    """

    script: str
    neighbours: Mapping[tuple[str, str], int]
    fixed: float

    @classmethod
    def from_text(cls, text: str) -> _Reading:
        length, text = len(text), unicodedata.normalize("NFC", text)
        neighbours = Counter(zip(" " + text, text, strict=False))
        plain = {pair: count for pair, count in neighbours.items() if pair[0] < "\x80" and pair[1] < "\x80"}
        for pair in plain:
            del neighbours[pair]
        # An accent that Vietnamese writes apart is paid for like a letter, or composing would be a gain.
        fixed = ASCII * (sum(plain.values()) + length - len(text)) + (_JUNK - ASCII) * sum(
            count for (_, char), count in plain.items() if char < " " and char not in "\n\t\r"
        )
        fixed += _BETWEEN * len(_BETWEEN_LETTERS.findall(text)) + _UNBALANCED * (len(_QUOTES.findall(text)) % 2)
        scripts: Counter[str] = Counter()
        for char, count in Counter(text).items():
            if char >= "\x80" and char.isalpha():
                scripts[script_of(char)] += count
        script = max(scripts, key=lambda name: scripts[name]) if scripts else "latin"
        return cls(script, neighbours, fixed)


@lru_cache(maxsize=20_000)
def script_of(char: str) -> str:
    """Return the script of a character, of those that have models here; else empty."""
    code = ord(char)
    return next((name for last, name in _SCRIPTS if code <= last), "")


@lru_cache(maxsize=20_000)
def sign_weight(char: str) -> float:
    """Return the weight of a character that is not a letter of a known language."""
    if char == "\ufffd":
        return _BROKEN
    if char in letter_frequencies.PUNCTUATION:
        return -7.5
    if char in letter_frequencies.SYMBOLS:
        return -9.5
    category = unicodedata.category(char)
    return _JUNK if category[0] == "C" else _UNLIKELY if category[0] in "PSN" else _JUNK + 3.0


def _beside(before: str) -> float:
    """Return the cost of a letter right after a sign that does not go before letters."""
    return _INSIDE_WORD if before >= "\x80" and before not in _BESIDE_LETTERS and not before.isalpha() else 0.0


@lru_cache(maxsize=20_000)
def _ideograph(char: str, native: str) -> float:
    """Return the weight of an unlisted syllable or ideograph: the standards put the common ones first."""
    if unicodedata.category(char) != "Lo":
        return sign_weight(char)
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


@cache
def wide_models() -> Mapping[str, WideModel]:
    """Return the models of East Asia by language."""
    ranks, chars = _rank_weights, letter_frequencies
    chinese = ranks(chars.CHINESE_SIGNS, 0.12, 1.0)
    japanese = ranks(chars.HIRAGANA, 0.5, 1.0) | ranks(chars.KATAKANA, 0.1, 0.8)
    japanese |= ranks(chars.JAPANESE_SIGNS, 0.07, 1.0) | ranks(chars.KANJI, 0.28, 0.8)
    return {
        "korean": WideModel(ranks(chars.KOREAN_SIGNS, 0.02, 0.5) | ranks(chars.HANGUL, 0.95, 1.5), "euc_kr"),
        "japanese": WideModel(japanese, "euc_jp"),
        "simplified": WideModel(chinese | ranks(chars.SIMPLIFIED, 0.75, 0.9), "gb2312"),
        "traditional": WideModel(chinese | ranks(chars.TRADITIONAL, 0.75, 0.9), "big5"),
    }


@cache
def alphabet_models() -> Mapping[str, tuple[AlphabetModel, ...]]:
    """Return the models of the languages with an alphabet, by script."""
    models: dict[str, list[AlphabetModel]] = {}
    source = (resources() / "encodings" / "letter_pairs.txt").read_text("utf-8")
    for line in source.splitlines():
        if line.startswith("#"):
            continue
        language, alphabet, shares, *rows = line.split(" ")
        script = script_of(alphabet[-1])
        letters = dict(zip(alphabet, map(_share, shares), strict=True))
        pairs = {
            first + second: max(_RARE_PAIR, _share(code))
            for first, row in zip(alphabet, rows, strict=True)
            for second, code in zip(alphabet, row, strict=True)
        }
        models.setdefault(script, []).append(AlphabetModel(language, script, letters, pairs))
    thai = {item[0]: float(item[1:]) for item in letter_frequencies.THAI.split()}
    total = sum(thai.values())
    models["thai"] = [AlphabetModel("th", "thai", {char: math.log(share / total) for char, share in thai.items()})]
    return {script: tuple(items) for script, items in models.items()}


def _share(code: str) -> float:
    return -_STEP * (ord(code) - 33) if code != "~" else _RARE_PAIR


def _rank_weights(characters: str, share: float, fall: float) -> dict[str, float]:
    """Return weights that fall with the rank as (rank + 20) ** -fall and make up `share` of a text."""
    raw = [(rank + 20.0) ** -fall for rank in range(len(characters))]
    return {char: math.log(share * weight / sum(raw)) for char, weight in zip(characters, raw, strict=True)}
