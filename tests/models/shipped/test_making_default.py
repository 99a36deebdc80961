"""The scripts that make the default encoder: what they read, and that the teaching brings Korean to its originals."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pytest
import torch
from pyarrow import parquet

from explorer import paths
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose

MODELS = paths.resources() / "models"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch):
    for folder in ("explorer-minilm-ko-en", "explorer-gte-ko-en"):
        monkeypatch.syspath_prepend(str(MODELS / folder))

    def load(name: str) -> ModuleType:
        return importlib.import_module(name)

    return load


def test_bills_are_read_with_what_they_aim_at(script, tmp_path: Path) -> None:
    reason = "현행법은 상가의 관리비를 공개하지 아니하고 있어 분쟁이 자주 발생하고 있음.\n"
    reason += "이에 관리비를 공개하도록 하여 분쟁을 예방하고 입주민의 권익을 보호하려는 것임(안 제24조)."
    (tmp_path / "data").mkdir()
    names = {
        "BILL_ID": ["A", "B", "C"],
        "BILL_NAME": ["집합건물법 일부개정법률안", "민법 일부개정법률안(대안)", "형법"],
    }
    texts = {"BILL_ID": ["A", "B", "C"], "propose_reason": ["■ 제안이유\n" + reason, reason, None]}
    parquet.write_table(pa.table(names), tmp_path / "data" / "bills.parquet")
    parquet.write_table(pa.table(texts), tmp_path / "data" / "bill_texts.parquet")
    (bill,) = script("bills").read(tmp_path)  # the second has the same reason, the third none
    assert (bill.id, bill.title) == ("A", "집합건물법")
    assert bill.reason == reason
    assert bill.aim.startswith("이에 관리비를")


def test_paragraphs_are_paired_by_page_and_name(script, tmp_path: Path) -> None:
    for language, lines in (
        ("ko", {"a": "파일을 저장합니다. 그런 다음 닫습니다.", "b": "번역이 없습니다"}),
        ("en-US", {"a": "Saves the file. Then closes it.", "c": "Not there"}),
    ):
        page = tmp_path / "usr/share/libreoffice/help" / language / "text" / "save.html"
        page.parent.mkdir(parents=True)
        page.write_text("".join(f'<p id="{name}">{text}</p>' for name, text in lines.items()), "utf-8")
    pairs = script("parallel").pairs(tmp_path)
    assert pairs == [("그런 다음 닫습니다.", "Then closes it."), ("파일을 저장합니다.", "Saves the file.")]


def test_the_teaching_brings_texts_to_their_originals_and_keeps_the_rest(script, tiny: Path) -> None:
    teach = script("teach")
    student = BiEncoder.open(tiny, choose("cpu", precision="float32"))
    words = ["cat", "dog", "house", "moon", "king", "sea", "ship", "tree"]
    before = student.encode(words).whole()
    unit = before / np.linalg.norm(before, axis=1, keepdims=True)
    student.network.layers.append(importlib.import_module("explorer.models.runtime.network").UnitLength())
    materials = teach.Materials(
        scored=[("moon", "king", 0, 1, 0.5), ("king", "moon", 1, 0, 0.2)],
        originals=[("cat", "dog", 0, 1, 0.5), ("dog", "cat", 1, 0, 0.2)],
        parallel=[("moon", 0), ("king", 1)],
        english=[("cat", 0), ("dog", 1), ("house", 2)],
        targets=unit,
        questions=[("moon", "moon king", 1.0), ("moon", "cat", 0.0)],
        findable=[("moon", "moon king"), ("king", "king sea")],
    )
    batches = {"scored": (2, 1), "originals": (2, 2), "parallel": (2, 1), "english": (3, 1), "questions": (2, 2)}
    # A tiny network learns in few steps, at high rates.
    stage = teach.Stage(24, 0.03, 2e-3, 1e-2, 1e-4, 0.7, batches | {"findable": (2, 3)})
    vocabulary = student.network.transformer.get_input_embeddings().num_embeddings
    teaching = teach.Teaching(student, materials, np.zeros((vocabulary, 2), np.float32), stage)
    near = []
    teaching.run(lambda _, losses: near.append(losses["parallel"]))
    assert near[-1] < 0.7 * near[0]
    after = student.encode(["moon", "cat"]).whole()
    assert float(after[0] @ unit[0]) > 0.98 > float(unit[3] @ unit[0])  # as "moon" became "cat"
    assert float(after[1] @ unit[0]) > 0.98


def test_a_centre_that_is_taken_away_moves_every_mean_alike(script, tiny: Path) -> None:
    """A shift of the last layer is a shift of the mean over the tokens."""
    network = BiEncoder.open(tiny, choose("cpu", precision="float32")).network
    ids = torch.tensor([[3, 5, 6, 4], [3, 7, 4, 0]])
    mask = (ids != 0).long()
    before = network(ids, mask)
    shift = torch.linspace(-1, 1, before.shape[1])
    with torch.no_grad():
        network.transformer.encoder.layer[-1].output.LayerNorm.bias -= shift
    torch.testing.assert_close(network(ids, mask), before - shift)
