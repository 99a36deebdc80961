"""Decode bytes to text: marks, strict UTF-8, detection, repair of doubly encoded text, and how sure all that is.

Line ends become line feeds and control characters are blanked. Nothing else is changed: the text is not
normalised, since the spans of passages must match what the reader panel shows
and what the file holds.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from explorer.corpus.document import Unreadable
from explorer.corpus.encoding import mojibake
from explorer.corpus.encoding.detect import Guess, byte_order_mark, guess, looks_binary
from explorer.messages import UserMessage

__all__ = ["Decoded", "Flaws", "codec_of", "decode", "decode_blocks", "doubt", "looks_binary", "text_codec", "tidy"]

DOUBTFUL = 0.7  # confidence below which the reader is asked to check
BLOCK = 2**20  # bytes decoded at a time
_SAMPLES = 8  # places looked at beyond the first block of a long file
_SAMPLE = 16 * 2**10  # bytes of each
_LONGEST_LINE = 4 * BLOCK  # characters kept back in the hope of a line end
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c]")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_EACH_CONTROL = tuple(char for char in map(chr, range(128)) if _CONTROLS.match(char))
_SURROGATES = re.compile(r"[\ud800-\udfff]")

# Names in web pages and mails, and the wider encoding that the writers of such texts really used.
_WIDER = {
    **dict.fromkeys(("euc_kr", "ks_c_5601_1987", "ksc5601", "ks_c_5601", "korean", "johab_cp949"), "cp949"),
    **dict.fromkeys(("shift_jis", "sjis", "x_sjis", "windows_31j", "ms_kanji"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312_80", "x_gbk", "chinese"), "gb18030"),
    **dict.fromkeys(("big5", "big5_tw", "x_x_big5"), "cp950"),
    **dict.fromkeys(("iso_8859_1", "latin_1", "latin1", "us_ascii", "ascii"), "cp1252"),
    **dict.fromkeys(("iso_8859_9", "latin5"), "cp1254"),
    "unicode": "utf-16",
    "utf8": "utf-8",
    "utf_8": "utf-8",
}
# Codecs of names and of program source, which no file is written in; some take time that grows with the square.
_NO_FILES = {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"}


@dataclass(frozen=True)
class Flaws:
    """What was wrong with a text, counted.

    Attributes:
        invalid: Bytes or characters that mean nothing in the encoding, now replacement characters.
        controls: Control characters, now spaces.
        repaired: Lines encoded twice, now as they were meant.
        doubtful: Lines that look encoded twice, left as they are.
        lost: Characters of repaired lines that could not be recovered.
    """

    invalid: int = 0
    controls: int = 0
    repaired: int = 0
    doubtful: int = 0
    lost: int = 0

    def __add__(self, other: Flaws) -> Flaws:
        return Flaws(
            self.invalid + other.invalid,
            self.controls + other.controls,
            self.repaired + other.repaired,
            self.doubtful + other.doubtful,
            self.lost + other.lost,
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return a sentence for each kind that occurs."""
        sentences = (
            UserMessage(
                "{count} byte that the encoding does not know was replaced by “�”."
                if self.invalid == 1
                else "{count:,} bytes that the encoding does not know were replaced by “�”.",
                count=self.invalid,
            ),
            UserMessage(
                "{count} control character was replaced by a space."
                if self.controls == 1
                else "{count:,} control characters were replaced by spaces.",
                count=self.controls,
            ),
            UserMessage(
                "{count} line had been encoded twice and was repaired."
                if self.repaired == 1
                else "{count:,} lines had been encoded twice and were repaired.",
                count=self.repaired,
            ),
            UserMessage(
                "{count} character of it was lost and is marked by “�”."
                if self.lost == 1
                else "{count:,} characters of them were lost and are marked by “�”.",
                count=self.lost,
            ),
            UserMessage(
                "{count} line looked encoded twice and was left unchanged."
                if self.doubtful == 1
                else "{count:,} lines looked encoded twice and were left unchanged.",
                count=self.doubtful,
            ),
        )
        return tuple(sentence for sentence in sentences if sentence.values["count"])


