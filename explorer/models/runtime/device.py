"""Choose where models run: cuda, mps or cpu, with how many threads, in which precision."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from explorer.errors import ExplorerError
from explorer.models.runtime import precision as precisions
from explorer.models.runtime.precision import Precision

if TYPE_CHECKING:
    import torch

Name = Literal["cuda", "mps", "cpu"]
PREFERENCE: tuple[Name, ...] = ("cuda", "mps", "cpu")

_WORKERS_AT_MOST = 8  # more Python threads than this begin to wait for each other
_CPU_BUDGET = 512  # tokens of a batch: what fits one core's cache
_GPU_BUDGET = 16_384
_CORE = {"linux": "libtorch_cpu.so", "darwin": "libtorch_cpu.dylib", "win32": "torch_cpu.dll"}
_WITH_ITS_FOLDER = 0x8  # LOAD_WITH_ALTERED_SEARCH_PATH of Windows
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # numbers of malloc.h
_importing = threading.Lock()


@dataclass(frozen=True)
class Device:
    """A choice of hardware.

    Attributes:
        name: "cuda", "mps" or "cpu".
        threads: CPU cores to use.
        precision: The transformer's number type; what follows it is always in float32.
    """

    name: Name
    threads: int
    precision: Precision = "float32"

    @property
    def workers(self) -> int:
        """Batches under way at once: one per core on the CPU; on a GPU one computes while one is prepared."""
        return min(self.threads, _WORKERS_AT_MOST) if self.name == "cpu" else 2

    @property
    def cores_each(self) -> int:
        """Cores that one batch uses."""
        return max(1, self.threads // self.workers)

    @property
    def token_budget(self) -> int:
        """Tokens, padding included, of one batch."""
        return _CPU_BUDGET if self.name == "cpu" else _GPU_BUDGET

    @property
    def dtype(self) -> torch.dtype:
        """The transformer's number type, as torch has it."""
        import torch

        dtype: torch.dtype = getattr(torch, self.precision)
        return dtype


def choose(preference: str = "auto", *, threads: int | None = None, precision: str = "auto") -> Device:
    """Choose a device: the one asked for, or the best of this machine.

    Args:
        preference: "auto", "cuda", "mps" or "cpu".
        threads: CPU cores; None for all physical ones.
        precision: One of PRECISIONS; "auto" for float16 on a GPU and the faster of float32 and bfloat16 on the CPU.

    Raises:
        ExplorerError: The device asked for is not on this machine, or is not a device; or so the precision.
    """
    if preference not in ("auto", *PREFERENCE):
        raise ExplorerError(
            "“{preference}” is not a device. Choose auto, {preference2}.",
            preference=preference,
            preference2=", ".join(PREFERENCE),
        )
    if threads is not None and threads < 1:
        raise ExplorerError("{threads} threads cannot compute anything. Choose 1 or more.", threads=threads)
    usable = available()
    if preference != "auto" and preference not in usable:
        raise ExplorerError(
            "This machine has no usable “{preference}”. Choose auto or {there}.",
            preference=preference,
            there=" or ".join(usable),
        )
    name = usable[0] if preference == "auto" else next(known for known in PREFERENCE if known == preference)
    return Device(name, threads or physical_cores(), precisions.choose(precision, name))


def available() -> tuple[Name, ...]:
    """Return the devices of this machine, best first."""
    preload_torch()
    import torch

    usable = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    return tuple(name for name in PREFERENCE if usable[name])


def physical_cores() -> int:
    """Count the cores this process may use, without hyper-threads, which share the units that multiply."""
    import joblib

    return max(1, int(joblib.cpu_count(only_physical_cores=True)))


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let torch use `count` cores for what the calling thread does inside the block."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def keep_freed_memory() -> None:
    """Let the C library keep freed blocks.

    WORKAROUND: by default glibc returns the top of its heap after each large free, and every layer of a network then
    waits for the kernel to clear pages again: a quarter of the time of a small network on the CPU.
    """
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, AttributeError):  # other C libraries have no mallopt, and do not need it
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)  # the highest it accepts
        libc.mallopt(_M_TRIM_THRESHOLD, 2**30)


def out_of_memory(error: BaseException) -> bool:
    """Check whether an error means that the device's memory is used up."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


def free_memory() -> None:
    """Return cached blocks to the device, so that a smaller batch fits."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()


def preload_torch() -> None:
    """Import torch and transformers once, from any thread, without freezing a window.

    An import holds the interpreter's lock while the system loads a library of half a gigabyte, up to a second. Loading
    it first through ctypes, which releases the lock, makes the import itself fast. Garbage collection is off meanwhile
    and never visits what was imported (gc.freeze): it would walk through all of it again and again.
    """
    with _importing:
        if "transformers" in sys.modules:
            return
        collecting = gc.isenabled()
        gc.disable()
        try:
            if "torch" not in sys.modules:
                _load_library()
            import torch  # noqa: F401
            import transformers  # noqa: F401

            gc.freeze()
        finally:
            if collecting:
                gc.enable()


def _load_library() -> None:
    """Have the system load torch's large library; if this fails, the import tries again and reports why."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None or sys.platform not in _CORE:
        return
    library = Path(spec.origin).parent / "lib" / _CORE[sys.platform]
    if not library.is_file():
        return
    if sys.platform == "win32":
        loader = ctypes.windll.kernel32.LoadLibraryExW
        loader.argtypes, loader.restype = [ctypes.c_wchar_p, ctypes.c_void_p, ctypes.c_uint], ctypes.c_void_p
        loader(str(library), None, _WITH_ITS_FOLDER)
    else:
        loader = ctypes.CDLL(None).dlopen
        loader.argtypes, loader.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
        loader(os.fsencode(library), os.RTLD_NOW)
