"""What the user changes and can take back: tags, judgements and clusters; saved at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject

from explorer.ui.state.undo import UndoableEdit, UndoList

if TYPE_CHECKING:
    from explorer.analysis.clusters.edits import Edit
    from explorer.judgement import Judgement, Scale
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.services.overview import ClusterOverview, MakeEdits
    from explorer.ui.controllers.workspace import Controllers

Result = TypeVar("Result")


class EditController(QObject):
    """The verbs that write what the user says.

    Attributes:
        undo: What can be taken back in the open workspace.
    """

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._numbers = itertools.count(1)
        self.undo = UndoList(self)
        self._session.folder_changed.connect(self._on_folder_changed)
        actions.updated.connect(self._load)  # what was said of documents that are gone is gone

    def _on_folder_changed(self) -> None:
        self.undo.clear()
        self._load()

    def _load(self) -> None:
        def read(workspace: OpenWorkspace) -> tuple[dict[int, frozenset[str]], tuple[Judgement, ...]]:
            from explorer.workspace.storage import annotations as tags

            return tags.tags_of(workspace.saving), tags.judgements(workspace.saving)

        def done(found: tuple[dict[int, frozenset[str]], tuple[Judgement, ...]]) -> None:
            if found[0] != self._session.tags:
                self._session.set_tags(found[0])
            if found[1] != self._session.judgements:
                self._session.set_judgements(found[1])

        self._write(read, done)

    # Tags

    def add_tag(self, documents: Iterable[int], tag: str) -> None:
        """Tag documents."""
        self._tag(tuple(documents), tag, on=True, told=self.tr("Add tag “{tag}”").format(tag=tag))

    def remove_tag(self, documents: Iterable[int], tag: str) -> None:
        """Take a tag off documents."""
        self._tag(tuple(documents), tag, on=False, told=self.tr("Remove tag “{tag}”").format(tag=tag))

    def _tag(self, documents: tuple[int, ...], tag: str, *, on: bool, told: str = "") -> None:
        """Set or take off a tag; remembered as a change where there is something to tell."""

        def write(workspace: OpenWorkspace) -> tuple[str, tuple[int, ...]]:
            from explorer.workspace.storage import annotations as tags

            kept = tags.clean(tag)
            return kept, (tags.add_tag if on else tags.remove_tag)(workspace.saving, documents, kept)

        def done(result: tuple[str, tuple[int, ...]]) -> None:
            kept, touched = result
            self._show_tag(kept, touched, on=on)
            if told and touched:
                change = UndoableEdit(
                    told,
                    lambda: self._tag(touched, kept, on=on),
                    lambda: self._tag(touched, kept, on=not on),
                    "tags",
                )
                self.undo.add(change)

        self._write(write, done)

    def _show_tag(self, tag: str, documents: tuple[int, ...], *, on: bool) -> None:
        tags = dict(self._session.tags)
        for document in documents:
            now = tags.get(document, frozenset()) | {tag} if on else tags.get(document, frozenset()) - {tag}
            tags[document] = now
            if not now:
                del tags[document]
        if documents:
            self._session.set_tags(tags)

    # Judgements

    def judge(
        self, first: int, second: int, value: int, scale: Scale, *, first_text: str = "", second_text: str = ""
    ) -> None:  # fmt: skip
        """Say how alike two documents are, or a text of each."""
        kept: list[Judgement] = []

        def make(workspace: OpenWorkspace) -> Judgement:
            from explorer.workspace.storage import annotations as tags

            if kept:
                return tags.restore_judgement(workspace.saving, kept[0])
            return tags.add_judgement(
                workspace.saving, first, second, value, scale, first=first_text, second=second_text
            )

        def made(judgement: Judgement) -> None:
            anew = not kept
            kept[:] = [judgement]
            self._session.set_judgements((*self._session.judgements, judgement))
            if anew:
                told = self.tr("Rate a pair")
                self.undo.add(UndoableEdit(told, lambda: self._write(make, made), take_back, "judgements"))

        def take_back() -> None:
            from_now = kept[0].id

            def remove(workspace: OpenWorkspace) -> None:
                from explorer.workspace.storage import annotations as tags

                tags.remove_judgement(workspace.saving, from_now)

            def removed(_: None) -> None:
                rest = (one for one in self._session.judgements if one.id != from_now)
                self._session.set_judgements(rest)

            self._write(remove, removed)

        self._write(make, made)

    # Clusters

    def change_clusters(self, overview: ClusterOverview, make: MakeEdits, text: str = "") -> None:
        """Change clusters: `make` turns them into edits, in a worker; `text` names the change."""
        kept: list[Any] = []  # the number of the change, and its edits

        def write(workspace: OpenWorkspace) -> tuple[int, tuple[Edit, ...]]:
            return workspace.overview.edit_clusters(kept[1] if kept else make(overview))

        def done(result: tuple[int, tuple[Edit, ...]]) -> None:
            anew = not kept
            kept[:] = result
            if not result[1]:
                return
            self._show_clusters(result[1])
            if anew:
                told = text or self.tr("Edit clusters")
                self.undo.add(UndoableEdit(told, lambda: self._write(write, done), take_back, "clusters"))

        def take_back() -> None:
            number = kept[0]

            def remove(workspace: OpenWorkspace) -> None:
                from explorer.workspace.overview.clusters import remove_edit

                remove_edit(workspace.saving, number)

            self._write(remove, lambda _: self._show_clusters(kept[1]))

        self._write(write, done)

    def _show_clusters(self, edits: tuple[Edit, ...]) -> None:
        """Show what edits changed; names need no new survey."""
        from explorer.analysis.clusters.edits import RenameCluster

        if all(isinstance(edit, RenameCluster) for edit in edits):
            self._actions.overview.rename_clusters()
        else:
            self._actions.overview.refresh()

    def undo_clusters(self) -> None:
        """Take the last change of clusters back, also one of an earlier day."""
        if not self.undo.undo("clusters"):
            self._write(
                lambda workspace: workspace.overview.undo_clusters(),
                lambda _: self._actions.overview.refresh(),
            )

    def _write(self, work: Callable[[OpenWorkspace], Result], done: Callable[[Result], None]) -> None:
        """One after the other in one worker, each under a key of its own: none is replaced, none is cancelled."""
        self._actions.with_workspace(
            f"change {next(self._numbers)}",
            lambda workspace, _: work(workspace),
            done,
            worker="saving",
            must_run=True,
        )
