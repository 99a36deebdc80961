"""The large libraries come in from any thread, once, and leave garbage collection as it was."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import PROJECT

CODE = """
import gc, sys, threading
from explorer.models.runtime import preload

loaded = []
load = preload._load
preload._load = lambda library: (loaded.append(library), load(library))
threads = [threading.Thread(target=preload.preload_torch) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert {"torch", "transformers"} <= sys.modules.keys()
assert gc.isenabled()
assert gc.get_freeze_count() > 100_000, "what was imported is looked through again and again"
assert len(loaded) == 1
if sys.platform.startswith("linux"):
    assert loaded[0].name == "libtorch_cpu.so"
"""


def test_libraries_come_in_once_from_any_thread() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CODE], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
