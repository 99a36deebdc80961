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
from explorer.models.runtime.device import choose
from explorer.workspace.overview import clusters
from explorer.workspace.repair.doctor import examine
from explorer.workspace.storage import annotations as storage_annotations
from explorer.workspace.storage import database
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

    assert storage_annotations.add_tag(workspace, [first, second, 999], "  to   read ") == (first, second)
    assert storage_annotations.add_tag(workspace, [second, third], "to read") == (third,)
    assert storage_annotations.add_tag(workspace, [first], "가") == (first,)  # letters that were typed apart

    assert storage_annotations.tags_of(workspace)[first] == {"to read", "가"}
    assert list(storage_annotations.all_tags(workspace).items()) == [("to read", 3), ("가", 1)]
    assert storage_annotations.remove_tag(workspace, [first, 999], "to read") == (first,)
    assert storage_annotations.remove_tag(workspace, [first], "to read") == ()
    assert storage_annotations.tags_of(workspace) == {first: {"가"}, second: {"to read"}, third: {"to read"}}


@pytest.mark.parametrize("bad", ["", " \n\t ", "x" * 101])
def test_a_tag_is_a_word(workspace: Workspace, bad: str) -> None:
    with pytest.raises(DataError):
        storage_annotations.add_tag(workspace, ids(workspace), bad)
    assert storage_annotations.all_tags(workspace) == {}


def test_judgements_keep_their_texts(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    first, second, third, *_ = ids(workspace)

    one = storage_annotations.add_judgement(workspace, first, second, 1, "similar")
    two = storage_annotations.add_judgement(workspace, first, third, 4, "grade", first="this", second="that")

    assert storage_annotations.judgements(workspace) == (one, two)
    assert (one.first, one.second) == (workspace.text(first), workspace.text(second))
    assert (two.first, two.second, two.value, two.scale) == ("this", "that", 4, "grade")
    (texts / "1.txt").unlink()
    workspace.update(encoder)
    again = storage_annotations.judgements(workspace)
    assert [(said.first, said.second_document) for said in again] == [(one.first, None), ("this", third)]
    storage_annotations.remove_judgement(workspace, two.id)
    assert [said.id for said in storage_annotations.judgements(workspace)] == [one.id]
    back = storage_annotations.restore_judgement(workspace, two)
    assert (back.first, back.made, back.second_document) == (two.first, two.made, third)
    assert storage_annotations.restore_judgement(workspace, one).second_document is None


def test_a_long_document_is_judged_by_its_beginning(
    workspace: Workspace, texts: Path, encoder: BiEncoder
) -> None:
    (texts / "long.txt").write_text("\n\n".join(f"The dog {n} ran over the stone." for n in range(900)))
    workspace.update(encoder)
    first, *_, last = ids(workspace)

    said = storage_annotations.add_judgement(workspace, first, last, 0, "similar")

    assert 3000 < len(said.second) <= 4000
    assert workspace.text(last).startswith(said.second)
    assert said.second.endswith(".")


def test_judgements_off_the_scale_are_refused(workspace: Workspace) -> None:
    first, second, *_ = ids(workspace)
    for value, scale in ((2, "similar"), (6, "grade"), (-1, "grade")):
        with pytest.raises(DataError):
            storage_annotations.add_judgement(workspace, first, second, value, scale)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="same document"):
        storage_annotations.add_judgement(workspace, first, first, 1, "similar")
    with pytest.raises(WorkspaceError):
        storage_annotations.add_judgement(workspace, first, 999, 1, "similar")
    assert storage_annotations.judgements(workspace) == ()


def test_tags_go_with_their_document_only(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    first, second, *_ = ids(workspace)
    storage_annotations.add_tag(workspace, [first, second], "kept")

    (texts / "0.txt").rename(texts / "moved.txt")
    (texts / "1.txt").write_text("The queen plays music.")
    workspace.update(encoder)
    assert set(storage_annotations.tags_of(workspace)) == {first, second}

    (texts / "1.txt").unlink()
    workspace.update(encoder)
    assert set(storage_annotations.tags_of(workspace)) == {first}


def test_a_reader_cannot_tag(workspace: Workspace) -> None:
    first, second, *_ = ids(workspace)
    with Workspace(workspace.folder, None, writable=False) as reader:
        with pytest.raises(WorkspaceError):
            storage_annotations.add_tag(reader, [first], "x")
        with pytest.raises(WorkspaceError):
            storage_annotations.add_judgement(reader, first, second, 1, "similar")


def said_all(workspace: Workspace) -> list[object]:
    found = storage_annotations.judgements(workspace)
    texts = [(one.first, one.second, one.value, one.scale) for one in found]
    return [storage_annotations.tags_of(workspace), texts, clusters.edits(workspace)]


@pytest.fixture
def said(workspace: Workspace) -> Path:
    """A closed workspace in which the user said something."""
    from explorer.analysis.clusters.edits import RenameCluster

    first, second, *_ = ids(workspace)
    storage_annotations.add_tag(workspace, [first, second], "mine")
    storage_annotations.add_judgement(workspace, first, second, 3, "grade")
    clusters.add_edit(workspace, RenameCluster((b"1", b"2"), "cats"))
    workspace.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    folder = workspace.folder
    workspace.close()
    return folder


def do(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / database.FILE)) as db:
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
    data = (said / database.FILE).read_bytes()
    (said / database.FILE).write_bytes(data[:18] + b"\x07" + data[19:])  # a format that SQLite does not write

    told = examine(said, repair=True)[0].message

    assert "your" not in told
    with Workspace(said, None, writable=True) as workspace:
        assert len(clusters.edits(workspace)) == 1


def test_older_workspaces_get_the_tables(said: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(said, old)
    do(old, "DROP TABLE tags", "DROP TABLE judgements", "PRAGMA user_version = 3")

    with Workspace(old, None, writable=True) as workspace:
        assert database.version(workspace.connection) == database.VERSION
        assert storage_annotations.add_tag(workspace, ids(workspace)[:1], "new")


def test_orphans_are_removed_and_judgements_kept(said: Path) -> None:
    do(said, "PRAGMA foreign_keys = OFF", "DELETE FROM documents WHERE id = 1")

    states = {finding.check: finding.state for finding in examine(said, repair=True)}
    assert states["references"] == "repaired"

    assert {finding.check: finding.state for finding in examine(said)}["references"] == "ok"
    with Workspace(said, None, writable=True) as workspace:
        assert 1 not in storage_annotations.tags_of(workspace)
        assert [one.first_document for one in storage_annotations.judgements(workspace)] == [None]
