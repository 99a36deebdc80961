"""The words of all documents for topics and key words: read once a text, kept beside the vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.analysis.text.phrases import VERSION, DocumentTerms, read_words
from explorer.analysis.text.tokenize import version
from explorer.analysis.topics.term_counts import TermCounts, count_terms
from explorer.task import Task
from explorer.workspace.storage import documents
from explorer.workspace.storage.array_cache import read_arrays, write_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.workspace.overview.documents import EncodedDocuments
    from explorer.workspace.workspace import Workspace

_DIGEST = 16  # bytes


def term_counts(workspace: Workspace, encoded: EncodedDocuments, *, task: Task | None = None) -> TermCounts:
    """How often each document has each word and phrase; only texts not seen before are read.

    Raises:
        Cancelled: The task was cancelled.
        WorkspaceError: The disk is full.
    """
    task = task or Task()
    path, kind = workspace.folder / "words.arrays", f"words {VERSION}, {version()}"
    known, words = _stored(read_arrays(path, kind))
    wanted = list(dict.fromkeys(encoded.digests))
    fresh = [digest for digest in wanted if digest not in known]
    if fresh or len(known) > 2 * len(wanted):
        texts = _Texts(workspace, dict(zip(encoded.digests, encoded.documents.tolist(), strict=True)), fresh)
        kept = [digest for digest in wanted if digest in known]
        words = words.subset([known[digest] for digest in kept]).concatenate(read_words(texts, task))
        known = {digest: row for row, digest in enumerate([*kept, *fresh])}
        if workspace.writable:
            write_arrays(path, kind, _arrays(list(known), words))
    return count_terms(words.subset([known[digest] for digest in encoded.digests]), task)


class _Texts(Sequence[str]):
    """Texts of documents, read from the database as they are iterated over."""

    def __init__(self, workspace: Workspace, ids: Mapping[bytes, int], digests: Sequence[bytes]) -> None:
        self._db, self._ids = workspace.connection, [ids[digest] for digest in digests]

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, row: int) -> str:  # type: ignore[override]
        return next(documents.texts(self._db, [self._ids[row]]))

    def __iter__(self) -> Iterator[str]:
        return documents.texts(self._db, self._ids)


def _arrays(digests: Sequence[bytes], words: DocumentTerms) -> dict[str, NDArray[np.generic]]:
    forms = "\n".join(words.forms).encode("utf-8", "surrogatepass")
    return {
        "digests": np.frombuffer(b"".join(digests), np.uint8),
        "forms": np.frombuffer(forms, np.uint8),
        "tokens": words.tokens,
        "ends": words.ends,
    }


def _stored(arrays: dict[str, NDArray[np.generic]] | None) -> tuple[dict[bytes, int], DocumentTerms]:
    """The row of each digest, and the words; nothing where the arrays do not fit together."""
    nothing = dict[bytes, int](), DocumentTerms((), np.zeros(0, np.int32), np.zeros(0, np.int64))
    if arrays is None or set(arrays) != {"digests", "forms", "tokens", "ends"}:
        return nothing
    digests = arrays["digests"].tobytes()
    forms = tuple(arrays["forms"].tobytes().decode("utf-8", "surrogatepass").split("\n"))
    tokens, ends = arrays["tokens"].astype(np.int32), arrays["ends"].astype(np.int64)
    fits = len(digests) == _DIGEST * len(ends) and (not len(ends) or ends[-1] == len(tokens))
    if not fits or tokens.max(initial=-1) >= len(forms) or (np.diff(ends, prepend=0) < 0).any():
        return nothing
    rows = {digests[row * _DIGEST : (row + 1) * _DIGEST]: row for row in range(len(ends))}
    return rows, DocumentTerms(forms, tokens, ends)
