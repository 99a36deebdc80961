"""Clusters are kept with their ids, and what the user changed in them outlives updates and can be undone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from explorer.analysis.clusters import edits
from explorer.analysis.clusters.methods import ClusterRecipe
from explorer.errors import WorkspaceError
from explorer.task import Progress, Task
from explorer.workspace.overview import clusters
from explorer.workspace.overview.clusters import cluster_documents, describe_clusters
from explorer.workspace.overview.documents import EncodedDocuments, encoded_documents, term_counts
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import Workspace

pytestmark = pytest.mark.bundled


def encoded_of(workspace: Workspace) -> EncodedDocuments:
    return encoded_documents(workspace, vector_table.load(workspace))


def told(run: Any) -> list[str]:
    notes: list[str] = []
    run(Task(lambda progress: notes.append(progress.note)))
    return notes


def test_clusters_of_the_sample_are_its_subjects(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_of(workspace)
        shown = cluster_documents(workspace, encoded)
        found = describe_clusters(encoded, shown, term_counts(workspace, encoded))
        subjects = {entry.id: f"{entry.metadata['folder']} {entry.language}" for entry in workspace.documents()}

    assert sum(one.size for one in found) + (shown.labels < 0).sum() == len(encoded)
    assert 5 <= len(found) <= 30
    assert all(one.name and not one.named and not one.name.isdigit() for one in found)
    assert all(one.central for one in found)
    truth = [subjects[number] for number in encoded.documents.tolist()]
    assert normalized_mutual_info_score(truth, shown.labels.tolist(), average_method="geometric") > 0.6


def test_nothing_is_computed_twice(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_of(workspace)
        first = cluster_documents(workspace, encoded)
        notes: list[Progress] = []

        again = cluster_documents(workspace, encoded, task=Task(notes.append))

        assert notes == []
        assert np.array_equal(again.labels, first.labels)
        assert told(lambda task: cluster_documents(workspace, encoded, ClusterRecipe(granularity=0.8), task=task))


def test_words_are_read_once_a_text(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_of(workspace)
        first = told(lambda task: term_counts(workspace, encoded, task=task))
        again = told(lambda task: term_counts(workspace, encoded, task=task))
    assert "reading words" in first
    assert "reading words" not in again


def test_changes_survive_a_new_run_and_are_undone_one_by_one(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_of(workspace)
        plain = cluster_documents(workspace, encoded)
        largest, second = plain.ids[:2]
        clusters.add_edit(workspace, edits.rename(plain, encoded.keys, largest, "요리"))
        clusters.add_edit(workspace, edits.merge(plain, encoded.keys, [largest, second]))
    with Workspace(sample_copy, None, writable=True) as workspace:
        merged = cluster_documents(workspace, encoded)
        counts = term_counts(workspace, encoded)
        names = {one.id: one.name for one in describe_clusters(encoded, merged, counts)}

        assert names[largest] == "요리"
        assert second not in merged.ids
        assert (merged.labels == largest).sum() == np.isin(plain.labels, [largest, second]).sum()

        finer = cluster_documents(workspace, encoded, ClusterRecipe(granularity=0.55))
        assert "요리" in finer.names.values()

        cluster_documents(workspace, encoded, ClusterRecipe())
        assert isinstance(clusters.undo_edit(workspace), edits.MergeClusters)
        assert isinstance(clusters.undo_edit(workspace), edits.RenameCluster)
        assert clusters.undo_edit(workspace) is None
        back = cluster_documents(workspace, encoded)
        assert np.array_equal(back.labels >= 0, plain.labels >= 0)
        assert back.names == {}


def test_a_spoilt_change_is_passed_over(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=True) as workspace:
        encoded = encoded_of(workspace)
        plain = cluster_documents(workspace, encoded)
        workspace.connection.execute("INSERT INTO cluster_edits (edit) VALUES ('{')")
        clusters.add_edit(workspace, edits.rename(plain, encoded.keys, plain.ids[0], "kept"))

        assert cluster_documents(workspace, encoded).names == {plain.ids[0]: "kept"}


def test_a_reader_clusters_but_changes_nothing(sample_copy: Path) -> None:
    with Workspace(sample_copy, None, writable=False) as reader:
        encoded = encoded_of(reader)
        shown = cluster_documents(reader, encoded)
        edit = edits.rename(shown, encoded.keys, shown.ids[0], "mine")
        with pytest.raises(WorkspaceError):
            clusters.add_edit(reader, edit)
        assert reader.connection.execute("SELECT count(*) FROM clusters").fetchone() == (0,)


def test_new_documents_leave_the_ids_of_the_others(bundled: Any, tmp_path: Path) -> None:
    texts, home = tmp_path / "texts", tmp_path / "workspace"
    texts.mkdir()
    subjects = {
        "soup": "Cook the {} soup with onions and salt",
        "moon": "The rocket flew {} times around the moon",
        "rent": "The tenant pays {} dollars of rent a month",
        "goal": "The striker scored {} goals in the match",
    }
    for name, text in subjects.items():
        for number in range(12):
            (texts / f"{name}{number}.txt").write_text(text.format(number + 2))
    with Workspace(home, texts, writable=True) as workspace:
        workspace.update(bundled)
        encoded = encoded_of(workspace)
        before = dict(
            zip(encoded.documents.tolist(), cluster_documents(workspace, encoded).labels.tolist(), strict=True)
        )
        for number in range(3):
            (texts / f"a{number}.txt").write_text(f"A pot of soup number {number} with salt")
        (texts / "soup0.txt").unlink()
        workspace.update(bundled)
        encoded = encoded_of(workspace)
        after = dict(
            zip(encoded.documents.tolist(), cluster_documents(workspace, encoded).labels.tolist(), strict=True)
        )

    assert len(set(before.values())) == 4
    kept = [number for number in before if number in after]
    assert len(kept) == 47
    assert all(before[number] == after[number] for number in kept)
    assert {after[number] for number in after if number not in before} <= set(before.values())


def test_degenerate_folders(bundled: Any, tmp_path: Path) -> None:
    for count in range(4):
        texts = tmp_path / f"texts{count}"
        texts.mkdir()
        for number in range(count):
            (texts / f"{number}.txt").write_text("the same words")
        with Workspace(tmp_path / f"workspace{count}", texts, writable=True) as workspace:
            workspace.update(bundled)
            encoded = encoded_of(workspace)
            shown = cluster_documents(workspace, encoded)
            describe_clusters(encoded, shown, term_counts(workspace, encoded))
            assert len(shown.labels) == count
