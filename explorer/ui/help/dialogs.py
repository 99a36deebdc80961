"""The dialogs of the help menu: keyboard shortcuts, and version and licences."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import metadata
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QMenu, QTabWidget, QTextBrowser, QVBoxLayout, QWidget

from explorer import __version__, paths
from explorer.ui.look import theme
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.window.shortcuts import without_key

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers

_DISTRIBUTION = "document-similarity-explorer"
_LONGEST = 60  # characters of a licence; some packages put all of its text there


class ShortcutsDialog(QDialog):
    """The keyboard shortcuts, by menu."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(460, 620)
        self.text = QTextBrowser(openLinks=False)
        self.text.setAccessibleName(self.tr("Keyboard shortcuts"))
        self.text.setHtml(_page(by_menu(actions)))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)


def by_menu(actions: Sequence[QAction]) -> dict[str, list[tuple[str, str]]]:
    """Return the actions of each menu that have shortcuts, and these."""
    found: dict[str, list[tuple[str, str]]] = {}
    for action in actions:
        keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()]
        menus = [menu for menu in action.associatedObjects() if isinstance(menu, QMenu)]
        if keys and menus:
            rows = found.setdefault(without_key(menus[0].title()), [])
            rows.append((without_key(action.text()), " · ".join(keys)))
    return found


def _page(found: dict[str, list[tuple[str, str]]]) -> str:
    faint = theme.current().faint
    parts = []
    for menu, rows in found.items():
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

    def _show(self, found: tuple[list[Component], list[Component]]) -> None:
        unknown = self.tr("not specified")
        for view, parts in zip((self.packages, self.models), found, strict=True):
            view.setHtml(_table(parts, unknown))


def packages() -> list[Component]:
    """Return the installed packages that the program needs, directly and indirectly."""
    found: dict[str, Component] = {}
    waiting = [_DISTRIBUTION]
    try:
        metadata.distribution(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        waiting = _wanted() or [str(package.metadata["Name"]) for package in metadata.distributions()]
    while waiting:
        name = waiting.pop()
        key = name.lower().replace("_", "-").replace(".", "-")
        if key in found:
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        found[key] = Component(package.metadata["Name"], package.version, _licence(package))
        waiting += [_name(needed) for needed in package.requires or () if "extra ==" not in needed]
    found.pop(_DISTRIBUTION, None)
    return sorted(found.values(), key=lambda part: part.name.lower())


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
    known = [one for name in ("License-Expression", "License") for one in info.get_all(name) or ()]
    written = known[0] if known else ""
    classified = [
        one.rpartition("::")[2].strip() for one in info.get_all("Classifier") or () if one.startswith("License")
    ]
    short = written.strip().splitlines()[0] if written.strip() else ""
    return short if 0 < len(short) <= _LONGEST else ", ".join(classified)


def _table(parts: list[Component], unknown: str) -> str:
    faint = theme.current().faint
    rows = "".join(
        f"<tr><td style='padding: 1px 16px 1px 0'>{escape(one.name)}</td>"
        f"<td style='padding: 1px 16px 1px 0; color: {faint}'>{escape(one.version)}</td>"
        f"<td>{escape(one.licence or unknown)}</td></tr>"
        for one in parts
    )
    return f"<table>{rows}</table>"
