"""A long text is cut where people would cut it, and every character is found again."""

from __future__ import annotations

from itertools import pairwise

import pytest

from explorer.ui.panels.reader.text_view import MAX_PIECES, LoadedText, cut_positions


def test_pieces_are_the_text_and_end_with_lines() -> None:
    text = "".join(f"line {number} of a long text\n" for number in range(5000))
    found = cut_positions(text, 1000)
    assert found[0] == 0
    assert found[-1] == len(text)
    assert all(text[at - 1] == "\n" for at in found[1:-1])
    assert max(end - start for start, end in pairwise(found)) <= 1500


@pytest.mark.parametrize("text", ["", "a", "x" * 5000, "word " * 2000])
def test_texts_without_lines_are_cut_too(text: str) -> None:
    found = cut_positions(text, 1000)
    assert found[0] == 0
    assert found[-1] == len(text)
    assert all(end - start <= 1500 for start, end in pairwise(found))
    if " " in text:
        assert all(text[at - 1] == " " for at in found[1:-1])


def test_characters_that_qt_counts_twice_are_counted_twice() -> None:
    text = "a😀b😀c" + "한" * 10
    window = LoadedText(text, (0, len(text)))
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 1)]
    assert [window.position(at) for at in range(len(text) + 1)] == units
    assert [window.character(window.position(at)) for at in range(len(text) + 1)] == list(range(len(text) + 1))


def test_a_window_lies_around_its_character_and_is_full_at_some_time() -> None:
    text = "word " * 20_000
    window = LoadedText.around(text, cut_positions(text, 1000), 50_000)
    assert window.contains(50_000)
    assert not window.contains(0)
    assert window.last - window.first == 3
    assert not window.full
    assert LoadedText(text, window.cuts, 0, MAX_PIECES).full


def test_nothing_that_is_a_command_to_qt_is_inserted() -> None:
    text = "a\rb\u2029c\ufdd0d\0e"
    assert LoadedText(text, (0, len(text))).plain(0, 1) == "a b\nc d e"
