"""The reader shows the document in focus, where the search found it, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.models.explain import AttributedText, Word
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.look import theme
from explorer.ui.panels.reader.panel import ReaderPanel
from explorer.ui.state.session import OpenFolder, Session
from explorer.ui.widgets.word_highlights import highlight_colour, strengths, strongest_words
from explorer.workspace.storage.documents import Listing

Idle = Callable[[], None]
HEAT = "how can a city stay cool in a heat wave"


def listing(count: int) -> Listing:
    names = [f"{number}.txt" for number in range(count)]
    many = np.arange(count, dtype=np.int64)
    return Listing(many, names, [""] * count, names, many, ["en"] * count, ["utf-8"] * count, np.ones(count))


def test_the_list_is_walked_in_its_order(qapp: object, actions: Controllers) -> None:
    session, panel = actions.session, ReaderPanel(actions.session, actions)
    session.set_documents(listing(4), ())
    session.set_shown(np.array([3, 0, 2]))
    assert session.selection.focus is None
    assert panel.header.position.text() == "1 of 3"  # it shows the first, which nobody has chosen
    panel.step(1)
    assert session.selection.focus == 0
    panel.step(1)
    panel.step(1)
    assert session.selection.focus == 2
    session.focus(1)
    assert panel.header.position.text() == ""  # not in the list: never shown as a hit
    panel.step(1)
    assert session.selection.focus == 3
    panel.deleteLater()


def test_words_that_say_something_are_lit_by_how_far_they_stand_above_the_mean() -> None:
    values = {"a": 0.1, "b": 0.1, "c": 0.1, "d": 0.9, "e": -0.1, "f": 0.7, "The": 0.8, "2024": 0.7}
    words = tuple(Word(at, at + 1, name, value) for at, (name, value) in enumerate(values.items()))
    side = AttributedText(words, 0.0, 6)
    found = {start: strength for start, _, strength in strengths(side, 10)}
    assert set(found) == {13, 15}
    assert 0 < found[15] < found[13] <= 1
    assert [word.text for word in strongest_words(side)] == ["d", "f"]
    assert strengths(AttributedText((), 0.0, 0)) == []


@pytest.mark.parametrize("shown", [theme.LIGHT, theme.DARK])
def test_text_on_the_strongest_colour_is_readable(shown: theme.Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    from PySide6.QtGui import QColor

    monkeypatch.setattr(theme, "_shown", [shown])

    def light(colour: QColor) -> float:
        parts = [
            value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
            for value in (colour.redF(), colour.greenF(), colour.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    for strength in (0.0, 0.5, 1.0):
        pair = sorted((light(QColor(shown.foreground)), light(highlight_colour(strength))))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


def test_without_a_folder_it_says_what_to_do(qapp: object, tmp_path: Any) -> None:
    runner = Runner()
    session = Session()
    panel = ReaderPanel(session, Controllers(session, runner))
    assert "Open a folder" in panel.stage.sentence
    session.set_folder(OpenFolder(tmp_path, tmp_path, writable=True))
    assert "Select a document" in panel.stage.sentence
    assert runner.close(60)
    panel.deleteLater()


@pytest.mark.bundled
def test_the_focus_is_read_with_all_that_is_known(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ReaderPanel)
    row = session.listing.titles.index("Working group on summer heat – minutes")
    session.focus(int(session.listing.ids[row]))
    idle()
    header = panel.header
    assert header.title.text() == "Working group on summer heat – minutes"
    assert header.facts.text().startswith("climate · 2025-06-18 · Tom Okafor")
    facts = dict(panel.details.facts())
    assert (facts["author"], facts["encoded"]) == ("Tom Okafor", "100 %")
    assert panel.view.toPlainText().rstrip() == panel.page.text.rstrip()
    assert panel.details.keywords.chips
    assert header.title.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.bundled
def test_the_hit_is_lit_with_its_reasons(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ReaderPanel)
    opened.search.ask(HEAT)
    idle()
    first = session.search.results.hits[0]
    session.focus(first.document)
    idle()
    assert "Similar in meaning (cosine): 0." in panel.why.text.text()
    lit = panel.page.text[slice(*panel.view._passage)]
    assert len(lit) < len(first.text)  # a sentence, not the passage
    lit_words = {one.cursor.selectedText().lower() for one in panel.view.extraSelections()}
    assert "heat" in lit_words
    assert "heat" in panel.why.text.text().lower()
    opened.search.ask("")
    idle()
    assert panel.view.extraSelections() == []
    assert "not among" in panel.why.text.text()


@pytest.mark.bundled
def test_a_hit_far_down_is_lit_by_its_sentence_too(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ReaderPanel)
    opened.search.ask(HEAT)
    idle()
    results = session.search.results
    bare = next(
        hit for hit in results.hits if not hit.snippet and len(hit.text) > 600
    )  # the search finds the sentences of the first fifty alone
    session.focus(bare.document)
    idle()
    first, last = panel.view._passage
    assert bare.start <= first < last <= bare.end
    assert last - first < len(bare.text) / 2


@pytest.mark.bundled
def test_keys_and_buttons_walk_through_the_hits(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ReaderPanel)
    opened.search.ask(HEAT)
    idle()
    session.set_shown(np.array([one.document for one in session.search.results.hits]))
    hits = [one.document for one in session.search.results.hits]
    session.focus(hits[0])
    idle()
    QTest.keyClick(panel.view, Qt.Key.Key_J)
    assert session.selection.focus == hits[1]
    QTest.mouseClick(panel.header._buttons["right"], Qt.MouseButton.LeftButton)
    idle()
    assert session.selection.focus == hits[2]
    assert panel.page.entry.id == hits[2]
    QTest.keyClick(panel.view, Qt.Key.Key_K)
    QTest.keyClick(panel.view, Qt.Key.Key_K)
    idle()
    assert panel.page.entry.id == hits[0]
    assert not panel.header._buttons["left"].isEnabled()


@pytest.mark.bundled
def test_a_key_word_searches(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ReaderPanel)
    session.focus(int(session.listing.ids[0]))
    idle()
    chips = panel.details.keywords
    QTest.mouseClick(chips.layout().itemAt(0).widget(), Qt.MouseButton.LeftButton)
    assert session.search.text == chips.chips[0].text


@pytest.mark.bundled
def test_a_document_that_is_gone_is_an_error_in_place(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ReaderPanel)
    session.set_shown(session.listing.ids[:0])  # no list, whose first document would be there to read
    session.focus(999_999)
    idle()
    assert "There is no document" in panel.stage.sentence
    session.focus(None)  # the list has noticed it too
    assert "Select a document" in panel.stage.sentence
    session.focus(int(session.listing.ids[1]))
    idle()
    assert not panel.stage.covered


@pytest.mark.bundled
def test_the_first_document_is_there_to_read_while_nothing_is_chosen(make: Any, opened: Any, idle: Idle) -> None:
    session, panel = opened.session, make(ReaderPanel)
    session.set_shown(session.listing.ids[3:6])
    idle()
    assert panel.page is not None
    assert panel.page.entry.id == session.listing.ids[3]
    assert panel.header.position.text() == "1 of 3"
    assert session.selection.focus is None
    session.set_shown(session.listing.ids[4:6])
    idle()
    assert panel.page.entry.id == session.listing.ids[4]
    session.focus(int(session.listing.ids[9]))
    idle()
    session.set_shown(session.listing.ids[:2])
    idle()
    assert panel.page.entry.id == session.listing.ids[9]  # chosen
    session.focus(None)
    session.set_shown(session.listing.ids[:0])
    assert panel.page is None
