"""Edits do what they say, outlive updates, re-runs and renumbering, can be undone, and are read with distrust."""

from __future__ import annotations

import json

import numpy as np
import pytest

from explorer.analysis.clusters.cluster import Clustering, cluster
from explorer.analysis.clusters.edits import (
    Edit,
    MergeClusters,
    MoveDocuments,
    RenameCluster,
    SplitCluster,
    apply,
    from_json,
    merge,
    move,
    next_free,
    rename,
    split,
    to_json,
)
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.errors import DataError
from tests.analysis.clusters.test_cluster import graph_of, keys_of, topics

VECTORS = topics(5, 40)
KEYS = keys_of(VECTORS)
MADE = Clustering(np.repeat(np.arange(5, dtype=np.int32), 40))


@pytest.fixture(scope="module")
def graph() -> KnnGraph:
    return graph_of(VECTORS)


def edited(edits: list[Edit], graph: KnnGraph, made: Clustering = MADE) -> Clustering:
    done = apply(made, edits, graph, KEYS)
    assert done.void == ()
    return done.clustering


def test_rename_and_take_the_name_away(graph: KnnGraph) -> None:
    given = rename(MADE, KEYS, 3, "  우주 ")
    assert edited([given], graph).names == {3: "우주"}
    assert edited([given, rename(MADE, KEYS, 3, "")], graph).names == {}


def test_merge_keeps_the_first_id_and_a_name(graph: KnnGraph) -> None:
    both = edited([rename(MADE, KEYS, 1, "one"), merge(MADE, KEYS, [4, 1])], graph)
    assert both.ids == (0, 2, 3, 4)
    assert len(both.members(4)) == 80
    assert both.names == {4: "one"}


def test_move_in_and_out(graph: KnnGraph) -> None:
    moved = edited([move(MADE, KEYS, [0, 1], 4), move(MADE, KEYS, [2], -1)], graph)
    assert moved.labels[:4].tolist() == [4, 4, -1, 0]


def test_split_divides_along_the_ties(graph: KnnGraph) -> None:
    one = Clustering(np.array([0] * 80 + [2] * 120, np.int32))
    edit = split(one, graph, VECTORS, KEYS, 0, next_id=next_free([], 9))
    assert edit.new_ids == (9,)
    parts = edited([edit], graph, one)
    assert parts.ids == (0, 2, 9)
    assert len(set(parts.labels[:40].tolist())) == len(set(parts.labels[40:80].tolist())) == 1
    assert next_free([edit], 3) == 10


def test_split_of_a_tight_cluster_and_of_copies(graph: KnnGraph) -> None:
    assert len(edited([split(MADE, graph, VECTORS, KEYS, 1, parts=4)], graph).ids) >= 6
    same = np.repeat(VECTORS[:1], 30, axis=0)
    with pytest.raises(DataError, match="split"):
        split(Clustering(np.zeros(30, np.int32)), graph_of(same), same, keys_of(same), 0)


def test_undo_is_leaving_out_the_last(graph: KnnGraph) -> None:
    edits: list[Edit] = [merge(MADE, KEYS, [0, 1])]
    once = edited(edits, graph)
    edits.append(move(once, KEYS, range(40), 3))
    assert not np.array_equal(edited(edits, graph).labels, once.labels)
    assert np.array_equal(edited(edits[:-1], graph).labels, once.labels)
    assert np.array_equal(apply(MADE, [], graph, KEYS).clustering.labels, MADE.labels)
    assert np.array_equal(MADE.labels, np.repeat(np.arange(5), 40))


def test_edits_outlive_other_numbers_another_order_and_new_documents(graph: KnnGraph) -> None:
    edits: list[Edit] = [
        rename(MADE, KEYS, 0, "zero"),
        merge(MADE, KEYS, [1, 2]),
        move(MADE, KEYS, [151], 0),
        split(MADE, graph, VECTORS, KEYS, 4, next_id=50),
    ]
    before = edited(edits, graph)
    more = np.concatenate([VECTORS, topics(5, 4, seed=0)])
    more[-20:] = VECTORS[::10] * 0.98 + more[-20:] * 0.02
    more /= np.linalg.norm(more, axis=1, keepdims=True)
    order = np.random.default_rng(0).permutation(220)
    keys = KEYS + [b"new%d" % row for row in range(20)]
    labels = np.concatenate([MADE.labels, MADE.labels[::10]])
    renumbered = Clustering(np.array([12, 4, 0, 2, 7], np.int32)[labels][order])
    done = apply(renumbered, from_json(to_json(edits)), graph_of(more[order]), [keys[row] for row in order])
    assert done.void == ()
    after = np.empty(220, np.int32)
    after[order] = done.clustering.labels
    to = {0: 12, 1: 4, 3: 2, 4: 7, 50: 50}
    assert after[:200].tolist() == [to[label] for label in before.labels.tolist()]
    # A new document joins one part or the other of what was split, the rest stay with their originals.
    joined = [
        (to[label], found) for label, found in zip(before.labels[::10].tolist(), after[200:].tolist(), strict=True)
    ]
    assert all(wanted == found or {wanted, found} == {7, 50} for wanted, found in joined)
    assert done.clustering.names == {12: "zero"}


