"""Not a word is lost of files that other programs made, wherever in them it is."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from explorer import paths
from tests.corpus.readers import foreign_files


@pytest.mark.parametrize("suffix", foreign_files.BY_LIBRARIES)
def test_every_word_of_a_file_made_by_a_library_is_found(tmp_path: Path, suffix: str) -> None:
    data, words = foreign_files.BY_LIBRARIES[suffix][1]()
    path = tmp_path / f"file{suffix}"
    path.write_bytes(data)
    assert foreign_files.missing(path, words) == []


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")
@pytest.mark.parametrize("kind", foreign_files.BY_PANDOC)
def test_every_word_of_a_file_made_by_pandoc_is_found(tmp_path: Path, kind: str) -> None:
    data, words = foreign_files.pandoc(kind)
    path = tmp_path / f"file{foreign_files.BY_PANDOC[kind]}"
    path.write_bytes(data)
    assert foreign_files.missing(path, words) == []


@pytest.mark.skipif(shutil.which("qpdf") is None, reason="qpdf is not installed")
@pytest.mark.parametrize("how", foreign_files.QPDF)
def test_every_word_of_a_file_made_by_qpdf_is_found(tmp_path: Path, how: str) -> None:
    data, words = foreign_files.by_qpdf(*how.split(" "))
    path = tmp_path / "file.pdf"
    path.write_bytes(data)
    assert foreign_files.missing(path, words) == []


@pytest.mark.parametrize(("language", "of"), [("en", "{0} of {0}"), ("ko", "{0} 중 {0}")])
def test_the_table_of_the_manual_says_what_is_found(language: str, of: str) -> None:
    """The other tests here show that all words are found, so the manual has only to state the right numbers."""
    page = (paths.resources() / "help" / language / "files.md").read_text("utf-8")
    stated: dict[str, list[str]] = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if len(cells) == 3 and re.search(r"\d+ (?:of|중) \d+", cells[2]):
            suffixes, figures = cells[1].split(", "), cells[2].split(", ")
            for suffix, figure in zip(suffixes, figures * (len(suffixes) if len(figures) == 1 else 1), strict=True):
                stated.setdefault(suffix, []).append(figure)
    for suffix, (_, make) in foreign_files.BY_LIBRARIES.items():
        assert of.format(len(make()[1])) in stated[suffix], suffix
    office = next(line for line in page.splitlines() if line.startswith("| LibreOffice |")).split(" | ")
    told = dict(zip(office[1].split(", "), office[2].strip("| ").split(", "), strict=True))
    assert told == {
        suffix: of.format(len(foreign_files.libreoffice_words(suffix))) for suffix in foreign_files.BY_LIBREOFFICE
    }
    for suffix in foreign_files.BY_PANDOC.values():
        assert any(of.format(len(foreign_files.PANDOC_WORDS)) in figure for figure in stated[suffix]), suffix
