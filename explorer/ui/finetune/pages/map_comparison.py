"""The map before and after training, side by side, with one hover and one selection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QComboBox, QGridLayout, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from explorer.rendering.colours import Amounts, Categories, style
from explorer.services.finetuning.map_comparison import MapComparison
from explorer.ui.look import theme
from explorer.ui.map.hover_card import CardText
from explorer.ui.map.legend import cluster_colours
from explorer.ui.map.view import MapView
from explorer.ui.state.document_set import RowIndex
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.themed import Themed


class MapComparisonView(Themed, QWidget):
    """Two maps of the same documents that share the window's selection.

    Attributes:
        before: The map of the model it began with.
        after: The map of the trained model.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._comparison: MapComparison | None = None
        self._rows = RowIndex()
        self.before, self.after = MapView(self), MapView(self)
        self.before.view_box.link(self.after.view_box)
        self._names = (plain_label(), plain_label())
        self._colours = QComboBox()
        self._colours.activated.connect(self._colour)
        self.summary = plain_label()
        self.summary.setProperty("kind", "faint")
        self._tools = {name: QToolButton() for name in ("pan", "lasso")}
        for view, near in ((self.before, self._near_before), (self.after, self._near_after)):
            view.set_describe(self._describe)
            view.set_neighbours(near)
            view.clicked.connect(self._on_clicked)
            view.selected.connect(self._on_selected)
        self._lay_out()
        session.selection_changed.connect(self._on_selection_changed)
        session.folder_changed.connect(self._on_selection_changed)
        self.retranslate()
        self.restyle()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(0, 4, 0, 4)
        bar.setSpacing(4)
        group = QButtonGroup(self)
        for name, button in self._tools.items():
            button.setCheckable(True)
            group.addButton(button)
            bar.addWidget(button)
            button.clicked.connect(lambda _=False, name=name: self._use(name))
        self._tools["pan"].setChecked(True)
        bar.addSpacing(8)
        bar.addWidget(self._colours)
        bar.addStretch(1)
        bar.addWidget(self.summary)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(1)
        grid.setVerticalSpacing(4)
        for column, view in enumerate((self.before, self.after)):
            self._names[column].setAlignment(Qt.AlignmentFlag.AlignCenter)
            grid.addWidget(self._names[column], 0, column)
            grid.addWidget(view, 1, column)
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(1, 1)
        column_of = QVBoxLayout(self)
        column_of.setContentsMargins(0, 0, 0, 0)
        column_of.setSpacing(0)
        column_of.addLayout(bar)
        column_of.addLayout(grid, 1)

    def show_comparison(self, comparison: MapComparison) -> None:
        """Show two maps."""
        self._comparison = comparison
        self._rows = RowIndex(comparison.documents)
        self.before.set_positions(comparison.before, animate=False)
        self.after.set_positions(comparison.after, animate=False)
        self.after.view_box.fit(animate=False)
        self._colour()
        self._on_selection_changed()
        self._retell()

    def _colour(self) -> None:
        comparison = self._comparison
        if comparison is None:
            return
        colouring: Categories | Amounts = (
            Amounts(1 - comparison.kept_share, 0.0, 1.0)
            if self._colours.currentData() == "changed"
            else self._clusters(comparison)
        )
        for view in (self.before, self.after):
            view.set_colouring(colouring)

    def _clusters(self, comparison: MapComparison) -> Categories:
        clusters = self._session.clusters
        if clusters is None:
            return Categories(np.full(len(comparison.documents), -1))
        cluster_of, colours = clusters.by_document(), cluster_colours(self._session)
        places = {document_id: index for index, document_id in enumerate(colours)}
        labels = [places.get(cluster_of.get(document_id, -1), -1) for document_id in comparison.documents.tolist()]
        return Categories(np.array(labels, np.int64), tuple(colours.values()))

    def _use(self, name: str) -> None:
        for view in (self.before, self.after):
            view.set_tool("lasso" if name == "lasso" else "pan")

    def _on_clicked(self, row: int, _keys: object) -> None:
        if self._comparison is not None:
            self._session.focus(int(self._comparison.documents[row]) if row >= 0 else None)

    def _on_selected(self, rows: NDArray[np.int64], how: str) -> None:
        if self._comparison is not None:
            self._session.mark(self._comparison.documents[rows], how=how)

    def _on_selection_changed(self) -> None:
        """Show the selection in both maps."""
        if self._comparison is None:
            return
        chosen = self._session.selection
        focused, marked = self._rows.row(chosen.focus), self._rows.rows(chosen.marked)
        for view in (self.before, self.after):
            view.set_focused(focused)
            view.set_marks(marked)

    def _describe(self, row: int) -> CardText:
        listing = self._session.listing
        if self._comparison is None or listing is None:
            return CardText("")
        document_id = int(self._comparison.documents[row])
        at = listing.rows.get(document_id)
        share = self.tr("{share} of its neighbours kept").format(share=f"{self._comparison.kept_share[row]:.0%}")
        opening = "" if at is None or not listing.openings else listing.openings[at]
        return CardText(listing.name(document_id), share, opening)

    def _near_before(self, row: int) -> list[int]:
        return (
            []
            if self._comparison is None
            else [neighbour for neighbour in self._comparison.near_before[row].tolist() if neighbour >= 0]
        )

    def _near_after(self, row: int) -> list[int]:
        return (
            []
            if self._comparison is None
            else [neighbour for neighbour in self._comparison.near_after[row].tolist() if neighbour >= 0]
        )

    def restyle(self) -> None:
        look = style(dark=theme.current().dark, background=theme.current().background)
        for view in (self.before, self.after):
            view.set_style(look)
        for name, button in self._tools.items():
            button.setIcon(theme.icon(name))
        self._colour()

    def _retell(self) -> None:
        if self._comparison is not None:
            summary = self.tr("{share} of neighbours changed")
            self.summary.setText(summary.format(share=f"{1 - float(self._comparison.kept_share.mean()):.0%}"))

    def retranslate(self) -> None:
        self._names[0].setText(self.tr("Before"))
        self._names[1].setText(self.tr("After"))
        self.before.setToolTip("")
        for name, summary in (("pan", self.tr("Pan")), ("lasso", self.tr("Mark with a lasso in both maps"))):
            self._tools[name].setToolTip(summary)
            self._tools[name].setAccessibleName(summary)
        now = self._colours.currentData()
        self._colours.clear()
        self._colours.addItem(self.tr("Colour: clusters"), "clusters")
        self._colours.addItem(self.tr("Colour: changed neighbours"), "changed")
        self._colours.setCurrentIndex(max(0, self._colours.findData(now)))
        self._colours.setAccessibleName(self.tr("Colour by"))
        self._retell()
