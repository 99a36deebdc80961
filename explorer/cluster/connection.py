"""Connect to a Ray cluster, and find out whether its machines can do the work and are still there."""

from __future__ import annotations

import logging
import os
import platform
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import explorer
from explorer.errors import ExplorerError

log = logging.getLogger(__name__)

INSTALL = "pip install 'document-similarity-explorer[cluster]'"
_ANSWER = 60.0  # seconds in which every machine must say what is installed on it
_QUIET = 2.0  # seconds between two looks at the head
_HEAD_SILENT = 20.0  # seconds after which a head that is silent counts as gone
LOOPBACK = "127.0.0.1"
# What Ray reads from the environment when it is imported.
_SWITCHES = {
    # Else a call after a lost connection would look for another cluster on this machine, and wait for a dead one.
    "RAY_ENABLE_AUTO_CONNECT": "0",
    # Else Ray ends this process, without a word to whoever started it, once the head has been silent for a minute.
    "RAY_gcs_rpc_server_reconnect_timeout_s": "86400",
    # What Ray says to developers stays off standard error; what matters to users is an exception too.
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}
CLIENT_PORT = 10001  # where a head listens for ray://, unless configured otherwise


class ClusterError(ExplorerError):
    """A cluster that cannot be reached, does not fit, or is gone."""


@dataclass(frozen=True)
class Versions:
    """What must be the same on every machine: Python to its minor version, and the program."""

    python: str
    program: str

    def __str__(self) -> str:
        return f"Python {self.python}, program {self.program}"


