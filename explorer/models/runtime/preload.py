"""Brings in the large libraries while a window is in use: the interpreter is never held for long."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
import sys
import threading
from pathlib import Path

_once = threading.Lock()
_CORE = {"linux": "libtorch_cpu.so", "darwin": "libtorch_cpu.dylib", "win32": "torch_cpu.dll"}
_WITH_ITS_FOLDER = 0x8  # LOAD_WITH_ALTERED_SEARCH_PATH of Windows


def preload_torch() -> None:
    """Import torch and transformers, once; from any thread.

    An import holds the interpreter while the system loads a library of half a gigabyte, up to a second. Loaded
    beforehand through ctypes, which lets other threads run, it takes no time any more. Collections of garbage would
    go through all that the import makes, again and again; they wait until it is done, and never look at it again.
    """
    with _once:
        if "transformers" in sys.modules:
            return
        collecting = gc.isenabled()
        gc.disable()
        try:
            if "torch" not in sys.modules:
                _load(_core())
            import torch  # noqa: F401
            import transformers  # noqa: F401

            gc.freeze()
        finally:
            if collecting:
                gc.enable()


def _core() -> Path | None:
    """The large library inside torch; None where it is not where it should be."""
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None or sys.platform not in _CORE:
        return None
    path = Path(found.origin).parent / "lib" / _CORE[sys.platform]
    return path if path.is_file() else None


def _load(library: Path | None) -> None:
    """Have the system load a library; if it cannot, the import will, and will say why."""
    if library is None:
        return
    if sys.platform == "win32":
        loader = ctypes.windll.kernel32.LoadLibraryExW
        loader.argtypes, loader.restype = [ctypes.c_wchar_p, ctypes.c_void_p, ctypes.c_uint], ctypes.c_void_p
        loader(str(library), None, _WITH_ITS_FOLDER)
    else:
        loader = ctypes.CDLL(None).dlopen
        loader.argtypes, loader.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
        loader(os.fsencode(library), os.RTLD_NOW)
