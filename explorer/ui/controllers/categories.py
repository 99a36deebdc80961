"""The user's own categories: name, describe and correct them; every change sorts the documents again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from explorer.ui.state.undo import UndoableEdit

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.services.open_workspace import OpenWorkspace
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers
    from explorer.workspace.overview.documents import DocumentLabels
    from explorer.workspace.storage.user.lists import UserCategory


class CategoryController(QObject):
    """Saves categories and their examples, and keeps the session's labels up to date."""

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._threshold = 0.5
        self._session.folder_changed.connect(self._load)
        self._session.graph_changed.connect(self.classify)
        actions.updated.connect(self._load)

    def _load(self) -> None:
        def read(workspace: OpenWorkspace, _: Task) -> tuple[UserCategory, ...]:
            from explorer.workspace.storage.user import lists as user_lists

            return user_lists.categories(workspace.saving)

        def done(categories: tuple[UserCategory, ...]) -> None:
            if categories != self._session.categories:
                self._session.set_categories(categories, self._session.category_labels)
                self.classify()

        self._actions.with_workspace("load categories", read, done, worker="saving")

    @property
    def threshold(self) -> float:
        """How likely a document must belong to any category to get one."""
        return self._threshold

    def set_threshold(self, threshold: float) -> None:
        """Give more documents a category, or fewer."""
        self._threshold = threshold
        self.classify()

    def classify(self) -> None:
        """Sort all documents into the categories, if there are any."""
        if not self._session.categories or self._session.graph is None:
            return

        def done(labels: DocumentLabels) -> None:
            self._session.set_categories(self._session.categories, labels)

        threshold = self._threshold
        self._actions.with_workspace(
            "categories",
            lambda workspace, task: workspace.categories.classify(task, threshold=threshold),
            done,
            worker="slow",
            title=self.tr("Sorting documents into categories"),
        )

    def add(self, name: str, description: str = "") -> None:
        """Add a category."""
        from explorer.workspace.storage.user.lists import UserCategory

        self._change(
            lambda workspace: _set(workspace, UserCategory(name, description)),
            lambda workspace: _remove(workspace, name),
            self.tr("Add category “{name}”").format(name=name),
        )

    def describe(self, before: UserCategory, name: str, description: str) -> None:
        """Rename a category, or describe it otherwise."""
        from explorer.workspace.storage.user.lists import UserCategory

        after = UserCategory(name, description)
        self._change(
            lambda workspace: _set(workspace, after, before.name),
            lambda workspace: _set(workspace, before, after.name),
            self.tr("Change category “{name}”").format(name=before.name),
        )

    def remove(self, category: UserCategory) -> None:
        """Remove a category; the documents stay."""

        def restore(workspace: OpenWorkspace) -> None:
            from explorer.workspace.storage.user import lists as user_lists

            user_lists.restore_category(workspace.saving, category)

        text = self.tr("Remove category “{name}”").format(name=category.name)
        self._change(lambda workspace: _remove(workspace, category.name), restore, text, tell=True)

    def assign(self, documents: Iterable[int], name: str | None) -> None:
        """Make documents examples of a category, or of none."""
        chosen, had = tuple(documents), dict[int, str | None]()

        def assign(workspace: OpenWorkspace) -> None:
            from explorer.workspace.storage.user import lists as user_lists

            had.update(user_lists.set_examples(workspace.saving, chosen, name))

        def undo(workspace: OpenWorkspace) -> None:
            from explorer.workspace.storage.user import lists as user_lists

            for before in set(had.values()):
                user_lists.set_examples(
                    workspace.saving, [document for document in had if had[document] == before], before
                )

        text = (
            self.tr("Take %Ln document(s) out of their category", "", len(chosen))
            if name is None
            else self.tr("%Ln document(s) put into “{name}”", "", len(chosen)).format(name=name)
        )
        self._change(assign, undo, text, tell=True)

    def _change(
        self,
        work: Callable[[OpenWorkspace], object],
        undo: Callable[[OpenWorkspace], object],
        text: str,
        *,
        tell: bool = False,
    ) -> None:
        """Save a change that can be undone, and sort the documents again."""

        def done(_: object) -> None:
            edit = UndoableEdit(text, lambda: self._save(work), lambda: self._save(undo), "categories")
            self._actions.edits.undo.add(edit)
            if tell:
                self._actions.notify(f"{text}.", (self.tr("Undo"), lambda: self._actions.edits.undo.undo_edit(edit)))

        self._save(work, done)

    def _save(self, work: Callable[[OpenWorkspace], object], then: Callable[[object], None] | None = None) -> None:
        def save(workspace: OpenWorkspace) -> tuple[UserCategory, ...]:
            from explorer.workspace.storage.user import lists as user_lists

            work(workspace)
            return user_lists.categories(workspace.saving)

        def saved(categories: tuple[UserCategory, ...]) -> None:
            self._session.set_categories(categories, self._session.category_labels)
            if then is not None:
                then(None)
            self.classify()

        self._actions.edits.write(save, saved)


def _set(workspace: OpenWorkspace, category: UserCategory, before: str = "") -> None:
    from explorer.workspace.storage.user import lists as user_lists

    user_lists.set_category(workspace.saving, category, instead_of=before)


def _remove(workspace: OpenWorkspace, name: str) -> None:
    from explorer.workspace.storage.user import lists as user_lists

    user_lists.remove_category(workspace.saving, name)
