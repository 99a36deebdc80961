"""The help windows: the manual as Markdown pages with a list and a search field, keyboard shortcuts, and about."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QImage, QKeySequence, QShortcut, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSplitter,
    QTabWidget,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer import __version__, paths
from explorer.ui.look import language, theme
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed
from explorer.ui.window.shortcuts import without_key

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers


FIRST = "start"
_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_LINK = re.compile(r"\]\(([\w-]+)\.md(?:#[\w-]*)?\)")
_MARKUP = re.compile(r"[#*`_>|\[\]]|\([\w./#-]+\)")
_AROUND = 60  # characters on each side of a match
_NAME = int(Qt.ItemDataRole.UserRole)
_DISTRIBUTION = "document-similarity-explorer"
_LONGEST = 60  # characters of a licence; some packages put all of its text there


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
    files = {path.stem: path for path in sorted((folder / "en").glob("*.md"))}
    files |= {path.stem: path for path in sorted((folder / language).glob("*.md"))}
    made = {name: _page(name, path.read_text("utf-8")) for name, path in files.items()}
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
        plain = " ".join(_MARKUP.sub(" ", page.text).split())
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


class ShortcutsDialog(QDialog):
    """The keyboard shortcuts, by menu."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(460, 620)
        self.text = QTextBrowser(openLinks=False)
        self.text.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.text.setHtml(_text_page(by_menu(actions)))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)


def by_menu(actions: Sequence[QAction]) -> dict[str, list[tuple[str, str]]]:
    """Return the actions of each menu that have shortcuts, and these."""
    by_name: dict[str, list[tuple[str, str]]] = {}
    for action in actions:
        keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()]
        menus = [menu for menu in action.associatedObjects() if isinstance(menu, QMenu)]
        if keys and menus:
            rows = by_name.setdefault(without_key(menus[0].title()), [])
            rows.append((without_key(action.text()), " · ".join(keys)))
    return by_name


def _text_page(menus: dict[str, list[tuple[str, str]]]) -> str:
    faint = theme.current().faint
    parts = []
    for menu, rows in menus.items():
        parts.append(f"<tr><td colspan=2 style='padding: 14px 0 4px 0; color: {faint}'><b>{escape(menu)}</b></td></tr>")
        parts += [
            f"<tr><td style='padding: 2px 24px 2px 0'>{escape(text)}</td><td><b>{escape(keys)}</b></td></tr>"
            for text, keys in rows
        ]
    return f"<table>{''.join(parts)}</table>"  # one table, so that all keys stand in one column


@dataclass(frozen=True)
class Component:
    """A package or model: its name, its version or kind, its licence; empty if unknown."""

    name: str
    version: str
    licence: str


class AboutDialog(QDialog):
    """Version, packages and models."""

    def __init__(self, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About"))
        self.resize(560, 520)
        title, version = QLabel(), plain_label()
        about, credit = plain_label(wrap=True), plain_label(wrap=True)
        title.setProperty("kind", "title")
        title.setText(self.tr("Document Similarity Explorer"))
        version.setText(self.tr("Version {version}").format(version=__version__))
        about.setText(
            self.tr(
                "Explore and search a folder of texts by meaning. Everything runs on this computer; "
                "nothing is sent anywhere."
            )
        )
        credit.setText(  # Hancom's terms ask for this wherever its publication was used
            self.tr("This product was developed with reference to Hancom's published document on Hangul files (.hwp).")
        )
        for label in (version, about, credit):
            label.setProperty("kind", "faint")
        self.packages, self.models = QTextBrowser(openLinks=False), QTextBrowser(openLinks=False)
        tabs = QTabWidget()
        for view, name in ((self.packages, self.tr("Included packages")), (self.models, self.tr("Models"))):
            tabs.addTab(view, name)
            view.setAccessibleName(name)
        tabs.setAccessibleName(self.tr("Licences"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (title, version, about, credit, tabs, buttons):
            column.addWidget(widget)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.finished.connect(lambda _: actions.runner.cancel("about", notify=False))
        actions.runner.start("about", lambda _: (packages(), models()), self._show, worker="aside", quiet=True)

    def _show(self, components: tuple[list[Component], list[Component]]) -> None:
        unknown = self.tr("not specified")
        for view, parts in zip((self.packages, self.models), components, strict=True):
            view.setHtml(_table(parts, unknown))


def packages() -> list[Component]:
    """Return the installed packages that the program needs, directly and indirectly."""
    components: dict[str, Component] = {}
    waiting = [_DISTRIBUTION]
    try:
        metadata.distribution(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        waiting = _wanted() or [str(package.metadata["Name"]) for package in metadata.distributions()]
    while waiting:
        name = waiting.pop()
        key = name.lower().replace("_", "-").replace(".", "-")
        if key in components:
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        components[key] = Component(package.metadata["Name"], package.version, _licence(package))
        waiting += [_name(needed) for needed in package.requires or () if "extra ==" not in needed]
    components.pop(_DISTRIBUTION, None)
    return sorted(components.values(), key=lambda part: part.name.lower())


def models() -> list[Component]:
    """Return the models on this machine."""
    from explorer.models.files import catalog

    kinds = {"bi": "bi-encoder", "cross": "cross-encoder", "draft": "draft encoder"}
    return [
        Component(entry.name, kinds.get(entry.kind, entry.kind), entry.licence)
        for entry in catalog.entries()
        if entry.on_disk and not entry.problem
    ]


def _wanted() -> list[str]:
    """Return the dependencies in pyproject.toml; empty if there is no source tree."""
    try:
        info = tomllib.loads((paths.resources().parent / "pyproject.toml").read_text("utf-8"))
        return [_name(needed) for needed in info["project"]["dependencies"]]
    except (OSError, KeyError, ValueError):
        return []


def _name(requirement: str) -> str:
    end = next((at for at, letter in enumerate(requirement) if not (letter.isalnum() or letter in "-_.")), None)
    return requirement[:end]


def _licence(package: metadata.Distribution) -> str:
    info = package.metadata
    known = [value for name in ("License-Expression", "License") for value in info.get_all(name) or ()]
    written = known[0] if known else ""
    classified = [
        value.rpartition("::")[2].strip() for value in info.get_all("Classifier") or () if value.startswith("License")
    ]
    short = written.strip().splitlines()[0] if written.strip() else ""
    return short if 0 < len(short) <= _LONGEST else ", ".join(classified)


def _table(parts: list[Component], unknown: str) -> str:
    faint = theme.current().faint
    rows = "".join(
        f"<tr><td style='padding: 1px 16px 1px 0'>{escape(component.name)}</td>"
        f"<td style='padding: 1px 16px 1px 0; color: {faint}'>{escape(component.version)}</td>"
        f"<td>{escape(component.licence or unknown)}</td></tr>"
        for component in parts
    )
    return f"<table>{rows}</table>"
