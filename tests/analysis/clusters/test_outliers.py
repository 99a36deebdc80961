"""Documents far from the rest, alone or in twos and threes, and the reasons given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.clusters.outliers import Outlier, Reason, outliers, sentence
from explorer.analysis.vectors.exact import all_pairs
from explorer.analysis.vectors.knn_graph import KnnGraph


def graph_of(vectors: NDArray[Any]) -> KnnGraph:
    found = all_pairs(vectors, 15)
    return KnnGraph(found.rows.astype(np.int32), found.scores)


def unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def crowd(count: int = 200, *, noise: float = 0.15, seed: int = 0) -> NDArray[np.float32]:
    """Unit vectors (N, 64) around four centres in the first 40 dimensions; the others are free for strangers."""
    random = np.random.default_rng(seed)
    vectors = np.zeros((count, 64))
    vectors[np.arange(count), np.arange(count) % 4] = 1
    vectors[:, :40] += noise * random.normal(size=(count, 40))
    return unit(vectors)


def stranger(place: int) -> NDArray[np.float32]:
    vector = np.zeros((1, 64))
    vector[0, [0, 1, 2, place]] = 0.1, 0.1, 0.1, 1
    return unit(vector)


def found(vectors: NDArray[Any], **options: Any) -> list[Outlier]:
    return outliers(graph_of(vectors), vectors, **options)


def test_a_stranger_is_first_with_its_numbers() -> None:
    vectors = np.concatenate([crowd(), stranger(50)])
    graph = graph_of(vectors)
    first, *rest = outliers(graph, vectors)
    assert first.row == 200
    assert all(first.score > other.score for other in rest)
    (reason,) = first.reasons
    assert reason.kind == "far"
    assert reason.value == pytest.approx(graph.scores[200, 0])
    assert reason.typical == pytest.approx(np.median(graph.scores[:, 0]))
    assert reason.value < reason.typical - 0.2


@pytest.mark.parametrize("size", [2, 3])
def test_a_tight_group_far_away_does_not_hide(size: int) -> None:
    random = np.random.default_rng(1)
    group = unit(stranger(50) + 0.01 * random.normal(size=(size, 64)))
    vectors = np.concatenate([crowd(), group])
    best = found(vectors)[:size]
    members = set(range(200, 200 + size))
    assert {outlier.row for outlier in best} == members
    for outlier in best:
        assert outlier.reasons[0].kind == "group"
        assert {outlier.row, *outlier.reasons[0].members} == members
        assert outlier.reasons[0].value < 0.5


def test_a_document_with_a_copy_is_not_called_far_from_every_other() -> None:
    """The fifth neighbour counts, so the sentence names that one where the nearest is as near as usual."""
    pair = unit(np.concatenate([stranger(50), stranger(50)]) + [[0.0], [0.7]] * stranger(51) / 5)
    vectors = np.concatenate([crowd(noise=0.4), unit(stranger(50) + 0.8 * stranger(51)), pair])
    told = [reason for outlier in found(vectors) for reason in outlier.reasons]
    assert {reason.kind for reason in told} & {"few", "group"}
    assert all(reason.value < reason.typical for reason in told if reason.kind in ("far", "few", "group"))


def test_a_real_cluster_is_not_an_outlier() -> None:
    random = np.random.default_rng(1)
    cluster = unit(stranger(50) + 0.05 * random.normal(size=(12, 64)))
    assert all(outlier.row < 200 for outlier in found(np.concatenate([crowd(), cluster])))


def test_few_of_an_even_corpus_stand_out() -> None:
    assert len(found(crowd(1000))) < 30


def test_empty_documents_come_first() -> None:
    vectors = np.concatenate([crowd(), stranger(50)])
    vectors[7], vectors[3] = 0, np.nan
    first, second, third, *_ = found(vectors)
    assert [first.row, second.row, third.row] == [3, 7, 200]
    assert first.score == np.inf
    assert first.reasons[0].kind == "empty"
    assert third.reasons[0].kind == "far"


def test_language_and_length_explain() -> None:
    vectors = np.concatenate([crowd(), stranger(50), stranger(51), stranger(52)])
    languages = ["en"] * 200 + ["ko", "ru", "en"]
    lengths = np.full(203, 1000) + np.arange(203)
    lengths[200:] = 1050, 12, 900_000
    reasons = {
        outlier.row: outlier.reasons[1:]
        for outlier in found(vectors, languages=languages, unreadable={"ko"}, lengths=lengths)
    }
    assert [(reason.kind, reason.language) for reason in reasons[200]] == [("unreadable", "ko")]
    assert [(reason.kind, reason.value) for reason in reasons[201]] == [("language", 1), ("short", 12)]
    assert [(reason.kind, reason.value) for reason in reasons[202]] == [("long", 900_000)]


def test_a_common_language_explains_nothing() -> None:
    vectors = np.concatenate([crowd(), stranger(50)])
    languages = ["en", "ko"] * 100 + ["ko"]
    assert [reason.kind for reason in found(vectors, languages=languages)[0].reasons] == ["far"]


def test_limit_threshold_and_order() -> None:
    vectors = np.concatenate([crowd(), stranger(50), stranger(51), stranger(52)])
    every = found(vectors, threshold=-np.inf, limit=1000)
    assert len(every) == 203
    assert [outlier.score for outlier in every] == sorted((outlier.score for outlier in every), reverse=True)
    assert found(vectors, threshold=-np.inf, limit=2) == every[:2]
    assert found(vectors, limit=0) == []


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_documents_have_no_outliers(count: int) -> None:
    vectors = np.eye(64, dtype=np.float32)[:count]
    assert found(vectors, languages=["en"] * count, lengths=[1] * count) == []


def test_identical_documents_have_no_outliers_but_the_one_that_differs() -> None:
    same = np.repeat(stranger(50), 100, axis=0)
    assert found(same) == []
    assert [outlier.row for outlier in found(np.concatenate([same, stranger(51)]))] == [100]


def test_all_empty() -> None:
    assert [outlier.row for outlier in found(np.zeros((6, 64), np.float32))] == list(range(6))


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason("empty"), "nothing"),
        (Reason("far", 0.21, 0.68), "0.21"),
        (Reason("few", 0.21, 0.68), "falls to 0.21, usual is 0.68"),
        (Reason("group", 0.2, 0.6, members=(4,)), "one other"),
        (Reason("group", 0.2, 0.6, members=(4, 9)), "2 others"),
        (Reason("unreadable", 1, 30, language="ko"), "cannot read (ko)"),
        (Reason("language", 1, 300, language="ru"), "1 of 300"),
        (Reason("short", 12, 1000), "shorter than the rest: 12 against 1,000"),
        (Reason("long", 90_000, 1000), "longer than the rest: 90,000"),
    ],
)
def test_every_reason_has_a_sentence(reason: Reason, words: str) -> None:
    assert words in sentence(reason)
    assert sentence(reason).endswith(".")
