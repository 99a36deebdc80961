"""The doctor: what it finds, that it changes nothing unasked, and that a repaired workspace is as good as new."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.doctor import examine
from explorer.workspace.storage import database, integrity
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(6):
        lines = [f"The cat number {number} sat on mat {line} under the bright moon." for line in range(30)]
        (root / f"{number}.txt").write_text("\n\n".join(lines), encoding="utf-8")
    (root / "한글.txt").write_text("한국 어 문 장 입니다.", encoding="utf-8")
    return root


@pytest.fixture
def folder(texts: Path, encoder: BiEncoder) -> Path:
    """The workspace of the texts, closed and sound."""
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        return workspace.folder


def change(folder: Path, *statements: str, file: str = database.FILE) -> None:
    """Do to a database what no part of the program does."""
    db = sqlite3.connect(folder / file)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def state(target: Path, check: str, *, repair: bool = False) -> str:
    """The worst state of a check."""
    states = [finding.state for finding in examine(target, repair=repair) if finding.check == check]
    return next((one for one in ("problem", "repaired") if one in states), "ok" if states else "not checked")


def contents(workspace: Workspace) -> list[object]:
    db = workspace.connection
    (model,) = workspace.models()
    rows = db.execute("SELECT digest, row FROM vectors WHERE model = ? ORDER BY digest", (model.id,)).fetchall()
    vectors = workspace.vector_file(model).open()
    return [
        db.execute("SELECT name, digest, reason FROM files ORDER BY path").fetchall(),
        db.execute("SELECT title, text, metadata, splitter FROM documents ORDER BY text").fetchall(),
        db.execute("SELECT start, stop, digest FROM passages ORDER BY digest, start").fetchall(),
        db.execute("SELECT terms FROM words ORDER BY terms").fetchall(),
        db.execute("SELECT count(*) FROM letters WHERE letters MATCH '\"moon\"'").fetchall(),
        db.execute("SELECT count(*) FROM words WHERE words MATCH 'cat'").fetchall(),
        [(key, vectors[row].astype(float).round(2).tolist()) for key, row in rows],
    ]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*.*") if path.suffix in {".db", ".f16"}}


def vector_file(folder: Path) -> Path:
    (file,) = (folder / "vectors").glob("*.f16")
    return file


def spoil_vectors(rows: slice, value: float) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        vectors = np.memmap(vector_file(folder), dtype="<f2", mode="r+").reshape(-1, 32)
        vectors[rows] = value
        vectors.flush()

    return spoil


def rearrange(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    """Store the vectors changed, each still a vector like any other."""

    def spoil(folder: Path) -> None:
        file = vector_file(folder)
        vectors = np.fromfile(file, dtype="<f2").reshape(-1, 32)
        file.write_bytes(change(vectors.copy()).tobytes())

    return spoil


def flipped(bit: int) -> Callable[[np.ndarray], np.ndarray]:
    def flip(vectors: np.ndarray) -> np.ndarray:
        vectors.view("<u2")[3, 7] ^= 1 << bit
        return vectors

    return flip


def cut_vectors(count: int) -> Callable[[Path], None]:
    def cut(folder: Path) -> None:
        data = vector_file(folder).read_bytes()
        vector_file(folder).write_bytes(data[:count] if count < 0 else data + bytes(count))

    return cut


def make_read_only(folder: Path) -> None:
    """Spoil the byte that says which version of SQLite may write."""
    change(folder)  # empties the log
    with (folder / database.FILE).open("r+b") as file:
        file.seek(18)
        file.write(b"\x42")


def by(*statements: str) -> Callable[[Path], None]:
    return lambda folder: change(folder, *statements)


def user(*statements: str) -> Callable[[Path], None]:
    return lambda folder: change(folder, *statements, file=user_database.FILE)


DAMAGES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "a word index with a row too few": ("cache", by("DELETE FROM words WHERE rowid = 3")),
    "a word index with a row too many": ("cache", by("INSERT INTO words (rowid, terms) VALUES (9999, 'x')")),
    "a word index whose terms are gone": ("cache", by("DELETE FROM words_data WHERE id > 10")),
    "a letter index whose terms are gone": ("cache", by("DELETE FROM letters_data WHERE id > 10")),
    "a letter index with a row too few": ("cache", by("DELETE FROM letters_docsize WHERE id = 2")),
    "a word index that cannot be opened": ("cache", by("UPDATE words_config SET v = 99")),
    "a format that may not be written": ("cache", make_read_only),
    "no version number": ("cache", by("PRAGMA user_version = 1")),
    "another title": ("cache", by("UPDATE documents SET title = 'Other' WHERE id = 2")),
    "a passage out of its order": ("cache", by("UPDATE passages SET place = 77 WHERE id = 2")),
    "a passage too few": ("cache", by("DELETE FROM passages WHERE id = 3")),
    "another name": ("cache", by("UPDATE files SET name = 'other.txt' WHERE id = 2")),
    "options that cannot be read": (
        "options",
        user("INSERT INTO file_options (path, options) VALUES ('1.txt', '{\"encodinh\": \"\"}')"),
    ),
    "no word index at all": ("cache", by("DROP TABLE words")),
    "a passage beyond its text": ("cache", by("UPDATE passages SET stop = 99999 WHERE id = 2")),
    "a passage with another's digest": ("cache", by("UPDATE passages SET digest = x'00' WHERE id = 2")),
    "a document without passages": ("cache", by("DELETE FROM passages WHERE document = 2")),
    "another text": ("cache", by("UPDATE documents SET text = 'other' WHERE id = 2")),
    "a text that is not UTF-8": ("cache", by("UPDATE documents SET text = CAST(x'ff41' AS TEXT) WHERE id = 2")),
    "a record that is not UTF-8": ("cache", by("UPDATE files SET read_as = CAST(x'ff41' AS TEXT) WHERE id = 2")),
    "bad metadata": ("cache", by("UPDATE documents SET metadata = '{' WHERE id = 2")),
    "passages of no document": (
        "cache",
        by("INSERT INTO passages (document, cuttings, place, start, stop, digest) VALUES (777, 1, 0, 0, 1, x'00')"),
    ),
    "vectors of no model": ("cache", by("INSERT INTO vectors VALUES (77, x'00', 0)")),
    "no root": ("belonging", user("DELETE FROM settings WHERE key = 'root'")),
    "missing vectors": ("vectors", cut_vectors(-200)),
    "no vector file": ("vectors", lambda folder: vector_file(folder).unlink()),
    "vectors that are not numbers": ("vectors", spoil_vectors(slice(2, 4), float("nan"))),
    "endless vectors": ("vectors", spoil_vectors(slice(0, 1), float("inf"))),
    "empty vectors": ("vectors", spoil_vectors(slice(5, 6), 0.0)),
    "a vector named twice": ("vectors", by("UPDATE vectors SET row = 1 WHERE row = 2")),
    "rows exchanged": ("vectors", rearrange(lambda rows: rows[[-1, *range(1, len(rows) - 1), 0]])),
    "rows shifted by one": ("vectors", rearrange(lambda rows: np.roll(rows, 1, axis=0))),
    "rows reversed": ("vectors", rearrange(lambda rows: rows[::-1])),
    "rows made equal": ("vectors", rearrange(lambda rows: np.broadcast_to(rows[:1], rows.shape))),
    "a sign turned": ("vectors", rearrange(flipped(15))),
    "a bit of a mantissa turned": ("vectors", rearrange(flipped(0))),
    "texts that name each other's vectors": (
        "vectors",
        by("UPDATE vectors SET row = CASE row WHEN 1 THEN 2 ELSE 1 END WHERE row IN (1, 2)"),
    ),
    "a vector before the first": ("vectors", by("UPDATE vectors SET row = -1 WHERE row = 2")),
}


def test_a_sound_workspace_is_called_so_and_not_changed(texts: Path, folder: Path) -> None:
    before = bytes_of(folder)
    assert {finding.state for finding in examine(texts)} == {"ok"}
    assert {finding.state for finding in examine(folder, repair=True)} == {"ok"}
    assert bytes_of(folder) == before


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_repaired_and_healed_by_the_next_update(
    texts: Path, folder: Path, encoder: BiEncoder, damage: str
) -> None:
    with open_workspace(texts) as workspace:
        wanted = contents(workspace)
    check, spoil = DAMAGES[damage]
    spoil(folder)
    before = bytes_of(folder)
    assert state(texts, check) == "problem"
    assert bytes_of(folder) == before
    assert state(texts, check, repair=True) == "repaired"
    assert {finding.state for finding in examine(texts)} == {"ok"}
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        assert contents(workspace) == wanted


def test_files_half_read_are_told_and_nothing_else(texts: Path, folder: Path) -> None:
    change(folder, "UPDATE files SET digest = '' WHERE id = 1")
    (found,) = (finding for finding in examine(texts) if finding.check == "half_read")
    assert found.state == "ok"
    assert found.message.startswith("1 files")


def test_a_file_that_is_no_database_is_replaced(texts: Path, folder: Path, encoder: BiEncoder) -> None:
    (folder / database.FILE).write_bytes(b"no database at all " * 500)
    _, found = examine(texts)
    assert (found.check, found.state) == ("cache", "problem")
    assert "--repair" in found.message
    repaired = examine(texts, repair=True)[1]
    assert repaired.state == "repaired"
    assert "encodes every text again" in repaired.message
    assert {finding.state for finding in examine(texts)} == {"ok"}
    with open_workspace(folder) as workspace:
        assert workspace.root == texts
        assert workspace.update(encoder).encoded > 0


def test_a_workspace_without_its_cache_is_made_again(texts: Path, folder: Path, encoder: BiEncoder) -> None:
    (folder / database.FILE).unlink()
    assert {finding.state for finding in examine(texts)} == {"ok"}
    with open_workspace(folder) as workspace:
        assert workspace.root == texts
        assert workspace.update(encoder).encoded > 0


def page_of(folder: Path, name: str) -> int:
    db = sqlite3.connect(folder / database.FILE)
    (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    db.close()
    return int(page)


def spoil_page(folder: Path, page: int) -> None:
    change(folder)  # empties the log
    with (folder / database.FILE).open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\x77" * 4096)


@pytest.mark.parametrize(
    ("table", "read", "encoded"),
    [("documents", 7, False), ("passages", 7, False), ("words_data", 7, False), ("vectors", 7, True)],
)
def test_what_is_sound_in_a_damaged_database_is_saved(
    texts: Path, folder: Path, encoder: BiEncoder, table: str, read: int, encoded: bool
) -> None:
    with open_workspace(texts) as workspace:
        wanted = contents(workspace)
        workspace.set_file_options("1.txt", repair=True)
    spoil_page(folder, page_of(folder, table))
    assert state(texts, "cache") == "problem"
    assert "problem" not in {finding.state for finding in examine(texts, repair=True)}
    with open_workspace(texts) as workspace:
        assert workspace.connection.execute("SELECT count(*) FROM file_options").fetchone() == (1,)
        counts = workspace.update(encoder)
        assert (counts.read, counts.encoded > 0) == (read, encoded)
        assert contents(workspace) == wanted


def test_a_lost_table_is_damage(texts: Path, folder: Path, encoder: BiEncoder) -> None:
    change(folder, "DROP TABLE clusters")
    assert "clusters" in examine(texts)[1].message
    assert state(texts, "cache", repair=True) == "repaired"
    with open_workspace(texts) as workspace:
        assert workspace.update(encoder).encoded == 0


@pytest.mark.parametrize(
    ("old", "new"), [(b"splitter TEXT", b"splitteX TEXT"), (b"CREATE TABLE files", b"CRE\xd6TE TABLE files")]
)
def test_a_spoilt_schema_is_damage(texts: Path, folder: Path, encoder: BiEncoder, old: bytes, new: bytes) -> None:
    change(folder)  # empties the log
    data = (folder / database.FILE).read_bytes()
    assert old in data
    (folder / database.FILE).write_bytes(data.replace(old, new))
    assert state(texts, "cache") == "problem"
    assert state(texts, "cache", repair=True) == "repaired"
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        assert workspace.counts()["documents"] == 7


def test_an_empty_file_becomes_a_workspace(texts: Path, folder: Path, encoder: BiEncoder) -> None:
    (folder / database.FILE).write_bytes(b"")
    assert state(texts, "version") == "problem"
    assert state(texts, "version", repair=True) == "ok"
    with open_workspace(texts) as workspace:
        assert workspace.update(encoder).read == 7


def test_a_newer_workspace_is_only_looked_at(texts: Path, folder: Path) -> None:
    change(folder, f"PRAGMA user_version = {database.VERSION + 1}", "DELETE FROM words WHERE rowid = 1")
    before = bytes_of(folder)
    found = {finding.check: finding for finding in examine(texts, repair=True)}
    assert "later version" in found["writing"].message
    assert found["cache"].state == "problem"
    assert bytes_of(folder) == before


def test_a_workspace_in_use_is_only_looked_at(texts: Path, folder: Path) -> None:
    with open_workspace(texts):
        change(folder, "DELETE FROM words WHERE rowid = 1")
        found = {finding.check: finding.state for finding in examine(texts, repair=True)}
    assert (found["writing"], found["cache"]) == ("problem", "problem")


def test_a_folder_without_a_workspace_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no workspace here"):
        examine(tmp_path)


def test_a_locked_database_is_not_called_damaged(texts: Path, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / database.FILE).unlink()
    (copy / database.FILE).mkdir()
    with pytest.raises(WorkspaceError, match="cannot be looked at"):
        integrity.damaged_structure(copy / database.FILE, {}, database.VERSION)
