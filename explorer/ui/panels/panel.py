"""Base of the panels: what the docks, the menus, the export and the saved view state need to know of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShowEvent
from PySide6.QtWidgets import QWidget

from explorer.ui.look import theme
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.export.exporter import ExportTable
    from explorer.ui.jobs.runner import JobState
    from explorer.ui.state.session import Session


class Panel(Themed, QWidget):
    """A view in a dock of the main window.

    Attributes:
        name: Its key in saved layouts and menus. Never change it, or users lose where they put the panel.
        area: Where it is docked until the user moves it.
        exportable: Whether what it shows can be exported.
        has_table: Whether it implements `export_table`, and so can be copied as a table.

    Signals:
        view_changed: Something that is saved in the view state has changed.
    """

    name: ClassVar[str]
    area: ClassVar[Qt.DockWidgetArea] = Qt.DockWidgetArea.BottomDockWidgetArea
    exportable: ClassVar[bool] = True
    has_table: ClassVar[bool] = False

    view_changed = Signal()

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions

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

    def restyle(self) -> None:
        for action in self.actions():
            if icon := action.data():
                action.setIcon(theme.icon(icon))
        super().restyle()

    def _add_action(self, icon: str, work: Callable[[], object] | None = None, key: str = "") -> QAction:
        """Add a command of this panel; `key` is only shown, the widget in focus handles it itself."""
        action = QAction(theme.icon(icon), "", self)
        action.setData(icon)
        if key:
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        if work is not None:
            action.triggered.connect(lambda _: work())
        self.addAction(action)
        return action

    def _job(self, key: str) -> JobState | None:
        """Return the job of a key while it is running or waiting."""
        return next((job for job in self._actions.runner.jobs() if job.key == key), None)


class LazyPanel(Panel):
    """A panel whose content costs time to compute, and so is loaded only while it is visible."""

    def load(self) -> None:
        """Load the content if the panel is visible and the content is out of date."""
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.load()
