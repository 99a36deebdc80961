"""Read the words of a text that may name its topic, as written, in runs of neighbouring words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.text import korean
from explorer.analysis.text.characters import HAN, HANGUL, HIRAGANA, JAMO, KATAKANA, UNSPACED, VOWEL_SIGNS, normalise
from explorer.analysis.text.korean import KoreanPiece
from explorer.analysis.text.stop_words import CHINESE_STOP_SIGNS, ENGLISH_STOP_WORDS, WEAK_WORDS
from explorer.analysis.text.tokenize import analyse
from explorer.task import Task

VERSION = 2  # words read by another version must be read again
GLUE = "\u2060"  # before a form that is written without a space after the word before it
BREAK = ""  # marks where two words are not adjacent

_UNSPACED = re.compile(f"[{UNSPACED}]")
_LETTER = rf"(?:[^\W_{UNSPACED}{JAMO}]|[{VOWEL_SIGNS}])"
# An address is swallowed whole, to be left out.
_SPACED = r"www\.\S+|{0}+(?:[-‐‑_.'’&]{0}+)*(?:\+\+|(?<=\b[CcFf])\#)?(?:(?:@|:/)\S*)?|[^\w\s]+|_|\n\s*\n"
_ASCII_TOKEN = re.compile(_SPACED.format("[A-Za-z0-9]"))
_TOKEN = re.compile(_SPACED.format(_LETTER) + rf"|[{HAN}]+|[{KATAKANA}]+|[{HIRAGANA}]+")
_ADDRESS = re.compile(r"@|:/|^www\.", re.IGNORECASE)
_ENDING = re.compile(r"['’](?:s|t|d|m|ll|re|ve)?$", re.IGNORECASE)
_SHORT_NUMBERED = re.compile(r"\d-?[a-z]", re.IGNORECASE)  # "3D"
_MACHINES = frozenset(
    """
    edu com org gov mil net int uk de fr ca au jp kr nl se no fi ch at it us nz za dk be es br ru cn tw
    txt htm html exe zip gif jpg jpeg png tar gz dll bat ini
    """.split()  # noqa: SIM905
)
_COUNTRIES = frozenset({"us", "usa", "uk", "un", "eu", "ussr", "uae", "dc"})
_LONGEST = 30  # letters of a word
_LONGEST_KOREAN = 100  # with particles and endings, and the spaces that people forget
_STOP = ENGLISH_STOP_WORDS | WEAK_WORDS
_BATCH = 256  # texts

# What programs put around what people write: headers, attributions, signatures, encoded attachments, marks of HTML.
_FRAME = re.compile(
    r"""
    ^[ \t>|:]*(?:from|to|cc|bcc|sent|date|reply-to|organi[sz]ation|lines|message-id|path|newsgroups|references|
        distribution|expires|sender|followup-to|x-[\w-]+|nntp-[\w-]+|content-[\w-]+|mime-version|
        보낸[ ]?사람|받는[ ]?사람|보낸[ ]?날짜)[ \t]?:[^\n]*
    |^[ \t>|:]*(?:subject|re|fwd?|제목)[ \t]?:
    |^[ \t>|:]*in[ ](?:article|message|)[ ]?<[^\n]*
    |^[^\n]{0,200}\b(?:writes|wrote|님이[ ](?:작성|쓴[ ]글))[ \t]?:[ \t]*$
    |^[-_= \t]*(?:original[ ]message|forwarded[ ]message|원본[ ]메시지|begin[ ]pgp[^\n]*|end[ ]pgp[^\n]*)[-_= \t]*$
    |^[!-~]{45,}[ \t]*$
    |^--[ ]?\n(?:[^\n]*\n){0,12}[^\n]*\Z
    |(?:<|&lt;)/?[a-z][^<>\n]{0,300}?(?:>|&gt;)
    |&?\b(?:lt|gt|quot|amp|nbsp|apos);|&?\#\d{2,5};
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


