"""Download a model from the Hugging Face hub, when the user asks for it.

huggingface_hub makes the requests. Its `hf_hub_download` is not used: since 2.0 it deletes what has arrived of a file
when it is interrupted, and with it nothing could be resumed; `http_get`, a level below, resumes.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import threading
import time
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from explorer.errors import ModelError
from explorer.messages import UserMessage
from explorer.task import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import httpx2

    from explorer.task import Task

HUB = "https://huggingface.co"
STAGING = ".download"  # ends the name of a folder that is not a whole model yet
RECORD = "download.json"
RETRY_SECONDS = 0.5  # before the first retry of what may be a passing fault; then twice as long each time
REPORT_SECONDS = 0.05
READ_SECONDS = 20  # without a byte, until a connection is tried again
TICK = 0.1  # seconds between two looks at whether the user cancelled
_CHUNK = 1 << 16

_NAME = re.compile(r"(?!.*(?:--|\.\.))(?:\w[\w.-]{0,95}/)?\w[\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"(?!.*\.\.)\w[\w./-]{0,199}", re.ASCII)
_ENDPOINT = re.compile(r"https?://(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:/[\w./-]*)?", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # SHA-1 or SHA-256
_HOSTILE = re.compile(r"^/|^[A-Za-z]:|[\\\0]|(?:^|/)\.\.?(?:/|$)|//")
_WANTED = re.compile(
    r"""(?:\d+_\w+/)?  # beside the model, or in a module's folder: 1_Pooling, 2_Dense
    (?:config\.json | modules\.json | [\w-]+_config\.json | config_[\w-]+\.json
    | tokenizer\.json | special_tokens_map\.json | added_tokens\.json | vocab\.(?:txt|json) | merges\.txt
    | (?:sentencepiece|spiece|spm|tokenizer)[\w.-]*\.model  # another *.model may be a pickle
    | \w[\w.-]*\.safetensors | model\.safetensors\.index\.json
    | README\.md | LICENSE[\w-]*(?:\.(?:txt|md))?)""",
    re.ASCII | re.VERBOSE,
)
_PICKLED = re.compile(r"((?:\d+_\w+/)?)(?:pytorch_model[\w.-]*\.bin|model\.(?:bin|pt|pth|pkl|ckpt))", re.ASCII)
_SHARD = re.compile(r"(.+-)\d{5}(-of-(\d{5})\.safetensors)")
_SPARE = re.compile(r"model[\w.-]*\.safetensors(?:\.index\.json)?")  # not needed beside model.safetensors


_RESUMES = UserMessage("What has been downloaded is kept; try again later to resume.")
_TEMPLATES = {
    "busy": "{host} answers no more requests for now; try to download {name} again in a few minutes.",
    "certificate": "{host} could not prove its identity ({error}); check this computer's clock. {by_hand}",
    "closed": (
        "{host} does not provide {name}: it does not exist, is private, or has terms to accept "
        "first. Check the name, or accept the terms at {endpoint}/{name}, download the files in "
        "the browser, and copy their folder into {home}."
    ),
    "damaged": (
        "{file} of {name} arrived damaged: its {what} is not the one that {host} announced. It "
        "was deleted; try the download again."
    ),
    "exists": "{folder} exists already and is not this version; remove it or choose another name.",
    "failing": "Downloading {name} from {host} failed repeatedly ({error}). {kept}",
    "full": "The disk of {home} is full; free some space and download again to resume.",
    "hostile": (
        "{host} lists {file!r}, which would be outside the folder of {name}; nothing was "
        "downloaded. Do not use this model."
    ),
    "listing": (
        "{host} did not return the file list of {name}; check the hub's address "
        "{endpoint}, and whether this network asks you to sign in first."
    ),
    "name": '"{name}" is not the name of a model on the hub; write it as owner/model.',
    "offline": "{name} was not downloaded, as the program is set to stay offline. {by_hand}",
    "pickled": (
        "{name} offers only pickled weights ({pickles}), which can run code when opened, so it "
        "was not downloaded. Choose a model with model.safetensors, or save it elsewhere as "
        "safetensors and copy its folder into {home}."
    ),
    "refused": "{host} refused to send {name} (status {status}). {by_hand}",
    "revision": '"{revision}" is not a revision of {name}; use a branch, a tag or a commit.',
    "space": (
        "{name} needs {needed:,.1f} MB, but only {free:,.1f} MB are free on the disk of "
        "{home}; free some space and try again."
    ),
    "stalled": "{host} stopped responding. {kept}",
    "unknown": "{host} has no model {name} of this revision; check its name and revision.",
    "unreachable": "You are offline: {host} cannot be reached for {name} ({error}). {by_hand}",
    "unwritable": "{home} cannot be written ({error}); choose a folder that can, and download again.",
    "wait": "{host} answers no more requests for now; try to download {name} again in {wait} seconds.",
    "weightless": "{name} offers no weights as safetensors; choose another model.",
}


def download(name: str, folder: Path, *, revision: str = "main", endpoint: str | None = None, task: Task) -> Path:
    """Download a model's safe files; pickled weights and code are never fetched.

    Files arrive in `folder` + STAGING, which a failure or a cancel leaves for the next call to resume.

    Args:
        name: "owner/model" or "model".
        folder: The model's future folder; must not exist, unless it holds this very version already.
        revision: Branch, tag or commit.
        endpoint: The hub's address; by default HF_ENDPOINT, else huggingface.co. HF_HUB_OFFLINE=1 refuses any.
        task: Receives the progress in bytes, and cancels.

    Returns:
        `folder`, complete and checked.

    Raises:
        ModelError: The model cannot be downloaded; the message says why and what to do.
        Cancelled: The task was cancelled.
    """
    endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    if not _ENDPOINT.fullmatch(endpoint):
        raise ModelError(
            '"{endpoint}" (HF_ENDPOINT) is not the address of a hub; write it like {hub}.', endpoint=endpoint, hub=HUB
        )
    job = _Download(endpoint, name, revision, folder, task)
    if not _NAME.fullmatch(name):
        raise job.error("name")
    if not _REVISION.fullmatch(revision):
        raise job.error("revision")
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        raise job.error("offline")
    _abandonable(job.run, task)
    return folder


@dataclass(frozen=True)
class _File:
    """A file that the hub offers; `digest` is SHA-256 if it is large, git's SHA-1 if it is small, or "" if unknown."""

    name: str
    size: int
    digest: str

    def matches(self, path: Path, task: Task) -> bool:
        """Check the size and the digest of the file at `path`."""
        if not path.is_file() or path.stat().st_size != self.size:
            return False
        large = len(self.digest) == 64
        digest = hashlib.sha256() if large else hashlib.sha1(b"blob %d\0" % self.size, usedforsecurity=False)
        with path.open("rb") as source:
            while block := source.read(16 * _CHUNK):
                task.check()
                digest.update(block)
        return self.digest in {"", digest.hexdigest()}


