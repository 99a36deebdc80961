"""The story of the window with every connection refused and written down, and so every program that is started.

    python -m tests.security.watched_window RECORD DAY FOLDER WORK

RECORD gets a line of JSON for each attempt, at once, since the program ends its process. What libraries try without
asking Python is counted by the system, in RECORD.count, which is true where the process has a network of its own.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from tests.security.watched import _CONNECTIONS, _PROGRAMS

# What the system counts where a packet leaves or finds no way out, in /proc/net/snmp and snmp6.
_COUNTED = {"OutRequests", "OutNoRoutes", "ActiveOpens", "Ip6OutRequests", "Ip6OutNoRoutes"}


def attempts(folder: Path = Path("/proc/net")) -> int:
    """Attempts at a connection or packet that the system has seen in the network of this process."""
    found = 0
    if not (folder / "snmp").is_file():  # not a Linux
        return 0
    lines = (folder / "snmp").read_text().splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        told = dict(zip(names.split(), values.split(), strict=True))
        found += sum(int(told[name]) for name in _COUNTED & told.keys())
    if (folder / "snmp6").is_file():
        rows = (line.split() for line in (folder / "snmp6").read_text().splitlines())
        found += sum(int(value) for name, value in rows if name in _COUNTED)
    return found


def watch(record: Path) -> None:
    """From now on refuse every connection but those to sockets that are files, such as the screen's."""
    record.touch()

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        local = event in ("socket.connect", "socket.bind") and isinstance(arguments[1], str | bytes)
        connects = event in _CONNECTIONS and not local
        # Joblib counts the cores by lscpu; the processes that read files are our own.
        if connects or (event in _PROGRAMS and arguments[0] != "lscpu" and "-P" not in arguments[1]):
            with record.open("a", encoding="utf-8") as out:
                out.write(json.dumps([event, repr(arguments)]) + "\n")
        if connects:
            raise PermissionError("There is no network here.")

    sys.addaudithook(hear)


def main() -> None:
    record, before, leave = Path(sys.argv.pop(1)), attempts(), os._exit
    watch(record)

    def leave_counted(code: int) -> NoReturn:
        record.with_suffix(".count").write_text(str(attempts() - before))
        leave(code)

    os._exit = leave_counted  # by which the program ends its process
    from tests.end_to_end import story

    story.main()


if __name__ == "__main__":
    main()
