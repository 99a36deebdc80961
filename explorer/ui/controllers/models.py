"""What the user does with models: look at them, use them, fetch them, remove them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from explorer.ui.jobs.messages import describe_error

if TYPE_CHECKING:
    from explorer.models.files.catalog import CatalogEntry
    from explorer.ui.controllers.workspace import Controllers

_DOWNLOAD = "download "


class ModelController(QObject):
    """The verbs of models.

    Signals:
        changed: Models came or went.
        failed: A download or a removal failed: the model's name, and a Notification.
    """

    changed = Signal()
    failed = Signal(str, object)

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions = actions

    def list_models(self, done: Callable[[list[CatalogEntry]], None]) -> None:
        """Find out which models there are."""
        folders = [Path(one) for one in self._actions.session.settings.model_folders]

        def work(_: object) -> list[CatalogEntry]:
            from explorer.models.files import catalog

            return catalog.entries(folders)

        self._actions.runner.start("models", work, done, worker="aside", quiet=True)

    def use(self, name: str) -> None:
        """Search with another bi-encoder: the open folder is encoded anew, while the one before serves on."""
        actions, place = self._actions, self._actions.session.folder
        actions.change_settings(replace(actions.session.settings, model=self._usual(name, "BUNDLED")))
        if place is not None and place.writable:
            actions.update()

    def rerank_with(self, name: str) -> None:
        """Rerank with another cross-encoder; results that were reranked are so again."""
        actions = self._actions
        actions.change_settings(replace(actions.session.settings, reranker=self._usual(name, "RERANKER")))
        search = actions.session.search
        if search is not None and search.results is not None and search.results.reranked:
            actions.search.rerank()

    def _usual(self, name: str, which: str) -> str:
        """A name as the settings have it: empty for what ships, so that a later version's is taken."""
        from explorer.models.files import catalog

        return "" if name == getattr(catalog, which) else name

    def download(self, name: str) -> None:
        """Fetch a model from the hub, because the user asked for it; one that was stopped goes on."""

        def work(task: object) -> Path:
            from explorer.models.files import catalog

            return catalog.download(name, task=task)  # type: ignore[arg-type]

        self._actions.runner.start(
            _DOWNLOAD + name, work, lambda _: self.changed.emit(), worker="download",
            title=self.tr("Downloading {name}").format(name=name), stopped=self.changed.emit,
            failed=lambda error: self.failed.emit(name, describe_error(error)),
        )  # fmt: skip

    def stop_download(self, name: str) -> None:
        """Stop it; what has come stays."""
        self._actions.runner.cancel(_DOWNLOAD + name)

    def downloading(self) -> dict[str, float | None]:
        """The models that are being fetched: how much of each there is, None where that is not known."""
        found: dict[str, float | None] = {}
        for job in self._actions.runner.jobs():
            if job.key.startswith(_DOWNLOAD):
                told = job.progress
                found[job.key.removeprefix(_DOWNLOAD)] = (
                    told.done / told.total if told and told.total else None
                )
        return found

    def remove(self, name: str) -> None:
        """Delete a downloaded or trained model."""

        def work(_: object) -> None:
            from explorer.models.files import catalog

            catalog.remove(name)

        self._actions.runner.start(
            f"remove {name}", work, lambda _: self.changed.emit(), worker="aside", quiet=True,
            failed=lambda error: self.failed.emit(name, describe_error(error)),
        )  # fmt: skip

    def add_folder(self, folder: Path) -> None:
        """List the models of a folder of the user's too."""
        settings = self._actions.session.settings
        known = tuple(one for one in settings.model_folders if one != str(folder))
        self._actions.change_settings(replace(settings, model_folders=(str(folder), *known)))
        self.changed.emit()

    def forget_folder(self, folder: Path) -> None:
        """List them no more; nothing is deleted."""
        settings = self._actions.session.settings
        known = tuple(one for one in settings.model_folders if Path(one) not in (folder, folder.parent))
        self._actions.change_settings(replace(settings, model_folders=known))
        self.changed.emit()
