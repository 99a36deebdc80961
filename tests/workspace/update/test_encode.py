"""Another model: the one in use answers until all is encoded, and going back costs nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.storage import database as storage_database
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace, open_workspace
from tests.conftest import WORDS


@pytest.fixture(scope="module")
def models(checkpoints: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[BiEncoder, BiEncoder]:
    """Two models that cut texts differently."""
    short = tmp_path_factory.mktemp("models") / "short"
    shutil.copytree(checkpoints["bert"], short)
    (short / "sentence_bert_config.json").write_text('{"max_seq_length": 24}')
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32")), BiEncoder.open(
        short, choose("cpu", precision="float32")
    )


@pytest.fixture
def workspace(tmp_path: Path, models: tuple[BiEncoder, BiEncoder]) -> Workspace:
    root = tmp_path / "texts"
    root.mkdir()
    for number in range(20):
        words = [WORDS[(number + step) % len(WORDS)] for step in range(150)]
        (root / f"{number}.txt").write_text(f"Text {number}\n\n" + " ".join(words), encoding="utf-8")
    opened = open_workspace(root)
    opened.update(models[0])
    return opened


def test_the_model_in_use_stays_whole_until_the_other_is_ready(
    workspace: Workspace, models: tuple[BiEncoder, BiEncoder]
) -> None:
    first, second = models
    assert first.fingerprint != second.fingerprint
    before = len(vector_table.load(workspace, first.fingerprint).passages)

    assert workspace.encode_for_model(second) > 0
    assert len(vector_table.load(workspace, first.fingerprint).passages) == before
    assert vector_table.load(workspace).model.fingerprint == first.fingerprint

    assert workspace.update(second).encoded == 0
    assert vector_table.load(workspace).model.fingerprint == second.fingerprint
    found = len(vector_table.load(workspace).passages)
    assert found == workspace.counts()["passages"]
    assert found > before  # shorter passages are more
    workspace.close()


def test_going_back_encodes_nothing(workspace: Workspace, models: tuple[BiEncoder, BiEncoder]) -> None:
    first, second = models
    before = len(vector_table.load(workspace).passages)
    workspace.encode_for_model(second)
    workspace.update(second)

    assert workspace.encode_for_model(first) == 0
    assert workspace.update(first).encoded == 0

    found = vector_table.load(workspace)
    assert found.model.fingerprint == first.fingerprint
    assert len(found.passages) == before
    workspace.close()


def test_one_that_was_cancelled_goes_on_from_there(workspace: Workspace, models: tuple[BiEncoder, BiEncoder]) -> None:
    seen: list[Progress] = []

    def hear(progress: Progress) -> None:
        seen.append(progress)
        if progress.note == "encoding" and progress.done:
            task.cancel()

    task = Task(hear)
    with pytest.raises(Cancelled):
        workspace.encode_for_model(models[1], task)
    again = workspace.encode_for_model(models[1])
    assert vector_table.load(workspace).model.fingerprint == models[0].fingerprint
    assert workspace.update(models[1]).encoded == 0
    assert seen
    assert again < workspace.counts()["passages"]
    workspace.close()


def test_a_draft_serves_until_the_model_has_nearly_all(
    workspace: Workspace, models: tuple[BiEncoder, BiEncoder]
) -> None:
    """A few new documents do not hand the whole workspace back to the draft."""
    [real], database = workspace.models(), workspace.connection
    with storage_database.transaction(database):
        database.execute(
            "INSERT INTO models (fingerprint, name, kind, dimension) VALUES ('draft', 'draft', 'draft', ?)",
            (real.dimension,),
        )
        draft = next(one for one in workspace.models() if one.kind == "draft")
        database.execute("INSERT INTO vectors SELECT ?, digest, row FROM vectors WHERE model = ?", (draft.id, real.id))
    shutil.copyfile(workspace.vector_file(real).path, workspace.vector_file(draft).path)
    assert vector_table.load(workspace).model.kind == "bi"

    known = [key for (key,) in database.execute("SELECT digest FROM vectors WHERE model = ?", (real.id,))]
    assert len(known) >= 20
    for missing, used in ((known[:1], "bi"), (known[1 : len(known) // 4], "draft")):
        with storage_database.transaction(database):
            for key in missing:
                database.execute("DELETE FROM vectors WHERE model = ? AND digest = ?", (real.id, key))
        assert vector_table.load(workspace).model.kind == used
    workspace.close()
