"""report as people and programs call it."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.workspace.storage.user import words as user_words
from explorer.workspace.workspace import open_workspace
from tests.cli.conftest import Run
from tests.conftest import WORDS, Indexed

NAME = "<script>alert(1)</script>"


@pytest.fixture
def texts(indexed: Indexed) -> Path:
    """A dozen documents, one of them with a name that no page may run."""
    rows = "".join(
        f"{title},the cat sat on the {WORDS[number]}\n"
        for number, title in enumerate([NAME, *(f"t{n}" for n in range(1, 12))])
    )
    return indexed({"rows.csv": "title,text\n" + rows})


def test_named_documents_are_reported(run: Run, texts: Path, tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    code, data, err = run("report", texts, NAME, "t3", "--out", out, "--model", tiny, "--language", "ko")
    assert (code, data, err) == (0, {"out": str(out), "documents": 2}, "")
    page = out.read_text("utf-8")
    assert page.count("<article") == 2
    assert "<script" not in page
    assert "전체 12개 중 2개" in page
    assert page.count("<circle") == 12


def test_a_query_and_a_tag_choose_documents(run: Run, texts: Path, tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    code, data, err = run("report", texts, "--query", "cat", "-k", 5, "--out", out, "--model", tiny)
    assert (code, data["documents"], err) == (0, 5, "")
    assert "<mark>" in out.read_text("utf-8")
    with open_workspace(texts) as workspace:
        numbers = [entry.id for entry in workspace.documents()][:3]
        user_words.add_tag(workspace, numbers, "odd")
    assert run("report", texts, "--tag", "odd", "--out", out, "--model", tiny)[1]["documents"] == 3
    code, _, err = run("report", texts, "--tag", "none", "--out", out)
    assert code == 1
    assert "Tags in use: odd" in err


def test_what_it_cannot_do_is_a_sentence(run: Run, texts: Path, tmp_path: Path) -> None:
    for words, told in (
        (("t1", "--out", tmp_path / "page.pdf"), ".html"),
        (("--out", tmp_path / "page.html"), "--query WORDS"),
        (("t1", "--tag", "x", "--out", tmp_path / "page.html"), "--query WORDS"),
    ):
        code, _, err = run("report", texts, *words)
        assert code == 1
        assert told in err
    assert list(tmp_path.glob("page*")) == []
