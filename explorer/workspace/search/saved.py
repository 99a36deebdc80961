"""Saved searches: which documents match that did not when the user last looked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from explorer.workspace.storage import documents
from explorer.workspace.storage.user.lists import SavedSearch, hits_seen

if TYPE_CHECKING:
    from explorer.task import Task
    from explorer.workspace.search.search import Hit, Mode, Searcher

# Every document has some likeness to a question. One that comes among the first of a search is news; the list of those
# seen is longer, so that a document which moves up a little is none.
_FIRST, _SEEN = 20, 1000


def new_hits(searcher: Searcher, saved: SavedSearch, task: Task | None = None) -> tuple[Hit, ...]:
    """Return the hits of a saved search whose texts were none when the user last looked, best first.

    Raises:
        As `Searcher.search`.
    """
    found = searcher.search(saved.query, mode=cast("Mode", saved.mode), k=_SEEN, task=task)
    ranked = bool(found.query.semantic_parts or found.query.likes)
    hits = found.hits[:_FIRST] if ranked else found.hits
    digests = documents.digests_of(searcher.workspace.connection, [hit.document for hit in hits])
    return tuple(
        hit for hit in hits if hit.document in digests and not hits_seen([digests[hit.document]]) <= saved.seen
    )


def seen_now(searcher: Searcher, saved: SavedSearch, task: Task | None = None) -> SavedSearch:
    """Return a saved search as the user has seen it now; the caller saves it.

    Raises:
        As `Searcher.search`.
    """
    found = searcher.search(saved.query, mode=cast("Mode", saved.mode), k=_SEEN, task=task)
    digests = documents.digests_of(searcher.workspace.connection, [hit.document for hit in found.hits])
    return replace(saved, seen=hits_seen(digests.values()))
