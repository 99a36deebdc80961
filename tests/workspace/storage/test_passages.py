"""The indexes of words: made anew when the analysis changes, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.storage import passages
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


@pytest.fixture
def workspace(tmp_path: Path, encoder: BiEncoder):
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(5):
        (texts / f"{number}.txt").write_text(f"The cat number {number} sat on the mat.")
    with open_workspace(texts) as opened:
        opened.update(encoder)
        yield opened


def found(workspace: Workspace, term: str) -> int:
    query = "SELECT count(*) FROM words WHERE words MATCH ?"
    return int(workspace.connection.execute(query, (term,)).fetchone()[0])


def analyse_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "version", lambda: "another analysis")
    monkeypatch.setattr(passages, "analyse_all", lambda texts: (f"new {text}" for text in texts))


def test_another_analysis_makes_the_words_anew(
    workspace: Workspace, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(workspace, "new") == 0
    analyse_otherwise(monkeypatch)
    workspace.update(encoder)
    assert (found(workspace, "new"), found(workspace, "cat")) == (5, 5)
    monkeypatch.setattr(passages, "analyse_all", lambda _: pytest.fail("analysed again"))
    workspace.update(encoder)


def test_a_cancelled_renewal_goes_on_where_it_stopped(
    workspace: Workspace, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyse_otherwise(monkeypatch)
    monkeypatch.setattr(passages, "_PASSAGES_A_COMMIT", 2)
    seen = []

    def told(progress: Progress) -> None:
        if progress.note == "rebuilding the word index":
            seen.append(progress.done)
            if len(seen) == 2:
                task.cancel()

    task = Task(told)
    with pytest.raises(Cancelled):
        workspace.update(encoder, task=task)
    assert found(workspace, "new") == 2
    workspace.update(encoder, task=Task(told))
    assert found(workspace, "new") == 5
    assert seen == [2, 4, 4, 5]


def test_options_of_a_file_are_added_to_those_it_has(workspace: Workspace) -> None:
    workspace.set_file_options("1.txt", encoding="cp949")
    workspace.set_file_options("1.txt", repair=False)
    workspace.set_file_options("1.txt", encoding="latin-1")
    (options,) = workspace.connection.execute("SELECT options FROM file_options").fetchone()
    assert options == '{"encoding": "latin-1", "repair": false}'
