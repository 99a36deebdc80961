"""What the user changes and can undo: tags, judgements and clusters; saved at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject

from explorer.ui.state.document_set import DocumentSet
from explorer.ui.state.undo import UndoableEdit, UndoList

if TYPE_CHECKING:
    from explorer.analysis.clusters.edits import Edit
    from explorer.judgement import Judgement, Scale
    from explorer.services.open_workspace import OpenWorkspace
    from explorer.services.overview import ClusterOverview, MakeEdits
    from explorer.ui.controllers.workspace import Controllers

Result = TypeVar("Result")
UserWords = tuple["dict[int, frozenset[str]]", "tuple[Judgement, ...]", "tuple[int, ...]"]


class EditController(QObject):
    """Saves what the user says about documents.

    Attributes:
        undo: What can be undone in the open workspace.
    """

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions, self._session = actions, actions.session
        self._job_ids = itertools.count(1)
        self.undo = UndoList(self)
        self._session.folder_changed.connect(self._on_folder_changed)
        actions.updated.connect(self._load)  # an update removes what was said about deleted documents

    def _on_folder_changed(self) -> None:
        self.undo.clear()
        self._load()

    def _load(self) -> None:
        def read(workspace: OpenWorkspace) -> UserWords:
            from explorer.workspace.storage.user import words as tags
            from explorer.workspace.storage.user.lists import picks

            return tags.tags_of(workspace.saving), tags.judgements(workspace.saving), picks(workspace.saving)

        def done(loaded: UserWords) -> None:
            self._session.set_picks(DocumentSet(loaded[2]))
            if loaded[0] != self._session.tags:
                self._session.set_tags(loaded[0])
            if loaded[1] != self._session.judgements:
                self._session.set_judgements(loaded[1])

        self.write(read, done)

    # Tags

    def add_tag(self, documents: Iterable[int], tag: str) -> None:
        """Tag documents."""
        self._tag(tuple(documents), tag, on=True, text=self.tr("Add tag “{tag}”").format(tag=tag))

    def remove_tag(self, documents: Iterable[int], tag: str) -> None:
        """Remove a tag from documents."""
        self._tag(tuple(documents), tag, on=False, text=self.tr("Remove tag “{tag}”").format(tag=tag))

    def _tag(self, documents: tuple[int, ...], tag: str, *, on: bool, text: str = "") -> None:
        """Add or remove a tag; with a text it can be undone under that name."""

        def write(workspace: OpenWorkspace) -> tuple[str, tuple[int, ...]]:
            from explorer.workspace.storage.user import words as tags

            clean = tags.clean(tag)
            return clean, (tags.add_tag if on else tags.remove_tag)(workspace.saving, documents, clean)

        def done(result: tuple[str, tuple[int, ...]]) -> None:
            clean, changed = result
            self._show_tag(clean, changed, on=on)
            if text and changed:
                change = UndoableEdit(
                    text, lambda: self._tag(changed, clean, on=on), lambda: self._tag(changed, clean, on=not on), "tags"
                )
                self.undo.add(change)
                message = (
                    self.tr("%Ln document(s) tagged “{tag}”.", "", len(changed))
                    if on
                    else self.tr("Tag “{tag}” removed from %Ln document(s).", "", len(changed))
                )
                self._actions.notify(message.format(tag=clean), (self.tr("Undo"), lambda: self.undo.undo_edit(change)))

        self.write(write, done)

    def _show_tag(self, tag: str, documents: tuple[int, ...], *, on: bool) -> None:
        tags = dict(self._session.tags)
        for document in documents:
            now = tags.get(document, frozenset()) | {tag} if on else tags.get(document, frozenset()) - {tag}
            tags[document] = now
            if not now:
                del tags[document]
        if documents:
            self._session.set_tags(tags)

    # Picks

    def toggle_picks(self, documents: Iterable[int]) -> None:
        """Pick documents, or unpick all of them if all are picked."""
        chosen = DocumentSet(documents)
        on = not chosen <= self._session.picks
        if chosen:
            self._pick(tuple(chosen), on=on, text=self.tr("Pick") if on else self.tr("Remove from picks"))

    def _pick(self, documents: tuple[int, ...], *, on: bool, text: str = "") -> None:
        """Pick documents or unpick them; with a text it can be undone under that name."""

        def write(workspace: OpenWorkspace) -> tuple[int, ...]:
            from explorer.workspace.storage.user.lists import add_picks, remove_picks

            return (add_picks if on else remove_picks)(workspace.saving, documents)

        def done(changed: tuple[int, ...]) -> None:
            picks = self._session.picks
            self._session.set_picks(picks | changed if on else picks - changed)
            if text and changed:
                redo, undo = (lambda on=on: self._pick(changed, on=on)), (lambda on=on: self._pick(changed, on=not on))
                self.undo.add(UndoableEdit(text, redo, undo, "picks"))

        self.write(write, done)

    # Judgements

    def judge(
        self, first: int, second: int, value: int, scale: Scale, *, first_text: str = "", second_text: str = ""
    ) -> None:
        """Rate how similar two documents are, or a passage of each."""
        saved: list[Judgement] = []  # under its current id, which a redo changes

        def make(workspace: OpenWorkspace) -> Judgement:
            from explorer.workspace.storage.user import words as tags

            if saved:
                return tags.restore_judgement(workspace.saving, saved[0])
            return tags.add_judgement(
                workspace.saving, first, second, value, scale, first=first_text, second=second_text
            )

        def made(judgement: Judgement) -> None:
            is_new = not saved
            saved[:] = [judgement]
            self._session.set_judgements((*self._session.judgements, judgement))
            if is_new:
                text = self.tr("Rate a pair")
                self.undo.add(UndoableEdit(text, lambda: self.write(make, made), undo, "judgements"))

        def undo() -> None:
            judgement_id = saved[0].id

            def remove(workspace: OpenWorkspace) -> None:
                from explorer.workspace.storage.user import words as tags

                tags.remove_judgement(workspace.saving, judgement_id)

            def removed(_: None) -> None:
                rest = (other for other in self._session.judgements if other.id != judgement_id)
                self._session.set_judgements(rest)

            self.write(remove, removed)

        self.write(make, made)

    # Clusters

    def change_clusters(self, overview: ClusterOverview, make: MakeEdits, text: str = "") -> None:
        """Change clusters: `make` turns them into edits, in a worker; `text` names the change."""
        saved: list[Any] = []  # the id of the change, and its edits

        def write(workspace: OpenWorkspace) -> tuple[int, tuple[Edit, ...]]:
            return workspace.overview.edit_clusters(saved[1] if saved else make(overview))

        def done(result: tuple[int, tuple[Edit, ...]]) -> None:
            is_new = not saved
            saved[:] = result
            if not result[1]:
                return
            self._show_clusters(result[1])
            if is_new:
                name = text or self.tr("Edit clusters")
                self.undo.add(UndoableEdit(name, lambda: self.write(write, done), undo, "clusters"))

        def undo() -> None:
            edit_id = saved[0]

            def remove(workspace: OpenWorkspace) -> None:
                from explorer.workspace.overview.clusters import remove_edit

                remove_edit(workspace.saving, edit_id)

            self.write(remove, lambda _: self._show_clusters(saved[1]))

        self.write(write, done)

    def _show_clusters(self, edits: tuple[Edit, ...]) -> None:
        """Show the effect of edits; new names need no new clustering."""
        from explorer.analysis.clusters.edits import RenameCluster

        if all(isinstance(edit, RenameCluster) for edit in edits):
            self._actions.overview.rename_clusters()
        else:
            self._actions.overview.refresh()

    def undo_clusters(self) -> None:
        """Undo the last change of clusters, also one of an earlier session."""
        if not self.undo.undo("clusters"):
            self.write(lambda workspace: workspace.overview.undo_clusters(), lambda _: self._actions.overview.refresh())

    def write(self, work: Callable[[OpenWorkspace], Result], done: Callable[[Result], None]) -> None:
        """Write in the saving worker, each job under its own key, so that none replaces or cancels another."""
        self._actions.with_workspace(
            f"change {next(self._job_ids)}", lambda workspace, _: work(workspace), done, worker="saving", must_run=True
        )
