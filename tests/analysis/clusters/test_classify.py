"""Categories by name and by example, "none of these", and confidences that mean something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.clusters.classify import NONE, Category, Classification, classify
from explorer.analysis.vectors.exact import all_pairs
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.errors import DataError
from explorer.task import Cancelled, Task

TAGS = (
    "wordpress oracle svn apache excel matlab visual-studio cocoa osx bash spring hibernate scala sharepoint ajax qt "
    "drupal linq haskell magento"
).split()


def graph_of(vectors: NDArray[Any]) -> KnnGraph:
    found = all_pairs(vectors, 15)
    return KnnGraph(found.rows.astype(np.int32), found.scores)


def blobs(centres: int, each: int, *, noise: float = 0.08, seed: int = 0) -> tuple[Any, Any, Any]:
    """Centres (C, 32), unit vectors (N, 32) around them, and whose each is (N,)."""
    random = np.random.default_rng(seed)
    middles = np.linalg.qr(random.normal(size=(32, 32)))[0][:centres].astype(np.float32)
    owner = np.repeat(np.arange(centres), each)
    points = middles[owner] + noise * random.normal(size=(len(owner), 32))
    return middles, (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32), owner


def named(prototypes: NDArray[Any]) -> list[Category]:
    return [Category(str(place), prototype[None]) for place, prototype in enumerate(prototypes)]


def auc(positive: NDArray[Any], negative: NDArray[Any]) -> float:
    """The chance that a positive one is above a negative one."""
    return float(np.searchsorted(np.sort(negative), positive).mean() / len(negative))


def test_each_document_gets_the_category_it_is_nearest_to() -> None:
    middles, vectors, owner = blobs(4, 30)
    found = classify(vectors, named(middles), graph=graph_of(vectors))
    np.testing.assert_array_equal(found.labels, owner)
    assert found.labels.dtype == np.int32
    assert found.confidence.dtype == np.float32
    assert found.scores.shape == (120, 4)
    assert found.confidence.min() > 0.9


def test_documents_of_no_category_get_none() -> None:
    middles, vectors, owner = blobs(6, 30)
    found = classify(vectors, named(middles[:4]), graph=graph_of(vectors))
    np.testing.assert_array_equal(found.labels[owner < 4], owner[owner < 4])
    assert (found.labels[owner >= 4] == NONE).mean() > 0.9
    forced = classify(vectors, named(middles[:4]), graph=graph_of(vectors), threshold=0)
    assert (forced.labels >= 0).all()
    assert (forced.confidence[owner >= 4] < 0.5).all()


def test_a_lone_category_is_told_from_the_rest() -> None:
    middles, vectors, owner = blobs(5, 30)
    found = classify(vectors, named(middles[2:3]))
    np.testing.assert_array_equal(found.labels == 0, owner == 2)


def test_examples_alone_make_a_category_and_keep_it() -> None:
    _, vectors, owner = blobs(3, 20)
    stray = 25  # of the second blob, given as an example of the first
    categories = [Category("a", examples=[0, 1, 2, stray]), Category("b", examples=[20, 21, 22])]
    found = classify(vectors, categories)
    right = np.where(owner < 2, owner, NONE)
    right[stray] = 0
    np.testing.assert_array_equal(found.labels, right)
    assert found.confidence[stray] == 1


def test_a_document_given_to_two_categories_is_decided_by_its_meaning() -> None:
    _, vectors, _ = blobs(2, 20)
    categories = [Category("a", examples=[0, 1, 2]), Category("b", examples=[0, 20, 21, 22, 23, 24])]
    found = classify(vectors, categories)
    assert found.labels[0] == 0
    assert found.confidence[0] < 1


def test_neighbours_help_where_a_name_is_vague() -> None:
    middles, vectors, owner = blobs(8, 60, noise=0.2)
    vague = middles + 0.3 * np.random.default_rng(1).normal(size=middles.shape).astype(np.float32)
    alone = classify(vectors, named(vague), threshold=0).labels
    together = classify(vectors, named(vague), graph=graph_of(vectors), threshold=0).labels
    assert (together == owner).mean() > (alone == owner).mean() + 0.02


def test_order_and_type_change_nothing() -> None:
    middles, vectors, _ = blobs(4, 25, noise=0.2)
    first = classify(vectors, named(middles))
    again = classify(vectors, named(middles))
    np.testing.assert_array_equal(first.confidence, again.confidence)
    turned = classify(vectors[::-1], named(middles[::-1]))
    np.testing.assert_array_equal(np.where(turned.labels < 0, NONE, 3 - turned.labels)[::-1], first.labels)
    half = classify(vectors.astype(np.float16), named(middles))
    np.testing.assert_array_equal(half.labels, first.labels)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_documents(count: int) -> None:
    middles, vectors, _ = blobs(3, 1)
    part = vectors[:count]
    found = classify(part, named(middles), graph=graph_of(part))
    np.testing.assert_array_equal(found.labels, np.arange(count))
    assert found.scores.shape == (count, 3)


def test_no_categories_gives_none() -> None:
    _, vectors, _ = blobs(2, 3)
    found = classify(vectors, [])
    assert (found.labels == NONE).all()
    assert found.scores.shape == (6, 0)


def test_zero_and_identical_vectors() -> None:
    middles, vectors, _ = blobs(2, 20)
    vectors[3], vectors[7] = 0, np.nan
    found = classify(vectors, named(middles), graph=graph_of(vectors))
    assert found.labels[3] == found.labels[7] == NONE
    assert found.confidence[3] == found.confidence[7] == 1
    assert np.isfinite(found.confidence).all()
    same = classify(np.repeat(middles[:1], 50, axis=0), named(middles))
    assert (same.labels == 0).all()


def test_a_category_that_says_nothing_is_refused() -> None:
    middles, vectors, _ = blobs(2, 3)
    for empty in (Category("dreams"), Category("dreams", np.zeros((1, 32), np.float32))):
        with pytest.raises(DataError, match="dreams"):
            classify(vectors, [*named(middles), empty])


def test_cancel() -> None:
    middles, vectors, _ = blobs(2, 3)
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        classify(vectors, named(middles), task=task)


@pytest.fixture(scope="module")
def titles(bundled: Any, data_folder: Path) -> tuple[Any, Any, Any]:
    """Vectors of 800 question titles, their tags, and vectors of the tags' names."""
    folder = data_folder / "stackoverflow_short"
    texts = (folder / "title_StackOverflow.txt").read_text(encoding="utf-8").splitlines()
    tags = np.loadtxt(folder / "label_StackOverflow.txt", dtype=np.int64) - 1
    rows = np.sort(np.random.default_rng(0).choice(len(texts), 800, replace=False))
    return bundled.encode([texts[row] for row in rows]).whole(), tags[rows], bundled.encode(TAGS).whole()


@pytest.mark.data
@pytest.mark.bundled
class TestTitles:
    def test_names_alone_find_most(self, titles: tuple[Any, Any, Any]) -> None:
        vectors, tags, names = titles
        found = classify(vectors, named(names), graph=graph_of(vectors), threshold=0)
        assert (found.labels == tags).mean() > 0.76

    def test_confidence_is_the_share_that_is_right(self, titles: tuple[Any, Any, Any]) -> None:
        vectors, tags, names = titles
        found = classify(vectors, named(names), graph=graph_of(vectors))
        right, sure = found.labels == tags, found.confidence
        assert abs(float(right.mean() - sure.mean())) < 0.1
        assert right[sure > 0.9].mean() > 0.9
        assert right[sure < 0.5].mean() < 0.6

    def test_withheld_categories_become_none(self, titles: tuple[Any, Any, Any]) -> None:
        vectors, tags, names = titles
        found: Classification = classify(vectors, named(names[:15]), graph=graph_of(vectors))
        strange = tags >= 15
        assert auc(found.membership[~strange], found.membership[strange]) > 0.8
        assert (found.labels[strange] == NONE).mean() > 3 * (found.labels[~strange] == NONE).mean()
