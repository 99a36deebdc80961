"""A workspace that someone else made travels with a folder: it acts on nothing and is refused with a sentence."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
import pytest

from explorer.cli import main as cli_main
from explorer.workspace.storage import array_cache, database, database_checksums
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.vectors.checksums import VectorChecksums

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n"
COMMANDS = (["documents"], ["index"], ["doctor"])
ATTACKS = {
    "a trigger that deletes": (
        database.FILE,
        "CREATE TRIGGER attack AFTER UPDATE ON meta BEGIN DELETE FROM documents; END",
    ),
    "a trigger among the user's words": (
        user_database.FILE,
        "CREATE TRIGGER attack AFTER INSERT ON settings BEGIN DELETE FROM tags; END",
    ),
    "an endless view": (database.FILE, f"DROP TABLE clusters; CREATE VIEW clusters AS {ENDLESS}"),
    "an endless view of words": (user_database.FILE, f"DROP TABLE tags; CREATE VIEW tags AS {ENDLESS}"),
    "another table": (database.FILE, "CREATE TABLE more (a)"),
    "another index": (database.FILE, "CREATE INDEX more ON documents (hex(text))"),
    "a column that computes": (
        database.FILE,
        "ALTER TABLE documents ADD COLUMN more GENERATED ALWAYS AS (length(zeroblob(1000000000))) VIRTUAL",
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, checkpoints: dict[str, Path]) -> Path:
    """A folder with its workspace in it."""
    base = tmp_path_factory.mktemp("made")
    folder = base / "texts"
    folder.mkdir()
    for name, text in (("a.txt", "cold winter river"), ("b.txt", "hot summer sea"), ("c.txt", "a loud king")):
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCEXPLORER_HOME", str(base / "home"))
        assert cli_main.main(["index", str(folder), "--inside", "--model", str(checkpoints["bert"])]) == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "texts"))


def run(tiny: Path, name: str, folder: Path, *rest: str) -> int:
    model = [] if name in ("documents", "doctor", "clusters") else ["--model", str(tiny)]
    return cli_main.main([name, str(folder), *rest, *model])


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_not_ours_is_refused(folder: Path, tiny: Path, attack: str, capsys: pytest.CaptureFixture[str]) -> None:
    file, statements = ATTACKS[attack]
    with closing(sqlite3.connect(folder / ".docexplorer" / file)) as db:
        db.executescript(statements)
    for name, *rest in COMMANDS:
        assert run(tiny, name, folder, *rest) == 1, name
        said = capsys.readouterr()
        told = said.out if name == "doctor" else said.err
        assert file in told
        assert "Traceback" not in said.err
        assert "unexpected" not in said.err
    assert run(tiny, "doctor", folder, "--repair") == 0
    assert run(tiny, "index", folder) == 0
    assert "3 documents" in capsys.readouterr().out
    assert run(tiny, "doctor", folder) == 0


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        (database.FILE, "UPDATE documents SET metadata = ?"),
        (database.FILE, "UPDATE documents SET remarks = ?"),
        (user_database.FILE, "INSERT INTO file_options (path, options) VALUES (CAST('a.txt' AS BLOB), ?)"),
        (user_database.FILE, "INSERT INTO cluster_edits (edit) VALUES (?)"),
        (user_database.FILE, "INSERT OR REPLACE INTO settings VALUES ('clustering', ?)"),
        (database.FILE, "INSERT OR REPLACE INTO meta VALUES ('clustering', ?)"),
    ],
)
def test_json_nested_twenty_thousand_times_is_a_sentence_or_nothing(
    folder: Path, tiny: Path, file: str, statement: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(folder / ".docexplorer" / file)) as db, db:
        db.execute(statement, ("[" * 20_000 + "]" * 20_000,))
    for name, *rest in COMMANDS:
        run(tiny, name, folder, *rest)
        said = capsys.readouterr()
        assert "Traceback" not in said.err + said.out
        assert "unexpected" not in said.err + said.out
    run(tiny, "doctor", folder, "--repair")
    assert run(tiny, "index", folder) == 0


@pytest.mark.parametrize("attack", ["a trigger that deletes", "an endless view", "a column that computes"])
@pytest.mark.parametrize("version", [database.VERSION - 1, 99])
def test_nothing_of_another_version_acts_either(
    folder: Path, tiny: Path, attack: str, version: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(folder / ".docexplorer" / database.FILE)) as db:
        db.executescript(f"{ATTACKS[attack][1]}; PRAGMA user_version = {version}")
    assert run(tiny, "documents", folder) == 1
    assert "not made by this program" in capsys.readouterr().err


@pytest.mark.parametrize("attack", ATTACKS)
def test_sqlite_itself_refuses_what_acts_where_nobody_compares_the_schema(
    folder: Path, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, statements = ATTACKS[attack]
    path = folder / ".docexplorer" / file
    # A trigger may have the name of our own view.
    with closing(sqlite3.connect(path)) as db:
        db.executescript(statements.replace("TRIGGER attack", "TRIGGER current_passages"))
    # What later Pythons set besides must not be what refuses.
    monkeypatch.setattr(database.sys, "version_info", (3, 11, 0))
    with closing(database.open_uri(path, "mode=rw")) as db:
        tried = {
            "a trigger that deletes": "UPDATE meta SET value = value",
            "a trigger among the user's words": "INSERT INTO settings VALUES ('a', 'b')",
            "an endless view": "SELECT * FROM clusters",
            "an endless view of words": "SELECT * FROM tags",
        }
        if attack in tried:
            with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|prohibited"):
                db.execute(tried[attack]).fetchone()
        table = "meta" if file == database.FILE else "settings"
        for never in ("PRAGMA writable_schema = ON", f"CREATE TRIGGER b AFTER DELETE ON {table} BEGIN SELECT 1; END"):
            with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
                db.execute(never)
        assert db.execute("PRAGMA cell_size_check").fetchone() == (1,)
        assert db.execute("PRAGMA trusted_schema").fetchone() == (0,)
        assert all(db.getlimit(limit) <= most for limit, most in database._LIMITS.items())


HUGE = 2**62
ABSURD = {
    "dimension": (database.FILE, f"UPDATE models SET dimension = {HUGE}"),
    "a large dimension": (database.FILE, "UPDATE models SET dimension = 1000000000"),
    "no dimension": (database.FILE, "UPDATE models SET dimension = 0"),
    "less than no dimension": (database.FILE, "UPDATE models SET dimension = -384"),
    "row": (database.FILE, f"UPDATE vectors SET row = row + {HUGE}"),
    "a large row": (database.FILE, "UPDATE vectors SET row = row + 10000000000"),
    "a row before the first": (database.FILE, "UPDATE vectors SET row = row - 1000"),
    "cutting in use": (database.FILE, "INSERT OR REPLACE INTO meta VALUES ('cutting', '100000000000')"),
    "cutting of a model": (database.FILE, f"UPDATE models SET cutting = {HUGE}"),
    "cutting": (database.FILE, f"UPDATE cuttings SET id = {HUGE}"),
    "passage id": (database.FILE, f"UPDATE words_docsize SET id = id + {HUGE}"),
    "a large passage id": (database.FILE, "UPDATE words_docsize SET id = id + 20000000000"),
    "passage": (database.FILE, f"UPDATE passages SET start = {HUGE}, stop = {HUGE} + 1000000000"),
    "place": (database.FILE, f"UPDATE passages SET place = place + {HUGE}"),
    "document": (database.FILE, f"PRAGMA foreign_keys = OFF; UPDATE documents SET id = id + {HUGE}"),
    "size of a file": (database.FILE, f"UPDATE files SET size = {HUGE}, mtime_ns = {HUGE}"),
    "cluster": (database.FILE, f"UPDATE clusters SET cluster = {HUGE}"),
    "clusters": (
        user_database.FILE,
        'INSERT OR REPLACE INTO settings VALUES (\'clusters\', \'{"method": "kmeans", "count": 1000000000000}\')',
    ),
}
EVERYTHING = (["documents"], ["search", "winter river"], ["neighbours", "a.txt"], ["clusters"], ["doctor"], ["index"])


@pytest.fixture
def no_more_memory() -> Iterator[None]:
    """Let the process have one gigabyte more than now: a size that is believed fails."""
    resource = pytest.importorskip("resource", reason="limits of memory are a thing of POSIX")
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.usefixtures("no_more_memory")
@pytest.mark.parametrize("what", ABSURD)
def test_absurd_numbers_are_a_sentence_and_take_no_memory(
    folder: Path, tiny: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, statements = ABSURD[what]
    with closing(sqlite3.connect(folder / ".docexplorer" / file)) as db:
        db.executescript(statements)
    database_checksums.path_of(folder / ".docexplorer" / file).unlink(missing_ok=True)  # its maker can leave right ones
    check_everything(folder, tiny, capsys)


def check_everything(folder: Path, tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Use a workspace: each command works or says why not; after a repair all is there."""
    for name, *rest in EVERYTHING:
        code = run(tiny, name, folder, *rest)
        said = capsys.readouterr()
        told = said.err + said.out
        assert "Traceback" not in told, name
        assert "unexpected" not in told, name
        assert code == 0 or told.strip(), name
    run(tiny, "doctor", folder, "--repair")
    assert run(tiny, "index", folder) == 0, capsys.readouterr()
    capsys.readouterr()
    assert run(tiny, "documents", folder, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 3
    assert run(tiny, "doctor", folder) == 0, capsys.readouterr()


@pytest.mark.usefixtures("no_more_memory")
@pytest.mark.parametrize("shape", [(2**40,), (2**20, 2**20), (2**62, 2**62), (-1,), (2**33,)])
def test_an_array_that_is_larger_than_its_file_is_not_made(tmp_path: Path, shape: tuple[int, ...]) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    member = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(64)
    path = tmp_path / "a.arrays"
    write_members(path, {"kind": npy(np.array("graph 1")), "rows": member})
    assert array_cache.read_arrays(path, "graph 1") is None


@pytest.mark.usefixtures("no_more_memory")
def test_an_array_that_unpacks_to_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.arrays"
    zeros = npy(np.zeros(2**24, np.uint8))
    write_members(path, {"kind": npy(np.array("graph 1"))} | {f"a{part}": zeros for part in range(80)}, ZIP_DEFLATED)
    assert path.stat().st_size < 2**21
    assert array_cache.read_arrays(path, "graph 1") is None


def npy(array: Any) -> bytes:
    out = BytesIO()
    np.save(out, array)
    return out.getvalue()


def write_members(path: Path, members: dict[str, bytes], compression: int = ZIP_STORED) -> None:
    content = BytesIO()
    with ZipFile(content, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    path.write_bytes(array_cache._seal(content.getvalue()) + content.getvalue())


@pytest.mark.usefixtures("no_more_memory")
@pytest.mark.parametrize(("first", "count"), [(0, 2**62), (0, 10**10), (2**63, 2**63), (1, 2**64 - 1)])
def test_checksums_of_rows_that_are_not_there_are_passed_over(
    folder: Path, tiny: Path, first: int, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (folder / ".docexplorer" / "vectors").glob("*.f16"):
        with closing(sqlite3.connect(folder / ".docexplorer" / database.FILE)) as db:
            fingerprint, dimension = db.execute(
                "SELECT fingerprint, dimension FROM models WHERE id = ?", (file.stem,)
            ).fetchone()
        sums = VectorChecksums(file, 2 * dimension, fingerprint)
        record = sums._record(0, b"", None)
        record["first"], record["count"] = first, count
        record["self"] = sums._hash(record.tobytes()[:-8], sums._model)
        with sums.path.open("ab") as out:
            out.write(record.tobytes())
    check_everything(folder, tiny, capsys)


OWN = "the user's own words"
PLACES = ("workspace.lock", "workspace.db", "workspace.db-wal", "workspace.sums", "user.db", "user.db.bak", "user.part")
PLACES += ("graphs/more.arrays", "vectors/1.pending", "vectors/more.sums.part")


@pytest.mark.parametrize("place", PLACES)
def test_a_link_in_a_workspace_leads_nowhere(
    folder: Path, tiny: Path, tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.txt"
    own.write_text(OWN)
    link = folder / ".docexplorer" / place
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(own)
    refused_until_repaired(folder, tiny, link, capsys)
    assert own.read_text() == OWN


@pytest.mark.parametrize("place", ["vectors", "graphs"])
def test_a_folder_of_a_workspace_that_lies_elsewhere_is_left_alone(
    folder: Path, tiny: Path, tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "1.f16").write_text(OWN)
    link = folder / ".docexplorer" / place
    if link.exists():
        shutil.rmtree(link)
    link.symlink_to(own)
    refused_until_repaired(folder, tiny, link, capsys)
    assert {file.name: file.read_text() for file in own.iterdir()} == {"1.f16": OWN}


def test_a_workspace_that_is_a_link_is_not_followed(folder: Path, tiny: Path, tmp_path: Path) -> None:
    other = (folder / ".docexplorer").rename(tmp_path / "other")
    before = {file: file.read_bytes() for file in other.rglob("*") if file.is_file()}
    (folder / ".docexplorer").symlink_to(other)
    for name, *rest in COMMANDS:
        assert run(tiny, name, folder, *rest) == 1, name
    assert {file: file.read_bytes() for file in other.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize("place", ["workspace.lock", "workspace.db", "user.db", "workspace.sums", "vectors/1.pending"])
def test_a_pipe_in_a_workspace_holds_nobody_up(
    folder: Path, tiny: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = folder / ".docexplorer" / place
    pipe.unlink(missing_ok=True)
    if not hasattr(os, "mkfifo"):
        pytest.skip("Windows keeps its pipes elsewhere")
    os.mkfifo(pipe)
    refused_until_repaired(folder, tiny, pipe, capsys)


@pytest.mark.usefixtures("no_more_memory")
@pytest.mark.parametrize(
    "place", ["workspace.db", "workspace.sums", "user.db", "user.db.bak", "vectors/1.f16", "vectors/1.sums", "a.arrays"]
)
def test_terabytes_of_nothing_in_a_workspace_are_not_read(
    folder: Path, tiny: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / ".docexplorer" / place
    with file.open("ab") as out:
        try:
            out.truncate(2**40)
        except OSError:
            pytest.skip("the file system has no files of a terabyte")
    refused_until_repaired(folder, tiny, file, capsys)


def refused_until_repaired(folder: Path, tiny: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No command uses the workspace, each says why; repaired, all is there."""
    for name, *rest in COMMANDS:
        assert run(tiny, name, folder, *rest) == 1, name
        said = capsys.readouterr()
        assert file.name in said.out + said.err or "not indexed" in said.err, name
        assert "Traceback" not in said.out + said.err
    assert run(tiny, "doctor", folder, "--repair") == 0, capsys.readouterr()
    assert not file.is_symlink()
    assert run(tiny, "index", folder) == 0, capsys.readouterr()
    assert "3 documents" in capsys.readouterr().out
    assert run(tiny, "doctor", folder) == 0, capsys.readouterr()


@pytest.mark.parametrize("version", [user_database.VERSION - 1, 99])
@pytest.mark.parametrize("attack", ["a trigger among the user's words", "an endless view of words"])
@pytest.mark.parametrize("alone", [False, True])
def test_nothing_among_the_users_words_acts_either(
    folder: Path, tiny: Path, attack: str, version: int, capsys: pytest.CaptureFixture[str], *, alone: bool
) -> None:
    file = folder / ".docexplorer" / user_database.FILE
    with closing(sqlite3.connect(file)) as db:
        db.executescript(f"{ATTACKS[attack][1]}; PRAGMA user_version = {version}")
    if alone:  # the cache was deleted, or never came with it
        for cache in (folder / ".docexplorer").glob("workspace.*"):
            cache.unlink()
    for name in ("documents", "index") if alone else ("documents", "index", "doctor"):
        assert run(tiny, name, folder) == 1, name
        said = capsys.readouterr()
        assert alone or user_database.FILE in said.out + said.err, name
        assert "Traceback" not in said.out + said.err
