"""Tags and judgements are kept, taken back, carried through a repair, and survive what they can survive."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from explorer.errors import DataError, WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.doctor import examine
from explorer.workspace.overview import clusters
from explorer.workspace.storage import database
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


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

    assert user_words.add_tag(workspace, [first, second, 999], "  to   read ") == (first, second)
    assert user_words.add_tag(workspace, [second, third], "to read") == (third,)
    assert user_words.add_tag(workspace, [first], "가") == (first,)  # letters that were typed apart

    assert user_words.tags_of(workspace)[first] == {"to read", "가"}
    assert user_words.remove_tag(workspace, [first, 999], "to read") == (first,)
    assert user_words.remove_tag(workspace, [first], "to read") == ()
    assert user_words.tags_of(workspace) == {first: {"가"}, second: {"to read"}, third: {"to read"}}


@pytest.mark.parametrize("bad", ["", " \n\t ", "x" * 101])
def test_a_tag_is_a_word(workspace: Workspace, bad: str) -> None:
    with pytest.raises(DataError):
        user_words.add_tag(workspace, ids(workspace), bad)
    assert user_words.tags_of(workspace) == {}


def test_judgements_keep_their_texts(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    first, second, third, *_ = ids(workspace)

    one = user_words.add_judgement(workspace, first, second, 1, "similar")
    two = user_words.add_judgement(workspace, first, third, 4, "grade", first="this", second="that")

    assert user_words.judgements(workspace) == (one, two)
    assert (one.first, one.second) == (workspace.text(first), workspace.text(second))
    assert (two.first, two.second, two.value, two.scale) == ("this", "that", 4, "grade")
    (texts / "1.txt").unlink()
    workspace.update(encoder)
    again = user_words.judgements(workspace)
    assert [(said.first, said.second_document) for said in again] == [(one.first, None), ("this", third)]
    user_words.remove_judgement(workspace, two.id)
    assert [said.id for said in user_words.judgements(workspace)] == [one.id]
    back = user_words.restore_judgement(workspace, two)
    assert (back.first, back.made, back.second_document) == (two.first, two.made, third)
    assert user_words.restore_judgement(workspace, one).second_document is None


def test_a_long_document_is_judged_by_its_beginning(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    (texts / "long.txt").write_text("\n\n".join(f"The dog {n} ran over the stone." for n in range(900)))
    workspace.update(encoder)
    first, *_, last = ids(workspace)

    said = user_words.add_judgement(workspace, first, last, 0, "similar")

    assert 3000 < len(said.second) <= 4000
    assert workspace.text(last).startswith(said.second)
    assert said.second.endswith(".")


def test_judgements_off_the_scale_are_refused(workspace: Workspace) -> None:
    first, second, *_ = ids(workspace)
    for value, scale in ((2, "similar"), (6, "grade"), (-1, "grade")):
        with pytest.raises(DataError):
            user_words.add_judgement(workspace, first, second, value, scale)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="same document"):
        user_words.add_judgement(workspace, first, first, 1, "similar")
    with pytest.raises(WorkspaceError):
        user_words.add_judgement(workspace, first, 999, 1, "similar")
    assert user_words.judgements(workspace) == ()


def test_tags_go_with_their_document_only(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    first, second, *_ = ids(workspace)
    user_words.add_tag(workspace, [first, second], "kept")

    (texts / "0.txt").rename(texts / "moved.txt")
    (texts / "1.txt").write_text("The queen plays music.")
    workspace.update(encoder)
    assert set(user_words.tags_of(workspace)) == {first, second}

    (texts / "1.txt").unlink()
    workspace.update(encoder)
    assert set(user_words.tags_of(workspace)) == {first}


def test_a_reader_cannot_tag(workspace: Workspace) -> None:
    first, second, *_ = ids(workspace)
    with Workspace(workspace.folder, None, writable=False) as reader:
        with pytest.raises(WorkspaceError):
            user_words.add_tag(reader, [first], "x")
        with pytest.raises(WorkspaceError):
            user_words.add_judgement(reader, first, second, 1, "similar")


def said_all(workspace: Workspace) -> list[object]:
    found = user_words.judgements(workspace)
    texts = [(one.first, one.second, one.value, one.scale) for one in found]
    return [user_words.tags_of(workspace), texts, clusters.edits(workspace)]


@pytest.fixture
def said(workspace: Workspace) -> Path:
    """A closed workspace in which the user said something."""
    from explorer.analysis.clusters.edits import RenameCluster

    first, second, *_ = ids(workspace)
    user_words.add_tag(workspace, [first, second], "mine")
    user_words.add_judgement(workspace, first, second, 3, "grade")
    clusters.add_edit(workspace, RenameCluster((b"1", b"2"), "cats"))
    workspace.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    folder = workspace.folder
    workspace.close()
    return folder


def do(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def all_said(folder: Path) -> list[object]:
    with Workspace(folder, None, writable=True) as workspace:
        return said_all(workspace)


def as_version_4(folder: Path) -> None:
    """Take a workspace back to when the user's words were in the cache."""
    with Workspace(folder, None, writable=True) as workspace:
        root = workspace.root
        workspace.set_file_options("1.txt", encoding="cp949")
    file, old = folder / database.FILE, folder / "old.db"
    with closing(sqlite3.connect(old)) as db:
        for step in database.MIGRATIONS[:4]:
            db.executescript(step)
        db.execute("ATTACH ? AS cache", (str(file),))
        db.execute("ATTACH ? AS user", (str(folder / user_database.FILE),))
        for name, made in database.statements(db).items():
            if made.startswith("CREATE VIRTUAL TABLE"):
                continue  # its own tables are copied
            columns = ", ".join(f'"{row[1]}"' for row in db.execute(f"PRAGMA main.table_info({name})"))
            schema = "user" if name in ("tags", "judgements", "cluster_edits", "file_options") else "cache"
            if columns:
                db.execute(f"DELETE FROM main.{name}")
                db.execute(f"INSERT INTO main.{name} ({columns}) SELECT {columns} FROM {schema}.{name}")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('root', ?)", (str(root),))
        db.execute("DELETE FROM meta WHERE key IN ('generation', 'cutting')")
        db.execute("PRAGMA user_version = 4")
        db.commit()
    old.replace(file)
    for path in folder.glob("user.db*"):
        path.unlink()


