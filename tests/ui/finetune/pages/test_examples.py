"""Examples from a file: guessed and shown, read otherwise on demand; what cannot be used is a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Wait = Callable[..., None]


@pytest.fixture
def page(actions: Any, shown: Callable[[Any], Any]) -> Any:
    from explorer.ui.finetune.pages.examples import ExamplesPage

    made = ExamplesPage(actions.session, actions)
    made.begin("duplicates")
    return shown(made)


def looked_at(page: Any, wait: Wait, path: Path) -> Any:
    page.take_file(path)
    wait(lambda: page.preview is not None or bool(page.stage.sentence))
    return page.preview


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_file_is_guessed_and_shown(page: Any, wait: Wait, scored: Path) -> None:
    assert page.source() is None
    assert "CSV" in page.stage.sentence
    found = looked_at(page, wait, scored)
    assert (found.usable, found.kind, found.score_range) == (60, "scored", (0.0, 5.0))
    assert page.file.roles["first"].currentText() == "sentence1"
    assert page.preview_summary.table.shown.rowCount() == 60
    assert "60" in page.preview_summary.count.text()
    assert page.source().path == "pairs.csv"
    assert page.folder() == scored.parent


def test_columns_that_are_not_guessed_are_chosen(page: Any, wait: Wait, tmp_path: Path) -> None:
    rows = "".join(f"one {n},two {n},{n % 5}\n" for n in range(30))
    found = looked_at(page, wait, write(tmp_path / "odd.csv", "left,right,grade\n" + rows))
    assert not found.trainable
    assert "left, right, grade" in found.trouble
    assert page.preview_summary.table.shown.rows[0] == ("one 0", "two 0", "0")
    assert page.source() is None
    for role, column in (("first", "left"), ("second", "right"), ("score", "grade")):
        box = page.file.roles[role]
        box.setCurrentText(column)
        box.activated.emit(box.currentIndex())
        wait(lambda: page.preview is not None)
    assert page.preview.usable == 30
    assert dict(page.source().columns) == {"first": "left", "second": "right", "score": "grade"}


def test_the_range_is_edited_and_what_lies_outside_is_told(page: Any, wait: Wait, scored: Path) -> None:
    looked_at(page, wait, scored)
    page.file.high.setText("4")
    page.file.high.editingFinished.emit()
    wait(lambda: page.preview is not None and page.preview.score_range == (0.0, 4.0))
    assert page.preview.left_out == 10
    assert page.preview.problems[0][0] == 7  # the first pair with a 5, below the header
    assert "7" in page.preview_summary.problems.text()
    page.file.low_is_same.click()
    wait(lambda: page.preview is not None)
    assert page.source().low_is_same


def test_labels_are_renamed_joined_and_left_out(page: Any, wait: Wait, tmp_path: Path) -> None:
    from explorer.ui.finetune.pages.file_options import LabelDialog

    labels = ("entailment", "neutral", "contradiction")
    rows = "".join(f"first {n}\tsecond {n}\t{labels[n % 3]}\n" for n in range(60))
    found = looked_at(page, wait, write(tmp_path / "nli.tsv", "premise\thypothesis\tlabel\n" + rows))
    assert dict(found.labels) == dict.fromkeys(labels, 20)
    box = LabelDialog(found.labels, {})
    for row in range(3):
        name = box.table.item(row, 0).text()
        box.table.item(row, 1).setText({"entailment": "same", "neutral": "", "contradiction": "other"}[name])
    assert box.names() == {"entailment": "same", "neutral": "", "contradiction": "other"}
    page.file._change(rename=box.names())
    wait(lambda: page.preview is not None)
    assert dict(page.preview.labels) == {"same": 20, "other": 20}
    again = LabelDialog(page.preview.labels, page.source().rename)
    assert again.names() == box.names()
    for one in (box, again):
        one.deleteLater()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("empty.csv", "", "empty.csv"),
        ("picture.png", "\x89PNG\r\n\x1a\n\0\0\0", "picture.png"),
        ("one.csv", "sentence1,sentence2,score\na b,c d,3\n", "one.csv"),
        ("same.csv", "sentence1,sentence2,score\n" + "".join(f"a {n},b {n},3\n" for n in range(60)), "score"),
    ],
)
def test_a_bad_file_is_a_sentence(page: Any, wait: Wait, tmp_path: Path, name: str, text: str, told: str) -> None:
    found = looked_at(page, wait, write(tmp_path / name, text))
    said = page.stage.sentence or found.trouble or " ".join(sentence for sentence, fatal in found.remarks if fatal)
    assert told in said or name == "one.csv"
    assert said
    assert page.source() is None


def test_a_file_that_is_gone_is_a_sentence_and_another_can_be_dropped(
    page: Any, wait: Wait, tmp_path: Path, scored: Path
) -> None:
    from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
    from PySide6.QtGui import QDropEvent

    assert looked_at(page, wait, tmp_path / "gone.csv") is None
    assert "gone.csv" in page.stage.sentence
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(scored))])
    event = QDropEvent(
        QPointF(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    page.dropEvent(event)
    wait(lambda: page.preview is not None)
    assert page.preview.usable == 60
    assert not page.stage.covered
