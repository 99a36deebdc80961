"""Vectors that users bring along: what is taken, what is refused, and that searching works with them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from explorer.errors import DataError, WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.workspace.doctor import examine
from explorer.workspace.search import similar
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.storage.vectors.imported import import_vectors
from explorer.workspace.update.knn_graph import document_graph, graph_file
from explorer.workspace.workspace import Workspace, open_workspace

NAMES = ["a.txt", "b.txt", "deep/c.txt", "한글.txt"]
VECTORS = np.array([[1, 0, 0], [0.9, 0.1, 0], [0, 3, 0], [0, 0, 1e6]], dtype=np.float32)


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


@pytest.fixture
def workspace(tmp_path: Path, encoder: BiEncoder) -> Workspace:
    root = tmp_path / "texts"
    (root / "deep").mkdir(parents=True)
    for name in NAMES:
        body = "\n\n".join(f"{name}: the cat {line} sat on the mat under the moon." for line in range(20))
        (root / name).write_text(body, encoding="utf-8")
    (root / "rows.csv").write_text("title,text\nOne,the king plays\nTwo,the queen plays\n", encoding="utf-8")
    with open_workspace(root) as opened:
        opened.update(encoder)
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.save(tmp_path / "mine.npy", VECTORS)
    return tmp_path / "mine.npy"


@pytest.fixture
def ids(tmp_path: Path) -> Path:
    (tmp_path / "ids.txt").write_text("\n".join(NAMES) + "\n", encoding="utf-8")
    return tmp_path / "ids.txt"


def number(workspace: Workspace, path: str) -> int:
    return next(entry.id for entry in workspace.documents() if entry.path == path)


def test_neighbours_run_on_them(workspace: Workspace, file: Path, ids: Path) -> None:
    found = import_vectors(workspace, file, ids)
    assert (found.documents, found.without, found.unknown, found.shared) == (4, 2, (), 0)
    assert (found.model.kind, found.model.name, found.model.dimension) == ("own", "mine", 3)
    assert found.model.fingerprint.startswith("own-mine-")
    table = vector_table.load(workspace, found.model.fingerprint)
    numbers, vectors = table.document_vectors()
    wanted = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
    for name, vector in zip(NAMES, wanted, strict=True):
        place = numbers.tolist().index(number(workspace, name))
        np.testing.assert_allclose(vectors[place], vector, atol=1e-3)
    nearest = similar.neighbours(table, [number(workspace, "a.txt")], k=1)
    assert nearest[0].document == number(workspace, "b.txt")
    assert vector_table.load(workspace).model.kind == "bi"  # the model stays what is searched with
    assert {finding.state for finding in examine(workspace.folder)} == {"ok"}


def test_the_same_name_replaces_and_the_same_vectors_may_come_again(
    workspace: Workspace, file: Path, ids: Path
) -> None:
    first = import_vectors(workspace, file, ids).model
    document_graph(workspace, vector_table.load(workspace, first.fingerprint))
    graph_file(workspace, first, passages=True).write_bytes(b"as earlier versions left it")
    again = import_vectors(workspace, file, ids).model
    assert first.fingerprint == again.fingerprint
    np.save(file, VECTORS[:, :2] + 1)
    last = import_vectors(workspace, file, ids).model
    assert last.fingerprint != first.fingerprint
    other = import_vectors(workspace, file, ids, name="other").model
    assert [model.fingerprint for model in workspace.models() if model.kind == "own"] == [
        last.fingerprint,
        other.fingerprint,
    ]
    assert len(list((workspace.folder / "vectors").iterdir())) == 2 * len(workspace.models())  # with their checksums
    assert not any(graph_file(workspace, first, passages=passages).exists() for passages in (False, True))
    assert vector_table.load(workspace, last.fingerprint).vectors.shape == (4, 2)


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("column", ["", "where"])
def test_ids_may_be_a_column(workspace: Workspace, file: Path, tmp_path: Path, kind: str, column: str) -> None:
    table, name = tmp_path / f"ids{kind}", column or "path"
    if kind == ".csv":
        csv.field_size_limit(131_072)  # as in a new process
        long = "word " * 30_000  # longer than the csv module takes by itself
        table.write_text(f"{name},x\n" + "".join(f'"{one}",{long}\n' for one in NAMES), encoding="utf-8")
    elif kind == ".jsonl":
        table.write_text("\n".join(json.dumps({name: one}) for one in NAMES), encoding="utf-8")
    else:
        parquet.write_table(pyarrow.table({"x": [1] * 4, name: NAMES}), table)
    assert import_vectors(workspace, file, table, column=column).documents == 4


@pytest.mark.parametrize("kind", [pyarrow.list_(pyarrow.float32()), pyarrow.list_(pyarrow.float64(), 3)])
def test_a_parquet_file_brings_both(workspace: Workspace, tmp_path: Path, kind: pyarrow.DataType) -> None:
    columns = {"document": NAMES, "part": [""] * 4, "numbers": pyarrow.array(VECTORS.tolist(), type=kind)}
    parquet.write_table(pyarrow.table(columns), tmp_path / "both.parquet")
    found = import_vectors(workspace, tmp_path / "both.parquet")
    assert (found.documents, found.model.name, found.model.dimension) == (4, "both", 3)


def test_parts_are_named_after_a_tab(workspace: Workspace, file: Path, ids: Path) -> None:
    parts = [entry.part for entry in workspace.documents() if entry.path == "rows.csv"]
    assert len(parts) == 2
    ids.write_text(f"rows.csv\t{parts[0]}\nrows.csv\t{parts[1]}\nrows.csv\nnowhere.txt\n", encoding="utf-8")
    found = import_vectors(workspace, file, ids)
    assert found.documents == 2
    assert found.unknown == ("rows.csv", "nowhere.txt")


def test_shared_passages_keep_the_first_vector(workspace: Workspace, encoder: BiEncoder, file: Path, ids: Path) -> None:
    (workspace.root / "deep/c.txt").write_bytes((workspace.root / "a.txt").read_bytes())
    workspace.update(encoder)
    found = import_vectors(workspace, file, ids)
    assert found.shared == len(workspace.passages(number(workspace, "a.txt")))
    numbers, vectors = vector_table.load(workspace, found.model.fingerprint).document_vectors()
    place = numbers.tolist().index(number(workspace, "deep/c.txt"))
    np.testing.assert_allclose(vectors[place], [1, 0, 0], atol=1e-3)


@pytest.mark.parametrize(
    ("vectors", "names", "sentence"),
    [
        (np.where(VECTORS == 3, np.nan, VECTORS), NAMES, "row 3 has a value"),
        (np.where(VECTORS == 3, np.inf, VECTORS), NAMES, "row 3 has a value"),
        (np.where(VECTORS == 3, 0, VECTORS), NAMES, "row 3 is all zeros"),
        (VECTORS[:3], NAMES, "3 vectors, but .* has 4 ids"),
        (VECTORS[0], NAMES, "not rows of floats"),
        (VECTORS.astype(int), NAMES, "not rows of floats"),
        (VECTORS[:0], [], "no vectors in it"),
        (VECTORS, [*NAMES[:3], NAMES[0]], "rows 1 and 4"),
        (VECTORS, ["w", "x", "y", "z"], "none of its 4 ids"),
        (np.array([[{}], [1]], dtype=object), NAMES, "not a sound .npy file"),
    ],
)
def test_what_cannot_be_used_is_a_sentence_and_changes_nothing(
    workspace: Workspace, file: Path, ids: Path, vectors: np.ndarray, names: list[str], sentence: str
) -> None:
    np.save(file, vectors, allow_pickle=True)
    ids.write_text("\n".join(names), encoding="utf-8")
    with pytest.raises(DataError, match=sentence):
        import_vectors(workspace, file, ids)
    assert {model.kind for model in workspace.models()} == {"bi"}


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("ids.csv", b"x,y\n1,2\n", "no column “document”"),
        ("ids.jsonl", b"{\n", "line 1 is not JSON"),
        ("ids.jsonl", b"[1]\n", "not a JSON object"),
        ("ids.jsonl", b'{"path": ""}\n', "row 1 has nothing"),
        ("ids.txt", b"\xff\xfe\xff", "not UTF-8"),
        ("ids.parquet", b"PAR", "not a sound Parquet file"),
        ("nowhere.txt", None, "There is no file"),
    ],
)
def test_bad_ids_are_a_sentence(
    workspace: Workspace, file: Path, tmp_path: Path, name: str, content: bytes | None, sentence: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=sentence):
        import_vectors(workspace, file, tmp_path / name)


@pytest.mark.parametrize(
    ("vectors", "sentence"),
    [
        ([[1.0, 2.0], [1.0], [3.0, 4.0], [1.0, 1.0]], "row 2 of “vector”"),
        ([[1.0, 2.0], None, [3.0, 4.0], [1.0, 1.0]], "row 2 of “vector”"),
        ([None, None, None, None], "row 1 of “vector”"),
        ([[1.0, None], [1.0, 2.0], [3.0, 4.0], [1.0, 1.0]], "row 1 has a value"),
    ],
)
def test_bad_columns_are_a_sentence(workspace: Workspace, tmp_path: Path, vectors: list, sentence: str) -> None:
    column = pyarrow.array(vectors, type=pyarrow.list_(pyarrow.float32()))
    parquet.write_table(pyarrow.table({"id": NAMES, "vector": column}), tmp_path / "v.parquet")
    with pytest.raises(DataError, match=sentence):
        import_vectors(workspace, tmp_path / "v.parquet")


def test_several_columns_of_vectors_must_be_chosen_from(workspace: Workspace, tmp_path: Path) -> None:
    column = pyarrow.array(VECTORS.tolist())
    parquet.write_table(pyarrow.table({"id": NAMES, "one": column, "two": column}), tmp_path / "v.parquet")
    with pytest.raises(DataError, match="one, two"):
        import_vectors(workspace, tmp_path / "v.parquet")
    assert import_vectors(workspace, tmp_path / "v.parquet", vector_column="two").documents == 4


def test_vectors_without_ids_and_unknown_formats_are_a_sentence(workspace: Workspace, file: Path, ids: Path) -> None:
    with pytest.raises(DataError, match="--ids"):
        import_vectors(workspace, file)
    with pytest.raises(DataError, match="not known"):
        import_vectors(workspace, ids, ids)


def test_a_folder_not_yet_indexed_is_a_sentence(tmp_path: Path, file: Path, ids: Path) -> None:
    (tmp_path / "new").mkdir()
    with open_workspace(tmp_path / "new") as empty, pytest.raises(WorkspaceError, match="Index the folder"):
        import_vectors(empty, file, ids)
