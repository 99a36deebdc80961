"""The stored graph: what it costs, what it survives, and that it is always the graph of today's vectors."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.analysis.vectors.knn_graph import KnnGraph, build
from explorer.errors import WorkspaceError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.workspace.storage.vectors import table as matrices
from explorer.workspace.storage.vectors.table import StoredModel, VectorTable
from explorer.workspace.update import knn_graph
from explorer.workspace.update.knn_graph import document_graph, graph_file
from explorer.workspace.workspace import Workspace, open_workspace
from tests.conftest import PROJECT, WORDS

WIDTH = 16


def reordered(graph: KnnGraph, order: NDArray[np.int64]) -> KnnGraph:
    """The same graph with row `order[i]` as row i; `order` is a permutation of all rows, (N,)."""
    new_rows = np.empty(len(order) + 1, dtype=np.int32)
    new_rows[order] = np.arange(len(order), dtype=np.int32)
    new_rows[-1] = -1  # what a missing neighbour, -1, stays
    return KnnGraph(new_rows[graph.rows[order]], graph.scores[order], graph.exact)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace", tmp_path, writable=True) as opened:
        yield opened


def directions(seed: int, count: int) -> NDArray[np.float16]:
    rows = np.random.default_rng(seed).standard_normal((count, WIDTH))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def matrix_of(documents: Mapping[int, NDArray[np.float16]], model: str = "one") -> VectorTable:
    """Documents of one passage each, with the vectors given."""
    ids = np.array(sorted(documents), np.int64)
    vectors = np.array([documents[one] for one in sorted(documents)], np.float16).reshape(-1, WIDTH)
    known = StoredModel({"one": 1, "two": 2}[model], model, model, "bi", WIDTH)
    return VectorTable(known, vectors, ids + 1000, ids, np.arange(len(ids)), np.full(len(ids), 9))


def numbered(vectors: NDArray[np.float16], first: int = 1) -> dict[int, NDArray[np.float16]]:
    return dict(enumerate(vectors, first))


def fresh(matrix: VectorTable, k: int = 15) -> KnnGraph:
    return build(matrix.document_vectors()[1], k)


def same(ours: KnnGraph, theirs: KnnGraph) -> None:
    np.testing.assert_array_equal(ours.rows, theirs.rows)
    np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-6)
    assert ours.exact == theirs.exact


def idle() -> Task:
    return Task(lambda progress: pytest.fail(f"there was work: {progress}"))


def contents(workspace: Workspace) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (workspace.folder / "graphs").glob("*")}


def test_what_did_not_change_is_neither_computed_nor_written(workspace: Workspace) -> None:
    matrix = matrix_of(numbered(directions(0, 300)))
    made = document_graph(workspace, matrix)
    same(made.graph, fresh(matrix))
    assert made.ids.tolist() == list(range(1, 301))
    file = graph_file(workspace, matrix.model)
    before = file.stat().st_mtime_ns, file.stat().st_ino
    again = document_graph(workspace, matrix_of(numbered(directions(0, 300))), task=idle())
    same(again.graph, made.graph)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
    assert list(contents(workspace)) == ["1.graph"]


@pytest.mark.parametrize("seed", range(6))
def test_documents_come_change_and_go(workspace: Workspace, seed: int) -> None:
    chance = random.Random(seed)
    documents = numbered(directions(seed, chance.choice([3, 40, 400])))
    for day in range(4):
        made = document_graph(workspace, matrix_of(documents))
        same(made.graph, fresh(matrix_of(documents)))
        assert made.ids.tolist() == sorted(documents)
        supply = iter(directions(100 * seed + day, 100))
        for gone in chance.sample(sorted(documents), chance.choice([0, 1, len(documents) // 3])):
            del documents[gone]
        for other in chance.sample(sorted(documents), min(len(documents), chance.choice([0, 1, 30]))):
            documents[other] = next(supply)
        for _ in range(chance.choice([0, 1, 50])):
            documents[chance.randrange(1, 2000)] = next(supply)


def test_one_new_document_costs_one(workspace: Workspace) -> None:
    vectors = directions(1, 3000)
    document_graph(workspace, matrix_of(numbered(vectors[:2999])))
    seen: list[Progress] = []
    made = document_graph(workspace, matrix_of(numbered(vectors)), task=Task(seen.append))
    same(made.graph, fresh(matrix_of(numbered(vectors))))
    assert {progress.note for progress in seen} == {"graph"}
    assert max(progress.total for progress in seen) <= 3000  # against three times that for all


def test_the_numbers_of_documents_do_not_matter(workspace: Workspace) -> None:
    vectors = directions(2, 200)
    order = np.random.default_rng(0).permutation(200)
    one = document_graph(workspace, matrix_of(numbered(vectors)))
    other = document_graph(workspace, matrix_of(numbered(vectors[order]), "two"))
    same(other.graph, reordered(one.graph, order))


def test_each_model_keeps_its_own(workspace: Workspace) -> None:
    one, two = matrix_of(numbered(directions(3, 90))), matrix_of(numbered(directions(4, 90)), "two")
    graphs = [document_graph(workspace, one).graph, document_graph(workspace, two).graph]
    assert (graphs[0].rows != graphs[1].rows).any()
    same(document_graph(workspace, one, task=idle()).graph, graphs[0])
    same(document_graph(workspace, two, task=idle()).graph, graphs[1])


def test_the_number_of_a_model_that_is_gone_may_be_given_to_another(workspace: Workspace) -> None:
    one, two = (matrix_of(numbered(directions(seed, 90))) for seed in (3, 4))
    document_graph(workspace, one)
    before = contents(workspace)
    document_graph(workspace, replace(one, model=replace(one.model, fingerprint="heir")), task=idle())
    assert contents(workspace) != before  # it says whose it is now
    heir = document_graph(workspace, replace(two, model=replace(two.model, fingerprint="heir")))
    same(heir.graph, fresh(two))


def test_more_and_fewer_neighbours_do_not_take_turns(workspace: Workspace) -> None:
    matrix = matrix_of(numbered(directions(5, 100)))
    document_graph(workspace, matrix)
    same(document_graph(workspace, matrix, k=4, task=idle()).graph, fresh(matrix, 4))
    same(document_graph(workspace, matrix, k=20).graph, fresh(matrix, 20))
    same(document_graph(workspace, matrix, task=idle()).graph, fresh(matrix))
    same(document_graph(workspace, matrix, k=20, task=idle()).graph, fresh(matrix, 20))


@pytest.mark.parametrize(
    "vectors",
    [*(directions(0, count) for count in range(4)), directions(0, 1).repeat(500, 0), np.zeros((5, WIDTH))],
    ids=["none", "one", "two", "three", "identical", "empty"],
)
def test_odd_collections(workspace: Workspace, vectors: Any) -> None:
    matrix = matrix_of(numbered(vectors))
    same(document_graph(workspace, matrix).graph, fresh(matrix))
    same(document_graph(workspace, matrix, task=idle()).graph, fresh(matrix))
    more = matrix_of(numbered(np.concatenate([vectors, directions(9, 30)])))
    same(document_graph(workspace, more).graph, fresh(more))
    same(document_graph(workspace, matrix).graph, fresh(matrix))


def spoilt(whole: bytes) -> Iterator[bytes]:
    chance = random.Random(0)
    yield from (b"", b"x", b"no graph" * 1000, pickle.dumps([1, 2]), whole + b"x", whole[16:], bytes(len(whole)))
    yield from (whole[: chance.randrange(len(whole))] for _ in range(20))
    for _ in range(40):
        place = chance.randrange(len(whole))
        yield whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :]


def test_a_spoilt_file_is_made_anew(workspace: Workspace) -> None:
    matrix = matrix_of(numbered(directions(6, 60)))
    wanted = document_graph(workspace, matrix).graph
    file = graph_file(workspace, matrix.model)
    whole = file.read_bytes()
    for content in spoilt(whole):
        file.write_bytes(content)
        same(document_graph(workspace, matrix).graph, wanted)
        assert file.read_bytes() == whole


def test_what_another_program_sealed_is_not_trusted(workspace: Workspace, tmp_path: Path) -> None:
    from hashlib import blake2b

    matrix = matrix_of(numbered(directions(6, 60)))
    wanted = document_graph(workspace, matrix).graph
    file = graph_file(workspace, matrix.model)
    (tmp_path / "whole.npz").write_bytes(file.read_bytes()[16:])
    parts = dict(np.load(tmp_path / "whole.npz"))
    for name, part in {
        "rows": parts["rows"] + 60,
        "scores": parts["scores"][:, :3],
        "ids": parts["ids"].astype(np.int32),
        "keys": parts["keys"][:-1],
        "exact": np.array([True, False]),
        "kind": np.array("graph 9"),
        "ids ": None,
    }.items():
        left = {key: value for key, value in parts.items() if key != name.strip()}
        np.savez(tmp_path / "other.npz", **left, **({} if part is None else {name: part}))
        content = (tmp_path / "other.npz").read_bytes()
        file.write_bytes(blake2b(content, digest_size=16).digest() + content)
        same(document_graph(workspace, matrix).graph, wanted)


def test_readers_compute_for_themselves_and_write_nothing(workspace: Workspace) -> None:
    vectors = directions(7, 200)
    code = (
        "import sys; from pathlib import Path; import numpy as np;"
        "from tests.workspace.update.test_knn_graph import *;"
        f"reader = Workspace(Path({str(workspace.folder)!r}), None, writable=True); assert not reader.writable;"
        "matrix = matrix_of(numbered(directions(7, int(sys.argv[1]))));"
        "task = idle() if sys.argv[2] == 'idle' else None;"
        "same(document_graph(reader, matrix, task=task).graph, fresh(matrix))"
    )

    def read(count: int, how: str) -> None:
        ran = subprocess.run(
            [sys.executable, "-c", code, str(count), how], cwd=PROJECT, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr

    read(200, "busy")
    assert not (workspace.folder / "graphs").exists()
    document_graph(workspace, matrix_of(numbered(vectors)))
    before = contents(workspace)
    read(200, "idle")
    read(150, "busy")
    assert contents(workspace) == before


def cancelled_at(report: int) -> Task:
    seen: list[Progress] = []

    def told(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == report:
            task.cancel()

    task = Task(told)
    return task


def test_cancelled_work_leaves_what_was_stored(workspace: Workspace) -> None:
    document_graph(workspace, matrix_of(numbered(directions(8, 100))))
    before = contents(workspace)
    for stop in (1, 2):
        with pytest.raises(Cancelled):
            document_graph(workspace, matrix_of(numbered(directions(8, 140))), task=cancelled_at(stop))
    assert contents(workspace) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file sizes")
def test_a_full_disk_is_a_sentence_and_leaves_what_was_stored(tmp_path: Path) -> None:
    code = (
        "import resource, signal; from tests.workspace.update.test_knn_graph import *;"
        f"w = Workspace(Path({str(tmp_path / 'w')!r}), Path({str(tmp_path)!r}), writable=True);"
        "document_graph(w, matrix_of(numbered(directions(0, 50)))); before = contents(w);"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (20_000,) * 2)\n"
        "try:\n    document_graph(w, matrix_of(numbered(directions(0, 500))))\n"
        "except WorkspaceError as error:\n    print(error)\n"
        "assert contents(w) == before"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "1.graph: cannot be written" in ran.stdout
    assert "nothing was lost" in ran.stdout


def test_killed_at_any_moment_the_old_or_the_new_is_there(workspace: Workspace, tmp_path: Path) -> None:
    folder, chance = tmp_path / "killed", random.Random(3)
    code = (
        "from tests.workspace.update.test_knn_graph import *;"
        f"w = Workspace(Path({str(folder)!r}), Path({str(tmp_path)!r}), writable=True);"
        "both = [matrix_of(numbered(directions(seed, 60))) for seed in (0, 1)];"
        "document_graph(w, both[0])\n"
        "while True:\n    [document_graph(w, one) for one in both]; print('written', flush=True)"
    )
    both = [matrix_of(numbered(directions(seed, 60))) for seed in (0, 1)]
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=PROJECT)
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 20)):
            assert process.stdout.readline() == b"written\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with Workspace(folder, None, writable=True) as opened:
            (opened.folder / "graphs" / "1.part").write_bytes(os.urandom(50))  # half a file, whoever left it
            works = []
            for one in both:
                seen: list[Progress] = []
                with Workspace(folder, None, writable=False) as reader:
                    same(document_graph(reader, one, task=Task(seen.append)).graph, fresh(one))
                works.append(len(seen))
            assert 0 in works


@pytest.fixture(scope="module")
def encoder(checkpoints: dict[str, Path]) -> BiEncoder:
    return BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    root, chance = tmp_path / "texts", random.Random(0)
    root.mkdir()
    for number in range(30):
        (root / f"{number:02}.txt").write_text(" ".join(chance.choices(WORDS, k=60)) + ".", encoding="utf-8")
    return root


def notes_of(workspace: Workspace, encoder: BiEncoder) -> list[str]:
    seen: list[Progress] = []
    workspace.update(encoder, task=Task(seen.append))
    return list(dict.fromkeys(progress.note for progress in seen))


def test_an_update_ends_with_the_graph(texts: Path, encoder: BiEncoder) -> None:
    with open_workspace(texts) as workspace:
        assert notes_of(workspace, encoder)[-2:] == ["encoding", "graph"]
        first = document_graph(workspace, matrices.load(workspace), task=idle())
        assert len(first.ids) == 30
        file = graph_file(workspace, matrices.load(workspace).model)
        changed = (texts / "03.txt").read_text(encoding="utf-8")
        (texts / "03.txt").write_text("The king plays loud music on a ship.", encoding="utf-8")
        (texts / "04.txt").unlink()
        assert notes_of(workspace, encoder)[-1] == "graph"
        second = document_graph(workspace, matrices.load(workspace), task=idle())
        same(second.graph, fresh(matrices.load(workspace)))
        assert len(second.ids) == 29
        (texts / "03.txt").write_text(changed, encoding="utf-8")  # its passages and their numbers are as before
        assert notes_of(workspace, encoder)[-1] == "graph"
        same(document_graph(workspace, matrices.load(workspace), task=idle()).graph, fresh(matrices.load(workspace)))
        file.unlink()  # as if the last update had been killed before
        assert notes_of(workspace, encoder)[-1] == "graph"
        assert file.is_file()


def test_an_update_without_changes_looks_at_no_vector(
    texts: Path, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        before = contents(workspace)
        monkeypatch.setattr(VectorTable, "document_vectors", lambda _: pytest.fail("vectors were read"))
        assert "graph" not in notes_of(workspace, encoder)
        assert contents(workspace) == before


def test_an_update_reads_the_stored_graph_once(
    texts: Path, encoder: BiEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, files = knn_graph.read_arrays, []
    monkeypatch.setattr(knn_graph, "read_arrays", lambda path, kind: files.append(path) or read(path, kind))
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        (texts / "03.txt").write_text("The king plays loud music on a ship.", encoding="utf-8")
        files.clear()
        workspace.update(encoder)
        assert len(files) == 1


def test_an_earlier_model_costs_nothing(texts: Path, encoder: BiEncoder, checkpoints: dict[str, Path]) -> None:
    other = BiEncoder.open(checkpoints["distilbert"], choose("cpu", precision="float32"))
    with open_workspace(texts) as workspace:
        workspace.update(encoder)
        first = document_graph(workspace, matrices.load(workspace, encoder.fingerprint))
        workspace.update(other)
        second = document_graph(workspace, matrices.load(workspace, other.fingerprint), task=idle())
        assert "graph" not in notes_of(workspace, encoder)
        again = document_graph(workspace, matrices.load(workspace, encoder.fingerprint), task=idle())
        same(again.graph, first.graph)
        assert (first.graph.rows != second.graph.rows).any()


def test_an_empty_folder_has_an_empty_graph(tmp_path: Path, encoder: BiEncoder) -> None:
    (tmp_path / "texts").mkdir()
    with open_workspace(tmp_path / "texts") as workspace:
        workspace.update(encoder)
        made = document_graph(workspace, matrices.load(workspace), task=idle())
        assert made.graph.rows.shape == (0, 15)


def test_nothing_is_stored_where_there_is_a_file_in_the_way(workspace: Workspace) -> None:
    (workspace.folder / "graphs").write_text("not a folder")
    with pytest.raises(WorkspaceError, match="cannot be written"):
        document_graph(workspace, matrix_of(numbered(directions(0, 5))))
