"""The clusters as a tree of rows: coarser ones, those that are shown, finer ones within them, and the leftovers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from explorer.analysis.clusters.hierarchy import Tree
    from explorer.services.overview import Clusters
    from explorer.workspace.overview.clusters import Cluster

LEFTOVERS = -1
FINER = 1  # levels within the clusters that are shown


@dataclass(frozen=True, eq=False)
class Node:
    """A row of the tree.

    Attributes:
        key: Its level (0 is what is shown, less is coarser, more is finer) and its label there.
        name: What it is called; empty if nothing tells.
        documents: (n,) the numbers of its documents.
        colour: The place of its colour in the palette; -1 for none of its own.
        cluster: What is known of it, where it is one of the clusters that are shown.
        stability: How surely it would be found again; None while it is not known.
        children: The rows within it.
    """

    key: tuple[int, int]
    name: str
    documents: NDArray[np.int64]
    colour: int = -1
    cluster: Cluster | None = None
    stability: float | None = None
    children: tuple[Node, ...] = ()

    @property
    def size(self) -> int:
        """How many documents it has."""
        return len(self.documents)

    @property
    def is_leftovers(self) -> bool:
        """Whether it holds what belongs nowhere."""
        return self.key == (0, LEFTOVERS)


def nodes(found: Clusters) -> tuple[Node, ...]:
    """The rows of the top, largest first; the leftovers, if there are any, come last."""
    build = _Builder(found)
    top = build.shown() if found.tree is None else build.top(found.tree)
    left = found.documents[found.shown.labels < 0]
    rest = (Node((0, LEFTOVERS), "", left),) if len(left) else ()
    return (*top, *rest)


class _Builder:
    """Rows made of the levels of a tree."""

    def __init__(self, found: Clusters) -> None:
        self._found = found
        self._known = {one.id: one for one in found.clusters}
        self._colours = {one.id: place for place, one in enumerate(found.clusters)}

    def shown(self) -> tuple[Node, ...]:
        """The clusters that are shown, without others above or within."""
        members = _members(self._found.shown.labels)
        return tuple(self._of(one, members.get(one.id, _NONE)) for one in self._found.clusters)

    def top(self, tree: Tree) -> tuple[Node, ...]:
        """The coarsest rows, with those below."""
        return self._within(tree, 0, np.arange(len(self._found.documents)))

    def _within(self, tree: Tree, level: int, rows: NDArray[np.int64]) -> tuple[Node, ...]:
        """The rows of a level among some documents, largest first."""
        inside = _members(tree.levels[level][rows])
        made = [self._node(tree, level, label, rows[places]) for label, places in inside.items()]
        return tuple(sorted(made, key=lambda one: (-one.size, one.key)))

    def _node(self, tree: Tree, level: int, label: int, rows: NDArray[np.int64]) -> Node:
        last = min(tree.shown + FINER, len(tree.levels) - 1)
        below = self._within(tree, level + 1, rows) if level < last else ()
        if level < tree.shown and len(below) == 1:
            return below[0]  # a coarser cluster that holds just one says nothing
        below = below[0].children if len(below) == 1 else below
        if level == tree.shown:
            return self._of(self._known.get(label), rows, below, label)
        names: Mapping[int, str] = self._found.names[level] if level < len(self._found.names) else {}
        return Node(
            (level - tree.shown, label), names.get(label, ""), self._found.documents[rows], children=below
        )

    def _of(
        self, one: Cluster | None, rows: NDArray[np.int64], below: tuple[Node, ...] = (), label: int = 0
    ) -> Node:
        number = one.id if one is not None else label
        sure = (self._found.stability or {}).get(number)
        name = one.name if one is not None else ""
        colour = self._colours.get(number, -1)
        return Node((0, number), name, self._found.documents[rows], colour, one, sure, below)


_NONE = np.zeros(0, np.int64)


def _members(labels: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
    """The places of each label but the negative ones."""
    order = np.argsort(labels, kind="stable")
    names, starts = np.unique(labels[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {int(name): part for name, part in zip(names, parts, strict=True) if name >= 0}
