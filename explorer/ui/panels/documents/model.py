"""The model of the documents table: cells are looked up in frozen columns, rows are an array of indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QObject, Qt
from PySide6.QtGui import QColor

from explorer import palette
from explorer.ui.look import theme
from explorer.ui.look.language import name_of
from explorer.ui.panels.documents import columns
from explorer.ui.panels.documents.columns import DocumentColumns
from explorer.ui.state.document_set import DocumentSet
from explorer.ui.widgets.placeholder import plain_tip
from explorer.ui.widgets.row_table import LEFT, NO_PARENT, RIGHT, Index

Span = tuple[int, int]

MAX_CHARACTERS = 200  # of a cell
MAX_CARDS = 1000  # rows of the list that are kept ready
SNIPPET = 400  # characters of a text that is not cut to a sentence yet


@dataclass(frozen=True)
class Card:
    """A document as a row of the list.

    Attributes:
        title: Its title.
        title_words: Where in the title the words are that matched.
        snippet: The sentence that matched; without a search how the text begins.
        words: Where in the snippet the words are that matched.
        score: The score of a hit; empty if it is none.
        share: The length of the score's bar, 0..1; None if it is not a hit.
        draft: Whether the score is preliminary.
        moved: By how many places reranking moved it, up or down.
        facts: Cluster, folder and date.
        dot: The colour of its cluster.
        tags: Its tags, as in "#one #two".
        copies: How many other documents have the same text.
        copies_text: That number in words.
        expanded: Whether the copies are shown below it.
        is_copy: Whether it is one of these.
        marked: Whether it is marked.
        picked: Whether it is picked.
    """

    title: str = ""
    title_words: tuple[tuple[int, int], ...] = ()
    snippet: str = ""
    words: tuple[tuple[int, int], ...] = ()
    score: str = ""
    share: float | None = None
    draft: bool = False
    moved: int = 0
    facts: str = ""
    dot: QColor | None = None
    tags: str = ""
    copies: int = 0
    copies_text: str = ""
    expanded: bool = False
    is_copy: bool = False
    marked: bool = False
    picked: bool = False


class DocumentsModel(QAbstractTableModel):
    """The rows that are shown, in their order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sheet: DocumentColumns | None = None
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._columns: tuple[str, ...] = (columns.TITLE,)
        self._titles: dict[str, str] = {}
        self._arrow = ("", "")  # the column that the rows are sorted by, and an arrow
        self._marked, self._picked = DocumentSet(), DocumentSet()
        self._copies: dict[int, int] = {}  # the hit of each copy that is shown below it
        self._cards: dict[int, Card] = {}
        self._colours: list[QColor] = []
        self._numeric: frozenset[str] = frozenset()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are shown, in their logical order."""
        return self._columns

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the listing that are shown, in display order."""
        return self._rows

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the metadata fields."""
        return tuple(self._sheet.listing.fields) if self._sheet else ()

    def title(self, column: str) -> str:
        """Return the title of a column."""
        return self._titles.get(column, column.removeprefix(columns.FIELD))

    def show(
        self,
        sheet: DocumentColumns | None,
        rows: NDArray[np.int64],
        shown: Sequence[str],
        copies: Mapping[int, int] | None = None,
    ) -> None:
        """Replace rows and columns; `copies` gives the hit of each copy among them."""
        self.beginResetModel()
        self._copies = dict(copies or {})
        self._cards.clear()
        self._sheet, self._rows, self._columns = sheet, rows, tuple(shown)
        self._numeric = frozenset(column for column in self._columns if _is_numeric(sheet, column))
        self._recolour()
        self.endResetModel()

    def set_titles(self, titles: dict[str, str]) -> None:
        """Set the titles by column."""
        self._titles = titles
        if self._columns:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def set_arrow(self, column: str, arrow: str) -> None:
        """Show which column the rows are sorted by, and in which direction."""
        self._arrow = (column, arrow)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def set_marked(self, documents: DocumentSet) -> None:
        """Fill the rows of the marked documents."""
        self._marked = documents
        self._touch()

    def set_picked(self, documents: DocumentSet) -> None:
        """Show a star in the rows of the picked documents."""
        self._picked = documents
        self._touch()

    def refresh(self) -> None:
        """Show the rows again, because something in their columns has changed."""
        self._touch()

    def recolour(self) -> None:
        """Apply the colours of the current theme."""
        self._recolour()
        self._touch()

    def _recolour(self) -> None:
        clusters = self._sheet.clusters if self._sheet else None
        ranks = clusters.colour_ranks() if clusters else {}
        # The last colour is that of index -1, no cluster.
        names = [theme.colour(ranks[cluster.id]) for cluster in clusters.clusters] if clusters else []
        names.append(palette.LEFTOVER[theme.current().dark])
        self._colours = [QColor(name) for name in names]

    def _touch(self) -> None:
        self._cards.clear()
        if len(self._rows):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._columns) - 1))

    def document(self, row: int) -> int | None:
        """Return the id of the document in a row; None if there is no such row."""
        if self._sheet is None or not 0 <= row < len(self._rows):
            return None
        return int(self._sheet.listing.ids[self._rows[row]])

    def documents(self, first: int, last: int) -> DocumentSet:
        """Return the ids of the documents from one row to another, both included."""
        if self._sheet is None:
            return DocumentSet()
        return DocumentSet(self._sheet.listing.ids[self._rows[first : last + 1]])

    def row_of(self, document: int | None) -> int:
        """Return the row of a document; -1 if it is not shown."""
        listed = None if self._sheet is None or document is None else self._sheet.listing.rows.get(document)
        if listed is None:
            return -1
        rows = np.flatnonzero(self._rows == listed)
        return int(rows[0]) if len(rows) else -1

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = self._arrow[1] if column == self._arrow[0] else ""
            return f"{self.title(column)} {arrow}".strip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in self._numeric else LEFT
        return None

    def drawn(self, row: int, column: int) -> tuple[bool, str, bool, QColor | None, float | None]:
        """Return what is drawn in a cell: marked, text, right-aligned, colour of the dot, length of the bar."""
        sheet = self._sheet
        if sheet is None or row >= len(self._rows):
            return False, "", False, None, None
        listed, name = int(self._rows[row]), self._columns[column]
        marked = int(sheet.listing.ids[listed]) in self._marked
        dot = self._dot(sheet, listed) if name == columns.CLUSTER else None
        bar = self._bar(sheet, listed) if name == columns.SCORE else None
        return marked, self._text(sheet, listed, name), name in self._numeric, dot, bar

    def card(self, row: int) -> Card:
        """Return a row as the list shows it; made once."""
        card = self._cards.get(row)
        if card is None:
            sheet = self._sheet
            known = sheet is not None and row < len(self._rows)
            card = self._card(sheet, int(self._rows[row])) if sheet is not None and known else Card()
            if len(self._cards) > MAX_CARDS:
                self._cards.clear()
            self._cards[row] = card
        return card

    def _card(self, sheet: DocumentColumns, row: int) -> Card:
        listing = sheet.listing
        document = int(listing.ids[row])
        hit = sheet.hit_of.get(self._copies.get(document, document))
        is_copy = document in self._copies
        names = (columns.FOLDER, columns.DATE, columns.CLUSTER)  # the longest last, where it may be cut
        title = self._text(sheet, row, columns.TITLE)
        opening = listing.openings[row] if listing.openings else ""
        if len(opening) > 2 * len(title):  # many texts begin with their title, which the row shows above
            opening = opening.removeprefix(title).lstrip(" .:-–—")
        text, many = hit.text if hit is not None else opening, self.tr("{count} copies")
        copies = len(hit.copies) if hit is not None and not is_copy else 0
        snippet = " ".join(text[:SNIPPET].split())
        words: tuple[Span, ...] = ()
        title_words: tuple[Span, ...] = ()
        if hit is not None and hit.snippet:
            title_words = hit.title_words if hit.title.startswith(title) else ()
            snippet, words = without_title(title, hit.snippet, hit.words)
        return Card(
            title=title,
            title_words=tuple(span for span in title_words if span[1] <= len(title)),
            snippet=snippet,
            words=words,
            score=f"{hit.score:.2f}" if hit is not None and hit.is_scored else "",
            share=max(0.0, hit.score) / max(1.0, sheet.hits[0].score) if hit is not None and hit.is_scored else None,
            draft=hit is not None and hit.draft,
            moved=hit.found_rank - hit.rank if hit is not None and hit.cross_score is not None else 0,
            facts=" · ".join(filter(None, (self._text(sheet, row, name) for name in names))),
            dot=self._dot(sheet, row),
            tags=" ".join(f"#{tag}" for tag in sorted(sheet.tags.get(document, ()))),
            copies=copies,
            copies_text=many.format(count=copies) if copies > 1 else self.tr("1 copy") if copies else "",
            expanded=document in self._copies.values(),
            is_copy=is_copy,
            marked=document in self._marked,
            picked=document in self._picked,
        )

    def tip(self, row: int) -> str:
        """Return the tooltip of a row of the list: the file, and what the score is made of."""
        sheet = self._sheet
        return "" if sheet is None or row >= len(self._rows) else self._tip(sheet, int(self._rows[row]), columns.SCORE)

    def data(self, index: Index, role: int = 0) -> Any:
        sheet = self._sheet
        if sheet is None or not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = int(self._rows[index.row()]), self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(sheet, row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            card = self.card(index.row())
            return ". ".join(filter(None, (card.title, card.snippet, card.score, card.facts, card.tags)))
        if role == Qt.ItemDataRole.BackgroundRole:
            marked = int(sheet.listing.ids[row]) in self._marked
            return QColor(theme.current().chosen) if marked else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in self._numeric else LEFT
        if role == Qt.ItemDataRole.DecorationRole and column == columns.CLUSTER:
            return self._dot(sheet, row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(sheet, row, column)
        return None

    def _dot(self, sheet: DocumentColumns, row: int) -> QColor | None:
        return self._colours[sheet.cluster_indices[row]] if sheet.clusters else None

    def _bar(self, sheet: DocumentColumns, row: int) -> float | None:
        hit = sheet.hit_of.get(int(sheet.listing.ids[row]))
        # BM25 has no upper limit; the best result has a full bar.
        return None if hit is None or not hit.is_scored else max(0.0, hit.score) / max(1.0, sheet.hits[0].score)

    def _text(self, sheet: DocumentColumns, row: int, column: str) -> str:
        listing = sheet.listing
        if column == columns.TITLE:
            return (listing.titles[row] or listing.paths[row].rpartition("/")[2])[:MAX_CHARACTERS]
        if column == columns.FOLDER:
            return listing.paths[row].rpartition("/")[0]
        if column == columns.LENGTH:
            return f"{int(listing.characters[row]):,}"
        if column == columns.CLUSTER:
            index = int(sheet.cluster_indices[row])
            return "" if sheet.clusters is None or index < 0 else sheet.clusters.clusters[index].name
        if column == columns.SCORE:
            hit = sheet.hit_of.get(int(listing.ids[row]))
            return f"{hit.score:.2f}" if hit is not None and hit.is_scored else ""
        if column == columns.TAGS:
            return ", ".join(sorted(sheet.tags.get(int(listing.ids[row]), ())))
        if column == columns.LANGUAGE:
            return name_of(listing.languages[row])
        if column == columns.ENCODING:
            return listing.encodings[row]
        values = listing.fields.get(column.removeprefix(columns.FIELD))
        value = None if values is None else values[row]
        if value is None:
            return ""
        if column == columns.DATE:
            return str(value)[:10]  # the day; the reader shows the time
        return str(value)[:MAX_CHARACTERS]

    def _tip(self, sheet: DocumentColumns, row: int, column: str) -> str:
        listing = sheet.listing
        path = listing.paths[row] + (f" · {listing.parts[row]}" if listing.parts[row] else "")
        lines = [listing.titles[row][:MAX_CHARACTERS], path]
        hit = sheet.hit_of.get(int(listing.ids[row]))
        if column == columns.SCORE and hit is not None:
            lines.append(self.tr("Search result {rank}").format(rank=hit.rank))
            if hit.bi_score is not None:
                lines.append(self.tr("Semantic similarity (cosine): {score}").format(score=f"{hit.bi_score:.2f}"))
            if hit.keyword_score is not None:
                lines.append(self.tr("Keyword score (BM25): {score}").format(score=f"{hit.keyword_score:.1f}"))
        elif column not in (columns.TITLE, columns.FOLDER):
            lines.append(self._text(sheet, row, column))
        return plain_tip("\n".join(line for line in lines if line))


def without_title(title: str, snippet: str, words: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """Return a snippet without the title that its row shows above, with what matched in it.

    Example:
        >>> without_title("Snow", "Snow It snows in May.", [(0, 4), (8, 13)])
        ('It snows in May.', ((3, 8),))
    """
    rest = snippet[len(title) :].lstrip(" .:-–—") if title and snippet.startswith(title) else ""
    if not rest:
        return snippet, tuple(words)
    gone = len(snippet) - len(rest)
    return rest, tuple((start - gone, end - gone) for start, end in words if start >= gone)


def _is_numeric(sheet: DocumentColumns | None, column: str) -> bool:
    """Return whether a column holds numbers, which are aligned to the right."""
    if column in (columns.LENGTH, columns.SCORE):
        return True
    name = column.removeprefix(columns.FIELD)
    if column == name or sheet is None:
        return False
    first = next((value for value in sheet.listing.fields.get(name, ()) if value is not None), None)
    return isinstance(first, int | float) and not isinstance(first, bool)
