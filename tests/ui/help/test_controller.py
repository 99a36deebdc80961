"""The help: pages in an order, search, safe pages, keys from the real actions, licences."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import QMenu, QWidget

from explorer.ui.help import window
from explorer.ui.help.window import HelpView, HelpWindow, by_menu, pages, search


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for language, name, text in (
        ("en", "start", "# First\n\nSee [second](b.md) and [third](a.md#part)."),
        ("en", "a", "# Third\n\nAbout **clusters** and maps."),
        ("en", "b", "# Second\n\nMaps, and how to read them."),
        ("en", "c", "# Another\n"),
        ("ko", "start", "# 처음\n\n[둘](b.md)"),
        ("ko", "b", "# 둘째\n\n지도 읽기"),
    ):
        (tmp_path / language).mkdir(exist_ok=True)
        (tmp_path / language / f"{name}.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_pages_come_as_the_first_one_links_to_them(folder: Path) -> None:
    assert [page.title for page in pages("en", folder)] == ["First", "Second", "Third", "Another"]


def test_a_page_without_translation_is_there_in_english(folder: Path) -> None:
    found = {page.name: page.title for page in pages("ko", folder)}
    assert found == {"start": "처음", "b": "둘째", "a": "Third", "c": "Another"}


def test_search_wants_all_words_and_prefers_titles(folder: Path) -> None:
    found = search(pages("en", folder), "maps")
    assert {one.page.name for one in found} == {"a", "b"}
    assert search(pages("en", folder), "SECOND")[0].page.name == "b"
    assert search(pages("en", folder), "maps zebra") == []
    assert "About clusters and maps." in search(pages("en", folder), "clusters")[0].around


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_link_of_the_real_pages_leads_somewhere(language: str) -> None:
    import re

    found = pages(language)
    names = {page.name for page in found}
    assert found[0].name == "start"
    for page in found:
        assert set(re.findall(r"\]\(([\w-]+)\.md", page.text)) <= names, page.name


def test_the_window_goes_to_pages_and_back(qapp: object) -> None:
    window = HelpWindow()
    names = [page.name for page in pages("en")]
    window.show_page(names[-1])
    window.view.anchorClicked.emit(QUrl("start.md"))
    assert window.view.toPlainText().startswith(pages("en")[0].title)
    window.back.click()
    assert pages("en")[-1].title in window.view.toPlainText()
    window.field.setText("Ctrl+K")
    assert 0 < window.list.count() <= len(names)
    window.deleteLater()


def test_a_page_loads_nothing_from_elsewhere(qapp: object, tmp_path: Path) -> None:
    view = HelpView()
    kind = QTextDocument.ResourceType.ImageResource.value
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"x")
    for name in ("https://example.org/x.png", secret.as_uri(), str(secret), "../../icons/close.svg", "//host/x.png"):
        assert view.loadResource(kind, QUrl(name)) is None
    view.show_text("# Page\n\n![picture](https://example.org/x.png)")
    assert view.toPlainText().startswith("Page")
    view.deleteLater()


def test_keys_are_those_of_the_actions(qapp: object) -> None:
    window = QWidget()
    menu = QMenu("&Find", window)
    for text, keys in (("&Search", ["Ctrl+L", "/"]), ("No key", []), ("A && B", ["F2"])):
        action = QAction(text, window)
        action.setShortcuts(keys)
        menu.addAction(action)
    assert by_menu(menu.actions()) == {"Find": [("Search", "Ctrl+L · /"), ("A & B", "F2")]}
    window.deleteLater()


def test_packages_and_models_are_told_with_their_licences() -> None:
    found = {part.name.lower(): part for part in window.packages()}
    assert {"numpy", "torch", "pyside6_essentials"} <= {name.replace("-", "_") for name in found}
    assert "BSD" in found["numpy"].licence
    assert sum(bool(part.licence) for part in found.values()) > 0.8 * len(found)
    models = {part.name: part for part in window.models()}
    assert models["all-MiniLM-L6-v2"].licence == "apache-2.0"
