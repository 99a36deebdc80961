"""The commands `clusters` and `trends`."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

import numpy as np

from explorer.analysis.clusters import edits as clusters_edits
from explorer.analysis.clusters.cluster import Clustering, assign_leftovers
from explorer.analysis.clusters.hierarchy import Tree, hierarchy
from explorer.analysis.clusters.methods import ClusterRecipe
from explorer.analysis.clusters.quality import stability
from explorer.analysis.clusters.trends import days_of
from explorer.analysis.clusters.trends import trends as find_trends
from explorer.analysis.topics.topic_words import topics
from explorer.cli import options
from explorer.cli.options import named, opened
from explorer.cli.output import Answer, clipped, table
from explorer.errors import ExplorerError
from explorer.task import Task
from explorer.workspace.overview import clusters as overview_clusters
from explorer.workspace.overview.clusters import Cluster, cluster_documents, describe_clusters, save_cluster_labels
from explorer.workspace.overview.documents import EncodedDocuments, encoded_documents, term_counts
from explorer.workspace.search.search import find_document
from explorer.workspace.workspace import Workspace

_CELL = 60
_LAST_SECOND = 10**11  # beyond the years that trends takes


def clusters_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `clusters`."""
    options.add_folder(parser)
    parser.add_argument(
        "--granularity", type=float, metavar="G", help="from 0, a handful of clusters, to 1, hundreds (default: 0.5)"
    )
    parser.add_argument("--method", choices=("leiden", "kmeans", "hdbscan", "agglomerative"))
    parser.add_argument("--count", type=int, metavar="N", help="number of clusters, instead of a granularity")
    parser.add_argument("--members", action="store_true", help="list the documents of each cluster (with --json)")
    parser.add_argument("--stability", action="store_true", help="estimate how stable each cluster is")
    parser.add_argument("--tree", action="store_true", help="show clusters within clusters")
    parser.add_argument(
        "--rename", nargs=2, action=_Numbered, default=[], metavar=("ID", "NAME"), help="name a cluster"
    )
    parser.add_argument("--merge", type=int, nargs="+", metavar="ID", help="merge clusters")
    parser.add_argument("--split", type=int, metavar="ID", help="split a cluster")
    parser.add_argument("--parts", type=int, default=2, metavar="N", help="number of parts for --split (default: 2)")
    parser.add_argument(
        "--move",
        nargs=2,
        action=_Numbered,
        default=[],
        metavar=("ID", "DOCUMENT"),
        help="move a document to a cluster; -1 removes it from all",
    )
    parser.add_argument(
        "--assign-leftovers", action="store_true", help="assign unclustered documents to the nearest cluster"
    )
    parser.add_argument("--undo", action="store_true", help="undo the last change")
    options.add_stored_model(parser)


def clusters(args: Namespace, task: Task) -> Answer:
    """List the clusters of a folder, after the requested changes."""
    with opened(args) as (workspace, matrix):
        encoded = encoded_documents(workspace, matrix, task=task)
        recipe = _recipe(args)
        clustering = cluster_documents(workspace, encoded, recipe, task=task)
        if _change(args, workspace, encoded, clustering, task):
            clustering = cluster_documents(workspace, encoded, recipe, task=task)
        counts = term_counts(workspace, encoded, task=task)
        described = describe_clusters(encoded, clustering, counts)
        save_cluster_labels(workspace, encoded.documents, clustering, described)
        stabilities = (
            stability(encoded.graph, encoded.vectors, encoded.digests, clustering, task=task) if args.stability else {}
        )
        tree = hierarchy(encoded.graph, encoded.vectors, encoded.digests, clustering, task=task) if args.tree else None
        data = {
            "documents": len(encoded),
            "leftovers": int((clustering.labels < 0).sum()),
            "leftover_share": clustering.leftover_share,
            "recipe": asdict(clustering.recipe),
            "clusters": [
                _cluster(workspace, encoded, clustering, cluster, stabilities, members=args.members)
                for cluster in described
            ],
            "tree": None if tree is None else _tree(tree, described, counts),
        }
        if args.members:
            data["leftover_members"] = _members(workspace, encoded, clustering, -1)
    return Answer(data, _text(data, tree))