@dataclass
class _Download:
    """One download under way."""

    endpoint: str
    name: str
    revision: str
    folder: Path
    task: Task
    _finished: int = 0  # bytes of the files that are complete
    _total: int = 0
    _reported: float = 0.0  # when progress was last reported

    def run(self) -> None:
        """Download what is missing, then rename the staging folder; failures become sentences."""
        import httpx2
        from huggingface_hub.errors import HfHubHTTPError

        _prepare_library()
        try:
            self._run()
        except HfHubHTTPError as error:
            raise self._refusal(error.response) from error
        except httpx2.HTTPError as error:
            raise self._failure(error) from error
        except OSError as error:
            full = error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
            # The library raises an error without a number for a file that ends early.
            key = "full" if full else "unwritable" if error.errno else "failing"
            raise self.error(key, error=error) from error

    def error(self, key: str, **values: object) -> ModelError:
        """Make the error of a template; the values that most of them name are added."""
        home = self.folder.parent
        by_hand = UserMessage(
            "The program works without the network; to add this model by hand, copy its folder "
            "(config.json, the tokenizer's files, model.safetensors) into {home}.",
            home=home,
        )
        return ModelError(
            _TEMPLATES[key],
            host=urlsplit(self.endpoint).hostname,
            name=self.name,
            revision=self.revision,
            endpoint=self.endpoint,
            home=home,
            by_hand=by_hand,
            kept=_RESUMES,
            **values,
        )

    def _run(self) -> None:
        commit, files = self._listing()
        record = {"name": self.name, "revision": self.revision, "commit": commit}
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()  # Windows does not rename onto an existing folder, not even an empty one
        if self.folder.exists():
            if _is_version(self.folder, record):
                return
            raise self.error("exists", folder=self.folder)
        staging = self.folder.with_name(self.folder.name + STAGING)
        if staging.exists() and not _is_version(staging, record):
            shutil.rmtree(staging)
        staging.mkdir(parents=True, exist_ok=True)
        (staging / RECORD).write_text(json.dumps(record, indent=2) + "\n", "utf-8")
        self._total = sum(file.size for file in files)
        self._check_space(staging)
        for file in files:
            if not file.matches(staging / file.name, self.task):
                self._fetch(file, commit, staging / file.name)
            self._finished += file.size
            self.report(0)
        self.task.check()
        staging.rename(self.folder)

    def _listing(self) -> tuple[str, list[_File]]:
        """Request the commit of the revision and its files, and pick those to download."""
        from huggingface_hub.hf_api import ModelInfo
        from huggingface_hub.utils import hf_raise_for_status, http_backoff  # type: ignore[attr-defined]

        response = http_backoff(
            "GET",
            f"{self.endpoint}/api/models/{self.name}/revision/{self.revision.replace('/', '%2F')}?blobs=true",
            max_retries=3,
            base_wait_time=RETRY_SECONDS,
            retry_on_exceptions=_passing_faults(),
            retry_on_status_codes=(408, 500, 502, 503, 504),
            timeout=READ_SECONDS,
        )
        hf_raise_for_status(response)
        try:
            info: Any = ModelInfo(**response.json())  # type: ignore[no-untyped-call]
            files = [_read_file(sibling) for sibling in info.siblings]
            commit = _checked(info.sha)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self.error("listing") from error
        if info.gated:
            raise self.error("closed")
        return commit, self._pick(files)

    def _pick(self, files: Sequence[_File]) -> list[_File]:
        """Pick the files a safe model needs; the two that make a folder a model come last."""
        for file in files:
            if _HOSTILE.search(file.name):
                raise self.error("hostile", file=file.name)
        wanted = {file.name: file for file in files if _WANTED.fullmatch(file.name)}
        safe = {name.rpartition("/")[0] for name in wanted if name.endswith(".safetensors")}
        pickles = (match for file in files if (match := _PICKLED.fullmatch(file.name)))
        pickled = sorted(match[0] for match in pickles if match[1].rstrip("/") not in safe)
        if pickled:
            raise self.error("pickled", pickles=pickled[0])
        if not safe:
            raise self.error("weightless")
        for name in list(wanted):
            parent, _, base = name.rpartition("/")
            single = f"{parent}/model.safetensors".lstrip("/")
            if single in wanted and name != single and _SPARE.fullmatch(base):
                del wanted[name]
        return sorted(wanted.values(), key=lambda file: (file.name in {"config.json", "modules.json"}, file.name))

    def _check_space(self, staging: Path) -> None:
        present = sum(path.stat().st_size for path in staging.rglob("*") if path.is_file())
        needed, free = self._total - present, shutil.disk_usage(staging).free
        if needed > free:
            raise self.error("space", needed=needed / 1e6, free=free / 1e6)

    def _fetch(self, file: _File, commit: str, target: Path) -> None:
        """Download a file beside its target, check it, and rename it."""
        part = target.with_name(target.name + ".part")
        part.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._receive(file, commit, part)
        except _WrongContentError as error:
            part.unlink()
            raise self.error("damaged", file=file.name, what=error) from error
        part.replace(target)

    def _receive(self, file: _File, commit: str, part: Path) -> None:
        from huggingface_hub import hf_hub_url
        from huggingface_hub.errors import HfHubHTTPError
        from huggingface_hub.file_download import http_get

        url = hf_hub_url(self.name, file.name, revision=commit, endpoint=self.endpoint)
        options: Any = {
            "headers": {"Accept-Encoding": "identity"},
            "expected_size": file.size,
            "tqdm_class": partial(_Bar, self, file),
        }
        with part.open("ab") as sink:
            if sink.tell() > file.size:
                sink.truncate(0)
            try:
                http_get(url, sink, resume_size=sink.tell(), **options)
            except HfHubHTTPError as error:
                if error.response.status_code != 416:
                    raise
                sink.truncate(0)  # the hub cannot go on from where the part ends
                http_get(url, sink, **options)
            sink.flush()
            os.fsync(sink.fileno())
        if not file.matches(part, self.task):
            raise _WrongContentError("digest")

    def report(self, received: int) -> None:
        """Report the progress with so many bytes of the current file."""
        done, now = self._finished + received, time.monotonic()
        if done == self._total or now - self._reported >= REPORT_SECONDS:
            self._reported = now
            self.task.report(done, self._total, UserMessage("downloading {name}", name=self.name))
        self.task.check()

    def _refusal(self, response: httpx2.Response) -> ModelError:
        status, wait = response.status_code, response.headers.get("Retry-After", "")
        if status >= 500:
            return self.error("failing", error=f"status {status}")
        known = {401: "closed", 403: "closed", 404: "unknown", 429: "wait" if wait.isdecimal() else "busy"}
        return self.error(known.get(status, "refused"), status=status, wait=wait)

    def _failure(self, error: Exception) -> ModelError:
        import httpx2

        if isinstance(error, httpx2.ReadTimeout):
            return self.error("stalled")
        key = "failing" if isinstance(error, _passing_faults()) else "unreachable"
        return self.error("certificate" if "certificate" in str(error) else key, error=error)


