"""Unicode: the character classes that words are cut by, and NFKC with the way back to the original text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

# Ranges for use inside a character class of a regular expression.
HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
HIRAGANA = r"\u3041-\u309f"
KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
UNSPACED = HAN + HIRAGANA + KATAKANA  # scripts without spaces between words
HANGUL_SYLLABLES = r"\uac00-\ud7a3"
JAMO = r"\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\ud7b0-\ud7ff"
# Vowel signs of scripts from India to Cambodia, which \w does not match.
VOWEL_SIGNS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0eff\u1000-\u109f\u1780-\u17ff"
# Thai, Lao, Burmese and Khmer without their digits: no spaces between words, and vowel signs around consonants.
SOUTHEAST_ASIAN = r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
HANGUL = re.compile(f"[{HANGUL_SYLLABLES}]")

# Marks, the vowels and finals of Hangul, and Japanese voicing: what may melt into the character before.
_MELTING = r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0900-\u0dff\u1160-\u11ff\u3099\u309a\uff9e\uff9f"
_CLUSTER = re.compile(f".[{_MELTING}]*", re.DOTALL)


@dataclass(frozen=True)
class NfkcText:
    """A text in NFKC.

    Attributes:
        text: The text.
        starts: Where in it each cluster of characters begins, and its end; empty if nothing was changed.
        origins: Where in the original they begin.
    """

    text: str
    starts: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that text[start:end] came from."""
        if not self.starts:
            return start, end
        first = bisect_right(self.starts, start) - 1
        return self.origins[first], self.origins[bisect_left(self.starts, end)]


def normalise(text: str) -> NfkcText:
    """Normalise a text to NFKC, keeping the way back."""
    if unicodedata.is_normalized("NFKC", text):
        return NfkcText(text)
    clusters = _CLUSTER.findall(text)
    nfkc = [unicodedata.normalize("NFKC", cluster) for cluster in clusters]
    return NfkcText(
        "".join(nfkc), tuple(accumulate(map(len, nfkc), initial=0)), tuple(accumulate(map(len, clusters), initial=0))
    )
