"""The check for known vulnerabilities, against a list on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.security import known_vulnerabilities as check

ASKED: list[dict[str, object]] = []


class List(BaseHTTPRequestHandler):
    """Knows of one vulnerability: in torch."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        ASKED[:] = asked
        told = [{"vulns": [{"id": "X-1"}]} if one["package"]["name"] == "torch" else {} for one in asked]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"results": told}).encode())

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@pytest.fixture
def server() -> Iterator[str]:
    serving = ThreadingHTTPServer(("127.0.0.1", 0), List)
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_port}"
    serving.shutdown()
    thread.join()
    serving.server_close()


def test_everything_that_the_program_needs_is_asked_for(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main(["--server", server]) == 1

    assert ": X-1\n" in capsys.readouterr().out
    names = {one["package"]["name"] for one in ASKED}  # type: ignore[index]
    assert {"torch", "transformers", "numpy", "pyside6-essentials", "safetensors", "tokenizers"} <= names
    assert "pytest" not in names
    assert {"package", "version"} == set(ASKED[0])
    assert all("+" not in str(one["version"]) for one in ASKED)


def test_without_a_list_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main(["--server", "http://127.0.0.1:9"]) == 2
    assert "cannot be asked" in capsys.readouterr().err
