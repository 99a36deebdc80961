"""Settings come back as they were left, and a spoilt file costs no more than itself."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from explorer import settings
from explorer.errors import DataError
from explorer.settings import Settings


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    chosen = replace(Settings().opened("/texts/논문"), language="ko", granularity=0.25, threads=3, watch=False)

    settings.save(chosen, tmp_path / "s.json")

    assert settings.load(tmp_path / "s.json") == (chosen, "")
    assert list(tmp_path.iterdir()) == [tmp_path / "s.json"]


def test_without_a_file_there_are_defaults() -> None:
    assert settings.load() == (Settings(), "")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00\x01", "[" * 100_000])
def test_a_spoilt_file_is_put_aside(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(text)

    found, told = settings.load(path)

    assert found == Settings()
    assert "s.broken.json" in told
    assert (tmp_path / "s.broken.json").read_text() == text
    assert not path.exists()


def test_single_impossible_values_are_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(
        '{"version": 9, "theme": "pink", "text_size": 10.5, "threads": true, "granularity": 1, "new": 1, '
        '"language": "ko", "recent": ["/a", 3], "watch": "yes"}'
    )

    found, told = settings.load(path)

    assert found == replace(Settings(), language="ko", granularity=1, recent=("/a", "3"))
    assert all(name in told for name in ("theme", "text_size", "threads", "watch"))
    assert "granularity" not in told


def test_recent_folders_are_few_and_without_doubles() -> None:
    chosen = Settings()
    for number in [*range(20), 15]:
        chosen = chosen.opened(f"/{number}")

    assert chosen.recent[:3] == ("/15", "/19", "/18")
    assert len(chosen.recent) == settings.RECENT


def test_a_place_that_cannot_be_written_gets_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(DataError, match="cannot be saved"):
        settings.save(Settings(), tmp_path / "file" / "s.json")


def test_a_folder_whose_name_is_no_unicode_text_is_remembered(tmp_path: Path) -> None:
    odd = os.fsdecode(b"/texts/\xb0\xa1")
    settings.save(replace(Settings(), recent=(odd, "/한글")), tmp_path / "settings.json")

    found, told = settings.load(tmp_path / "settings.json")

    assert (found.recent, told) == ((odd, "/한글"), "")
