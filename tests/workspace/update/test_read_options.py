"""How single files are read: the encoding, the column of the texts, the lines."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.corpus.document import ReadOptions
from explorer.errors import DataError, WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Task
from explorer.workspace.update.read_options import choose_encodings, choose_lines, file_of, how_read, read_otherwise
from explorer.workspace.update.watch import UpdateOptions
from explorer.workspace.workspace import Workspace, open_workspace

KOREAN = "한국 어 문 장 입니다. 고양이가 밤에 조용히 지붕 위를 걸어 다닙니다. "


@pytest.fixture(scope="module")
def how(checkpoints: dict[str, Path]) -> UpdateOptions:
    return UpdateOptions(BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32")))


@pytest.fixture
def workspace(tmp_path: Path, how: UpdateOptions) -> Iterator[Workspace]:
    root = tmp_path / "texts"
    root.mkdir()
    (root / "a.txt").write_text("The cat sat.\n\n  The dog ran.  \nThe king plays", encoding="utf-8")
    (root / "b.txt").write_text("The cat b.txt sat on the mat.", encoding="utf-8")
    rows = "".join(f"The cat {n} sat,The king plays loud music {n},{n}\n" for n in range(5))
    (root / "t.csv").write_text(f"first,second,number\n{rows}", encoding="utf-8")
    with open_workspace(root) as opened:
        how.once(opened, Task())
        yield opened


def texts(workspace: Workspace, path: str) -> dict[str, str]:
    return {entry.part: workspace.text(entry.id) for entry in workspace.documents() if entry.path == path}


def test_lines_become_documents_and_one_again(workspace: Workspace, how: UpdateOptions) -> None:
    assert texts(workspace, "a.txt").keys() == {""}
    choose_lines(workspace, ["a.txt"])
    assert how.once(workspace, Task()).read == 1
    assert texts(workspace, "a.txt") == {"line 1": "The cat sat.", "line 3": "The dog ran.", "line 4": "The king plays"}
    assert [entry.title for entry in workspace.documents() if entry.path == "a.txt"][1] == "The dog ran."
    assert how.once(workspace, Task()).read == 0
    choose_lines(workspace, ["a.txt"], lines=False)
    how.once(workspace, Task())
    assert texts(workspace, "a.txt").keys() == {""}


def test_another_column_is_chosen_and_taken_back(workspace: Workspace, how: UpdateOptions) -> None:
    found = how_read(workspace, "t.csv")
    assert (found.columns, found.text_column) == (("first", "second", "number"), "second")
    assert (found.has_encoding, found.has_lines) == (True, False)
    read_otherwise(workspace, "t.csv", text_column="first")
    how.once(workspace, Task())
    assert texts(workspace, "t.csv")["row 1"] == "The cat 0 sat"
    chosen = how_read(workspace, "t.csv")
    assert (chosen.chosen, chosen.text_column) == (ReadOptions(text_column="first"), "second")
    read_otherwise(workspace, "t.csv")
    how.once(workspace, Task())
    assert texts(workspace, "t.csv")["row 1"] == "The king plays loud music 0"


def test_what_can_be_chosen_depends_on_the_file(workspace: Workspace) -> None:
    found = how_read(workspace, "a.txt")
    assert (found.has_encoding, found.has_lines, found.columns) == (True, True, ())
    (workspace.root / "p.pdf").write_bytes(b"%PDF-1.4")
    found = how_read(workspace, "p.pdf")
    assert (found.has_encoding, found.has_lines, found.columns) == (False, False, ())
    with pytest.raises(DataError, match="no such file"):
        how_read(workspace, "../a.txt")
    with pytest.raises(DataError, match="is not known"):
        read_otherwise(workspace, "a.txt", encoding="klingon")
    (workspace.root / "broken.json").write_text('{"a": ')
    found = how_read(workspace, "broken.json")
    assert (found.has_encoding, found.columns) == (True, ())
    with pytest.raises(DataError, match="not plain text"):
        choose_lines(workspace, ["a.txt", "t.csv"])
    assert how_read(workspace, "a.txt").chosen == ReadOptions()


def test_a_chosen_encoding_is_used_and_kept_and_taken_back(workspace: Workspace, how: UpdateOptions) -> None:
    (workspace.root / "sub").mkdir()
    (workspace.root / "sub/k.txt").write_bytes((KOREAN * 20).encode("cp949"))
    choose_encodings(workspace, [("sub/k.txt", "latin-1")])
    how.once(workspace, Task())
    (entry,) = (entry for entry in workspace.documents() if entry.path == "sub/k.txt")
    assert KOREAN[:5] not in workspace.text(entry.id)
    choose_encodings(workspace, [("./sub/../sub/k.txt", "cp949")])
    assert how.once(workspace, Task()).read == 1
    assert workspace.text(entry.id).startswith(KOREAN[:5])
    assert how.once(workspace, Task()).read == 0
    choose_encodings(workspace, [(str(workspace.root / "sub/k.txt"), "auto")])
    assert how.once(workspace, Task()).read == 1
    assert workspace.text(entry.id).startswith(KOREAN[:5])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems compose or refuse such names")
@pytest.mark.parametrize(
    "raw", [unicodedata.normalize("NFD", "한글.txt").encode(), "한글.txt".encode("cp949"), b"\xff\xfe.txt"]
)
def test_a_file_is_found_by_the_name_that_is_shown(workspace: Workspace, how: UpdateOptions, raw: bytes) -> None:
    file = workspace.root / os.fsdecode(raw)
    file.write_bytes((KOREAN * 20).encode("cp949"))
    how.once(workspace, Task())
    (entry,) = (entry for entry in workspace.documents() if entry.path not in ("a.txt", "b.txt", "t.csv"))
    assert file_of(workspace, entry.id) == file
    assert how_read(workspace, entry.path).path == entry.path
    choose_encodings(workspace, [(entry.path, "latin-1")])
    how.once(workspace, Task())
    assert KOREAN[:5] not in workspace.text(entry.id)
    choose_encodings(workspace, [(os.fsdecode(raw), "cp949")])  # as it is typed
    choose_lines(workspace, [entry.path])
    assert how_read(workspace, os.fsdecode(raw)).chosen == ReadOptions(encoding="cp949", lines=True)


@pytest.mark.parametrize(
    ("path", "name", "sentence"),
    [
        ("a.txt", "klingon", "“klingon” is not known"),
        ("a.txt", "hex", "“hex” is not known"),
        ("a.txt", "punycode", "“punycode” is not known"),
        ("nowhere.txt", "cp949", "no such file in"),
        ("../outside.txt", "cp949", "no such file in"),
    ],
)
def test_bad_choices_are_a_sentence_and_nothing_is_noted(
    workspace: Workspace, path: str, name: str, sentence: str
) -> None:
    (workspace.root.parent / "outside.txt").write_text("not in the folder")
    with pytest.raises(DataError, match=sentence):
        choose_encodings(workspace, [("b.txt", "utf-8"), (path, name)])
    assert workspace.connection.execute("SELECT count(*) FROM file_options").fetchone() == (0,)


def test_a_reader_may_not_choose(workspace: Workspace) -> None:
    with open_workspace(workspace.root) as second, pytest.raises(WorkspaceError, match="another window"):
        choose_encodings(second, [("a.txt", "cp949")])


def test_repair_of_one_file_is_turned_off_and_on(workspace: Workspace, how: UpdateOptions) -> None:
    broken = "cafÃ© crÃ¨me Ã\xa0 la carte"
    (workspace.root / "twice.txt").write_text(broken, encoding="utf-8")
    for repair, text in ((True, "café crème à la carte"), (False, broken), (True, "café crème à la carte")):
        read_otherwise(workspace, "twice.txt", repair=repair)
        how.once(workspace, Task())
        (entry,) = [entry for entry in workspace.documents() if entry.path == "twice.txt"]
        assert workspace.text(entry.id) == text
        assert ("repaired" in entry.remarks[0]) == repair


def test_an_uncertain_encoding_is_a_problem(workspace: Workspace, how: UpdateOptions) -> None:
    (workspace.root / "kazakh.txt").write_bytes(
        "Қазақстан Республикасының Конституциясы әр азаматтың құқығын қорғайды".encode("ptcp154")
    )
    how.once(workspace, Task())
    (problem,) = [problem for problem in workspace.problems() if problem.path == "kazakh.txt"]
    assert problem.reason == "uncertain"
    assert "please check" in problem.message
    read_otherwise(workspace, "kazakh.txt", encoding="ptcp154")
    how.once(workspace, Task())
    assert [problem for problem in workspace.problems() if problem.path == "kazakh.txt"] == []
