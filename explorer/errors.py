"""The one tree of errors that are written for users.

Every message names the file or thing concerned, what is wrong with it, and what to do.
"""

from __future__ import annotations

from typing import Any

from explorer.messages import UserMessage


class ExplorerError(Exception):
    """Something the user can act on; its message is a whole sentence.

    Attributes:
        message: The sentence, with its template and values.

    Example:
        >>> raise DataError("{path} is empty. Choose another file.", path="a.txt")
        Traceback (most recent call last):
        explorer.errors.DataError: a.txt is empty. Choose another file.
    """

    def __init__(self, template: str, /, **values: Any) -> None:
        self.message = UserMessage(template, **values)
        super().__init__(self.message)


class ModelError(ExplorerError):
    """A model folder or download that cannot be used."""


class DataError(ExplorerError):
    """A data file or a row of one that cannot be used."""


class WorkspaceError(ExplorerError):
    """A workspace that cannot be opened or written."""


class NotEncodedError(WorkspaceError):
    """A workspace that has no vectors yet, which is not damage: a search uses what is there."""
