"""What leaves the window: panels as files or in the clipboard, and reports of what was selected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QFileDialog

from explorer.ui.export.exporter import Exporter, ExportSource, source_of
from explorer.ui.export.report import gather, make
from explorer.ui.map.panel import MapExport

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow

MAP = "map"


class WindowExports(QObject):
    """Export and reports of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session, self._actions = window, window.session, window.actions
        self.exporter = Exporter(window.actions, window)
        self._map = MapExport(window.map, window.session)
        window.docks.export_requested.connect(self.export)
        window.docks.copy_requested.connect(self.copy)

    def choices(self) -> list[tuple[str, str]]:
        """The panels that can be exported: names and titles."""
        panels = self._window.docks.panels.values()
        return [(MAP, self.tr("Map")), *((one.name, one.title()) for one in panels if one.exportable)]

    def source(self, name: str) -> ExportSource:
        """A panel as it can be exported."""
        return self._map.source() if name == MAP else source_of(self._window.docks.panels[name])

    def here(self) -> str:
        """The panel that has the keyboard; the documents where none has."""
        focus = QApplication.focusWidget()
        if focus is not None and self._window.map.isAncestorOf(focus):
            return MAP
        return self._window.docks.name_of(focus) or "documents"

    def export(self, name: str = "") -> None:
        """Ask where to write what a panel shows; without a name, of the panel that has the keyboard."""
        name = name or self.here()
        title = dict(self.choices()).get(name, name)
        folder = self._session.folder.path.name if self._session.folder else ""
        self.exporter.ask(self.source(name), f"{folder} {title}".strip())

    def copy(self, name: str = "") -> None:
        """Put what a panel lists into the clipboard."""
        self.exporter.copy(self.source(name or self.here()))

    def ask_report(self) -> None:
        """Ask where to write a report of what is selected."""
        place = self._session.folder
        name = self.tr("Report on {folder}").format(folder=place.path.name if place else "")
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, self.tr("Report on selection"), str(Path.home() / f"{name}.html"),
            self.tr("Web page (*.html)"),
        )  # fmt: skip
        if chosen:
            path = Path(chosen)
            self.report(path if path.suffix else path.with_suffix(".html"))

    def report(self, path: Path) -> None:
        """Write a report of the marked documents; else of what was found, is filtered or is in focus."""
        wanted = gather(self._session, self.tr("Marked documents"), self.tr("All documents"))
        if wanted is None:
            self._actions.notify(self.tr("There are no documents to report on."))
            return
        done = self.tr("Saved {file}.").format(file=path)
        self._actions.with_workspace(
            "report", lambda workspace, task: make(workspace, wanted, path, task),
            lambda _: self._actions.notify(done), worker="aside", must_run=True,
            title=self.tr("Writing the report"),
        )  # fmt: skip
