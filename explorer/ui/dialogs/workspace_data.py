"""Dialogs about what a folder's workspace holds: delete it, or bring back an earlier copy of the user's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import describe_error
from explorer.ui.widgets.layouts import column, row
from explorer.ui.widgets.placeholder import plain_label, set_kind
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed
from explorer.workspace.storage.user import backups
from explorer.workspace.storage.user.backups import Backup

if TYPE_CHECKING:
    from pathlib import Path

    from explorer.services.folder_preview import WorkspaceContents


WIDTH = 520
RESTORE_WIDTH = 460
LISTING = "backups"


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
            self._title,
            self.removed,
            self.stays,
            row(None, self.cancel, self.delete),
            parent=self,
            margins=(16, 12, 16, 12),
            spacing=10,
        )
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
                    size=size, place=contents.location
                )
            ]
            if own:
                lines.append(self.tr("Also removed, and not recoverable: {what}.").format(what=", ".join(own)))
            self.removed.setText("\n".join(lines))
            set_kind(self.removed, "stale" if own else "")
        self.stays.setText(self.tr("Your files are not touched. The folder can be read again at any time."))
        self.delete.setText(self.tr("Delete"))
        self.cancel.setText(self.tr("Cancel"))
        self.fit()


class RestoreDialog(Themed, Popup):
    """Lists the copies of the open folder's words, newest first, and restores the chosen one.

    Attributes:
        list: The copies.
        restore: The button.
    """

    def __init__(self, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(RESTORE_WIDTH, parent)
        self._actions = actions
        self._copies: list[Backup] | None = None
        self.message = plain_label(wrap=True)
        self.message.setProperty("kind", "faint")
        self.list = QListWidget()
        self.list.setMinimumHeight(180)
        self.restore, self._leave = QPushButton(), QPushButton()
        self.restore.setProperty("kind", "main")
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._leave)
        buttons.addWidget(self.restore)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(12)
        column.addWidget(self.message)
        column.addWidget(self.list)
        column.addLayout(buttons)
        self.list.itemSelectionChanged.connect(lambda: self.restore.setEnabled(bool(self.list.selectedItems())))
        self.list.itemActivated.connect(lambda _: self._on_restore())
        self.restore.clicked.connect(self._on_restore)
        self._leave.clicked.connect(self.reject)
        self.finished.connect(lambda _: actions.runner.cancel(LISTING, notify=False))
        self.retranslate()
        actions.with_workspace(
            LISTING,
            lambda workspace, _: backups.list_backups(workspace.main.source),
            self._show,
            failed=self._on_failed,
        )

    def _show(self, copies: list[Backup]) -> None:
        self._copies = copies
        self.list.clear()
        for backup in copies:
            when = QDateTime.fromSecsSinceEpoch(int(backup.made.timestamp()))
            time = QLocale().toString(when, QLocale.FormatType.ShortFormat)
            text = self.tr("{time} · {count} entries").format(time=time, count=f"{sum(backup.counts.values()):,}")
            item = QListWidgetItem(text, self.list)
            item.setData(Qt.ItemDataRole.UserRole, str(backup.path))
        if copies:
            self.list.setCurrentRow(0)
        self._set_texts()

    def _on_failed(self, error: BaseException) -> None:
        self.message.setText(describe_error(error).sentence)

    def _on_restore(self) -> None:
        chosen = self.list.selectedItems()
        if chosen and self._copies:
            self._actions.restore_words(self._copies[self.list.row(chosen[0])].path)
            self.accept()

    def retranslate(self) -> None:
        self._show(self._copies) if self._copies is not None else self._set_texts()

    def _set_texts(self) -> None:
        self.setWindowTitle(self.tr("Restore a backup"))
        self.list.setAccessibleName(self.tr("Backups"))
        self.restore.setText(self.tr("Restore"))
        self.restore.setEnabled(bool(self.list.selectedItems()))
        self._leave.setText(self.tr("Cancel"))
        if self._copies == []:
            text = self.tr("There is no backup of this folder yet. One is made once you tag, rate or rename something.")
        else:
            text = self.tr(
                "Your tags, ratings, names, categories and saved searches are restored to the chosen time. What you "
                "have now is backed up first, so you can return to it."
            )
        self.message.setText(text)
