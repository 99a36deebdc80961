"""Power fails while our own files are written: nothing that was promised is lost, torn or silently another."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer import disk, settings
from explorer.errors import ExplorerError
from explorer.workspace.storage import array_cache
from explorer.workspace.storage.vectors import checksums as vector_checksums
from explorer.workspace.storage.vectors.file import VectorFile, VectorJournal
from tests.faults import torn_writes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what is synced is learned from /proc")


def test_what_was_promised_survives_a_power_failure_at_any_moment(tmp_path: Path) -> None:
    told = torn_writes.run(200, 1, tmp_path)
    assert told["faults"] == []
    assert min(told["moments"].values()) > 20


@pytest.mark.parametrize("forgotten", ["files", "folders"])
def test_the_trial_would_notice_a_sync_that_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: str
) -> None:
    if forgotten == "folders":
        monkeypatch.setattr(disk, "sync_folder", lambda _: None)
    else:
        monkeypatch.setattr(torn_writes, "IGNORED", (".f16", ".part"))
    assert torn_writes.run(200, 1, tmp_path)["faults"]


WORKS: dict[str, Callable[[Path], object]] = {
    "vectors": lambda folder: VectorFile(folder / "1.f16", 8, "m").append(np.ones((3, 8), np.float32), [b"k" * 16] * 3),
    "journal": lambda folder: VectorJournal(folder / "1.pending", 8, "m").add([b"k" * 16], np.ones((1, 8), np.float32)),
    "arrays": lambda folder: array_cache.write_arrays(folder / "a.arrays", "t", {"x": np.arange(9)}),
    "settings": lambda folder: settings.save(settings.Settings(), folder / "settings.json"),
    "reading": lambda folder: VectorFile(folder / "0.f16", 8, "m").require_sound(5),
}


@pytest.mark.parametrize("work", WORKS)
@pytest.mark.parametrize("number", range(4))
def test_an_error_of_the_disk_is_a_sentence_and_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str, number: int
) -> None:
    before = VectorFile(tmp_path / "0.f16", 8, "m")
    before.append(np.ones((5, 8), np.float32), [b"k" * 16] * 5)
    vector_checksums._verified.clear()
    calls = iter(range(100))
    real = {"open": os.open, "fsync": os.fsync, "replace": os.replace}

    def failing(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if next(calls) == number:
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(arguments[0]))
            return real[name](*arguments, **named)

        return call

    with monkeypatch.context() as patch:
        for name in real:
            patch.setattr(os, name, failing(name))
        if work == "reading":
            calls = iter([number])
            patch.setattr(vector_checksums.VectorChecksums, "_read", failing("fsync"))
        # Where that many calls were not made, it simply succeeds.
        with suppress(ExplorerError) if work != "reading" else pytest.raises(ExplorerError, match="Input/output error"):
            WORKS[work](tmp_path)
    WORKS[work](tmp_path)
    assert before.checksums.damaged(5) == []
    assert not list(tmp_path.rglob("*.part"))
    if work == "vectors":
        file = VectorFile(tmp_path / "1.f16", 8, "m")
        file.trim(3)
        assert file.checksums.damaged(3) == []
