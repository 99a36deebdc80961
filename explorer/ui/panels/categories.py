"""The user's own categories: named, described or shown by example; documents, confidence and corrections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QMimeData, QModelIndex, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragMoveEvent, QDropEvent, QFont, QKeyEvent, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QSlider,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from explorer.ui.export.exporter import ExportTable
from explorer.ui.look import theme
from explorer.ui.panels.panel import Panel
from explorer.ui.state.session import Origin
from explorer.ui.widgets.layouts import ShareSplitter, column, container, hairline, row, tool_button
from explorer.ui.widgets.placeholder import ContentStack, plain_label, plain_tip
from explorer.ui.widgets.row_table import ExplicitCurrent, FrozenListModel, Index

if TYPE_CHECKING:
    from explorer.ui.controllers.workspace import Controllers
    from explorer.ui.state.session import Session

DOCUMENTS = "application/x-docexplorer-documents"  # ids, separated by spaces, of documents that are dragged
LINE = int(Qt.ItemDataRole.UserRole) + 1
PAUSE = 250  # milliseconds after the last move of the slider
NONE = -1  # the line of documents that fit no category
_PAD, _BAR, _DOT = 8, 64, 10  # pixels


def dragged_documents(data: QMimeData) -> list[int]:
    """Return the ids of documents that are dragged; none if it is something else."""
    words = bytes(data.data(DOCUMENTS).data()).decode("ascii", "ignore").split()
    return [int(word) for word in words if word.isdigit()]


@dataclass(frozen=True)
class CategoryLine:
    """A line of the list: the index of a category, -1 for none of these; its name, description and numbers."""

    index: int
    name: str
    description: str = ""
    documents: int = 0
    examples: int = 0


@dataclass(frozen=True)
class Sorted:
    """A document and its category: how sure that is, and whether the user said so."""

    document: int
    title: str
    path: str
    confidence: float
    example: bool


class CategoriesPanel(Panel):
    """Categories on the left, the documents of the chosen one on the right."""

    name = "categories"
    has_table = True

    def __init__(self, session: Session, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(session, actions, parent)
        self._chosen = 0
        self.lines, self.rows = CategoryModel(self), SortedModel(self)
        self.list, self.documents = _CategoryList(self.lines), _SortedList(self.rows)
        self.setFocusProxy(self.list)
        self.new, self.description = QLineEdit(maxLength=100), QLineEdit(maxLength=2000)
        self.add = QPushButton()
        self.remove = self._add_action("close", self._on_remove)
        self.rename = self._add_action("pencil", self._on_rename)
        self.filter = self._add_action("search", self._on_filter)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 95)
        self.slider.setValue(50)
        self.slider.setMaximumWidth(140)
        self._strict, self._count, self._keys = (plain_label(kind="faint") for _ in range(3))
        self._keys.setWordWrap(True)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._build()
        self._connect()
        self.retranslate()

    def _build(self) -> None:
        name = row((self.new, 1), self.add, margins=(8, 8, 8, 0), spacing=4)
        tools = row(None, *(tool_button(action) for action in (self.rename, self.remove)), margins=(8, 2, 8, 2))
        described = row((self.description, 1), margins=(8, 0, 8, 8))
        self._below = container(column(hairline(), tools, described, spacing=4))
        left = column(name, (self.list, 1), self._below, spacing=4)
        self._head = container(
            row((self._count, 1), self._strict, self.slider, tool_button(self.filter), margins=(8, 6, 8, 6))
        )
        self._keys.setContentsMargins(8, 4, 8, 6)
        self._listed = ContentStack(self.documents)
        right = column(self._head, (self._listed, 1), self._keys)
        self.columns = ShareSplitter(Qt.Orientation.Horizontal, (0.4, 0.6))
        self.columns.addWidget(container(left))
        self.columns.addWidget(container(right))
        self.stage = ContentStack(self.columns)
        column((self.stage, 1), parent=self)

    def _connect(self) -> None:
        session, categories = self._session, self._actions.categories
        session.categories_changed.connect(self._show)
        session.documents_changed.connect(self._show)
        session.folder_changed.connect(self._show)
        session.selection_changed.connect(self._on_selection_changed)
        self._actions.runner.changed.connect(self._on_jobs_changed)
        self.new.returnPressed.connect(self._on_add)
        self.add.clicked.connect(self._on_add)
        self.description.editingFinished.connect(self._on_described)
        self.list.selectionModel().currentChanged.connect(lambda index: self._choose(index.row()))
        self.list.dropped.connect(lambda row, documents: self._assign(documents, row))
        self.lines.renamed.connect(self._on_rename)
        self.documents.keyed.connect(self._on_keyed)
        self.documents.customContextMenuRequested.connect(self._show_menu)
        self.documents.selectionModel().currentChanged.connect(self._on_current_changed)
        self.slider.valueChanged.connect(lambda _: self._pause.start())
        self._pause.timeout.connect(lambda: categories.set_threshold(self.slider.value() / 100))
        self.columns.shares_changed.connect(self.view_changed)

    # What is shown

    def _show(self) -> None:
        session = self._session
        labels, listing = session.category_labels, session.listing
        counts = Counter(labels.codes.tolist()) if labels is not None else Counter[int]()
        positions = {name: code for code, name in enumerate(labels.names)} if labels is not None else {}
        lines = [
            CategoryLine(
                index,
                category.name,
                category.description,
                counts[positions.get(category.name, -2)],
                len(category.examples),
            )
            for index, category in enumerate(session.categories)
        ]
        if lines:
            lines.append(CategoryLine(NONE, self.tr("None of these"), documents=counts[NONE]))
        if session.folder is None or listing is None:
            self.stage.show_empty(self.tr("Open a folder to sort its documents into categories."))
        else:
            self.stage.show_content()
        chosen = min(self._chosen, max(0, len(lines) - 1))
        self.list.selectionModel().blockSignals(True)
        self.lines.show_rows(lines)
        self.list.setCurrentIndex(self.lines.index(chosen))
        self.list.selectionModel().blockSignals(False)
        self._choose(chosen)

    def _choose(self, index: int) -> None:
        """Show the documents of a line."""
        if index < 0:
            return
        self._chosen = index
        line = self.lines.rows[index] if index < len(self.lines.rows) else None
        own = line is not None and line.index != NONE
        for part in (self.description, self.rename, self.remove):
            part.setEnabled(own)
        if not self.description.hasFocus():
            self.description.setText(line.description if line is not None and own else "")
        self.filter.setEnabled(line is not None)
        for shown_part in (self._head, self._below):  # without a category there is nothing for them to change
            shown_part.setVisible(line is not None)
        self.rows.show_rows(self._sorted(line))
        shown = self.tr("%Ln document(s)", "", len(self.rows.rows))
        self._count.setText(f"{line.name} · {shown}" if line is not None else "")
        self._keys.setText(self._advice())
        self._keys.setVisible(line is not None)
        if line is None:
            self._listed.show_empty(self._advice())  # in the middle, where a new user looks
        else:
            self._listed.show_content()
        self._on_selection_changed(Origin.OTHER)

    def _sorted(self, line: CategoryLine | None) -> list[Sorted]:
        """Return the documents of a line: the examples first, then the surest first."""
        labels, listing = self._session.category_labels, self._session.listing
        if line is None or labels is None or listing is None:
            return []
        code = labels.names.index(line.name) if line.index != NONE and line.name in labels.names else NONE
        if code == NONE and line.index != NONE:
            return []  # it was just added
        examples = {document for category in self._session.categories for document in category.examples}
        at = np.flatnonzero(labels.codes == code)
        rows = [
            Sorted(document, listing.name(document), listing.path(document), float(confidence), document in examples)
            for document, confidence in zip(labels.documents[at].tolist(), labels.confidence[at].tolist(), strict=True)
            if document in listing.rows
        ]
        return sorted(rows, key=lambda item: (not item.example, -item.confidence))

    def _advice(self) -> str:
        if not self._session.categories:
            return self.tr(
                "Type the name of a category above and press Enter. Documents are sorted at once, by meaning; "
                "“none of these” holds the rest."
            )
        return self.tr(
            "Wrong? Drag documents onto the right category, or press its number (1 to 9); 0 undoes a correction. "
            "Each correction becomes an example and all documents are sorted again."
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._session.categories:
            self.new.setFocus(Qt.FocusReason.OtherFocusReason)  # there is nothing else to begin with

    def _on_jobs_changed(self) -> None:
        self.stage.set_busy(self._job("categories") is not None)

    # What the user does

    def _on_add(self) -> None:
        name = self.new.text().strip()
        if name:
            self.new.clear()
            self._chosen = len(self._session.categories)
            self._actions.categories.add(name)

    def _category(self) -> Any:
        index = self._chosen
        return self._session.categories[index] if index < len(self._session.categories) else None

    def _on_described(self) -> None:
        category = self._category()
        text = self.description.text().strip()
        if category is not None and text != category.description:
            self._actions.categories.describe(category, category.name, text)

    def _on_rename(self, name: str = "") -> None:
        category = self._category()
        if category is not None and name:
            self._actions.categories.describe(category, name, category.description)
        elif category is not None:
            self.list.edit(self.list.currentIndex())

    def _on_remove(self) -> None:
        category = self._category()
        if category is not None:
            self._actions.categories.remove(category)

    def _on_keyed(self, digit: int) -> None:
        """Put the selected documents into the category of a number; 0 takes their correction back."""
        self._assign(self.documents.chosen(), digit - 1 if digit else len(self._session.categories))

    def _assign(self, documents: Iterable[int], index: int) -> None:
        if index <= len(self._session.categories):
            names = [*(category.name for category in self._session.categories), None]
            self._actions.categories.assign(documents, names[index])

    def _show_menu(self, at: QPoint) -> None:
        chosen = self.documents.chosen()
        if not chosen:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index, category in enumerate(self._session.categories):
            action = menu.addAction(category.name.replace("&", "&&"))
            action.triggered.connect(lambda _=False, index=index: self._assign(chosen, index))
        menu.addSeparator()
        back = menu.addAction(self.tr("Undo the correction"))
        back.triggered.connect(lambda _: self._assign(chosen, len(self._session.categories)))
        menu.popup(self.documents.viewport().mapToGlobal(at))

    def _on_filter(self) -> None:
        line = self.lines.rows[self._chosen]
        self._actions.filter_to((item.document for item in self.rows.rows), line.name)

    def _on_current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self._session.focus(self.rows.rows[current.row()].document, Origin.CATEGORIES)

    def _on_selection_changed(self, origin: Origin) -> None:
        if origin is Origin.CATEGORIES:
            return
        focus = self._session.selection.focus
        index = next((index for index, item in enumerate(self.rows.rows) if item.document == focus), -1)
        if index >= 0 and index != self.documents.currentIndex().row():
            self.documents.selectionModel().blockSignals(True)
            self.documents.setCurrentIndex(self.rows.index(index))
            self.documents.selectionModel().blockSignals(False)

    # What others need

    def export_table(self) -> ExportTable | None:
        labels, listing = self._session.category_labels, self._session.listing
        if labels is None or listing is None or not labels.names:
            return None
        header = (self.tr("Title"), self.tr("File"), self.tr("Category"), self.tr("Confidence"), self.tr("Example"))
        none, yes = self.tr("None of these"), self.tr("yes")
        examples = {document for category in self._session.categories for document in category.examples}

        def rows() -> list[tuple[object, ...]]:
            return [
                (
                    listing.name(document),
                    listing.path(document),
                    labels.names[code] if code >= 0 else none,
                    round(confidence, 4),
                    yes if document in examples else "",
                )
                for document, code, confidence in zip(
                    labels.documents.tolist(), labels.codes.tolist(), labels.confidence.tolist(), strict=True
                )
                if document in listing.rows
            ]

        return ExportTable(header, rows)

    def view_state(self) -> dict[str, Any]:
        return {"categories columns": self.columns.shares}

    def restore_view_state(self, saved: Mapping[str, Any]) -> None:
        self.columns.restore(saved.get("categories columns"))

    def title(self) -> str:
        return self.tr("Categories")

    def retranslate(self) -> None:
        self.new.setPlaceholderText(self.tr("Name a category"))
        self.new.setAccessibleName(self.tr("Name of a new category"))
        self.description.setPlaceholderText(self.tr("What belongs here, in your own words (optional)"))
        self.description.setAccessibleName(self.tr("Description of the category"))
        self.add.setText(self.tr("Add"))
        self.remove.setText(self.tr("Remove category"))
        self.rename.setText(self.tr("Rename category"))
        self.filter.setText(self.tr("Show only these documents everywhere"))
        self._strict.setText(self.tr("Strictness"))
        self.slider.setAccessibleName(self.tr("Strictness"))
        self.slider.setToolTip(
            self.tr("Minimum confidence for assigning a category; at the far left every document gets one")
        )
        self.list.setAccessibleName(self.tr("Categories"))
        self.documents.setAccessibleName(self.tr("Documents of the category"))
        self._show()

    def restyle(self) -> None:
        super().restyle()
        self.list.viewport().update()
        self.documents.viewport().update()


class CategoryModel(FrozenListModel[CategoryLine]):
    """The lines of the list.

    Signals:
        renamed: The user typed another name for a category.
    """

    renamed = Signal(str)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self.rows):
            return None
        line = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return line.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.tr("{name}, %Ln document(s)", "", line.documents).format(name=line.name)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip("\n".join(filter(None, (line.name, line.description))))
            case _ if role == LINE:
                return line
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not 0 <= index.row() < len(self.rows):
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDropEnabled
        return flags | Qt.ItemFlag.ItemIsEditable if self.rows[index.row()].index != NONE else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        name = " ".join(str(value).split())
        if role == Qt.ItemDataRole.EditRole and name and name != self.rows[index.row()].name:
            self.renamed.emit(name)
        return True


class _CategoryList(ExplicitCurrent, QListView):
    """The categories; documents can be dropped on them.

    Signals:
        dropped: Documents were dropped: the row, and their ids.
    """

    dropped = Signal(int, object)

    def __init__(self, model: CategoryModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(_CategoryDelegate(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(DOCUMENTS):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        inside = self.indexAt(event.position().toPoint()).isValid()
        event.setAccepted(inside and event.mimeData().hasFormat(DOCUMENTS))

    def dropEvent(self, event: QDropEvent) -> None:
        row, documents = self.indexAt(event.position().toPoint()).row(), dragged_documents(event.mimeData())
        if row >= 0 and documents:
            event.acceptProposedAction()
            self.dropped.emit(row, documents)

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window


class _CategoryDelegate(QStyledItemDelegate):
    """Draws the number key, the name, the count, and the description below."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        return QSize(160, 2 * option.fontMetrics.height() + 14)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look, cell, line = theme.current(), option.rect, index.data(LINE)
        metrics, own = option.fontMetrics, line.index != NONE
        painter.save()
        painter.setFont(option.font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, QColor(look.chosen))
            painter.fillRect(QRect(cell.left(), cell.top(), 2, cell.height()), QColor(look.accent))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.cluster_colour(line.index, dark=look.dark)))
        top = QRect(cell.left() + _PAD, cell.top() + 5, cell.width() - 2 * _PAD, metrics.height())
        painter.drawEllipse(QRectF(top.left(), top.center().y() - _DOT / 2 + 1, _DOT, _DOT))
        painter.setPen(QColor(look.faint))
        count = f"{line.documents:,}"
        painter.drawText(top, Qt.AlignmentFlag.AlignRight, count)
        inside = top.adjusted(_DOT + 8, 0, -metrics.horizontalAdvance(count) - 8, 0)
        below = inside.translated(0, metrics.height() + 2)
        hint = self.tr("%Ln example(s)", "", line.examples) if line.examples else ""
        second = " · ".join(
            filter(None, (f"[{line.index + 1}]" if own and line.index < 9 else "", hint, line.description))
        )
        shown = metrics.elidedText(second, Qt.TextElideMode.ElideRight, below.width())
        # By the baseline: letters of another font, such as Korean ones, are taller than a line of this one.
        painter.drawText(QPoint(below.left(), below.top() + metrics.ascent()), shown)
        painter.setPen(QColor(look.foreground if own else look.faint))
        name = metrics.elidedText(line.name, Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(QPoint(inside.left(), inside.top() + metrics.ascent()), name)
        painter.restore()


class SortedModel(FrozenListModel[Sorted]):
    """The documents of the chosen category."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self.rows):
            return None
        item = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return item.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{item.title}, {item.confidence:.0%}"
            case Qt.ItemDataRole.ToolTipRole:
                said = (
                    self.tr("Assigned by you.")
                    if item.example
                    else self.tr("Confidence: the chance that this is right")
                )
                return plain_tip(f"{item.title}\n{item.path}\n{said}")
            case _ if role == LINE:
                return item
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        return [DOCUMENTS]

    def mimeData(self, indexes: Iterable[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(DOCUMENTS, " ".join(str(self.rows[index.row()].document) for index in indexes).encode())
        return data


class _SortedList(ExplicitCurrent, QListView):
    """The documents of a category; they can be dragged to another, or sent there by its number.

    Signals:
        keyed: A digit was pressed.
    """

    keyed = Signal(int)

    def __init__(self, model: SortedModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(_SortedDelegate(self))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def chosen(self) -> list[int]:
        """Return the selected documents."""
        model: Any = self.model()
        return [model.rows[index.row()].document for index in self.selectionModel().selectedIndexes()]

    def event(self, event: QEvent) -> bool:
        # While a row has the keyboard, digits correct it; elsewhere they may be shortcuts of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _digit(event) >= 0:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _digit(event) >= 0:
            self.keyed.emit(_digit(event))
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        pass  # letters are shortcuts of the window


class _SortedDelegate(QStyledItemDelegate):
    """Draws the title, its folder, and a bar for the confidence; the user's own examples have a dot instead."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        return QSize(200, option.fontMetrics.height() + 10)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look, cell, item, metrics = theme.current(), option.rect, index.data(LINE), option.fontMetrics
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(cell, QColor(look.chosen))
        line = cell.adjusted(_PAD, 0, -_PAD, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        share = self.tr("example") if item.example else f"{item.confidence:.0%}"
        painter.setFont(option.font)
        painter.setPen(QColor(look.accent if item.example else look.faint))
        painter.drawText(line, middle | Qt.AlignmentFlag.AlignRight, share)
        wide = metrics.horizontalAdvance("example 000")
        if not item.example:
            bar = QRectF(line.right() - wide - _BAR, line.center().y() - 1, _BAR, 3)
            painter.fillRect(bar, QColor(look.hairline))
            painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * item.confidence, 3), QColor(look.accent))
        text = line.adjusted(0, 0, -wide - _BAR - 12, 0)
        font = QFont(option.font)
        font.setBold(item.example)
        painter.setFont(font)
        painter.setPen(QColor(look.foreground))
        painter.drawText(text, middle, metrics.elidedText(item.title, Qt.TextElideMode.ElideRight, text.width()))
        painter.restore()


def _digit(event: QKeyEvent) -> int:
    """Return the digit that was pressed without other keys; -1 for anything else."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() - Qt.Key.Key_0 if Qt.Key.Key_0 <= event.key() <= Qt.Key.Key_9 and not held else -1
