"""How clusters grow and shrink over time, where documents have dates."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from explorer.services.overview import Clusters, TrendData, over_time
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import LazyPanel
from explorer.ui.panels.trends.list_view import TREND, TimeAxis, TrendsList, TrendsModel
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label


class TrendsPanel(LazyPanel):
    """A curve a cluster, drawn as soon as it is looked at.

    Signals:
        zoom_requested: The map is to show these documents: a list of numbers.
    """

    name = "trends"
    has_table = True

    zoom_requested = Signal(object)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._found = TrendData()
        self._asked: Clusters | None = None  # whose curves were asked for
        self._known: Clusters | None = None  # of which the curves are
        self._build()
        session.clusters_changed.connect(self.load)
        self.field.activated.connect(lambda _: self._look(self.field.currentText()))
        self.same_scale.toggled.connect(lambda _: self._show())
        self.list.clicked.connect(self._on_clicked)
        self.list.doubleClicked.connect(self._on_double_clicked)
        self.list.filter_requested.connect(self._on_filter_requested)
        self.stage.retried.connect(lambda: self._look(self._found.field))
        self.retranslate()

    def _build(self) -> None:
        self.model = TrendsModel(self)
        self.list = TrendsList(self.model)
        self.axis = TimeAxis(self.list)
        content = QWidget()
        rows = QVBoxLayout(content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.axis)
        rows.addWidget(self.list, 1)
        self.stage = ContentStack(content)
        self.field = QComboBox()
        self._by, self._span, self._note = plain_label(), plain_label(), plain_label(wrap=True)
        for label in (self._by, self._span, self._note):
            label.setProperty("kind", "faint")
        self._note.setContentsMargins(8, 4, 8, 4)
        self.same_scale = QAction(self, checkable=True)
        self.addAction(self.same_scale)
        self._scale = QToolButton()
        self._scale.setDefaultAction(self.same_scale)
        self._scale.setIconSize(QSize(16, 16))
        head = QHBoxLayout()
        head.setContentsMargins(8, 4, 8, 4)
        head.setSpacing(8)
        for part, stretch in ((self._by, 0), (self.field, 0), (self._span, 1), (self._scale, 0)):
            head.addWidget(part, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        column.addWidget(self._note)

    def load(self) -> None:
        if self._session.clusters is None:
            self._found, self._known, self._asked = TrendData(), None, None
            self._show()
        elif self.isVisible() and self._session.clusters is not self._asked:
            self._look(self._found.field)

    def _look(self, field: str) -> None:
        """Count again, by a field."""
        clusters, listing = self._session.clusters, self._session.listing
        if clusters is None or listing is None:
            return
        self._asked = clusters
        self.stage.set_busy(True)
        self._actions.runner.start(
            "trends",
            lambda _: over_time(listing, clusters, field),
            lambda found: self._on_found(clusters, found),
            failed=self._on_failed,
            quiet=True,
        )

    def _on_found(self, clusters: Clusters, found: TrendData) -> None:
        self._known, self._found = clusters, found
        self.stage.set_busy(False)
        self._show()

    def _on_failed(self, error: BaseException) -> None:
        self.stage.set_busy(False)
        self.stage.show_error(error)

    def _show(self) -> None:
        found = self._found
        self.model.show_trends(found, self._known, same_scale=self.same_scale.isChecked())
        self.axis.show_time(found)
        self.field.clear()
        self.field.addItems(found.fields)
        self.field.setCurrentText(found.field)
        for part in (self._by, self.field, self._span, self._scale):
            part.setVisible(found.trends is not None)
        self._note.setVisible(found.trends is not None)
        if self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to see how its clusters change over time."))
        elif self._known is None:
            self.stage.show_empty(self.tr("Available once the documents are encoded."))
        elif found.trends is None:
            told = self.tr(
                "No document has a date. Dates are read from emails, from the headers of texts and web "
                "pages, and from table columns, in forms such as 2024-03-05."
            )
            self.stage.show_empty(told)
        else:
            self.stage.show_content()
            self._tell()

    def _tell(self) -> None:
        trends = self._found.trends
        if trends is None:
            return
        units = {
            "day": self.tr("by day"),
            "week": self.tr("by week"),
            "month": self.tr("by month"),
            "quarter": self.tr("by quarter"),
            "year": self.tr("by year"),
            "decade": self.tr("by decade"),
        }
        dated = self.tr("%Ln dated document(s), {unit}", "", int(trends.totals.sum()))
        self._span.setText(dated.format(unit=units[trends.unit]))
        parts = [
            text.format(count=f"{count:,}")
            for count, text in (
                (trends.undated, self.tr("%Ln document(s) without a date.", "", trends.undated)),
                (trends.implausible, self.tr("{count} with an implausible date.")),
                (trends.outside, self.tr("{count} far earlier or later than all others, excluded.")),
            )
            if count
        ]
        self._note.setText(" ".join(parts))
        self._note.setVisible(bool(parts))

    def export_table(self) -> ExportTable | None:
        """A row for each cluster and stretch of time, to be exported."""
        trends = self._found.trends
        if trends is None:
            return None
        indices = [self.model.index(row) for row in range(self.model.rowCount())]
        rows = [(str(index.data()), index.data(TREND)) for index in indices]
        header = (
            self.tr("Cluster"),
            self.tr("Trend"),
            self.tr("p"),
            self.tr("From"),
            self.tr("Documents"),
            self.tr("Share"),
        )

        def cells() -> list[tuple[object, ...]]:
            return [
                (name, trend.direction, trend.p, str(start), int(count), int(count) / max(1, int(total)))
                for name, trend in rows
                for start, count, total in zip(trends.starts, trend.counts, trends.totals, strict=True)
            ]

        return ExportTable(header, cells)

    def _documents(self, row: int) -> list[int]:
        label, clusters = self.model.label(row), self._known
        if label is None or clusters is None:
            return []
        documents: list[int] = clusters.documents[clusters.shown.labels == label].tolist()
        return documents

    def _on_clicked(self, index: QModelIndex) -> None:
        self._session.mark(self._documents(index.row()))

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.zoom_requested.emit(self._documents(index.row()))

    def _on_filter_requested(self) -> None:
        index = self.list.currentIndex()
        if documents := self._documents(index.row()):
            self._actions.filter_to(documents, str(index.data()))

    def title(self) -> str:
        return self.tr("Trends")

    def retranslate(self) -> None:
        self._by.setText(self.tr("Dates from"))
        self.field.setAccessibleName(self.tr("Date field"))
        self.list.setAccessibleName(self.tr("Clusters over time"))
        self.same_scale.setText(self.tr("Use the same scale for all clusters"))
        self.same_scale.setIcon(theme.icon("trends"))
        self._scale.setAccessibleName(self.same_scale.text())
        self._show()

    def restyle(self) -> None:
        self.same_scale.setIcon(theme.icon("trends"))
