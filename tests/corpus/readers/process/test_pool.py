"""Files that crash, hang or eat memory cost themselves alone; what comes back is what the readers gave."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from explorer import paths
from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.readers import registry
from explorer.corpus.readers.process.pool import ReaderPool, Reading, ReadRequest
from explorer.corpus.scan.diff import fingerprint
from explorer.task import Cancelled, Task
from tests.corpus.readers import foreign_files
from tests.security import hostile_files

SAMPLE = paths.resources() / "sample"


@pytest.fixture
def pool():
    """A pool of one process, so that the order of what happens is known."""
    made = ReaderPool(workers=1)
    yield made
    made.close()


def request_of(path: Path, **options: object) -> ReadRequest:
    return ReadRequest(path, path.stat().st_size, ReadOptions(**options))


def read(pool: ReaderPool, *paths: Path, **options: object) -> list[list[Document] | Unreadable]:
    results: list[list[Document] | Unreadable] = []
    for reading in pool.read_files(request_of(path, **options) for path in paths):
        try:
            results.append(list(reading.documents(Task())))
            assert reading.digest == fingerprint(reading.request.path)
        except Unreadable as error:
            results.append(error)
    return results


def wait_until_begun(pool: ReaderPool, reading: Reading) -> None:
    """Wait until a process has hashed the file, and so is reading it now."""
    with pool.changed:
        assert pool.changed.wait_for(lambda: reading.digest, 60)


def test_the_same_documents_as_without_a_process(pool: ReaderPool) -> None:
    every = {
        path.suffix: path for path in sorted(SAMPLE.rglob("*")) if path.is_file() and path.suffix in registry.SUFFIXES
    }
    assert len(every) > 10
    for path, documents in zip(every.values(), read(pool, *every.values()), strict=True):
        assert documents == list(registry.read(path, ReadOptions(), Task())), path.name


def test_a_long_text_comes_whole(pool: ReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "긴 글.html"
    path.write_text("<p>" + "아주 긴 글입니다. " * 300_000, encoding="utf-8")
    ((document,),) = read(pool, path)
    assert document.text.count("긴 글") == 300_000


def test_a_killed_process_costs_one_file(pool: ReaderPool, tmp_path: Path) -> None:
    """The process dies in the middle of a file: that file is listed, the next is read by another process."""
    hang, page = tmp_path / "hang.pdf", tmp_path / "page.html"
    hang.write_bytes(hostile_files.endless_form())
    page.write_text("<p>still read")
    readings = pool.read_files([request_of(hang), request_of(page)])
    with closing(readings):
        first = next(readings)
        wait_until_begun(pool, first)
        (process,) = pool.processes()
        os.kill(process, signal.SIGSEGV)
        with pytest.raises(Unreadable) as caught:
            list(first.documents(Task()))
        assert caught.value.reason == "crash"
        assert "hang.pdf crashed the PDF reader" in str(caught.value)
        assert [document.text for document in next(readings).documents(Task())] == ["still read"]
    assert pool.processes() != [process]


def test_a_file_that_never_ends_is_stopped(pool: ReaderPool, tmp_path: Path) -> None:
    path, other = tmp_path / "endless.pdf", tmp_path / "other.pdf"
    path.write_bytes(hostile_files.endless_form(idle=500))
    other.write_bytes(foreign_files.pdf()[0])
    read(pool, other)  # the process has imported pdfium by now, which takes seconds on a busy machine
    (error,) = read(pool, path, seconds=2)
    assert isinstance(error, Unreadable)
    assert error.reason == "timeout"
    assert "within 2 s" in str(error)


def test_cancelling_answers_at_once(pool: ReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "endless.pdf"
    path.write_bytes(hostile_files.endless_form())
    readings = pool.read_files([request_of(path)])
    task = Task()
    with closing(readings):
        reading = next(readings)
        wait_until_begun(pool, reading)
        task.cancel()
        since = time.monotonic()
        with pytest.raises(Cancelled):
            list(reading.documents(task))
    assert time.monotonic() - since < 1


def test_what_brought_a_process_down_is_not_tried_again(pool: ReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "copy.pdf"
    path.write_bytes(hostile_files.endless_form())
    known = {
        fingerprint(path): Unreadable(
            "timeout", "{file} could not be read within {seconds:.0f} s.", file="x.pdf", seconds=1
        )
    }
    (reading,) = pool.read_files([ReadRequest(path, 9, ReadOptions(), known)])
    with pytest.raises(Unreadable, match=r"copy.pdf could not be read within 1 s"):
        list(reading.documents(Task()))


def test_an_idle_process_that_died_is_replaced(pool: ReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>words")
    read(pool, path)
    (process,) = pool.processes()
    os.kill(process, signal.SIGKILL)
    ((document,),) = read(pool, path)
    assert document.text == "words"


def test_small_texts_need_no_process(pool: ReaderPool, tmp_path: Path) -> None:
    names = ("a.txt", "README", "b.md", "12345")
    for name in names:
        (tmp_path / name).write_text("words")
    assert len(read(pool, *(tmp_path / name for name in names))) == 4
    assert pool.processes() == []


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")
def test_a_reader_cannot_write_connect_or_eat_memory(tmp_path: Path) -> None:
    """Tried from inside such a process, by what a hostile file that took it over would do."""
    import subprocess

    code = f"""
import os, socket, sys
from explorer.corpus.readers.process import limits
measures = limits.confine()
limits.renew(60)
def refused(act):
    try:
        act()
    except (OSError, MemoryError):
        return True
    return False
tried = {{
    "memory": refused(lambda: bytearray(2 * 2**30)),
    "write": refused(lambda: open({str(tmp_path / "new")!r}, "w").write("x")),
    "remove": refused(lambda: os.remove({str(tmp_path / "old")!r})),
    "connect": refused(lambda: socket.create_connection(("127.0.0.1", 9), 1)),
    "socket": refused(lambda: socket.socket()),
}}
open({str(tmp_path / "old")!r}).read()
open(os.devnull, "w").write("x")
print(sorted(name for name, was in tried.items() if was), measures)
"""
    (tmp_path / "old").write_text("kept")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "memory" in ran.stdout
    if "Landlock" in ran.stdout:
        assert "write" in ran.stdout
        assert "remove" in ran.stdout
        assert (tmp_path / "old").read_text() == "kept"
    if "seccomp" in ran.stdout:
        assert "'socket'" in ran.stdout