class _WrongContentError(Exception):
    """The download differs from what the hub announced."""


class _Bar:
    """What `http_get` takes for tqdm: reports the bytes of one file, and stops it when they are too many."""

    def __init__(
        self, download: _Download, file: _File, total: int | None = None, initial: int = 0, **_: object
    ) -> None:
        self._download, self._file, self._received = download, file, initial
        if total not in {None, file.size}:
            raise _WrongContentError("size")

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self, count: int) -> None:
        """Count the bytes of a chunk; raises Cancelled before it is written."""
        self._received += count
        if self._received > self._file.size:
            raise _WrongContentError("size")
        self._download.report(self._received)


def _abandonable(work: Callable[[], None], task: Task) -> None:
    """Run `work` in another thread, so that a cancel need not wait for the network.

    Nothing interrupts a name lookup, a handshake or a read. An abandoned thread ends with its next chunk or time-out,
    and writes nothing more.

    Raises:
        Cancelled: The task was cancelled.
    """
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            errors.append(error)

    thread = threading.Thread(target=run, name="hub", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(TICK)
        if task.cancelled:
            thread.join(5 * TICK)
            raise Cancelled
    if errors:
        raise errors[0]


@cache
def _prepare_library() -> None:
    """Set up the library's one HTTP client: no token, no proxy for this machine, never down from https."""
    import httpx2
    from huggingface_hub import constants, set_client_factory
    from huggingface_hub.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # its retries are reported by our sentences
    # WORKAROUND: the library's 10 MB are held in memory until complete, and lost when the connection breaks.
    constants.DOWNLOAD_CHUNK_SIZE, constants.HF_HUB_DOWNLOAD_TIMEOUT = _CHUNK, READ_SECONDS
    local = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))
    hooks: Any = {"response": [_refuse_downgrade]}
    set_client_factory(lambda: httpx2.Client(event_hooks=hooks, follow_redirects=True, mounts=local))


