"""The settings dialog; changes apply at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from explorer.settings import Settings
from explorer.ui.settings.models_page import ModelsPage
from explorer.ui.settings.pages import (
    DataSettingsPage,
    GeneralSettingsPage,
    ReadingSettingsPage,
    SearchSettingsPage,
    SettingsPage,
)
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session

PAGES = ("general", "models", "search", "reading", "data")
_LIST_WIDE = 140


class SettingsDialog(Themed, QDialog):
    """A list of pages, and the page.

    Attributes:
        pages: The pages by name, as in PAGES.
    """

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._actions = session, actions
        self.pages: dict[str, SettingsPage] = {
            "general": GeneralSettingsPage(),
            "models": ModelsPage(session, actions),
            "search": SearchSettingsPage(),
            "reading": ReadingSettingsPage(),
            "data": DataSettingsPage(),
        }
        self.list, self._stack = QListWidget(), QStackedWidget()
        self.reset, self._close = QPushButton(), QPushButton()
        self.list.addItems(list(PAGES))
        self.list.setFixedWidth(_LIST_WIDE)
        self.list.setSpacing(3)
        self.list.currentRowChanged.connect(self._stack.setCurrentIndex)
        for name in PAGES:
            self._stack.addWidget(_scrolled(self.pages[name]))
            self.pages[name].changed.connect(self._on_changed)
        self.reset.clicked.connect(self._on_reset)
        self._close.clicked.connect(self.close)
        self._close.setDefault(True)
        self._lay_out()
        session.settings_changed.connect(self._show)
        self.retranslate()
        self.list.setCurrentRow(0)
        self.resize(self.sizeHint())

    def _lay_out(self) -> None:
        pages, buttons, whole = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        pages.setSpacing(0)
        pages.addWidget(self.list)
        pages.addWidget(self._stack, 1)
        buttons.addWidget(self.reset)
        buttons.addStretch(1)
        buttons.addWidget(self._close)
        whole.addLayout(pages, 1)
        whole.addLayout(buttons)

    def sizeHint(self) -> QSize:
        return QSize(980, 640)

    def show_page(self, name: str) -> None:
        """Show a page."""
        self.list.setCurrentRow(PAGES.index(name))

    def _show(self) -> None:
        for page in self.pages.values():
            page.show_values(self._session.settings)

    def _on_changed(self, name: str, value: object) -> None:
        """Save one value. The search mode also applies to this window at once, but not to the others."""
        if name == "mode":
            self._actions.search.set_mode(str(value))
        else:
            self._actions.change_settings(_with(self._session.settings, {name: value}))

    def _on_reset(self) -> None:
        page, usual = self.pages[PAGES[self.list.currentRow()]], Settings()
        names = page.names or (("data_folder",) if isinstance(page, DataSettingsPage) else ())
        self._actions.change_settings(_with(self._session.settings, {name: getattr(usual, name) for name in names}))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Settings"))
        names = {
            "general": self.tr("General"),
            "models": self.tr("Models"),
            "search": self.tr("Search"),
            "reading": self.tr("Reading"),
            "data": self.tr("Data folder"),
        }
        for index, name in enumerate(PAGES):
            self.list.item(index).setText(names[name])
        self.list.setAccessibleName(self.tr("Settings pages"))
        self.reset.setText(self.tr("Restore defaults"))
        self._close.setText(self.tr("Close"))
        for button in (self.reset, self._close):
            button.setAccessibleName(button.text())
        self._show()


def _with(settings: Settings, changes: dict[str, object]) -> Settings:
    return replace(settings, **changes)  # type: ignore[arg-type]


def _scrolled(page: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
