"""Every item model of the program passes Qt's own model tester, through resets, sorting and other changes."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

import explorer.ui
from tests.ui.panels.clusters.test_panel import clusters
from tests.ui.panels.documents.test_panel import found, listed
from tests.ui.panels.test_problems import PROBLEMS
from tests.ui.panels.test_rerank import HITS
from tests.ui.panels.test_trends import growing

Changes = Iterator[QAbstractItemModel]
LISTING = listed(["Rain", "Soup", "Rockets"], price=[1, 2.5, None])


def command_palette() -> Changes:
    from explorer.ui.window.command_palette import CommandPalette

    window = QWidget()
    palette = CommandPalette([QAction(text, window) for text in ("Undo", "Merge clusters")], window)
    yield palette.model
    for text in ("mer", "qqq", ""):
        palette.line.setText(text)
        yield palette.model


def similar_documents() -> Changes:
    from explorer.ui.panels.similar import SimilarModel
    from explorer.workspace.search.snippets import Similar

    model = SimilarModel()
    yield model
    rows = [Similar(10, 0.9, "a soup", ((2, 6),)), Similar(20, 0.1, "", ())]
    model.show_similar(rows, ["Soup", "Rain"], ["high", "low"], distances=False)
    yield model
    model.show_similar(rows[:1], ["Soup"], ["high"], distances=True)
    yield model


def trends() -> Changes:
    from explorer.services.overview import over_time
    from explorer.ui.panels.trends import TrendsModel

    model, (listing, known) = TrendsModel(), growing()
    yield model
    for same_scale in (False, True):
        model.show_trends(over_time(listing, known), known, same_scale=same_scale)
        yield model


def reranked() -> Changes:
    from explorer.ui.panels.rerank import RerankModel

    model = RerankModel()
    yield model
    model.show_hits(HITS)
    yield model
    model.name_columns([(str(column), "") for column in range(model.columnCount())])
    for column in range(model.columnCount()):
        model.sort(column, Qt.SortOrder.AscendingOrder)
        yield model


def cluster_tree() -> Changes:
    from explorer.ui.panels.clusters.model import ClusterModel, nodes
    from explorer.ui.state.document_set import DocumentSet

    model = ClusterModel()
    yield model
    model.show_nodes(nodes(clusters()), 10)
    yield model
    model.set_selection(100, DocumentSet([100, 104]))
    model.show_nodes(nodes(clusters(tree=False)), 10)
    yield model


def outliers() -> Changes:
    from explorer.analysis.clusters.outliers import Outlier, Reason
    from explorer.ui.panels.outliers import OutliersModel

    model: Any = OutliersModel()
    yield model
    encoded = SimpleNamespace(documents=LISTING.ids, digests=[b"a", b"b", b"c"])
    far = [Outlier(2, 9.0, (Reason("far", 0.1, 0.5),)), Outlier(0, 4.0, (Reason("empty"),))]
    for rows in (far, far[:1], []):
        model.show_outliers(rows, encoded, LISTING)
        yield model


def problems() -> Changes:
    from explorer.ui.panels.problems import ProblemsModel

    model = ProblemsModel()
    model.retranslate()
    yield model
    model.show(PROBLEMS)
    yield model
    for column in range(model.columnCount()):
        model.sort(column, Qt.SortOrder.DescendingOrder)
        yield model


def duplicate_groups() -> Changes:
    from explorer.ui.panels.duplicates import DuplicatesModel
    from explorer.workspace.search.duplicates import Duplicates
    from explorer.workspace.storage.passages import PassageLocation

    model, members = DuplicatesModel(), tuple(PassageLocation(number, 0, 9) for number in (10, 20, 99))
    yield model
    groups = [Duplicates("exact", members[:2], 1.0), Duplicates("passage", members, 0.9)]
    for rows in (groups, groups[1:]):
        model.show_groups(rows, LISTING)
        yield model


def documents() -> Changes:
    from explorer.ui.panels.documents import columns
    from explorer.ui.panels.documents.columns import DocumentColumns
    from explorer.ui.panels.documents.model import DocumentsModel
    from explorer.ui.state.document_set import DocumentSet

    model, shown = DocumentsModel(), (columns.TITLE, columns.SCORE, columns.TAGS, f"{columns.FIELD}price")
    yield model
    sheet = DocumentColumns(LISTING, None, found(20, 10).hits, {10: frozenset({"read"})})
    model.show(sheet, np.array([2, 0, 1]), shown)
    yield model
    model.set_titles({columns.TITLE: "Title"})
    model.set_arrow(columns.TITLE, " ▾")
    model.set_marked(DocumentSet([10]))
    model.show(sheet, np.array([1]), shown[:1])
    yield model


def models() -> Changes:
    from explorer.models.files import catalog
    from explorer.ui.settings.models_page import ModelsModel

    model, entries = ModelsModel(), catalog.entries()
    yield model
    model.show_entries(tuple(entries))
    yield model
    name = entries[0].name
    for state in ((frozenset({name}), frozenset(), {}), (frozenset(), frozenset({name}), {name: 0.5})):
        model.show_state(*state)
        yield model
    model.retranslate()
    yield model


def sources() -> Changes:
    from explorer.ui.panels.sources import SourceList, SourceRow

    view = SourceList()
    yield view.rows
    rows = (SourceRow(("heading", "tag"), "Tags", on=True, heading=True), SourceRow(("tag", "a"), "a", 3, "tag"))
    for shown in (rows, rows[:1]):
        view.show_rows(shown)
        yield view.rows


def categories() -> Changes:
    from explorer.ui.panels.categories import CategoryLine, CategoryModel

    model = CategoryModel()
    yield model
    for rows in ((CategoryLine(0, "sport", documents=3), CategoryLine(-1, "none of these")), ()):
        model.show_rows(rows)
        yield model


def sorted_documents() -> Changes:
    from explorer.ui.panels.categories import Sorted, SortedModel

    model = SortedModel()
    yield model
    for rows in ((Sorted(10, "a title", "a.txt", 0.9, example=True),), ()):
        model.show_rows(rows)
        yield model


def plain_rows() -> Changes:
    from explorer.ui.widgets.row_table import Rows

    model = Rows()
    yield model
    for rows in ([("a", "1"), ("b\nc", "2")], []):
        model.show_rows(["text", "count"], rows, numbers=[1])
        yield model


CASES = (
    command_palette, similar_documents, trends, reranked, cluster_tree, outliers, problems, duplicate_groups,
    documents, models, plain_rows, sources, categories, sorted_documents,
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_model_keeps_qts_rules(qapp: QApplication, qtmodeltester: Any, case: Callable[[], Changes]) -> None:
    changes, shown = case(), 0
    qtmodeltester.check(next(changes))
    for model in changes:
        qapp.processEvents()
        shown = max(shown, model.rowCount())
    assert shown > 0


def test_no_model_is_left_out(qapp: QApplication) -> None:
    for module in pkgutil.walk_packages(explorer.ui.__path__, "explorer.ui."):
        importlib.import_module(module.name)
    covered = {type(next(case())).__name__ for case in CASES}

    models = {kind.__name__ for kind in _derived(QAbstractItemModel)}
    assert models - {"FrozenListModel"} == covered  # a base without data


def _derived(kind: type[QObject]) -> Iterator[type[QObject]]:
    """The classes of the program that are derived from one of Qt's, directly or not."""
    for derived in kind.__subclasses__():
        if derived.__module__.startswith("explorer."):
            yield derived
        yield from _derived(derived)
