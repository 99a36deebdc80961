"""Search by word, beside FTS5's own ranking."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from explorer.analysis.text import korean
from explorer.workspace.search.keyword_search import KeywordSearch
from explorer.workspace.storage.connection import connect

WORDS = [f"w{number}" for number in range(60)]


def match_any(wanted: Iterable[str]) -> str:
    """The FTS5 expression for any of the terms; empty for none."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in wanted)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(tmp_path, writable=True)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        chance = random.Random(3)
        for number in range(1, 401):
            put(connection, number, text(chance))
        yield connection


def text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, [1 / (place + 1) for place in range(60)], k=chance.randint(1, 300)))


def put(db: sqlite3.Connection, number: int, terms: str) -> None:
    db.execute("INSERT INTO passages VALUES (?, ?, 2, 0, 0, 1, x'')", (number, number))
    db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (number, terms))


def drop(db: sqlite3.Connection, number: int) -> None:
    db.execute("DELETE FROM passages WHERE id = ?", (number,))
    db.execute("DELETE FROM words WHERE rowid = ?", (number,))


def searching(db: sqlite3.Connection) -> KeywordSearch:
    return KeywordSearch(db, lambda: db.total_changes, lambda: -1)


def by_fts5(db: sqlite3.Connection, wanted: list[str], k: int) -> list[tuple[int, float]]:
    query = "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank, rowid LIMIT ?"
    return [(int(number), float(score)) for number, score in db.execute(query, (match_any(wanted), k))]


def same(found: list[tuple[int, float]], expected: list[tuple[int, float]]) -> bool:
    return [one[1] for one in found] == pytest.approx([one[1] for one in expected], rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("wanted", [["w59"], ["w20", "w30"], ["w1", "w40", "nothing"], ["w0"]])
def test_scores_are_those_of_fts5(db: sqlite3.Connection, wanted: list[str]) -> None:
    assert same(searching(db).best(wanted, 50), by_fts5(db, wanted, 50))


def test_it_follows_what_comes_and_goes(db: sqlite3.Connection) -> None:
    search = searching(db)
    search.best(["w30"], 5)
    put(db, 401, "w30 w30 w30")
    assert search.best(["w30"], 1)[0][0] == 401
    for number in (401, 400, 17):
        drop(db, number)
    put(db, 400, "w30 " * 200)  # an id that was another passage's before
    assert same(search.best(["w30", "w2"], 60), by_fts5(db, ["w30", "w2"], 60))
    assert 401 not in [one[0] for one in search.best(["w30"], 500)]


def test_only_allowed_documents_are_found(db: sqlite3.Connection) -> None:
    every = searching(db).best(["w3"], 500)
    allowed = {one[0] for one in every[::3]}
    assert searching(db).best(["w3"], 500, allowed) == [one for one in every if one[0] in allowed]
    assert searching(db).best(["w3"], 500, set()) == []


def test_nothing_wanted_or_nothing_there(tmp_path: Path, db: sqlite3.Connection) -> None:
    assert searching(db).best([], 5) == []
    assert searching(db).best(["nowhere"], 5) == []
    (tmp_path / "empty").mkdir()
    with closing(connect(tmp_path / "empty", writable=True)) as other:
        assert searching(other).best(["w1"], 5) == []


def test_what_was_read_ahead_gives_the_same_and_is_read_once(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.workspace.search.keyword_search.MOST", 400)
    search, asked = searching(db), []
    search.warm_up()
    db.set_trace_callback(asked.append)
    found = search.best(["w0"], 20)
    db.set_trace_callback(None)

    assert same(found, by_fts5(db, ["w0"], 20))
    assert not [one for one in asked if "occurrences" in one]


@pytest.mark.parametrize(
    ("terms", "expected"), [("cat 猫 かな zebra", False), ("cat 힣 zebra", True), ("가", True), ("", False)]
)
def test_korean_is_told_from_other_scripts(tmp_path: Path, terms: str, expected: bool) -> None:
    with closing(connect(tmp_path, writable=True)) as db:
        db.execute("INSERT INTO words (rowid, terms) VALUES (1, ?)", (terms,))
        assert searching(db).has_korean() is expected


def test_warming_up_twice_loads_once_and_changes_nothing() -> None:
    before = korean.pieces(["학교에서 공부를 했다"])
    korean.warm_up()
    korean.warm_up()
    assert korean.pieces(["학교에서 공부를 했다"]) == before
    assert any(piece.term == "학교" for piece in before[0])