def test_an_edit_that_finds_nothing_is_void_and_waits(graph: KnnGraph) -> None:
    strange: list[Edit] = [
        RenameCluster((b"?",), "x"),
        MergeClusters(((b"?",), (KEYS[0],))),
        MoveDocuments((b"?",), (KEYS[0],)),
        MoveDocuments((KEYS[0],), (b"?",)),
        SplitCluster(((b"?",), (b"!",)), (9,)),
        RenameCluster((KEYS[0],), "first"),
    ]
    done = apply(MADE, strange, graph, KEYS)
    assert done.void == (0, 1, 2, 3, 4)
    assert done.clustering.names == {0: "first"}
    assert np.array_equal(done.clustering.labels, MADE.labels)


def test_a_cluster_that_was_scattered_is_not_found_again(graph: KnnGraph) -> None:
    assert apply(MADE, [RenameCluster(tuple(KEYS[::10]), "x")], graph, KEYS).void == (0,)


def test_no_name_is_kept_for_a_cluster_that_is_gone(graph: KnnGraph) -> None:
    assert edited([rename(MADE, KEYS, 1, "one"), move(MADE, KEYS, range(40, 80), 0)], graph).names == {}


def test_there_is_no_such_cluster() -> None:
    for number in (99, -1):
        with pytest.raises(DataError, match="no longer exists"):
            rename(MADE, KEYS, number, "x")


def test_edits_work_on_what_cluster_gives(graph: KnnGraph) -> None:
    made = cluster(graph, VECTORS, KEYS)
    assert len(apply(made, [merge(made, KEYS, made.ids)], graph, KEYS).clustering.ids) == 1


def test_json_round_trip() -> None:
    edits: tuple[Edit, ...] = (
        RenameCluster((b"\0\1", b"k"), "이름 \"'<b>"),
        MergeClusters(((b"a",), (b"b", b"c"))),
        SplitCluster(((b"a",), (b"b",)), (4,)),
        MoveDocuments((b"a",), ()),
    )
    assert from_json(to_json(edits)) == edits


@pytest.mark.parametrize(
    "bad",
    [
        "", "[]", "{", "null", "[" * 100_000, '{"version": 2, "edits": []}', '{"version": 1, "edits": {}}',
        *(json.dumps({"version": 1, "edits": [edit]}) for edit in (
            None, 3, {}, {"do": "erase"}, {"do": "rename", "cluster": ["61"]},
            {"do": "rename", "cluster": ["61"], "name": 3}, {"do": "rename", "cluster": ["6"], "name": "x"},
            {"do": "rename", "cluster": [], "name": "x"}, {"do": "rename", "cluster": "61", "name": "x"},
            {"do": "rename", "cluster": ["61"], "name": "x", "more": 1},
            {"do": "rename", "cluster": ["61"], "name": "x" * 201}, {"do": "rename", "cluster": ["61"], "name": "a\nb"},
            {"do": "rename", "cluster": ["61" * 65], "name": "x"}, {"do": "rename", "cluster": [""], "name": "x"},
            {"do": "merge", "clusters": [["61"]]}, {"do": "merge", "clusters": [["61"], [1]]},
            {"do": "split", "parts": [["61"]], "new_ids": []},
            {"do": "split", "parts": [["61"], ["62"]], "new_ids": []},
            {"do": "split", "parts": [["61"], ["62"]], "new_ids": [-1]},
            {"do": "split", "parts": [["61"], ["62"]], "new_ids": [True]},
            {"do": "split", "parts": [["61"], ["62"]], "new_ids": [2**31]},
            {"do": "split", "parts": [["61"], ["62"], ["63"]], "new_ids": [4, 4]},
            {"do": "move", "documents": [], "target": ["61"]}, {"do": "move", "documents": ["zz"], "target": []},
        )),
    ],
)  # fmt: skip
def test_damaged_files_are_refused_with_a_sentence(bad: str) -> None:
    with pytest.raises(DataError, match="cluster"):
        from_json(bad)
