"""Runs first in the frozen program: other programs that it starts must not find our libraries in place of theirs."""

import os
import sys

if sys.platform == "linux":
    # The loader has read it already; a browser or an editor that is opened from the window would read it again.
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before
