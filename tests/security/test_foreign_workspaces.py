"""A workspace that someone else made travels with a folder: it acts on nothing and is refused with a sentence."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.cli import main as cli_main
from explorer.workspace.storage import database, user_database

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


def test_no_trigger_of_a_later_version_acts_either(folder: Path, tiny: Path) -> None:
    with closing(sqlite3.connect(folder / ".docexplorer" / database.FILE)) as db:
        db.executescript(f"{ATTACKS['a trigger that deletes'][1]}; PRAGMA user_version = 99")
    assert run(tiny, "documents", folder) == 1
