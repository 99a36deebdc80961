"""Files of arrays: whole or not at all, and nothing damaged or foreign is read."""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from explorer.errors import WorkspaceError
from explorer.workspace.storage.array_cache import read_arrays, write_arrays

ARRAYS = {
    "numbers": np.arange(12, dtype=np.int64).reshape(3, 4),
    "none": np.zeros((0, 2), np.float32),
    "one": np.array(True),
    "name": np.array("한글 name"),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "some.arrays"


def test_what_was_written_is_read(file: Path) -> None:
    write_arrays(file, "map 1", ARRAYS)
    found = read_arrays(file, "map 1")
    assert found is not None
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    assert [path.name for path in file.parent.iterdir()] == ["some.arrays"]


def test_another_kind_and_a_missing_file_are_nothing(file: Path) -> None:
    assert read_arrays(file, "map 1") is None
    write_arrays(file, "map 1", ARRAYS)
    assert read_arrays(file, "map 2") is None
    assert read_arrays(file.parent, "map 1") is None


def test_the_same_arrays_give_the_same_file(file: Path) -> None:
    write_arrays(file, "map 1", ARRAYS)
    before = file.read_bytes()
    write_arrays(file, "map 1", ARRAYS)
    assert file.read_bytes() == before


def test_a_damaged_file_is_nothing(file: Path) -> None:
    write_arrays(file, "map 1", ARRAYS)
    whole, chance = file.read_bytes(), random.Random(0)
    spoilt = [b"", whole[:16], whole[16:], whole + b"x", bytes(len(whole))]
    spoilt += [whole[: chance.randrange(len(whole))] for _ in range(50)]
    for _ in range(200):
        place = chance.randrange(len(whole))
        spoilt.append(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :])
    for content in spoilt:
        file.write_bytes(content)
        assert read_arrays(file, "map 1") is None
    file.write_bytes(whole)
    assert read_arrays(file, "map 1") is not None


def test_objects_are_never_unpickled(file: Path, tmp_path: Path) -> None:
    from hashlib import blake2b

    evil = np.array([{"a": 1}], dtype=object)
    np.savez(tmp_path / "evil.npz", kind=np.array("map 1"), evil=evil)
    content = (tmp_path / "evil.npz").read_bytes()
    file.parent.mkdir()
    file.write_bytes(blake2b(content, digest_size=16).digest() + content)
    assert read_arrays(file, "map 1") is None


def test_what_is_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("a file")
    with pytest.raises(WorkspaceError, match="cannot be written"):
        write_arrays(tmp_path / "deep" / "some.arrays", "map 1", ARRAYS)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file sizes")
def test_a_full_disk_leaves_the_old_file(file: Path) -> None:
    import resource
    import signal

    write_arrays(file, "map 1", ARRAYS)
    before, limits = file.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
    try:
        with pytest.raises(WorkspaceError, match="nothing was lost"):
            write_arrays(file, "map 1", {"large": np.zeros(100_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["some.arrays"]


def test_of_several_threads_one_after_the_other_writes(file: Path) -> None:
    write_arrays(file, "map 1", {"value": np.array(-1)})
    threads = [
        threading.Thread(target=write_arrays, args=(file, "map 1", {"value": np.full(5000, number)}))
        for number in range(12)
    ]
    for thread in threads:
        thread.start()
    for _ in range(50):
        found = read_arrays(file, "map 1")
        assert found is not None
        assert len(np.unique(found["value"])) == 1
    for thread in threads:
        thread.join()
    assert [path.name for path in file.parent.iterdir()] == ["some.arrays"]
