"""A workspace whose vectors do not fit into memory is searched all the same, and a command without memory says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.cli import main as cli_main

STATUS = Path("/proc/self/status")
pytestmark = pytest.mark.skipif(
    not STATUS.is_file() or "VmData" not in STATUS.read_text(), reason="needs a limit of memory and /proc"
)


def test_vectors_that_do_not_fit_are_searched(tmp_path: Path) -> None:
    from tests.faults.short_memory import A_DOCUMENT, run

    spare = 64 * 2**20
    told = run(30_000, 2048, spare, tmp_path)

    assert told["faults"] == []
    assert told["vectors_mb"] * 2**20 > 1.5 * spare
    limited = told["limited"]
    assert limited["list"] == 30_000 // A_DOCUMENT
    assert limited["near"] == 78  # the passage whose vector was asked for
    assert limited["word"] > 0


def test_a_command_without_memory_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_large(*_: object) -> None:
        bytearray(2**62)

    monkeypatch.setattr("explorer.cli.models.catalog.entries", too_large)
    assert cli_main.main(["models"]) == 1
    assert "not enough memory" in capsys.readouterr().err