class FoundPhrase(NamedTuple):
    """A word of a text and its position; `form` is BREAK between words that are not adjacent."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, eq=False)
class DocumentTerms:
    """The words of some texts, in their order, for `count_terms`.

    Attributes:
        forms: The distinct words as written; with GLUE in front where no space parts them from the word before.
        tokens: The texts one after another as numbers of forms, (T,) int32; -1 between words that are not side by
            side, and at the end of each text.
        ends: Where in `tokens` each text ends, (N,) int64.
    """

    forms: tuple[str, ...]
    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    def subset(self, rows: Sequence[int] | NDArray[np.int64]) -> DocumentTerms:
        """Return the words of these texts only, in this order."""
        starts = np.concatenate([[0], self.ends])
        pieces = [self.tokens[starts[row] : self.ends[row]] for row in rows]
        return DocumentTerms(
            self.forms, _end_to_end(pieces), np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        )

    def concatenate(self, other: DocumentTerms) -> DocumentTerms:
        """Return the words of these texts followed by those of the others."""
        ids = {form: form_id for form_id, form in enumerate(self.forms)}
        offset = np.array([ids.setdefault(form, len(ids)) for form in other.forms] + [-1], dtype=np.int32)
        tokens = np.concatenate([self.tokens, offset[other.tokens]])
        return DocumentTerms(tuple(ids), tokens, np.concatenate([self.ends, other.ends + len(self.tokens)]))


def read_words(texts: Sequence[str], task: Task | None = None) -> DocumentTerms:
    """Read the words of texts that may name them.

    Left out are stop words of English, Korean and Chinese, numbers, single letters, addresses, and what mail
    programs add. Korean comes as nouns without particles, Japanese as runs of one script, Chinese in pairs.
    """
    task = task or Task()
    reader = _Reader()
    pieces: list[NDArray[np.int32]] = []
    remaining = iter(texts)
    while batch := list(islice(remaining, _BATCH)):
        task.report(len(pieces), len(texts), "reading words")
        pieces.extend(map(_tidy, reader.read(batch)))
    task.report(len(texts), len(texts), "reading words")
    return DocumentTerms(
        tuple(reader.ids), _end_to_end(pieces), np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    )


def find_words(text: str) -> list[FoundPhrase]:
    """Return the words of one text with their spans, and a BREAK wherever two are not side by side."""
    nfkc = normalise(text)
    matches = list((_ASCII_TOKEN if nfkc.text.isascii() else _TOKEN).finditer(_without_frame(nfkc.text)))
    parts = _parts(dict.fromkeys(match[0] for match in matches))
    return [
        FoundPhrase(*nfkc.original(match.start() + part.start, match.start() + part.end), part.term)
        for match in matches
        for part in parts[match[0]]
    ]


def key(form: str) -> str:
    """Return what the forms of one word share: the same for "Orbits" and "orbit"."""
    form = form.removeprefix(GLUE)
    if HANGUL.search(form) or _UNSPACED.search(form):
        return form
    return next(iter(analyse(form).split()), form.lower())


def shown(forms: Sequence[str]) -> str:
    """Join neighbouring words to a phrase as it is written."""
    return "".join(form[1:] if form.startswith(GLUE) else " " + form for form in forms).lstrip(" ")


class _Reader:
    """Numbers the forms of texts, each distinct token looked at once."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self._known: dict[str, tuple[int, ...]] = {}

    def read(self, texts: Sequence[str]) -> Iterator[list[int]]:
        cut = [_cut(text) for text in texts]
        unknown = dict.fromkeys(token for tokens in cut for token in tokens if token not in self._known)
        for token, parts in _parts(unknown).items():
            self._known[token] = tuple(self._form_id(part.term) for part in parts)
        known = self._known
        return (list(chain.from_iterable([known[token] for token in tokens])) for tokens in cut)

    def _form_id(self, form: str) -> int:
        return self.ids.setdefault(form, len(self.ids)) if form else -1


