"""The commands `index`, `documents`, `problems` and `export`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from explorer.cli import options
from explorer.cli.options import device, model_name
from explorer.cli.output import Answer, clipped, size, table, write_above
from explorer.cluster.encoder import on_cluster
from explorer.corpus.document import ReadOptions
from explorer.corpus.readers.recognition import SECONDS_PER_PAGE, require
from explorer.corpus.readers.registry import SUFFIXES
from explorer.corpus.scan.scanner import FolderPreview, counted, scan
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.paths import display_path
from explorer.services.folder_preview import sample_languages, scanned_pages
from explorer.services.open_workspace import CHOSEN, NAME
from explorer.task import Cancelled, Task
from explorer.workspace.export.tables import write_rows
from explorer.workspace.search.search import Searcher
from explorer.workspace.storage.documents import DocumentEntry
from explorer.workspace.update.model_advice import Advice, advise, advise_about
from explorer.workspace.update.read_options import choose_encodings, choose_lines, choose_repair
from explorer.workspace.update.sync_files import Counts
from explorer.workspace.update.watch import UpdateOptions, follow
from explorer.workspace.workspace import Workspace, open_workspace

_SHOWN = 200
_CELL = 60


def index_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `index`."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder to index")
    parser.add_argument("--inside", action="store_true", help="keep the workspace inside the folder (.docexplorer)")
    parser.add_argument("--retry", action="store_true", help="try again to read the files that failed")
    parser.add_argument("--text-column", default="", metavar="NAME", help="the table column that holds the text")
    parser.add_argument("--no-repair", action="store_true", help="do not repair text that was encoded twice")
    parser.add_argument(
        "--no-repair-in",
        action="append",
        default=[],
        metavar="PATH",
        help="do not repair such text in this file from now on; may be repeated",
    )
    parser.add_argument("--repair-in", action="append", default=[], metavar="PATH", help="repair it again")
    parser.add_argument(
        "--encoding",
        type=_encoding,
        action="append",
        default=[],
        metavar="PATH=NAME",
        help="the encoding of one file, such as old/letter.txt=cp949, or =auto to detect it; may be repeated",
    )
    parser.add_argument(
        "--lines",
        action="append",
        default=[],
        metavar="PATH",
        help="read each line of this text file as a document from now on; may be repeated",
    )
    parser.add_argument("--no-lines", action="append", default=[], metavar="PATH", help="read it as one document again")
    parser.add_argument("--no-archives", action="store_true", help="do not read archives such as .zip as folders")
    parser.add_argument(
        "--ocr",
        nargs="?",
        const="auto",
        default="",
        metavar="LANGUAGES",
        help="recognise the text of pictures and scans with Tesseract, such as eng+kor; runs after everything else",
    )
    parser.add_argument("--preview", action="store_true", help="only show what would be read, what would not, and why")
    parser.add_argument("--watch", action="store_true", help="watch the folder and update on changes, until Ctrl+C")
    options.add_folder_model(parser)
    options.add_device(parser)
    options.add_cluster(parser)


def index(args: Namespace, task: Task) -> Answer:
    """Bring the workspace of a folder up to date, and watch it with --watch; with --preview only list files."""
    if args.preview:
        return _preview(args.folder, task)
    recognise = require() if args.ocr == "auto" else args.ocr
    options = ReadOptions(
        text_column=args.text_column, repair=not args.no_repair, archives=not args.no_archives, recognise=recognise
    )
    with open_workspace(args.folder, inside=args.inside) as workspace:
        choose_encodings(workspace, args.encoding)
        choose_lines(workspace, args.lines)
        choose_lines(workspace, args.no_lines, lines=False)
        choose_repair(workspace, args.no_repair_in, repair=False)
        choose_repair(workspace, args.repair_in, repair=True)
        name = model_name(workspace, args.model)
        if not workspace.counts()["documents"]:
            _warn(args.folder, name, task)
        model, already = catalog.find(name), None
        if not args.cluster:  # whose machines read too; here the texts can be searched while the model is opened
            already = workspace.read(replace(options, recognise=""), retry=args.retry, task=task)
        encoder = BiEncoder.open(model, device(args))
        sketch = static_encoder.static_encoder_for_update(encoder, task)
        how = UpdateOptions(encoder, sketch, options, args.retry)
        with on_cluster(args.cluster, encoder, task, cores=args.worker_cores, precision=args.precision) as (
            far,
            far_task,
        ):
            chosen = replace(how, encoder=far, readers=far, splitters=far) if far else how
            done = chosen.once(workspace, far_task, already)
        if workspace.setting(NAME) != name or workspace.setting(CHOSEN):
            name = str(Path(name).absolute()) if Path(name).is_dir() else name
            workspace.set_setting(NAME, name)
            workspace.set_setting(CHOSEN, name)
        if workspace.counts()["passages"]:
            Searcher(workspace, encoder).prepare(task)
        updates = _follow(workspace, replace(how, retry=False), task) if args.watch else []
        counts = workspace.counts()
        advice = advise(workspace, name)
        data: dict[str, Any] = {
            "workspace": str(workspace.folder),
            "folder": str(workspace.root),
            **counts,
            "update": vars(done),
            "advice": _advice_data(advice) if advice else None,
        }
    text = _indexed(args, counts, done)
    if advice:
        text += f"\n{_advised(advice, args.folder)}"
    if args.watch:
        data["updates"] = [vars(update) for update in updates]
        text += f"\nStopped watching after {len(updates):,} updates."
    return Answer(data, text)


def _warn(folder: Path, name: str, task: Task) -> None:
    """Say before anything is encoded in vain that the model cannot read the texts, by a sample of them."""
    spoken, _ = sample_languages(scan(folder, task).files, task)
    if advice := advise_about(spoken, name):
        write_above(_advised(advice, folder))


def _advice_data(advice: Advice) -> dict[str, Any]:
    return {"language": advice.languages[0], **vars(advice), "sentence": advice.sentence}


def _advised(advice: Advice, folder: Path) -> str:
    if not advice.better:
        return advice.sentence
    return f"{advice.sentence} To use it: docexplorer index {folder} --model {advice.better}"


def _indexed(args: Namespace, counts: dict[str, int], done: Counts) -> str:
    text = (
        f"{counts['documents']:,} documents in {counts['passages']:,} passages from {counts['files']:,} files; "
        f"{done.read:,} files read, {done.same:,} unchanged, {done.removed:,} removed; "
        f"{done.encoded:,} passages encoded."
    )
    if done.damaged:
        text += (
            f"\n{done.damaged:,} vectors were damaged on the disk; their texts were encoded again. Vectors of your own "
            "must be imported again."
        )
    if counts["problems"]:
        text += f"\n{counts['problems']:,} files could not be read: docexplorer problems {args.folder}"
    return text


def _follow(workspace: Workspace, how: UpdateOptions, task: Task) -> list[Counts]:
    """Watch the folder until the user presses Ctrl+C, which is not an error here."""
    updates: list[Counts] = []
    try:
        for done in follow(workspace, how, task):
            updates.append(done)  # noqa: PERF402 - what was done before the end must be kept
    except Cancelled:
        pass
    return updates


def _preview(folder: Path, task: Task) -> Answer:
    listed = scan(folder, task)
    preview = counted(listed)
    pictures = scanned_pages(listed.files, task)
    if named := preview.families(SUFFIXES).get("pictures"):
        pictures += named.files
    ignored = [
        {
            "rule": item.rule.text,
            "source": item.rule.source,
            "line": item.rule.line,
            "files": item.files,
            "folders": item.folders,
            "examples": [display_path(path) for path in item.examples],
        }
        for item in preview.ignored
    ]
    data = {
        "folder": str(folder),
        "files": preview.total.files,
        "bytes": preview.total.size,
        "suffixes": [
            {"suffix": suffix, "files": count.files, "bytes": count.size} for suffix, count in preview.suffixes.items()
        ],
        "pictures": pictures,
        "ignored": ignored,
        "skipped": [
            {"path": display_path(item.path), "reason": item.reason, "message": item.sentence}
            for item in preview.skipped
        ],
    }
    return Answer(data, _preview_text(preview, pictures))


def _preview_text(preview: FolderPreview, pictures: int) -> str:
    rows = [(suffix or "(none)", count.files, size(count.size)) for suffix, count in preview.suffixes.items()]
    lines = [table(("suffix", "files", "size"), rows)] if rows else []
    lines.append(f"{preview.total.files:,} files of {size(preview.total.size)} would be read.")
    lines += [
        f"ignored by “{item.rule.text}” ({item.rule.source}): {item.files:,} files, {item.folders:,} folders, "
        f"such as {display_path(item.examples[0])}"
        for item in preview.ignored
    ]
    if pictures:
        minutes = max(1, round(pictures * SECONDS_PER_PAGE / 60))
        lines.append(
            f"About {pictures:,} pictures and scanned pages: --ocr recognises their text, which takes about "
            f"{minutes:,} minutes."
        )
    lines += [f"skipped [{item.reason}]: {item.sentence}" for item in preview.skipped]
    return "\n".join(lines)


documents_arguments = problems_arguments = options.add_folder


def documents(args: Namespace, task: Task) -> Answer:
    """List the documents."""
    with open_workspace(args.folder, writable=False) as workspace:
        rows = [document_row(workspace, entry) for entry in _checked(workspace.documents(), task)]
    cells = [
        (row["document"], row["part"], clipped(row["title"], _CELL), row["characters"], row["language"])
        for row in rows[:_SHOWN]
    ]
    text = table(("document", "part", "title", "characters", "language"), cells)
    return Answer(rows, text + (f"\n… and {len(rows) - _SHOWN:,} more; --json lists all" if len(rows) > _SHOWN else ""))


def problems(args: Namespace, _task: Task) -> Answer:
    """List the files that could not be read, with the reason."""
    with open_workspace(args.folder, writable=False) as workspace:
        listed = workspace.problems()
    data = [{"path": problem.path, "reason": problem.reason, "message": problem.message} for problem in listed]
    lines = [f"{problem.path}  [{problem.reason}] {problem.message}" for problem in listed]
    return Answer(data, "\n".join(lines) or "All files were read.")


def export_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `export`."""
    options.add_folder(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="a file ending in .csv, .jsonl or .parquet"
    )


