"""The commands `map` and `projector`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from explorer.cli import options
from explorer.cli.context import opened
from explorer.cli.output import Answer
from explorer.task import Task
from explorer.workspace.export.map import require_format, write_map
from explorer.workspace.export.tensorboard import write_projector
from explorer.workspace.overview.documents import landscape
from explorer.workspace.overview.overview import picture, survey


def draw_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `map`."""
    options.add_folder(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="a file ending in .png, .svg, .csv or .html"
    )
    parser.add_argument("--method", choices=("tsne", "pca", "spectral", "isomap", "mds"))
    parser.add_argument(
        "--redraw", "--anew", action="store_true", help="lay out the map again, starting from the saved one"
    )
    parser.add_argument(
        "--colour",
        default="cluster",
        metavar="WHAT",
        help="colour by cluster, trust or a field (default: cluster)",
    )
    parser.add_argument("--language", choices=("en", "ko"), default="en", help="language of the labels")
    options.add_stored_model(parser)


def draw(args: Namespace, task: Task) -> Answer:
    """Write the map of a folder as a picture, a table or a web page."""
    require_format(args.out)
    with opened(args) as (workspace, matrix):
        found = survey(workspace, matrix, method=args.method, anew=args.redraw, task=task)
        drawn = picture(workspace, found)
    done = write_map(drawn, args.out, by=args.colour, language=args.language, task=task)
    data = {
        "out": str(args.out),
        "documents": done.points,
        "method": found.map.method,
        "finished": found.map.finished,
        "placed": found.map.placed,
        "trust": found.map.mean_trust,
        "remarks": list(done.remarks),
    }
    text = f"{args.out}: {done.points:,} documents; {found.map.mean_trust:.0%} of true neighbours are close on the map"
    stopped = [] if found.map.finished else ["The layout was stopped early; --redraw continues it."]
    return Answer(data, "\n".join([text, *stopped, *done.remarks]))


def projector_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `projector`."""
    options.add_folder(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write the files")
    options.add_stored_model(parser)


def projector(args: Namespace, task: Task) -> Answer:
    """Write the vectors and the documents' metadata for TensorBoard's projector."""
    with opened(args) as (workspace, matrix):
        land = landscape(workspace, matrix, task=task)
        entries = {entry.id: entry for entry in workspace.documents()}
        rows = [row for row, number in enumerate(land.documents.tolist()) if number in entries]
        told = [entries[int(land.documents[row])] for row in rows]
        columns: dict[str, list[Any]] = {
            "title": [entry.title for entry in told],
            "path": [entry.path for entry in told],
            "part": [entry.part for entry in told],
            "language": [entry.language for entry in told],
            "characters": [entry.characters for entry in told],
        }
        files = write_projector(args.out, land.vectors[rows], columns, name=workspace.root.name, task=task)
    data = {"out": str(files.folder), "documents": files.rows, "dimension": files.dimension}
    return Answer(
        data, f"{files.folder}: {files.rows:,} vectors. Open it with: tensorboard --logdir {files.folder}"
    )
