"""The commands `doctor`, `restore` and `vectors`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from explorer.cli import options
from explorer.cli.options import device
from explorer.cli.output import Answer, table
from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.services.open_workspace import NAME
from explorer.task import Task
from explorer.workspace.doctor import examine
from explorer.workspace.storage import location
from explorer.workspace.storage.connection import root_of
from explorer.workspace.storage.user import backups
from explorer.workspace.storage.vectors.imported import Imported, import_vectors
from explorer.workspace.storage.vectors.table import vector_counts
from explorer.workspace.update.encode import model_of_shards
from explorer.workspace.workspace import Workspace, open_workspace

_LISTED = 20


def doctor_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `doctor`."""
    options.add_folder(parser)
    parser.add_argument(
        "--repair", action="store_true", help="repair what can be repaired; otherwise only report problems"
    )


def doctor(args: Namespace, task: Task) -> Answer:
    """Check a workspace, and repair it with --repair."""
    results = examine(args.folder, repair=args.repair, task=task)
    wrong = sum(item.state == "problem" for item in results)
    repaired = sum(item.state == "repaired" for item in results)
    lines = [f"{item.state:8}  {item.check}: {item.message}" for item in results]
    if wrong:
        lines.append(f"{wrong:,} {'problem' if wrong == 1 else 'problems'} left.")
    elif repaired:
        lines.append("All problems were repaired. Bring the workspace up to date: docexplorer index FOLDER")
    else:
        lines.append("No problems found.")
    return Answer([asdict(item) for item in results], "\n".join(lines), failed=wrong > 0)


def restore_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `restore`."""
    options.add_folder(parser)
    parser.add_argument("--list", action="store_true", help="list the backups, newest first, and change nothing")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="BACKUP",
        help="the backup: its number or name in the list, or a file (default: the newest)",
    )


def restore(args: Namespace, task: Task) -> Answer:  # noqa: ARG001 - as every command
    """Bring back the user's words about a folder from a backup, or list the backups."""
    workspace = location.workspace_of(args.folder)
    root = root_of(workspace) if workspace == args.folder else args.folder.absolute()
    copies = backups.list_backups(root)
    rows = [
        {"name": copy.path.name, "made": copy.made.isoformat(timespec="seconds"), "counts": copy.counts}
        for copy in copies
    ]
    if args.list:
        shown = [
            (number, row["name"], row["made"], ", ".join(f"{count:,} {name}" for name, count in copy.counts.items()))
            for number, (row, copy) in enumerate(zip(rows, copies, strict=True), 1)
        ]
        return Answer(rows, table(("", "backup", "made", "holds"), shown) if shown else "There are no backups yet.")
    chosen = next(
        (copy.path for number, copy in enumerate(copies, 1) if args.source in (None, str(number), copy.path.name)),
        Path(args.source) if args.source and Path(args.source).is_file() else None,
    )
    if chosen is None:
        raise DataError(
            "{folder}: there is no such backup. List them with: docexplorer restore FOLDER --list", folder=args.folder
        )
    backups.restore(workspace, root, chosen)
    text = f"Restored {chosen.name}. Bring the workspace up to date: docexplorer index {args.folder}"
    return Answer({"restored": chosen.name, "workspace": str(workspace)}, text)


def vectors_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `vectors`."""
    options.add_folder(parser)
    parser.add_argument(
        "--import",
        dest="source",
        type=Path,
        metavar="FILE",
        help="your own vectors, one per document: .npy with --ids, or .parquet",
    )
    parser.add_argument(
        "--from",
        dest="shards",
        type=Path,
        metavar="SHARDS",
        help="a folder of shards that “docexplorer encode --cluster” wrote; their texts are not encoded again",
    )
    parser.add_argument(
        "--ids",
        type=Path,
        metavar="FILE",
        help="the documents of the vectors: one path per line (with a tab and the part), or .csv, .jsonl, .parquet",
    )
    parser.add_argument("--column", default="", metavar="NAME", help="the column that names the documents")
    parser.add_argument("--vector-column", default="", metavar="NAME", help="the Parquet column that holds the vectors")
    parser.add_argument(
        "--name", default="", help="their name; vectors of the same name are replaced (default: the file's name)"
    )
    parser.add_argument("--model", help="with --from: the model (default: the one that made the shards)")
    options.add_device(parser)


def vectors(args: Namespace, task: Task) -> Answer:
    """Import the user's own vectors, or list the models that have vectors."""
    if args.shards is not None:
        return _take_in(args, task)
    if args.source is None:
        if args.ids is not None:
            raise DataError("{ids}: ids need vectors. Give their file with --import FILE.", ids=args.ids)
        with open_workspace(args.folder, writable=False) as workspace:
            return _listed(workspace)
    with open_workspace(args.folder) as workspace:
        result = import_vectors(
            workspace,
            args.source,
            args.ids,
            column=args.column,
            vector_column=args.vector_column,
            name=args.name,
            task=task,
        )
    data = {
        "name": result.model.name,
        "fingerprint": result.model.fingerprint,
        "dimension": result.model.dimension,
        "documents": result.documents,
        "without": result.without,
        "shared": result.shared,
        "unknown": list(result.unknown),
    }
    return Answer(data, _summary(result))


def _take_in(args: Namespace, task: Task) -> Answer:
    """Take in the vectors of shards, and bring the workspace up to date with them."""
    name = args.model or model_of_shards(args.shards) or catalog.DEFAULT
    encoder = BiEncoder.open(catalog.find(name), device(args))
    with open_workspace(args.folder) as workspace:
        taken = workspace.import_shards(args.shards, encoder, task)
        done = workspace.update(encoder, task=task)
        workspace.set_setting(NAME, str(Path(name).absolute()) if Path(name).is_dir() else name)
        data = {**asdict(taken), "documents": workspace.counts()["documents"], "encoded": done.encoded}
    return Answer(
        data,
        f"{taken.vectors:,} vectors of {taken.shards:,} shards taken in, {taken.checked:,} of them compared with the "
        f"model's own; {data['documents']:,} documents, {done.encoded:,} passages still had to be encoded.",
    )


def _summary(result: Imported) -> str:
    lines = [
        f"{result.documents:,} documents now have a vector of {result.model.dimension:,} dimensions "
        f"in “{result.model.name}” ({result.model.fingerprint})."
    ]
    if result.without:
        lines.append(f"{result.without:,} documents have no vector.")
    if result.shared:
        lines.append(f"{result.shared:,} passages occur in several documents and keep the vector of the first.")
    if result.unknown:
        lines.append(
            f"{len(result.unknown):,} ids do not match a document, or lack the part of a file that has several:"
        )
        lines += [f"    {name}" for name in result.unknown[:_LISTED]]
        if len(result.unknown) > _LISTED:
            lines.append(f"    … and {len(result.unknown) - _LISTED:,} more; --json lists all")
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
    return Answer(data, table(head, [tuple(row.values()) for row in data]) if data else "No vectors yet.")
