"""A dialog that brings back an earlier copy of the user's tags, judgements, names and other words about a folder."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.messages import describe_error
from explorer.ui.widgets.placeholder import plain_label
from explorer.ui.widgets.popup import Popup
from explorer.ui.widgets.themed import Themed
from explorer.workspace.storage.user import backups
from explorer.workspace.storage.user.backups import Backup

WIDTH = 460
LISTING = "backups"


class RestoreDialog(Themed, Popup):
    """Lists the copies of the open folder's words, newest first, and restores the chosen one.

    Attributes:
        list: The copies.
        restore: The button.
    """

    def __init__(self, actions: Controllers, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self._actions = actions
        self._found: list[Backup] | None = None
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

    def _show(self, found: list[Backup]) -> None:
        self._found = found
        self.list.clear()
        for backup in found:
            when = QDateTime.fromSecsSinceEpoch(int(backup.made.timestamp()))
            time = QLocale().toString(when, QLocale.FormatType.ShortFormat)
            text = self.tr("{time} · {count} entries").format(time=time, count=f"{sum(backup.counts.values()):,}")
            item = QListWidgetItem(text, self.list)
            item.setData(Qt.ItemDataRole.UserRole, str(backup.path))
        if found:
            self.list.setCurrentRow(0)
        self._set_texts()

    def _on_failed(self, error: BaseException) -> None:
        self.message.setText(describe_error(error).sentence)

    def _on_restore(self) -> None:
        chosen = self.list.selectedItems()
        if chosen and self._found:
            self._actions.restore_words(self._found[self.list.row(chosen[0])].path)
            self.accept()

    def retranslate(self) -> None:
        self._show(self._found) if self._found is not None else self._set_texts()

    def _set_texts(self) -> None:
        self.setWindowTitle(self.tr("Restore a backup"))
        self.list.setAccessibleName(self.tr("Backups"))
        self.restore.setText(self.tr("Restore"))
        self.restore.setEnabled(bool(self.list.selectedItems()))
        self._leave.setText(self.tr("Cancel"))
        if self._found == []:
            text = self.tr("There is no backup of this folder yet. One is made once you tag, rate or rename something.")
        else:
            text = self.tr(
                "Your tags, ratings, names, categories and saved searches become those of the chosen time. What you "
                "have now is backed up first, so you can return to it."
            )
        self.message.setText(text)