def _refuse_downgrade(response: httpx2.Response) -> None:
    """Refuse a redirect from https to anything else, which the client would follow."""
    if response.has_redirect_location and response.url.scheme == "https":
        target = response.url.join(response.headers["Location"])
        if target.scheme != "https":
            raise ModelError(
                "{host} redirects to {scheme}://{netloc}, not https; check the hub's address.",
                host=response.url.host,
                scheme=target.scheme,
                netloc=target.host,
            )


def _passing_faults() -> tuple[type[Exception], ...]:
    import httpx2

    return (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError, httpx2.CloseError)


def _read_file(sibling: Any) -> _File:
    """Check one file of the hub's answer, which is not trusted."""
    name, size = sibling.rfilename, sibling.size
    if not isinstance(name, str) or type(size) is not int or size < 0:
        raise ValueError(name)
    if sibling.lfs:
        return _File(name, size, _checked(sibling.lfs.sha256))
    return _File(name, size, _checked(sibling.blob_id) if sibling.blob_id else "")


def _checked(digest: str | None) -> str:
    if digest is None or not _DIGEST.fullmatch(digest):
        raise ValueError(digest)
    return digest


def _is_version(folder: Path, record: dict[str, str]) -> bool:
    """Check whether the folder's record names the same model and commit."""
    try:
        old = json.loads((folder / RECORD).read_text("utf-8"))
        return all(old[key] == record[key] for key in ("name", "commit"))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def cached_models(cache: Path | None = None) -> list[tuple[str, Path]]:
    """List the complete models in the hub's local cache as (name, snapshot folder), sorted by name."""
    models = []
    for repo in (cache or _default_cache_folder()).glob("models--*"):
        snapshot = next((each for each in _snapshots(repo) if _is_whole(each)), None)
        if snapshot is not None:
            models.append(("/".join(repo.name.split("--")[1:]), snapshot))
    return sorted(models)


def _default_cache_folder() -> Path:
    if folder := os.environ.get("HF_HUB_CACHE"):
        return Path(folder).expanduser()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return Path(os.environ.get("HF_HOME") or caches / "huggingface").expanduser() / "hub"


def _snapshots(repo: Path) -> list[Path]:
    """List the snapshots of a cached model: the one of refs/main, then the others from new to old."""
    try:
        main = (repo / "refs" / "main").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        main = ""
    folders = [each for each in repo.glob("snapshots/*") if each.is_dir()]
    return sorted(folders, key=lambda each: (each.name == main, each.stat().st_mtime), reverse=True)


def _is_whole(snapshot: Path) -> bool:
    """Check that a snapshot has its configuration and weights, without a missing shard or a broken link."""
    weights = list(snapshot.rglob("*.safetensors"))
    shards = [match for each in weights if (match := _SHARD.fullmatch(each.name))]
    kinds = {(match[1], match[2]): int(match[3]) for match in shards}
    return (
        (snapshot / "config.json").is_file()
        and bool(weights)
        and all(each.exists() for each in snapshot.rglob("*"))
        and len(shards) == sum(kinds.values())
    )
