"""The table of documents shows what the session knows, and tells it what the user chose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from explorer.analysis.clusters.cluster import Clustering
from explorer.analysis.search.query import parse
from explorer.services.overview import Clusters
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.look import theme
from explorer.ui.panels.documents import columns, panel
from explorer.ui.panels.documents.model import without_title
from explorer.ui.panels.documents.panel import LIST, TABLE, DocumentsPanel
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter, OpenFolder, Origin, Scope, Search, Session
from explorer.workspace.overview.clusters import Cluster
from explorer.workspace.search.search import Hit, Results
from explorer.workspace.storage.documents import Listing

Wait = Callable[..., None]
ROLE = Qt.ItemDataRole


def listed(titles: Sequence[str], **fields: Sequence[Any]) -> Listing:
    """Documents 10, 20, 30, ... of these titles."""
    count = len(titles)
    return Listing(
        np.arange(1, count + 1) * 10,
        [f"folder {row % 2}/file{row}.txt" for row in range(count)],
        [""] * count,
        list(titles),
        np.arange(count)[::-1] * 1000 + 5,
        ["en"] * count,
        ["utf-8"] * count,
        np.ones(count, np.float32),
        fields,
    )


def found(*numbers: int) -> Results:
    hits = tuple(
        Hit(rank, number, "p", "", "t", 0, 1, "t", 1 - rank / 10, 0.5, None) for rank, number in enumerate(numbers, 1)
    )
    return Results(parse("x"), hits)


class Bench:
    """A panel on a session of its own."""

    def __init__(self) -> None:
        self.session, self.runner = Session(), Runner()
        self.actions = Controllers(self.session, self.runner)
        self.panel = DocumentsPanel(self.session, self.actions)
        self.panel.resize(800, 400)
        self.panel.show()
        self.panel.show_as(TABLE)
        self.table, self.model = self.panel.table, self.panel.table.model()

    def open(self, listing: Listing) -> None:
        self.session.set_folder(OpenFolder(Path("texts"), Path("workspace"), True))
        self.session.set_documents(listing, ())

    def titles(self) -> list[str]:
        place = list(self.model.columns).index(columns.TITLE)
        return [self.model.index(row, place).data() for row in range(self.model.rowCount())]

    def cell(self, row: int, column: str, role: int = ROLE.DisplayRole) -> Any:
        return self.model.index(row, list(self.model.columns).index(column)).data(role)

    def click(self, row: int, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        at = self.table.visualRect(self.model.index(row, 0)).center()
        QTest.mouseClick(self.table.viewport(), Qt.MouseButton.LeftButton, held, at)

    def click_header(self, column: str) -> None:
        header = self.table.horizontalHeader()
        place = list(self.model.columns).index(column)
        at = QPoint(header.sectionViewportPosition(place) + 20, header.height() // 2)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


@pytest.fixture
def bench(qapp: Any) -> Iterator[Bench]:
    theme.apply(qapp, theme.LIGHT)
    bench = Bench()
    yield bench
    bench.panel.close()
    assert bench.runner.close(60)
    bench.actions.close_workspace()


def test_nothing_open_says_what_to_do(bench: Bench) -> None:
    assert "Open a folder" in bench.panel.stage.sentence


def test_click_on_a_header_sorts_and_the_third_click_goes_back(bench: Bench) -> None:
    bench.open(listed(["part 10", "Part 2", "", "alpha"]))
    files = ["part 10", "Part 2", "file2.txt", "alpha"]
    assert bench.titles() == files

    bench.click_header(columns.TITLE)
    assert bench.titles() == ["alpha", "file2.txt", "Part 2", "part 10"]
    bench.click_header(columns.TITLE)
    assert bench.titles() == ["part 10", "Part 2", "file2.txt", "alpha"]
    bench.click_header(columns.TITLE)
    assert bench.titles() == files
    bench.click_header(columns.LENGTH)
    assert [bench.cell(row, columns.LENGTH) for row in range(4)] == ["3,005", "2,005", "1,005", "5"]
    bench.click_header(columns.LENGTH)
    assert [bench.cell(row, columns.LENGTH) for row in range(4)] == ["5", "1,005", "2,005", "3,005"]


def test_missing_values_come_last_both_ways(bench: Bench) -> None:
    bench.open(listed(["a", "b", "c", "d"], date=[None, "2024-05-01T10:00:00", "2023-01-01", ""]))

    bench.click_header(columns.DATE)
    assert bench.titles() == ["c", "b", "a", "d"]
    assert bench.cell(1, columns.DATE) == "2024-05-01"
    bench.click_header(columns.DATE)
    assert bench.titles() == ["b", "c", "a", "d"]


def test_a_click_focuses_and_the_session_hears_it_once(bench: Bench) -> None:
    bench.open(listed(["a", "b", "c"]))
    heard: list[Origin] = []
    bench.session.selection_changed.connect(heard.append)

    bench.click(1)

    assert bench.session.selection.focus == 20
    assert heard == [Origin.DOCUMENTS]


def test_focus_from_elsewhere_is_followed_into_sight(bench: Bench) -> None:
    bench.open(listed([f"text {number}" for number in range(500)]))
    heard: list[Origin] = []
    bench.session.selection_changed.connect(heard.append)

    bench.session.focus(4000)

    row = bench.table.currentIndex().row()
    assert bench.titles()[row] == "text 399"
    assert bench.table.viewport().rect().contains(bench.table.visualRect(bench.model.index(row, 0)).center())
    assert heard == [Origin.OTHER]


def test_marks_by_mouse_and_key(bench: Bench) -> None:
    bench.open(listed(list("abcdef")))
    marked = lambda: sorted(bench.session.selection.marked)  # noqa: E731

    bench.click(1)
    bench.click(3, Qt.KeyboardModifier.ControlModifier)
    assert (marked(), bench.session.selection.focus) == ([40], 20)
    bench.click(3, Qt.KeyboardModifier.ControlModifier)
    assert marked() == []
    bench.click(1)
    bench.click(4, Qt.KeyboardModifier.ShiftModifier)
    assert marked() == [20, 30, 40, 50]
    assert bench.cell(2, columns.TITLE, ROLE.BackgroundRole) is not None
    assert bench.cell(0, columns.TITLE, ROLE.BackgroundRole) is None
    QTest.keyClick(bench.table, Qt.Key.Key_Home)
    QTest.keyClick(bench.table, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert marked() == [10, 20, 30, 40, 50]
    QTest.keyClick(bench.table, Qt.Key.Key_Down)
    QTest.keyClick(bench.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert (marked(), bench.session.selection.focus) == ([20, 30], 30)
    QTest.keyClick(bench.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert marked() == [10, 20, 30, 40, 50, 60]


def test_enter_and_double_click_ask_to_read(bench: Bench) -> None:
    bench.open(listed(["a", "b"]))
    asked: list[int] = []
    bench.panel.open_requested.connect(asked.append)

    bench.click(1)
    QTest.keyClick(bench.table, Qt.Key.Key_Return)
    at = bench.table.visualRect(bench.model.index(0, 0)).center()
    bench.click(0)
    QTest.mouseDClick(bench.table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)

    assert asked == [20, 10]


def test_scope_and_filters_narrow_the_rows(bench: Bench) -> None:
    bench.open(listed(list("abcd")))
    assert bench.panel.count.text() == "4 documents"

    bench.session.set_filter(DocumentFilter(DocumentSet({20, 40}), "even ones"))
    assert bench.titles() == ["b", "d"]
    assert [chip.text for chip in bench.panel.chips.chips] == ["even ones"]
    assert bench.session.shown.tolist() == [20, 40]
    bench.session.set_picks(DocumentSet([10, 20]))
    bench.session.set_scope(Scope.PICKED)
    assert (bench.titles(), bench.panel.count.text()) == (["b"], "1 picked")
    bench.panel.chips.chosen.emit("0")
    assert bench.titles() == ["a", "b"]
    bench.session.set_picks(DocumentSet([30]))
    assert bench.titles() == ["c"]
    bench.session.set_search(Search("x", found(30, 10)))
    assert (bench.session.scope, bench.panel.count.text()) == (Scope.FOUND, "2 found")
    bench.session.set_search(None)
    assert bench.session.scope is Scope.ALL
    assert bench.titles() == list("abcd")


def test_filters_of_one_kind_add_up_and_kinds_narrow_each_other(bench: Bench) -> None:
    bench.open(listed(list("abcd")))
    choose = bench.actions.filter_to

    choose([10, 20], "one", kind="tag")
    choose([30], "two", kind="tag", add=True)
    assert bench.titles() == ["a", "b", "c"]
    choose([20, 30, 40], "here", kind="folder", add=True)
    assert bench.titles() == ["b", "c"]
    choose([30], "two", kind="tag", add=True)  # again: taken away
    assert bench.titles() == ["b"]
    choose([40], "alone", kind="folder")
    assert bench.titles() == ["d"]


def test_the_list_shows_the_sentence_that_matched_and_one_number(bench: Bench) -> None:
    bench.open(listed(list("abcd")))
    bench.session.set_tags({30: frozenset({"inv"})})
    results = found(30, 10)
    best = replace(
        results.hits[0],
        snippet="The best of it.",
        words=((4, 8),),
        copies=(20,),
        cross_score=0.9,
        found_rank=4,
        title="c",
        title_words=((0, 1),),
    )
    bench.session.set_search(Search("x", replace(results, hits=(best, results.hits[1]))))
    bench.panel.show_as(LIST)
    card = bench.model.card(0)
    assert (card.title, card.snippet, card.words, card.score) == ("c", "The best of it.", ((4, 8),), "0.90")
    assert card.title_words == ((0, 1),)
    assert (card.moved, card.copies_text, card.tags) == (3, "1 copy", "#inv")
    assert not bench.panel.grab().toImage().isNull()

    view = bench.panel.list
    view.setCurrentIndex(bench.model.index(0, 0))
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert bench.titles() == ["c", "b", "a"]
    assert bench.model.card(1).is_copy
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert bench.titles() == ["c", "a"]


def test_a_query_of_conditions_alone_shows_no_score(bench: Bench) -> None:
    bench.open(listed(list("abcd")))
    results = found(30, 10)
    bare = tuple(replace(hit, score=0.0, bi_score=None, keyword_score=None) for hit in results.hits)
    bench.session.set_search(Search("tag:x", replace(results, hits=bare)))
    assert [(bench.model.card(row).score, bench.model.card(row).share) for row in range(2)] == [("", None)] * 2


def test_a_snippet_does_not_repeat_the_title_above_it() -> None:
    assert without_title("눈", "눈 눈이 온다", [(2, 3)]) == ("눈이 온다", ((0, 1),))
    assert without_title("Snow", "Snow It melts", [(0, 4), (8, 13)]) == ("It melts", ((3, 8),))
    assert without_title("Snow", "Snow", []) == ("Snow", ())
    assert without_title("", "It melts", [(3, 8)]) == ("It melts", ((3, 8),))


@pytest.mark.parametrize("width", range(150, 460, 7))
def test_a_snippet_that_is_cut_says_so(qapp: object, width: int) -> None:
    from PySide6.QtGui import QFont

    from explorer.ui.panels.documents.list_view import LINES, _fitted

    text = "The main gun control law is similar to (or even BASED ON) a German gun control law. 2) Germany was " * 3
    layout = _fitted(text, ((9, 12),), QFont(), width)
    assert layout.lineCount() <= LINES
    last = layout.lineAt(layout.lineCount() - 1)
    assert layout.text().endswith("…")
    assert last.textStart() + last.textLength() == len(layout.text())  # the ellipsis is on the last line


@pytest.mark.parametrize("width", [60, 160, 900])
def test_words_that_matched_stand_out_in_the_title_as_far_as_it_is_shown(qapp: object, width: int) -> None:
    from PySide6.QtGui import QFont

    from explorer.ui.panels.documents.list_view import title_layout

    title = "Snow in 🏔 May, and snow in June"
    layout = title_layout(title, [(0, 4), (19, 23)], QFont(), width)
    shown = layout.text().encode("utf-16-le")
    words = [shown[2 * each.start : 2 * (each.start + each.length)].decode("utf-16-le") for each in layout.formats()]
    assert all(each.format.background().style() != Qt.BrushStyle.NoBrush for each in layout.formats())
    assert layout.lineCount() == 1
    assert all(whole.startswith(word) for whole, word in zip(["Snow", "snow"], words, strict=False))
    assert len(words) == (2 if width == 900 else len(words))
    assert not any("…" in word for word in words)


def test_list_and_table_show_the_same_document(bench: Bench) -> None:
    bench.open(listed([f"title {number}" for number in range(300)]))
    bench.panel.show_as(LIST)
    bench.session.focus(2500)
    for page, view in ((TABLE, bench.panel.table), (LIST, bench.panel.list)):
        bench.panel.show_as(page)
        shown = view.visualRect(bench.model.index(249, 0))
        assert view.viewport().rect().intersects(shown)


def test_space_pages_the_reader_and_the_list_has_the_keys_of_the_table(bench: Bench) -> None:
    bench.open(listed(list("abcdef")))
    bench.panel.show_as(LIST)
    paged: list[int] = []
    bench.panel.paged.connect(paged.append)
    view = bench.panel.list
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert (sorted(bench.session.selection.marked), bench.session.selection.focus) == ([10, 20], 20)
    QTest.keyClick(view, Qt.Key.Key_Space)
    QTest.keyClick(view, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert paged == [1, -1]
    assert len(bench.session.selection.marked) == 2


def test_while_the_model_is_opened_nothing_is_called_a_draft_and_nothing_missing(bench: Bench) -> None:
    bench.open(listed(list("abcd")))
    waiting = replace(found(), final_share=0.0, words_only=True)
    bench.session.set_search(Search("x", waiting))
    assert "as soon as the model is open" in bench.panel.notice.text()
    assert "draft" not in bench.panel.notice.text()
    assert bench.panel.stage.sentence == ""
    bench.session.set_search(Search("x", found()))
    assert "No results" in bench.panel.stage.sentence
    assert not bench.panel.notice.text()


def test_how_much_is_final_is_said_and_a_stopped_update_can_go_on(bench: Bench) -> None:
    bench.open(listed(list("ab")))
    bench.session.set_search(Search("x", replace(found(10), final_share=0.129)))
    assert "12 %" in bench.panel.notice.text()
    assert bench.panel.resume.isHidden()
    bench.actions.is_stopped = True
    bench.runner.changed.emit()
    assert bench.panel.resume.isVisible()


def test_each_answer_resets_the_table_once_and_a_key_press_not_at_all(bench: Bench) -> None:
    bench.open(listed(list("abcd")))
    resets: list[int] = []
    bench.model.modelReset.connect(lambda: resets.append(1))

    bench.session.set_search(Search("x", None, stale=True))
    assert not resets
    bench.session.set_search(Search("x", found(30, 10)))
    assert len(resets) == 1
    assert bench.session.search is not None
    bench.session.set_search(Search("xy", bench.session.search.results, stale=True))
    assert len(resets) == 1
    bench.session.set_search(Search("xy", found(20)))
    assert len(resets) == 2


def test_a_search_brings_its_order_and_its_scores_and_takes_them_away(bench: Bench) -> None:
    bench.open(listed(list("abcd")))
    bench.click_header(columns.LENGTH)
    bench.click_header(columns.LENGTH)
    assert bench.titles() == list("dcba")

    bench.session.set_search(Search("x", found(30, 10)))
    assert bench.session.scope is Scope.FOUND
    assert bench.titles() == ["c", "a"]
    assert [bench.cell(row, columns.SCORE) for row in (0, 1)] == ["0.90", "0.80"]
    bench.session.set_scope(Scope.ALL)
    assert bench.titles() == ["c", "a", "b", "d"]
    bench.click_header(columns.TITLE)
    assert bench.titles() == list("abcd")
    bench.session.set_search(None)
    assert bench.titles() == list("dcba")
    assert columns.SCORE not in bench.model.columns


def test_another_query_is_read_from_its_best_result(bench: Bench) -> None:
    bench.open(listed([f"{number:03}" for number in range(300)]))
    bar = bench.panel.table.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.value() > 0

    bench.session.set_search(Search("x", found(*range(10, 2000, 10))))
    assert bar.value() == 0
    bar.setValue(20)
    bench.session.set_search(Search("x", found(*range(10, 2500, 10))))  # more of the same
    assert bar.value() == 20
    bench.session.set_search(Search("y", found(*range(10, 2000, 10))))
    assert bar.value() == 0


def test_a_query_without_an_answer_yet_changes_nothing(bench: Bench) -> None:
    bench.open(listed(list("abcd")))

    bench.session.set_search(Search("x", None, stale=True))

    assert bench.session.scope is Scope.ALL
    assert bench.titles() == list("abcd")


def test_the_field_filters_by_title_path_and_tag(bench: Bench, wait: Wait) -> None:
    bench.open(listed(["Green tea", "Black tea", "Coffee"]))
    bench.session.set_tags({30: frozenset({"Late"})})

    QTest.keyClicks(bench.panel.field, "TEA green")
    wait(lambda: bench.titles() == ["Green tea"])
    bench.panel.field.setText("file1")
    wait(lambda: bench.titles() == ["Black tea"])
    bench.panel.field.setText("late")
    wait(lambda: bench.titles() == ["Coffee"])
    bench.panel.field.setText("nowhere")
    wait(lambda: "nowhere" in bench.panel.stage.sentence)
    QTest.keyClick(bench.panel.field, Qt.Key.Key_Escape)
    wait(lambda: len(bench.titles()) == 3)
    assert not bench.panel.stage.covered


def test_clusters_have_names_and_colours(bench: Bench) -> None:
    bench.open(listed(list("abc")))
    tea, ships = Cluster(3, "tea", False, 5, 0.5, (), ()), Cluster(7, "ships", False, 1, 0.5, (), ())
    shown = Clustering(np.array([7, -1, 3], np.int32))
    bench.session.set_clusters(Clusters(np.array([10, 20, 30]), shown, (tea, ships)))

    assert [bench.cell(row, columns.CLUSTER) for row in range(3)] == ["ships", "", "tea"]
    colours = [bench.cell(row, columns.CLUSTER, ROLE.DecorationRole).name() for row in range(3)]
    assert len(set(colours)) == 3
    bench.click_header(columns.CLUSTER)
    assert bench.titles() == ["c", "a", "b"]


def test_columns_are_chosen_in_the_menu_and_kept(bench: Bench, qapp: Any) -> None:
    bench.open(listed(["a", "b"], author=["Kim", None], pages=[3, 12], date=["2024-01-01", None]))
    menu = QMenu()
    bench.panel.header.fill_menu(menu)
    choices = {action.text(): action for action in menu.actions() if action.text()}
    assert {"Title", "Language", "author", "pages"} <= choices.keys()
    assert "date" not in choices

    choices["pages"].trigger()
    choices["Folder"].trigger()
    assert bench.model.columns[-1] == "field:pages"
    assert columns.FOLDER not in bench.model.columns
    assert bench.cell(1, "field:pages") == "12"
    assert bench.cell(1, "field:pages", ROLE.TextAlignmentRole) & int(Qt.AlignmentFlag.AlignRight)
    bench.table.horizontalHeader().moveSection(len(bench.model.columns) - 1, 1)
    bench.click_header("field:pages")

    other = Bench()
    other.panel.header.restore(bench.panel.header.state())
    other.open(bench.session.listing)
    assert other.model.columns[1] == "field:pages"
    other.panel.close()
    assert other.runner.close(60)


def test_a_broken_state_is_left_alone(bench: Bench) -> None:
    before = bench.panel.header.columns

    bench.panel.header.restore({"columns": ["folder"], "widths": 3, "sort": 4})

    assert bench.panel.header.columns == before
    assert bench.panel.header.sort == panel.ColumnState(bench.table, bench.model, bench.panel).sort


def test_new_documents_keep_focus_place_and_marks(bench: Bench) -> None:
    bench.open(listed([f"text {number}" for number in range(300)]))
    bench.session.focus(2000)
    place = bench.table.verticalScrollBar().value()
    assert place > 0

    bench.session.set_documents(listed([f"text {number}" for number in range(310)]), ())

    assert bench.table.verticalScrollBar().value() == place
    assert bench.titles()[bench.table.currentIndex().row()] == "text 199"


def test_many_documents_are_sorted_behind_the_window(bench: Bench, wait: Wait) -> None:
    count = 100_000
    bench.open(listed([f"text {number * 7919 % count}" for number in range(count)]))
    assert bench.model.rowCount() == count

    bench.click_header(columns.TITLE)
    assert bench.cell(1, columns.TITLE) == "text 7919"
    wait(lambda: bench.cell(1, columns.TITLE) == "text 1")
    assert bench.cell(count - 1, columns.TITLE) == f"text {count - 1}"


def test_stepping_goes_along_the_rows_as_they_are_shown(bench: Bench) -> None:
    bench.open(listed(list("abc")))
    bench.click_header(columns.LENGTH)
    bench.click_header(columns.LENGTH)

    for by, focus in ((1, 30), (1, 20), (1, 10), (1, 10), (-1, 20)):
        bench.panel.step(by)
        assert bench.session.selection.focus == focus


def test_coming_by_tab_focuses_no_document(bench: Bench, wait: Wait) -> None:
    bench.open(listed(list("abc")))
    bench.panel.activateWindow()
    bench.panel.field.setFocus()
    wait(lambda: bool(bench.panel.field.hasFocus()))

    bench.table.setFocus(Qt.FocusReason.TabFocusReason)
    assert bench.table.hasFocus()
    assert not bench.table.currentIndex().isValid()
    assert bench.session.selection.focus is None
    QTest.keyClick(bench.table, Qt.Key.Key_Down)
    assert bench.session.selection.focus == 10


def test_a_title_that_looks_like_html_is_shown_as_it_is(bench: Bench) -> None:
    bench.open(listed(["<b>bold</b>"]))

    assert bench.cell(0, columns.TITLE) == "<b>bold</b>"
    assert "&lt;b&gt;" in bench.cell(0, columns.TITLE, ROLE.ToolTipRole)


def test_the_real_sample(bench: Bench, sample_copy: Path, wait: Wait) -> None:
    bench.actions.open_folder(sample_copy)

    wait(lambda: bench.model.rowCount() > 100)
    bench.click(3)
    assert bench.session.selection.focus == bench.session.listing.ids[3]
    bench.click_header(columns.DATE)
    dates = [bench.cell(row, columns.DATE) for row in range(bench.model.rowCount())]
    known = [date for date in dates if date]
    assert known == sorted(known)
    assert dates[: len(known)] == known
    wait(lambda: not bench.runner.jobs())  # importing torch cannot be cut short
