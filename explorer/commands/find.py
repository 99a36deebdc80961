"""The commands that find: search, neighbours, duplicates."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from explorer.commands.models import device
from explorer.commands.terminal import Answer, clipped, table
from explorer.models import catalog
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.task import Task
from explorer.workspace import alike
from explorer.workspace.finding import Finder
from explorer.workspace.workspace import Workspace, open_workspace

_CELL = 70


def search(chosen: Namespace, task: Task) -> Answer:
    """The best documents for a query."""
    with _finder(chosen) as finder:
        reranker = CrossEncoder.open(catalog.find(chosen.rerank), device(chosen)) if chosen.rerank else None
        found = finder.search(
            chosen.query, mode=chosen.mode, k=chosen.k, reranker=reranker, seconds=chosen.seconds, task=task
        )
    hits = [_hit(asdict(hit)) for hit in found.hits]
    rows = [
        (hit["rank"], hit["score"], hit["document"], clipped(" ".join(hit["text"].split()), _CELL))
        for hit in hits
    ]
    text = table(("rank", "score", "document", "passage"), rows) if rows else "Nothing was found."
    return Answer(
        {"query": found.query.text(), "exact": found.exact, "reranked": found.reranked, "hits": hits}, text
    )


def neighbours(chosen: Namespace, task: Task) -> Answer:
    """The documents nearest to a document, several, or a pasted text."""
    with _finder(chosen) as finder:
        like = [finder.find_document(name).id for name in chosen.like]
        unlike = [finder.find_document(name).id for name in chosen.unlike]
        vector = finder.encoder.encode([chosen.text], role="document").whole()[0] if chosen.text else None
        found = alike.neighbours(
            finder.matrix(), like, unlike, vector=vector, k=chosen.k, metric=chosen.metric, task=task
        )
        data = [
            {
                "rank": rank,
                "document": entry.path,
                "part": entry.part,
                "title": entry.title,
                "score": one.score,
            }
            for rank, one in enumerate(found, 1)
            for entry in [finder.workspace.document(one.document)]
        ]
    rows = [(row["rank"], row["score"], row["document"], clipped(str(row["title"]), _CELL)) for row in data]
    return Answer(data, table(("rank", "score", "document", "title"), rows))


def duplicates(chosen: Namespace, task: Task) -> Answer:
    """Texts that stand in the folder more than once, whole or in passages."""
    with _finder(chosen) as finder:
        groups = alike.duplicates(finder.workspace, finder.matrix(), chosen.threshold, task=task)
        data = [_group(finder.workspace, group) for group in groups]
    lines = []
    for group in data:
        lines.append(f"{group['kind']}  {group['score']:.4f}")
        lines += [f"    {place['document']} {place['part']}".rstrip() for place in group["places"]]
    return Answer(data, "\n".join(lines) or "Nothing stands here twice.")


@contextmanager
def _finder(chosen: Namespace) -> Iterator[Finder]:
    with open_workspace(chosen.folder, writable=False) as workspace:
        encoder = BiEncoder.open(catalog.find(chosen.model), device(chosen))
        languages = next((entry.languages for entry in catalog.entries() if entry.name == chosen.model), ())
        yield Finder(workspace, encoder, languages)


def _hit(hit: dict[str, Any]) -> dict[str, Any]:
    hit["id"], hit["document"] = hit.pop("document"), hit.pop("path")
    return hit


def _group(workspace: Workspace, group: alike.Duplicates) -> dict[str, Any]:
    places = []
    for place in group.places:
        entry = workspace.document(place.document)
        places.append({"document": entry.path, "part": entry.part, "start": place.start, "end": place.end})
    return {"kind": group.kind, "score": group.score, "places": places}
