"""Tags and judgements are kept, taken back, carried through a repair, and survive what they can survive."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import DataError, WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.device import choose
from explorer.workspace import clustering, store, tags
from explorer.workspace.doctor import examine
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(5):
        (root / f"{number}.txt").write_text(f"The cat number {number} sat on the mat.", encoding="utf-8")
    return root


@pytest.fixture
def workspace(texts: Path, encoder: BiEncoder) -> Iterator[Workspace]:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        yield workspace


def ids(workspace: Workspace) -> list[int]:
    return [entry.id for entry in workspace.documents()]


def test_tags_come_and_go(workspace: Workspace) -> None:
    first, second, third, *_ = ids(workspace)

    assert tags.add_tag(workspace, [first, second, 999], "  to   read ") == (first, second)
    assert tags.add_tag(workspace, [second, third], "to read") == (third,)
    assert tags.add_tag(workspace, [first], "가") == (first,)  # letters that were typed apart

    assert tags.tags_of(workspace)[first] == {"to read", "가"}
    assert list(tags.all_tags(workspace).items()) == [("to read", 3), ("가", 1)]
    assert tags.remove_tag(workspace, [first, 999], "to read") == (first,)
    assert tags.remove_tag(workspace, [first], "to read") == ()
    assert tags.tags_of(workspace) == {first: {"가"}, second: {"to read"}, third: {"to read"}}


@pytest.mark.parametrize("bad", ["", " \n\t ", "x" * 101])
def test_a_tag_is_a_word(workspace: Workspace, bad: str) -> None:
    with pytest.raises(DataError):
        tags.add_tag(workspace, ids(workspace), bad)
    assert tags.all_tags(workspace) == {}


def test_judgements_keep_their_texts(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    first, second, third, *_ = ids(workspace)

    one = tags.add_judgement(workspace, first, second, 1, "similar")
    two = tags.add_judgement(workspace, first, third, 4, "grade", first="this", second="that")

    assert tags.judgements(workspace) == (one, two)
    assert (one.first, one.second) == (workspace.text(first), workspace.text(second))
    assert (two.first, two.second, two.value, two.scale) == ("this", "that", 4, "grade")
    (texts / "1.txt").unlink()
    workspace.update(encoder)
    again = tags.judgements(workspace)
    assert [(said.first, said.second_document) for said in again] == [(one.first, None), ("this", third)]
    tags.remove_judgement(workspace, two.id)
    assert [said.id for said in tags.judgements(workspace)] == [one.id]
    back = tags.restore_judgement(workspace, two)
    assert (back.first, back.made, back.second_document) == (two.first, two.made, third)
    assert tags.restore_judgement(workspace, one).second_document is None


def test_a_long_document_is_judged_by_its_beginning(
    workspace: Workspace, texts: Path, encoder: BiEncoder
) -> None:
    (texts / "long.txt").write_text("\n\n".join(f"The dog {n} ran over the stone." for n in range(900)))
    workspace.update(encoder)
    first, *_, last = ids(workspace)

    said = tags.add_judgement(workspace, first, last, 0, "similar")

    assert 3000 < len(said.second) <= 4000
    assert workspace.text(last).startswith(said.second)
    assert said.second.endswith(".")


def test_judgements_off_the_scale_are_refused(workspace: Workspace) -> None:
    first, second, *_ = ids(workspace)
    for value, scale in ((2, "similar"), (6, "grade"), (-1, "grade")):
        with pytest.raises(DataError):
            tags.add_judgement(workspace, first, second, value, scale)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="same document"):
        tags.add_judgement(workspace, first, first, 1, "similar")
    with pytest.raises(WorkspaceError):
        tags.add_judgement(workspace, first, 999, 1, "similar")
    assert tags.judgements(workspace) == ()


def test_tags_go_with_their_document_only(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    first, second, *_ = ids(workspace)
    tags.add_tag(workspace, [first, second], "kept")

    (texts / "0.txt").rename(texts / "moved.txt")
    (texts / "1.txt").write_text("The queen plays music.")
    workspace.update(encoder)
    assert set(tags.tags_of(workspace)) == {first, second}

    (texts / "1.txt").unlink()
    workspace.update(encoder)
    assert set(tags.tags_of(workspace)) == {first}


def test_a_reader_cannot_tag(workspace: Workspace) -> None:
    first, second, *_ = ids(workspace)
    with Workspace(workspace.folder, None, writable=False) as reader:
        with pytest.raises(WorkspaceError):
            tags.add_tag(reader, [first], "x")
        with pytest.raises(WorkspaceError):
            tags.add_judgement(reader, first, second, 1, "similar")


def said_all(workspace: Workspace) -> list[object]:
    found = tags.judgements(workspace)
    texts = [(one.first, one.second, one.value, one.scale) for one in found]
    return [tags.tags_of(workspace), texts, clustering.edits(workspace)]


@pytest.fixture
def said(workspace: Workspace) -> Path:
    """A closed workspace in which the user said something."""
    from explorer.index.cluster_edits import Rename

    first, second, *_ = ids(workspace)
    tags.add_tag(workspace, [first, second], "mine")
    tags.add_judgement(workspace, first, second, 3, "grade")
    clustering.add_edit(workspace, Rename((b"1", b"2"), "cats"))
    workspace.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    folder = workspace.folder
    workspace.close()
    return folder


def do(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / store.FILE)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_a_repair_saves_what_the_user_said(said: Path) -> None:
    with Workspace(said, None, writable=True) as workspace:
        before = said_all(workspace)
    do(said, "DROP TABLE file_options")

    examine(said, repair=True)

    with Workspace(said, None, writable=True) as workspace:
        assert said_all(workspace) == before
        assert all(before)


def test_without_documents_only_judgements_are_of_use(said: Path) -> None:
    with Workspace(said, None, writable=True) as workspace:
        judged = said_all(workspace)[1]
    do(said, "DROP TABLE documents")

    told = examine(said, repair=True)[0].message

    assert "your tags" in told
    assert "your changes to clusters" in told
    assert "pairs" not in told
    with Workspace(said, None, writable=True) as workspace:
        assert said_all(workspace) == [{}, judged, ()]
        assert workspace.connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_workspace_of_an_older_version_lost_nothing(said: Path) -> None:
    do(said, "DROP TABLE tags", "DROP TABLE judgements", "DROP TABLE file_options", "PRAGMA user_version = 3")
    data = (said / store.FILE).read_bytes()
    (said / store.FILE).write_bytes(data[:18] + b"\x07" + data[19:])  # a format that SQLite does not write

    told = examine(said, repair=True)[0].message

    assert "your" not in told
    with Workspace(said, None, writable=True) as workspace:
        assert len(clustering.edits(workspace)) == 1


def test_older_workspaces_get_the_tables(said: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(said, old)
    do(old, "DROP TABLE tags", "DROP TABLE judgements", "PRAGMA user_version = 3")

    with Workspace(old, None, writable=True) as workspace:
        assert store.version(workspace.connection) == store.VERSION
        assert tags.add_tag(workspace, ids(workspace)[:1], "new")


def test_orphans_are_removed_and_judgements_kept(said: Path) -> None:
    do(said, "PRAGMA foreign_keys = OFF", "DELETE FROM documents WHERE id = 1")

    states = {finding.check: finding.state for finding in examine(said, repair=True)}
    assert states["references"] == "repaired"

    assert {finding.check: finding.state for finding in examine(said)}["references"] == "ok"
    with Workspace(said, None, writable=True) as workspace:
        assert 1 not in tags.tags_of(workspace)
        assert [one.first_document for one in tags.judgements(workspace)] == [None]
