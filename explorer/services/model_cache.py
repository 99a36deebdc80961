"""The models of an open workspace, each opened once and shared by the workers."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from explorer.errors import ModelError
from explorer.settings import Settings

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.models.encoder import TransformerModel
    from explorer.models.files.model_folder import ModelFolder
    from explorer.models.runtime.device import Device

_logger = logging.getLogger(__name__)

_Model = TypeVar("_Model", bound="TransformerModel")
# The open models of this process, as long as somebody has them: windows on several folders need each only once.
_open_models: WeakValueDictionary[tuple[type, str, Path, Device], TransformerModel] = WeakValueDictionary()
_opening_any = threading.RLock()


def open_shared(kind: type[_Model], folder: ModelFolder, device: Device) -> _Model:
    """Return the model of a folder, the open one if another window has it; not to be changed.

    Raises:
        ModelError: The folder cannot be used.
    """
    key = kind, folder.fingerprint, folder.path, device
    with _opening_any:
        model = _open_models.get(key)
        if not isinstance(model, kind):
            _open_models[key] = model = kind(folder, device)
        return model


class ModelCache:
    """Two bi-encoders at most, the one whose vectors are used and the one that is wanted, and a cross-encoder.

    The two differ while the workspace is encoded again: until that is done, all that is asked is answered by the
    first. Every method but `set_settings` may open a model, which takes seconds, and belongs to the workers.

    Attributes:
        settings: What is wanted now.
        chosen: The model that the user chose for this workspace; empty for none.
        of_shards: The model whose vectors are among the files of a new folder; empty for none.
    """

    def __init__(self, settings: Settings, used: str = "", fingerprint: str = "", chosen: str = "") -> None:
        """Take the settings and what the workspace says of its models.

        Args:
            settings: Their model is for workspaces that have none.
            used: The name of the model whose vectors the workspace has; empty where it has none.
            fingerprint: Its fingerprint.
            chosen: The name of the model that the user chose for the workspace; empty for none.
        """
        self.settings, self.chosen, self.of_shards = settings, chosen, ""
        self._opening = threading.RLock()
        self._used, self._fingerprint = used, fingerprint
        self._encoder: BiEncoder | None = None
        self._wanted: BiEncoder | None = None
        self._wanted_name = ""
        self._reranker: CrossEncoder | None = None

    def set_settings(self, settings: Settings) -> None:
        """Use other settings; models that they change are opened again when needed."""
        before, self.settings = self.settings, settings
        moved = any(getattr(before, name) != getattr(settings, name) for name in ("device", "threads", "precision"))
        if moved:
            self._encoder = self._wanted = None
        if moved or before.reranker != settings.reranker:
            self._reranker = None

    def close(self) -> None:
        """Release all models."""
        self._encoder = self._wanted = self._reranker = None

    @property
    def wanted_name(self) -> str:
        """The name of the bi-encoder that the workspace is to have: its own; if new, its shards' or the settings'."""
        return self.chosen or self._used or self.of_shards or self._default

    @property
    def _default(self) -> str:
        from explorer.models.files import catalog

        return self.settings.model or catalog.DEFAULT

    @property
    def used_name(self) -> str:
        """The name of the bi-encoder in use."""
        return self._used or self.wanted_name

    @property
    def device_name(self) -> str:
        """The device of the bi-encoder in use; empty while it is not open."""
        return self._encoder.device.name if self._encoder is not None else ""

    def encoder(self) -> BiEncoder:
        """Return the bi-encoder in use: the one that made the vectors, or the one that is wanted if it is gone.

        Raises:
            ModelError: It is not on this machine.
        """
        with self._opening:
            if self._encoder is None:
                self._encoder = self._of_the_vectors() or self.wanted()
            return self._encoder

    @property
    def open_encoder(self) -> BiEncoder | None:
        """The bi-encoder in use, without waiting; None while it is being opened."""
        return self._encoder

    def wanted(self) -> BiEncoder:
        """Return the bi-encoder that is wanted.

        Raises:
            ModelError: It is not on this machine.
        """
        with self._opening:
            name, known = self.wanted_name, self._wanted
            if known is None or self._wanted_name != name:
                known = self._open(name)
                if self._encoder is not None and self._encoder.fingerprint == known.fingerprint:
                    known = self._encoder  # one network in memory is enough
                self._wanted, self._wanted_name = known, name
            return known

    def adopt(self, encoder: BiEncoder, name: str) -> None:
        """Use a model whose vectors are ready."""
        with self._opening:
            self._encoder, self._used, self._fingerprint = encoder, name, encoder.fingerprint

    def languages(self) -> tuple[str, ...]:
        """Return the languages that the bi-encoder in use reads; empty if unknown."""
        from explorer.models.files import catalog

        return catalog.languages(self.used_name)

    def reranker(self) -> CrossEncoder:
        """Return the cross-encoder.

        Raises:
            ModelError: None is chosen and none is there.
        """
        from explorer.models.cross_encoder import CrossEncoder
        from explorer.models.files import catalog, model_folder

        with self._opening:
            if self._reranker is None:
                name = self._reranker_name()
                if not name:
                    raise ModelError("There is no cross-encoder yet. Choose one in the settings, or train one.")
                self._reranker = open_shared(CrossEncoder, model_folder.read(catalog.find(name)), self._device())
            return self._reranker

    def has_reranker(self) -> bool:
        """Return whether a cross-encoder is chosen or installed."""
        return self._reranker is not None or bool(self._reranker_name())

    def _of_the_vectors(self) -> BiEncoder | None:
        """Return the model that made the workspace's vectors; None if it cannot be found."""
        from explorer.models.bi_encoder import BiEncoder
        from explorer.models.files import catalog, model_folder

        if not self._fingerprint:
            return None
        for name in dict.fromkeys(
            filter(None, (self._used, self.chosen, self._default, catalog.DEFAULT, catalog.BUNDLED))
        ):
            try:
                folder = model_folder.read(catalog.find(name))
                if folder.fingerprint == self._fingerprint:
                    self._used = name
                    return open_shared(BiEncoder, folder, self._device())
            except ModelError:
                _logger.info("%s cannot be used; looking for the model of the vectors elsewhere", name)
                continue
        self._used = ""
        return None

    def _open(self, name: str) -> BiEncoder:
        from explorer.models.bi_encoder import BiEncoder
        from explorer.models.files import catalog, model_folder

        _logger.info("opening the model %s", name)
        return open_shared(BiEncoder, model_folder.read(catalog.find(name)), self._device())

    def _device(self) -> Device:
        from explorer.models.runtime.device import choose

        wanted = self.settings
        return choose(wanted.device, threads=wanted.threads or None, precision=wanted.precision)

    def _reranker_name(self) -> str:
        from explorer.models.files import catalog

        there = (entry.name for entry in catalog.entries() if entry.kind == "cross" and entry.on_disk)
        return self.settings.reranker or next(there, "")
