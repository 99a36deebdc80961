"""The map is drawn once; what comes later finds its place, and nothing that was there moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.analysis.vectors.knn_graph import build
from explorer.task import Task
from explorer.workspace.overview.documents import EncodedDocuments, encoded_documents
from explorer.workspace.overview.map import map_documents
from explorer.workspace.overview.overview import compute_overview, picture
from explorer.workspace.storage.array_cache import read_arrays, write_arrays
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace

pytestmark = pytest.mark.bundled


def part_of(encoded: EncodedDocuments, count: int, model: str = "") -> EncodedDocuments:
    """The first documents alone."""
    vectors = encoded.vectors[:count]
    return EncodedDocuments(
        model or encoded.model, encoded.documents[:count], vectors, build(vectors), encoded.digests[:count]
    )


def test_new_documents_do_not_move_the_others(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        whole = encoded_documents(workspace, vector_table.load(workspace))
        few = part_of(whole, len(whole) - 9)

        before = map_documents(workspace, few)
        after = map_documents(workspace, whole)
        again = map_documents(workspace, whole)

    assert before.finished
    assert (before.placed, after.placed, again.placed) == (0, 9, 9)
    assert np.array_equal(after.positions[: len(few)], before.positions)
    assert np.array_equal(again.positions, after.positions)
    assert np.isfinite(after.positions).all()
    assert after.mean_trust > 0.3


def rewritten(encoded: EncodedDocuments, row: int, like: int) -> EncodedDocuments:
    """The same documents, of which one has now almost the text of another."""
    vectors = encoded.vectors.copy()
    vectors[row] = vectors[like]
    digests = tuple(bytes(16) if n == row else one for n, one in enumerate(encoded.digests))
    return EncodedDocuments(encoded.model, encoded.documents, vectors, build(vectors), digests)


def test_a_rewritten_document_alone_goes_where_its_new_text_belongs(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_documents(workspace, vector_table.load(workspace))
        before = map_documents(workspace, encoded)
        far = int(np.linalg.norm(before.positions - before.positions[0], axis=1).argmax())
        changed = rewritten(encoded, 0, far)
        after = map_documents(workspace, changed)
        again = map_documents(workspace, changed)

    assert np.array_equal(after.positions[1:], before.positions[1:])
    old, new = (np.linalg.norm(one.positions[0] - before.positions[far]) for one in (before, after))
    assert new < 0.5 * old
    assert np.array_equal(again.positions, after.positions)


def test_a_map_of_an_earlier_version_says_nothing_of_texts_and_learns_it(sample_copy: Path) -> None:
    file = sample_copy / "map.arrays"
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_documents(workspace, vector_table.load(workspace))
        before = map_documents(workspace, encoded)
        arrays = read_arrays(file, "map 1")
        assert arrays is not None
        del arrays["digests"]
        write_arrays(file, "map 1", arrays)
        kept = map_documents(workspace, encoded)
        far = int(np.linalg.norm(before.positions - before.positions[0], axis=1).argmax())
        after = map_documents(workspace, rewritten(encoded, 0, far))

    assert np.array_equal(kept.positions, before.positions)
    assert not np.array_equal(after.positions[0], before.positions[0])


def test_a_map_of_few_is_no_ground_for_many(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        whole = encoded_documents(workspace, vector_table.load(workspace))
        map_documents(workspace, part_of(whole, 3))
        after = map_documents(workspace, whole)
        spread = np.linalg.svd(after.positions - after.positions.mean(0), compute_uv=False)
        map_documents(workspace, part_of(whole, 3, "draft"), redraw=True)
        later = map_documents(workspace, whole)

    assert after.placed == later.placed == 0
    assert spread[1] > 0.3 * spread[0]  # not a line
    assert min(after.mean_trust, later.mean_trust) > 0.4


def test_drawing_anew_or_with_another_model_starts_from_the_old_map(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_documents(workspace, vector_table.load(workspace))
        first = map_documents(workspace, part_of(encoded, len(encoded), "draft"), method="pca")
        seen: list[Any] = []
        real = map_documents(workspace, encoded, method="tsne", on_picture=lambda at, *_: seen.append(at))

    assert len(seen) > 2
    assert np.abs(seen[0] - first.positions).max() < 0.05
    assert real.method == "tsne"
    assert np.abs(real.positions - first.positions).max() > 0.05


def test_a_cancelled_drawing_is_kept(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_documents(workspace, vector_table.load(workspace))
        task = Task()

        stopped = map_documents(workspace, encoded, on_picture=lambda *_: task.cancel(), task=task)
        kept = map_documents(workspace, encoded)

    assert not stopped.finished
    assert np.isfinite(stopped.positions).all()
    assert np.array_equal(kept.positions, stopped.positions)


@pytest.mark.parametrize("spoil", [b"", b"x" * 100, None])
def test_a_spoilt_map_is_drawn_again(sample_copy: Path, spoil: bytes | None) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_documents(workspace, vector_table.load(workspace))
        first = map_documents(workspace, encoded, method="pca")
        file = sample_copy / "map.arrays"
        file.write_bytes(file.read_bytes()[:-50] if spoil is None else spoil)

        assert np.array_equal(map_documents(workspace, encoded, method="pca").positions, first.positions)


def test_a_survey_gives_a_picture_of_everything(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        found = compute_overview(workspace, vector_table.load(workspace))
        drawn = picture(workspace, found)

    assert len(drawn.ids) == len(found.encoded)
    assert all(drawn.titles)
    assert max(map(len, drawn.snippets)) <= 400
    assert "folder" in drawn.columns
    assert len(drawn.levels) == len(found.tree.levels)
    assert {one.text for one in drawn.levels[found.tree.shown]} == set(found.names().values())
    assert set(drawn.clusters.tolist()) - {-1} == set(found.names())
