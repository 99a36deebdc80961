"""Decode HNC code: the 16-bit characters of Hangul 3 to 97.

Letters of Korean are Johab, five bits each for the initial, the medial and the final; 4,888 Chinese characters and the
symbols are in the order of KS X 1001. The rest was compared with what Hangul itself makes of each code. The second
level of Chinese characters (0x5318 to 0x7fff) and the precomposed syllables of old Korean follow no rule; they become
U+FFFD, as codes without a meaning do.
"""

from __future__ import annotations

import struct
import unicodedata
from functools import cache

UNKNOWN = "\ufffd"
# Jamo by the five bits of their place; 0 where a place is empty. Those beyond Unicode's modern ones are of old Korean.
_INITIALS = (
    0x111E, 0, *range(0x1100, 0x1113), 0x1120, 0x1121, 0x1127, 0x112B, 0x112D, 0x112F, 0x1132, 0x1136, 0x1140, 0x114C,
    0x1158,
)  # fmt: skip
_MEDIALS = (
    -1, -1, 0, *range(0x1161, 0x1166), -1, -1, *range(0x1166, 0x116C), -1, 0x1188, *range(0x116C, 0x1172), 0x1191,
    0x1194, *range(0x1172, 0x1176), 0x119E, 0x11A1,
)  # fmt: skip
_FINALS = (0x11D9, 0, *range(0x11A8, 0x11B8), 0x11E6, *range(0x11B8, 0x11C3), 0x11EB, 0x11F0)
_INITIAL_FILLER, _MEDIAL_FILLER = 0x115F, 0x1160
_LOGO = 0xD3C5  # the syllable of the program's name, with an old vowel; typed for the modern one
_HANJA, _HANJA_COUNT = 0x4000, 4888
_SYMBOLS, _KANA = 0x3400, 0x1F00
_SYMBOL_ROWS = (*range(0xA1, 0xAA), 0xAC)  # of KS X 1001, each 96 codes wide; those of kana are elsewhere
_LINES, _LINE_SHAPES = 0x3013, "┌┬┐├┼┤└┴┘─│"  # seven times, thin to thick
_BULLETS, _BULLET_SHAPES = 0x2F00, ("□■", "○●", "◇◆", "△▲", "▽▼", "◁◀", "▷▶")
_LATIN = range(0xA1, 0x218)
# Stretches of symbols, with U+FFFD where Hangul has none that Unicode has too.
_STRETCHES = {
    0x0080: "€“”‘’·„‟",
    0x3062: "“”₩※‧‘’",
    0x30E1: "ΑΒΓΔΕ�ΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦ�ΧΨΩ",
    0x3101: "αβγδε�ζηθικλμνξοπρστυφ�χψω",
    0x3121: "∤″≢≠∴�′��×±«∓»��⊥∠¬⇐⇔⇒∝∞⊢÷≃≤≅≥�≇∀⊃⊂∇∃⇑⇓�↲␣�→�∥",
    0x315E: "∧≡�ℵ⊇⊆∂∈∐�ℏ∫�∮⊄∉∩∅▯◦∋⊕⊗∪∨⊙⊖���∣�≈",
    0x31A1: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    0x32A1: "".join(map(chr, range(0xFF61, 0xFFA0))),
    0x37B6: "⑯⑰⑱⑲⑳⒃⒄⒅⒆⒇한글과컴퓨터",
    0x37C9: "☺☻◘◙☼‼¶���⇕⇐╡╢╖╕╣║╗╝╜╛▄↨⌙⌐�⌠⌡╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪≈",
}
_FEW = {0x309B: "｢", 0x309D: "｣"} | {
    start + offset: letter for start, letters in _STRETCHES.items() for offset, letter in enumerate(letters)
}


def decode(data: bytes) -> str:
    """Return the text of little-endian HNC codes, with U+FFFD for each that has no known meaning."""
    return "".join(map(character, struct.unpack(f"<{len(data) // 2}H", data[: len(data) & ~1])))


def decode_field(data: bytes) -> str:
    """Return the text of a field of fixed length, up to the zero that ends it."""
    ends = (position for position in range(0, len(data) - 1, 2) if data[position : position + 2] == b"\0\0")
    return decode(data[: next(ends, len(data))])


def decode_bytes(data: bytes) -> str:
    """Return the text of a field in which a character of ASCII takes one byte and others two: a name, a path."""
    return data.partition(b"\0")[0].decode("johab", "replace")


@cache
def character(code: int) -> str:
    """Return the character of a code, two or three where Unicode composes it of jamo."""
    if 0x20 <= code < 0x7F or code in _LATIN:
        return chr(code)
    if code >= 0x8000:
        return _hangul(code)
    if _HANJA <= code < _HANJA + _HANJA_COUNT:
        row, column = divmod(code - _HANJA, 94)
        return _from_standard(0xCA + row, 0xA1 + column)
    if code in _FEW:
        return _FEW[code]
    row, column = divmod(code - _SYMBOLS, 96)
    if 0 <= row < len(_SYMBOL_ROWS):
        return _from_standard(_SYMBOL_ROWS[row], 0xA0 + column)
    row, column = divmod(code - _KANA, 96)
    if 0 <= row < 2:
        return _from_standard(0xAA + row, 0xA0 + column)
    if 0 <= code - _LINES < 7 * len(_LINE_SHAPES):
        return _LINE_SHAPES[(code - _LINES) % len(_LINE_SHAPES)]
    shape, style = divmod(code - _BULLETS, 16)
    if 0 <= shape < len(_BULLET_SHAPES) and style < 9:
        return _BULLET_SHAPES[shape][style >= 6]
    return UNKNOWN


def _from_standard(row: int, column: int) -> str:
    """Return the character at a place of KS X 1001; its first column is empty and serves as a space."""
    if column == 0xA0:
        return " "
    try:
        # The hyphen of KS X 1001 is a visible one.
        return bytes((row, column)).decode("euc_kr").replace("\xad", "‐")
    except UnicodeDecodeError:
        return UNKNOWN


def _hangul(code: int) -> str:
    first, second, third = code >> 10 & 31, code >> 5 & 31, code & 31
    if second == 0 and 32 * first + third < 30:
        return chr(0x3131 + 32 * first + third)  # a list of consonants; what follows it is of old Korean
    if code == _LOGO:
        return "한"
    initial, medial, final = _INITIALS[first], _MEDIALS[second], _FINALS[third]
    if medial < 0:
        return UNKNOWN
    present = [jamo for jamo in (initial, medial, final) if jamo]
    if len(present) == 1:
        return _alone(present[0])
    if not present:
        return " "
    jamo = [initial or _INITIAL_FILLER, medial or _MEDIAL_FILLER, *([final] if final else [])]
    return unicodedata.normalize("NFC", "".join(map(chr, jamo)))


def _alone(jamo: int) -> str:
    """Return the letter that stands by itself for a jamo, where there is one."""
    # "HANGUL CHOSEONG KIYEOK" and "HANGUL JONGSEONG KIYEOK" both are "HANGUL LETTER KIYEOK".
    name = unicodedata.name(chr(jamo)).split(" ", 2)[2]
    try:
        return unicodedata.lookup(f"HANGUL LETTER {name}")
    except KeyError:
        return chr(jamo)