@dataclass(frozen=True)
class Decoded:
    """A text and how it was read.

    Attributes:
        text: The text, with line feeds as its only line ends.
        encoding: The name of the codec.
        confidence: How sure that is, 0..1.
        flaws: What was wrong with it.
    """

    text: str
    encoding: str
    confidence: float
    flaws: Flaws = Flaws()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about what was repaired or doubtful."""
        return (*doubt(self.encoding, self.confidence), *self.flaws.remarks)


def doubt(encoding: str, confidence: float) -> tuple[str, ...]:
    """Return a sentence where another encoding is nearly as likely."""
    if confidence >= DOUBTFUL:
        return ()
    return (UserMessage("The encoding is uncertain: read as {encoding}, please check.", encoding=encoding),)


def decode(data: bytes, encoding: str = "", repair: bool = True, hint: str = "") -> Decoded:
    """Return the text of some bytes.

    Args:
        data: All bytes of the text.
        encoding: The encoding the user chose; empty to find it.
        repair: Whether text encoded twice is repaired.
        hint: The encoding that the format states; taken if the bytes agree with it.

    Raises:
        Unreadable: The guessed encoding does not exist or is not that of the bytes.
    """
    guessed = _named_encoding(encoding) if encoding else _accept_hint(data, hint) or guess(data)
    body = data[len(_mark(data[:4], guessed.encoding)) :]
    try:
        text = str(body, guessed.encoding, "strict" if encoding else "replace")
    except (UnicodeError, LookupError) as error:
        raise _wrong_encoding(encoding) from error
    invalid = 0 if encoding else _count_replaced(text, body, guessed.encoding)
    text, flaws = _finish(text, guessed.encoding, repair=repair)
    # A fifth of invalid characters leaves no confidence at all.
    confidence = round(guessed.confidence * (1.0 - min(1.0, 5.0 * invalid / max(1, len(text)))), 3)
    return Decoded(text, guessed.encoding, confidence, flaws + Flaws(invalid=invalid))


def codec_of(name: str) -> str:
    """Return the codec for an encoding's name as pages and mails write it; empty where there is none."""
    plain = name.strip().strip("\"'").lower().replace("-", "_").replace(" ", "_")
    try:
        codec = text_codec(_WIDER.get(plain, plain))
    except LookupError:
        return ""
    return _WIDER.get(codec.replace("-", "_").replace("iso8859", "iso_8859"), codec)


def text_codec(name: str) -> str:
    """Return Python's name of an encoding that texts are written in.

    Raises:
        LookupError: There is none of that name.
    """
    try:
        codec = codecs.lookup(name).name
        "".encode(codec)
    except ValueError as error:
        raise LookupError(str(error)) from error
    if codec.replace("_", "-") in _NO_FILES:
        raise LookupError(f"no encoding of files: {codec}")
    return codec


def tidy(text: str) -> tuple[str, int]:
    """Return the text with line feeds as its only line ends, and how many control characters became spaces."""
    if "\r" in text or "\x0b" in text or "\x0c" in text:
        text = _LINE_ENDS.sub("\n", text)
    if "\x85" in text and "\n" not in text:  # the line end of EBCDIC
        text = text.replace("\x85", "\n")
    if text and text[0] == "\ufeff":
        text = text[1:]
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _SURROGATES.sub("\ufffd", text)
    if not any(char in text for char in _EACH_CONTROL):  # many times faster than one search for all
        return text, 0
    text, colours = _TERMINAL.subn("", text)
    text, controls = _CONTROLS.subn(" ", text)
    return text, colours + controls


def decode_blocks(
    file: BinaryIO, size: int, encoding: str = "", repair: bool = True, block: int = BLOCK
) -> Iterator[Decoded]:
    """Yield the text of an open file, piece by piece in bounded memory; pieces end at a line end if they can.

    The encoding is found from the first block and samples of the rest. While only ASCII has been met,
    it is found again where the first other byte stands.

    Args:
        file: A file open for reading bytes, which can seek.
        size: How many bytes to read; what is appended meanwhile is left alone.
        encoding: The encoding the user chose; empty to find it.
        repair: Whether text encoded twice is repaired.
        block: Bytes decoded at a time.

    Raises:
        Unreadable: The guessed encoding does not exist or is not that of the bytes.
    """
    if size <= block:
        yield decode(file.read(size), encoding, repair)
        return
    guessed = _named_encoding(encoding) if encoding else guess(_sample(file, size, block), complete=False)
    file.seek(len(_mark(file.read(4), guessed.encoding)))
    yield from _Stream(guessed, strict=bool(encoding), repair=repair).pieces(file, size - file.tell(), block)


def _named_encoding(encoding: str) -> Guess:
    """Return the encoding that the user chose.

    Raises:
        Unreadable: There is no such encoding for text.
    """
    try:
        name = text_codec(encoding)
    except LookupError as error:
        raise Unreadable(
            "unreadable",
            "There is no encoding named “{encoding}”. Choose one from the list, or let it be detected.",
            encoding=encoding,
        ) from error
    return Guess(name, 1.0)


def _wrong_encoding(encoding: str) -> Unreadable:
    return Unreadable(
        "unreadable",
        "This file is not text in the chosen encoding “{encoding}”. Choose another, or let it be detected.",
        encoding=encoding,
    )


