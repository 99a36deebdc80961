"""Connections that answer to cancel at any moment and never lead from https down to http."""

from __future__ import annotations

import http.client
import io
import ipaddress
import ssl
import threading
import time
import urllib.request
from functools import partial
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from explorer.errors import ModelError
from explorer.messages import UserMessage

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from email.message import Message

    from _typeshed import WriteableBuffer

    from explorer.task import Task

CHUNK = 1 << 16
CONNECT_SECONDS = 15.0
PATIENCE = 60.0  # seconds without a byte until a connection is given up
TICK = 0.5  # seconds between two looks at whether the user cancelled
KEPT = UserMessage("What has arrived is kept; try again later, and the download goes on from there.")


class Cut(Exception):  # noqa: N818 - a fault that may pass, not yet an error
    """The connection or the hub failed in a way that may pass; `restart` where the part is of no use."""

    def __init__(self, reason: str, *, restart: bool = False) -> None:
        super().__init__(reason)
        self.restart = restart


def opener(host: str, task: Task) -> urllib.request.OpenerDirector:
    """What opens the addresses of a host, with the user's proxies."""
    # Proxies lead out of the machine, so they are of no use for a hub that runs on it.
    proxies = urllib.request.ProxyHandler({} if _is_loopback(host) else None)
    return urllib.request.build_opener(proxies, _Wires(task), _Redirects())


def chunks(response: http.client.HTTPResponse, limit: int) -> Iterator[bytes]:
    """The body as it comes, `limit` bytes of it at most; a broken connection raises Cut."""
    while limit > 0:
        try:
            chunk = response.read1(min(CHUNK, limit))
        except (OSError, http.client.HTTPException) as error:
            raise Cut(str(error) or type(error).__name__) from error
        if not chunk:
            return
        limit -= len(chunk)
        yield chunk


class _Wires(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens connections that answer to cancel."""

    def __init__(self, task: Task) -> None:
        self._task, self._tls = task, ssl.create_default_context()
        super().__init__()

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_Connection, task=self._task), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_SecureConnection, task=self._task, context=self._tls), req)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows the hub to its CDN, but never from https down to http."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        new = urlsplit(newurl)
        if new.scheme not in {"https", req.type}:
            fp.close()
            raise ModelError(
                "{host} leads to {scheme}://{netloc}, not https; check the hub's address.",
                host=req.host,
                scheme=new.scheme,
                netloc=new.netloc,
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


class _Connection(http.client.HTTPConnection):
    """A connection that can be left at any moment, also while it is being made.

    Looking up a name, connecting and the TLS handshake cannot be interrupted, so a thread of their own does
    them; when the user cancels meanwhile, it ends after CONNECT_SECONDS at most, closing what it opened.
    """

    def __init__(self, host: str, *, task: Task, **options: Any) -> None:
        super().__init__(host, **options)
        self._task = task
        self._dialling = self._left = False
        self._failure: BaseException | None = None

    def connect(self) -> None:
        self._dialling = True
        self._dialler = threading.Thread(target=self._dial, args=(super().connect,), daemon=True)
        self._dialler.start()
        while self._dialler.is_alive():
            self._dialler.join(TICK / 5)
            self._task.check()
        if self._failure is not None:
            raise self._failure
        self.sock.settimeout(TICK)
        self.sock = SimpleNamespace(  # all that http.client needs of a socket
            sendall=self.sock.sendall,
            close=self.sock.close,
            makefile=partial(_patient_file, self.sock, self._task),
        )

    def _dial(self, connect: Callable[[], None]) -> None:
        try:
            connect()
        except BaseException as failure:  # noqa: BLE001 - raised again in the thread that waits
            self._failure = failure
        self._dialling = False
        if (
            self._left
        ):  # asked after the line above, while `close` does it the other way round: one of them closes
            self.close()

    def close(self) -> None:
        self._left = True
        if not self._dialling or threading.current_thread() is self._dialler:
            super().close()


class _SecureConnection(_Connection, http.client.HTTPSConnection):
    """The same with TLS."""


class _PatientReader(io.RawIOBase):
    """Reads a socket whose time-out is TICK: after each, asks for cancel, until PATIENCE is over."""

    def __init__(self, sock: socket.socket, task: Task) -> None:
        self._sock, self._task = sock, task
        self._hold = sock.makefile("rb", buffering=0)  # keeps the socket open after its own close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self._task.check()
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                continue
        raise ModelError(
            "The hub sent nothing for {patience:.0f} seconds. {kept}", patience=PATIENCE, kept=KEPT
        )

    def close(self) -> None:
        self._hold.close()
        super().close()


def _patient_file(sock: socket.socket, task: Task, _mode: str) -> io.BufferedReader:
    return io.BufferedReader(_PatientReader(sock, task), CHUNK)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
