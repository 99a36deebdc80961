"""What the tests of all readers share: files on disk, and damage done to them."""

import random
from pathlib import Path

import pytest

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.task import Task


def check_document(document):
    """The promises of `Document`, whatever the file was."""
    assert document.title.strip()
    assert "\n" not in document.title
    assert "\r" not in document.text
    assert "\0" not in document.text
    (document.text + document.title + repr(dict(document.metadata))).encode("utf-8")
    assert all(name == name.lower() for name in document.metadata)
    assert all(isinstance(value, str | int | float | bool) for value in document.metadata.values())
    assert 0.0 <= document.confidence <= 1.0


def assert_told(error: Unreadable, name: str) -> None:
    """The promises of `Unreadable`: a known reason, and a sentence that names the file."""
    assert error.reason in Unreadable.REASONS
    assert name in str(error)
    assert str(error).endswith(".")


@pytest.fixture
def read_bytes(tmp_path):
    """Write bytes to a file of that name and read it: `read_bytes(reader, "a.csv", b"...")`."""

    def read(reader, name: str, data: bytes, **options) -> list[Document]:
        path = tmp_path / name
        path.write_bytes(data)
        documents = list(reader.read(path, ReadOptions(**options), Task()))
        for document in documents:
            check_document(document)
        parts = [document.part for document in documents]
        assert len(set(parts)) == len(parts)
        return documents

    return read


@pytest.fixture
def refusal(read_bytes):
    """The error of a file that must not be readable, its message checked to name the file."""

    def refused(reader, name: str, data: bytes, **options) -> Unreadable:
        with pytest.raises(Unreadable) as caught:
            read_bytes(reader, name, data, **options)
        assert_told(caught.value, name)
        return caught.value

    return refused


@pytest.fixture
def survives(read_bytes):
    """Read many damaged copies of a file: each gives documents or Unreadable, nothing else."""

    def survive(reader, name: str, data: bytes, rounds: int = 150) -> None:
        luck = random.Random(name)
        for damaged in damaged_copies(luck, data, rounds):
            try:
                read_bytes(reader, name, damaged)
            except Unreadable as error:
                assert_told(error, name)

    return survive


def damaged_copies(luck: random.Random, data: bytes, rounds: int):
    yield b""
    yield luck.randbytes(2_000)
    yield data[:20] + luck.randbytes(500)
    for _ in range(rounds):
        copy = bytearray(data)
        kind = luck.randrange(4)
        if kind == 0:
            copy = copy[: luck.randrange(len(copy))]
        elif kind == 1:
            for _ in range(luck.choice((1, 4, 40))):
                copy[luck.randrange(len(copy))] ^= 1 << luck.randrange(8)
        elif kind == 2:
            start = luck.randrange(len(copy))
            copy[start : start + luck.randrange(1, 200)] = luck.randbytes(luck.randrange(50))
        else:
            start = luck.randrange(len(copy))
            copy[start:start] = copy[start : start + luck.randrange(1, 500)] * luck.randrange(1, 5)
        yield bytes(copy)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The data sets beside the project."""
    folder = Path(__file__).resolve().parents[3].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the data sets beside the project (../shared/data) are not here")
    return folder
