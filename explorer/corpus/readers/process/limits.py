"""Limit what a reading process may use and do: memory, processor time, open files, nothing written, no network.

Each measure is taken where the system has it, and a missing one is no error: the time limit of the program and the
separate process hold everywhere.

| | Linux | macOS | Windows |
|---|---|---|---|
| memory | RLIMIT_AS | RLIMIT_DATA, as far as the system minds it | job object |
| processor time of a file | RLIMIT_CPU | RLIMIT_CPU | |
| open files, size of written files | rlimits | rlimits | |
| writing, renaming, deleting | Landlock (Linux 5.13) | | |
| network, io_uring, tracing others | seccomp, Landlock (6.7) | Python's own sockets only | Python's own sockets only |
| signals to other processes | Landlock (6.12) | | |
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from pathlib import Path
from typing import Any

# Bytes that a file may take beyond what the process has. Two such files at once and the program with its model stay
# under 2 GB; a Parquet file of 154 MB takes 470 MB, a page of HTML of 32 MB takes 310 MB.
MEMORY = 600 * 2**20
_OPEN_FILES = 64
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2
_AUDIT_ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# socket, connect, bind, io_uring_setup, ptrace, process_vm_writev: denied with EACCES.
_DENIED = {"x86_64": (41, 42, 49, 425, 101, 311), "aarch64": (198, 203, 200, 425, 117, 271)}
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
# Removing and making of every kind, moving between folders (ABI 2), truncating (3), device control (5).
_WRITES = ((1, _WRITE_FILE | sum(1 << bit for bit in range(4, 13))), (2, 1 << 13), (3, _TRUNCATE), (5, 1 << 15))


def confine() -> list[str]:
    """Limit this process for good; returns what is in force, for the log."""
    measures = [_limit_resources()]
    if sys.platform == "linux":
        measures += [_deny_writing(), _deny_calls()]
    sys.addaudithook(_refuse_sockets)
    return [measure for measure in measures if measure]


def renew(seconds: float) -> None:
    """Begin the memory and processor time of a file, or of its next document."""
    if os.name != "posix":
        return
    import resource

    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _set_soft(resource.RLIMIT_CPU, int(used + seconds) + 2)
    if size := address_space(os.getpid()):
        _set_soft(resource.RLIMIT_AS, size + MEMORY)
    elif sys.platform == "darwin":
        _set_soft(resource.RLIMIT_DATA, MEMORY)


def address_space(process: int) -> int:
    """Return the bytes of a process's address space; 0 where the system does not tell."""
    return _statm(process, 0)


def resident(process: int) -> int:
    """Return the bytes of memory that a process holds; 0 where the system does not tell."""
    return _statm(process, 1)


def _statm(process: int, column: int) -> int:
    try:
        fields = Path(f"/proc/{process}/statm").read_bytes().split()
        return int(fields[column]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def _limit_resources() -> str:
    if os.name != "posix":
        return ""
    import resource

    _set_soft(resource.RLIMIT_NOFILE, _OPEN_FILES)
    for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
        _set_soft(kind, 0)
    return "rlimits"


def _set_soft(kind: int, value: int) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    with contextlib.suppress(ValueError, OSError):  # less than is in use already, or not known to this system
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _refuse_sockets(event: str, _: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError("a reader has no network")


def _deny_writing() -> str:
    """Take away the right to change anything on the disk, and to reach other processes, by Landlock.

    https://docs.kernel.org/userspace-api/landlock.html
    """
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if abi < 1:
        return ""
    files = sum(bits for since, bits in _WRITES if abi >= since)
    network = 0b11 if abi >= 4 else 0  # binding and connecting TCP
    scopes = 0b11 if abi >= 6 else 0  # abstract sockets and signals
    attributes = struct.pack("=QQQ", files, network, scopes)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]
    rules = libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if rules < 0:
        return ""
    try:
        nowhere = os.open(os.devnull, os.O_RDONLY)  # programs that are started get it to write to
        allowed = struct.pack("=Qi", (_WRITE_FILE | _TRUNCATE) & files, nowhere)
        libc.syscall(_LANDLOCK_ADD, rules, 1, allowed, ctypes.c_uint32(0))
        os.close(nowhere)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return "" if libc.syscall(_LANDLOCK_RESTRICT, rules, ctypes.c_uint32(0)) else f"Landlock {abi}"
    finally:
        os.close(rules)


def _deny_calls() -> str:
    """Let some system calls fail, by a seccomp filter of classic BPF.

    https://docs.kernel.org/userspace-api/seccomp_filter.html
    """
    machine = os.uname().machine
    if machine not in _DENIED or ctypes.sizeof(ctypes.c_void_p) != 8:
        return ""
    load, equal, above, give = 0x20, 0x15, 0x35, 0x06  # ld [k]; jeq k; jge k; ret k
    allow, refuse = 0x7FFF0000, 0x00050000 | 13  # SECCOMP_RET_ERRNO with EACCES
    numbers = _DENIED[machine]
    rules = [(load, 0, 0, 4), (equal, 0, len(numbers) + 3, _AUDIT_ARCHES[machine]), (load, 0, 0, 0)]
    rules.append((above, len(numbers) + 1, 0, 0x40000000))  # the x32 numbers of x86-64 would pass unseen
    rules += [(equal, len(numbers) - index, 0, number) for index, number in enumerate(numbers)]
    rules += [(give, 0, 0, allow), (give, 0, 0, refuse)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    whole = Program(len(rules), ctypes.cast(program, ctypes.c_void_p))
    return "" if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(whole), 0, 0) else "seccomp"


def put_in_job(process_handle: int) -> int:
    """On Windows, limit a process that was just started by a job object; returns the job's handle, 0 elsewhere.

    https://learn.microsoft.com/windows/win32/api/winnt/ns-winnt-jobobject_extended_limit_information
    """
    return _limited_job(process_handle) if os.name == "nt" else 0


def _limited_job(process_handle: int) -> int:
    class Limits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", ctypes.c_uint32),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", ctypes.c_uint32),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", ctypes.c_uint32),
            ("SchedulingClass", ctypes.c_uint32),
            ("IoCounters", ctypes.c_uint64 * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    kernel = _kernel32()
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = kernel.CreateJobObjectW(None, None)
    if not job:
        return 0
    limits = Limits(LimitFlags=0x100 | 0x2000, ProcessMemoryLimit=MEMORY + 2**28)  # memory; kill when the job closes
    handle = ctypes.c_void_p(job)
    kernel.SetInformationJobObject(handle, 9, ctypes.byref(limits), ctypes.sizeof(limits))
    kernel.AssignProcessToJobObject(handle, ctypes.c_void_p(process_handle))
    return int(job)


def close_job(job: int) -> None:
    """Close the handle of a job object, which ends what still runs in it."""
    if job:
        _kernel32().CloseHandle(ctypes.c_void_p(job))


def _kernel32() -> Any:
    return getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009 - only Windows has it
