"""The same documents by two models: maps side by side with one selection, and neighbours that are gone or new."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WORDS = "cat dog mat moon river stone fox house tea ship sea king queen music".split()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    from tests.conftest import make_checkpoint

    root = tmp_path_factory.mktemp("models")
    return make_checkpoint(root / "one", "bert"), make_checkpoint(root / "other", "bert", seed=5)


@pytest.fixture
def training_request(tmp_path: Path, models: tuple[Path, Path]) -> Iterator[Any]:
    """A training in a workspace of forty short texts."""
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import choose
    from explorer.services.finetuning.requests import TrainingRequest
    from explorer.training.recipe import Recipe
    from explorer.workspace.workspace import Workspace

    chance, texts = np.random.default_rng(0), tmp_path / "texts"
    texts.mkdir()
    for number in range(40):
        (texts / f"{number:02}.txt").write_text(" ".join(chance.choice(WORDS, 12)), "utf-8")
    with Workspace(tmp_path / "workspace", texts, writable=True) as workspace:
        workspace.update(BiEncoder.open(models[0], choose("cpu", threads=1, precision="float32")))
    return TrainingRequest(Recipe("ranking"), tmp_path, tmp_path / "model", tmp_path / "workspace", models[0], "cpu", 1)


def compared(training_request: Any, other: Path) -> Any:
    from explorer.services.finetuning import jobs
    from explorer.services.finetuning.map_comparison import compare
    from explorer.task import Task

    with jobs.opened(training_request.workspace) as place:
        documents = tuple(entry.id for entry in place.documents())
    return compare(training_request, other, documents, None, Task())


def test_another_model_has_other_neighbours_and_the_same_has_the_same(
    training_request: Any, models: tuple[Path, Path]
) -> None:
    same, other = compared(training_request, models[0]), compared(training_request, models[1])
    assert same.kept_share.min() == 1
    assert np.array_equal(same.before, same.after)  # nothing moves that the model does not move
    assert 0 < other.kept_share.mean() < 0.95
    assert other.before.shape == other.after.shape == (40, 2)
    assert np.isfinite(other.after).all()
    row = int(other.kept_share.argmin())
    common = set(other.near_before[row].tolist()) & set(other.near_after[row].tolist())
    assert other.kept_share[row] == pytest.approx(len(common) / 10)


def test_both_maps_and_the_list_share_one_selection(
    training_request: Any, models: tuple[Path, Path], shown: Callable[[Any], Any], qapp: object
) -> None:
    from PySide6.QtCore import Qt

    from explorer.ui.finetune.pages.map_comparison import MapComparisonView
    from explorer.ui.finetune.pages.result import ChangedNeighbours
    from explorer.ui.state.session import Session

    found, session = compared(training_request, models[1]), Session()
    maps, near = shown(MapComparisonView(session)), shown(ChangedNeighbours(session))
    maps.resize(600, 300)
    maps.show_comparison(found)
    near.show_comparison(found)
    focus = int(found.documents[found.kept_share.argmin()])
    assert session.selection.focus == focus  # the one that changed most is chosen
    said = [row[1] for row in near.after.shown.rows]
    assert said.count("new") == round(10 * (1 - found.kept_share.min()))
    assert [row[1] for row in near.before.shown.rows].count("removed") == said.count("new")

    maps.after.clicked.emit(3, Qt.KeyboardModifier.NoModifier)
    assert session.selection.focus == int(found.documents[3])
    assert maps.before._overlays.focused == maps.after._overlays.focused == 3
    maps.before.selected.emit(np.array([1, 2]), "replace")
    assert session.selection.marked == frozenset(found.documents[[1, 2]].tolist())
    session.mark(())
    session.focus(int(found.documents[7]))
    assert maps.before._overlays.focused == 7
