"""Thousands of damaged files: each is read or listed with a reason, none crashes or hangs the reader."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from explorer import paths
from explorer.corpus.document import ReadOptions, Unreadable
from explorer.corpus.readers.registry import SUFFIXES, read
from explorer.task import Task

SEEDS: dict[str, list[Path]] = {}
for file in sorted(path for path in (paths.resources() / "sample").rglob("*") if path.is_file()):
    SEEDS.setdefault(file.suffix, []).append(file)


def flipped(chance: random.Random) -> tuple[str, bytes]:
    suffix = chance.choice(list(SEEDS))
    data = bytearray(chance.choice(SEEDS[suffix]).read_bytes())
    for _ in range(chance.randint(1, 30)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return suffix, bytes(data)


def truncated(chance: random.Random) -> tuple[str, bytes]:
    suffix = chance.choice(list(SEEDS))
    data = chance.choice(SEEDS[suffix]).read_bytes()
    return suffix, data[: chance.randrange(len(data))]


def noise(chance: random.Random) -> tuple[str, bytes]:
    return chance.choice(sorted(SUFFIXES)), chance.randbytes(chance.randint(0, 4000))


@pytest.mark.parametrize(("damage", "count"), [(flipped, 1000), (truncated, 1000), (noise, 250)])
def test_damaged_files_are_read_or_listed(tmp_path: Path, damage, count: int) -> None:
    chance = random.Random(7)
    was_read, listed = 0, []
    for _ in range(count):
        suffix, data = damage(chance)
        path = tmp_path / f"damaged{suffix}"
        path.write_bytes(data)
        try:
            for document in read(path, ReadOptions(seconds=20), Task()):
                document.text.encode("utf-8")
            was_read += 1
        except Unreadable as error:
            listed.append(error)
    assert was_read + len(listed) == count
    assert was_read > 0
    assert {error.reason for error in listed} <= set(Unreadable.REASONS)
    assert all("damaged" in str(error) for error in listed)  # each sentence names the file
