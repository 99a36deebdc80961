"""Tell which language a text is in: by its script, and among Latin letters by common words and py3langid.

English is decided here by stop words: on 1,000 short sentences of STSb that is right 995 times or more, py3langid 959
times. Which other language it is, py3langid knows: https://github.com/adbar/py3langid (BSD-3). Its model takes 0.9 s
and 80 MB to load, so it is loaded by the first text that needs it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING

from explorer.analysis.text.stop_words import ENGLISH_STOP_WORDS

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# Languages in Latin letters that py3langid names, but English; "latin" is any other, or too little text to tell.
LATIN_LANGUAGES = frozenset(
    """
    af az bs ca cs cy da de eo es et eu fi fr ga gl hr hu id is it la lt lv ms mt nb nl nn no pl pt ro sk sl sq sv sw
    tl tr vi
    """.split()  # noqa: SIM905
)
UNKNOWN_LATIN = "latin"
_FEWEST_WORDS = 3  # below, a text says too little to name its language
_LEAST_SURE = 0.6  # probability that py3langid must give a language

# The first code point of each stretch of letters; a script ends where the next stretch begins.
_STRETCHES = (
    (0x0000, ""), (0x0041, "latin"), (0x005B, ""), (0x0061, "latin"), (0x007B, ""), (0x00C0, "latin"),
    (0x00D7, ""), (0x00D8, "latin"), (0x00F7, ""), (0x00F8, "latin"), (0x0250, ""), (0x0370, "el"),
    (0x0400, "ru"), (0x0530, "hy"), (0x0590, "he"), (0x0600, "ar"), (0x0660, ""), (0x066E, "ar"), (0x06F0, ""),
    (0x0700, ""), (0x0750, "ar"), (0x0780, ""), (0x0900, "hi"), (0x0964, ""), (0x0971, "hi"), (0x0980, "bn"),
    (0x0A00, "pa"), (0x0A80, "gu"), (0x0B00, "or"), (0x0B80, "ta"), (0x0C00, "te"), (0x0C80, "kn"), (0x0D00, "ml"),
    (0x0D80, "si"), (0x0E00, "th"), (0x0E80, "lo"), (0x0F00, "bo"), (0x1000, "my"), (0x10A0, "ka"),
    (0x1100, "ko"), (0x1200, "am"), (0x13A0, ""), (0x1780, "km"), (0x1800, "mn"), (0x18B0, ""),
    (0x1E00, "latin"), (0x1F00, "el"), (0x2000, ""), (0x3005, "zh"), (0x3006, ""), (0x3041, "ja"), (0x30FB, ""),
    (0x30FC, "ja"), (0x3100, "zh"), (0x3130, "ko"), (0x3190, ""), (0x31F0, "ja"), (0x3200, ""), (0x3400, "zh"),
    (0x4DC0, ""), (0x4E00, "zh"), (0xA000, ""), (0xA960, "ko"), (0xA980, ""), (0xAC00, "ko"), (0xD800, ""),
    (0xF900, "zh"), (0xFB00, "latin"), (0xFB13, "hy"), (0xFB1D, "he"), (0xFB50, "ar"), (0xFE00, ""),
    (0xFE70, "ar"), (0xFEFF, ""), (0xFF21, "latin"), (0xFF3B, ""), (0xFF41, "latin"), (0xFF5B, ""), (0xFF66, "ja"),
    (0xFFA0, "ko"), (0xFFE0, ""), (0x20000, "zh"), (0x32000, ""),
)  # fmt: skip
_STARTS = [start for start, _ in _STRETCHES]
_SCRIPTS = [script for _, script in _STRETCHES]
# A syllable or an ideograph says as much as two or three letters.
_LETTERS_WORTH = {"ko": 2.5, "zh": 2.5, "ja": 2.5}
_NATIVE = 0.1  # share of kana among ideographs that makes them Japanese, of Hangul that makes them Korean
_SAMPLE = 2000  # characters from the start and as many from the middle

_LATIN_WORD = re.compile(r"[a-zß-ɏḀ-ỿ]+")
# English words that are common words of some other language too, and so are evidence of neither.
_SHARED = frozenset(
    """
    a all also am an any as at do for go had has he her him his i in is it let made may me men most must my no of off
    on or per so to us was we well were will die den das van met war man par pour plus non sin sur dans dan var ban
    bin net son sue lo ser este come care male fine dove like
    """.split()  # noqa: SIM905
)
_ENGLISH = ENGLISH_STOP_WORDS - _SHARED
_OTHERS = (
    frozenset(
        """
        der die das und ist nicht ein eine einen dem den des mit für auf sich auch von zu im wie bei aus nach wird wo
        le la les une du et est dans que qui pas sur avec sont ce cette au aux ne se où je vous nous il elle
        el los las una unos del y es por con para como más pero sus esta muy dónde está
        um uma não com mais foi são dos da em ao sua pelo pela também
        gli di che è per sono della nel alla dei anche questo più ma si ogni
        het een en niet dat op zijn voor aan ook naar bij de
        och att det som på är av för till inte ett har jeg ikke og er til hvor
        na nie się jest że co jak jsem není je
        ve bir bu için ile çok yang itu dengan untuk tidak ini dari adalah
        và của là có không được cho một những các trong với này
        ei että oli mutta hän az egy és hogy nem și în din pentru
        """.split()  # noqa: SIM905
    )
    - ENGLISH_STOP_WORDS
    - _SHARED
)


def language(text: str) -> str:
    """Return the code of the text's main language.

    Latin letters give "en", one of `LATIN_LANGUAGES`, or "latin" where that is not sure. Other scripts give the
    language that uses them most, such as "ko", "ja", "zh", "ru", "el", "ar", "he", "hi", "th". Empty if there are
    no letters. Latin letters with no evidence of a language, such as a name, are taken for English.

    Example:
        >>> language("여기는 한국어 GPT-4 text"), language("Wo ist der Bahnhof?"), language("42")
        ('ko', 'de', '')
    """
    sample = _sample(text)
    script = "latin" if sample.isascii() else _script(sample)
    if script != "latin":
        return script
    return _latin_language(sample)


def _sample(text: str) -> str:
    if len(text) <= 2 * _SAMPLE:
        return text
    middle = len(text) // 2
    return text[:_SAMPLE] + " " + text[middle : middle + _SAMPLE]


def _script(text: str) -> str:
    weights: defaultdict[str, float] = defaultdict(float)
    for sign, count in Counter(text).items():
        script = _SCRIPTS[bisect_right(_STARTS, ord(sign)) - 1]
        if script:
            weights[script] += count * _LETTERS_WORTH.get(script, 1.0)
    if not weights:
        return ""
    for native in ("ja", "ko"):
        if weights[native] and weights[native] >= _NATIVE * (weights[native] + weights["zh"]):
            weights[native] += weights.pop("zh", 0.0)
    best = max(weights, key=lambda script: (weights[script], script))
    return _refine(best, text)


def _refine(script: str, text: str) -> str:
    """Tell languages of one script apart by the letters that only one of them has."""
    if script == "ru" and any(letter in text for letter in "іїєґ"):
        return "uk"
    if script == "ar" and any(letter in text for letter in "پچژگ"):
        return "fa"
    return script


def _latin_language(text: str) -> str:
    words = _LATIN_WORD.findall(text.lower())
    if not words:
        return ""
    # By maps, as every row of a table comes through here; of ASCII no word can be of another alphabet.
    english = sum(map(_ENGLISH.__contains__, words))
    if text.isascii():
        other = sum(map(_OTHERS.__contains__, words))
    else:
        other = sum(word in _OTHERS or not word.isascii() for word in words)
    if other <= english:
        return "en"
    if len(words) < _FEWEST_WORDS:
        return UNKNOWN_LATIN
    name, probability = _identifier().classify(text)
    return str(name) if probability >= _LEAST_SURE else UNKNOWN_LATIN


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LATIN_LANGUAGES.intersection(identifier.labels))
    return identifier
