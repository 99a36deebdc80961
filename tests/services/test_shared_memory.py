"""What several workers and windows need is in memory once: models, drafts, and the vectors of a workspace."""

from __future__ import annotations

import csv
import gc
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.services import open_workspace as open_workspace_module
from explorer.services.model_cache import ModelCache
from explorer.services.open_workspace import OpenWorkspace, VectorCache
from explorer.settings import Settings
from explorer.task import Task
from explorer.workspace.storage.documents import list_documents
from explorer.workspace.workspace import Workspace, open_workspace
from tests.conftest import Indexed

TEXTS = {"a.txt": "the cat sat on the mat", "b.txt": "the dog ran", "c.txt": "quick brown fox"}


@pytest.fixture
def opened(indexed: Indexed, tiny: Path) -> Iterator[OpenWorkspace]:
    """An open workspace, as a window has it."""
    settings = Settings(model=str(tiny), device="cpu", threads=1, precision="float32")
    workspace = OpenWorkspace.open(indexed(TEXTS), settings)
    yield workspace
    workspace.close()


def test_the_models_of_two_windows_are_one(tiny: Path) -> None:
    settings = Settings(model=str(tiny), device="cpu", threads=1, precision="float32")
    first, second = ModelCache(settings), ModelCache(settings)
    assert first.encoder() is second.encoder()
    other = ModelCache(Settings(model=str(tiny), device="cpu", threads=2, precision="float32"))
    assert other.encoder() is not first.encoder()


def test_a_model_that_nobody_has_any_more_is_gone(tiny: Path) -> None:
    from explorer.services import model_cache

    cache = ModelCache(Settings(model=str(tiny), device="cpu", threads=3, precision="float32"))
    cache.encoder()
    key = next(key for key in model_cache._open_models if key[3].threads == 3)
    cache.close()
    gc.collect()
    assert key not in model_cache._open_models


def test_a_draft_is_read_once_and_again_when_it_was_made_again(tiny: Path) -> None:
    encoder = BiEncoder.open(tiny, choose("cpu", threads=1, precision="float32"))
    first = static_encoder.static_encoder_of(encoder)
    assert static_encoder.ready_static_encoder(encoder) is first
    cached = static_encoder._cached(encoder)
    static_encoder.distil(encoder, dimension=8).save(cached)
    assert static_encoder.static_encoder_of(encoder).dimension == 8


def test_all_workers_share_the_vectors_and_what_is_derived_from_them(opened: OpenWorkspace) -> None:
    cache = VectorCache()
    one, two = opened.main.another(), opened.main.another()
    table = cache.load(one)
    assert cache.load(two) is table
    assert cache.load(two, table.model.fingerprint) is table
    assert cache.load(two).document_vectors()[1] is table.document_vectors()[1]
    finder: Any = opened.search._find()
    assert finder.matrix() is opened.search._vectors.load(opened._slow)
    one.close()
    two.close()


def test_a_worker_that_sees_other_documents_has_a_table_of_its_own(opened: OpenWorkspace) -> None:
    cache, reader = VectorCache(), opened.main.another()
    before = cache.load(reader)
    (opened.main.root / "d.txt").write_text("winter ship sails")
    opened.update(Task())
    after = cache.load(reader)
    assert after is not before
    assert len(after.passages) == len(before.passages) + 1
    assert not after.equals(before)
    assert cache.load(opened.main) is after
    reader.close()


def test_while_a_folder_is_encoded_questions_do_not_wait_for_its_newest_vectors(
    opened: OpenWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, reader = VectorCache(), opened.main.another()
    monkeypatch.setattr(open_workspace_module, "_PATIENCE", math.inf)
    with cache.while_growing():
        before = cache.load_for(reader, [])
        known = before.documents.tolist()
        (opened.main.root / "d.txt").write_text("winter ship sails")
        opened.update(Task())
        assert cache.load_for(reader, known) is before
        (new,) = set(cache.load(opened.main).documents.tolist()) - set(known)
        assert cache.load_for(reader, [new]).has([new])  # what is asked for is never missing
    after = cache.load_for(reader, known)
    assert after.equals(cache.load(opened.main))  # nor behind once all is encoded
    reader.close()


def test_documents_have_the_vectors_of_one_pass_whatever_the_block(
    opened: OpenWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.workspace.storage.vectors import table as vector_table

    whole = vector_table.load(opened.main).document_vectors()[1]
    monkeypatch.setattr(vector_table, "_SUMMED", 1)
    assert np.array_equal(vector_table.load(opened.main).document_vectors()[1], whole)


def test_the_vectors_of_many_documents_take_half_the_memory(
    opened: OpenWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from explorer.workspace.storage.vectors import table as vector_table

    ids, vectors = vector_table.load(opened.main).document_vectors()
    monkeypatch.setattr(vector_table, "EXACT_LIMIT", len(ids) - 1)
    same, half = vector_table.load(opened.main).document_vectors()
    assert (half.dtype, ids.tolist()) == (np.float16, same.tolist())
    assert np.allclose(half, vectors, atol=1e-3)


def test_the_rows_of_a_table_share_its_name(tmp_path: Path, tiny: Path) -> None:
    (tmp_path / "texts").mkdir()
    with (tmp_path / "texts" / "rows.csv").open("w", newline="") as file:
        rows = [(f"the king number {row} plays loud music", "red" if row % 2 else "blue") for row in range(20)]
        csv.writer(file).writerows([("text", "colour"), *rows])
    with open_workspace(tmp_path / "texts") as workspace:
        workspace.update(BiEncoder.open(tiny, choose("cpu", precision="float32")))
        listing = list_documents(workspace)
        assert len(listing) == 20
        assert listing.fields["colour"] == ["blue", "red"] * 10
    for values, distinct in ((listing.paths, 1), (listing.encodings, 1), (listing.fields["colour"], 2)):
        assert len({id(value) for value in values}) == distinct
    assert len(set(listing.openings)) == 20


def test_a_workspace_without_documents_lists_none(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with Workspace(tmp_path / "workspace", tmp_path / "empty", writable=True) as workspace:
        assert len(list_documents(workspace)) == 0
