"""The user's own categories: every document sorted into one of them, or into none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from explorer.services.model_cache import ModelCache
    from explorer.services.open_workspace import VectorCache
    from explorer.task import Task
    from explorer.workspace.overview.labels import DocumentLabels
    from explorer.workspace.workspace import Workspace


class CategoryService:
    """Sorts documents into categories; every method runs in the worker that its docstring names."""

    def __init__(self, slow: Workspace, models: ModelCache, vectors: VectorCache) -> None:
        """Take the connection of the slow worker."""
        self._slow, self._models, self._vectors = slow, models, vectors

    def classify(self, task: Task, *, threshold: float = 0.5) -> DocumentLabels:
        """Sort every document into the categories of the workspace, and save the result; slow worker.

        Args:
            task: Progress and cancel.
            threshold: Documents less likely to belong to any category get none.

        Raises:
            Cancelled: The task was cancelled.
            DataError: A category has neither a name nor an example that means anything.
            WorkspaceError: Nothing is encoded yet, or the disk is full.
        """
        from explorer.analysis.clusters.classify import Category, classify
        from explorer.workspace.overview.documents import encoded_documents
        from explorer.workspace.overview.labels import DocumentLabels, save_labels
        from explorer.workspace.storage.user import lists as user_lists

        wanted = user_lists.categories(self._slow)
        encoded = encoded_documents(self._slow, self._vectors.load(self._slow), task=task)
        labels = DocumentLabels(encoded.documents, np.full(len(encoded), -1, np.int32), ())
        if wanted:
            encoder = self._models.encoder()
            if encoder.fingerprint != encoded.model:  # the vectors are still the draft's
                from explorer.models.static_encoder import static_encoder_of

                described = static_encoder_of(encoder, task.silent()).encode
            else:
                described = encoder.encode
            texts = [[category.name, *filter(None, [category.description])] for category in wanted]
            vectors = described([text for said in texts for text in said], task=task.silent()).whole()
            ends = np.cumsum([len(said) for said in texts])[:-1]
            categories = [
                Category(category.name, said, [encoded.rows[one] for one in category.examples if one in encoded.rows])
                for category, said in zip(wanted, np.split(vectors, ends), strict=True)
            ]
            found = classify(encoded.vectors, categories, graph=encoded.graph, threshold=threshold, task=task)
            names = tuple(category.name for category in wanted)
            labels = DocumentLabels(encoded.documents, found.labels, names, found.confidence)
        save_labels(self._slow, "categories", labels)
        return labels

    def saved(self) -> DocumentLabels | None:
        """Return the categories as last computed; slow worker."""
        from explorer.workspace.overview.labels import load_labels

        return load_labels(self._slow, "categories")
