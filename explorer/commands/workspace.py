"""The commands that make and look at a workspace: index, documents, problems, export, doctor."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from explorer.commands.models import device
from explorer.commands.terminal import Answer, clipped, table
from explorer.corpus.document import ReadOptions
from explorer.models import catalog, draft
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Task
from explorer.workspace.export import write_rows
from explorer.workspace.workspace import Entry, Workspace, open_workspace

_SHOWN = 200
_CELL = 60


def index(chosen: Namespace, task: Task) -> Answer:
    """Bring a folder's workspace up to date."""
    options = ReadOptions(text_column=chosen.text_column, repair=not chosen.no_repair)
    with open_workspace(chosen.folder, inside=chosen.inside) as workspace:
        encoder = BiEncoder.open(catalog.find(chosen.model), device(chosen))
        done = workspace.update(
            encoder, draft=draft.draft_of(encoder, task), options=options, retry=chosen.retry, task=task
        )
        counts = workspace.counts()
        data = {
            "workspace": str(workspace.folder),
            "folder": str(workspace.root),
            **counts,
            "update": vars(done),
        }
    text = (
        f"{counts['documents']:,} documents in {counts['passages']:,} passages from {counts['files']:,} files; "
        f"{done.read:,} files read, {done.same:,} unchanged, {done.removed:,} gone, {done.encoded:,} passages encoded."
    )
    if counts["problems"]:
        text += f"\n{counts['problems']:,} files have problems: docexplorer problems {chosen.folder}"
    return Answer(data, text)


def documents(chosen: Namespace, task: Task) -> Answer:
    """List the documents."""
    with open_workspace(chosen.folder, writable=False) as workspace:
        rows = [document_row(workspace, entry) for entry in _checked(workspace.documents(), task)]
    shown = [
        (row["document"], row["part"], clipped(row["title"], _CELL), row["characters"], row["language"])
        for row in rows[:_SHOWN]
    ]
    text = table(("document", "part", "title", "characters", "language"), shown)
    return Answer(
        rows, text + (f"\n… and {len(rows) - _SHOWN:,} more; --json lists all" if len(rows) > _SHOWN else "")
    )


def problems(chosen: Namespace, _task: Task) -> Answer:
    """List the files that could not be read, with the reason."""
    with open_workspace(chosen.folder, writable=False) as workspace:
        found = workspace.problems()
    data = [{"path": problem.path, "reason": problem.reason, "message": problem.message} for problem in found]
    lines = [f"{problem.path}  [{problem.reason}] {problem.message}" for problem in found]
    return Answer(data, "\n".join(lines) or "Every file was read.")


def export(chosen: Namespace, task: Task) -> Answer:
    """Write the documents with their texts to a file."""
    with open_workspace(chosen.folder, writable=False) as workspace:
        entries = _checked(workspace.documents(), task)
        rows = (document_row(workspace, entry) | {"text": workspace.text(entry.id)} for entry in entries)
        flat = ({**{k: v for k, v in row.items() if k != "metadata"}, **row["metadata"]} for row in rows)
        count = write_rows(flat, chosen.out)
    return Answer({"out": str(chosen.out), "documents": count}, f"{count:,} documents are in {chosen.out}.")


def document_row(workspace: Workspace, entry: Entry) -> dict[str, Any]:
    """A document as JSON shows it."""
    return {
        "id": entry.id,
        "document": entry.path,
        "part": entry.part,
        "title": entry.title,
        "characters": entry.characters,
        "coverage": round(workspace.coverage(entry.id), 4),
        "language": entry.language,
        "encoding": entry.encoding,
        "confidence": entry.confidence,
        "remarks": list(entry.remarks),
        "metadata": dict(entry.metadata),
    }


def _checked(entries: Iterator[Entry], task: Task) -> Iterator[Entry]:
    for entry in list(entries):
        task.check()
        yield entry
