"""The card beside the cursor."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QWidget

from explorer.rendering.colours import style
from explorer.ui.map.hover_card import CardText, HoverCard, wrap_text

LONG = "The quick brown fox jumps over the lazy dog. " * 20


@pytest.mark.parametrize("text", [LONG, "가나다라마바사 아자차카 타파하 " * 30, "x" * 500, "😀 face " * 60])
def test_text_is_wrapped_within_its_room(qapp: object, text: str):
    lines = wrap_text(text, QFont(), 200, 4)
    assert len(lines) == 4
    assert all(QFontMetricsF(QFont()).horizontalAdvance(line) <= 204 for line in lines)
    assert lines[-1].endswith("…")
    joined = "".join(lines[:-1]).replace(" ", "")
    assert text.replace(" ", "").startswith(joined)


def test_short_text_stays_whole(qapp: object):
    assert wrap_text("two words", QFont(), 200, 4) == ["two words"]
    assert wrap_text("  \n ", QFont(), 200, 4) == []
    assert wrap_text("line\n\nbreaks   are spaces", QFont(), 900, 4) == ["line breaks are spaces"]


@pytest.mark.parametrize(("x", "y"), [(5, 5), (395, 5), (5, 295), (395, 295), (200, 150)])
def test_the_card_stays_in_the_window(qapp: object, x: float, y: float):
    window = QWidget()
    window.resize(400, 300)
    card = HoverCard(window, style())
    card.show_text(CardText("A title", "folder/file.txt", "Some words."), x, y, 12)
    assert window.rect().contains(card.geometry())
    assert not card.geometry().contains(int(x), int(y))
    assert card.lines() == ["A title", "folder/file.txt", "Some words."]
    window.deleteLater()
