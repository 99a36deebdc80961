"""Checksums of vectors: what shows, what does not harm, and what happens to damaged ones."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from explorer.errors import DataError, WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.search.search import Searcher
from explorer.workspace.storage.vectors import checksums as vector_checksums
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.file import VectorFile
from explorer.workspace.workspace import Workspace, open_workspace


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu"))


@pytest.fixture
def texts(tmp_path: Path, encoder: BiEncoder) -> Path:
    root = tmp_path / "texts"
    root.mkdir()
    for number, words in enumerate(("cat dog", "river stone", "king queen", "tea cold", "ship sea")):
        (root / f"{number}.txt").write_text(f"the {words} under the moon")
    with open_workspace(root) as workspace:
        workspace.update(encoder)
    return root


@pytest.fixture
def file(tmp_path: Path) -> VectorFile:
    vectors = VectorFile(tmp_path / "1.f16", 8, "a model")
    chance = np.random.default_rng(0)
    for count in (3, 1, 5):
        vectors.append(chance.normal(size=(count, 8)).astype(np.float32), [os.urandom(16) for _ in range(count)])
    return vectors


def spoil(path: Path, offset: int = 0) -> None:
    with path.open("r+b") as stream:
        stream.seek(offset)
        byte = stream.read(1)[0]
        stream.seek(offset)
        stream.write(bytes([byte ^ 1]))
    vector_checksums._verified.clear()  # as in a new process


def found(workspace: Workspace) -> np.ndarray:
    return vector_table.load(workspace).document_vectors()[1]


def test_only_the_block_with_the_damage_is_named(file: VectorFile) -> None:
    assert file.checksums.damaged(9) == []
    spoil(file.path, 3 * 16)
    assert file.checksums.damaged(9) == [slice(3, 4)]
    spoil(file.path, 8 * 16)
    assert file.checksums.damaged(9) == [slice(3, 4), slice(4, 9)]


def test_vectors_of_another_model_are_not_its_own(file: VectorFile) -> None:
    other = VectorFile(file.path, 8, "another model")
    assert len(other.checksums.records()) == 0  # whose records these are shows too
    assert len(file.checksums.records()) == 3


def test_a_block_is_read_once_in_a_process(file: VectorFile, monkeypatch: pytest.MonkeyPatch) -> None:
    assert file.checksums.damaged(9) == []
    monkeypatch.setattr(file.checksums, "_read", lambda *_: pytest.fail("read again"))
    assert file.checksums.damaged(9) == []


def test_of_what_is_appended_the_new_records_alone_are_read(file: VectorFile) -> None:
    assert file.checksums.damaged(4) == []  # the last block is not committed yet
    record = file.checksums.path.stat().st_size // 3
    assert 2 * record in {known.start for known in vector_checksums._verified.values()}
    assert file.checksums.damaged(9) == []
    file.append(np.ones((2, 8), dtype=np.float32), [bytes(16)] * 2)
    with file.path.open("r+b") as stream:
        stream.seek(9 * 16)
        stream.write(b"?")
    assert file.checksums.damaged(11) == [slice(9, 11)]
    assert file.checksums.damaged(11) == [slice(9, 11)]
    file.trim(9)
    assert file.checksums.damaged(9) == []


def test_rows_of_earlier_versions_get_theirs_from_the_next_writer(file: VectorFile) -> None:
    file.checksums.path.unlink()
    assert file.checksums.damaged(9) == []
    file.trim(9)
    spoil(file.path, 5 * 16)
    assert file.checksums.damaged(9) == [slice(0, 9)]


def test_a_damaged_record_costs_no_vector(file: VectorFile) -> None:
    spoil(file.checksums.path, 45)
    assert file.checksums.damaged(9) == []
    file.trim(9)
    assert [int(record["first"]) for record in file.checksums.records()] == [0, 3, 4]


def test_what_a_crash_left_is_cut_off_with_its_checksums(file: VectorFile) -> None:
    with file.checksums.path.open("ab") as stream:
        stream.write(b"half a record")
    file.trim(6)  # in the midst of a block
    assert file.rows() == 6
    assert file.checksums.damaged(6) == []
    file.append(np.ones((2, 8), dtype=np.float32), [bytes(16), bytes(16)])
    spoil(file.path, 6 * 16)
    assert file.checksums.damaged(8) == [slice(6, 8)]


@pytest.mark.parametrize("left", [0, 3, 4])
def test_records_of_lost_rows_do_not_speak_for_those_that_come_in_their_place(file: VectorFile, left: int) -> None:
    if left:
        os.truncate(file.path, left * 16)
    else:
        file.path.unlink()
    file.trim(left)
    file.append(np.ones((20, 8), dtype=np.float32), [bytes(16)] * 20)
    assert file.checksums.damaged(left + 20) == []
    file.trim(left + 20)
    assert file.checksums.damaged(left + 20) == []


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e6])
def test_what_cannot_be_compared_is_refused(file: VectorFile, value: float) -> None:
    with pytest.raises(DataError, match="not numbers"):
        file.append(np.full((1, 8), value, dtype=np.float32), [bytes(16)])
    assert file.rows() == 9


def test_a_search_says_that_vectors_are_damaged_and_an_update_makes_them_again(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        wanted = found(workspace)
        spoil(workspace.vector_file(workspace.models()[0]).path, 10)
        with pytest.raises(WorkspaceError, match="damaged on the disk"):
            found(workspace)
        with pytest.raises(WorkspaceError, match="damaged on the disk"):  # and not a draft's answer
            Searcher(workspace, encoder).search("river")
        done = workspace.update(encoder)
        assert done.damaged > 0
        assert done.encoded == done.damaged
        assert np.allclose(found(workspace), wanted, atol=1e-3)
        assert workspace.update(encoder).damaged == 0


def test_a_file_cut_short_is_made_whole_by_an_update(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        wanted = found(workspace)
        path = workspace.vector_file(workspace.models()[0]).path
        os.truncate(path, path.stat().st_size - 70)
        with pytest.raises(WorkspaceError, match="missing"):
            found(workspace)
        assert workspace.update(encoder).damaged == 2
        assert np.allclose(found(workspace), wanted, atol=1e-3)
