"""The files for the embedding projector: the same rows in both, nothing that breaks a line, big ones in blocks."""

from __future__ import annotations

import json

import numpy as np
import pytest

from explorer.errors import DataError
from explorer.task import Cancelled, Task
from explorer.workspace.export.tensorboard import write_projector

TITLES = ["plain", "tab\there", "two\nlines\r\nand more", "", "=1+1", "한국어 제목"]


def lines(path):
    text = path.read_text("utf-8")
    assert text.endswith("\n")
    return text[:-1].split("\n")


def test_both_files_have_a_line_for_each_document(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)
    written = write_projector(tmp_path / "out", vectors, {"title": TITLES, "cluster": [0, 1, 2, None, 4, 5]})
    assert (written.rows, written.dimension) == (6, 8)
    tensors = [[float(cell) for cell in line.split("\t")] for line in lines(tmp_path / "out" / "tensors.tsv")]
    np.testing.assert_allclose(tensors, vectors, rtol=1e-5)
    metadata = [line.split("\t") for line in lines(tmp_path / "out" / "metadata.tsv")]
    assert metadata == [
        ["title", "cluster"],
        ["plain", "0"],
        ["tab here", "1"],
        ["two lines and more", "2"],
        ["-", "-"],
        ["'=1+1", "4"],
        ["한국어 제목", "5"],
    ]


def test_a_single_column_has_no_header(tmp_path):
    write_projector(tmp_path, np.eye(2, dtype=np.float16), {"title": ["one", "two"]})
    assert lines(tmp_path / "metadata.tsv") == ["one", "two"]


def test_the_settings_name_the_files(tmp_path):
    write_projector(tmp_path, np.eye(2, dtype=np.float32), {"title": ["one", "two"]}, name="문서 “trial”")
    assert (tmp_path / "projector_config.pbtxt").read_text("utf-8") == (
        'embeddings {\n  tensor_path: "tensors.tsv"\n  metadata_path: "metadata.tsv"\n}\n'
    )
    [embedding] = json.loads((tmp_path / "projector_config.json").read_text("utf-8"))["embeddings"]
    assert embedding["tensorName"] == "문서 “trial”"
    assert embedding["tensorShape"] == [2, 2]
    assert {embedding["tensorPath"], embedding["metadataPath"]} <= {file.name for file in tmp_path.iterdir()}


def test_vectors_of_many_blocks_come_out_whole(tmp_path):
    vectors = np.arange(5000 * 3, dtype=np.float32).reshape(-1, 3)
    seen = []
    task = Task(lambda progress: seen.append(progress.done))
    write_projector(tmp_path, vectors, {"title": [str(place) for place in range(5000)], "b": range(5000)}, task=task)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "tensors.tsv"), vectors)
    assert lines(tmp_path / "metadata.tsv")[1:] == [f"{place}\t{place}" for place in range(5000)]
    assert seen[0] == 0
    assert seen[-1] == 5000
    assert len(seen) > 3


def test_a_cancelled_writing_leaves_nothing(tmp_path):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        write_projector(tmp_path, np.eye(3), {"title": "abc"}, task=task)
    assert list(tmp_path.iterdir()) == []


def test_no_documents_are_no_error(tmp_path):
    write_projector(tmp_path, np.zeros((0, 4)), {"title": [], "b": []})
    assert lines(tmp_path / "metadata.tsv") == ["title\tb"]


def test_columns_of_another_length_are_refused(tmp_path):
    with pytest.raises(DataError, match="title"):
        write_projector(tmp_path, np.eye(3), {"title": ["only one"]})
    with pytest.raises(DataError, match="no column"):
        write_projector(tmp_path, np.eye(3), {})


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="cannot be written"):
        write_projector(tmp_path / "file" / "below", np.eye(3), {"title": "abc"})