def trends_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `trends`."""
    options.add_folder(parser)
    parser.add_argument(
        "--field", default="date", metavar="NAME", help="the metadata field with the date (default: date)"
    )
    parser.add_argument("--unit", choices=("day", "week", "month", "quarter", "year"))
    options.add_stored_model(parser)


def trends(args: Namespace, task: Task) -> Answer:
    """Show how clusters grow and shrink over time."""
    with opened(args) as (workspace, matrix):
        encoded = encoded_documents(workspace, matrix, task=task)
        clustering = cluster_documents(workspace, encoded, task=task)
        names = {
            cluster.id: cluster.name
            for cluster in describe_clusters(encoded, clustering, term_counts(workspace, encoded, task=task))
        }
        dates = {entry.id: entry.metadata.get(args.field) for entry in workspace.documents()}
    days = days_of(_date(dates.get(document_id)) for document_id in encoded.documents.tolist())
    result = find_trends(days, clustering.labels, unit=args.unit)
    rows = [
        {
            "cluster": trend.label,
            "name": names.get(trend.label, ""),
            "direction": trend.direction,
            "slope": float(trend.slope),
            "p": float(trend.p),
            "counts": [int(value) for value in trend.counts],
            "shares": [float(value) for value in trend.shares],
        }
        for trend in result.clusters
        if trend.label >= 0
    ]
    starts = [str(day) for day in result.starts]
    data = {
        "unit": result.unit,
        "starts": starts,
        "totals": [int(value) for value in result.totals],
        "undated": int(result.undated),
        "implausible": int(result.implausible),
        "outside": int(result.outside),
        "clusters": rows,
    }
    if not starts:
        return Answer(data, f"No document has a date in “{args.field}”. Choose another field with --field.")
    span = f"{starts[0]} to {starts[-1]} by {result.unit}; {int(result.undated):,} documents have no date"
    lines = [
        (clipped(names.get(trend.label, ""), _CELL), trend.direction, result.step(trend), float(trend.p))
        for trend in result.clusters
        if trend.label >= 0
    ]
    return Answer(data, f"{span}\n" + table(("cluster", "direction", f"share per {result.unit}", "p"), lines))


def _recipe(args: Namespace) -> ClusterRecipe | None:
    """Return the requested recipe; None to keep the current one."""
    if args.method is None and args.granularity is None and args.count is None:
        return None
    granularity = 0.5 if args.granularity is None else args.granularity
    if not 0 <= granularity <= 1:
        raise ExplorerError(
            "--granularity {granularity}: choose from 0, a handful, to 1, hundreds of clusters.",
            granularity=granularity,
        )
    if args.count is not None and args.count < 1:
        raise ExplorerError("--count {count}: choose at least 1.", count=args.count)
    return ClusterRecipe(args.method or "leiden", granularity, args.count)


def _change(
    args: Namespace, workspace: Workspace, encoded: EncodedDocuments, clustering: Clustering, task: Task
) -> bool:
    """Make the requested changes as one undoable edit; return whether there were any."""
    edits = _edits(args, workspace, encoded, clustering, task)
    if args.undo and (edits or not overview_clusters.edits(workspace)):
        raise ExplorerError(
            "--undo cannot be combined with other changes." if edits else "There are no changes to undo."
        )
    if args.undo:
        overview_clusters.undo_edit(workspace)
    if edits:
        overview_clusters.add_edit(workspace, *edits)
    return args.undo or bool(edits)


def _edits(
    args: Namespace, workspace: Workspace, encoded: EncodedDocuments, clustering: Clustering, task: Task
) -> list[clusters_edits.Edit]:
    _require_known(args, clustering)
    edits: list[clusters_edits.Edit] = [
        clusters_edits.rename(clustering, encoded.keys, cluster_id, name) for cluster_id, name in args.rename
    ]
    if args.merge:
        edits.append(clusters_edits.merge(clustering, encoded.keys, args.merge))
    if args.split is not None:
        edits.append(
            clusters_edits.split(
                clustering,
                encoded.graph,
                encoded.vectors,
                encoded.keys,
                args.split,
                parts=args.parts,
                next_id=overview_clusters.next_id(workspace),
                task=task,
            )
        )
    for cluster_id, name in args.move:
        row = encoded.rows.get(find_document(workspace, name).id)
        if row is None:
            raise ExplorerError("“{name}” is not encoded yet. Index the folder first.", name=name)
        edits.append(clusters_edits.move(clustering, encoded.keys, [row], cluster_id))
    return [*edits, *(_assigned(encoded, clustering) if args.assign_leftovers else [])]


def _require_known(args: Namespace, clustering: Clustering) -> None:
    asked = [*(args.merge or []), *([] if args.split is None else [args.split])]
    asked += [cluster_id for cluster_id, _ in args.rename] + [
        cluster_id for cluster_id, _ in args.move if cluster_id != -1
    ]
    for cluster_id in asked:
        if cluster_id not in clustering.ids:
            raise ExplorerError(
                "There is no cluster {number}. “docexplorer clusters FOLDER” lists them.", number=cluster_id
            )
    if args.merge and len(set(args.merge)) < 2:
        raise ExplorerError("--merge {merge}: name at least two clusters.", merge=args.merge[0])
    if not 2 <= args.parts <= 50:
        raise ExplorerError("--parts {parts}: choose from 2 to 50.", parts=args.parts)


def _assigned(encoded: EncodedDocuments, clustering: Clustering) -> list[clusters_edits.Edit]:
    assigned = assign_leftovers(clustering, encoded.vectors)
    moved = np.flatnonzero(assigned.labels != clustering.labels)
    return [
        clusters_edits.move(clustering, encoded.keys, moved[assigned.labels[moved] == cluster].tolist(), int(cluster))
        for cluster in np.unique(assigned.labels[moved])
    ]


def _cluster(
    workspace: Workspace,
    encoded: EncodedDocuments,
    clustering: Clustering,
    cluster: Cluster,
    stabilities: dict[int, float],
    *,
    members: bool,
) -> dict[str, Any]:
    data = {
        "id": cluster.id,
        "name": cluster.name,
        "named": cluster.named,
        "size": cluster.size,
        "cohesion": cluster.cohesion,
        "stability": stabilities.get(cluster.id),
        "words": [{"text": word.text, "weight": word.weight} for word in cluster.words],
        "central": [named(workspace.document(document)) for document in cluster.central],
    }
    if members:
        data["members"] = _members(workspace, encoded, clustering, cluster.id)
    return data


def _members(
    workspace: Workspace, encoded: EncodedDocuments, clustering: Clustering, cluster: int
) -> list[dict[str, object]]:
    rows = np.flatnonzero(clustering.labels == cluster)
    return [named(workspace.document(int(encoded.documents[row]))) for row in rows]


def _tree(tree: Tree, described: tuple[Cluster, ...], counts: Any) -> list[dict[str, Any]]:
    """Return the coarsest clusters with the finer ones inside them."""
    names = [{topic.label: topic.name for topic in topics(counts, level.tolist())} for level in tree.levels]
    names[tree.shown] = {cluster.id: cluster.name for cluster in described}

    def children(level: int, label: int) -> list[int]:
        return [int(child) for child in tree.children(level, label) if child >= 0]

    def inside(level: int, label: int) -> list[dict[str, Any]]:
        below = children(level, label)
        if len(below) == 1:  # it is not divided yet
            return inside(level + 1, below[0])
        return [node(level + 1, child) for child in below]

    def node(level: int, label: int) -> dict[str, Any]:
        while level < tree.shown and len(below := children(level, label)) == 1:
            level, label = level + 1, below[0]
        return {
            "name": names[level].get(label, ""),
            "id": label if level == tree.shown else None,
            "size": int((tree.levels[level] == label).sum()),
            "clusters": inside(level, label),
        }

    return [node(0, int(label)) for label in np.unique(tree.levels[0]) if label >= 0]


def _text(data: dict[str, Any], tree: Tree | None) -> str:
    rated = any(row["stability"] is not None for row in data["clusters"])
    columns = ["id", "size", "cohesion", *(["stability"] if rated else [])]
    rows = [(*(row[column] for column in columns), clipped(row["name"], _CELL)) for row in data["clusters"]]
    none, share = data["leftovers"], data["leftover_share"]
    summary = f"{none:,} of {data['documents']:,} documents ({share:.1%}) are not in any cluster"
    lines = [table((*columns, "name"), rows), summary]
    if tree is not None:
        lines += ["", *_branches(data["tree"], 0)]
    return "\n".join(lines)


def _branches(nodes: list[dict[str, Any]], depth: int) -> list[str]:
    lines = []
    for node in nodes:
        lines.append(f"{'    ' * depth}{clipped(node['name'], _CELL)}  {node['size']:,}")
        lines += _branches(node["clusters"], depth + 1)
    return lines


def _date(value: object) -> str | date | None:
    """Return a date as written, or seconds since 1970 such as those of “modified”."""
    if isinstance(value, int) and not isinstance(value, bool):
        return date(1970, 1, 1) + timedelta(seconds=value) if 0 <= value < _LAST_SECOND else None
    return value if isinstance(value, str) else None


class _Numbered(Action):
    """Collects pairs of a number and a text."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: object, option_string: str | None = None
    ) -> None:
        cluster_id, text = values if isinstance(values, list) else (values, "")
        try:
            pair = int(str(cluster_id)), str(text)
        except ValueError:
            parser.error(f"{option_string} {cluster_id}: expected the id of a cluster")
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), pair])
