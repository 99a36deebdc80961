"""Vectors that were computed and not committed: taken over by the next process, if they are whole and of the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.storage.vectors.file import VectorJournal
from explorer.workspace.workspace import Workspace, open_workspace

KEYS = [bytes([number]) * 16 for number in range(4)]
VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture
def pending(tmp_path: Path) -> VectorJournal:
    made = VectorJournal(tmp_path / "vectors" / "1.pending", 3, "a model")
    made.add(KEYS[:2], VECTORS[:2])
    made.add(KEYS[2:], VECTORS[2:])
    return made


def test_what_was_added_is_there(pending: VectorJournal) -> None:
    found = pending.load()
    assert list(found) == KEYS
    np.testing.assert_array_equal(np.stack(list(found.values())), VECTORS.astype(np.float16))
    pending.clear()
    assert pending.load() == {}
    assert not pending.path.exists()


def test_a_torn_end_and_a_spoilt_vector_are_left_out(pending: VectorJournal) -> None:
    data = bytearray(pending.path.read_bytes()[:-1])
    data[len(data) // 4 + 20] ^= 1  # in the second vector
    pending.path.write_bytes(data)
    assert list(pending.load()) == [KEYS[0], KEYS[2]]


def test_vectors_of_another_model_are_left_out(pending: VectorJournal) -> None:
    assert VectorJournal(pending.path, 3, "another model").load() == {}


class StopError(Exception):
    """What stands for the end of the process."""


def test_what_a_stopped_update_computed_is_not_computed_again(
    tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(60):
        (texts / f"{number}.txt").write_text(f"The cat number {number} sat on the mat under the bright moon.")
    encoder = BiEncoder.open(tiny, choose("cpu", precision="float32"))
    stream, seen = encoder.stream, []

    def stopping(*arguments, **options):
        for output in stream(*arguments, **options):
            seen.append(len(output.rows))
            yield output
            if len(seen) == 2:
                raise StopError

    monkeypatch.setattr(encoder, "stream", stopping)
    with open_workspace(texts) as workspace:
        with pytest.raises(StopError):
            workspace.update(encoder)
        assert encoded(workspace) == 0
        assert workspace.update(encoder).encoded == 60 - sum(seen[:2])
        assert encoded(workspace) == sum(seen) == 60
        assert not list(workspace.folder.rglob("*.pending"))


def encoded(workspace: Workspace) -> int:
    return int(workspace.connection.execute("SELECT count(*) FROM vectors").fetchone()[0])


def test_a_spoilt_note_of_a_model_is_put_right(tmp_path: Path, tiny: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("The cat sat on the mat.")
    encoder = BiEncoder.open(tiny, choose("cpu", precision="float32"))
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        workspace.connection.execute("UPDATE models SET dimension = 33, name = 'bj'")
        assert workspace.update(encoder).encoded == 0
        assert [(model.name, model.dimension) for model in workspace.models()] == [("bi", 32)]
