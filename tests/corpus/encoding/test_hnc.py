"""HNC code against what Hangul itself makes of it, and against the codecs of Python."""

import struct

import pytest

from explorer.corpus.encoding import hnc


@pytest.mark.parametrize(
    ("code", "letter"),
    [
        (0x0041, "A"), (0x00E9, "é"), (0x0081, "“"), (0x0217, "ȗ"),
        (0x8861, "가"), (0xD065, "한"), (0xD3B7, "힝"),
        (0x4000, "伽"), (0x5174, "漢"), (0x516B, "學"), (0x51A0, "\ufa08"), (0x5317, "詰"),
        (0x3401, "　"), (0x3409, "‐"), (0x3441, "■"), (0x347A, "▶"), (0x3590, "Ⅰ"), (0x35E1, "─"), (0x37A0, "о"),
        (0x1F02, "あ"), (0x1F62, "ア"), (0x30F6, "Φ"), (0x310D, "μ"), (0x3138, "∞"), (0x315F, "≡"), (0x317E, "≈"),
        (0x31BA, "Z"), (0x32B1, "ｱ"), (0x37B6, "⑯"), (0x37BF, "⒇"), (0x37C0, "한"), (0x37ED, "═"), (0x37F9, "≈"),
        (0x2F10, "○"), (0x2F16, "●"), (0x2F43, "▽"), (0x301C, "─"), (0x305F, "│"), (0x309D, "｣"),
    ],
)  # fmt: skip
def test_codes_mean_what_hangul_makes_of_them(code: int, letter: str) -> None:
    assert hnc.character(code) == letter


def test_every_modern_syllable_is_that_of_johab() -> None:
    for syllable in map(chr, range(0xAC00, 0xD7A4)):
        assert hnc.character(int.from_bytes(syllable.encode("johab"), "big")) == syllable


@pytest.mark.parametrize(
    ("code", "text"),
    [(0x8841, "ㄱ"), (0x8461, "ㅏ"), (0x8444, "ㄳ"), (0x8442, "ㄱ"), (0x8001, "ㄲ"), (0xF441, "ㅿ"), (0x87C1, "ㆍ")],
)
def test_jamo_that_stand_alone_are_letters(code: int, text: str) -> None:
    assert hnc.character(code) == text


def test_old_korean_is_composed_of_jamo() -> None:
    assert hnc.character(0x8000 | 7 << 10 | 30 << 5 | 9) == "\u1105\u119e\u11af"  # a modern initial, an old vowel
    assert hnc.character(0x8000 | 2 << 10 | 2 << 5 | 5) == "\u1100\u1160\u11ab"  # no vowel
    assert hnc.character(0xD3C5) == "한"  # of the program's name


@pytest.mark.parametrize("code", [0, 0x7F, 0x0218, 0x2000, 0x5318, 0x7FFF, 0x8025, 0x811F, 0x3345, 0x3FFF])
def test_what_is_not_known_is_replaced(code: int) -> None:
    assert hnc.character(code) == hnc.UNKNOWN


def test_every_code_has_a_text_that_can_be_stored() -> None:
    for code in range(0x10000):
        text = hnc.character(code)
        assert 1 <= len(text) <= 3
        assert text.encode("utf-8")


def test_fields_end_at_their_zero() -> None:
    data = struct.pack("<5H", 0x41, 0x4100, 0x42, 0, 0x43)
    assert hnc.decode_field(data) == f"A{hnc.character(0x4100)}B"
    assert hnc.decode(data[:3]) == "A"
    assert hnc.decode_bytes("이름".encode("johab") + b"\0rest") == "이름"
