"""A separate screen for a test: an X server without a monitor that ends with the test."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

XVFB = shutil.which("Xvfb")
MISSING = "Xvfb is not installed, so NO test opens a real window on a screen: apt install xvfb libxcb-cursor0"


@contextmanager
def screen(size: str = "1600x1000") -> Iterator[dict[str, str]]:
    """Yield the environment for processes that show their windows on a fresh screen.

    Raises:
        RuntimeError: There is no Xvfb, or it does not start.
    """
    if XVFB is None:
        raise RuntimeError(MISSING)
    read, write = os.pipe()
    server = subprocess.Popen(
        [XVFB, "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as line:
            number = line.readline().strip()  # the server says it when it is ready; nothing if it dies
        if not number:
            raise RuntimeError("Xvfb did not start")
        inherited = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        yield inherited | {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb", "QT_ACCESSIBILITY": "0"}
    finally:
        server.terminate()
        server.wait(10)
