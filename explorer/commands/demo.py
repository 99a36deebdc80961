"""The command that shows what the program does, on the sample texts that come with it."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer import paths
from explorer.commands.models import device
from explorer.commands.terminal import Answer, clipped, table
from explorer.errors import DataError
from explorer.models import catalog, draft
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

_QUERY = "the printer stopped working after an update"
_SHOWN = 5
_SNIPPET = 70


@dataclass(frozen=True)
class _Sample:
    names: list[str]
    texts: list[str]


def demo(chosen: Namespace, task: Task) -> Answer:
    """Encode the sample, answer a query, and list the most similar pairs of documents."""
    sample = _read_sample(paths.resources() / "sample")
    encoder = BiEncoder.open(catalog.bundled(), device(chosen))
    sketch = draft.draft_of(encoder, task)
    start = time.perf_counter()
    sketch.encode(sample.texts, task=task).whole()
    sketched = time.perf_counter()
    vectors = encoder.encode(sample.texts, role="document", task=task).whole()
    encoded = time.perf_counter()
    query = chosen.query or _QUERY
    wanted = encoder.encode([query], role="query").whole()[0]
    hits, pairs = _hits(sample, vectors @ wanted), _pairs(sample, vectors)
    data = {
        "documents": len(sample.names),
        "model": catalog.BUNDLED,
        "device": encoder.device.name,
        "seconds": {"draft": sketched - start, "encode": encoded - sketched},
        "query": query,
        "hits": [dict(zip(("score", "document", "text"), hit, strict=True)) for hit in hits],
        "similar_pairs": [dict(zip(("score", "first", "second"), pair, strict=True)) for pair in pairs],
    }
    told = (
        f"{len(sample.names)} sample documents on {encoder.device.name}: sketched in {sketched - start:.2f} s, "
        f"encoded with {catalog.BUNDLED} in {encoded - sketched:.1f} s.\n\n"
        f"Nearest in meaning to “{query}”:\n{table(('score', 'document', 'begins'), hits)}\n\n"
        f"Most similar documents:\n{table(('score', 'first', 'second'), pairs)}\n\n"
        f"{catalog.BUNDLED} reads English only: the Korean documents are compared by their letters, not by meaning."
    )
    return Answer(data, told)


def _read_sample(root: Path) -> _Sample:
    files = sorted(path for path in root.rglob("*") if path.suffix in {".md", ".txt"})
    if not files:
        raise DataError(f"{root}: the sample texts are missing. Install the program again.")
    return _Sample(
        [path.relative_to(root).as_posix() for path in files],
        [path.read_text(encoding="utf-8") for path in files],
    )


def _hits(sample: _Sample, scores: NDArray[np.float32]) -> list[tuple[float, str, str]]:
    best = np.argsort(-scores, kind="stable")[:_SHOWN]
    return [(round(float(scores[row]), 4), sample.names[row], _snippet(sample.texts[row])) for row in best]


def _pairs(sample: _Sample, vectors: NDArray[np.float32]) -> list[tuple[float, str, str]]:
    first, second = np.triu_indices(len(vectors), 1)
    scores = (vectors @ vectors.T)[first, second]
    best = np.argsort(-scores, kind="stable")[: 2 * _SHOWN]
    return [
        (round(float(scores[row]), 4), sample.names[first[row]], sample.names[second[row]]) for row in best
    ]


def _snippet(text: str) -> str:
    body = text.split("\n---\n", 1)[-1] if text.startswith("---\n") else text
    return clipped(" ".join(body.replace("#", " ").split()), _SNIPPET)