def test_a_damaged_cache_takes_nothing_of_what_the_user_said(said: Path, encoder: BiEncoder) -> None:
    before = all_said(said)
    (said / database.FILE).write_bytes(b"no database" * 1000)

    assert "problem" not in {finding.state for finding in examine(said, repair=True)}

    with Workspace(said, None, writable=True) as workspace:
        assert said_all(workspace)[1:] == before[1:]
        workspace.update(encoder)
        assert said_all(workspace) == before
        assert all(before)


def test_the_words_of_an_earlier_version_are_moved(said: Path) -> None:
    before = all_said(said)
    as_version_4(said)

    assert all_said(said) == before

    with closing(sqlite3.connect(said / database.FILE)) as db:
        assert not {"tags", "judgements", "file_options"} & database.statements(db).keys()
    with Workspace(said, None, writable=True) as workspace:
        assert workspace.file_options("1.txt").encoding == "cp949"


def test_a_move_that_was_killed_half_way_is_finished(said: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = all_said(said)
    as_version_4(said)
    take_over = user_database.take_over

    def killed(connection: sqlite3.Connection) -> None:
        take_over(connection)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(user_database, "take_over", killed)
        with pytest.raises(KeyboardInterrupt):
            Workspace(said, None, writable=True)
    with Workspace(said, None, writable=False) as reader:
        assert said_all(reader) == before
    assert all_said(said) == before
    assert all_said(said) == before


def test_a_damaged_workspace_of_an_earlier_version_gives_up_its_words(said: Path, encoder: BiEncoder) -> None:
    before = all_said(said)
    as_version_4(said)
    data = (said / database.FILE).read_bytes()
    (said / database.FILE).write_bytes(data[:18] + b"\x07" + data[19:])  # a format that SQLite does not write

    assert "all your tags, ratings and names were saved" in examine(said, repair=True)[1].message

    assert (said / "workspace.db.damaged-1").is_file()
    with Workspace(said, None, writable=True) as workspace:
        workspace.update(encoder)
        assert said_all(workspace) == before
        assert workspace.file_options("1.txt").encoding == "cp949"


def page_of(file: Path, table: str) -> int:
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0])


