"""The cost of reading a folder, before it is read, and facts about recent folders."""

from __future__ import annotations

import logging
import os
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import ExplorerError
from explorer.services import encoding_speed
from explorer.settings import Settings
from explorer.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.corpus.scan.scanner import Count, FileEntry
    from explorer.models.files.catalog import CatalogEntry
    from explorer.workspace.update.model_advice import Advice


_FILES = 200  # that are looked at: all of a small folder
_BYTES = 16 * 1024  # of each
_TABLES = 3  # whose columns are shown, the largest first
_ROWS = 4  # of a table that are shown
_PDFS, _PDF_SECONDS = 8, 2.0  # that are opened, in as many seconds each at most
_SCANNED_PAGE = 150_000  # bytes, about
_TEXTS = ("plain", "markdown", "restructured", "latex", "html", "subtitles", "mail", "notebook")  # read as text here
_logger = logging.getLogger(__name__)

POINTS = 400  # of a map, on a thumbnail

# Letters that come out of a byte of a file, about; formats that are packed or carry pictures give fewer.
_TEXT_SHARE = {
    "plain": 1.0, "markdown": 1.0, "restructured": 1.0, "latex": 0.8, "html": 0.4, "notebook": 0.3, "subtitles": 0.6,
    "pdf": 0.05, "office": 0.3, "slides": 0.02, "sheets": 0.5, "hangul": 0.1, "legacy": 0.1, "iwork": 0.01,
    "archives": 1.0, "rtf": 0.3, "epub": 0.5, "mail": 0.6, "tables": 0.8,
}  # fmt: skip
_OTHER = "other"
_WORTH_CHOOSING = 60.0  # seconds that a faster model must save before it is offered
_OPENING = 8.0  # seconds to open a model
_BYTES_PER_SECOND = 12_000  # of text that an idle core encodes with the bundled model, if nothing was measured
_BUSY = 3.0  # times as long on a busy machine
_GPU = 10.0  # times as fast with a graphics card
_MEASURED = (0.8, 1.6)  # range around the speed measured on this machine
_STORED = 5.6  # bytes of text and word index per byte of text
_PASSAGE, _DRAFT = 900, 512  # bytes of a passage, and of its draft vector


@dataclass(frozen=True)
class TablePreview:
    """The beginning of a table.

    Attributes:
        path: The file, below the folder.
        columns: Its columns.
        text_column: The column that is taken for the text.
        title_column: That for the title; empty where there is none.
        date_column: That for the date; empty where there is none.
        rows: The first rows, a cell for each column.
        count: About how many rows there are.
    """

    path: str
    columns: tuple[str, ...]
    text_column: str
    title_column: str
    date_column: str
    rows: tuple[tuple[str, ...], ...]
    count: int


@dataclass(frozen=True)
class TextSample:
    """What a sample of texts shows.

    Attributes:
        spoken: How many of the texts are in each language, by its code.
        tables: The largest tables.
        scanned_pages: About how many pages of all PDF files are pictures, by some of them.
    """

    spoken: Counter[str]
    tables: tuple[TablePreview, ...] = ()
    scanned_pages: int = 0


def sample_texts(entries: Sequence[FileEntry], task: Task) -> TextSample:
    """Look at some files; those that cannot be read are passed over.

    Raises:
        Cancelled: The task was cancelled.
    """
    spoken, previews = sample_languages(entries, task)
    return TextSample(spoken, previews, scanned_pages(entries, task))


