"""The commands that look after a workspace: doctor, vectors."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from explorer.cli import options
from explorer.cli.output import Answer, table
from explorer.errors import DataError
from explorer.task import Task
from explorer.workspace.repair.doctor import examine
from explorer.workspace.storage.imported_vectors import Imported, import_vectors
from explorer.workspace.storage.vector_table import vector_counts
from explorer.workspace.workspace import Workspace, open_workspace

_LISTED = 20


def doctor_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `doctor`."""
    options.add_folder(parser)
    parser.add_argument(
        "--repair", action="store_true", help="mend what can be mended; without it, only tell what is wrong"
    )


def doctor(args: Namespace, task: Task) -> Answer:
    """Check a workspace, and mend it if asked."""
    found = examine(args.folder, repair=args.repair, task=task)
    wrong = sum(finding.state == "problem" for finding in found)
    mended = sum(finding.state == "repaired" for finding in found)
    lines = [f"{finding.state:8}  {finding.check}: {finding.message}" for finding in found]
    if wrong:
        lines.append(f"{wrong:,} problems are left.")
    elif mended:
        lines.append("All that was wrong is repaired. Bring it up to date: docexplorer index FOLDER")
    else:
        lines.append("Nothing is wrong with this workspace.")
    return Answer([asdict(finding) for finding in found], "\n".join(lines), failed=wrong > 0)


def vectors_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `vectors`."""
    options.add_folder(parser)
    parser.add_argument(
        "--import", dest="source", type=Path, metavar="FILE",
        help="vectors of your own, one a document: .npy with --ids, or .parquet",
    )  # fmt: skip
    parser.add_argument(
        "--ids", type=Path, metavar="FILE",
        help="whose vectors these are: a path a line (and a tab and the part), or .csv, .jsonl, .parquet",
    )  # fmt: skip
    parser.add_argument("--column", default="", metavar="NAME", help="the column that names the documents")
    parser.add_argument(
        "--vector-column", default="", metavar="NAME", help="the Parquet column that holds the vectors"
    )
    parser.add_argument(
        "--name",
        default="",
        help="what to call them; those of the same name are replaced (default: the file)",
    )


def vectors(args: Namespace, task: Task) -> Answer:
    """Take in vectors of the user's own, or list the models that have vectors."""
    if args.source is None:
        if args.ids is not None:
            raise DataError(f"{args.ids}: these ids need vectors. Name their file with --import FILE.")
        with open_workspace(args.folder, writable=False) as workspace:
            return _listed(workspace)
    with open_workspace(args.folder) as workspace:
        found = import_vectors(
            workspace,
            args.source,
            args.ids,
            column=args.column,
            vector_column=args.vector_column,
            name=args.name,
            task=task,
        )
    data = {
        "name": found.model.name,
        "fingerprint": found.model.fingerprint,
        "dimension": found.model.dimension,
        "documents": found.documents,
        "without": found.without,
        "shared": found.shared,
        "unknown": list(found.unknown),
    }
    return Answer(data, _told(found))


def _told(found: Imported) -> str:
    lines = [
        f"{found.documents:,} documents have a vector of {found.model.dimension:,} numbers as “{found.model.name}” "
        f"({found.model.fingerprint})."
    ]
    if found.without:
        lines.append(f"{found.without:,} documents have none.")
    if found.shared:
        lines.append(
            f"{found.shared:,} passages stand in several documents; they keep the vector of the first."
        )
    if found.unknown:
        lines.append(
            f"{len(found.unknown):,} ids name no document, or one of a file's several parts without it:"
        )
        lines += [f"    {name}" for name in found.unknown[:_LISTED]]
        if len(found.unknown) > _LISTED:
            lines.append(f"    … and {len(found.unknown) - _LISTED:,} more; --json lists all")
    return "\n".join(lines)


def _listed(workspace: Workspace) -> Answer:
    counts = vector_counts(workspace.connection)
    data = [
        {
            "name": model.name,
            "kind": model.kind,
            "dimension": model.dimension,
            "vectors": counts.get(model.id, 0),
            "fingerprint": model.fingerprint,
        }
        for model in workspace.models()
    ]
    head = ("name", "kind", "dimension", "vectors", "fingerprint")
    return Answer(
        data, table(head, [tuple(row.values()) for row in data]) if data else "Nothing is encoded yet."
    )