class RayCluster:
    """A connected cluster.

    Attributes:
        address: As the user gave it.
        client: Whether it is reached by Ray Client: this process is then no part of the cluster.
    """

    def __init__(self, address: str, head: tuple[str, int]) -> None:
        self.address, self.client = address, address.startswith("ray://")
        self._head = head
        self._answered_at = self._looked = time.monotonic()
        self._answers = True

    def require_room(self, cores: int) -> int:
        """Return how many workers of so many cores fit on the cluster.

        Raises:
            ClusterError: Not a single one.
        """
        room = self.capacity(cores)
        if not room:
            raise ClusterError(
                "{address}: no machine of the cluster has {cores:,} free cores. Add one, or ask for fewer with "
                "--worker-cores.",
                address=self.address,
                cores=cores,
            )
        return room

    def capacity(self, cores: int) -> int:
        """Return how many workers of so many cores fit on the machines that are there now; of one GPU each if any."""
        import ray

        alive = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        gpus = sum(int(node.get("GPU", 0)) for node in alive)
        return gpus or sum(int(node.get("CPU", 0)) // cores for node in alive)

    def has_gpu(self) -> bool:
        """Return whether a machine of the cluster has a GPU."""
        import ray

        return bool(ray.cluster_resources().get("GPU"))

    def answers(self) -> bool:
        """Return whether the head of the cluster answers; looks every other second, so that asking costs nothing."""
        now = time.monotonic()
        if now - self._looked < _QUIET:
            return self._answers
        self._looked = now
        try:
            socket.create_connection(self._head, timeout=_QUIET).close()
            self._answered_at, self._answers = time.monotonic(), True
        except OSError as error:
            log.warning("the head of the cluster does not answer: %s", type(error).__name__)
            self._answers = False
        return self._answers

    def check(self) -> None:
        """Make sure that the head of the cluster is still there.

        Raises:
            ClusterError: It has been silent for too long.
        """
        if not self.answers() and time.monotonic() - self._answered_at > _HEAD_SILENT:
            raise self.gone()

    def gone(self) -> ClusterError:
        """Return the sentence about a head that is gone."""
        return ClusterError(
            "{address}: the head of the cluster no longer answers. What was done is saved; start the cluster again and "
            "run the same command to resume.",
            address=self.address,
        )


@contextmanager
def connect(address: str) -> Iterator[RayCluster]:
    """Connect to a cluster, and leave it at the end.

    Args:
        address: "local" starts a cluster on this machine, which listens on the loopback and ends with the work;
            "auto" finds the one that was started here, or that RAY_ADDRESS names; "HOST:PORT" and "ray://HOST:PORT"
            name one.

    Raises:
        ClusterError: Ray is not installed, the cluster does not answer, or a machine has other versions.
    """
    for name, value in _SWITCHES.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise ClusterError(
            "Work on a cluster needs Ray, which is not installed. Install it: {command}", command=INSTALL
        ) from error

    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address
    head = _find_head(address)
    logging.getLogger("ray").setLevel(logging.ERROR)
    # Nothing of a document goes to Ray's logs or its usage reports.
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": False}
    options["address"] = address
    if address == "local":
        options["include_dashboard"] = False
    with loopback_only() if address == "local" or (head and head[0] == LOOPBACK) else nullcontext():
        try:
            # Ray reports its usage unless it is told not to, and its core announces the level of its log.
            with _environment(RAY_USAGE_STATS_ENABLED="0"), _no_standard_error():
                ray.init(**options)
        except Exception as error:  # Ray raises bare ones too, as where its node does not start within 30 seconds
            ray.shutdown()
            raise _no_answer(address, error) from error
        try:
            cluster = RayCluster(address, head or _head(ray))
            try:
                _compare_versions(cluster)
                log.info("connected to a cluster with room for %d one-core workers", cluster.capacity(1))
            except ConnectionError as error:  # how a connection by ray:// says that the head is gone
                raise cluster.gone() from error
            yield cluster
        finally:
            ray.shutdown()


@contextmanager
def loopback_only() -> Iterator[None]:
    """Have Ray call this machine 127.0.0.1, so that all that it starts listens on the loopback alone.

    WORKAROUND: on Linux Ray replaces 127.0.0.1 by the address of this machine in its network, whatever is asked for
    (resolve_ip_for_localhost in ray/_private/services.py), and its servers then listen on every interface. On macOS and
    Windows it does not (https://github.com/ray-project/ray/issues/18730); this is its own switch for that.
    """
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER  # was read from the environment when Ray was imported
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        with _environment(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0"):  # for the processes that Ray starts
            yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _find_head(address: str) -> tuple[str, int] | None:
    """Try to connect to a cluster first: Ray itself tries for ten minutes before it reports that nothing answers.

    Returns:
        Host and port where the head answers; None where that is not known before Ray is asked.

    Raises:
        ClusterError: Nobody answers, or the address is none.
    """
    named = address
    if address == "auto":
        note = Path(tempfile.gettempdir()) / "ray" / "ray_current_cluster"  # where “ray start” notes the address
        named = note.read_text().strip() if note.is_file() else ":"
    if address == "local":
        return None
    client = named.startswith("ray://")
    named = named.removeprefix("ray://").partition("?")[0]
    host, _, port = named.rpartition(":") if ":" in named or not client else (named, "", str(CLIENT_PORT))
    if address != "auto" and not (host and port.isdigit()):
        raise ClusterError(
            "{address}: this is not the address of a cluster. Write auto, local, HOST:PORT or ray://HOST:PORT.",
            address=address,
        )
    hosts = [host.strip("[]")]
    if hosts[0] in (LOOPBACK, "localhost", "::1"):
        from ray.util import get_node_ip_address

        # A head that was started without `loopback_only` is only found under the address that Ray gave this machine.
        hosts = [LOOPBACK] if client else [get_node_ip_address(), LOOPBACK]
    reason: Exception = ValueError("no cluster was started on this machine")
    for host in filter(None, hosts):
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except OSError as error:
            reason = error
        else:
            return host, int(port)
    raise _no_answer(address, reason)


def _no_answer(address: str, error: Exception) -> ClusterError:
    if "ersion mismatch" in str(error):  # Ray's own check, which is about Ray too and to the patch of Python
        return ClusterError(
            "{address}: the cluster runs different versions. {reason}. Install the same on both.",
            address=address,
            reason=" ".join(str(error).split()).removeprefix("Version mismatch: "),
        )
    return ClusterError(
        "{address}: no Ray cluster answers there ({reason}). Start one with “ray start --head”, or check the address.",
        address=address,
        reason=str(error).strip().split("\n")[0],
    )


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set environment variables inside the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _no_standard_error() -> Iterator[None]:
    """Drop what is written to standard error for a while, by code that is not Python too."""
    try:
        saved = os.dup(2)
    except OSError:  # a windowed program on Windows has none
        yield
        return
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def _head(ray: Any) -> tuple[str, int]:
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


def versions() -> Versions:
    """Return the versions of this machine."""
    return Versions(".".join(platform.python_version_tuple()[:2]), explorer.__version__)


def _compare_versions(cluster: RayCluster) -> None:
    """Ask every machine for its versions before work starts."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ask = ray.remote(num_cpus=0, max_retries=0)(versions)
    asked = {}
    for node in ray.nodes():
        if node["Alive"] and (node["Resources"].get("CPU") or node["Resources"].get("GPU")):
            node_strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked[ask.options(scheduling_strategy=node_strategy).remote()] = node["NodeManagerAddress"]
    ray.wait(list(asked), num_returns=len(asked), timeout=_ANSWER)
    answers = 0
    for answer, machine in asked.items():
        try:
            there = ray.get(answer, timeout=0.1)
        except (ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError):
            continue  # it has left the cluster, which Ray notices late
        except Exception as error:  # whatever a worker of another version raises means the same
            log.warning("a machine of the cluster cannot run the program: %s", type(error).__name__)
            raise ClusterError(
                "{machine}: this machine of the cluster cannot run the program. Install version {program} of it there, "
                "with Python {python}.",
                machine=machine,
                program=versions().program,
                python=versions().python,
            ) from error
        if there != versions():
            raise ClusterError(
                "{machine}: this machine of the cluster has {there}, this one {here}. Install the same on both.",
                machine=machine,
                there=str(there),
                here=str(versions()),
            )
        answers += 1
    if not answers:
        raise ClusterError(
            "{address}: the cluster has no machine with a free core. Add one with “ray start --address ...”.",
            address=cluster.address,
        )