def sample_languages(entries: Sequence[FileEntry], task: Task) -> tuple[Counter[str], tuple[TablePreview, ...]]:
    """Return about how many texts and rows of tables are in each language, by a sample, and the largest tables.

    Raises:
        Cancelled: The task was cancelled.
    """
    from explorer.analysis.text.language import language
    from explorer.corpus.encoding.decode import decode
    from explorer.corpus.readers.registry import SUFFIXES

    spoken: Counter[str] = Counter()
    kinds = {"": "plain", **SUFFIXES}
    texts = [entry for entry in entries if kinds.get(entry.suffix) in _TEXTS and entry.size]
    # Not every n-th: files may be named so that every tenth is of one language.
    chosen = random.Random(0).sample(texts, min(_FILES, len(texts)))  # noqa: S311 - the same each time
    for entry in chosen:
        task.check()
        try:
            with entry.location.open("rb") as file:
                spoken[language(decode(file.read(_BYTES)).text)] += 1
        except (OSError, ValueError, ExplorerError):
            _logger.info("a file could not be sampled", exc_info=True)
    for code in spoken:
        spoken[code] = round(spoken[code] * len(texts) / len(chosen))
    tables = sorted((entry for entry in entries if kinds.get(entry.suffix) == "tables"), key=lambda entry: -entry.size)
    previews = []
    for entry in tables[:_TABLES]:
        if (table := _table(entry, task)) is None:
            continue
        preview, cells = table
        previews.append(preview)
        for code, count in Counter(map(language, cells)).items():
            spoken[code] += round(count * preview.count / len(cells))
    del spoken[""]
    return spoken, tuple(previews)


