"""Keep the current folder off the import path.

`python -m` puts it first, and a folder of documents may hold a `safetensors.py` or a `numpy.py` that would then run.
Imported before anything else, so it imports only what the interpreter has loaded already; `from __future__ import`
would itself be looked for in the current folder.
"""

import os
import sys


def leave_current_folder() -> None:
    """Take the current folder off the import path of this process and of every Python that it starts."""
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        here = ""
    program = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # An empty entry, from PYTHONPATH=":/somewhere", has become the folder's whole path by now. Where that is a part of
    # Python's own installation, it stays.
    own = (sys.prefix, sys.base_prefix)
    entries = [entry for entry in sys.path if os.path.isabs(entry) and (entry != here or entry.startswith(own))]
    # The source tree without an installation: the program comes from there, but nothing else has to.
    sys.path[:] = entries if program in entries or program not in sys.path else [*entries, program]
    os.environ["PYTHONSAFEPATH"] = "1"  # multiprocessing starts its helpers with `python -c`, which adds it again


def leave_module_folder() -> None:
    """Do the same where `python -m explorer` was called, which has put the folder it was called in first."""
    first = sys.path[0] if sys.path and not sys.flags.safe_path else None
    leave_current_folder()
    if first in sys.path[:1]:  # the folder is a part of Python's installation, or another way to write its path
        sys.path.append(sys.path.pop(0))
