"""Where the model runs: cuda, mps or cpu, with how many threads, in which precision."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from explorer.errors import ExplorerError
from explorer.models.runtime import preload

if TYPE_CHECKING:
    import torch

Name = Literal["cuda", "mps", "cpu"]
PREFERENCE: tuple[Name, ...] = ("cuda", "mps", "cpu")

_WORKERS_AT_MOST = 8  # more Python threads than this begin to wait for one another
_CPU_BUDGET = 512  # tokens of a batch: what one core's cache likes
_GPU_BUDGET = 16_384
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # numbers of malloc.h


@dataclass(frozen=True)
class Device:
    """A choice of hardware.

    Attributes:
        name: "cuda", "mps" or "cpu".
        threads: CPU cores to use.
        half: Whether the network computes in half precision.
    """

    name: Name
    threads: int
    half: bool

    @property
    def workers(self) -> int:
        """Batches under way at once: one a core on the CPU; on a GPU one computes while one is prepared."""
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
        """The network's number type."""
        import torch

        return torch.float16 if self.half else torch.float32


def choose(preference: str = "auto", *, threads: int | None = None, half: bool | None = None) -> Device:
    """The device to use: the one asked for, or the best there is.

    Args:
        preference: "auto", "cuda", "mps" or "cpu".
        threads: CPU cores; None for all physical ones.
        half: Half precision; None for yes on a GPU and no on the CPU.

    Raises:
        ExplorerError: The device asked for is not on this machine, or is not a device.
    """
    if preference not in ("auto", *PREFERENCE):
        raise ExplorerError(
            "“{preference}” is not a device. Choose auto, {preference2}.",
            preference=preference,
            preference2=", ".join(PREFERENCE),
        )
    if threads is not None and threads < 1:
        raise ExplorerError("{threads} threads cannot compute anything. Choose 1 or more.", threads=threads)
    there = available()
    if preference != "auto" and preference not in there:
        raise ExplorerError(
            "This machine has no usable “{preference}”. Choose auto or {there}.",
            preference=preference,
            there=" or ".join(there),
        )
    name = there[0] if preference == "auto" else next(known for known in PREFERENCE if known == preference)
    return Device(name, threads or physical_cores(), name != "cpu" if half is None else half)


def available() -> tuple[Name, ...]:
    """The devices of this machine, best first."""
    preload.preload_torch()
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    return tuple(name for name in PREFERENCE if there[name])


def physical_cores() -> int:
    """Cores this process may use, not counting hyper-threads: those share the units that multiply."""
    import joblib

    return max(1, int(joblib.cpu_count(only_physical_cores=True)))


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Operations of the calling thread use `count` cores inside the block."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def keep_freed_memory() -> None:
    """Let the C library keep freed blocks, instead of fetching fresh pages from the system for every layer.

    WORKAROUND: by default glibc gives the top of its heap back after each large free, and every layer of a network
    then waits for the kernel to clear pages again: a quarter of the time of a small network on the CPU.
    """
    if not sys.platform.startswith("linux"):
        return
    with suppress(OSError, AttributeError):  # another C library has no mallopt, and no need of it
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * 2**20)  # the highest it accepts
        libc.mallopt(_M_TRIM_THRESHOLD, 2**30)


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that the device's memory is used up."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


def free_memory() -> None:
    """Give cached blocks back to the device, so that a smaller batch finds room."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
