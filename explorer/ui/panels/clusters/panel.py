"""The clusters: a tree with a slider for its granularity, and the commands that change it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QSlider, QWidget

from explorer.services import overview as cluster_edits
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.panels.clusters.model import ClusterModel, ClusterRow, ClusterTree, Key, Node, nodes
from explorer.ui.panels.panel import Panel
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import DocumentFilter, Session, combined_filter
from explorer.ui.widgets.layouts import column, row, tool_button
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.window.shortcuts import on_key

STEPS = 100  # of the slider
WIDE = 260  # pixels of a panel that has room for the number of clusters
PAUSE = 150  # milliseconds after the last move of the slider


class ClustersPanel(Panel):
    """The tree of clusters, with its slider and its buttons.

    Signals:
        zoom_requested: The map is to show these documents, an array of ids.
    """

    name = "clusters"
    area = Qt.DockWidgetArea.LeftDockWidgetArea
    has_table = True

    zoom_requested = Signal(object)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._waiting = False
        self._postponed = False  # whether new clusters arrived while a name was being typed
        self._toggled: set[Key] = set()  # rows that the user opened or closed against the rule
        self._build()
        self._connect()
        self.retranslate()
        self._on_clusters_changed()

    def _build(self) -> None:
        self.model, self.row = ClusterModel(self), ClusterRow(self)
        self.tree = ClusterTree(self.model, self.row)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.stage = ContentStack(self.tree)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setValue(STEPS // 2)
        self._few, self._many, self._count = (plain_label(kind="faint") for _ in range(3))
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self.rename = self._add_action("pencil", self._on_rename, "F2")
        self.merge = self._add_action("merge", self._on_merge)
        self.split = self._add_action("split", self._on_split)
        self.move_here = self._add_action("move-in", self._on_move)
        self.assign = self._add_action("gather", self._on_assign)
        self.undo = self._add_action("undo", self._actions.edits.undo_clusters)
        buttons = [tool_button(action) for action in self.actions()]
        head = column(
            row(self._few, (self.slider, 1), self._many),
            row(*buttons, None, self._count, spacing=2),
            margins=(8, 6, 8, 4),
            spacing=4,
        )
        column(head, (self.stage, 1), parent=self)
        self.setTabOrder(self.slider, self.tree)

    def _connect(self) -> None:
        session = self._session
        session.clusters_changed.connect(self._on_clusters_changed)
        session.folder_changed.connect(self._on_folder_changed)
        session.selection_changed.connect(self._on_selection_changed)
        session.filter_changed.connect(self._on_filter_changed)
        self._actions.runner.changed.connect(self._on_jobs_changed)
        self._actions.edits.undo.undo_changed.connect(self._enable_actions)
        self.slider.valueChanged.connect(lambda _: self._pause.start())
        self._pause.timeout.connect(self._on_granularity_changed)
        self.model.renamed.connect(self._on_renamed)
        self.row.assign_requested.connect(self._on_assign)
        self.row.closeEditor.connect(self._on_editor_closed)
        self.tree.marks_requested.connect(lambda: self._session.mark(self._documents()))
        self.tree.zoom_requested.connect(self._on_zoom_requested)
        self.tree.filter_requested.connect(self._on_filter_requested)
        self.tree.customContextMenuRequested.connect(self._on_menu)
        self.tree.collapsed.connect(self._on_toggled)
        self.tree.expanded.connect(self._on_toggled)
        self.tree.selectionModel().selectionChanged.connect(self._enable_actions)
        on_key(self.tree, Qt.Key.Key_F2, self._on_rename)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._count.setVisible(event.size().width() > WIDE)

    # What is shown

    def _on_clusters_changed(self) -> None:
        clusters = self._session.clusters
        self._postponed = clusters is not None and self._is_editing
        if self._postponed:  # a model reset would close the editor
            return
        self._waiting = False
        selected = [node.key for node in self.selected()]
        current = self.model.node(self.tree.currentIndex())
        self.model.show_nodes(nodes(clusters) if clusters else (), len(clusters.documents) if clusters else 0)
        self._expand()
        self._on_selection_changed()
        selection = self.tree.selectionModel()
        for key in selected:
            selection.select(self.model.index_of(key), selection.SelectionFlag.Select)
        if current is not None:
            index = self.model.index_of(current.key)
            selection.setCurrentIndex(index, selection.SelectionFlag.NoUpdate)
        if clusters is not None and not self._pause.isActive() and not self.slider.isSliderDown():
            self.slider.blockSignals(True)
            self.slider.setValue(round(clusters.shown.recipe.granularity * STEPS))
            self.slider.blockSignals(False)
        self._show_state()
        self._enable_actions()
        self._on_jobs_changed()

    @property
    def _is_editing(self) -> bool:
        return self.tree.state() == QAbstractItemView.State.EditingState

    def _on_editor_closed(self) -> None:
        if self._postponed:
            self._on_clusters_changed()

    def _expand(self) -> None:
        """Open the rows above the clusters that are shown, except those that the user closed."""
        self.tree.blockSignals(True)
        for node in self.model.nodes():
            if node.children and (node.key[0] < 0) != (node.key in self._toggled):
                self.tree.setExpanded(self.model.index_of(node.key), True)
        self.tree.blockSignals(False)

    def _show_state(self) -> None:
        clusters = self._session.clusters
        for part in (self.slider, self._few, self._many):
            part.setEnabled(clusters is not None)
        self._count.setText("")
        if clusters is None and self._session.folder is None:
            self.stage.show_empty(self.tr("Open a folder to see its topics."))
        elif clusters is None:
            self.stage.show_empty(self.tr("No clusters yet. They appear once the documents are encoded."))
        else:
            self._count.setText(self.tr("%Ln cluster(s)", "", len(clusters.clusters)))
            self.stage.show_content()

    def _on_folder_changed(self) -> None:
        self._toggled = set()
        self._show_state()

    def _on_selection_changed(self) -> None:
        selection = self._session.selection
        self.model.set_selection(selection.focus, selection.marked)
        self.tree.viewport().update()
        self._enable_actions()

    def _on_jobs_changed(self) -> None:
        job = self._job("clusters")
        busy = self._waiting and job is not None and self._session.clusters is not None
        progress = job.progress if job is not None else None
        self.stage.set_busy(busy, *((progress.done, progress.total) if progress else ()))

    def _on_toggled(self, index: QModelIndex) -> None:
        node = self.model.node(index)
        if node is not None:
            against_rule = self.tree.isExpanded(index) != (node.key[0] < 0)
            (self._toggled.add if against_rule else self._toggled.discard)(node.key)

    # The selected rows

    def selected(self) -> list[Node]:
        """Return the rows that are selected, from top to bottom."""
        selected = {self.model.node(index) for index in self.tree.selectionModel().selectedIndexes()}
        return [node for node in self.model.nodes() if node in selected]

    def _selected_clusters(self) -> list[int]:
        return [node.cluster.id for node in self.selected() if node.cluster is not None]

    def _documents(self) -> DocumentSet:
        rows = [node.documents for node in self.selected()]
        return DocumentSet(np.concatenate(rows) if rows else ())

    def _enable_actions(self) -> None:
        folder, clusters, count = self._session.folder, self._session.clusters, len(self._selected_clusters())
        writable = folder is not None and folder.writable
        self.rename.setEnabled(writable and count == 1)
        self.split.setEnabled(writable and count == 1)
        self.merge.setEnabled(writable and count > 1)
        self.move_here.setEnabled(writable and count == 1 and bool(self._session.selection.marked))
        self.assign.setEnabled(writable and clusters is not None and clusters.shown.leftover_share > 0)
        self.undo.setEnabled(writable and clusters is not None)

    def _on_zoom_requested(self) -> None:
        node = self.model.node(self.tree.currentIndex())
        if node is not None:
            self.zoom_requested.emit(node.documents)

    def _on_filter_requested(self) -> None:
        """Show the documents of the selected rows; with Ctrl, filters of other kinds stay."""
        names = ", ".join(str(self.model.index_of(node.key).data()) for node in self.selected())
        before = self._session.filter
        add = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier) and before is not None
        others = [part for part in before.singles if part.kind != "cluster"] if add and before is not None else []
        own = [DocumentFilter(self._documents(), names, kind="cluster")] if names else []
        self._session.set_filter(combined_filter([*others, *own]))

    def _on_filter_changed(self) -> None:
        """Select nothing once the filter by clusters is gone."""
        parts = self._session.filter.singles if self._session.filter is not None else ()
        if not any(part.kind == "cluster" for part in parts) and not self._is_editing:
            self.tree.clearSelection()

    def _on_granularity_changed(self) -> None:
        self._waiting = True
        self._actions.overview.refresh(granularity=self.slider.value() / STEPS)

    def _on_menu(self, position: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions(self.actions())
        menu.exec(self.tree.viewport().mapToGlobal(position))
        menu.deleteLater()

    def export_table(self) -> ExportTable | None:
        rows = [(node, str(self.model.index_of(node.key).data())) for node in self.model.nodes()]
        if not rows:
            return None
        # A level below 0 is coarser than what is shown, one above it finer.
        header = (
            self.tr("Level"),
            self.tr("Name"),
            self.tr("Documents"),
            self.tr("Cohesion"),
            self.tr("Stability"),
            self.tr("Words"),
        )

        def cells(node: Node, name: str) -> tuple[object, ...]:
            cluster = node.cluster
            words = ", ".join(word.text for word in cluster.words) if cluster else ""
            return node.key[0], name, node.size, cluster.cohesion if cluster else None, node.stability, words

        return ExportTable(header, lambda: [cells(*item) for item in rows])

    # Changes

    def _edit(self, edit: cluster_edits.MakeEdits, text: str) -> None:
        self._waiting = True
        self._actions.overview.change_clusters(edit, text)

    def _on_rename(self) -> None:
        if self._is_editing:
            return
        for node in [node for node in self.selected() if node.cluster is not None][:1]:
            self.tree.edit(self.model.index_of(node.key))

    def _on_renamed(self, cluster: int, name: str) -> None:
        self._edit(cluster_edits.renaming(cluster, name), self.tr("Rename a cluster"))

    def _on_merge(self) -> None:
        self._edit(cluster_edits.merging(self._selected_clusters()), self.tr("Merge clusters"))

    def _on_split(self) -> None:
        for cluster in self._selected_clusters()[:1]:
            self._edit(cluster_edits.splitting(cluster), self.tr("Split a cluster"))

    def _on_move(self) -> None:
        for cluster in self._selected_clusters()[:1]:
            edit = cluster_edits.moving(list(self._session.selection.marked), cluster)
            self._edit(edit, self.tr("Move documents to a cluster"))

    def _on_assign(self) -> None:
        if self.assign.isEnabled():
            self._edit(cluster_edits.assigning(), self.tr("Assign unclustered documents"))

    def title(self) -> str:
        return self.tr("Clusters")

    def retranslate(self) -> None:
        self._few.setText(self.tr("Fewer"))
        self._many.setText(self.tr("More"))
        self.slider.setAccessibleName(self.tr("Cluster granularity"))
        self.slider.setToolTip(
            self.tr("Cluster granularity: a few large clusters on the left, many small ones on the right")
        )
        self.tree.setAccessibleName(self.tr("Clusters"))
        self.row.assign_text = self.tr("Assign")
        texts = (
            (self.rename, self.tr("Rename cluster")),
            (self.merge, self.tr("Merge selected clusters")),
            (self.split, self.tr("Split cluster")),
            (self.move_here, self.tr("Move selected documents to this cluster")),
            (self.assign, self.tr("Assign unclustered documents to their nearest clusters")),
            (self.undo, self.tr("Undo the last cluster change")),
        )
        for action, text in texts:
            key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setText(text)
            action.setToolTip(f"{text} ({key})" if key else text)
        self._show_state()
