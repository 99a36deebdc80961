"""The command `demo`: index and search the bundled sample texts."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from explorer import paths
from explorer.cli import options
from explorer.cli.options import device
from explorer.cli.output import Answer, clipped, table
from explorer.errors import DataError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.task import Progress, Task
from explorer.workspace.search.search import Searcher
from explorer.workspace.workspace import open_workspace

if TYPE_CHECKING:
    from explorer.workspace.storage.vectors.table import VectorTable
    from explorer.workspace.workspace import Workspace

_QUERY = "the printer stopped working after an update"
_SHOWN = 5
_SNIPPET = 70


def demo_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `demo`."""
    parser.add_argument("--query", help="what to search for")
    options.add_device(parser)


def demo(args: Namespace, task: Task) -> Answer:
    """Index the sample, answer a query, and list the most similar documents; a second time nothing is left to do."""
    root = paths.resources() / "sample"
    if not root.is_dir():
        raise DataError("{root}: the sample texts are missing. Install the program again.", root=root)
    encoder = BiEncoder.open(catalog.default(), device(args))
    sketch = static_encoder.static_encoder_of(encoder, task)
    clock = _Clock(task)
    languages = catalog.languages(catalog.DEFAULT)
    query = args.query or _QUERY
    with open_workspace(root) as workspace:
        if workspace.writable:  # or else another window is at it
            workspace.update(encoder, static_encoder=sketch, task=Task(clock.on_progress))
        searcher = Searcher(workspace, encoder, languages)
        hits = [
            (round(hit.score, 4), f"{hit.path} {hit.part}".strip(), _snippet(hit.text))
            for hit in searcher.search(query, k=_SHOWN, task=task).hits
        ]
        pairs = _pairs(workspace, searcher.matrix())
        count = workspace.counts()["documents"]
    spent = {"draft": clock.seconds["sketching"], "encode": clock.seconds["encoding"]}
    data = {
        "documents": count,
        "model": catalog.DEFAULT,
        "device": encoder.device.name,
        "seconds": spent,
        "query": query,
        "hits": [dict(zip(("score", "document", "text"), hit, strict=True)) for hit in hits],
        "similar_pairs": [dict(zip(("score", "first", "second"), pair, strict=True)) for pair in pairs],
    }
    done = (
        f"sketched in {spent['draft']:.2f} s, encoded with {catalog.DEFAULT} in {spent['encode']:.1f} s"
        if spent["encode"]
        else "already indexed, nothing has changed"
    )
    text = (
        f"{count} sample documents on {encoder.device.name}: {done}.\n\n"
        f"Best results for “{query}”, by meaning and by keyword:\n{table(('score', 'document', 'passage'), hits)}\n\n"
        f"Most similar documents:\n{table(('score', 'first', 'second'), pairs)}"
    )
    return Answer(data, text)


class _Clock:
    """Passes progress on to a task.

    Attributes:
        seconds: What each kind of work has taken.
    """

    def __init__(self, task: Task) -> None:
        self._task, self._last = task, time.perf_counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def on_progress(self, progress: Progress) -> None:
        now = time.perf_counter()
        self.seconds[progress.note] += now - self._last
        self._last = now
        self._task.report(progress.done, progress.total, progress.note)


def _pairs(workspace: Workspace, matrix: VectorTable) -> list[tuple[float, str, str]]:
    documents, vectors = matrix.document_vectors()
    first, second = np.triu_indices(len(vectors), 1)
    scores = (vectors @ vectors.T)[first, second]
    best = np.argsort(-scores, kind="stable")[: 2 * _SHOWN]

    def name(row: int) -> str:
        entry = workspace.document(int(documents[row]))
        return f"{entry.path} {entry.part}".strip()

    return [(round(float(scores[pair]), 4), name(first[pair]), name(second[pair])) for pair in best]


def _snippet(text: str) -> str:
    return clipped(" ".join(text.replace("#", " ").split()), _SNIPPET)
