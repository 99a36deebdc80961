"""The process on a machine of the cluster that reads files, splits and encodes texts; an actor of Ray."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.cluster.model_files import ModelFiles, unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder

NOT_HERE = b""  # the answer about a file that this machine does not see
_EXACT = 1000  # nanoseconds: times that differ by less are equal, since SMB counts in hundreds of them


class ClusterWorker:
    """Takes texts and bytes, gives arrays and bytes: nothing that either side would have to run."""

    def __init__(self) -> None:
        self._encoder: BiEncoder | None = None

    def load(self, files: ModelFiles, fingerprint: str, threads: int, precision: str = "auto") -> str:
        """Open the model on the best device of this machine, and in its best precision unless one was asked for.

        Returns the device's name.

        Raises:
            ModelError: What arrived is not the model that was sent.
        """
        # Before its first use: the tokenizer would take every core of the machine, which other workers have.
        os.environ["RAYON_NUM_THREADS"] = str(threads)
        self._encoder = unpack(files, fingerprint, threads, precision)
        return self._encoder.device.name

    def split(self, texts: list[str], budget: int) -> list[NDArray[np.int64]]:
        """Return where the passages of each text begin and end, (P, 2)."""
        from explorer.corpus.passages.splitter import split_all

        assert self._encoder is not None, "load comes first"  # noqa: S101
        tokenizer = self._encoder.tokenizer
        passages = split_all(texts, budget, tokenizer.spans, counts=tokenizer.count, spans_batch=tokenizer.spans_batch)
        return [np.array([(item.start, item.end) for item in items], np.int64).reshape(-1, 2) for items in passages]

    def encode(self, texts: list[str], role: str | None) -> NDArray[np.float16]:
        """Return the vectors of texts, (B, n): half precision, as a workspace stores them."""
        assert self._encoder is not None, "load comes first"  # noqa: S101
        return self._encoder.encode(texts, role=role).whole().astype(np.float16)

    def read(self, files: list[dict[str, Any]]) -> list[bytes]:
        """Read files; returns the documents of each as the reading process of this machine sent them.

        Args:
            files: Path, size, time of change, options and refused digests of each, and its content where it was sent
                along.
        """
        return [self._read(**file) for file in files]

    def _read(
        self, path: str, size: int, mtime_ns: int, options: dict[str, Any], refused: list[str], content: bytes | None
    ) -> bytes:
        from explorer.corpus.document import ReadOptions, Unreadable
        from explorer.corpus.readers.process import wire
        from explorer.corpus.readers.process.pool import ReadRequest, shared_pool
        from explorer.task import Task

        with tempfile.TemporaryDirectory(prefix="docexplorer-read-") as folder:
            source = Path(path)
            if content is not None:
                source = Path(folder) / source.name
                source.write_bytes(content)
            elif not _is_same(source, size, mtime_ns):
                return NOT_HERE
            known = {digest: Unreadable("crash", "{file}", file=source.name) for digest in refused}
            answer = io.BytesIO()
            request = ReadRequest(source, size, ReadOptions(**options), known)
            for reading in shared_pool().read_files([request]):
                try:
                    for document in reading.documents(Task()):
                        wire.send_document(answer, document)
                except (Unreadable, OSError) as error:
                    said = error if isinstance(error, Unreadable) else Unreadable("unreadable", str(error.strerror))
                    wire.send(answer, {"refused": reading.digest}) if reading.digest in known else wire.send_failure(
                        answer, said
                    )
                wire.send(answer, {"digest": reading.digest})
            return answer.getvalue()


def _is_same(path: Path, size: int, mtime_ns: int) -> bool:
    """Return whether a file is the one that is meant: machines may have other files under the same path."""
    from explorer.corpus.scan.scanner import changed_ns

    try:
        state = path.stat()
    except OSError:
        return False
    return path.is_file() and state.st_size == size and abs(changed_ns(state) - mtime_ns) < _EXACT
