"""What helps: the pages, a tour of the window, its keys, and what the program is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSettings
from PySide6.QtWidgets import QToolButton

from explorer import paths
from explorer.ui.help.about_dialog import AboutDialog
from explorer.ui.help.shortcuts_dialog import ShortcutsDialog
from explorer.ui.help.tour import Tour, TourStep
from explorer.ui.help.window import HelpWindow

if TYPE_CHECKING:
    from explorer.ui.window.main_window import MainWindow
    from explorer.ui.window.menus import Menus


class HelpController(QObject):
    """The help of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._pages: HelpWindow | None = None
        self.tour: Tour | None = None
        self._offer, self._no = QToolButton(), QToolButton()
        for button in (self._offer, self._no):
            window.statusBar().addPermanentWidget(button)
            button.hide()
        self._offer.clicked.connect(self.take_tour)
        self._no.clicked.connect(self._refuse)
        window.session.map_changed.connect(self._on_map_changed)
        window.session.folder_changed.connect(self._on_folder_changed)
        window.installEventFilter(self)
        self._retranslate()

    def show(self, page: str = "") -> None:
        """Show the pages, from one of them if it is named."""
        if self._pages is None:
            self._pages = HelpWindow(self._window)
        if page:
            self._pages.show_page(page)
        self._pages.show()
        self._pages.raise_()
        self._pages.activateWindow()

    def show_keys(self, menus: Menus) -> None:
        """All keys there are."""
        ShortcutsDialog(menus.actions(), self._window).open()

    def show_about(self) -> None:
        """Version and licences."""
        AboutDialog(self._window.actions, self._window).open()

    # The tour

    def take_tour(self) -> None:
        """Show what is where in the window, step by step."""
        self._refuse()
        self.end_tour()
        self.tour = Tour(self._window, self._steps())
        self.tour.ended.connect(self.end_tour)
        self.tour.start()

    def end_tour(self) -> None:
        """Take the callout away."""
        if self.tour is not None:
            self.tour.deleteLater()
            self.tour.hide()
            self.tour = None

    def _steps(self) -> list[TourStep]:
        window, docks = self._window, self._window.docks
        return [
            TourStep(window.map, self.tr("The map"), self.tr(
                "Each point is a document; similar documents are close together. Drag to pan, scroll to "
                "zoom, hover to see a title, click to read.")),
            TourStep(window.query, self.tr("Search"), self.tr(
                "Type what you are looking for in your own words (press / to get here). Search goes by "
                "meaning, not just by words. “Rerank” has the top results read again by a more accurate "
                "model.")),
            TourStep(docks.documents, self.tr("Documents"), self.tr(
                "All documents, search results and marked documents. J and K move down and up, Space "
                "marks, T tags, Enter opens the reader."), "documents"),
            TourStep(docks.reader, self.tr("Reader"), self.tr(
                "The current document, with the matching passage highlighted and the words that made it "
                "match."),
                "reader"),
            TourStep(docks.neighbours, self.tr("Similar documents"), self.tr(
                "The documents most similar to the current one. Plus and minus steer the search; C "
                "compares two documents side by side."), "neighbours"),
            TourStep(docks.clusters, self.tr("Clusters"), self.tr(
                "The topics of the documents. The slider makes fewer or more clusters; click a cluster to "
                "mark its documents, press F2 to rename it."),
                "clusters"),
            TourStep(window.menuBar(), self.tr("Everything else"), self.tr(
                "Every action is in the menus and in the command palette: press Ctrl+K and type a few "
                "letters. F1 opens the help.")),
        ]  # fmt: skip

    def _kept(self) -> QSettings:
        return QSettings(str(paths.config() / "window.ini"), QSettings.Format.IniFormat)

    def _on_map_changed(self) -> None:
        """The first time that there is something to see, offer the tour; who says no is not asked again."""
        chart = self._window.session.map_layout
        if chart is not None and not chart.drawing and self._kept().value("toured") is None:
            self._offer.show()
            self._no.show()

    def _on_folder_changed(self) -> None:
        self.end_tour()
        self._offer.hide()
        self._no.hide()

    def _refuse(self) -> None:
        self._kept().setValue("toured", "yes")
        self._offer.hide()
        self._no.hide()

    def _retranslate(self) -> None:
        self._offer.setText(self.tr("New here? Take the tour"))
        self._no.setText(self.tr("No, thanks"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the language of the window."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        return super().eventFilter(watched, event)
