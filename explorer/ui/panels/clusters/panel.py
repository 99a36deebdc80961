"""The clusters: a tree with a slider for how fine it is, and what the user changes in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QMenu,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from explorer.services import overview as changes
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.clusters.model import ClusterModel
from explorer.ui.panels.clusters.nodes import Node, nodes
from explorer.ui.panels.clusters.texts import ClusterTexts
from explorer.ui.panels.clusters.tree_view import ClusterRow, ClusterTree
from explorer.ui.panels.panel import Panel
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.session import Session
from explorer.ui.widgets.placeholder import ContentStack, plain_label
from explorer.ui.window.shortcuts import on_key

STEPS = 100  # of the slider
PAUSE = 150  # milliseconds after the last move of the slider


class ClustersPanel(Panel):
    """The tree of clusters, with its slider and its buttons.

    Signals:
        zoom_requested: The map is to show these documents, an array of ids.
    """

    name = "clusters"
    area = Qt.DockWidgetArea.LeftDockWidgetArea
    shown_at_first = True
    opening_height = 0
    has_table = True

    zoom_requested = Signal(object)

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._waiting = False
        self._late = False  # whether other clusters came while a name was typed
        self._seen: set[tuple[int, int]] = set()  # coarser rows whose state is the user's
        self._build()
        self._listen()
        self.retranslate()
        self._on_clusters_changed()

    def _build(self) -> None:
        words = ClusterTexts(self)
        self.model, self.row = ClusterModel(words, self), ClusterRow(self)
        self.tree = ClusterTree(self.model, self.row)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.stage = ContentStack(self.tree)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setValue(STEPS // 2)
        self._few, self._many, self._count = plain_label(), plain_label(), plain_label()
        for label in (self._few, self._many, self._count):
            label.setProperty("kind", "faint")
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self.rename = self._verb("pencil", self._on_rename, "F2")
        self.merge = self._verb("merge", self._on_merge)
        self.split = self._verb("split", self._on_split)
        self.move_here = self._verb("move-in", self._on_move)
        self.assign = self._verb("gather", self._on_assign)
        self.undo = self._verb("undo", self._actions.edits.undo_clusters)
        self.verbs = (self.rename, self.merge, self.split, self.move_here, self.assign, self.undo)
        fine, buttons = QHBoxLayout(), QHBoxLayout()
        for part, stretch in ((self._few, 0), (self.slider, 1), (self._many, 0)):
            fine.addWidget(part, stretch)
        buttons.setSpacing(2)
        for verb in self.verbs:
            buttons.addWidget(_button(verb))
        buttons.addStretch(1)
        buttons.addWidget(self._count)
        head = QVBoxLayout()
        head.setContentsMargins(8, 6, 8, 4)
        head.setSpacing(4)
        head.addLayout(fine)
        head.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        self.setTabOrder(self.slider, self.tree)
        self.restyle()

    def _verb(self, icon: str, work: Callable[[], object], key: str = "") -> QAction:
        action = QAction(self)
        action.setData(icon)
        if key:  # the tree hears it itself, here it is only told
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _: work())
        self.addAction(action)
        return action

    def _listen(self) -> None:
        session = self._session
        session.clusters_changed.connect(self._on_clusters_changed)
        session.folder_changed.connect(self._on_folder_changed)
        session.selection_changed.connect(self._on_selection_changed)
        self._actions.runner.changed.connect(self._on_jobs_changed)
        self._actions.edits.undo.undo_changed.connect(self._on_choice_changed)
        self.slider.valueChanged.connect(self._on_slid)
        self._pause.timeout.connect(self._on_paused)
        self.model.renamed.connect(self._on_renamed)
        self.row.assign_requested.connect(self._on_assign)
        self.row.closeEditor.connect(self._on_typed)
        self.tree.marks_requested.connect(self._on_marks_requested)
        self.tree.zoom_requested.connect(self._on_zoom_requested)
        self.tree.filter_requested.connect(self._on_filter_requested)
        self.tree.customContextMenuRequested.connect(self._on_menu)
        self.tree.collapsed.connect(self._on_folded)
        self.tree.expanded.connect(self._on_folded)
        self.tree.selectionModel().selectionChanged.connect(self._on_choice_changed)
        on_key(self.tree, Qt.Key.Key_F2, self._on_rename)

    # What is shown

    def _on_clusters_changed(self) -> None:
        found = self._session.clusters
        self._late = found is not None and self._typing
        if self._late:  # other rows would end the typing
            return
        self._waiting = False
        kept, current = [node.key for node in self.chosen()], self.model.node(self.tree.currentIndex())
        self.model.show_nodes(nodes(found) if found else (), len(found.documents) if found else 0)
        self._unfold()
        self._on_selection_changed()
        for key in kept:
            self.tree.selectionModel().select(
                self.model.index_of(key), self.tree.selectionModel().SelectionFlag.Select
            )
        if current is not None:
            self.tree.selectionModel().setCurrentIndex(
                self.model.index_of(current.key), self.tree.selectionModel().SelectionFlag.NoUpdate
            )
        if found is not None and not self._pause.isActive() and not self.slider.isSliderDown():
            self.slider.blockSignals(True)
            self.slider.setValue(round(found.shown.recipe.granularity * STEPS))
            self.slider.blockSignals(False)
        self._tell()
        self._on_choice_changed()
        self._on_jobs_changed()

    @property
    def _typing(self) -> bool:
        return self.tree.state() == QAbstractItemView.State.EditingState

    def _on_typed(self) -> None:
        if self._late:
            self._on_clusters_changed()

    def _unfold(self) -> None:
        """Open what lies above the clusters that are shown, but for what the user closed."""
        self.tree.blockSignals(True)
        for node in self.model.nodes():
            if node.children and (node.key[0] < 0) != (node.key in self._seen):
                self.tree.setExpanded(self.model.index_of(node.key), True)
        self.tree.blockSignals(False)

    def _tell(self) -> None:
        found, place = self._session.clusters, self._session.folder
        for part in (self.slider, self._few, self._many):
            part.setEnabled(found is not None)
        self._count.setText("")
        if found is None and place is None:
            self.stage.show_empty(self.tr("Open a folder to see its topics."))
        elif found is None:
            self.stage.show_empty(self.tr("No clusters yet. They appear once the documents are encoded."))
        else:
            self._count.setText(self.tr("%Ln cluster(s)", "", len(found.clusters)))
            self.stage.show_content()

    def _on_folder_changed(self) -> None:
        self._seen = set()
        self._tell()

    def _on_selection_changed(self) -> None:
        chosen = self._session.selection
        self.model.set_selection(chosen.focus, chosen.marked)
        self.tree.viewport().update()
        self._on_choice_changed()

    def _on_jobs_changed(self) -> None:
        job = next((job for job in self._actions.runner.jobs() if job.key == "clusters"), None)
        waits = self._waiting and job is not None and self._session.clusters is not None
        progress = job.progress if job is not None else None
        self.stage.set_busy(waits, progress.done if progress else 0, progress.total if progress else 0)

    def _on_folded(self, index: QModelIndex) -> None:
        """Remember rows that the user opened or closed against the rule."""
        node = self.model.node(index)
        if node is not None:
            against = self.tree.isExpanded(index) != (node.key[0] < 0)
            (self._seen.add if against else self._seen.discard)(node.key)

    # What the user chooses

    def chosen(self) -> list[Node]:
        """The rows that are selected, from top to bottom."""
        found = {self.model.node(index) for index in self.tree.selectionModel().selectedIndexes()}
        return [node for node in self.model.nodes() if node in found]

    def _clusters(self) -> list[int]:
        return [node.cluster.id for node in self.chosen() if node.cluster is not None]

    def _documents(self) -> DocumentSet:
        rows = [node.documents for node in self.chosen()]
        return DocumentSet(np.concatenate(rows) if rows else ())

    def _on_choice_changed(self) -> None:
        place, clusters = self._session.folder, self._clusters()
        may = place is not None and place.writable
        found = self._session.clusters
        self.rename.setEnabled(may and len(clusters) == 1)
        self.split.setEnabled(may and len(clusters) == 1)
        self.merge.setEnabled(may and len(clusters) > 1)
        self.move_here.setEnabled(may and len(clusters) == 1 and bool(self._session.selection.marked))
        self.assign.setEnabled(may and found is not None and found.shown.leftover_share > 0)
        self.undo.setEnabled(may and found is not None)

    def _on_marks_requested(self) -> None:
        self._session.mark(self._documents())

    def _on_zoom_requested(self) -> None:
        node = self.model.node(self.tree.currentIndex())
        if node is not None:
            self.zoom_requested.emit(node.documents)

    def _on_filter_requested(self) -> None:
        names = [str(self.model.index_of(node.key).data()) for node in self.chosen()]
        if names:
            self._actions.filter_to(self._documents(), ", ".join(names))

    def _on_slid(self) -> None:
        self._pause.start()

    def _on_paused(self) -> None:
        self._wait()
        self._actions.overview.refresh(granularity=self.slider.value() / STEPS)

    def _on_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions(self.verbs)
        menu.exec(self.tree.viewport().mapToGlobal(place))
        menu.deleteLater()

    def export_table(self) -> ExportTable | None:
        """All rows of the tree, to be exported; a level below 0 is coarser than what is shown, one above finer."""
        rows = [(node, str(self.model.index_of(node.key).data())) for node in self.model.nodes()]
        if not rows:
            return None
        header = (
            self.tr("Level"), self.tr("Name"), self.tr("Documents"), self.tr("Cohesion"), self.tr("Stability"),
            self.tr("Words"),
        )  # fmt: skip

        def row(node: Node, name: str) -> tuple[object, ...]:
            known = node.cluster
            words = ", ".join(word.text for word in known.words) if known else ""
            return node.key[0], name, node.size, known.cohesion if known else None, node.stability, words

        return ExportTable(header, lambda: [row(*one) for one in rows])

    # What the user changes

    def _wait(self) -> None:
        self._waiting = True

    def _change(self, make: changes.MakeEdits, text: str) -> None:
        self._wait()
        self._actions.overview.change_clusters(make, text)

    def _on_rename(self) -> None:
        if self._typing:
            return
        for node in [node for node in self.chosen() if node.cluster is not None][:1]:
            self.tree.edit(self.model.index_of(node.key))

    def _on_renamed(self, cluster: int, name: str) -> None:
        self._change(changes.renaming(cluster, name), self.tr("Rename a cluster"))

    def _on_merge(self) -> None:
        self._change(changes.merging(self._clusters()), self.tr("Merge clusters"))

    def _on_split(self) -> None:
        for cluster in self._clusters()[:1]:
            self._change(changes.splitting(cluster), self.tr("Split a cluster"))

    def _on_move(self) -> None:
        for cluster in self._clusters()[:1]:
            make = changes.moving(list(self._session.selection.marked), cluster)
            self._change(make, self.tr("Move documents to a cluster"))

    def _on_assign(self) -> None:
        if self.assign.isEnabled():
            self._change(changes.assigning(), self.tr("Assign unclustered documents"))

    # Words and looks

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
        told = (
            (self.rename, self.tr("Rename cluster")), (self.merge, self.tr("Merge selected clusters")),
            (self.split, self.tr("Split cluster")),
            (self.move_here, self.tr("Move marked documents to this cluster")),
            (self.assign, self.tr("Assign unclustered documents to their nearest clusters")),
            (self.undo, self.tr("Undo the last cluster change")),
        )  # fmt: skip
        for action, text in told:
            key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setText(text)
            action.setToolTip(f"{text} ({key})" if key else text)
        self._tell()

    def restyle(self) -> None:
        for action in self.verbs:
            action.setIcon(theme.icon(action.data()))


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setIconSize(QSize(16, 16))
    action.changed.connect(lambda: button.setAccessibleName(action.text()))
    return button
