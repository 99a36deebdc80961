"""Runs commands one after the other in this process, and writes down what Python was asked to do meanwhile.

    python -m tests.security.watched RECORD HOME -- COMMAND ... -- COMMAND ...

RECORD gets a JSON object: the exit code of each command and what it said, connections, programs that were started,
pickles that were opened, and files that were opened for writing outside of HOME and the folder of RECORD.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

_CONNECTIONS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind", "socket.sendto"}
_PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.startfile", "webbrowser.open"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def main() -> None:
    record, home, *rest = sys.argv[1:]
    allowed = tuple(os.path.realpath(one) for one in (home, Path(record).parent, os.devnull))
    told: dict[str, list[Any]] = {
        "codes": [],
        "each": [],
        "connections": [],
        "programs": [],
        "pickles": [],
        "writes": [],
    }

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _CONNECTIONS:
            told["connections"].append([event, repr(arguments[1:])])
        elif event in _PROGRAMS and arguments[0] != "lscpu" and "-P" not in arguments[1]:  # joblib's, and our readers
            told["programs"].append([event, repr(arguments[:2])])
        elif event == "pickle.find_class":
            told["pickles"].append(repr(arguments))
        elif event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            _, mode, flags = arguments
            writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (mode is None and flags & _WRITING)
            place = os.path.realpath(os.fsdecode(arguments[0]))
            if writes and not place.startswith(allowed):
                told["writes"].append(place)

    os.environ["DOCEXPLORER_HOME"] = home
    sys.addaudithook(hear)
    from explorer.cli import main as cli_main

    for words in _commands(rest):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            told["codes"].append(cli_main.main(words))
        told["each"].append(said.getvalue())
        print(said.getvalue(), flush=True)
    Path(record).write_text(json.dumps(told), encoding="utf-8")


def _commands(words: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for word in words:
        found.append([]) if word == "--" else found[-1].append(word)
    return found


if __name__ == "__main__":
    main()
