"""Before a folder is read, a few of its files say what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from explorer.corpus.readers import recognition
from explorer.corpus.scan.scanner import scan
from explorer.models.files import catalog
from explorer.services import folder_preview
from explorer.services.folder_preview import sample_languages, scanned_pages
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


ENGLISH = "The sea was calm and the ships had left the harbour before the morning came."
FRENCH = "La mer était calme et les bateaux avaient quitté le port avant que le matin ne vienne."
KOREAN = "바다는 잔잔했고 배들은 아침이 오기 전에 항구를 떠났다."


def spoken(folder: Path) -> dict[str, float]:
    found, _ = sample_languages(scan(folder, Task()).files, Task())
    return {code: count / found.total() for code, count in found.items()}


def test_every_text_of_a_small_folder_says_what_it_is_written_in(tmp_path: Path) -> None:
    """The first forty of seventy-nine said nothing of the others."""
    for number in range(79):
        (tmp_path / f"{number:03}.txt").write_text(ENGLISH if number < 40 else FRENCH, "utf-8")
    assert spoken(tmp_path) == {"en": 40 / 79, "fr": 39 / 79}


@pytest.mark.parametrize("every", [2, 5, 10])
def test_a_sample_follows_no_order_of_the_files(tmp_path: Path, every: int) -> None:
    for number in range(1000):
        (tmp_path / f"{number:04}.txt").write_text(FRENCH if number % every == 0 else ENGLISH, "utf-8")
    assert spoken(tmp_path)["fr"] == pytest.approx(1 / every, abs=0.06)


def test_a_table_counts_by_its_rows(tmp_path: Path) -> None:
    rows = "".join(f"{number},{FRENCH if number % 2 else KOREAN}\n" for number in range(30))
    (tmp_path / "table.csv").write_text("number,text\n" + rows, "utf-8")
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text(ENGLISH, "utf-8")
    assert spoken(tmp_path) == {"fr": 15 / 40, "ko": 15 / 40, "en": 10 / 40}


@pytest.mark.parametrize(
    ("counts", "used", "better", "proposed"),
    [
        ({KOREAN: 5, ENGLISH: 5}, catalog.BUNDLED, catalog.DEFAULT, True),
        ({KOREAN: 5, ENGLISH: 5}, "", None, False),
        ({FRENCH: 1, ENGLISH: 5, KOREAN: 4}, "", catalog.MULTILINGUAL, False),
        ({FRENCH: 1, ENGLISH: 10}, "", None, False),
        ({FRENCH: 7, ENGLISH: 3}, "", catalog.MULTILINGUAL, True),
    ],
)
def test_the_plan_of_a_mixed_folder_offers_the_model_that_suits_it(
    tmp_path: Path, counts: dict[str, int], used: str, better: str | None, proposed: bool
) -> None:
    texts = [text for text, count in counts.items() for _ in range(count)]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text, "utf-8")
    plan = folder_preview.plan(tmp_path, Settings(model=used), Task())
    assert (plan.advice.better if plan.advice else None) == better
    assert (plan.advice is not None and plan.advice.is_proposed) is proposed
    assert (plan.better_seconds is None) is (better is None)


def test_the_faster_model_is_not_offered_where_another_one_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_preview, "_WORTH_CHOOSING", 0.0)
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "text.txt").write_text(ENGLISH, "utf-8")
    assert folder_preview.plan(folder, Settings(), Task()).faster is not None
    (folder / "text.txt").write_text(FRENCH, "utf-8")
    assert folder_preview.plan(folder, Settings(), Task()).faster is None
