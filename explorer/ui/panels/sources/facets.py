"""What documents can be filtered by: tags, folders, languages and fields with few values, each with its documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.ui.state.document_set import DocumentSet

if TYPE_CHECKING:
    from explorer.workspace.overview.labels import DocumentLabels
    from explorer.workspace.storage.documents import Listing

MAX_VALUES = 40  # a field with more is not a facet
MAX_FIELDS = 4
_KEPT = 200  # folders and tags that are offered


@dataclass(frozen=True)
class Facet:
    """One property of documents.

    Attributes:
        kind: "category", "tag", "folder", "language", or the name of a field after "field:".
        values: The documents of each value, the commonest values first; folders by name.
    """

    kind: str
    values: tuple[tuple[str, DocumentSet], ...]


def facets_of(
    listing: Listing, tags: Mapping[int, frozenset[str]], labels: DocumentLabels | None = None
) -> tuple[Facet, ...]:
    """Return the facets of some documents; those with a single value are left out, except tags and categories.

    Args:
        listing: The documents.
        tags: The tags of those that have any.
        labels: The user's category of each; None if there are no categories.
    """
    sorted_in = [
        (name, DocumentSet(labels.documents[labels.codes == code]))
        for code, name in enumerate(labels.names if labels is not None else ())
        if labels is not None
    ]
    tagged = [(tag, document) for document, names in tags.items() for tag in names if document in listing.rows]
    folders = (path.partition("/")[0] if "/" in path else "" for path in listing.paths)
    made = [
        Facet("category", tuple((name, documents) for name, documents in sorted_in if documents)),
        Facet("tag", _grouped(tagged, _KEPT)),
        Facet("folder", tuple(sorted(_grouped(zip(folders, listing.ids.tolist(), strict=True), _KEPT)))),
        Facet("language", _grouped(zip(listing.languages, listing.ids.tolist(), strict=True), MAX_VALUES)),
    ]
    fields = 0
    for name, values in listing.fields.items():
        if fields < MAX_FIELDS and name != "date" and (groups := _few(values, listing.ids.tolist())):
            made.append(Facet(f"field:{name}", groups))
            fields += 1
    return tuple(facet for facet in made if len(facet.values) > (facet.kind not in ("tag", "category")))


def _few(values: Iterable[Any], ids: list[int]) -> tuple[tuple[str, DocumentSet], ...]:
    """Return the groups of a field, or none if it has too many values to choose from, or too long ones."""
    texts = ["" if value is None else str(value) for value in values]
    distinct = set(texts) - {""}
    if not 1 < len(distinct) <= MAX_VALUES or max(map(len, distinct)) > MAX_VALUES:
        return ()
    return _grouped(zip(texts, ids, strict=True), MAX_VALUES)


def _grouped(pairs: Iterable[tuple[str, int]], most: int) -> tuple[tuple[str, DocumentSet], ...]:
    groups: dict[str, list[int]] = {}
    for value, document in pairs:
        if value:
            groups.setdefault(value, []).append(document)
    largest = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))[:most]
    return tuple((value, DocumentSet(np.array(documents, np.int64))) for value, documents in largest)
