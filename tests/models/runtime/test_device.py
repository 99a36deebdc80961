"""The best device there is, or the one asked for; and what running out of memory looks like."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch

from explorer.errors import ExplorerError
from explorer.models.runtime import device
from explorer.models.runtime.device import Device, available, choose, out_of_memory, physical_cores
from tests.conftest import PROJECT


@pytest.fixture
def machine(monkeypatch):
    """Makes this machine one with the given GPUs."""

    def has(*, cuda: bool = False, mps: bool = False) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)

    return has


@pytest.mark.parametrize(
    ("cuda", "mps", "best", "all_of_them"),
    [
        (True, True, "cuda", ("cuda", "mps", "cpu")),
        (True, False, "cuda", ("cuda", "cpu")),
        (False, True, "mps", ("mps", "cpu")),
        (False, False, "cpu", ("cpu",)),
    ],
)
def test_the_best_device_is_chosen(machine, cuda, mps, best, all_of_them):
    machine(cuda=cuda, mps=mps)
    assert available() == all_of_them
    assert choose().name == best
    assert choose("auto").name == best


@pytest.mark.parametrize("name", ["cuda", "mps", "cpu"])
def test_the_device_asked_for_is_chosen(machine, name):
    machine(cuda=True, mps=True)
    assert choose(name).name == name


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_told_in_a_sentence(machine, name):
    machine()
    with pytest.raises(ExplorerError, match=f"no usable “{name}”. Choose auto or cpu."):
        choose(name)


@pytest.mark.parametrize("name", ["", "gpu", "CUDA", "cuda:0", "tpu"])
def test_what_is_not_a_device_is_told_in_a_sentence(name):
    with pytest.raises(ExplorerError, match=f"“{name}” is not a device. Choose auto, cuda, mps, cpu."):
        choose(name)


def test_a_gpu_computes_in_float16_and_a_cpu_never(machine):
    machine(cuda=True, mps=True)
    assert [choose(name).precision for name in ("cuda", "mps")] == ["float16", "float16"]
    assert choose("cpu").precision in {"float32", "bfloat16"}
    assert choose("cuda").dtype == torch.float16


def test_the_precision_can_be_chosen(machine):
    machine(cuda=True)
    assert choose("cuda", precision="float32").dtype == torch.float32
    assert choose("cpu", precision="float16").dtype == torch.float16
    assert choose("cpu", precision="bfloat16").dtype == torch.bfloat16


def test_threads_can_be_chosen_and_are_all_cores_otherwise():
    assert choose("cpu", threads=3).threads == 3
    assert choose("cpu").threads == physical_cores() >= 1


@pytest.mark.parametrize("count", [0, -2])
def test_no_threads_at_all_is_told_in_a_sentence(count):
    with pytest.raises(ExplorerError, match=f"^{count} threads cannot compute anything"):
        choose("cpu", threads=count)


def test_a_cpu_runs_a_batch_a_core_up_to_a_limit():
    assert [Device("cpu", threads).workers for threads in (1, 2, 8, 64)] == [1, 2, 8, 8]
    assert [Device("cpu", threads).cores_each for threads in (1, 2, 8, 64)] == [1, 1, 1, 8]


def test_a_gpu_runs_two_large_batches():
    gpu, cpu = Device("cuda", 16), Device("cpu", 16)
    assert gpu.workers == Device("mps", 1).workers == 2
    assert gpu.token_budget >= 8 * cpu.token_budget
    assert cpu.token_budget >= 256  # a text of the bundled model's full length goes into one batch


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB"),
        RuntimeError("MPS backend out of memory (MPS allocated: 8.00 GB)"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes."),
        MemoryError(),
    ],
    ids=["cuda", "mps", "cpu", "python"],
)
def test_running_out_of_memory_is_recognised(error):
    assert out_of_memory(error)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("The size of tensor a (3) must match the size of tensor b (4)"),
        ValueError("out of memory"),
        OSError("can't allocate memory"),
        KeyError("x"),
    ],
)
def test_other_errors_are_not_taken_for_it(error):
    assert not out_of_memory(error)


def test_a_real_allocation_that_cannot_be_had_is_recognised():
    with pytest.raises(RuntimeError) as raised:
        torch.empty(2**58, dtype=torch.float64)
    assert out_of_memory(raised.value)


def test_threads_are_restored_after_the_block():
    before = torch.get_num_threads()
    with device.threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


def test_threads_are_restored_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), device.threads(before + 1):
        raise KeyError
    assert torch.get_num_threads() == before


def test_freeing_memory_asks_the_gpu_there_is(machine, monkeypatch):
    asked = []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: asked.append("cuda"))
    monkeypatch.setattr(torch.mps, "empty_cache", lambda: asked.append("mps"))
    machine()
    device.free_memory()
    machine(mps=True)
    device.free_memory()
    machine(cuda=True)
    device.free_memory()
    assert asked == ["mps", "cuda"]


PRELOAD = """
import gc, sys, threading
from explorer.models.runtime import device

loaded = []
load = device._load_library
device._load_library = lambda: (loaded.append(1), load())
threads = [threading.Thread(target=device.preload_torch) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert {"torch", "transformers"} <= sys.modules.keys()
assert gc.isenabled()
assert gc.get_freeze_count() > 100_000, "what was imported is looked through again and again"
assert len(loaded) == 1
if sys.platform.startswith("linux"):
    assert "libtorch_cpu.so" in open("/proc/self/maps").read()
"""


def test_libraries_come_in_once_from_any_thread() -> None:
    ran = subprocess.run([sys.executable, "-c", PRELOAD], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("own", [None, "7"])
def test_few_compiled_kernels_are_kept_unless_the_user_says_otherwise(own):
    named = {name: own for name in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY") if own}
    environment = {name: value for name, value in os.environ.items() if not name.endswith("CACHE_CAPACITY")} | named
    asked = "import os, explorer.models.runtime; print(*(os.environ[n] for n in os.environ if n.endswith('_CAPACITY')))"
    said = subprocess.run([sys.executable, "-c", asked], cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert said.stdout.split() == [own or "128"] * 2, said.stderr
