"""Two faults at once, and errors of the disk under SQLite: a sentence or the work done, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import WorkspaceError
from explorer.workspace import doctor
from explorer.workspace.storage import database
from explorer.workspace.storage.user import database as user_database
from explorer.workspace.workspace import Workspace
from tests.conftest import PROJECT
from tests.faults import earlier_schemas as earlier
from tests.faults.kill_indexing import in_child

KILLED = 9
# What changes something on the disk, or is about to.
EVENTS = {"open", "os.remove", "os.rename", "os.truncate", "os.utime", "shutil.copyfile", "sqlite3.connect"}

# Fails one call for a database with EIO, the one that the environment names, and says at the end how many there were.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long calls;

static int fails(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, ".db")) return 0;
    if (++calls != atol(getenv("FAIL_AT"))) return 0;
    errno = EIO;
    return 1;
}

#define NEXT(name) __typeof__(&name) next = dlsym(RTLD_NEXT, #name)
ssize_t pread64(int f, void *b, size_t n, off64_t o) { NEXT(pread64); return fails(f) ? -1 : next(f, b, n, o); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { NEXT(pwrite64); return fails(f) ? -1 : next(f, b, n, o); }
ssize_t pread(int f, void *b, size_t n, off_t o) { NEXT(pread); return fails(f) ? -1 : next(f, b, n, o); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { NEXT(pwrite); return fails(f) ? -1 : next(f, b, n, o); }
int fsync(int f) { NEXT(fsync); return fails(f) ? -1 : next(f); }
int fdatasync(int f) { NEXT(fdatasync); return fails(f) ? -1 : next(f); }
__attribute__((destructor)) static void tell(void) { fprintf(stderr, "CALLS %ld\n", calls); }
"""
WORK = """
import sqlite3
import sys
from pathlib import Path
from explorer.errors import ExplorerError
from explorer.workspace.workspace import Workspace
try:
    with Workspace(Path(sys.argv[1]), None, writable=True) as workspace:
        workspace.set_setting("model name", "later")
        texts = [workspace.text(entry.id) for entry in workspace.documents()]
    print(len(texts))
except (ExplorerError, sqlite3.Error) as error:  # where it only reads, the command says what SQLite says
    print(error)
    sys.exit(3)
"""


def words(folder: Path) -> tuple[Any, ...]:
    """Open a workspace as its next user does; return what cannot be made again."""
    with Workspace(folder, None, writable=True) as workspace:
        tables = ("tags", "judgements")
        rows = [workspace.connection.execute(f"SELECT * FROM user.{table}").fetchall() for table in tables]
        return workspace.setting("root"), *rows


def said_by(folder: Path) -> str:
    """Open a workspace; return what it says, as an error or because it is only read."""
    try:
        with Workspace(folder, None, writable=True) as workspace:
            return workspace.notice
    except WorkspaceError as error:
        return str(error)


def stopped_at(number: int) -> Callable[[str, tuple[object, ...]], None]:
    """Return a hook that ends this process at once before so many changes of the disk."""
    left = number

    def hook(event: str, _: tuple[object, ...]) -> None:
        nonlocal left
        if event in EVENTS:
            left -= 1
            if left < 0:
                os._exit(KILLED)

    return hook


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked to be killed")
@pytest.mark.parametrize("damaged", [database.FILE, user_database.FILE])
def test_a_repair_that_is_killed_at_any_moment_is_done_by_the_next(tmp_path: Path, damaged: str) -> None:
    sound = tmp_path / "sound"
    earlier.make(sound, tmp_path / "texts", database.VERSION)
    expected = words(sound)
    data = bytearray((sound / damaged).read_bytes())
    data[-4096:-2048] = bytes(range(256)) * 8
    (sound / damaged).write_bytes(data)
    used, moment, code = tmp_path / "used", 0, KILLED
    while code == KILLED:
        shutil.rmtree(used, ignore_errors=True)
        shutil.copytree(sound, used)

        def repair(moment: int = moment) -> None:
            sys.addaudithook(stopped_at(moment))
            doctor.examine(used, repair=True)

        _, status = os.waitpid(in_child(repair), 0)
        code = os.waitstatus_to_exitcode(status)
        assert [finding.message for finding in doctor.examine(used, repair=True) if finding.state == "problem"] == []
        assert words(used) == expected, f"killed at moment {moment}"
        moment += 3  # three neighbours differ in little
    assert code == 0
    assert moment > 20


@pytest.mark.parametrize("version", range(1, database.VERSION))
def test_a_disk_that_runs_full_during_a_migration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    before = tmp_path / "before"
    earlier.make(before, tmp_path / "texts", version)
    expected = words(Path(shutil.copytree(before, tmp_path / "sound")))
    refused, room = 0, 0
    while room < 200:
        folder = Path(shutil.copytree(before, tmp_path / f"room {room}"))
        real: Callable[[Path, str], sqlite3.Connection] = database.open_uri

        def small(file: Path, how: str, room: int = room, real: Any = real) -> sqlite3.Connection:
            db: sqlite3.Connection = real(file, how)
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages + room}")
            return db

        with monkeypatch.context() as patch:
            patch.setattr(database, "open_uri", small)
            told = said_by(folder)
        assert not told or "full" in told
        refused += bool(told)
        assert words(folder) == expected, f"room for {room} pages"
        assert [finding.message for finding in doctor.examine(folder) if finding.state != "ok"] == []
        room = room * 2 + 1
    assert refused or version >= 4  # whose step takes less room than what it drops


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that fails calls."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("calls are failed by a library that a C compiler makes, on Linux")
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True
    )
    return folder / "shim.so"


def test_an_error_of_the_disk_under_sqlite_is_a_sentence_and_harms_nothing(tmp_path: Path, shim: Path) -> None:
    sound = tmp_path / "sound"
    earlier.make(sound, tmp_path / "texts", database.VERSION)
    expected = words(sound)

    def run(folder: Path, number: int) -> tuple[int, str, int]:
        done = subprocess.run(
            [sys.executable, "-P", "-c", WORK, folder],
            env={
                **os.environ,
                "PYTHONPATH": str(PROJECT),
                "LD_PRELOAD": str(shim),
                "FAIL_AT": str(number),
                "DOCEXPLORER_HOME": str(tmp_path / "home"),
            },
            capture_output=True,
            text=True,
        )
        *said, calls = done.stderr.strip().splitlines()
        assert done.returncode in (0, 3), done.stdout + "\n".join(said)
        assert "Traceback" not in done.stdout + "\n".join(said)
        return done.returncode, done.stdout, int(calls.removeprefix("CALLS "))

    code, _, calls = run(Path(shutil.copytree(sound, tmp_path / "all")), 0)
    assert code == 0
    assert calls > 20
    codes = set()
    for number in range(1, calls, max(1, calls // 12)):
        folder = Path(shutil.copytree(sound, tmp_path / f"call {number}"))
        code, said, _ = run(folder, number)
        codes.add(code)
        assert code == 0 or said.strip()
        assert words(folder) == expected, f"call {number}"
        assert [finding.message for finding in doctor.examine(folder) if finding.state != "ok"] == []
    assert 3 in codes
