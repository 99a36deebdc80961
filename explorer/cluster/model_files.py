"""Send a model's folder to workers without a copy of it or access to the hub."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import ModelError

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder

# What a model is made of; nothing else of its folder travels.
_SUFFIXES = (".json", ".safetensors", ".txt", ".model")

ModelFiles = dict[str, bytes]  # path within the folder -> content


def pack(folder: Path) -> ModelFiles:
    """Read the files of a model."""
    files = (path for path in sorted(folder.rglob("*")) if path.suffix in _SUFFIXES and path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def unpack(files: ModelFiles, fingerprint: str, threads: int, precision: str) -> BiEncoder:
    """Open a model from its files, on a worker; written to a private folder that is gone once it is open.

    Raises:
        ModelError: It is not the model that was sent.
    """
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import choose

    folder = Path(tempfile.mkdtemp(prefix="docexplorer-model-"))  # only its owner may enter
    try:
        for name, content in files.items():
            target = folder / name
            if not target.resolve().is_relative_to(folder.resolve()):
                raise ModelError("{name}: a file of the model lies outside its folder.", name=name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        encoder = BiEncoder.open(folder, choose("auto", threads=threads, precision=precision))
        if encoder.fingerprint != fingerprint:
            raise ModelError(
                "The model arrived as {there} and was sent as {here}. Check the memory and disks of {machine}.",
                there=encoder.fingerprint,
                here=fingerprint,
                machine=os.uname().nodename if hasattr(os, "uname") else "the worker",
            )
        return encoder
    finally:
        # The weights were read into memory, not mapped, so the folder is not needed any more.
        shutil.rmtree(folder, ignore_errors=True)
