"""Models: list, use, download and remove them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from explorer.ui.jobs.messages import describe_error

if TYPE_CHECKING:
    from explorer.models.files.catalog import CatalogEntry
    from explorer.services.encoding_speed import MeasuredSpeed
    from explorer.task import Task
    from explorer.ui.controllers.workspace import Controllers

_DOWNLOAD = "download "


class ModelController(QObject):
    """Chooses and manages models.

    Signals:
        changed: Models were added or removed.
        failed: A download or a removal failed: the model's name, and a Notification.
    """

    changed = Signal()
    failed = Signal(str, object)

    def __init__(self, actions: Controllers) -> None:
        super().__init__(actions)
        self._actions = actions

    def list_models(self, done: Callable[[list[CatalogEntry]], None]) -> None:
        """List the available models."""
        folders = [Path(folder) for folder in self._actions.session.settings.model_folders]

        def work(_: object) -> list[CatalogEntry]:
            from explorer.models.files import catalog

            return catalog.entries(folders)

        self._actions.runner.start("models", work, done, worker="aside", quiet=True)

    def use(self, name: str) -> None:
        """Use another bi-encoder: for the open folder, once it is re-encoded, or for new folders if none is open."""
        actions, folder = self._actions, self._actions.session.folder
        if folder is not None and folder.writable and actions.choose_model(name):
            actions.update()
        else:
            actions.change_settings(replace(actions.session.settings, model=self._setting(name, "DEFAULT")))

    def rerank_with(self, name: str) -> None:
        """Use another cross-encoder, also for results that are reranked already."""
        actions = self._actions
        actions.change_settings(replace(actions.session.settings, reranker=self._setting(name, "RERANKER")))
        search = actions.session.search
        if search is not None and search.results is not None and search.results.reranked:
            actions.search.rerank()

    def _setting(self, name: str, which: str) -> str:
        """Return a name for the settings: empty for the one that ships for it, so that a later version uses its own."""
        from explorer.models.files import catalog

        return "" if name == getattr(catalog, which) else name

    def download(self, name: str) -> None:
        """Download a model from the hub, on the user's request; one that was stopped resumes."""

        def work(task: object) -> Path:
            from explorer.models.files import catalog

            return catalog.download(name, task=task)  # type: ignore[arg-type]

        self._actions.runner.start(
            _DOWNLOAD + name,
            work,
            lambda _: self.changed.emit(),
            worker="download",
            title=self.tr("Downloading {name}").format(name=name),
            stopped=self.changed.emit,
            failed=lambda error: self.failed.emit(name, describe_error(error)),
        )

    def stop_download(self, name: str) -> None:
        """Stop a download; what has arrived stays."""
        self._actions.runner.cancel(_DOWNLOAD + name)

    def downloading(self) -> dict[str, float | None]:
        """Return the share of each model that is being downloaded, None if unknown."""
        shares: dict[str, float | None] = {}
        for job in self._actions.runner.jobs():
            if job.key.startswith(_DOWNLOAD):
                progress = job.progress
                shares[job.key.removeprefix(_DOWNLOAD)] = (
                    progress.done / progress.total if progress and progress.total else None
                )
        return shares

    def remove(self, name: str) -> None:
        """Delete a downloaded or trained model."""

        def work(_: object) -> None:
            from explorer.models.files import catalog

            catalog.remove(name)

        self._actions.runner.start(
            f"remove {name}",
            work,
            lambda _: self.changed.emit(),
            worker="aside",
            quiet=True,
            failed=lambda error: self.failed.emit(name, describe_error(error)),
        )

    def measure_speed(self, owner: QObject, done: Callable[[list[MeasuredSpeed] | str], None]) -> None:
        """Measure how fast this machine encodes with each device and precision; `done` may get a message instead."""
        settings = self._actions.session.settings

        def work(task: Task) -> list[MeasuredSpeed]:
            from explorer.services import encoding_speed

            return encoding_speed.measure(settings, task)

        self._actions.runner.start(
            "benchmark",
            work,
            done,
            worker="slow",
            title=self.tr("Measuring the speed"),
            stopped=lambda: done(""),
            failed=lambda error: done(describe_error(error).sentence),
            owner=owner,
        )

    def add_folder(self, folder: Path) -> None:
        """Also list the models of a folder."""
        settings = self._actions.session.settings
        known = tuple(other for other in settings.model_folders if other != str(folder))
        self._actions.change_settings(replace(settings, model_folders=(str(folder), *known)))
        self.changed.emit()

    def forget_folder(self, folder: Path) -> None:
        """Stop listing the models of a folder; nothing is deleted."""
        settings = self._actions.session.settings
        known = tuple(other for other in settings.model_folders if Path(other) not in (folder, folder.parent))
        self._actions.change_settings(replace(settings, model_folders=known))
        self.changed.emit()
