"""Changes are taken back in order, made again, and kinds do not stand in each other's way."""

from __future__ import annotations

from explorer.ui.state.undo import MOST, UndoableEdit, UndoController, UndoList


class Page:
    """Something that changes write on."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def change(self, word: str, kind: str) -> UndoableEdit:
        self.words.append(word)
        return UndoableEdit(f"write {word}", lambda: self.words.append(word), lambda: self.words.remove(word), kind)


def test_undo_and_redo_go_back_and_forth(qapp: object) -> None:
    page, changes, told = Page(), UndoList(), []
    changes.undo_changed.connect(lambda: told.append(changes.to_undo()))
    for word in "abc":
        changes.add(page.change(word, "tags"))

    assert changes.to_undo() == "write c"
    assert changes.undo()
    assert changes.undo()
    assert page.words == ["a"]
    assert changes.to_redo() == "write b"
    assert changes.redo()
    assert page.words == ["a", "b"]
    changes.add(page.change("d", "tags"))
    assert changes.to_redo() == ""
    assert not changes.redo()
    for _ in range(3):
        assert changes.undo()
    assert not changes.undo()
    assert page.words == []
    assert told[-1] == ""


def test_a_kind_is_undone_alone(qapp: object) -> None:
    page, changes = Page(), UndoList()
    for word, kind in (("one", "clusters"), ("two", "tags"), ("three", "clusters"), ("four", "tags")):
        changes.add(page.change(word, kind))

    assert changes.undo("clusters")
    assert page.words == ["one", "two", "four"]
    assert changes.undo()
    assert page.words == ["one", "two"]
    changes.add(page.change("five", "tags"))
    assert changes.to_redo() == "write three"  # a new tag does not spoil the redo of clusters
    assert changes.redo("clusters")
    assert not changes.undo("judgements")
    assert page.words == ["one", "two", "five", "three"]


def test_the_list_does_not_grow_without_end(qapp: object) -> None:
    changes = UndoList()
    for _ in range(MOST + 5):
        changes.add(UndoableEdit("x", lambda: None, lambda: None))
    count = 0
    while changes.undo():
        count += 1
    assert count == MOST


def test_verbs_say_what_they_would_do(qapp: object) -> None:
    from PySide6.QtWidgets import QWidget

    window, page, changes = QWidget(), Page(), UndoList()
    verbs = UndoController(changes, window)
    assert not verbs.undo.isEnabled()

    changes.add(page.change("a", "tags"))
    assert verbs.undo.text() == "Undo: write a"
    verbs.undo.trigger()
    assert page.words == []
    assert (verbs.undo.isEnabled(), verbs.redo.text()) == (False, "Redo: write a")
    verbs.redo.trigger()
    assert page.words == ["a"]


def test_a_tag_with_an_ampersand_is_read_as_it_is(qapp: object) -> None:
    from PySide6.QtWidgets import QWidget

    window, page, changes, told = QWidget(), Page(), UndoList(), list[str]()
    verbs = UndoController(changes, window)
    verbs.stepped.connect(told.append)

    changes.add(page.change("R&D", "tags"))
    assert verbs.undo.text() == "Undo: write R&&D"  # of two a menu shows one
    assert verbs.undo.toolTip() == "Undo: write R&D"
    verbs.undo.trigger()
    assert verbs.redo.text() == "Redo: write R&&D"
    assert told == ["Undone: write R&D"]
