"""A text is shown as it is, whatever is in it and however long it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QTextDocument, QTextOption, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.ui.look import theme
from explorer.ui.panels.reader.text_view import MAX_PIECES, PIECE, TextView

Wait = Callable[..., None]


@pytest.fixture
def view(qapp: object) -> Iterator[TextView]:
    made = TextView()
    made.resize(500, 400)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def marked(view: TextView) -> list[str]:
    return [one.cursor.selectedText() for one in view.extraSelections()]


def long_text() -> str:
    return "".join(f"Line {number} of a text that is far too long to lay out.\n" for number in range(80_000))


def test_html_is_letters(view: TextView) -> None:
    text = "<b>bold</b> <img src='http://example.com/x.png'> &amp; <script>x</script>"
    view.show_text(text)
    assert view.toPlainText() == text
    assert view.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl("http://example.com/x")) is None
    assert not view.acceptRichText()


def test_a_text_of_millions_is_laid_out_in_part_and_read_to_its_end(view: TextView) -> None:
    text = long_text()
    assert len(text) > 4_000_000
    view.show_text(text)
    assert view.document().characterCount() < 4 * PIECE
    bar = view.verticalScrollBar()
    for _ in range(40):
        bar.setValue(bar.maximum())
        QApplication.processEvents()
    first, last = view.loaded.span
    assert last > 20 * PIECE
    assert view.loaded.last - view.loaded.first <= MAX_PIECES
    assert view.toPlainText().rstrip("\n") == text[first:last].rstrip("\n")
    QTest.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.loaded.span[1] == len(text)
    assert "Line 79999" in view.toPlainText()
    QTest.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert view.loaded.span[0] == 0


def test_scrolling_up_brings_the_text_before_without_a_jump(view: TextView) -> None:
    text = long_text()
    view.show_text(text, at=len(text) // 2)
    bar = view.verticalScrollBar()
    for _ in range(30):
        bar.setValue(0)
    first, last = view.loaded.span
    assert first < len(text) // 2 - 10 * PIECE
    assert view.toPlainText().rstrip("\n") == text[first:last].rstrip("\n")
    assert bar.value() > view.viewport().height()  # the old first line is where it was, more is above


def test_the_place_that_was_asked_for_is_in_view_after_a_resize(view: TextView) -> None:
    text = long_text()
    at = text.index("Line 40000 ")
    view.show_text(text, at=at)
    for width in (500, 300, 900):
        view.resize(width, 400)
        shown = view.cursorForPosition(QPoint(view.viewport().width() // 2, 100)).block().text()
        assert shown.startswith(("Line 4000", "Line 3999")), (width, shown)


def test_the_user_scrolls_away_and_a_resize_does_not_pull_back(view: TextView) -> None:
    view.show_text(long_text())
    turned = QWheelEvent(
        QPointF(50, 50),
        view.mapToGlobal(QPointF(50, 50)),
        QPoint(),
        QPoint(0, -1200),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), turned)
    before = view.verticalScrollBar().value()
    assert before > 0
    view.resize(500, 420)
    assert view.verticalScrollBar().value() == before


def test_words_are_lit_where_they_stand_among_emoji(view: TextView) -> None:
    text = "😀😀 rice and 🍚 steam\n비슷한 문서"
    spans = [(text.index(word), text.index(word) + len(word)) for word in ("rice", "steam", "문서")]
    view.show_text(text)
    view.highlight((0, len(text)), [(*spans[0], 1.0), (*spans[1], 0.2)], [spans[2]])
    assert marked(view) == ["rice", "steam", "문서"]
    strong, weak = (one.format.background().color() for one in view.extraSelections()[:2])
    accent = QColor(theme.current().accent)
    assert abs(strong.red() - accent.red()) < abs(weak.red() - accent.red())


def test_words_that_are_not_laid_out_are_lit_when_they_come(view: TextView) -> None:
    text = long_text()
    at = text.index("Line 70000")
    view.show_text(text)
    view.highlight(None, [(at, at + 4, 1.0)])
    assert marked(view) == []
    view.go_to(at)
    assert marked(view) == ["Line"]


def test_the_lit_passage_is_drawn_and_only_it(view: TextView) -> None:
    text = "first paragraph\n\n\n\nsecond paragraph\n\n\n\nthird paragraph"
    start = text.index("second")
    view.show_text(text)
    view.highlight((start, start + len("second paragraph\n")))
    picture = view.viewport().grab().toImage()
    lit = QColor(theme.current().lit)
    rows = [y for y in range(picture.height()) if picture.pixelColor(view.viewport().width() // 2, y) == lit]
    place = view.cursorRect(view.cursorForPosition(QPoint(60, rows[0] + 5)))
    assert rows
    assert view.cursorForPosition(QPoint(60, place.center().y())).block().text() == "second paragraph"
    assert len(rows) < picture.height() // 3


def test_the_only_passage_of_a_text_is_not_lit(view: TextView) -> None:
    text = "The only paragraph\n"
    view.show_text(text, [(0, len(text))])
    view.highlight((0, len(text)))
    picture, lit = view.viewport().grab().toImage(), QColor(theme.current().lit)
    here = view.viewport().width() // 2
    assert all(picture.pixelColor(here, y) != lit for y in range(picture.height()))


def test_passages_are_marked_on_demand(view: TextView) -> None:
    text = "one two three. " * 40
    view.show_text(text, [(0, 300), (300, 600)])
    plain = view.viewport().grab().toImage()
    view.show_brackets(True)
    assert view.viewport().grab().toImage() != plain
    view.show_brackets(False)
    assert view.viewport().grab().toImage() == plain


def test_a_line_has_about_seventy_letters(view: TextView) -> None:
    view.resize(1200, 400)
    view.show_text("the quick brown fox jumps over the lazy dog and then some more of it " * 20)
    line = view.document().firstBlock().layout().lineAt(1).textLength()
    assert 55 <= line <= 90


def test_a_text_without_spaces_breaks_anywhere_and_others_between_words(view: TextView) -> None:
    # Looking for a space in tens of thousands of letters takes Qt seconds.
    view.show_text("x" * 100_000)
    assert view.wordWrapMode() == QTextOption.WrapMode.WrapAnywhere
    view.show_text("some words " * 1000)
    assert view.wordWrapMode() == QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
