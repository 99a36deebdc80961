"""Reading a folder again: what is there is found, and what the user said of a document stays with its text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers import registry
from explorer.corpus.readers.process import pool
from explorer.task import Cancelled, Task
from explorer.workspace.doctor import examine
from explorer.workspace.storage.user.words import add_tag, tags_of
from explorer.workspace.update.sync_files import Counts, FileSync
from explorer.workspace.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "texts").mkdir()
    with Workspace(tmp_path / "workspace", tmp_path / "texts", writable=True) as opened:
        yield opened


def read(workspace: Workspace) -> Counts:
    return FileSync(workspace.connection, workspace.root, ReadOptions()).run(Task())


def held(workspace: Workspace) -> dict[str, str]:
    return {entry.path: workspace.text(entry.id) for entry in workspace.documents()}


def write(path: Path, text: str, seconds: int = 1_000_000_000) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (seconds, seconds))


def just_before(
    monkeypatch: pytest.MonkeyPatch, name: str, action: Callable[[], object], *, then: Callable[[], object]
) -> None:
    """Do something just before the file of that name is read, once, and something else just after it."""
    real = pool._OwnReading.documents

    def disturbed(reading: pool.Reading, task: Task) -> Iterator[Document]:
        if reading.request.path.name != name:
            return real(reading, task)
        monkeypatch.setattr(pool._OwnReading, "documents", real)
        action()
        documents = [*real(reading, task)]
        then()
        return iter(documents)

    monkeypatch.setattr(pool._OwnReading, "documents", disturbed)
    monkeypatch.setattr(pool, "_is_own", lambda _: True)


def test_a_file_that_moves_before_it_is_read_is_read_at_its_new_place(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace.root
    write(root / "gone.txt", "The cat sleeps.")
    read(workspace)
    (root / "gone.txt").unlink()
    write(root / "a.txt", "The dog sleeps.")  # as large as one that is gone, so its digest is taken early
    just_before(monkeypatch, "a.txt", lambda: (root / "a.txt").rename(root / "b.txt"), then=lambda: None)
    read(workspace)
    assert held(workspace) == {}
    assert [one.reason for one in workspace.problems()] == ["vanished"]
    read(workspace)
    assert held(workspace) == {"b.txt": "The dog sleeps."}
    assert [*workspace.problems()] == []


def test_a_file_that_is_other_only_while_it_is_read_is_read_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workspace.root / "a.txt"
    write(path, "The cat sleeps.")
    just_before(
        monkeypatch,
        "a.txt",
        lambda: write(path, "A dog.", 1_100_000_000),
        then=lambda: write(path, "The cat sleeps.", 1_200_000_000),
    )
    read(workspace)
    assert held(workspace) == {"a.txt": "A dog."}
    read(workspace)
    assert held(workspace) == {"a.txt": "The cat sleeps."}


def test_a_file_written_twice_in_one_tick_of_the_clock_is_read_again(workspace: Workspace) -> None:
    path = workspace.root / "a.txt"
    path.write_text("The cat sleeps.")
    now = path.stat().st_mtime_ns
    read(workspace)
    path.write_text("The dog sleeps.")
    os.utime(path, ns=(now, now))
    assert read(workspace).read == 1
    assert held(workspace) == {"a.txt": "The dog sleeps."}


def test_a_file_at_rest_is_compared_once_more_and_then_not_opened(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workspace.root / "a.txt"
    path.write_text("The cat sleeps.")
    read(workspace)
    written = path.stat().st_mtime_ns
    monkeypatch.setattr("explorer.workspace.update.sync_files.time.time_ns", lambda: written + 10**10)
    assert read(workspace).read == 0
    monkeypatch.setattr("explorer.corpus.scan.diff.fingerprint", lambda *_: pytest.fail("a file was opened"))
    assert read(workspace).same == 1


def test_a_file_dated_beyond_the_clock_is_not_read_again(workspace: Workspace) -> None:
    path = workspace.root / "a.txt"
    path.write_text("The cat sleeps.")
    os.utime(path, (2**33 + 2**32, 2**33 + 2**32))
    assert read(workspace).read == 1
    assert read(workspace).read == 0


def test_what_is_wrong_with_a_file_names_it_as_it_is_called_now(workspace: Workspace) -> None:
    root = workspace.root
    (root / "old.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    read(workspace)
    (root / "old.png").rename(root / "new.png")
    assert read(workspace).moved == 1
    (problem,) = workspace.problems()
    assert problem.path == "new.png"
    assert "new.png" in problem.message
    assert "old.png" not in problem.message


def table(path: Path, *rows: str) -> None:
    """A table with a title and a text a row."""
    lines = [f"{row},All that there is to say about {row.lower()} really" for row in rows]
    path.write_text("\n".join(["title,text", *lines]) + "\n", encoding="utf-8")


def titles(workspace: Workspace) -> dict[str, int]:
    return {entry.title: entry.id for entry in workspace.documents()}


def tagged(workspace: Workspace) -> dict[str, frozenset[str]]:
    return {workspace.document(number).title: tags for number, tags in tags_of(workspace).items()}


def rows(workspace: Workspace) -> list[tuple[str, str]]:
    return [(entry.title, entry.part) for entry in workspace.documents()]


def tag(workspace: Workspace, *names: str) -> None:
    """Tag documents with their titles."""
    for name in names:
        add_tag(workspace, [titles(workspace)[name]], name)


def breaking_off(monkeypatch: pytest.MonkeyPatch, after: int, error: Exception) -> None:
    """Let the next reading of a file end with an error after some documents; those before it are written."""
    real = registry.read

    def broken(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
        monkeypatch.setattr(registry, "read", real)
        monkeypatch.setattr("explorer.workspace.storage.file_documents.A_COMMIT", 64)
        yield from islice(real(path, options, task), after)
        raise error

    monkeypatch.setattr(registry, "read", broken)
    monkeypatch.setattr(pool, "_is_own", lambda _: True)
    monkeypatch.setattr("explorer.workspace.storage.file_documents.A_COMMIT", 1)


def test_a_row_on_top_takes_nothing_from_the_rows_below(workspace: Workspace) -> None:
    path = workspace.root / "fruit.csv"
    table(path, "Apple", "Pear", "Plum")
    read(workspace)
    tag(workspace, "Apple", "Plum")
    before = titles(workspace)
    workspace.connection.execute("UPDATE documents SET splitter = 'cut'")
    table(path, "New", "Apple", "Pear", "Plum")
    read(workspace)
    assert tagged(workspace) == {"Apple": {"Apple"}, "Plum": {"Plum"}}
    assert before.items() <= titles(workspace).items()
    assert rows(workspace) == [("New", "row 1"), ("Apple", "row 2"), ("Pear", "row 3"), ("Plum", "row 4")]
    cut = workspace.connection.execute("SELECT title FROM documents WHERE splitter = 'cut'").fetchall()
    assert {title for (title,) in cut} == before.keys()
    table(path, "Plum", "Apple")
    read(workspace)
    assert rows(workspace) == [("Plum", "row 1"), ("Apple", "row 2")]
    assert tagged(workspace) == {"Apple": {"Apple"}, "Plum": {"Plum"}}
    assert workspace.connection.execute("SELECT key FROM meta WHERE key LIKE 'reading%'").fetchall() == []


def test_a_row_that_is_rewritten_stays_the_same_document(workspace: Workspace) -> None:
    path = workspace.root / "fruit.csv"
    table(path, "Apple", "Pear", "Plum")
    read(workspace)
    tag(workspace, "Pear")
    before = titles(workspace)
    table(path, "Plum", "A better pear", "Apple")
    read(workspace)
    after = titles(workspace)
    assert tagged(workspace) == {"A better pear": {"Pear"}}
    assert after == {"Plum": before["Plum"], "A better pear": before["Pear"], "Apple": before["Apple"]}


def test_equal_rows_keep_their_order(workspace: Workspace) -> None:
    path = workspace.root / "fruit.csv"
    table(path, "Apple", "Apple", "Pear")
    read(workspace)
    first, second, pear = (entry.id for entry in workspace.documents())
    table(path, "New", "Apple", "Apple", "Pear", "Apple")
    read(workspace)
    now = [entry.id for entry in workspace.documents()]
    assert now[1:4] == [first, second, pear]
    assert {now[0], now[4]}.isdisjoint({first, second, pear})


def test_rows_that_stay_as_they_are_are_not_written_again(workspace: Workspace) -> None:
    path = workspace.root / "fruit.csv"
    table(path, "Apple", "Pear")
    read(workspace)
    db = workspace.connection
    db.set_authorizer(None)  # which refuses triggers
    db.execute("CREATE TEMP TABLE written (id)")
    db.execute(
        "CREATE TEMP TRIGGER watch AFTER UPDATE ON main.documents BEGIN INSERT INTO written VALUES (new.id); END"
    )
    table(path, "Apple", "Pear", "Plum")
    assert read(workspace).read == 1
    assert [*titles(workspace)] == ["Apple", "Pear", "Plum"]
    assert db.execute("SELECT * FROM written").fetchall() == []


@pytest.mark.parametrize("after", range(1, 5))
def test_a_reading_that_breaks_off_anywhere_is_made_good(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path = workspace.root / "fruit.csv"
    table(path, "Apple", "Pear", "Plum")
    read(workspace)
    tag(workspace, "Apple", "Pear", "Plum")
    before = titles(workspace)
    table(path, "New", "A better pear", "Plum", "Apple")
    for _ in range(2):
        breaking_off(monkeypatch, after, Cancelled())
        with pytest.raises(Cancelled):
            read(workspace)
        assert [one.message for one in examine(workspace.folder) if one.state == "problem"] == []
    read(workspace)
    assert [*titles(workspace)] == ["New", "A better pear", "Plum", "Apple"]
    assert tagged(workspace) == {"A better pear": {"Pear"}, "Plum": {"Plum"}, "Apple": {"Apple"}}
    assert titles(workspace)["Apple"] == before["Apple"]
    assert [part for _, part in rows(workspace)] == ["row 1", "row 2", "row 3", "row 4"]


def test_what_was_chosen_for_a_file_goes_with_it(workspace: Workspace) -> None:
    root = workspace.root
    write(root / "a.txt", "The cat sleeps.\nThe dog runs.")
    workspace.set_file_options("a.txt", lines=True)
    read(workspace)
    tag(workspace, "The dog runs.")
    (root / "a.txt").rename(root / "z.txt")
    assert read(workspace).moved == 1
    assert read(workspace).read == 0
    assert tagged(workspace) == {"The dog runs.": {"The dog runs."}}
    assert workspace.file_options("z.txt").lines
    assert not workspace.file_options("a.txt").lines
    (root / "z.txt").rename(root / "y.txt")
    workspace.set_file_options("y.txt", lines=False)  # said of the new name, so said later
    assert read(workspace).read == 1
    assert held(workspace) == {"y.txt": "The cat sleeps.\nThe dog runs."}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_file_may_take_the_name_of_one_that_was_skipped(workspace: Workspace) -> None:
    root = workspace.root
    write(root / "a.txt", "The cat sleeps.")
    (root / "b.txt").symlink_to("nowhere")
    read(workspace)
    (root / "b.txt").unlink()
    (root / "a.txt").rename(root / "b.txt")
    assert read(workspace).moved == 1
    assert held(workspace) == {"b.txt": "The cat sleeps."}
    assert workspace.problems() == []


@pytest.mark.parametrize("names", [("b.txt", "a.txt"), ("b.txt", "c.txt"), ("c.txt", "a.txt")])
def test_files_that_take_each_others_names_keep_what_is_said_of_them(
    workspace: Workspace, names: tuple[str, str]
) -> None:
    root = workspace.root
    write(root / "a.txt", "The cat sleeps.")
    write(root / "b.txt", "The dog runs away.")
    workspace.set_file_options("a.txt", encoding="latin-1")
    read(workspace)
    tag(workspace, "The cat sleeps.", "The dog runs away.")
    before = titles(workspace)
    for old, new in zip(("a.txt", "b.txt"), names, strict=True):
        (root / old).rename(root / f"{new}.new")
    for new in names:
        (root / f"{new}.new").rename(root / new)
    counts = read(workspace)
    assert (counts.moved, counts.read, counts.removed) == (2, 0, 0)
    assert held(workspace) == dict(zip(names, ("The cat sleeps.", "The dog runs away."), strict=True))
    assert titles(workspace) == before
    assert [workspace.file_options(name).encoding for name in names] == ["latin-1", ""]
    assert read(workspace).same == 2


def test_a_copy_of_a_file_that_is_edited_is_the_new_one(workspace: Workspace) -> None:
    root = workspace.root
    write(root / "report.txt", "The cat sleeps.")
    read(workspace)
    tag(workspace, "The cat sleeps.")
    (root / "report-1.txt").write_bytes((root / "report.txt").read_bytes())
    write(root / "report.txt", "The cat sleeps no more.", 1_100_000_000)
    assert read(workspace).moved == 0
    assert tagged(workspace) == {"The cat sleeps no more.": {"The cat sleeps."}}


@pytest.mark.parametrize("reason", Unreadable.REASONS)
def test_what_is_said_of_a_file_outlives_a_reading_that_fails(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    path = workspace.root / "fruit.csv"
    table(path, "Apple", "Pear", "Plum")
    read(workspace)
    tag(workspace, "Plum")
    os.utime(path, (1_100_000_000, 1_100_000_000))
    table(path, "Apple", "Pear", "Plum", "Fig")
    breaking_off(monkeypatch, 1, Unreadable(reason, "fruit.csv cannot be read."))
    read(workspace)
    assert [one.reason for one in workspace.problems()] == [reason]
    lasting = reason in ("binary", "encrypted", "no text layer")
    assert [*titles(workspace)] == (["Apple", "Plum"] if lasting else ["Apple", "Pear", "Plum"])
    assert tagged(workspace) == {"Plum": {"Plum"}}
    FileSync(workspace.connection, workspace.root, ReadOptions(), retry=True).run(Task())
    assert [*titles(workspace)] == ["Apple", "Pear", "Plum", "Fig"]
    assert tagged(workspace) == {"Plum": {"Plum"}}
    assert workspace.problems() == []


def test_a_file_that_is_empty_for_a_moment_loses_nothing(workspace: Workspace) -> None:
    path = workspace.root / "a.txt"
    write(path, "The cat sleeps.")
    read(workspace)
    tag(workspace, "The cat sleeps.")
    write(path, "")
    read(workspace)
    assert [one.reason for one in workspace.problems()] == ["empty"]
    write(path, "The cat sleeps.")
    read(workspace)
    assert tagged(workspace) == {"The cat sleeps.": {"The cat sleeps."}}
    assert workspace.problems() == []


def test_a_table_that_is_half_saved_loses_nothing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workspace.root / "fruit.csv"
    table(path, "Apple", "Pear", "Plum")
    read(workspace)
    tag(workspace, "Plum")
    table(path, "New")
    whole = ("New", "Apple", "Pear", "Plum")
    just_before(monkeypatch, "fruit.csv", lambda: None, then=lambda: table(path, *whole))
    read(workspace)
    assert tagged(workspace) == {"Plum": {"Plum"}}
    read(workspace)
    assert tuple(titles(workspace)) == whole
    assert tagged(workspace) == {"Plum": {"Plum"}}


def test_a_new_name_is_told_and_decides_how_a_file_is_read(workspace: Workspace) -> None:
    root = workspace.root
    table(root / "data.txt", "Apple", "Pear")
    write(root / "old_name.py", "print(1)")
    write(root / "prose.txt", "The cat sleeps.")
    read(workspace)
    tag(workspace, "old_name.py", "The cat sleeps.")
    workspace.connection.execute("UPDATE documents SET splitter = 'cut'")
    (root / "data.txt").rename(root / "data.csv")
    (root / "old_name.py").rename(root / "new_name.py")
    (root / "prose.txt").rename(root / "other.txt")
    counts = read(workspace)
    assert (counts.moved, counts.read) == (3, 2)
    assert rows(workspace) == [("Apple", "row 1"), ("Pear", "row 2"), ("new_name.py", ""), ("The cat sleeps.", "")]
    assert tagged(workspace) == {"new_name.py": {"old_name.py"}, "The cat sleeps.": {"The cat sleeps."}}
    (cut,) = workspace.connection.execute("SELECT splitter FROM documents WHERE title = 'new_name.py'").fetchone()
    assert cut == "cut"
    (root / "deep").mkdir()
    (root / "new_name.py").rename(root / "deep/new_name.py")
    counts = read(workspace)
    assert (counts.moved, counts.read) == (1, 0)


def test_a_new_name_is_told_though_the_update_was_stopped(workspace: Workspace) -> None:
    root = workspace.root
    write(root / "old_name.py", "print(1)")
    read(workspace)
    (root / "old_name.py").rename(root / "new_name.py")
    task = Task(lambda progress: task.cancel() if progress.note == "reading" else None)
    with pytest.raises(Cancelled):
        FileSync(workspace.connection, root, ReadOptions()).run(task)
    read(workspace)
    assert [*titles(workspace)] == ["new_name.py"]


def test_no_document_gets_the_number_of_one_that_is_gone(workspace: Workspace) -> None:
    root = workspace.root
    write(root / "a.txt", "The cat sleeps.")
    write(root / "b.txt", "The dog runs.")
    table(root / "fruit.csv", "Apple", "Pear")
    read(workspace)
    gone = {*titles(workspace).values()}
    table(root / "fruit.csv", "Apple")
    (root / "b.txt").unlink()
    read(workspace)
    gone -= {*titles(workspace).values()}
    assert len(gone) == 2
    write(root / "c.txt", "The king plays.")
    write(root / "d.txt", "The queen plays.")
    read(workspace)
    assert gone.isdisjoint(titles(workspace).values())
    assert len(titles(workspace)) == 4


def test_scans_are_recognised_after_all_else_and_only_once(workspace: Workspace) -> None:
    from explorer.corpus.readers import recognition
    from tests.corpus.readers.test_recognition import WORDS, picture

    if "eng" not in recognition.languages():
        pytest.skip("Tesseract is not installed")
    (workspace.root / "a.png").write_bytes(picture())
    write(workspace.root / "b.txt", "The cat sleeps.")
    read(workspace)
    assert [one.reason for one in workspace.problems()] == ["no text layer"]
    sync = partial(FileSync, workspace.connection, workspace.root, ReadOptions(recognise="eng"))
    assert sync().run(Task()).read == 0
    assert held(workspace) == {"a.png": WORDS, "b.txt": "The cat sleeps."}
    assert workspace.problems() == []
    read(workspace)
    assert held(workspace)["a.png"] == WORDS  # asked for or not, what was recognised stays
