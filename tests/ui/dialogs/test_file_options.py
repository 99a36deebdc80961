"""The box in which the user says how a file is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.settings import Settings
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.dialogs.file_options import FileOptionsDialog

Wait = Callable[..., None]


@pytest.fixture
def settings(tiny: Path) -> Settings:
    return Settings(model=str(tiny))


@pytest.fixture
def actions(actions: Controllers, tmp_path: Path, wait: Wait) -> Iterator[Controllers]:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("The cat sat.\nThe dog ran.\n", encoding="utf-8")
    rows = "".join(f"The cat {n} sat,The king plays loud music {n}\n" for n in range(5))
    (folder / "t.csv").write_text(f"first,second\n{rows}", encoding="utf-8")
    actions.open_folder(folder)
    wait(lambda: actions.session.listing is not None and len(actions.session.listing) == 6)
    yield actions
    actions.close_folder()


def opened(path: str, actions: Controllers, wait: Wait) -> FileOptionsDialog:
    box = FileOptionsDialog(path, actions)
    box.show()
    wait(box.again.isEnabled)
    return box


def titles(actions: Controllers) -> list[str]:
    listing: Any = actions.session.listing
    return sorted(listing.titles)


def test_each_line_becomes_a_document(actions: Controllers, wait: Wait) -> None:
    box = opened("a.txt", actions, wait)
    assert box.encoding.isVisible()
    assert not box.column.isVisible()
    box.lines.click()
    box.again.click()
    wait(lambda: len(actions.session.listing or ()) == 7)
    assert {"The cat sat.", "The dog ran."} <= {*titles(actions)}
    box = opened("a.txt", actions, wait)
    assert box.lines.isChecked()
    box.close()


def test_another_column_holds_the_texts(actions: Controllers, wait: Wait) -> None:
    assert "The king plays loud music 0" in titles(actions)
    box = opened("t.csv", actions, wait)
    assert not box.lines.isVisible()
    assert box.column.currentText() == "Automatic (second)"
    box.column.setCurrentIndex(box.column.findData("first"))
    box.again.click()
    wait(lambda: "The cat 0 sat" in titles(actions))
    assert "The king plays loud music 0" not in titles(actions)


def test_a_file_that_is_gone_is_a_sentence(actions: Controllers, wait: Wait) -> None:
    box = FileOptionsDialog("gone.txt", actions)
    box.show()
    wait(lambda: "no such file" in box.message.text())
    assert not box.again.isEnabled()
    box.close()


def test_it_may_be_closed_before_it_has_looked(
    actions: Controllers, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[object] = []
    monkeypatch.setattr(FileOptionsDialog, "_show", lambda _, found: called.append(found))
    box = FileOptionsDialog("a.txt", actions)
    box.show()
    box.close()
    wait(lambda: not actions.runner.jobs())
    assert called == [None]


def test_documents_and_menu_ask_for_it(actions: Controllers) -> None:
    asked: list[str] = []
    actions.files.how_requested.connect(asked.append)
    listing: Any = actions.session.listing
    actions.files.ask_how(int(listing.ids[listing.paths.index("a.txt")]))
    assert asked == ["a.txt"]


def test_the_original_of_a_repaired_text_is_one_click_away(actions: Controllers, tmp_path: Path, wait: Wait) -> None:
    broken = "Le cafÃ© est fermÃ© Ã\xa0 midi"
    (tmp_path / "texts" / "twice.txt").write_text(broken, encoding="utf-8")
    actions.update()
    wait(lambda: "Le café est fermé à midi" in titles(actions))
    box = opened("twice.txt", actions, wait)
    assert box.repair.isChecked()
    box.repair.click()
    box.again.click()
    wait(lambda: " ".join(broken.split()) in titles(actions))
