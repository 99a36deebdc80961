"""What watches for connections sees them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.security.conftest import without_network

_CALLING = """
import socket, sys
from pathlib import Path
from tests.security.watched_window import attempts, watch
before = attempts()
if sys.argv[1] != "unwatched":
    watch(Path(sys.argv[1]))
for call in (
    lambda: socket.create_connection(("192.0.2.1", 9), 1),
    lambda: socket.getaddrinfo("example.org", 80),
    lambda: socket.socket(socket.AF_UNIX).connect("/nowhere"),
):
    try:
        call()
    except OSError as error:
        print(type(error).__name__)
print(attempts() - before)
"""


def _call(*words: str, behind: tuple[str, ...] = ()) -> list[str]:
    ran = subprocess.run(
        [*behind, sys.executable, "-c", _CALLING, *words], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="counts by /proc")
def test_a_call_is_refused_and_written_down(tmp_path: Path) -> None:
    refused = _call(str(tmp_path / "record"))
    assert refused[:3] == ["PermissionError", "PermissionError", "FileNotFoundError"]
    told = (tmp_path / "record").read_text()
    assert "192.0.2.1" in told
    assert "example.org" in told
    assert "nowhere" not in told


@pytest.mark.skipif(not without_network(), reason="this user may not take the network away")
def test_the_system_counts_what_python_is_not_asked_for(tmp_path: Path) -> None:
    if not int(_call("unwatched", behind=without_network())[-1]):
        pytest.skip("this system does not count")
    assert int(_call(str(tmp_path / "record"), behind=without_network())[-1]) == 0
