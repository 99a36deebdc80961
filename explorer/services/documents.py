"""Single documents of an open workspace: text, keywords, word attribution, comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.analysis.topics.keywords import Keyword
    from explorer.corpus.document import Passage
    from explorer.models.explain import Contributions
    from explorer.services.model_cache import ModelCache
    from explorer.services.open_workspace import VectorCache
    from explorer.task import Task
    from explorer.workspace.search.compare import Comparison
    from explorer.workspace.storage.documents import DocumentEntry
    from explorer.workspace.update.read_options import FileReadOptions
    from explorer.workspace.workspace import Workspace


@dataclass(frozen=True)
class TextPage:
    """A document opened for reading.

    Attributes:
        entry: Its entry.
        text: Its text.
        passages: Where its passages begin and end.
        coverage: The share of its text that was encoded.
        file: The file it came from.
    """

    entry: DocumentEntry
    text: str
    passages: tuple[Passage, ...]
    coverage: float
    file: Path


class DocumentService:
    """Reads documents; every method runs in the worker that its docstring names."""

    def __init__(
        self, reading: Workspace, asked: Workspace, aside: Workspace, models: ModelCache, vectors: VectorCache
    ) -> None:
        """Take the connections of the read, the rerank and the aside worker."""
        self._read, self._asked, self._aside = reading, asked, aside
        self._models, self._vectors = models, vectors

    def page(self, document: int) -> TextPage:
        """Return a document to read; read worker.

        Raises:
            WorkspaceError: It is gone.
        """
        from explorer.workspace.update.read_options import file_of

        workspace = self._read
        entry = workspace.document(document)
        return TextPage(
            entry,
            workspace.text(document),
            tuple(workspace.passages(document)),
            workspace.coverage(document),
            file_of(workspace, document),
        )

    def how_read(self, path: str, task: Task) -> FileReadOptions:
        """Return how a file is read, and its options; aside worker.

        Raises:
            ExplorerError: It is gone, or cannot be opened.
        """
        from explorer.workspace.update.read_options import how_read

        return how_read(self._aside, path, task)

    def text(self, document: int) -> str:
        """Return the text of a document; aside worker.

        Raises:
            WorkspaceError: It is gone.
        """
        return self._aside.text(document)

    def keywords(self, document: int, task: Task) -> list[Keyword]:
        """Return the keywords of a document; aside worker."""
        from explorer.analysis.topics.keywords import keywords
        from explorer.workspace.search.similar import reads

        encoder, languages = self._models.encoder(), self._models.languages()
        matrix = self._vectors.load_for(self._aside, [document])
        return keywords(
            self._aside.text(document),
            lambda texts: encoder.encode(texts).whole(),
            matrix.document_vector(document),
            reads=lambda spoken: reads(languages, spoken),
            task=task,
        )

    def why(self, first: str, second: str, role: str, task: Task) -> Contributions:
        """Return what each word adds to the cosine of a "query" or "document" and a passage; aside worker."""
        from explorer.models.explain import explain

        return explain(self._models.encoder(), first, second, roles=(role, "document"), task=task)

    def compare(self, first: int, second: int, task: Task) -> Comparison:
        """Compare two documents, also by the cross-encoder if there is one; rerank worker."""
        from explorer.workspace.search.compare import compare

        return compare(
            self._asked,
            self._vectors.load_for(self._asked, [first, second]),
            first,
            second,
            encoder=self._models.encoder(),
            reranker=self._models.reranker() if self._models.has_reranker() else None,
            task=task,
        )
