"""Before a folder is read, a few of its files say what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from explorer.corpus.readers import recognition
from explorer.corpus.scan.scanner import scan
from explorer.services import folder_preview
from explorer.services.folder_preview import scanned_pages
from explorer.settings import Settings
from explorer.task import Task


def write_scan(file: Path, pages: int = 1) -> None:
    made = [Image.new("L", (600, 800), "white") for _ in range(pages)]
    for page in made:
        ImageDraw.Draw(page).text((50, 50), "A scanned letter", fill="black", font_size=40)
    made[0].save(file, save_all=True, append_images=made[1:])


def test_scanned_pages_are_estimated_by_some_of_the_files(tmp_path: Path) -> None:
    for number in range(20):
        write_scan(tmp_path / f"scan{number}.pdf")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (tmp_path / "note.txt").write_text("A note.")
    assert 15 <= scanned_pages(scan(tmp_path, Task()).files, Task()) <= 21


def test_a_folder_without_scans_has_none(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A note.")
    assert scanned_pages(scan(tmp_path, Task()).files, Task()) == 0


def test_the_plan_offers_recognition_for_scanned_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "default_languages", lambda: "eng")
    write_scan(tmp_path / "letter.pdf")
    plan = folder_preview.plan(tmp_path, Settings(), Task())
    assert (plan.recognise, plan.pictures) == ("eng", 1)
