"""The cross-encoder that ships: its files, the same scores elsewhere, and that it knows what belongs together."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog, safetensors
from explorer.models.runtime.device import choose
from explorer.training.measure.metrics import spearman

MOST_BYTES = 60_000_000
PAIRS = [
    ("A man is playing a guitar.", "Someone plays the guitar."),
    ("A man is playing a guitar.", "The stock market fell sharply on Monday."),
    ("how do I reset my password", "To choose a new password, open the settings and press “Forgotten”."),
    ("how do I reset my password", "Whisk the eggs with the sugar until they are pale."),
    ("what is the capital of france", "Paris is the capital and largest city of France. " * 30),
    ("비밀번호를 어떻게 바꾸나요", "설정을 열고 새 비밀번호를 입력하면 비밀번호가 바뀝니다."),
    ("비밀번호를 어떻게 바꾸나요", "달걀과 설탕을 거품이 날 때까지 저어 줍니다."),
    ("비밀번호를 어떻게 바꾸나요", "To choose a new password, open the settings and press “Forgotten”."),
    ("비밀번호를 어떻게 바꾸나요", "Whisk the eggs with the sugar until they are pale."),
]


@pytest.fixture(scope="module")
def folder() -> Path:
    return catalog.reranker()


@pytest.fixture(scope="module")
def model(folder: Path) -> CrossEncoder:
    return CrossEncoder.open(folder, choose("cpu", precision="float32"))


def test_it_is_small_and_in_the_hubs_layout(folder: Path) -> None:
    assert sum(file.stat().st_size for file in folder.iterdir()) <= MOST_BYTES
    config = json.loads((folder / "config.json").read_text("utf-8"))
    assert config["architectures"] == ["BertForSequenceClassification"]
    assert list(config["id2label"].values()) == ["score"]
    tensors = safetensors.tensors(folder / safetensors.SINGLE)
    assert {tensor.dtype for tensor in tensors.values()} == {"F16"}
    assert tensors["classifier.weight"].shape == (1, 384)


def test_the_catalog_lists_it_with_what_it_was_measured_to_do(folder: Path) -> None:
    (entry,) = [entry for entry in catalog.entries() if entry.name == catalog.RERANKER]
    assert (entry.kind, entry.source, entry.path, entry.problem) == ("cross", "shipped", folder, "")
    assert set(entry.languages) == {"en", "ko"}
    measures = dict(entry.measures)
    measures = dict(entry.measures)
    assert 0.5 < measures["msmarco_mini, nDCG@10 alone"] < 1
    assert catalog.find(catalog.RERANKER) == folder


def test_sentence_transformers_scores_the_same(folder: Path, model: CrossEncoder) -> None:
    from sentence_transformers import CrossEncoder as Theirs

    theirs = Theirs(str(folder), device="cpu").predict(PAIRS)
    np.testing.assert_allclose(model.score(PAIRS).relevance(), theirs, atol=1e-4)


def test_what_belongs_together_scores_higher(model: CrossEncoder) -> None:
    same, other, answer, recipe, capital, *_ = model.score(PAIRS).relevance()
    assert same > 0.6 > 0.3 > other
    assert answer > recipe + 0.2
    assert capital > 0.4


def test_korean_is_read_too_and_beside_english(model: CrossEncoder) -> None:
    answer, recipe, english_answer, english_recipe = model.score(PAIRS[-4:]).relevance()
    assert answer > recipe + 0.2
    assert english_answer > english_recipe + 0.1


def test_either_text_may_be_longer_than_the_model_reads(model: CrossEncoder) -> None:
    long = "The queen sails the cold sea. " * 300
    scores = model.score([(long, "sea"), ("sea", long), (long, long)]).relevance()
    assert np.isfinite(scores).all()
    assert scores[2] > max(scores[0], scores[1])


@pytest.mark.data
def test_it_agrees_with_people(model: CrossEncoder, data_folder: Path) -> None:
    with (data_folder / "stsb_en" / "stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[::3]
    scores = model.score([(first, second) for first, second, _ in rows]).relevance()
    assert spearman(scores, [float(row[2]) for row in rows]) >= 0.84


def test_search_takes_it_where_no_other_is_named() -> None:
    from argparse import ArgumentParser

    from explorer.cli.search import search_arguments

    parser = ArgumentParser()
    search_arguments(parser)
    assert parser.parse_args(["folder", "query"]).rerank is None
    assert parser.parse_args(["folder", "query", "--rerank"]).rerank == catalog.RERANKER
    assert parser.parse_args(["folder", "query", "--rerank", "mine"]).rerank == "mine"