def scanned_pages(entries: Sequence[FileEntry], task: Task) -> int:
    """Return about how many pages of the PDF files are pictures that only text recognition can read.

    Raises:
        Cancelled: The task was cancelled.
    """
    from explorer.corpus.document import ReadOptions, Unreadable
    from explorer.corpus.readers.process.pool import ReadRequest, shared_pool
    from explorer.corpus.readers.recognition import PICTURE_PAGES
    from explorer.corpus.readers.registry import SUFFIXES

    files = [entry for entry in entries if SUFFIXES.get(entry.suffix) == "pdf" and entry.size]
    opened = files[:: max(1, len(files) // _PDFS)][:_PDFS]
    pages, options = 0, ReadOptions(seconds=_PDF_SECONDS)
    requests = [ReadRequest(entry.location, entry.size, options) for entry in opened]
    with closing(shared_pool().read_files(requests)) as readings:
        for reading in readings:
            try:
                for document in reading.documents(task):
                    pictures = document.metadata.get(PICTURE_PAGES, 0)
                    pages += pictures if isinstance(pictures, int) else 0
            except Unreadable as error:
                if error.reason == "no text layer":  # it does not say of how many pages
                    pages += max(1, reading.request.size // _SCANNED_PAGE)
            except OSError:
                _logger.info("a file could not be sampled", exc_info=True)
    return round(pages * len(files) / len(opened)) if opened else 0


def _table(entry: FileEntry, task: Task) -> tuple[TablePreview, list[str]] | None:
    """Return the beginning of a table, and of its texts some more; None where it cannot be read as one."""
    from explorer.corpus.document import ReadOptions
    from explorer.corpus.readers.tables.columns import guess_layout
    from explorer.corpus.readers.tables.documents import columns, records

    options = ReadOptions()
    try:
        names, text = columns(entry.location, options, task)
        first = list(islice(records(entry.location, options, task), 50))
    except (OSError, ValueError, ExplorerError):
        _logger.info("a table could not be sampled", exc_info=True)
        return None
    if not names or not first:
        return None
    letters = sum(len(str(value)) + 1 for values in first for value in values.values())
    rows = tuple(tuple(str(values.get(name, "") or "") for name in names) for values in first[:_ROWS])
    packed = entry.suffix in (".parquet", ".pq")
    count = len(first) if len(first) < 50 else max(50, round(entry.size * (3 if packed else 1) * len(first) / letters))
    layout = guess_layout(first, "")
    dates = [name for name in names if _is_dates([values.get(name) for values in first])]
    date = next((name for name in dates if name.casefold() == "date"), next(iter(dates), ""))
    preview = TablePreview(entry.path, names, text, layout.title if layout else "", date, rows, count)
    return preview, [str(values.get(text, "") or "") for values in first]


def _is_dates(values: Sequence[object]) -> bool:
    """Return whether most of some values are dates; numbers are not."""
    from explorer.corpus.dates import iso_date

    dated = [isinstance(value, str) and bool(iso_date(value)) for value in values if value not in (None, "")]
    return bool(dated) and sum(dated) > len(dated) / 2


@dataclass(frozen=True)
class FolderPlan:
    """The cost of reading a folder.

    Attributes:
        folder: The folder, or a single file.
        known: Whether it has a workspace already; then nothing else is filled in.
        families: Files and bytes of each family of formats, most files first.
        files: Files that would be read.
        size: Their bytes.
        ignored: Files and folders that rules leave out.
        skipped: What cannot be opened.
        unsupported: Files of formats that are known and not read, by suffix.
        model: The model's name.
        seconds: About how long it takes at least, and on a busy machine.
        disk: Bytes that the workspace will take, about.
        free: Bytes that are free there.
        location: Where the workspace will be.
        spoken: The languages of a sample of the texts, by their codes, with their shares; the commonest first.
        advice: That another model reads them better; None where the model reads most of them.
        better_seconds: How long it would take with that model; None where there is none.
        faster: A model that reads them too and takes much less time, with its seconds; None where that hardly matters.
        tables: The largest tables, which can be read by another column.
        recognise: The languages in which the text of pictures can be recognised; empty where that is not possible.
        pictures: About how many pictures and scanned pages that would be.
    """

    folder: Path
    known: bool = False
    families: tuple[tuple[str, Count], ...] = ()
    files: int = 0
    size: int = 0
    ignored: int = 0
    skipped: int = 0
    unsupported: tuple[tuple[str, int], ...] = ()
    model: str = ""
    seconds: tuple[float, float] = (0.0, 0.0)
    disk: int = 0
    free: int = 0
    location: Path = Path()
    spoken: tuple[tuple[str, float], ...] = ()
    advice: Advice | None = None
    better_seconds: tuple[float, float] | None = None
    faster: tuple[str, tuple[float, float]] | None = None
    tables: tuple[TablePreview, ...] = ()
    recognise: str = ""
    pictures: int = 0


@dataclass(frozen=True)
class PlanChoices:
    """What the user chose for a folder before it is read.

    Attributes:
        columns: The text, title and date column of each table that is not read as guessed, by the table's path.
        model: The model of the workspace; empty for that of the settings.
        archives: Whether archives are read as folders.
        recognise: The languages in which the text of pictures is recognised; empty not to.
    """

    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    model: str = ""
    archives: bool = True
    recognise: str = ""


@dataclass(frozen=True, eq=False)
class RecentFolder:
    """A recent folder.

    Attributes:
        folder: The folder.
        there: Whether it is still there.
        documents: How many documents its workspace has; None if that is not known.
        points: (N, 2) places on its map between 0 and 1; None if it has none.
    """

    folder: Path
    there: bool
    documents: int | None = None
    points: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class WorkspaceContents:
    """What deleting a workspace would remove.

    Attributes:
        location: Its folder.
        size: Bytes of it.
        documents: How many documents are indexed.
        tags: Documents that the user tagged.
        judgements: Ratings of pairs.
        categories: The user's categories.
        searches: Saved searches.
        edits: Changes of clusters.
    """

    location: Path
    size: int
    documents: int
    tags: int = 0
    judgements: int = 0
    categories: int = 0
    searches: int = 0
    edits: int = 0


def workspace_contents(folder: Path) -> WorkspaceContents:
    """Return what deleting the workspace of a folder would remove.

    Raises:
        WorkspaceError: It has none, or it cannot be opened.
    """
    from explorer.workspace.storage.location import workspace_of
    from explorer.workspace.storage.user import lists as user_lists
    from explorer.workspace.storage.user import words as user_words
    from explorer.workspace.workspace import open_workspace

    folder_inside = workspace_of(folder)
    size = sum(path.stat().st_size for path in folder_inside.rglob("*") if path.is_file())
    with open_workspace(folder_inside, writable=False) as workspace:
        return WorkspaceContents(
            folder_inside,
            size,
            workspace.counts()["documents"],
            len(user_words.tags_of(workspace)),
            len(user_words.judgements(workspace)),
            len(user_lists.categories(workspace)),
            len(user_lists.saved_searches(workspace)),
            len(user_words.cluster_edits(workspace)),
        )


def delete_workspace(folder: Path) -> Path:
    """Delete the workspace of a folder and return where it was; the folder's own files are not touched.

    Raises:
        WorkspaceError: There is none, another window or program has it open, or it cannot be deleted.
    """
    from explorer.errors import WorkspaceError
    from explorer.workspace.storage import database
    from explorer.workspace.storage.location import Lock, workspace_of
    from explorer.workspace.storage.user import database as user_database

    workspace_folder = workspace_of(folder)
    if not any((workspace_folder / name).is_file() for name in (database.FILE, user_database.FILE)):
        raise WorkspaceError("{folder}: there is no workspace to delete.", folder=folder)
    lock = Lock(workspace_folder)
    if not lock.acquire():
        raise WorkspaceError(
            "{folder}: its workspace is open in another window or program. Close it there first.", folder=folder
        )
    lock.release()
    try:
        shutil.rmtree(workspace_folder)
    except OSError as error:
        raise WorkspaceError(
            "{place}: the workspace cannot be deleted ({reason}). Check that you may write there.",
            place=workspace_folder,
            reason=error.strerror,
        ) from error
    return workspace_folder


def plan(folder: Path, settings: Settings, task: Task) -> FolderPlan:
    """Return what reading a folder would take.

    Raises:
        ExplorerError: There is no such folder, or it cannot be opened.
        Cancelled: The task was cancelled.
    """
    from explorer.corpus.readers.recognition import default_languages
    from explorer.corpus.readers.registry import SUFFIXES, UNSUPPORTED
    from explorer.corpus.scan.scanner import counted as count_files
    from explorer.corpus.scan.scanner import scan
    from explorer.models.files import catalog
    from explorer.workspace.storage import database
    from explorer.workspace.storage.location import workspace_of
    from explorer.workspace.update.encode import model_of_shards
    from explorer.workspace.update.model_advice import advise_for

    if folder.exists() and (workspace_of(folder) / database.FILE).is_file():
        return FolderPlan(folder, known=True)
    listed = scan(folder, task)
    counted, sample = count_files(listed), sample_texts(listed.files, task)
    unsupported = tuple((suffix, count.files) for suffix, count in counted.suffixes.items() if suffix in UNSUPPORTED)
    families = counted.families({"": "plain", **SUFFIXES}, _OTHER)
    ignored = sum(rule.files + rule.folders for rule in counted.ignored)
    entries = catalog.entries()
    model = _model(model_of_shards(folder) or settings.model or catalog.DEFAULT, entries)
    text = text_bytes(families)
    advice = advise_for(sample.spoken, model.languages, model.name, entries)
    better = next((entry for entry in entries if advice is not None and entry.name == advice.better), None)
    location = workspace_of(folder).parent
    pictures = sample.scanned_pages + (families["pictures"].files if "pictures" in families else 0)
    return FolderPlan(
        folder,
        False,
        tuple(families.items()),
        *counted.total,
        ignored,
        len(counted.skipped),
        unsupported,
        model.name,
        seconds(text, encoding_speed.work_of(model.path), settings),
        disk(text, model.dimension),
        _free(location),
        location,
        tuple((code, count / sample.spoken.total()) for code, count in sample.spoken.most_common()),
        advice,
        seconds(text, encoding_speed.work_of(better.path), settings) if better is not None else None,
        None if advice is not None and advice.is_proposed else _faster(entries, model, text, settings),
        sample.tables,
        default_languages() if pictures else "",
        pictures,
    )


def prepare(folder: Path, choices: PlanChoices) -> None:
    """Make the workspace of a folder or a single file with what the user chose before it is read.

    Raises:
        DataError: There is no such table.
        WorkspaceError: The workspace cannot be made.
    """
    from explorer.services.open_workspace import ARCHIVES, CHOSEN, RECOGNISE
    from explorer.workspace.update.read_options import read_otherwise
    from explorer.workspace.workspace import open_workspace

    with open_workspace(folder) as workspace:
        for path, chosen in choices.columns.items():
            read_otherwise(workspace, path, **chosen)  # type: ignore[arg-type]
        for key, value in ((CHOSEN, choices.model), (RECOGNISE, choices.recognise)):
            if value:
                workspace.set_setting(key, value)
        if not choices.archives:
            workspace.set_setting(ARCHIVES, "no")


def recent(folder: Path) -> RecentFolder:
    """Return what is known of a recent folder."""
    from explorer.workspace.overview.map import kept_positions
    from explorer.workspace.storage import database
    from explorer.workspace.storage.location import workspace_of
    from explorer.workspace.workspace import open_workspace

    if not folder.exists():
        return RecentFolder(folder, there=False)
    where = workspace_of(folder)
    if not (where / database.FILE).is_file():
        return RecentFolder(folder, there=True)
    try:
        with open_workspace(where, writable=False) as workspace:
            documents = workspace.counts()["documents"]
    except (ExplorerError, sqlite3.Error, OSError):
        _logger.warning("%s cannot be opened for its thumbnail", where, exc_info=True)
        return RecentFolder(folder, there=True)
    return RecentFolder(folder, True, documents, _thumbnail(kept_positions(where)))


def recent_folders(folders: Sequence[Path], task: Task) -> list[RecentFolder]:
    """Return what is known of recent folders."""
    known = []
    for folder in folders:
        task.check()
        known.append(recent(folder))
    return known


def text_of(folder: Path, task: Task) -> tuple[int, float]:
    """Return how many files of a folder would be read, and about how many bytes of text they hold.

    Raises:
        ExplorerError: There is no such folder, or it cannot be opened.
        Cancelled: The task was cancelled.
    """
    from explorer.corpus.readers.registry import SUFFIXES
    from explorer.corpus.scan.scanner import preview

    counted = preview(folder, task)
    return counted.total.files, text_bytes(counted.families({"": "plain", **SUFFIXES}, _OTHER))


def text_bytes(families: dict[str, Count]) -> float:
    """Estimate the bytes of text in files."""
    return sum(_TEXT_SHARE.get(family, 0.0) * count.size for family, count in families.items())


def seconds(text: float, work: float, settings: Settings) -> tuple[float, float]:
    """Estimate the seconds for an amount of text, given the cost of a token: at least, and on a busy machine."""
    measured = encoding_speed.known(settings)
    if measured is not None:
        usual = text / measured * work / encoding_speed.BUNDLED_WORK
        return _OPENING + usual * _MEASURED[0], _OPENING + usual * _MEASURED[1]
    cores = settings.threads or os.cpu_count() or 1
    speed = _BYTES_PER_SECOND * cores * (_GPU if settings.device in ("cuda", "mps") else 1.0)
    least = _OPENING + text / speed * work / encoding_speed.BUNDLED_WORK
    return least, least * _BUSY


def disk(text: float, dimension: int) -> int:
    """Estimate the size of a workspace, given the bytes of text."""
    return round(text * _STORED + text / _PASSAGE * (2 * dimension + _DRAFT))


def _faster(
    entries: Sequence[CatalogEntry], model: CatalogEntry, text: float, settings: Settings
) -> tuple[str, tuple[float, float]] | None:
    """Return the faster model that ships beside the default, and its seconds; None where little time would be won."""
    from explorer.models.files import catalog

    entry = next((entry for entry in entries if entry.name == catalog.FASTER and not entry.problem), None)
    if model.name != catalog.DEFAULT or entry is None:
        return None
    usual = seconds(text, encoding_speed.work_of(model.path), settings)
    much = seconds(text, encoding_speed.work_of(entry.path), settings)
    return (entry.name, much) if usual[0] - much[0] >= _WORTH_CHOOSING else None


def _model(name: str, entries: Sequence[CatalogEntry]) -> CatalogEntry:
    """Return the model that would be used; one with only a name if it is not in the catalog."""
    from explorer.models.files import catalog

    entry = next((entry for entry in entries if entry.name == name), None)
    return entry or catalog.CatalogEntry(name, "bi", "folder", Path(name), dimension=384)


def _free(folder: Path) -> int:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


def _thumbnail(positions: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    """Return a sample of the positions, scaled to the unit square."""
    import numpy as np

    if positions is None or not len(positions):
        return None
    step = max(1, len(positions) // POINTS)
    few = positions[::step]
    low, high = np.percentile(few, [1, 99], axis=0)
    span = float(max((high - low).max(), 1e-6))
    placed: NDArray[np.float32] = ((few - (low + high) / 2) / span + 0.5).astype(np.float32)
    return placed.clip(0, 1)