def _accept_hint(data: bytes, hint: str) -> Guess | None:
    """Return the stated encoding, unless a mark, sound UTF-8 or a failure of the bytes contradicts it."""
    codec = codec_of(hint) if hint else ""
    if not codec or byte_order_mark(data):
        return None
    sound = guess(data) if codec != "utf-8" else None
    if sound is not None and sound.encoding.startswith(("utf-8", "utf-16", "iso2022")):
        return None
    if codec.startswith(("utf-16", "utf-32")) and data.isascii() and 0 not in data:
        return None  # any two such bytes are a Chinese sign; the page is ASCII
    try:
        str(data, codec)
    except (UnicodeError, LookupError):
        return None
    return Guess(codec, 0.95)


def _mark(data: bytes, encoding: str) -> bytes:
    """Return the byte order mark in front, if it is one of that encoding."""
    marks = {
        "utf-8": codecs.BOM_UTF8,
        "utf-16-le": codecs.BOM_UTF16_LE,
        "utf-16-be": codecs.BOM_UTF16_BE,
        "utf-32-le": codecs.BOM_UTF32_LE,
        "utf-32-be": codecs.BOM_UTF32_BE,
    }
    mark = marks.get(encoding, b"")
    return mark if data.startswith(mark) else b""


def _count_replaced(text: str, data: bytes, encoding: str) -> int:
    """Return how many replacement characters were not in the bytes already."""
    count = text.count("\ufffd")
    if not count:
        return 0
    own = data.count("\ufffd".encode(encoding)) if encoding.startswith("utf") else 0
    return max(0, count - own)


def _finish(text: str, encoding: str, *, repair: bool) -> tuple[str, Flaws]:
    """Return the text repaired, tidy, and what that took."""
    flaws = Flaws()
    if encoding.startswith("utf") and not text.isascii():
        if repair:
            undone = mojibake.undo(text)
            text, flaws = undone.text, Flaws(repaired=undone.repaired, doubtful=undone.left, lost=undone.lost)
        else:
            flaws = Flaws(doubtful=mojibake.suspects(text))
    text, controls = tidy(text)
    return text, flaws + Flaws(controls=controls)


def _sample(file: BinaryIO, size: int, block: int) -> bytes:
    """Return the first block and a few whole lines from places further on."""
    parts = [file.read(min(block, size))]
    for step in range(1, _SAMPLES + 1):
        file.seek(block + (size - block) * step // (_SAMPLES + 1))
        piece = file.read(_SAMPLE)
        start, end = piece.find(b"\n") + 1, piece.rfind(b"\n") + 1
        parts.append(piece[start:end] if start else b"")
    file.seek(0)
    # Zero bytes mean wide units, of which a line end is only half: then the first block decides.
    return parts[0] if 0 in parts[0] else b"".join(parts[1:] + parts[:1])


class _Stream:
    """Decodes one long file block by block.

    Attributes:
        guess: The encoding in use; ASCII until another byte is met.
    """

    def __init__(self, guessed: Guess, *, strict: bool, repair: bool) -> None:
        self.guess = guessed
        self._strict = strict
        self._repair = repair
        self._decoder = self._new_decoder()

    def pieces(self, file: BinaryIO, length: int, block: int) -> Iterator[Decoded]:
        rest = ""
        while length > 0:
            data = file.read(min(block, length))
            length = length - len(data) if data else 0
            if self.guess.encoding == "ascii" and not self._strict and not data.isascii():
                self.guess = guess(data, complete=False)
                self._decoder = self._new_decoder()
            try:
                text = rest + self._decoder.decode(data, length == 0)
            except UnicodeError as error:
                raise _wrong_encoding(self.guess.encoding) from error
            cut = len(text) if length == 0 else _last_line_end(text)
            rest = text[cut:]
            if cut:
                yield self._piece(text[:cut], data)

    def _new_decoder(self) -> codecs.IncrementalDecoder:
        # UTF-8 reads ASCII too, and marks what is neither.
        name = "utf-8" if self.guess.encoding == "ascii" and not self._strict else self.guess.encoding
        return codecs.getincrementaldecoder(name)("strict" if self._strict else "replace")

    def _piece(self, text: str, data: bytes) -> Decoded:
        invalid = 0 if self._strict else _count_replaced(text, data, self.guess.encoding)
        text, flaws = _finish(text, self.guess.encoding, repair=self._repair)
        return Decoded(text, self.guess.encoding, self.guess.confidence, flaws + Flaws(invalid=invalid))


def _last_line_end(text: str) -> int:
    """Return where to cut so that whole lines go out; nothing goes out before a line is very long."""
    cut = text.rfind("\n") + 1
    if cut or len(text) < _LONGEST_LINE:
        return cut
    cut = text.rfind(" ") + 1
    return cut or len(text) - (text[-1:] == "\r")
