"""The help: Markdown pages that ship with the program, a list of them, and a search field."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence, QShortcut, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer import paths
from explorer.ui.look import language, theme
from explorer.ui.widgets.themed import Themed

FIRST = "start"
_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_LINK = re.compile(r"\]\(([\w-]+)\.md(?:#[\w-]*)?\)")
_SIGNS = re.compile(r"[#*`_>|\[\]]|\([\w./#-]+\)")
_AROUND = 60  # characters on each side of a match
_NAME = int(Qt.ItemDataRole.UserRole)


@dataclass(frozen=True)
class HelpPage:
    """A page of the help.

    Attributes:
        name: Its file without ending.
        title: Its first heading.
        text: Its Markdown.
    """

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class HelpMatch:
    """A page with the searched words, and the text around the first of them."""

    page: HelpPage
    around: str


@lru_cache(maxsize=4)
def pages(language: str, folder: Path | None = None) -> tuple[HelpPage, ...]:
    """Return all pages of a language: the first one, then those it links to, then the others by title.

    A page that is not translated is in English.
    """
    folder = folder or paths.resources() / "help"
    found = {path.stem: path for path in sorted((folder / "en").glob("*.md"))}
    found |= {path.stem: path for path in sorted((folder / language).glob("*.md"))}
    made = {name: _page(name, path.read_text("utf-8")) for name, path in found.items()}
    first = made.get(FIRST)
    linked = list(dict.fromkeys(_LINK.findall(first.text))) if first else []
    rest = sorted(made.values(), key=lambda page: page.title)
    order = dict.fromkeys([FIRST, *linked, *(page.name for page in rest)])
    return tuple(made[name] for name in order if name in made)


def search(searched: tuple[HelpPage, ...], words: str) -> list[HelpMatch]:
    """Return the pages that contain all words, those with one in the title first."""
    wanted = unicodedata.normalize("NFC", words).casefold().split()
    hits = []
    for page in searched:
        plain = " ".join(_SIGNS.sub(" ", page.text).split())
        low = plain.casefold()
        if wanted and all(word in low for word in wanted):
            at = low.find(wanted[0])
            excerpt = plain[max(0, at - _AROUND) : at + _AROUND].strip()
            hits.append((not any(word in page.title.casefold() for word in wanted), HelpMatch(page, excerpt)))
    return [match for _, match in sorted(hits, key=lambda hit: hit[0])]


def _page(name: str, text: str) -> HelpPage:
    heading = _HEADING.search(text)
    return HelpPage(name, heading[1] if heading else name, text)


class HelpWindow(Themed, QDialog):
    """The help in its own window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.resize(860, 640)
        self._pages: tuple[HelpPage, ...] = ()
        self._now = FIRST
        self._before: list[str] = []
        self.field, self.list, self.view = QLineEdit(clearButtonEnabled=True), QListWidget(), HelpView()
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setStyleSheet("QListWidget::item { padding: 5px 4px; }")
        self.back = QToolButton()
        side, top = QWidget(), QHBoxLayout()
        top.addWidget(self.back)
        top.addWidget(self.field, 1)
        column = QVBoxLayout(side)
        column.setContentsMargins(8, 8, 8, 8)
        column.addLayout(top)
        column.addWidget(self.list, 1)
        split = QSplitter()
        split.addWidget(side)
        split.addWidget(self.view)
        split.setStretchFactor(1, 1)
        split.setSizes([240, 620])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(split)
        self.field.textChanged.connect(self._fill)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.view.page_asked.connect(self.show_page)
        self.back.clicked.connect(self._on_back)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self, self._on_back)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.field.setFocus)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.close)
        self.retranslate()
        self._set_icons()

    def show_page(self, name: str) -> None:
        """Show a page and remember the one before in the history."""
        page = next((page for page in self._pages if page.name == name), None)
        if page is None:
            return
        if name != self._now:
            self._before.append(self._now)
        self._show(page)

    def _show(self, page: HelpPage) -> None:
        self._now = page.name
        self.view.show_text(page.text)
        self.back.setEnabled(bool(self._before))
        self.list.blockSignals(True)
        for row in range(self.list.count()):
            if self.list.item(row).data(_NAME) == page.name:
                self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def _on_back(self) -> None:
        if self._before:
            name = self._before.pop()
            self._show(next(page for page in self._pages if page.name == name))

    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.show_page(str(item.data(_NAME)))
            if self.field.text().strip():
                self.view.find_words(self.field.text())

    def _fill(self) -> None:
        """List all pages, or those that match the search."""
        words = self.field.text().strip()
        rows = [(page, page.title) for page in self._pages]
        if words:
            rows = [(match.page, f"{match.page.title}\n… {match.around} …") for match in search(self._pages, words)]
        self.list.blockSignals(True)
        self.list.clear()
        for page, text in rows:
            item = QListWidgetItem(text)
            item.setData(_NAME, page.name)
            self.list.addItem(item)
            if page.name == self._now:
                self.list.setCurrentItem(item)
        self.list.blockSignals(False)

    def retranslate(self) -> None:
        self._pages = pages(language.current())
        self.setWindowTitle(self.tr("Help"))
        self.field.setPlaceholderText(self.tr("Search help"))
        for widget, name in (
            (self.field, self.tr("Search help")),
            (self.list, self.tr("Help pages")),
            (self.view, self.tr("Help page")),
            (self.back, self.tr("Back")),
        ):
            widget.setAccessibleName(name)
        self.back.setToolTip(self.tr("Back"))
        self._fill()
        self.show_page(self._now)

    def _set_icons(self) -> None:
        self.back.setIcon(theme.icon("back"))

    def restyle(self) -> None:
        self._set_icons()
        self.show_page(self._now)


class HelpView(QTextBrowser):
    """A page. Pictures come from the help's folder only; the network is never used.

    Signals:
        page_asked: A link to another page was followed: its name.
    """

    page_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._on_link)

    def show_text(self, markdown: str) -> None:
        """Show a page from the top."""
        self.document().setDefaultStyleSheet(f"a {{ color: {theme.current().accent}; }}")
        self.document().setDocumentMargin(24)
        self.document().setMarkdown(markdown)
        self.moveCursor(self.textCursor().MoveOperation.Start)

    def find_words(self, words: str) -> None:
        """Scroll to the first of the words."""
        self.moveCursor(self.textCursor().MoveOperation.Start)
        self.find(words.split(maxsplit=1)[0])

    def _on_link(self, link: QUrl) -> None:
        if link.isRelative() and link.path().endswith(".md"):
            self.page_asked.emit(Path(link.path()).stem)
        elif link.isRelative() and link.hasFragment():
            self.scrollToAnchor(link.fragment())
        elif link.scheme() == "https":
            QDesktopServices.openUrl(link)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        link = QUrl(name) if isinstance(name, str) else name
        folder = (paths.resources() / "help").resolve()
        file = (folder / language.current() / link.path()).resolve()
        inside = link.isRelative() and file.is_relative_to(folder) and file.is_file()
        is_picture = kind == QTextDocument.ResourceType.ImageResource.value
        return QImage(str(file)) if inside and is_picture else None
