"""Shards find the model that made their vectors, and a folder of them is encoded by nobody."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from explorer import paths
from explorer.cli import main as cli_main
from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.services.folder_preview import plan
from explorer.services.open_workspace import NAME, OpenWorkspace
from explorer.settings import Settings
from explorer.task import Progress, Task
from explorer.workspace.update.encode import model_of_shards
from explorer.workspace.workspace import open_workspace

TEXTS = ["a cold winter river", "a hot summer sea", "the loud king"]


@pytest.fixture
def encoder(tiny: Path) -> BiEncoder:
    """The model of the shards, in the user's folder of models."""
    return BiEncoder.open(shutil.copytree(tiny, paths.models() / "mine"), choose("cpu", threads=1, precision="float32"))


@pytest.fixture
def shards(encoder: BiEncoder, tmp_path: Path) -> Path:
    """A folder with a shard of that model."""
    folder = tmp_path / "shards"
    folder.mkdir()
    vectors = encoder.encode(TEXTS, role="document").whole().astype(np.float16)
    values = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.reshape(-1)), encoder.dimension)
    made_by = {"explorer.model": "mine", "explorer.fingerprint": encoder.fingerprint}
    table = pyarrow.table({"text": TEXTS, "vector": values}).replace_schema_metadata(made_by)
    parquet.write_table(table, folder / "a.parquet")
    return folder


def test_a_new_folder_of_shards_gets_their_model(shards: Path, capsys: pytest.CaptureFixture[str]):
    assert model_of_shards(shards) == "mine"
    assert plan(shards, Settings(), Task()).model == "mine"
    assert cli_main.main(["index", str(shards), "--inside", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["documents"], done["update"]["encoded"]) == (3, 0)
    with open_workspace(shards, inside=True) as workspace:
        assert workspace.setting(NAME) == "mine"


def test_the_window_encodes_nothing_of_a_folder_of_shards(shards: Path):
    opened = OpenWorkspace.open(shards, Settings(precision="float32"))
    try:
        assert opened.models.wanted_name == "mine"
        assert opened.update(Task()).encoded == 0
        assert opened.models.used_name == "mine"
    finally:
        opened.close()


def test_vectors_are_taken_from_shards_with_their_model(
    shards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    texts = tmp_path / "texts"
    texts.mkdir()
    for number, text in enumerate(TEXTS):
        (texts / f"{number}.txt").write_text(text)
    assert cli_main.main(["vectors", str(texts), "--from", str(shards), "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["vectors"], done["documents"], done["encoded"]) == (3, 3, 0)
    assert cli_main.main(["index", str(texts), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["update"]["encoded"] == 0


def test_shards_of_another_model_are_a_sentence_that_names_it(
    shards: Path, encoder: BiEncoder, checkpoints: dict[str, Path], tmp_path: Path
):
    other = BiEncoder.open(checkpoints["distilbert"], choose("cpu", threads=1, precision="float32"))
    said: list[Progress] = []
    with open_workspace(shards, inside=True) as workspace:
        assert workspace.update(other, task=Task(said.append)).encoded == 3
        (warning,) = (progress.warning for progress in said if progress.warning)
        assert "of the model mine, not of distilbert. Choose mine for this folder" in str(warning)
        shutil.rmtree(paths.models() / "mine")
        with pytest.raises(DataError, match=f"not on this machine: mine, fingerprint {encoder.fingerprint[:12]}"):
            workspace.import_shards(shards, other)
    assert model_of_shards(shards) == ""
