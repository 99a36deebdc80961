"""A workspace: what an update costs, what survives, who may write."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from explorer import paths
from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.search.search import Searcher
from explorer.workspace.storage import database, location
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.update import sync_files
from explorer.workspace.workspace import Workspace, open_workspace
from tests.conftest import PROJECT, WORDS


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A small folder of texts of one to many passages, with a subfolder and a bad file."""
    root = tmp_path / "texts"
    chance = random.Random(0)
    for name, paragraphs in (("a.txt", 1), ("b.md", 3), ("deep/c.txt", 12), ("deep/d.txt", 40), ("한글.txt", 2)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        body = "\n\n".join(sentence(chance) for _ in range(paragraphs))
        (root / name).write_text(f"Title of {name}\n\n{body}\n", encoding="utf-8")
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    for path in root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # what was written just now is compared once more
    return root


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=20)).capitalize() + "."


def contents(workspace: Workspace) -> dict[str, object]:
    """All that matters of a workspace, whatever the numbers of its rows."""
    db = workspace.connection
    model = next(model for model in workspace.models() if model.kind == "bi")
    vectors = workspace.vector_file(model).open()
    rows = dict(db.execute("SELECT digest, row FROM vectors WHERE model = ?", (model.id,)))
    return {
        "files": db.execute("SELECT name, size, mtime_ns, digest, reason, message FROM files ORDER BY path").fetchall(),
        "documents": db.execute("SELECT part, title, text, metadata, splitter FROM documents ORDER BY text").fetchall(),
        "passages": db.execute("SELECT start, stop, digest FROM passages ORDER BY digest, start").fetchall(),
        "words": db.execute("SELECT terms FROM words ORDER BY terms").fetchall(),
        "letters": db.execute("SELECT count(*) FROM letters WHERE letters MATCH '\"the\"'").fetchall(),
        "vectors": {key: vectors[row].astype(np.float32) for key, row in rows.items()},
    }


def assert_same(one: dict[str, object], two: dict[str, object]) -> None:
    for key in ("files", "documents", "passages", "words", "letters"):
        assert one[key] == two[key], key
    assert one["vectors"].keys() == two["vectors"].keys()
    for key, vector in one["vectors"].items():
        np.testing.assert_allclose(vector, two["vectors"][key], atol=2e-3)  # the last bit of a float16


