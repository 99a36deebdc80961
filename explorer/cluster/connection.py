"""Connect to a Ray cluster, and find out whether its machines can do the work and are still there."""

from __future__ import annotations

import logging
import os
import platform
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import explorer
from explorer.errors import ExplorerError

log = logging.getLogger(__name__)

INSTALL = "pip install 'document-similarity-explorer[cluster]'"
_ANSWER = 60.0  # seconds in which every machine must say what is installed on it
_QUIET = 2.0  # seconds between two looks at the head
# Ray ends the whole process when its head has been silent for 60 seconds, which a sentence must forestall.
_HEAD_SILENT = 20.0


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
    """

    def __init__(self, address: str, head: tuple[str, int] | None) -> None:
        self.address = address
        self._head = head
        self._seen = self._looked = time.monotonic()
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
        if self._head is None or now - self._looked < _QUIET:
            return self._answers  # a client of ray:// is told by its connection
        self._looked = now
        try:
            socket.create_connection(self._head, timeout=_QUIET).close()
            self._seen, self._answers = time.monotonic(), True
        except OSError as error:
            log.warning("the head of the cluster does not answer: %s", type(error).__name__)
            self._answers = False
        return self._answers

    def check(self) -> None:
        """Make sure that the head of the cluster is still there.

        Raises:
            ClusterError: It has been silent for too long.
        """
        if not self.answers() and time.monotonic() - self._seen > _HEAD_SILENT:
            raise self.gone()

    def gone(self) -> ClusterError:
        """Return the sentence about a head that is gone."""
        return ClusterError(
            "{address}: the head of the cluster no longer answers. What was done is saved; start the cluster again and "
            "run the same command to go on.",
            address=self.address,
        )


@contextmanager
def connect(address: str) -> Iterator[RayCluster]:
    """Connect to a cluster, and leave it at the end.

    Args:
        address: "local" starts a cluster on this machine, which ends with the work; "auto" finds the one that was
            started here, or that RAY_ADDRESS names; "HOST:PORT" and "ray://HOST:PORT" name one.

    Raises:
        ClusterError: Ray is not installed, the cluster does not answer, or a machine has other versions.
    """
    try:
        import ray
    except ImportError as error:
        raise ClusterError(
            "Ray is not installed, which runs work on a cluster. Install it: {command}", command=INSTALL
        ) from error

    _check_reachable(address)
    # Nothing of a document goes to Ray's logs or its usage reports; "local" listens on the loopback alone.
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": False}
    options["address"] = address
    if address == "local":
        options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        with _quietly():
            ray.init(**options)
    except Exception as error:  # Ray raises bare ones too, as where its node does not start within 30 seconds
        ray.shutdown()
        raise _no_answer(address, error) from error
    try:
        cluster = RayCluster(address, None if address.startswith("ray://") else _head(ray))
        _compare_versions(cluster)
        log.info("connected to a cluster with room for %d one-core workers", cluster.capacity(1))
        yield cluster
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Knock at a cluster first: Ray itself tries for ten minutes before it says that nobody answers.

    Raises:
        ClusterError: Nobody answers.
    """
    named = address
    if address == "auto":
        note = Path(tempfile.gettempdir()) / "ray" / "ray_current_cluster"  # where “ray start” notes the address
        named = os.environ.get("RAY_ADDRESS") or (note.read_text().strip() if note.is_file() else "")
    host, _, port = named.removeprefix("ray://").rpartition(":")
    if address == "local" or (host and not port.isdigit()):
        return
    if host in ("127.0.0.1", "localhost", "[::1]") and not address.startswith("ray://"):
        # WORKAROUND: Ray itself looks for such a head under the outer address of this machine
        # (resolve_ip_for_localhost in ray/_private/services.py), and waits there for ever.
        from ray.util import get_node_ip_address

        host = get_node_ip_address()
    try:
        socket.create_connection((host.strip("[]"), int(port or 0)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise _no_answer(address, error) from error


def _no_answer(address: str, error: Exception) -> ClusterError:
    if "ersion mismatch" in str(error):  # Ray's own check, which is about Ray too and to the patch of Python
        return ClusterError(
            "{address}: the cluster has other versions. {reason}. Install the same on both.",
            address=address,
            reason=" ".join(str(error).split()).removeprefix("Version mismatch: "),
        )
    return ClusterError(
        "{address}: no Ray cluster answers there ({reason}). Start one with “ray start --head”, or check the address.",
        address=address,
        reason=str(error).strip().split("\n")[0],
    )


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep Ray from sending usage reports, which it does unless it is told not to."""
    before = os.environ.get("RAY_USAGE_STATS_ENABLED")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ["RAY_USAGE_STATS_ENABLED"]
        else:
            os.environ["RAY_USAGE_STATS_ENABLED"] = before


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
            place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked[ask.options(scheduling_strategy=place).remote()] = node["NodeManagerAddress"]
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