def export(args: Namespace, task: Task) -> Answer:
    """Write the documents with their texts to a file."""
    with open_workspace(args.folder, writable=False) as workspace:
        entries = _checked(workspace.documents(), task)
        rows = (document_row(workspace, entry) | {"text": workspace.text(entry.id)} for entry in entries)
        count = write_rows(map(_flat, rows), args.out)
    return Answer({"out": str(args.out), "documents": count}, f"Wrote {count:,} documents to {args.out}.")


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its metadata as columns; a name that is taken gets a prefix."""
    flat = {name: value for name, value in row.items() if name != "metadata"}
    fixed = set(flat)
    return flat | {f"metadata_{name}" if name in fixed else name: known for name, known in row["metadata"].items()}


def document_row(workspace: Workspace, entry: DocumentEntry) -> dict[str, Any]:
    """Return a document as JSON shows it."""
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


def _checked(entries: Iterator[DocumentEntry], task: Task) -> Iterator[DocumentEntry]:
    for entry in list(entries):
        task.check()
        yield entry


def _encoding(text: str) -> tuple[str, str]:
    path, sign, name = text.rpartition("=")
    if not sign or not path or not name:
        raise ArgumentTypeError(f"“{text}” is not of the form PATH=NAME, such as letter.txt=cp949")
    return path, name
