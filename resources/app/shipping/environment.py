"""Runs first in the frozen program: what it writes goes somewhere, and what it starts does not find our libraries."""

import os
import sys

if sys.platform == "linux":
    # The loader has read it already; a browser or an editor that is opened from the window would read it again.
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before

# A window of Windows has nowhere to write to, and whoever writes to nowhere fails.
for name in ("stdout", "stderr"):
    if getattr(sys, name) is None:
        setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open as long as the program
