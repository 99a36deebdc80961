"""A bit that changes in a database on the disk is noticed; what a program wrote is not taken for damage."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.doctor import examine
from explorer.workspace.storage import database, database_checksums
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.workspace import open_workspace


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with a workspace that was closed."""
    (tmp_path / "a.txt").write_text("cold winter river")
    with open_workspace(tmp_path, inside=True) as workspace:
        workspace.set_setting("model name", "some model")
    database_checksums._verified.clear()  # as in the next process
    return tmp_path


def turn_bit(file: Path, found: bytes = b"") -> None:
    """Turn a bit of some bytes, or of the last page, and leave the file its time, as a disk does."""
    before, data = file.stat(), bytearray(file.read_bytes())
    data[data.index(found) if found else len(data) - 9] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("name", [database.FILE, user_database.FILE])
@pytest.mark.parametrize("writable", [True, False])
def test_a_turned_bit_is_refused_until_it_is_repaired(texts: Path, name: str, writable: bool) -> None:
    turn_bit(texts / ".docexplorer" / name)
    for _ in range(2):  # the first try must not make the damage what is right
        with pytest.raises(WorkspaceError, match=f"{name}: some of its bytes changed on the disk"):
            open_workspace(texts, writable=writable)
    assert [finding.state for finding in examine(texts) if name in finding.message] == ["problem"]
    assert [finding.state for finding in examine(texts, repair=True) if name in finding.message] == ["repaired"]
    with open_workspace(texts) as workspace:
        assert workspace.setting("model name") == "some model"
    assert {finding.state for finding in examine(texts)} == {"ok"}


def test_what_another_program_wrote_is_no_damage(texts: Path) -> None:
    with closing(sqlite3.connect(texts / ".docexplorer" / user_database.FILE)) as db, db:
        db.execute("UPDATE settings SET value = 'another model' WHERE key = 'model name'")
    with open_workspace(texts) as workspace:
        assert workspace.setting("model name") == "another model"


def test_bytes_that_another_program_changed_are_damage(texts: Path) -> None:
    folder = texts / ".docexplorer"
    with open_workspace(texts) as workspace, database.transaction(workspace.connection) as db:
        db.execute("INSERT INTO files VALUES (1, CAST('b.txt' AS BLOB), 'b.txt', 1, 1, '', '{}', '', '', x'')")
    database_checksums._verified.clear()
    file = folder / database.FILE
    file.write_bytes(file.read_bytes().replace(b"b.txtb.txt", b"b.txtc.txt"))  # the path, and the name that is shown
    with pytest.raises(WorkspaceError, match="some of its bytes changed on the disk"):
        open_workspace(texts, writable=False)
    assert "problem" in {finding.state for finding in examine(texts)}


def test_checksums_are_there_only_while_nobody_writes(texts: Path) -> None:
    sums = [database_checksums.path_of(texts / ".docexplorer" / name) for name in (database.FILE, user_database.FILE)]
    assert all(path.is_file() for path in sums)
    with open_workspace(texts, writable=False):
        assert all(path.is_file() for path in sums)
    with open_workspace(texts) as workspace:
        assert not any(path.exists() for path in sums)
        with workspace.another() as twin:
            twin.set_setting("model name", "a third")
        assert not any(path.exists() for path in sums)
    assert all(path.is_file() for path in sums)


def test_checksums_that_are_damaged_themselves_say_nothing(texts: Path) -> None:
    sums = database_checksums.path_of(texts / ".docexplorer" / database.FILE)
    for content in (b"", b"short", sums.read_bytes()[:-1] + b"?"):
        sums.write_bytes(content)
        open_workspace(texts, writable=False).close()


def test_of_a_huge_database_only_the_doctor_compares_them(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_checksums, "_AT_OPENING", 1000)
    turn_bit(texts / ".docexplorer" / database.FILE)
    open_workspace(texts, writable=False).close()  # it would take too long
    assert [one.message for one in examine(texts) if "some of its bytes changed" in one.message]


def test_after_a_crash_the_doctor_goes_by_the_records(texts: Path, tiny: Path) -> None:
    folder = texts / ".docexplorer"
    with open_workspace(texts) as workspace:
        workspace.update(BiEncoder.open(tiny, choose("cpu")))
    for name in (database.FILE, user_database.FILE):
        database_checksums.path_of(folder / name).unlink()  # as a writer that was killed leaves them
    turn_bit(folder / database.FILE, b"cold winter river")
    assert "problem" in {finding.state for finding in examine(texts)}