def test_a_folder_becomes_searchable_and_every_problem_is_listed(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        counts = workspace.update(encoder)
        assert counts.read == 6
        assert counts.encoded == workspace.counts()["passages"] > 10
        assert [entry.path for entry in workspace.documents()] == [
            "a.txt",
            "b.md",
            "deep/c.txt",
            "deep/d.txt",
            "한글.txt",
        ]
        (problem,) = workspace.problems()
        assert (problem.path, problem.reason) == ("picture.png", "no text layer")
        for entry in workspace.documents():
            assert workspace.coverage(entry.id) == 1.0
            text = workspace.text(entry.id)
            for passage in workspace.passages(entry.id):
                assert len(encoder.tokenizer.encode([text[passage.start : passage.end]])[0].ids) <= encoder.max_tokens
        assert not texts.samefile(workspace.folder.parent)
        assert next(workspace.documents()).metadata["folder"] == ""


def test_what_is_encoded_counts_before_the_first_update_has_ended(
    texts: Path, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_workspace(texts) as workspace:
        noted = workspace.set_meta

        def stop(key: str, value: str) -> None:
            if key == "model":
                raise Cancelled
            noted(key, value)

        monkeypatch.setattr(workspace, "set_meta", stop)
        with pytest.raises(Cancelled):
            workspace.update(encoder)
        assert {workspace.coverage(entry.id) for entry in workspace.documents()} == {1.0}


def test_nothing_changed_costs_nothing(texts: Path, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        before = contents(workspace)
        monkeypatch.setattr("explorer.corpus.readers.process.pool._is_own", lambda _: pytest.fail("a file was read"))
        monkeypatch.setattr(encoder, "stream", lambda *_, **__: pytest.fail("something was encoded"))
        counts = workspace.update(encoder)
        assert (counts.read, counts.split, counts.encoded, counts.same) == (0, 0, 0, 6)
        assert_same(before, contents(workspace))


def test_one_changed_paragraph_encodes_only_what_is_near_it(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        whole = workspace.update(encoder).encoded
        paragraphs = (texts / "deep/d.txt").read_text().split("\n\n")
        paragraphs[20] = "Bright moon over the green sea, and a loud king."
        (texts / "deep/d.txt").write_text("\n\n".join(paragraphs))
        counts = workspace.update(encoder)
        assert counts.read == 1
        assert 1 <= counts.encoded <= 5 < whole


def test_moved_and_copied_files_cost_no_encoding(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        (texts / "deep/d.txt").rename(texts / "e.txt")
        (texts / "copy of c.txt").write_bytes((texts / "deep/c.txt").read_bytes())
        counts = workspace.update(encoder)
        assert (counts.moved, counts.read, counts.encoded) == (1, 1, 0)
        assert {entry.path for entry in workspace.documents()} == {
            "a.txt",
            "b.md",
            "copy of c.txt",
            "deep/c.txt",
            "e.txt",
            "한글.txt",
        }


def test_deleted_files_leave(texts: Path, encoder: BiEncoder, tmp_path: Path) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        (texts / "deep/d.txt").unlink()
        (texts / "picture.png").unlink()
        assert workspace.update(encoder).removed == 2
        after = contents(workspace)
    with Workspace(tmp_path / "fresh", texts, writable=True) as fresh:
        fresh.update(encoder)
        wanted = contents(fresh)
    wanted["vectors"] = after["vectors"]  # vectors of texts that are gone stay, should the texts return
    assert_same(after, wanted)


def test_a_file_is_read_again_with_other_options(texts: Path, encoder: BiEncoder) -> None:
    (texts / "old.txt").write_bytes("고양이가 달을 봅니다. 강가의 돌은 차갑습니다.".encode("cp949"))
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        old = next(entry for entry in workspace.documents() if entry.path == "old.txt")
        assert "고양이가" in workspace.text(old.id)
        workspace.set_file_options("old.txt", encoding="latin-1")
        assert workspace.update(encoder).read == 1
        assert "고양이가" not in workspace.text(next(e for e in workspace.documents() if e.path == "old.txt").id)


def test_problems_are_retried_only_when_asked(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        assert workspace.update(encoder).read == 0
        assert workspace.update(encoder, retry=True).read == 1


def test_a_cancelled_update_keeps_what_it_did_and_goes_on_from_there(
    texts: Path, encoder: BiEncoder, tmp_path: Path
) -> None:
    with Workspace(tmp_path / "whole", texts, writable=True) as undisturbed:
        undisturbed.update(encoder)
        wanted = contents(undisturbed)
    cancelled = 0
    for stop in range(1, 14):
        with Workspace(tmp_path / str(stop), texts, writable=True) as workspace:
            try:
                workspace.update(encoder, task=cancelled_at(stop))
            except Cancelled:
                cancelled += 1
            workspace.update(encoder)
            assert_same(contents(workspace), wanted)
    assert cancelled >= 10


def cancelled_at(report: int) -> Task:
    seen: list[Progress] = []

    def told(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == report:
            task.cancel()

    task = Task(told)
    return task


def test_one_writes_and_the_others_read_and_say_so(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as writer:
        writer.update(encoder)
        with open_workspace(texts) as reader:
            assert not reader.writable
            assert "another window" in reader.notice
            assert reader.counts() == writer.counts()
            with pytest.raises(WorkspaceError, match="another window"):
                reader.update(encoder)
    with open_workspace(texts) as next_writer:
        assert next_writer.writable


def test_a_newer_workspace_is_opened_for_reading_with_a_sentence(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        folder = workspace.folder
    connection = sqlite3.connect(folder / database.FILE)
    connection.execute(f"PRAGMA user_version = {database.VERSION + 1}")
    connection.close()
    with open_workspace(texts) as workspace:
        assert not workspace.writable
        assert "later version" in workspace.notice
        assert workspace.counts()["documents"] == 5


def test_a_torn_tail_of_the_vectors_is_cut_off(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        wanted = contents(workspace)
        file = workspace.vector_file(workspace.models()[0])
        with file.path.open("ab") as stream:
            stream.write(os.urandom(37))
        (texts / "new.txt").write_text("A quick brown fox jumps over the lazy dog.")
        workspace.update(encoder)
        after = contents(workspace)
        assert wanted["vectors"].keys() < after["vectors"].keys()
        for key, vector in wanted["vectors"].items():
            np.testing.assert_array_equal(vector, after["vectors"][key])


def test_a_damaged_file_is_a_sentence_and_nothing_is_half_written(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        file = workspace.folder / database.FILE
    page = 4096
    data = bytearray(file.read_bytes())
    data[page:] = b"\x77" * (len(data) - page)
    file.write_bytes(data)
    with sqlite3.connect(file, isolation_level=None) as db:
        with pytest.raises(WorkspaceError, match=r"damaged.*doctor --repair"), database.transaction(db):
            db.execute("DELETE FROM files")
        assert not db.in_transaction
    db.close()


def test_a_database_that_another_program_holds_is_a_sentence(texts: Path) -> None:
    with open_workspace(texts) as workspace:
        other = sqlite3.connect(workspace.folder / database.FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        workspace.connection.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(WorkspaceError, match="another program holds it") as caught:
            workspace.set_meta("key", "value")
        assert "space on its disk" not in str(caught.value)
        other.execute("ROLLBACK")
        other.close()
        workspace.set_meta("key", "value")


@pytest.mark.parametrize("made", ["CREATE TABLE files (a)", "CREATE TABLE meta (key, value)", None])
def test_a_file_of_the_users_with_our_name_is_left_alone(texts: Path, made: str | None) -> None:
    file = texts / database.FILE
    if made:
        with closing(sqlite3.connect(file)) as db:
            db.execute(made)
    else:
        file.write_bytes(b"My own notes. " * 50)
    before = file.read_bytes()
    with open_workspace(texts) as workspace:
        assert (workspace.root, workspace.folder.parent) == (texts, paths.data() / "workspaces")
        with open_workspace(workspace.folder, writable=False) as again:
            assert (again.root, again.folder) == (texts, workspace.folder)
    assert file.read_bytes() == before
    assert not (texts / "workspace.lock").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file sizes")
def test_a_full_disk_is_a_sentence_and_the_workspace_still_opens(
    texts: Path, encoder: BiEncoder, checkpoints: dict[str, Path]
) -> None:
    code = (
        "import resource, signal; from explorer.workspace.workspace import open_workspace;"
        "from explorer.models.bi_encoder import BiEncoder; from explorer.models.runtime.device import choose;"
        "from explorer.errors import ExplorerError;"
        f"e = BiEncoder.open({str(checkpoints['bert'])!r}, choose('cpu'));"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); free = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "for limit in (60_000, 100_000, 140_000, 180_000):\n"
        f"  with open_workspace({str(texts)!r}) as w:\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, free[1]))\n"
        "    try:\n      w.update(e); print('done')\n"
        "    except ExplorerError as error:\n      print(error)\n"
        "    finally:\n      resource.setrlimit(resource.RLIMIT_FSIZE, free)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    ends = ran.stdout.splitlines()
    assert len(ends) == 4
    assert "done" not in ends[0]
    assert all(end == "done" or "cannot be written" in end for end in ends)
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        assert workspace.counts()["documents"] == 5


def test_a_vanished_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no such folder"):
        open_workspace(tmp_path / "nowhere")


def test_the_workspace_lies_inside_the_folder_only_if_asked(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts, inside=True) as workspace:
        assert workspace.folder == texts / location.INSIDE
        workspace.update(encoder)
        assert workspace.update(encoder).read == 0  # it does not read itself
    with open_workspace(texts) as again:
        assert again.folder == texts / location.INSIDE
    with open_workspace(texts / location.INSIDE) as by_itself:
        assert by_itself.root == texts


def test_document_vectors_are_means_of_their_passages(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        table = vector_table.load(workspace)
        ids, vectors = table.document_vectors()
        assert len(ids) == 5
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        first = table.documents == ids[3]
        by_hand = (table.vectors[table.rows[first]].astype(np.float64) * table.lengths[first, None]).sum(axis=0)
        np.testing.assert_allclose(vectors[3], by_hand / np.linalg.norm(by_hand), atol=1e-4)


def test_a_folder_that_was_never_indexed_stays_without_a_workspace(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="not indexed yet"):
        open_workspace(tmp_path, create=False)
    with pytest.raises(WorkspaceError, match="not indexed yet"):
        open_workspace(tmp_path, writable=False)
    assert not location.workspace_of(tmp_path).exists()
    open_workspace(tmp_path).close()
    with open_workspace(tmp_path, create=False) as workspace:
        assert workspace.writable


def test_rows_can_be_found_by_word_while_the_table_is_read(
    texts: Path, tmp_path: Path, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_files, "_FIRST_STORED", 50)
    (texts / "rows.csv").write_text("text\n" + "".join(f"the plain row {row}\n" for row in range(1000)))
    found: list[int] = []

    def count(update: Workspace) -> None:
        with Workspace(update.folder, None, writable=False) as reader:
            found.append(len(Searcher(reader, None).search("plain", mode="keyword", k=2000).hits))

    with Workspace(tmp_path / "workspace", texts, writable=True) as workspace:
        split = Workspace._split

        def split_and_search(self: Workspace, *given: object) -> tuple[int, int]:
            done = split(self, *given)  # type: ignore[arg-type]
            count(self)
            return done

        monkeypatch.setattr(Workspace, "_split", split_and_search)
        counts = workspace.update(encoder)
        assert counts.split == workspace.counts()["documents"]
    assert found == sorted(found)
    assert 0 < found[0] < 100
    assert 5 < len(found) < 20  # in growing steps, as each looks at all documents
    assert found[-1] == 1000
