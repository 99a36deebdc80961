"""What the user does with single documents: read one, see why it was found, find similar ones, compare two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from explorer.ui.jobs.runner import ignore_failure

if TYPE_CHECKING:
    from explorer.analysis.search.query import Query
    from explorer.analysis.topics.keywords import Keyword
    from explorer.models.explain import Contributions
    from explorer.services.documents import TextPage
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.search.compare import Comparison
    from explorer.workspace.search.snippets import Similar

    Failed = Callable[[BaseException], None]

SIMILAR = 50  # documents that are listed


class DocumentController(QObject):
    """The verbs of documents; what is found goes to who asked."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions = actions

    def read(self, document: int, done: Callable[[TextPage], None], failed: Failed | None = None) -> None:
        """Fetch a document to read."""
        self._actions.with_workspace(
            "read", lambda workspace, _: workspace.documents.page(document), done, failed=failed
        )

    def find_similar(
        self,
        like: Sequence[int],
        unlike: Sequence[int],
        query: str,
        metric: str,
        done: Callable[[tuple[Similar, ...]], None],
        failed: Failed,
    ) -> None:
        """Find the documents nearest to some and to a query, with the lines that show why."""
        self._actions.with_workspace(
            "similar",
            lambda workspace, task: workspace.search.similar(like, unlike, query, SIMILAR, metric, task),
            done,
            failed=failed,
        )

    def find_words(
        self, query: Query, texts: Sequence[str], done: Callable[[list[list[tuple[int, int]]]], None]
    ) -> None:
        """Find where in each text the words of a query are."""
        self._actions.with_workspace(
            "words",
            lambda workspace, task: workspace.search.words(query, texts, task),
            done,
            failed=lambda _: done([]),
        )

    def explain(
        self, first: str, second: str, role: str, done: Callable[[Contributions], None], key: str = "explain"
    ) -> None:
        """Find what each word adds to the likeness of a "query" or "document" and a passage."""
        self._actions.with_workspace(
            key,
            lambda workspace, task: workspace.documents.why(first, second, role, task),
            done,
            worker="aside",
            failed=ignore_failure,
        )

    def find_keywords(self, document: int, done: Callable[[list[Keyword]], None]) -> None:
        """Find the key words of a document."""
        self._actions.with_workspace(
            "keywords",
            lambda workspace, task: workspace.documents.keywords(document, task),
            done,
            worker="aside",
            failed=lambda _: done([]),
        )

    def compare(
        self, first: int, second: int, done: Callable[[Comparison], None], failed: Failed | None = None
    ) -> None:
        """Lay two documents side by side."""
        self._actions.with_workspace(
            "compare",
            lambda workspace, task: workspace.documents.compare(first, second, task),
            done,
            worker="slow",
            title=self.tr("Comparing two documents"),
            failed=failed,
        )