def _cut(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_TOKEN.findall(_without_frame(text))
    return _TOKEN.findall(_without_frame(unicodedata.normalize("NFKC", text)))


def _without_frame(text: str) -> str:
    return _FRAME.sub(lambda match: "\n" * len(match[0]), text)


def _parts(tokens: Sequence[str] | dict[str, None]) -> dict[str, list[KoreanPiece]]:
    """Return the words that each token gives, with their places in it."""
    # The analyser takes more than twice the time for twice the length without a space.
    short = [token for token in tokens if len(token) <= _LONGEST_KOREAN]
    mixed = [token for token in short if HANGUL.search(token) and not _ADDRESS.search(token)]
    analysed = dict(zip(mixed, map(_korean_parts, korean.nouns(mixed)), strict=True))
    return {token: analysed[token] if token in analysed else _plain_parts(token) for token in tokens}


def _korean_parts(pieces: list[KoreanPiece]) -> list[KoreanPiece]:
    parts: list[KoreanPiece] = []
    for piece in pieces:
        form = piece.term if not piece.term or HANGUL.search(piece.term) else _display_word(piece.term)
        glued = form and parts and parts[-1].term and parts[-1].end == piece.start
        parts.append(piece._replace(term=GLUE + form if glued else form))
    return parts


def _plain_parts(token: str) -> list[KoreanPiece]:
    if _UNSPACED.match(token):
        return list(_unspaced_parts(token))
    form = _display_word(token)
    return [KoreanPiece(0, len(form) or len(token), form)]


def _display_word(token: str) -> str:
    """Return the word as it is to be shown, or BREAK."""
    if _ADDRESS.search(token):
        return BREAK
    word = _ENDING.sub("", token.replace("’", "'"))
    lower = word.lower()
    if not 2 <= len(word) <= _LONGEST or lower in _STOP or token.lower().replace("’", "'") in _STOP:
        return BREAK
    if word[0].isdigit() or not any(sign.isalpha() for sign in word):
        return word if _SHORT_NUMBERED.fullmatch(word) else BREAK
    return BREAK if "." in word and _is_machine(lower.split(".")) else word


def _is_machine(parts: Sequence[str]) -> bool:
    """Return whether a word with points in it names a machine, a file or a newsgroup, or is somebody's initials."""
    if max(map(len, parts)) == 1:
        return "".join(parts) not in _COUNTRIES
    return len(parts) > 2 or parts[-1] in _MACHINES


def _unspaced_parts(run: str) -> Iterator[KoreanPiece]:
    """Yield words of Chinese and Japanese, which has no spaces: runs of katakana, ideographs in twos and threes."""
    if re.match(f"[{HIRAGANA}]", run):
        yield KoreanPiece(0, len(run), BREAK)
        return
    if re.match(f"[{KATAKANA}]", run):
        yield KoreanPiece(0, len(run), run if len(run) > 1 else BREAK)
        return
    offset = 0
    for piece in re.split(f"([{CHINESE_STOP_SIGNS}])", run):
        yield from _ideographs(piece, offset)
        offset += len(piece)


def _ideographs(piece: str, offset: int) -> Iterator[KoreanPiece]:
    if len(piece) < 2:
        yield KoreanPiece(offset, offset + len(piece), BREAK)
        return
    start = 0
    while start < len(piece):
        length = 2 if len(piece) - start != 3 else 3
        form = piece[start : start + length]
        yield KoreanPiece(offset + start, offset + start + length, GLUE + form if start else form)
        start += length


def _tidy(ids: list[int]) -> NDArray[np.int32]:
    """Return the numbers of one text with one -1 where there were several, and one at the end."""
    row = np.array([*ids, -1], dtype=np.int32)
    repeated = (row[1:] == -1) & (row[:-1] == -1)
    tidied: NDArray[np.int32] = row[np.concatenate([[True], ~repeated])]
    return tidied


def _end_to_end(pieces: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.concatenate([np.empty(0, dtype=np.int32), *pieces])
