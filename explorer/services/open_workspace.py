"""An open workspace as the background workers use it: one connection per worker, shared models.

Nothing here knows of widgets or of the session; every method runs in the worker that its docstring names.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.services import encoding_speed
from explorer.services.model_cache import ModelCache
from explorer.services.overview import CategoryService, MapLayout, OverviewService
from explorer.services.search import DocumentService, SearchService
from explorer.settings import Settings
from explorer.task import Task

if TYPE_CHECKING:
    from explorer.corpus.scan.diff import FileState
    from explorer.models.bi_encoder import BiEncoder
    from explorer.workspace.storage.documents import Listing
    from explorer.workspace.storage.files import FileProblem
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.update.model_advice import Advice
    from explorer.workspace.update.sync_files import Counts
    from explorer.workspace.workspace import Workspace


_logger = logging.getLogger(__name__)

ARCHIVES, RECOGNISE = "archives", "recognise"  # "no" where archives are not read; the languages of recognition
NAME = "model name"  # under which the workspace notes what the model in use is called
_PATIENCE = 20  # times as long as vectors took to load, in which they are not loaded again while they change
CHOSEN = "chosen model"  # and the one that the user chose for it, which is in use once all is encoded


@dataclass(frozen=True)
class WorkspaceFacts:
    """Number of passages, name of the model in use, and its device, empty while it is not open."""

    passages: int
    model: str
    device: str


class VectorCache:
    """The vectors of an open workspace, as each of its connections sees them now.

    Where connections see the same, they share one table: what is derived from it, such as a vector for each document,
    takes more memory than all else of a large workspace.

    Attributes:
        growing: Whether the folder is being encoded, so that the vectors change every few seconds.
    """

    def __init__(self) -> None:
        self.growing = False
        # By connection and model: the state of the database it had seen, and the vectors loaded then.
        self._loaded: dict[tuple[int, str | None], tuple[object, VectorTable]] = {}
        self._recent: _Loading | None = None
        self._lock, self._asking = threading.Lock(), threading.Lock()

    def load(self, workspace: Workspace, fingerprint: str | None = None) -> VectorTable:
        """Return the vectors that a connection sees, loaded again only when the workspace has changed.

        Args:
            workspace: The connection.
            fingerprint: The model's; if absent, that of the best model.

        Raises:
            WorkspaceError: Nothing is encoded yet.
        """
        from explorer.workspace.storage.vectors import table as vector_table

        key, state = (id(workspace), fingerprint), workspace.change_token()
        known = self._loaded.get(key)
        if known is None or known[0] != state:
            table = vector_table.load(workspace, fingerprint)
            with self._lock:
                others = [other for _, other in self._loaded.values()]
                known = self._loaded[key] = (state, next(filter(table.equals, others), table))
        return known[1]

    @contextmanager
    def while_growing(self) -> Iterator[None]:
        """Note that the folder is being encoded."""
        self.growing = True
        try:
            yield
        finally:
            self.growing, self._recent = False, None

    def load_for(self, workspace: Workspace, documents: Sequence[int]) -> VectorTable:
        """Return the vectors of the best model to answer a question about some documents.

        While the folder is encoded they may be a little behind, if they have these documents: loading those of
        100,000 after every batch takes longer than the answer.

        Raises:
            WorkspaceError: Nothing is encoded yet.
        """
        if not self.growing:
            return self.load(workspace)
        with self._asking:  # two questions at once need the same
            recent, began = self._recent, time.monotonic()
            if recent is not None and recent.is_fresh and recent.table.has(documents):
                return recent.table
            table = self.load(workspace)
            table.document_vectors()  # which take most of the time
            self._recent = _Loading(table, time.monotonic() - began, time.monotonic())
        return table


@dataclass(frozen=True)
class _Loading:
    """Vectors, how many seconds it took to load them, and when that was."""

    table: VectorTable
    took: float
    at: float

    @property
    def is_fresh(self) -> bool:
        """Whether they were loaded so recently that loading them again would cost more than it brings."""
        return time.monotonic() - self.at < _PATIENCE * self.took


class OpenWorkspace:
    """One open workspace.

    Attributes:
        models: The models that it uses.
        categories: The user's own categories.
        overview: All of it: clusters, map, duplicates, outliers.
        documents: Single documents.
        saving: The connection of the saving worker, for that worker only.
        search: Finding documents.
        main: The connection of the model worker; its `folder`, `root` and `writable` may be read anywhere.
    """

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        self.main = workspace
        from explorer.workspace.update.encode import model_of_shards

        used, chosen = (str(workspace.setting(key) or "") for key in (NAME, CHOSEN))
        fingerprint = workspace.meta("model") or ""
        self.models = ModelCache(settings, used, fingerprint, chosen)
        if not (used or fingerprint or chosen):
            self.models.of_shards = model_of_shards(workspace.source)
        self.saving = workspace.another()
        self._read, self._quick = workspace.another(), workspace.another()
        self._rerank, self._list = workspace.another(), workspace.another()
        self._slow = workspace.another()
        self._aside = workspace.another()
        self._vectors = vectors = VectorCache()
        self.search = SearchService(self._quick, self._rerank, self.models, vectors)
        self.documents = DocumentService(self._read, self._rerank, self._aside, self.models, vectors)
        self.overview = OverviewService(self.saving, self._slow, self.models, vectors)
        self.categories = CategoryService(self._slow, self.models, vectors)

    @classmethod
    def open(cls, folder: Path, settings: Settings) -> OpenWorkspace:
        """Open the workspace of a folder, and create it if there is none; quick worker.

        Raises:
            WorkspaceError: It cannot be opened.
        """
        from explorer.workspace.workspace import open_workspace

        opened = cls(open_workspace(folder), settings)
        _logger.info("opened %s, writable: %s", opened.main.folder, opened.main.writable)
        return opened

    def close(self) -> None:
        """Close the connections and release models and vectors; no worker may be running."""
        asked = (self._read, self._quick, self._rerank, self._list)
        for connection in (self.saving, *asked, self._slow, self._aside, self.main):
            connection.close()
        # A library whose import failed somewhere keeps the frames of the worker that asked for it, and so this object.
        self.models.close()
        del self.search, self.documents, self.overview, self.categories

    def update(self, task: Task, *, retry: bool = False, on_sketched: Callable[[], None] | None = None) -> Counts:
        """Bring the workspace up to date with its folder, draft vectors first; model worker.

        Where another model was chosen for the workspace, everything is encoded with it first, and it is used from
        then on; other workspaces keep theirs.
        """
        from explorer.cluster.encoder import on_cluster
        from explorer.corpus.document import ReadOptions
        from explorer.models.static_encoder import static_encoder_for_update

        chosen, name = self.models.settings, self.models.wanted_name
        if self.models.chosen and self.main.setting(CHOSEN) != self.models.chosen:
            self.main.set_setting(CHOSEN, self.models.chosen)
        options = ReadOptions(
            max_bytes=chosen.largest_file_mb * 2**20,
            seconds=chosen.seconds_a_file,
            archives=self.main.setting(ARCHIVES) != "no",
            recognise=str(self.main.setting(RECOGNISE) or ""),
        )
        already = None
        if not chosen.cluster:  # whose machines read too; here the model is opened meanwhile
            plain = replace(options, recognise="")
            already = self.main.read(plain, retry=retry, task=task, encoder=lambda: self.models.open_encoder)
        task.report(0, 0, "opening the model")
        before, encoder = self.models.encoder(), self.models.wanted()
        static_encoder = static_encoder_for_update(encoder, task.silent())
        on = on_cluster(chosen.cluster, encoder, task, precision=chosen.precision)
        with on as (far, far_task), self._vectors.while_growing():
            if encoder.fingerprint != before.fingerprint:
                _logger.info("encoding everything with another model, %s", name)
                self.main.encode_for_model(far or encoder, far_task, splitters=far)
            began = time.monotonic()
            done = self.main.update(
                far or encoder,
                static_encoder=static_encoder,
                options=options,
                retry=retry,
                readers=far,
                splitters=far,
                task=far_task,
                on_sketched=on_sketched,
                already=already,
            )
        _logger.info("updated in %.1f s: %s", time.monotonic() - began, done)
        if not chosen.cluster:  # whose speed says nothing of this machine's
            self._note_pace(done, encoder, time.monotonic() - began)
        self.main.set_setting(NAME, name)
        self.models.adopt(encoder, name)
        return done

    def _note_pace(self, done: Counts, encoder: BiEncoder, seconds: float) -> None:
        """Record the encoding speed; only the share of the text that was encoded counts."""
        if done.encoded:
            from explorer.workspace.storage import documents

            letters = documents.total_characters(self.main.connection)
            share = done.encoded / max(done.encoded, self.main.counts()["passages"])
            encoding_speed.note(
                letters * share, seconds, encoding_speed.work_of(encoder.folder.path), self.models.settings
            )

    def saved_map(self) -> MapLayout | None:
        """Return the saved map, which may be outdated; aside worker."""
        from explorer.workspace.overview.map import kept_map

        saved = kept_map(self._aside)
        return None if saved is None else MapLayout(*saved, drawing=True)

    def list_documents(self) -> tuple[Listing, tuple[FileProblem, ...]]:
        """Return the documents and the problems; list worker."""
        from explorer.workspace.storage.listing_cache import load_listing

        return load_listing(self._list), tuple(self._list.problems())

    def known_files(self) -> dict[str, FileState]:
        """Return the files as they were when they were read; aside worker."""
        from explorer.workspace.update.watch import remembered

        return remembered(self._aside)

    def digests(self, documents: Sequence[int]) -> list[bytes]:
        """Return the digests of the texts of some documents; saving worker."""
        from explorer.workspace.storage.documents import digests_of

        return list(digests_of(self.saving.connection, documents).values())

    def facts(self) -> WorkspaceFacts:
        """Return what the status bar shows; quick worker."""
        return WorkspaceFacts(self._quick.counts()["passages"], self.models.used_name, self.models.device_name)

    def advice(self, spoken: Sequence[str]) -> Advice | None:
        """Return a warning if the model in use does not read the documents' languages; aside worker."""
        from explorer.models.files import catalog
        from explorer.workspace.update.model_advice import advise_for

        return advise_for(Counter(spoken), self.models.languages(), self.models.used_name, catalog.entries())
