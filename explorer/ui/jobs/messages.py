"""One road for errors to the user: an exception becomes a sentence that can be acted on."""

from __future__ import annotations

import sqlite3
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from explorer import logs
from explorer.errors import ExplorerError
from explorer.ui.look.language import translated


@dataclass(frozen=True)
class Notification:
    """What is shown.

    Attributes:
        sentence: What happened.
        details: More for those who ask.
        choices: What the user can do about it, such as Undo or Open: the names of buttons and their work.
    """

    sentence: str
    details: str = ""
    choices: tuple[tuple[str, Callable[[], object]], ...] = ()


def describe_error(error: BaseException) -> Notification:
    """Return the sentence for an exception, with its traceback and the path of the log file as details."""
    details = "".join([*traceback.format_exception(error), f"\nLog file: {logs.log_file()}\n"])
    if isinstance(error, ExplorerError):
        return Notification(translated(error.message), details)
    if isinstance(error, MemoryError):
        return Notification(
            QCoreApplication.translate(
                "messages", "Not enough memory. Close other programs, or choose a smaller folder."
            ),
            details,
        )
    if isinstance(error, OSError):
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
        return Notification(
            QCoreApplication.translate(
                "messages", "{what}. Check that the file exists and is accessible, then try again."
            ).format(what=what),
            details,
        )
    if isinstance(error, sqlite3.Error):
        what = QCoreApplication.translate(
            "messages",
            "The workspace cannot be opened ({what}). Open the folder again; if that fails, run docexplorer doctor.",
        )
        return Notification(what.format(what=error), details)
    return Notification(
        QCoreApplication.translate(
            "messages", "An unexpected error occurred. Please include the details in a bug report."
        ),
        details,
    )
