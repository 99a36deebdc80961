"""The session says that something changed, and forgets what no longer holds."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from explorer.analysis.search.query import parse
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter, Origin, Search, Session
from explorer.workspace.search.search import Results
from explorer.workspace.storage.documents import Listing


def listing(*ids: int) -> Listing:
    names = [f"{number}.txt" for number in ids]
    count = len(ids)
    return Listing(
        np.array(ids, np.int64),
        names,
        [""] * count,
        names,
        np.full(count, 9),
        ["en"] * count,
        ["utf-8"] * count,
        np.ones(count, np.float32),
    )


@pytest.fixture
def session(qapp: object) -> Session:
    return Session()


def test_marks_are_combined_as_asked(session: Session) -> None:
    seen: list[Origin] = []
    session.selection_changed.connect(seen.append)

    session.mark([1, 2], Origin.MAP)
    session.mark([2, 3], Origin.MAP, "add")
    session.mark([3], Origin.DOCUMENTS, "subtract")
    session.mark([2, 9], Origin.DOCUMENTS, "toggle")
    assert session.selection.marked == {1, 9}
    session.mark([9], Origin.DOCUMENTS, "intersect")
    session.focus(4, Origin.READER)
    session.focus(4, Origin.READER)

    assert session.selection.marked == {9}
    assert session.selection.focus == 4
    assert seen == [*[Origin.MAP] * 2, *[Origin.DOCUMENTS] * 3, Origin.READER]


def test_what_is_gone_is_not_chosen_any_more(session: Session) -> None:
    session.set_documents(listing(1, 2, 3), [])
    session.focus(3)
    session.mark([1, 3])
    session.set_filter(DocumentFilter(DocumentSet([2, 3]), "cluster"))
    session.set_search(Search("a", None))

    session.set_documents(listing(1, 2, 4), [])

    assert session.selection.focus is None
    assert session.selection.marked == {1}
    assert session.filter == DocumentFilter(DocumentSet([2]), "cluster")
    assert session.search is not None
    assert session.search.stale


def test_another_place_forgets_all(session: Session) -> None:
    session.set_documents(listing(1), [])
    session.focus(1)
    session.set_tags({1: frozenset(["a"])})
    heard: list[int] = []
    session.documents_changed.connect(lambda: heard.append(1))

    session.set_folder(None)

    assert (session.listing, session.selection.focus, session.tags) == (None, None, {})
    assert heard == [1]


def test_only_the_ui_thread_may_change_it(session: Session) -> None:
    raised: list[Any] = []

    def other() -> None:
        try:
            session.focus(1)
        except RuntimeError as error:
            raised.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert len(raised) == 1


def test_a_key_press_changes_the_query_and_its_answer_the_results(qapp: object) -> None:
    session, heard = Session(), list[str]()
    session.query_changed.connect(lambda: heard.append("query"))
    session.results_changed.connect(lambda: heard.append("results"))
    first, second = (Results(parse("cat"), ()) for _ in range(2))

    session.set_search(Search("c", None, stale=True))
    assert heard == ["query"]
    session.set_search(Search("c", first))
    assert heard == ["query", "query", "results"]
    heard.clear()
    session.set_search(Search("ca", first, stale=True))
    session.set_search(Search("cat", first, stale=True))
    assert heard == ["query", "query"]  # the panels still show the results that they have
    session.set_search(Search("cat", second))
    assert heard == ["query", "query", "query", "results"]
    heard.clear()
    session.set_search(Search("cat", second))
    assert not heard
    session.set_search(None)
    assert heard == ["query", "results"]
    assert session.search is None
