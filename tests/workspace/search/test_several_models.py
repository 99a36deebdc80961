"""Models cut texts differently: passages of several live side by side, and each model finds as in a fresh workspace."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file, save_file

from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.models.runtime.device import choose
from explorer.workspace.doctor import examine
from explorer.workspace.search.search import Searcher
from explorer.workspace.workspace import Workspace
from tests.conftest import make_checkpoint

ENGLISH = "The river rose after heavy rain and the bridge was closed. Boats were moved to the harbour before night. "
KOREAN = (
    "비가 많이 내려 강물이 불어났고 다리가 통제되었다. 밤이 되기 전에 배들을 항구로 옮겼다. 시장은 대피를 권고했다. "
)
TEXTS = {
    "short.txt": "A cat sleeps on the warm stove.",
    "짧은 글.txt": "고양이가 따뜻한 난로 위에서 잔다.",
    "long.txt": "".join(ENGLISH + f"Report number {n} mentions a different village. " for n in range(10)),
    "긴 글.txt": "".join(KOREAN + f"{n}번째 보고서는 다른 마을을 다룬다. " for n in range(10)),
    "mixed.md": "# Notes\n\n" + "".join(f"{ENGLISH}{KOREAN}{n}\n\n" for n in range(5)),
}
QUERIES = (
    "flood closes a bridge",
    "다리 통제",
    "cat",
    "고양이가 자는 곳",
    '"heavy rain"',
    "-boats river path:long.txt",
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[BiEncoder]:
    """Two models with limits of their own, so that they cut differently."""
    root = tmp_path_factory.mktemp("models")
    paths = [make_checkpoint(root / name, name, seed=seed) for seed, name in enumerate(("bert", "roberta"))]
    return [BiEncoder.open(path, choose("cpu", precision="float32")) for path in paths]


def shipped() -> list[Any]:
    entries = [one for one in catalog.entries() if one.source in ("bundled", "shipped") and one.kind == "bi"]
    return [BiEncoder.open(catalog.find(one.name), choose("cpu", precision="float32")) for one in entries]


def write(root: Path) -> Path:
    root.mkdir()
    for name, text in TEXTS.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


def answers(workspace: Workspace, encoder: BiEncoder) -> list[object]:
    finder = Searcher(workspace, encoder)
    return [
        (query, mode, [(hit.path, pytest.approx(hit.score, abs=2e-3)) for hit in found.hits])
        for query in QUERIES
        for mode in ("hybrid", "semantic", "keyword")
        for found in [finder.search(query, mode=mode)]  # type: ignore[arg-type]
    ]


def check(tmp_path: Path, models: list[BiEncoder]) -> None:
    texts = write(tmp_path / "texts")
    alone = []
    for number, model in enumerate(models):
        with Workspace(tmp_path / f"alone {number}", texts, writable=True) as workspace:
            workspace.update(model)
            alone.append(answers(workspace, model))
            passages = workspace.counts()["passages"]
            assert passages > len(TEXTS)
    for order in ((0, 1), (1, 0)):
        folder = tmp_path / f"order {order}"
        with Workspace(folder, texts, writable=True) as workspace:
            for number in order:
                workspace.update(models[number])
            for number in (0, 1):
                assert answers(workspace, models[number]) == alone[number]
            assert workspace.update(models[order[0]]).encoded == 0  # its vectors are all there
            assert answers(workspace, models[order[1]]) == alone[order[1]]
        assert [one.message for one in examine(folder) if one.state != "ok"] == []


def test_two_models_find_what_they_find_alone(tmp_path: Path, models: list[BiEncoder]) -> None:
    check(tmp_path, models)


@pytest.mark.bundled
def test_the_shipped_models_find_what_they_find_alone(tmp_path: Path) -> None:
    check(tmp_path, shipped()[:2])


def test_documents_that_are_cut_alike_are_stored_once(tmp_path: Path, models: list[BiEncoder]) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(5):
        (texts / f"{number}.txt").write_text(f"cat number {number}")
    with Workspace(tmp_path / "workspace", texts, writable=True) as workspace:
        workspace.update(models[0])
        workspace.update(models[1])
        stored = workspace.connection.execute("SELECT count(*), min(cuttings), max(cuttings) FROM passages").fetchone()
        assert stored == (5, 6, 6)
        (texts / "0.txt").write_text("another text")
        (texts / "1.txt").unlink()
        workspace.update(models[1])
        assert workspace.counts()["passages"] == 4
        assert len(Searcher(workspace, models[0]).matrix().passages) == 3  # it has not seen the new text
        workspace.update(models[0])
        assert len(Searcher(workspace, models[0]).matrix().passages) == 4


def test_a_model_and_what_was_trained_from_it_share_passages(tmp_path: Path, models: list[BiEncoder]) -> None:
    folder = shutil.copytree(models[0].folder.path, tmp_path / "trained")
    weights = load_file(folder / "model.safetensors")
    save_file({name: value * 1.5 for name, value in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    trained = BiEncoder.open(folder, choose("cpu", precision="float32"))
    texts = write(tmp_path / "texts")
    with Workspace(tmp_path / "workspace", texts, writable=True) as workspace:
        workspace.update(models[0])
        counts = workspace.counts()
        assert workspace.update(trained).split == 0
        assert workspace.counts() == counts
