"""The start page opens folders, tells first what reading them means, and remembers those opened before."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer import paths
from explorer.corpus.readers.tables.documents import read
from explorer.corpus.scan.scanner import Count
from explorer.models.files import catalog
from explorer.services import folder_preview
from explorer.services.folder_preview import PlanChoices, plan, recent
from explorer.services.open_workspace import ARCHIVES, CHOSEN
from explorer.settings import Settings
from explorer.task import Task
from explorer.ui.controllers.workspace import Controllers
from explorer.ui.jobs.runner import Runner
from explorer.ui.look import language, theme
from explorer.ui.panels.start.page import StartPage
from explorer.ui.state.session import Session
from explorer.workspace.workspace import open_workspace

Wait = Callable[..., None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qapp: object) -> Iterator[StartPage]:
    session, runner = Session(), Runner()
    actions = Controllers(session, runner)
    page = StartPage(session, actions)
    page.resize(900, 700)
    page.show()
    yield page
    page.close()
    assert runner.close(60)
    actions.close_workspace()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "편지 letters"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text("Dear friend, the sea was calm. " * 100, "utf-8")
    (folder / "old.rar").write_bytes(b"x" * 500)
    return folder


def asked(page: StartPage) -> list[Path]:
    heard: list[Path] = []
    page.open_requested.connect(heard.append)
    return heard


def test_a_new_folder_is_described_before_it_is_opened(page: StartPage, texts: Path, wait: Wait) -> None:
    heard = asked(page)

    page.preview_folder(texts)
    wait(lambda: page.reading.read_button.isVisible())

    assert page.reading.title.text() == "편지 letters"
    assert page.reading.values[0].text().startswith("4 files")
    assert "Plain text 3" in page.reading.notes[0].text()
    assert ".rar 1" in page.reading.notes[0].text()
    assert page.reading.values[2].text() == catalog.DEFAULT
    assert not page.reading.faster.isVisible()  # little time would be won
    assert heard == []
    QTest.mouseClick(page.reading.read_button, LEFT)
    assert heard == [texts]


def test_the_faster_model_is_offered_where_it_saves_minutes(page: StartPage, texts: Path, wait: Wait) -> None:
    (texts / "long.txt").write_text("Dear friend, the sea was calm. " * 200_000, "utf-8")
    page.preview_folder(texts)
    wait(lambda: page.reading.read_button.isVisible())

    assert page.reading.faster.isVisible()
    assert catalog.FASTER in page.reading.faster.text()
    assert page.reading.choices().model == ""
    QTest.mouseClick(page.reading.faster, LEFT, pos=QPoint(8, page.reading.faster.height() // 2))
    assert page.reading.choices().model == catalog.FASTER


IN_LANGUAGES = {
    "en": "The sea was calm and the ships had left the harbour before the morning came.",
    "fr": "La mer était calme et les bateaux avaient quitté le port avant que le matin ne vienne.",
    "ja": "海は静かで、船は朝が来る前に港を出ていた。",
    "hi": "समुद्र शांत था और जहाज़ सुबह होने से पहले बंदरगाह छोड़ चुके थे।",
    "ko": "바다는 잔잔했고 배들은 아침이 오기 전에 항구를 떠났다.",
}
LESS_WELL = {"en": "the other texts less well", "ko": "다른 글에는 덜 정확함"}


@pytest.mark.parametrize("window", ["en", "ko"])
@pytest.mark.parametrize(
    ("counts", "note", "better", "at_a_price", "checked"),
    [
        ({"fr": 3}, {"en": "does not read French, in which 100%", "ko": "글의 100%가 프랑스어인데"}, True, False, True),
        ({"ja": 3}, {"en": "does not read Japanese, in which 100%", "ko": "글의 100%가 일본어인데"}, True, False, True),
        (
            {"fr": 1, "en": 5, "ko": 4},
            {"en": "does not read French, in which 10%", "ko": "글의 10%가 프랑스어인데"},
            True,
            True,
            False,
        ),
        (
            {"fr": 4, "ja": 3, "en": 3},
            {"en": "does not read French and Japanese, in which 70%", "ko": "글의 70%가 프랑스어, 일본어인데"},
            True,
            True,
            True,
        ),
        ({"hi": 3}, {"en": "search these texts by keyword", "ko": "이런 글은 단어로 검색하세요"}, False, False, False),
        ({"fr": 2, "hi": 1}, {"en": "does not read Hindi either", "ko": "힌디어는 읽지 못합니다"}, True, False, True),
        ({"ko": 5, "en": 5}, {"en": "nothing is sent anywhere", "ko": "아무것도 밖으로"}, False, False, False),
        ({"fr": 1, "en": 10}, {"en": "nothing is sent anywhere", "ko": "아무것도 밖으로"}, False, False, False),
    ],
)
def test_what_the_model_cannot_read_is_said_with_the_model_that_can(
    page: StartPage,
    qapp: QApplication,
    tmp_path: Path,
    wait: Wait,
    window: str,
    counts: dict[str, int],
    note: dict[str, str],
    better: bool,
    at_a_price: bool,
    checked: bool,
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for code, count in counts.items():
        for number in range(count):
            (folder / f"{code}{number}.txt").write_text(IN_LANGUAGES[code], "utf-8")
    language.use(qapp, window)
    try:
        page.preview_folder(folder)
        wait(lambda: page.reading.read_button.isVisible())
        reading = page.reading
        assert note[window] in reading.notes[2].text()
        assert reading.better.isVisible() is better
        assert reading.better.isChecked() is checked
        assert (catalog.MULTILINGUAL in reading.better.text()) is better or not better
        assert (LESS_WELL[window] in reading.better.text()) is at_a_price or not better
        assert reading.choices().model == (catalog.MULTILINGUAL if checked else "")
    finally:
        language.use(qapp, "en")


def test_nothing_is_written_by_looking(page: StartPage, texts: Path, wait: Wait) -> None:
    page.preview_folder(texts)
    wait(lambda: page.reading.read_button.isVisible())

    assert not paths.data().exists()
    QTest.mouseClick(page.reading.back, LEFT)
    assert page.pages.currentIndex() == 0


def test_a_folder_without_files_and_one_that_is_gone_are_told(page: StartPage, tmp_path: Path, wait: Wait) -> None:
    (tmp_path / "bare").mkdir()
    page.preview_folder(tmp_path / "bare")
    wait(lambda: "no files that can be read" in page.reading.state.text())
    assert not page.reading.read_button.isVisible()

    page.preview_folder(tmp_path / "gone")
    wait(lambda: "does not exist" in page.reading.state.text())
    assert page.reading.state.property("kind") == "error"
    assert not page.reading.read_button.isVisible()


def test_a_known_folder_opens_at_once(page: StartPage, sample_copy: Path, wait: Wait) -> None:
    heard = asked(page)

    page.preview_folder(sample_copy)

    wait(lambda: heard == [sample_copy])
    assert page.pages.currentIndex() == 0


def test_the_sample_is_one_click_away(page: StartPage) -> None:
    heard = asked(page)

    QTest.mouseClick(page.sample, LEFT)

    assert heard == [paths.resources() / "sample"]


def test_a_dropped_folder_or_file_is_looked_at(page: StartPage, texts: Path, wait: Wait) -> None:
    for dropped in (texts, texts / "0.txt"):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(dropped))])
        options = (Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
        entering = QDragEnterEvent(QPoint(5, 5), *options)
        QApplication.sendEvent(page, entering)
        assert entering.isAccepted()
        QApplication.sendEvent(page, QDropEvent(QPointF(5, 5), *options))
        wait(lambda: page.reading.read_button.isVisible())
        assert page.reading.title.text() == dropped.name
        page.reading.left.emit()


def test_the_language_is_found_and_tables_can_be_read_by_another_column(
    page: StartPage, tmp_path: Path, wait: Wait
) -> None:
    folder, heard = tmp_path / "한국어", []
    folder.mkdir()
    rows = "".join(
        f"회의 {n},다음 주 회의는 화요일 오후 세 시에 삼 층에서 열립니다.,짧은 말,2024-03-0{n + 1}\n" for n in range(5)
    )
    (folder / "회의.csv").write_text(f"제목,본문,메모,언제\n{rows}", "utf-8")
    (folder / "글.txt").write_text("오늘은 비가 오고 바람이 많이 붑니다. 내일은 맑겠습니다.", "utf-8")
    with zipfile.ZipFile(folder / "묶음.zip", "w") as archive:
        archive.writestr("안.txt", "안에 있는 글입니다.")
    page.open_requested.connect(heard.append)
    page._actions.change_settings(replace(page._session.settings, model=catalog.BUNDLED))
    page.preview_folder(folder)
    wait(lambda: page.reading.read_button.isVisible())
    assert page.reading.values[1].text().startswith("Korean")
    assert "does not read Korean" in page.reading.notes[2].text()
    assert page.reading.better.isVisible()
    assert page.reading.better.isChecked()
    (boxes,) = page.reading.columns.values()
    choice = boxes["text_column"]
    assert [choice.itemText(place) for place in range(choice.count())] == ["제목", "본문", "메모", "언제"]
    assert [box.currentText() for box in boxes.values()] == ["본문", "제목", "언제"]
    assert page.reading.choices() == PlanChoices(model=catalog.DEFAULT)
    assert page.reading.archives.isVisible()
    page.reading.archives.setChecked(False)
    choice.setCurrentIndex(2)
    choices = page.reading.choices()
    assert choices.columns == {"회의.csv": {"text_column": "메모", "title_column": "제목", "date_column": "언제"}}
    assert not choices.archives
    QTest.mouseClick(page.reading.read_button, LEFT)
    wait(lambda: heard == [folder])
    with open_workspace(folder) as workspace:
        options = workspace.file_options("회의.csv")
        assert (options.text_column, options.date_column) == ("메모", "언제")
        first = next(read(folder / "회의.csv", options, Task()))
        assert (first.text, first.title, first.metadata["date"]) == ("짧은 말", "회의 0", "2024-03-01")
        assert (workspace.setting(CHOSEN), workspace.setting(ARCHIVES)) == (choices.model, "no")


def test_recent_folders_show_counts_open_and_can_be_forgotten(
    page: StartPage, sample_copy: Path, tmp_path: Path, wait: Wait
) -> None:
    heard = asked(page)
    gone = tmp_path / "gone"
    page._actions.change_settings(Settings(recent=(str(sample_copy), str(gone))))
    wait(lambda: page.rows[0].recent.documents == 183)

    assert "183 documents" in page.rows[0].accessibleName()
    assert not page.rows[1].recent.there
    page.rows[0].setFocus()
    QTest.keyClick(page.rows[0], Qt.Key.Key_Return)
    assert heard == [sample_copy]
    QTest.keyClick(page.rows[1], Qt.Key.Key_Delete)
    assert page._session.settings.recent == (str(sample_copy),)
    assert [row.recent.folder for row in page.rows] == [sample_copy]


def test_looking_at_recent_folders_makes_no_workspace(texts: Path) -> None:
    found = recent(texts)

    assert (found.there, found.documents) == (True, None)
    assert not paths.data().exists()


def test_a_damaged_workspace_is_only_a_folder_without_counts(sample_copy: Path) -> None:
    (sample_copy / "workspace.db").write_bytes(b"no database" * 500)

    assert recent(sample_copy).documents is None


def test_thumbnails_fit_their_frame() -> None:
    places = np.random.default_rng(0).normal(size=(50_000, 2)).astype(np.float32) * [900, 3]

    found = folder_preview._thumbnail(places)

    assert found is not None
    assert len(found) <= 2 * folder_preview.POINTS
    assert found.min() >= 0
    assert found.max() <= 1


def test_the_guess_grows_with_the_texts_and_falls_with_the_cores() -> None:
    small, large = (folder_preview.text_bytes({"plain": Count(1, size)}) for size in (10**6, 10**8))
    one, four = Settings(threads=1), Settings(threads=4)
    work = 6 * 384**2

    assert folder_preview.seconds(large, work, one) > folder_preview.seconds(small, work, one)
    assert folder_preview.seconds(large, work, four) < folder_preview.seconds(large, work, one)
    assert folder_preview.seconds(large, 8 * work, one) > folder_preview.seconds(large, work, one)
    assert folder_preview.text_bytes({"pdf": Count(1, 10**6)}) < 10**5


def test_the_guess_of_disk_is_near_the_truth_for_the_sample(indexed_sample: Path) -> None:
    folder = paths.resources() / "sample"
    told = plan(folder, Settings(), Task()).disk

    files = (file for file in indexed_sample.rglob("*") if file.is_file() and file.suffix != ".db-wal")
    real = sum(file.stat().st_size for file in files)
    assert real / 3 < told < real * 3


def test_nothing_heavy_is_imported_to_describe_a_folder(texts: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from explorer.settings import Settings; from explorer.task import Task;"
        "from explorer.services.folder_preview import plan, recent;"
        f"print(plan(Path({str(texts)!r}), Settings(), Task()).files, recent(Path({str(texts)!r})).there);"
        "sys.exit(bool({'torch', 'transformers', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split() == ["4", "True"]


def test_both_themes_paint(page: StartPage, qapp: Any) -> None:
    pictures = []
    for look in (theme.LIGHT, theme.DARK):
        theme.apply(qapp, look)
        QApplication.processEvents()
        pictures.append(page.grab().toImage())
    theme.apply(qapp, theme.LIGHT)

    assert pictures[0] != pictures[1]
    assert pictures[1].pixelColor(2, 2).lightness() < 60 < 200 < pictures[0].pixelColor(2, 2).lightness()
