"""Delete the workspace of a folder, after saying what that removes; the files of the folder stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QPushButton, QWidget

from explorer.ui.jobs.messages import describe_error
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import plain_label, set_kind
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed

if TYPE_CHECKING:
    from pathlib import Path

    from explorer.services.folder_preview import WorkspaceContents
    from explorer.ui.controllers.workspace import Controllers

WIDTH = 520


class DeleteWorkspaceDialog(Themed, Popup):
    """Tells what deleting a workspace removes and what stays, then deletes it."""

    def __init__(self, folder: Path, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self._folder, self._actions = folder, actions
        self._contents: WorkspaceContents | None = None
        self._title, self.removed, self.stays = (
            plain_label(kind="title"),
            plain_label(wrap=True),
            plain_label(wrap=True),
        )
        self.delete, self.cancel = QPushButton(), QPushButton()
        self.delete.setEnabled(False)
        self.cancel.setDefault(True)
        column(
            self._title, self.removed, self.stays, row(None, self.cancel, self.delete),
            parent=self, margins=(16, 12, 16, 12), spacing=10,
        )  # fmt: skip
        self.delete.clicked.connect(self._on_delete)
        self.cancel.clicked.connect(self.reject)
        self.retranslate()
        self.cancel.setFocus()

        def look(_: object) -> WorkspaceContents:
            from explorer.services.folder_preview import workspace_contents

            return workspace_contents(folder)

        actions.runner.start(
            "workspace contents", look, self._show, worker="aside", quiet=True, failed=self._on_failed, owner=self
        )

    def _show(self, contents: WorkspaceContents) -> None:
        self._contents = contents
        self.delete.setEnabled(True)
        self.retranslate()

    def _on_failed(self, error: BaseException) -> None:
        self.removed.setText(describe_error(error).sentence)
        set_kind(self.removed, "error")
        self.fit()

    def _on_delete(self) -> None:
        self.accept()
        self._actions.delete_workspace(self._folder)

    def retranslate(self) -> None:
        contents = self._contents
        self.setWindowTitle(self.tr("Delete workspace"))
        self._title.setText(self.tr("Delete the workspace of “{name}”?").format(name=self._folder.name))
        if contents is not None:
            size = QLocale().formattedDataSize(contents.size, 1, QLocale.DataSizeFormat.DataSizeTraditionalFormat)
            own = [
                text.format(count=f"{count:,}")
                for count, text in (
                    (contents.tags, self.tr("tagged documents: {count}")),
                    (contents.judgements, self.tr("ratings: {count}")),
                    (contents.categories, self.tr("categories: {count}")),
                    (contents.searches, self.tr("saved searches: {count}")),
                    (contents.edits, self.tr("changes of clusters: {count}")),
                )
                if count
            ]
            lines = [
                self.tr("Removed: the index of %Ln document(s), {size}, in {place}.", "", contents.documents).format(
                    size=size, place=contents.place
                )
            ]
            if own:
                lines.append(self.tr("Also removed, and not to be recovered: {what}.").format(what=", ".join(own)))
            self.removed.setText("\n".join(lines))
            set_kind(self.removed, "stale" if own else "")
        self.stays.setText(self.tr("Your files are not touched. The folder can be read again at any time."))
        self.delete.setText(self.tr("Delete"))
        self.cancel.setText(self.tr("Cancel"))
        self.fit()
