"""Document Similarity Explorer: see and search a folder of texts by meaning."""

import sys

if sys.argv[:1] == ["-m"]:  # what it is while `python -m explorer` looks for the program
    from explorer.safe_path import leave_module_folder

    leave_module_folder()

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.workspace.workspace import open_workspace

__version__ = "0.1.0"
__all__ = ["__version__", "open_workspace"]

# Who uses the package as a library decides where its log goes; without this, warnings would be printed.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    """Load what is heavy only when it is asked for: `import explorer` stays instant."""
    if name == "open_workspace":
        from explorer.workspace.workspace import open_workspace

        return open_workspace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
