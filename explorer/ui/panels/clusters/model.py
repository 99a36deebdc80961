"""The rows of clusters as a tree model over frozen values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from explorer.ui.panels.clusters.nodes import Node
from explorer.ui.panels.clusters.texts import ClusterTexts
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.widgets.row_table import Index

Key = tuple[int, int]

NODE = int(Qt.ItemDataRole.UserRole) + 1
MARKED = NODE + 1  # the share of a row's documents that is marked
FOCUS = NODE + 2  # whether the document in focus is in the row


class ClusterModel(QAbstractItemModel):
    """Rows of clusters.

    Signals:
        renamed: The user typed a name for a cluster: its id and the name.
    """

    renamed = Signal(int, str)

    def __init__(self, words: ClusterTexts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._top: tuple[Node, ...] = ()
        self._flat: list[
            tuple[Node, int, int]
        ] = []  # a row with its place and the number of the row above it
        self._numbers: dict[Key, int] = {}
        self._total = 0
        self._shares: dict[Key, float] = {}
        self._flags = np.zeros(1, bool)  # by the number of a document: whether it is marked
        self._chosen = DocumentSet()
        self._focus: int | None = None

    def show_nodes(self, top: tuple[Node, ...], total: int) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._top, self._total, self._flat = top, total, []
        self._lay(top, -1)
        self._numbers = {node.key: number for number, (node, _, _) in enumerate(self._flat)}
        self._shares = {}
        self.endResetModel()

    def _lay(self, nodes: tuple[Node, ...], parent: int) -> None:
        for place, node in enumerate(nodes):
            number = len(self._flat)
            self._flat.append((node, place, parent))
            self._lay(node.children, number)

    def set_selection(self, focus: int | None, marked: DocumentSet) -> None:
        """Show which documents are in focus and marked."""
        self._focus = focus
        if marked is not self._chosen:
            self._chosen, self._shares = marked, {}
            self._flags = np.zeros(int(marked.ids[-1]) + 2 if marked else 1, bool)
            self._flags[marked.ids] = True

    def _share(self, node: Node) -> float:
        """The share of a row's documents that is marked; counted when it is drawn."""
        if node.key not in self._shares:
            places = np.minimum(node.documents, len(self._flags) - 1)  # the last one is never marked
            self._shares[node.key] = np.count_nonzero(self._flags[places]) / max(1, node.size)
        return self._shares[node.key]

    def nodes(self) -> Iterator[Node]:
        """All rows, a row before those within it."""
        return (node for node, _, _ in self._flat)

    def index_of(self, key: Key) -> QModelIndex:
        """Where a row stands; invalid if there is none."""
        number = self._numbers.get(key)
        return QModelIndex() if number is None else self.createIndex(self._flat[number][1], 0, number)

    def node(self, index: Index) -> Node | None:
        """The row at a place."""
        return self._flat[index.internalId()][0] if index.isValid() else None

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's own
        """The place of a row."""
        above = self.node(parent)
        inside = self._top if above is None else above.children
        if column != 0 or not 0 <= row < len(inside):
            return QModelIndex()
        return self.createIndex(row, 0, self._numbers[inside[row].key])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """The place of the row above."""
        above = self._flat[index.internalId()][2] if index.isValid() else -1
        return QModelIndex() if above < 0 else self.createIndex(self._flat[above][1], 0, above)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """How many rows are within a row."""
        above = self.node(parent)
        return len(self._top if above is None else above.children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: ARG002, B008
        """One."""
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What is shown can be renamed."""
        node = self.node(index)
        if node is None:
            return Qt.ItemFlag.NoItemFlags
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return plain | Qt.ItemFlag.ItemIsEditable if node.cluster is not None else plain

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row says."""
        node = self.node(index)
        if node is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._words.name(node)
            case Qt.ItemDataRole.EditRole:
                return node.name
            case Qt.ItemDataRole.ToolTipRole:
                return self._words.tip(node, self._total)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._words.spoken(node, self._total)
            case Qt.ItemDataRole.StatusTipRole:
                return self._words.second(node, self._total)
            case _ if role == NODE:
                return node
            case _ if role == MARKED:
                return self._share(node)
            case _ if role == FOCUS:
                return self._focus is not None and bool((node.documents == self._focus).any())
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a name that the user typed; the row changes when it is kept."""
        node = self.node(index)
        if role != Qt.ItemDataRole.EditRole or node is None or node.cluster is None:
            return False
        name = " ".join(str(value).split())
        if name != node.name:
            self.renamed.emit(node.cluster.id, name)
        return True
