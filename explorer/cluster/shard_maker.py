"""The process on a cluster that reads units, splits and encodes their texts, and writes them as Parquet shards."""

from __future__ import annotations

import json
import logging
import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.cluster.model_files import ModelFiles, unpack
from explorer.cluster.storage import open_storage
from explorer.cluster.units import Columns, Unit, read_unit
from explorer.task import Cancelled, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

log = logging.getLogger(__name__)

_BETWEEN = 1.0  # seconds between two notes of the progress, whose answer is whether the work is over
_ANSWER = 60.0  # seconds in which the tally should have answered


class ShardMaker:
    """The process on the cluster that makes shards; an actor of Ray Data."""

    def __init__(
        self,
        files: Any,
        tally: Any,
        made_by: dict[str, str],
        source: str,
        out: str,
        columns: dict[str, str],
        threads: int,
        *,
        precision: str,
        with_text: bool,
    ) -> None:
        import ray

        given: ModelFiles = ray.get(files)
        os.environ["RAYON_NUM_THREADS"] = str(threads)  # or the tokenizer takes every core of the machine
        self._tally = tally
        self._encoder = unpack(given, made_by["fingerprint"], threads, precision)
        self._made_by = made_by
        self._origin, _ = open_storage(source)
        self._target, self._folder = open_storage(out)
        self._columns, self._with_text = Columns(**columns), with_text
        self._writes = False  # whether a shard is being written

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Make the shards of some units; a unit that fails gets its error in its row."""
        answers: dict[str, list[Any]] = {"name": [], "passages": [], "error": [], "storage": []}
        for described in batch["unit"]:
            unit = Unit(**json.loads(described))
            count, error, storage = 0, "", False
            try:
                count = self._make(unit)
            except Cancelled:
                error = "cancelled"
            except Exception as problem:  # noqa: BLE001 - one bad row must not end the actor and its neighbours
                error, storage = f"{type(problem).__name__}: {problem}", self._is_of_storage(problem, unit)
            for name, value in (("name", unit.name), ("passages", count), ("error", error), ("storage", storage)):
                answers[name].append(value)
        return {
            name: np.array(values) if name in ("passages", "storage") else values for name, values in answers.items()
        }

    def _is_of_storage(self, problem: Exception, unit: Unit) -> bool:
        """Return whether a problem is the storage's; pyarrow has the same exceptions for pages that are damaged."""
        if not isinstance(problem, OSError):
            return False
        if self._writes:
            return True
        try:
            with self._origin.open_input_file(unit.path) as stream:
                stream.read(1)
        except OSError:
            return True
        return False

    def _encode(self, texts: list[str], watch: _Watch) -> NDArray[np.float16]:
        vectors = np.zeros((len(texts), self._encoder.dimension), np.float16)
        for output in self._encoder.stream(texts, role="document", task=watch.task):
            vectors[output.rows] = output.values
            watch.add(len(output.rows), len(texts))
        if not np.isfinite(vectors).all():
            raise ValueError("the model gave vectors that are not finite numbers")
        return vectors

    def _make(self, unit: Unit) -> int:
        import pyarrow
        from pyarrow import parquet

        from explorer.corpus.passages import splitter
        from explorer.workspace.update.split import budget_of

        self._writes = False
        watch = _Watch(self._tally, unit)
        budget, tokenizer = budget_of(self._encoder), self._encoder.tokenizer
        ids: list[str] = []
        spans: list[tuple[int, int, int, int]] = []
        texts: list[str] = []
        for number, (name, text) in enumerate(read_unit(self._origin, unit, self._columns), unit.row):
            watch.task.check()
            passages = splitter.split(text, budget, tokenizer.spans, spans_batch=tokenizer.spans_batch)
            for index, passage in enumerate(passages):
                ids.append(name)
                spans.append((number, index, passage.start, passage.end))
                texts.append(text[passage.start : passage.end])
        vectors = self._encode(texts, watch)
        dimension = self._encoder.dimension
        table = pyarrow.table(
            {
                "id": pyarrow.array(ids, pyarrow.string()),
                "source": pyarrow.array([unit.path] * len(ids), pyarrow.string()).dictionary_encode(),
                "row": pyarrow.array([span[0] for span in spans], pyarrow.int64()),
                "passage": pyarrow.array([span[1] for span in spans], pyarrow.int32()),
                "start": pyarrow.array([span[2] for span in spans], pyarrow.int64()),
                "end": pyarrow.array([span[3] for span in spans], pyarrow.int64()),
                **({"text": pyarrow.array(texts, pyarrow.string())} if self._with_text else {}),
                "vector": pyarrow.FixedSizeListArray.from_arrays(
                    pyarrow.array(vectors.reshape(-1), pyarrow.float16()), dimension
                ),
            }
        ).replace_schema_metadata({f"explorer.{key}": value for key, value in self._made_by.items()})
        # Under its own name only when it is whole: what an actor left behind when it died is never taken for a shard.
        part, whole = f"{self._folder}/.{unit.name}.part", f"{self._folder}/{unit.name}"
        self._writes = True
        with self._target.open_output_stream(part) as stream:
            parquet.write_table(table, stream, compression="zstd")
        self._target.move(part, whole)
        return len(ids)


class _Watch:
    """Tells the tally every second how far a unit is, and cancels its task when the work is over.

    Attributes:
        task: Of the work on the unit.
    """

    def __init__(self, tally: Any, unit: Unit) -> None:
        self._tally, self._unit = tally, unit
        self._share, self._passages, self._noted = 0.0, 0, 0.0
        self.task = Task(give_way=self._look)
        self.task.check()

    def add(self, passages: int, total: int) -> None:
        """Count passages that are encoded."""
        self._passages += passages
        self._share = self._passages / total

    def _look(self) -> None:
        import ray

        if time.monotonic() - self._noted < _BETWEEN:
            return
        self._noted = time.monotonic()
        try:
            note = self._tally.note.remote(self._unit.name, self._share, self._passages)
            if ray.get(note, timeout=_ANSWER):
                self.task.cancel()
        except ray.exceptions.RayError as error:  # its machine is gone; the work need not be
            log.info("the tally does not answer: %s", type(error).__name__)
