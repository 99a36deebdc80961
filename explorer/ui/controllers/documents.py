"""What the user does with single documents and their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from explorer.ui.jobs.runner import ignore_failure

if TYPE_CHECKING:
    from explorer.analysis.search.query import Query
    from explorer.analysis.topics.keywords import Keyword
    from explorer.models.explain import Contributions
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.services.search import TextPage
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.search.compare import Comparison
    from explorer.workspace.search.search import Hit, Results
    from explorer.workspace.search.snippets import Similar

    Failed = Callable[[BaseException], None]

SIMILAR = 50  # documents that are listed


class FileController(QObject):
    """Opens files with the programs of the system.

    Signals:
        how_requested: The read options of a file were requested: its path, as documents and problems name it.
    """

    how_requested = Signal(str)

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session

    def open_original(self, document: int) -> None:
        """Open a document's file."""
        self.open_path(self._path_of(document))

    def reveal(self, document: int) -> None:
        """Show a document's file in the file manager."""
        self.reveal_path(self._path_of(document))

    def open_path(self, path: str) -> None:
        """Open a file of the folder, named as documents and problems name it."""
        self._at_file(path, lambda file: file)

    def reveal_path(self, path: str) -> None:
        """Show such a file in the file manager."""
        self._at_file(path, lambda file: file.parent)

    def ask_how(self, document: int) -> None:
        """Show the read options of a document's file."""
        self.how_requested.emit(self._path_of(document))

    def read_otherwise(self, path: str, *, encoding: str, text_column: str, lines: bool, repair: bool) -> None:
        """Read a file again with other options, and remember them."""

        def note(workspace: OpenWorkspace, _: Task) -> None:
            from explorer.workspace.update.read_options import read_otherwise

            read_otherwise(
                workspace.saving, path, encoding=encoding, text_column=text_column, lines=lines, repair=repair
            )

        self._actions.with_workspace(
            f"read {path} otherwise", note, lambda _: self._actions.update(), worker="saving", must_run=True
        )

    def _path_of(self, document: int) -> str:
        listing = self._session.listing
        row = listing.rows.get(document) if listing else None
        return "" if listing is None or row is None else listing.paths[row]

    def _at_file(self, name: str, which: Callable[[Path], Path]) -> None:
        folder = self._session.folder
        if folder is None or not name:
            return
        path = which(folder.path / name)
        if not path.exists():
            self._actions.notify(self.tr("{path}: the file no longer exists.").format(path=path))
        else:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


class DocumentController(QObject):
    """Reads, explains and compares documents; results go to the caller."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions = actions

    def read(self, document: int, done: Callable[[TextPage], None], failed: Failed | None = None) -> None:
        """Fetch a document to read."""
        self._actions.with_workspace(
            "read", lambda workspace, _: workspace.documents.page(document), done, worker="read", failed=failed
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
            "words", lambda workspace, task: workspace.search.words(query, texts, task), done, failed=lambda _: done([])
        )

    def find_sentence(self, results: Results, hit: Hit, done: Callable[[Hit], None]) -> None:
        """Find the sentence of a hit that is so far down that the search did not; the hit itself if that fails."""
        first = hit.rank - 1
        self._actions.with_workspace(
            "sentence",
            lambda workspace, task: workspace.search.with_snippets(results, first, first + 1, task).hits[first],
            done,
            failed=lambda _: done(hit),
        )

    def explain(
        self, first: str, second: str, role: str, done: Callable[[Contributions], None], key: str = "explain"
    ) -> None:
        """Find what each word adds to the similarity of a "query" or "document" and a passage."""
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
        """Compare two documents side by side."""
        self._actions.with_workspace(
            "compare",
            lambda workspace, task: workspace.documents.compare(first, second, task),
            done,
            worker="rerank",
            title=self.tr("Comparing two documents"),
            failed=failed,
        )
