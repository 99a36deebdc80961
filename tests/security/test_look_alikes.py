"""Names and texts that look like others: shown as what they are, and compared by what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.cli import main as cli_main
from explorer.paths import display_path

RIGHT_TO_LEFT = "invoice\u202ecod.exe.txt"  # shown as "invoicetxt.exe.doc" by a viewer that obeys the mark
WIDE = "ｔｅａ"  # full-width letters


def test_a_name_with_tricks_is_only_a_name(tmp_path: Path, tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / RIGHT_TO_LEFT).write_text("the cold winter river")
    (folder / "b.txt").write_text(f"hot {WIDE} in summer", "utf-8")
    assert cli_main.main(["index", str(folder), "--model", str(tiny)]) == 0
    capsys.readouterr()
    assert cli_main.main(["search", str(folder), "tea", "--mode", "keyword", "--model", str(tiny)]) == 0
    assert "b.txt" in capsys.readouterr().out  # the letters are compared as they are meant
    assert cli_main.main(["documents", str(folder)]) == 0
    assert "exe.txt" in capsys.readouterr().out  # the ending is what the program goes by
    assert display_path(RIGHT_TO_LEFT).endswith("exe.txt")
