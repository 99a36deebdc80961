"""Korean morphemes and their vectors, from the language model of Kiwi, which tells the cosines of any two."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

ANCHORS = 272  # morphemes to which all are compared; a few more than a vector has numbers
DIMENSION = 256
# Beginnings of the tags of words that mean something by themselves.
CONTENT = ("NN", "NP", "NR", "VV", "VA", "MA", "MM", "XR", "IC", "XPN")
_HANGUL = ("가", "힣")


@dataclass(frozen=True)
class Morpheme:
    """A morpheme of Kiwi's vocabulary, in which the frequent ones come first.

    Attributes:
        id: Its number.
        form: As the dictionary has it.
        tag: Its part of speech.
    """

    id: int
    form: str
    tag: str

    @property
    def content(self) -> bool:
        """Whether it means something by itself."""
        return self.tag.startswith(CONTENT)


@dataclass(frozen=True)
class Segment:
    """A stretch of a Korean word: one morpheme, or several that have grown together.

    Attributes:
        text: As it stands in the word.
        morphemes: Their ids.
        content: Whether one of them means something by itself.
    """

    text: str
    morphemes: tuple[int, ...]
    content: bool


class Korean:
    """Kiwi, with what is asked of it.

    Attributes:
        kiwi: The analyser.
        vocabulary: The morphemes that have vectors.
    """

    def __init__(self) -> None:
        from kiwipiepy import Kiwi

        self.kiwi: Any = Kiwi(num_workers=1)
        count = 1 + max(map(attrgetter("id"), self.kiwi.most_similar_morphemes(100, 1_000_000)))
        found = ((number, self.kiwi.morpheme(number)) for number in range(count))
        self.vocabulary = [Morpheme(number, each.form, each.tag) for number, each in found]
        self._known = {(each.form, each.tag): each.id for each in reversed(self.vocabulary)}

    def vectors(self) -> NDArray[np.float32]:
        """The vectors of all morphemes, (V, n), recovered from their cosines with some: G = A A^T, v = G_v A^-T."""
        count = len(self.vocabulary)
        chosen = np.random.default_rng(0).choice(np.arange(100, 30_000), ANCHORS, replace=False)
        cosines = np.ones((count, ANCHORS), np.float32)
        for place, anchor in enumerate(chosen.tolist()):
            told = self.kiwi.most_similar_morphemes(anchor, count)
            others = np.fromiter(map(attrgetter("id"), told), np.int64, len(told))
            values = np.fromiter(map(attrgetter("score"), told), np.float32, len(told))
            true = values >= -1.01  # the anchor itself is listed with an impossible one
            cosines[others[true], place] = values[true]
        among = cosines[chosen].astype(np.float64)
        sizes, axes = np.linalg.eigh((among + among.T) / 2)
        largest = slice(-1, -DIMENSION - 1, -1)
        vectors: NDArray[np.float32] = cosines @ (axes[:, largest] / np.sqrt(sizes[largest])).astype(np.float32)
        return vectors

    def words(self, texts: Sequence[str]) -> Iterator[tuple[bool, list[Segment]]]:
        """Each stretch of Hangul: whether a word begins with it, and its segments."""
        for text, tokens in zip(texts, self.kiwi.tokenize(texts, normalize_coda=False), strict=True):
            yield from _words(text, [(each.start, each.len, self._id(each), each.tag) for each in tokens])

    def joined(self, stem: Morpheme, ending: tuple[str, str]) -> str:
        """A stem with an ending, as written."""
        written: str = self.kiwi.join([(stem.form, stem.tag), ending])
        return written

    def _id(self, token: Any) -> int:
        """The number of a token's morpheme among those with vectors; -1 if it has none."""
        if token.id < len(self.vocabulary):
            return int(token.id)
        form, tag = _SAME.get((token.form, token.tag), (token.form, token.tag))
        return self._known.get((form, tag), -1)


# Forms of one morpheme, of which only the second has a vector.
_SAME = {
    ("를", "JKO"): ("을", "JKO"), ("는", "JX"): ("은", "JX"), ("가", "JKS"): ("이", "JKS"), ("와", "JC"): ("과", "JC"),
    ("와", "JKB"): ("과", "JKB"), ("습니다", "EF"): ("ᆸ니다", "EF"), ("로", "JKB"): ("으로", "JKB"),
}  # fmt: skip


def hangul(text: str) -> bool:
    """Whether a text is Hangul syllables and nothing else."""
    return bool(text) and all(_HANGUL[0] <= letter <= _HANGUL[1] for letter in text)


def _words(text: str, tokens: list[tuple[int, int, int, str]]) -> Iterator[tuple[bool, list[Segment]]]:
    segments = _segments(text, tokens)
    run: list[Segment] = []
    begins, end = True, -1
    for start, segment in segments:
        if start != end and run:
            yield begins, run
            run = []
        if not run:
            begins = start == 0 or not text[start - 1].isalnum()
        end = start + len(segment.text)
        run.append(segment)
    if run:
        yield begins, run


def _segments(text: str, tokens: list[tuple[int, int, int, str]]) -> list[tuple[int, Segment]]:
    """Tokens joined where they overlap; those not in Hangul left out."""
    spans: list[list[Any]] = []  # start, end, ids, whether content
    for start, length, number, tag in tokens:
        content = tag.startswith(CONTENT)
        if spans and start < spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], start + length)
            spans[-1][2].append(number)
            spans[-1][3] |= content
        elif length:
            spans.append([start, start + length, [number], content])
    return [
        (start, Segment(text[start:end], tuple(number for number in ids if number >= 0), content))
        for start, end, ids, content in spans
        if hangul(text[start:end])
    ]
