"""The one tree of errors that are written for users.

Every message names the file or thing concerned, what is wrong with it, and what to do.
"""


class ExplorerError(Exception):
    """Something the user can act on; its message is a whole sentence."""


class ModelError(ExplorerError):
    """A model folder or download that cannot be used."""


class DataError(ExplorerError):
    """A data file or a row of one that cannot be used."""


class WorkspaceError(ExplorerError):
    """A workspace that cannot be opened or written."""
