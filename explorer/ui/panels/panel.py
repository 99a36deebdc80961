"""Base of the panels: what the docks, the menus, the export and the saved view state need to know of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.ui.export.exporter import ExportTable


class Panel(Themed, QWidget):
    """A view in a dock of the main window.

    Attributes:
        name: Its key in saved layouts and menus. Never change it, or users lose where they put the panel.
        area: Where it is docked until the user moves it.
        shown_at_first: Whether it is open in a new workspace.
        opening_height: The share of the window's height that it gets when first opened; 0 to leave sizes alone.
        exportable: Whether what it shows can be exported.
        has_table: Whether it implements `export_table`, and so can be copied as a table.

    Signals:
        view_changed: Something that is saved in the view state has changed.
    """

    name: ClassVar[str]
    area: ClassVar[Qt.DockWidgetArea] = Qt.DockWidgetArea.BottomDockWidgetArea
    shown_at_first: ClassVar[bool] = False
    opening_height: ClassVar[float] = 0.33
    exportable: ClassVar[bool] = True
    has_table: ClassVar[bool] = False

    view_changed = Signal()

    def title(self) -> str:
        """Return the title of its dock in the current language."""
        raise NotImplementedError

    def export_table(self) -> ExportTable | None:
        """Return what it lists, to be exported; None while there is nothing."""
        return None

    def view_state(self) -> dict[str, Any]:
        """Return what to save with the workspace, as JSON values; the keys are unique among the panels."""
        return {}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        """Apply what `view_state` returned in an earlier run; ignore what is missing or damaged."""


class LazyPanel(Panel):
    """A panel whose content costs time to compute, and so is loaded only while it is visible."""

    def load(self) -> None:
        """Load the content if the panel is visible and the content is out of date."""
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.load()
