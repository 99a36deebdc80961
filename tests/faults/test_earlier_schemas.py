"""A workspace of every earlier schema version is read as it is, brought up to date, and loses nothing."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from explorer.cli import main as cli_main
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace import doctor
from explorer.workspace.search.search import Searcher
from explorer.workspace.storage import database
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.storage.user.words import judgements, tags_of
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace
from tests.faults import earlier_schemas as earlier

VERSIONS = range(1, database.VERSION + 1)


def test_every_version_is_written_down() -> None:
    assert len(earlier.STEPS) == database.VERSION
    with closing(sqlite3.connect(":memory:")) as db:
        for step in earlier.STEPS:
            db.executescript(step)
        assert database.statements(db) == database.schema()
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(earlier.USER + earlier.USER_2)
        assert database.statements(db) == user_database.statements()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_reader_reads_it_as_it_is(version: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "workspace"
    earlier.make(folder, tmp_path / "texts", version)
    before = (folder / "workspace.db").read_bytes()
    out = tmp_path / "all.jsonl"

    for command in (["documents"], ["problems"], ["export", "--out", out]):
        code = cli_main.main([command[0], str(folder), *map(str, command[1:])])
        told = capsys.readouterr()
        assert code == 0, f"{command[0]}: {told.out}{told.err}"
    exported = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [one["text"] for one in exported] == list(earlier.TEXTS.values())
    with Workspace(folder, None, writable=False) as workspace:
        assert database.version(workspace.connection) == version
        found = Searcher(workspace, cast(Any, None)).search("river", mode="keyword")
        assert [hit.path for hit in found.hits] == ["a.txt"]
        assert len(vector_table.load(workspace).passages) == len(earlier.TEXTS)
        assert tags_of(workspace) == ({1: {"to read"}} if version >= 4 else {})
        assert len(judgements(workspace)) == (version >= 4)
    assert (folder / "workspace.db").read_bytes() == before


@pytest.mark.parametrize("version", VERSIONS)
def test_a_writer_brings_it_up_to_date_and_keeps_everything(version: int, tmp_path: Path, tiny: Path) -> None:
    folder, texts = tmp_path / "workspace", tmp_path / "texts"
    earlier.make(folder, texts, version)

    with Workspace(folder, None, writable=True) as workspace:
        assert database.version(workspace.connection) == database.VERSION
        assert [workspace.text(entry.id) for entry in workspace.documents()] == list(earlier.TEXTS.values())
        assert len(vector_table.load(workspace, earlier.MODEL).passages) == len(earlier.TEXTS)
        assert tags_of(workspace) == ({1: {"to read"}} if version >= 4 else {})
        assert workspace.connection.execute("SELECT count(*) FROM clusters").fetchone()[0] == (2 if version >= 3 else 0)
        (texts / "new.txt").write_text("a loud king")
        workspace.update(BiEncoder.open(tiny, choose("cpu", precision="float32")))
        assert workspace.counts()["documents"] == len(earlier.TEXTS) + 1
        assert len(judgements(workspace)) == (version >= 4)
        assert tags_of(workspace) == ({1: {"to read"}} if version >= 4 else {})
    assert [one.message for one in doctor.examine(folder) if one.state != "ok"] == []
