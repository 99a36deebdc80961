"""Repair text that was encoded twice: UTF-8 that was read as a one-byte encoding and saved again ("cafÃ©").

Runs of such characters are repaired one by one, up to three times over. Where bytes were lost on the way, U+FFFD stands
for what is missing. A text about the fault quotes it, and is left alone.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from explorer.corpus.encoding.detect import guess
from explorer.corpus.encoding.language_models import script_of

_TIMES = 3  # that a text may have been encoded once too often
_OPENING, _CLOSING = frozenset("\"'`“‘«(["), frozenset("\"'`”’»)]")
_PLAIN = string.ascii_letters + string.digits
_WORD = 40  # characters between which a quotation mark is looked for
_MISSING = "\ufffd"
_EXAMINED = 100_000  # characters by which a whole text is judged
_SURE = 0.9  # confidence that the bytes behind Latin letters are another script


@dataclass(frozen=True)
class Repair:
    """A text after the attempt.

    Attributes:
        text: The text, repaired where it was encoded twice.
        repaired: Lines that were repaired.
        left: Lines that look encoded twice but were left as they are.
        lost: Characters that could not be recovered, now U+FFFD.
    """

    text: str
    repaired: int = 0
    left: int = 0
    lost: int = 0


@dataclass(frozen=True)
class _GarbledRun:
    """Characters of a line that are bytes of UTF-8: line[start:end], which say `text`.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        text: What it says, with U+FFFD for characters that are not whole.
        sound: How many characters are whole.
        broken: How many are not.
        quoted: Whether it is in quotation marks or brackets.
    """

    start: int
    end: int
    text: str
    sound: int
    broken: int
    quoted: bool


class _Misreading:
    """UTF-8 read as a one-byte encoding.

    Attributes:
        telling: Pairs of characters that occur in no language: one is enough.
        fewest: How many whole characters in a row cannot be chance, where none is telling.
    """

    def __init__(self, codec: str, telling: str, fewest: int) -> None:
        self.telling, self.fewest = re.compile(telling), fewest
        decoded = ((byte, bytes([byte]).decode(codec, "replace")) for byte in range(0x80, 0x100))
        self._bytes = {char: byte for byte, char in decoded if char != _MISSING}
        if codec == "cp1252":  # browsers put control characters where it has nothing
            self._bytes |= {chr(byte): byte for byte in range(0x80, 0xA0)}
        lead, tail = self._set_of(0xC2, 0xF4), self._set_of(0x80, 0xBF)
        two, three, four = self._set_of(0xC2, 0xDF), self._set_of(0xE0, 0xEF), self._set_of(0xF0, 0xF4)
        self._sequence = re.compile(f"{two}{tail}|{three}{tail}{{2}}|{four}{tail}{{3}}")
        # A no-break space among the bytes often became a plain space.
        self._runs = re.compile(f"{lead}(?:[{re.escape(''.join(self._bytes))}]| (?={tail}))*")

    def _set_of(self, first: int, last: int) -> str:
        return "[" + re.escape("".join(char for char, byte in self._bytes.items() if first <= byte <= last)) + "]"

    def occurs(self, text: str) -> bool:
        """Return whether a text holds such a sequence at all."""
        return self._sequence.search(text) is not None

    def undo(self, text: str) -> Repair:
        """Return the text with the runs repaired that are no accident."""
        lines = text.split("\n")
        whole = self.is_everywhere(text)
        repaired = left = lost = 0
        for number, line in enumerate(lines):
            if line.isascii():
                continue
            runs = [run for run in self._find(line) if run.sound or run.broken]
            sound, broken = sum(run.sound for run in runs), sum(run.broken for run in runs)
            # Three whole characters for one that is not: no text has so many by accident.
            sure = whole or (sound >= 4 and sound >= 3 * broken)
            meant = [run for run in runs if not run.quoted and self._is_meant(line, run, sure=sure)]
            left += len(meant) < sum(self._is_strange(line, run) for run in runs)
            if meant:
                pieces, position = [], 0
                for run in meant:
                    pieces += [line[position : run.start], run.text]
                    position = run.end
                lines[number] = "".join(pieces) + line[position:]
                repaired += 1
                lost += sum(run.broken for run in meant)
        return Repair("\n".join(lines), repaired, left, lost)

    def _is_meant(self, line: str, run: _GarbledRun, *, sure: bool) -> bool:
        if not run.sound:
            return sure and run.end - run.start > 1
        if run.broken:
            return sure
        return sure or self._is_strange(line, run)

    def _is_strange(self, line: str, run: _GarbledRun) -> bool:
        """Return whether a run is in no language."""
        return run.sound >= self.fewest or self.telling.match(line, run.start) is not None

    def is_everywhere(self, text: str) -> bool:
        """Return whether most non-ASCII text was encoded twice, so that broken runs were too."""
        lines = text[:_EXAMINED].split("\n")
        runs = [run for line in lines if not line.isascii() for run in self._find(line)]
        sound, broken = sum(run.sound for run in runs), sum(run.broken for run in runs)
        beyond = sum(not char.isascii() for line in lines for char in line)
        covered = sum(run.end - run.start for run in runs if not run.quoted)
        return sound >= 8 and sound >= broken and covered >= 0.8 * beyond

    def _find(self, line: str) -> Iterator[_GarbledRun]:
        """Yield the runs of a line."""
        for match in self._runs.finditer(line):
            start, end = match.span()
            # Letters of the same word stand between a quotation mark and the run: "dÃ©jÃ ".
            before = line[max(0, start - _WORD) : start].rstrip(_PLAIN)
            pieces: list[str] = []
            sound = broken = 0
            position = start
            while position < end:
                sequence = self._sequence.match(line, position, end)
                text = self._decode(sequence[0] if sequence else line[position : min(end, position + 3)])
                if sequence and text:
                    pieces.append(text)
                    sound, position = sound + 1, sequence.end()
                elif not sequence and text and " " in line[position : position + 3]:
                    pieces.append(text)
                    sound, position = sound + 1, min(end, position + 3)
                else:
                    stop = position + 1
                    while stop < end and self._bytes.get(line[stop], 0) < 0xC0:
                        stop += 1
                    rest = line[position:stop]
                    if position > start and all(char in _CLOSING or not char.isalnum() for char in rest):
                        end = position  # signs after the run, such as a closing quotation mark
                        break
                    pieces.append(_MISSING)
                    broken, position = broken + 1, stop
            after = line[end : end + _WORD].lstrip(_PLAIN)
            quoted = before[-1:] in _OPENING and after[:1] in _CLOSING
            yield _GarbledRun(start, end, "".join(pieces), sound, broken, quoted)

    def _decode(self, sequence: str) -> str:
        try:
            return bytes(0xA0 if char == " " else self._bytes[char] for char in sequence).decode("utf-8")
        except (KeyError, UnicodeDecodeError):
            return ""


@cache
def _misreadings() -> tuple[_Misreading, ...]:
    return (
        _Misreading("cp1252", "[ÂÃ].|â€.|Å“|ï»¿|.[\x80-\x9f]", 2),
        _Misreading("cp1251", "(?!)", 3),  # "Р»" ends «СССР», "Сё" begins "Сёстры"
        _Misreading("mac-roman", "√[©®ß†°¢§•¶™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæ]|‚Ä[ôúùìî¶¢ò]", 3),
    )


def undo(text: str) -> Repair:
    """Return the text with the parts that were encoded twice repaired."""
    repaired = left = lost = 0
    if other := _other_script(text):
        return Repair(other, sum(not line.isascii() for line in other.split("\n")))
    for _ in range(_TIMES):
        before = text
        for misreading in _misreadings():
            if misreading.occurs(text):
                done = misreading.undo(text)
                text, left = done.text, max(left, done.left)
                repaired, lost = max(repaired, done.repaired), lost + done.lost
        if text == before:
            break
    return Repair(text, repaired, left, lost)


def suspects(text: str) -> int:
    """Return how many lines look encoded twice."""
    first = _misreadings()[0]
    if not first.occurs(text):
        return 0
    return undo(text).repaired


def _other_script(text: str) -> str:
    """Return a text whose bytes, such as those of CP949, were read as Latin letters; empty where it is no such text."""
    sample = text[:_EXAMINED]
    beyond = sum(not char.isascii() for char in sample)
    # Words of Latin script have one such letter in ten; those read from another script have hardly any other.
    letters = sum(char.isascii() and char.isalpha() for char in sample)
    if beyond < 8 or beyond < letters or any(misreading.is_everywhere(text) for misreading in _misreadings()):
        return ""
    for codec in ("latin-1", "cp1252"):
        try:
            data = text.encode(codec)
        except UnicodeEncodeError:
            continue
        guessed = guess(data)
        if guessed.confidence >= _SURE:
            better = data.decode(guessed.encoding, "replace")
            changed = sum(char.isalpha() and script_of(char) != "latin" for char in better if not char.isascii())
            return better if changed >= 0.5 * sum(not char.isascii() for char in better) else ""
    return ""
