"""The bar below the views while documents are selected: what can be done with them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from explorer.ui.export.exporter import ExportSource
from explorer.ui.look import theme
from explorer.ui.widgets.layouts import row
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.ui.window.main_window import MainWindow


class SelectionBar(Themed, QWidget):
    """Shows how many documents are selected, with a button for each command; hidden while none is."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window, self._session = window, window.session
        self.setObjectName("selection")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.count = plain_label()
        work: dict[str, Callable[[], object]] = {
            "star": window.pick,
            "tag": window.show_tags,
            "compare": window.compare,
            "neighbours": self._show_similar,
            "folder": lambda: None,  # opens its menu
            "export": self._export,
            "document": window.exports.ask_report,
            "close": lambda: self._session.mark(()),
        }
        self.buttons = {name: QToolButton() for name in work}
        for name, button in self.buttons.items():
            button.setIconSize(QSize(16, 16))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.clicked.connect(lambda _=False, name=name: work[name]())
        self._categories = QMenu(self.buttons["folder"])
        self._categories.aboutToShow.connect(self._fill_categories)
        self.buttons["folder"].setMenu(self._categories)
        self.buttons["folder"].setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        *commands, clear = self.buttons.values()
        row(self.count, 8, *commands, None, clear, parent=self, margins=(12, 3, 8, 3), spacing=2)
        self._session.selection_changed.connect(self._show)
        self._session.folder_changed.connect(self._show)
        self.retranslate()
        self.restyle()

    def _show_similar(self) -> None:
        """Show what is similar to all selected documents."""
        similar = self._window.docks.neighbours
        similar.similar_to.setCurrentIndex(similar.similar_to.findData("marked"))
        self._window.docks.show("neighbours")

    def _fill_categories(self) -> None:
        self._categories.clear()
        marked = self._session.selection.marked
        for category in self._session.categories:
            assign = partial(self._window.actions.categories.assign, marked, category.name)
            self._categories.addAction(category.name.replace("&", "&&")).triggered.connect(lambda _=0, do=assign: do())
        show = partial(self._window.docks.show, "categories")
        self._categories.addAction(self.tr("Edit categories…")).triggered.connect(lambda _: show())

    def _export(self) -> None:
        """Ask for a file and export the selected documents."""
        panel = self._window.docks.documents
        folder = self._session.folder.path.name if self._session.folder is not None else ""
        self._window.exports.exporter.ask(ExportSource(panel, panel.selected_table), folder)

    def _show(self) -> None:
        count = len(self._session.selection.marked)
        self.setVisible(count > 0 and self._session.folder is not None)
        self.count.setText(self.tr("%Ln selected", "", count))
        focus = self._session.selection.focus
        others = self._session.selection.marked - ([] if focus is None else [focus])
        self.buttons["compare"].setEnabled(count == 2 or (count == 1 and focus is not None and bool(others)))

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Selected documents"))
        texts = {
            "star": (self.tr("Pick"), "P"),
            "tag": (self.tr("Tag…"), "T"),
            "compare": (self.tr("Compare"), "C"),
            "neighbours": (self.tr("Similar"), ""),
            "folder": (self.tr("Category"), ""),
            "export": (self.tr("Export…"), ""),
            "document": (self.tr("Report…"), "Ctrl+Shift+E"),
            "close": (self.tr("Clear"), "Esc"),
        }
        for name, (text, key) in texts.items():
            self.buttons[name].setText(text)
            self.buttons[name].setToolTip(f"{text} ({key})" if key else text)
        self._show()

    def restyle(self) -> None:
        for name, button in self.buttons.items():
            button.setIcon(theme.icon(name))