@pytest.mark.parametrize("table", ["settings", "document_keys", "tags", "judgements", "cluster_edits"])
def test_damaged_words_are_recovered_from_the_file_and_its_copy(said: Path, table: str, encoder: BiEncoder) -> None:
    before = all_said(said)  # opening it makes the copy
    file = said / user_database.FILE
    do(file)  # empties the log
    data = bytearray(file.read_bytes())
    start = (page_of(file, table) - 1) * 4096
    data[start : start + 4096] = b"\x77" * 4096
    file.write_bytes(data)

    assert [finding.state for finding in examine(said) if finding.check == "user"] == ["problem"]
    (finding,) = (finding for finding in examine(said, repair=True) if finding.check == "user")

    assert (finding.state, "may be lost" in finding.message) == ("repaired", True)
    assert (said / "user.db.damaged-1").is_file()
    with Workspace(said, None, writable=True) as workspace:
        workspace.update(encoder)
        assert said_all(workspace) == before


def test_words_that_are_no_database_any_more_come_from_the_copy(said: Path, encoder: BiEncoder) -> None:
    before = all_said(said)
    (said / user_database.FILE).write_bytes(b"no database" * 1000)

    with pytest.raises(WorkspaceError, match=r"user\.db.*doctor --repair"):
        Workspace(said, None, writable=True)
    examine(said, repair=True)

    assert all_said(said) == before
    with Workspace(said, None, writable=True) as workspace:
        workspace.update(encoder)
        assert said_all(workspace) == before


def test_the_copy_is_never_one_of_damaged_words(said: Path) -> None:
    all_said(said)
    copy = (said / user_database.BACKUP).read_bytes()
    do(said / user_database.FILE)
    data = bytearray((said / user_database.FILE).read_bytes())
    start = (page_of(said / user_database.FILE, "tags") - 1) * 4096
    data[start : start + 4096] = b"\x77" * 4096
    (said / user_database.FILE).write_bytes(data)

    with Workspace(said, None, writable=True), suppress(sqlite3.DatabaseError):
        pass

    assert (said / user_database.BACKUP).read_bytes() == copy


def test_words_copied_from_elsewhere_find_their_documents(said: Path, tmp_path: Path, encoder: BiEncoder) -> None:
    before = all_said(said)
    with Workspace(said, None, writable=True) as workspace:
        root, names = workspace.root, {entry.id: entry.path for entry in workspace.documents()}
    other = tmp_path / "other"
    (root / "00.txt").write_text("Comes first, so that all others have other ids.")
    with Workspace(other, root, writable=True) as workspace:
        workspace.update(encoder)
    for path in other.glob("user.db*"):
        path.unlink()
    shutil.copy(said / user_database.FILE, other)

    with Workspace(other, root, writable=True) as workspace:
        workspace.update(encoder)
        assert said_all(workspace) == before
        for document in user_words.tags_of(workspace):
            assert workspace.document(document).path == names[document]


def test_a_document_that_comes_back_has_its_tags(workspace: Workspace, texts: Path, encoder: BiEncoder) -> None:
    first, *_ = ids(workspace)
    user_words.add_tag(workspace, [first], "kept")
    text = (texts / "0.txt").read_text()
    (texts / "0.txt").unlink()
    workspace.update(encoder)
    assert user_words.tags_of(workspace) == {}

    (texts / "0.txt").write_text("Quite another text.")
    workspace.update(encoder)
    assert user_words.tags_of(workspace) == {}

    (texts / "again.txt").write_text(text)
    workspace.update(encoder)
    (document,) = user_words.tags_of(workspace)
    assert workspace.document(document).path == "again.txt"


def test_words_that_were_deleted_come_back_from_the_copy(said: Path) -> None:
    before = all_said(said)
    (said / user_database.FILE).unlink()

    assert all_said(said) == before
