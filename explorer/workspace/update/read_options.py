"""The read options of single files: what is detected, and what the user chose instead."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.corpus.document import ReadOptions
from explorer.corpus.encoding.decode import text_codec
from explorer.corpus.readers import registry
from explorer.errors import DataError
from explorer.paths import display_path
from explorer.task import Cancelled, Task
from explorer.workspace.storage import files

if TYPE_CHECKING:
    from explorer.workspace.workspace import Workspace

_TEXTS = ("plain", "markdown", "restructured", "html", "latex", "subtitles", "tables")  # that have an encoding
_BINARY = (".parquet", ".pq")


@dataclass(frozen=True)
class FileReadOptions:
    """How a file is read.

    Attributes:
        path: The file, below the folder, as documents name it.
        chosen: What the user chose for it; the rest is found out.
        has_encoding: Whether it is a text, whose encoding can be chosen.
        has_lines: Whether its lines can be documents.
        columns: The columns of a table; empty for other files.
        text_column: The column that is taken for the text where none is chosen.
    """

    path: str
    chosen: ReadOptions
    has_encoding: bool = False
    has_lines: bool = False
    columns: tuple[str, ...] = ()
    text_column: str = ""


def how_read(workspace: Workspace, path: str, task: Task | None = None) -> FileReadOptions:
    """Return how a file is read, and what can be chosen about it.

    Args:
        workspace: The workspace.
        path: The file, as documents and problems name it.
        task: Checked for cancellation.

    Raises:
        DataError: There is no such file in the folder.
        Unreadable: It cannot be opened, or its format is not read.
        Cancelled: The task was cancelled.
    """
    relative = _path_below(workspace, path)
    location, chosen = workspace.root / relative, workspace.file_options(relative)
    try:
        family = registry.family(location)
    except OSError as error:
        raise DataError(
            "{location} cannot be opened ({reason}). Check that you may read it.",
            location=location,
            reason=error.strerror,
        ) from error
    columns, text = _columns(location, chosen, task or Task()) if family == "tables" else ((), "")
    is_text = family in _TEXTS and location.suffix.lower() not in _BINARY
    return FileReadOptions(display_path(relative), chosen, is_text, family == "plain", columns, text)


def _columns(location: Path, chosen: ReadOptions, task: Task) -> tuple[tuple[str, ...], str]:
    """Return the columns of a table; none where it cannot be read, so that its encoding can still be chosen."""
    from explorer.corpus.readers.tables import documents

    try:
        return documents.columns(location, replace(chosen, text_column=""), task)
    except Cancelled:
        raise
    except Exception:  # noqa: BLE001 - whatever a file holds; reading it names what is wrong
        return (), ""


def read_otherwise(
    workspace: Workspace,
    path: str,
    *,
    encoding: str = "",
    text_column: str = "",
    lines: bool = False,
    repair: bool = True,
    title_column: str | None = None,
    date_column: str | None = None,
) -> None:
    """Set read options of a file from the next update on; empty ones are detected, None leaves them as they are.

    Raises:
        DataError: There is no such file in the folder, or no such encoding; nothing was noted.
        WorkspaceError: This process may not write.
    """
    workspace.require_writable()
    path, encoding = _path_below(workspace, path), _encoding(path, encoding) if encoding else ""
    columns = {"title_column": title_column, "date_column": date_column}
    workspace.set_file_options(
        path,
        encoding=encoding,
        text_column=text_column,
        lines=lines,
        repair=repair,
        **{name: column for name, column in columns.items() if column is not None},
    )


def choose_encodings(workspace: Workspace, chosen: Sequence[tuple[str, str]]) -> None:
    """Note which encoding single files have, from the next update on; "auto" finds it again.

    Raises:
        DataError: There is no such file in the folder, or no such encoding; nothing was noted.
        WorkspaceError: This process may not write.
    """
    if chosen:
        workspace.require_writable()
    known = [(_path_below(workspace, path), "" if name == "auto" else _encoding(path, name)) for path, name in chosen]
    for path, name in known:
        workspace.set_file_options(path, encoding=name)


def choose_repair(workspace: Workspace, paths: Sequence[str], *, repair: bool) -> None:
    """Note whether text of some files that was encoded twice is repaired from the next update on.

    Raises:
        DataError: There is no such file in the folder; nothing was noted.
        WorkspaceError: This process may not write.
    """
    if paths:
        workspace.require_writable()
    for path in [_path_below(workspace, path) for path in paths]:
        workspace.set_file_options(path, repair=repair)


def choose_lines(workspace: Workspace, paths: Sequence[str], *, lines: bool = True) -> None:
    """Note that each line of some files is a document from the next update on, or no longer.

    Raises:
        DataError: There is no such file in the folder, or it is no plain text; nothing was noted.
        WorkspaceError: This process may not write.
    """
    if paths:
        workspace.require_writable()
    readings = [how_read(workspace, path) for path in paths]
    for reading in readings:
        if not reading.has_lines:
            raise DataError("{path} is not plain text, so its lines cannot be documents.", path=reading.path)
    for path in paths:
        workspace.set_file_options(_path_below(workspace, path), lines=lines)


def file_of(workspace: Workspace, document: int) -> Path:
    """Return the file that a document came from, which the path that is shown need not lead to.

    Raises:
        WorkspaceError: There is no such document (any more).
    """
    entry = workspace.document(document)
    return workspace.root / (files.path_of_document(workspace.connection, document) or entry.path)


def _as_kept(workspace: Workspace, path: str) -> str:
    """Return the path of which documents show another: composed, with marks for what cannot be decoded."""
    try:
        path.encode()
    except UnicodeEncodeError:  # as the system has it, and nothing shows it so
        return path
    paths = files.paths_shown_as(workspace.connection, path)
    return path if not paths or path in paths else paths[0]


def _path_below(workspace: Workspace, path: str) -> str:
    """Return a path as the workspace keeps it: below the root, with "/" between its parts."""
    root = workspace.root
    whole = Path(os.path.normpath(root / _as_kept(workspace, path)))
    if not whole.is_file() or not whole.is_relative_to(root):
        raise DataError(
            "{file}: there is no such file in {root}. Give its path below that folder.", file=path, root=root
        )
    return whole.relative_to(root).as_posix()


def _encoding(path: str, name: str) -> str:
    try:
        text_codec(name)
    except LookupError as error:
        raise DataError(
            "{file}: the encoding “{name}” is not known. Write it like cp949, utf-8 or latin-1.", file=path, name=name
        ) from error
    return name
