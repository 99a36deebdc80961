"""Downloads a model from a Hugging Face style hub, when the user asks for it."""

from __future__ import annotations

import errno
import hashlib
import http.client
import json
import os
import re
import shutil
import ssl
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import quote

from explorer.errors import ModelError
from explorer.messages import UserMessage
from explorer.models.files import wire
from explorer.models.files.wire import Cut, chunks
from explorer.paths import APP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from explorer.task import Task

HUB = "https://huggingface.co"
STAGING = ".download"  # ends the name of a folder that is not a whole model yet
RECORD = "download.json"
LISTING_LIMIT = 1 << 25  # bytes; the longest listings of real models are far below
RETRY_PAUSES = (0.5, 1.0, 2.0)  # seconds before each retry of what may have been a passing fault
REPORT_SECONDS = 0.05

_NAME = re.compile(r"(?!.*(?:--|\.\.))(?:\w[\w.-]{0,95}/)?\w[\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"(?!.*\.\.)\w[\w./-]{0,199}", re.ASCII)
_ENDPOINT = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:/[\w./-]*)?", re.ASCII)
_COMMIT = re.compile(r"([0-9a-f]{40}(?:[0-9a-f]{24})?)")
_SHA1 = re.compile(r"([0-9a-f]{40})")
_SHA256 = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
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
_PICKLED = re.compile(
    r"((?:\d+_\w+/)?)(?:pytorch_model[\w.-]*\.bin|model\.(?:bin|pt|pth|pkl|ckpt))", re.ASCII
)
_SHARD = re.compile(r"(.+-)\d{5}(-of-(\d{5})\.safetensors)")
_SPARE = re.compile(r"model[\w.-]*\.safetensors(?:\.index\.json)?")  # not needed beside model.safetensors


def download(
    name: str,
    folder: Path,
    *,
    revision: str = "main",
    endpoint: str | None = None,
    offline: bool = False,
    task: Task,
) -> Path:
    """Download a model's safe files; pickled weights and code are never fetched.

    They gather in `folder` + STAGING, which a failure or cancel leaves for the next call to resume.

    Args:
        name: "owner/model" or "model".
        folder: What the model's folder becomes; must not exist, unless it holds this very version already.
        revision: Branch, tag or commit.
        endpoint: The hub's address; by default HF_ENDPOINT, else huggingface.co.
        offline: Refuse without touching the network, as HF_HUB_OFFLINE=1 does.
        task: Told the bytes done, asked for cancel.

    Returns:
        `folder`, complete and checked.

    Raises:
        ModelError: With a sentence, for everything that can go wrong.
        Cancelled: The user cancelled.
    """
    if not _NAME.fullmatch(name):
        raise ModelError(
            '"{name}" is not the name of a model on the hub; write it as owner/model.', name=name
        )
    if not _REVISION.fullmatch(revision):
        raise ModelError(
            '"{revision}" is not a revision of {name}; use a branch, a tag or a commit.',
            revision=revision,
            name=name,
        )
    if offline or os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        raise ModelError(
            "{name} was not downloaded, as the program is set to stay offline. {by_hand}",
            name=name,
            by_hand=_by_hand(folder.parent),
        )
    hub = _Hub(endpoint or os.environ.get("HF_ENDPOINT") or HUB, name, folder.parent, task)
    try:
        commit, files = hub.listing(revision)
        return _Download(hub, folder, revision, commit, files, task).run()
    except OSError as error:
        raise ModelError(_disk_sentence(error, folder)) from error


@dataclass(frozen=True)
class _File:
    """A file the hub offers, with `sha256` if large, `blob` (git's SHA-1) if small, "" where not told."""

    name: str
    size: int
    sha256: str
    blob: str

    def matches(self, path: Path, task: Task) -> bool:
        """Whether the file at `path` is this one, by size and digest."""
        if not path.is_file() or path.stat().st_size != self.size:
            return False
        digest = hashlib.sha256() if self.sha256 else hashlib.sha1(usedforsecurity=False)
        if not self.sha256:
            digest.update(f"blob {self.size}\0".encode())
        with path.open("rb") as source:
            while chunk := source.read(wire.CHUNK * 16):
                task.check()
                digest.update(chunk)
        return (self.sha256 or self.blob or digest.hexdigest()) == digest.hexdigest()


class _Hub:
    """One model on one hub: asks for it, and turns what goes wrong into sentences."""

    def __init__(self, endpoint: str, name: str, home: Path, task: Task) -> None:
        self.endpoint, self.name, self.home = endpoint.rstrip("/"), name, home
        match = _ENDPOINT.fullmatch(self.endpoint)
        if match is None:
            raise ModelError(
                '"{endpoint}" (HF_ENDPOINT) is not the address of a hub; write it like {hub}.',
                endpoint=endpoint,
                hub=HUB,
            )
        self.host = match[1].strip("[]")
        self._task, self.last_fault = task, Cut("")
        self._opener = wire.opener(self.host, task)

    def listing(self, revision: str) -> tuple[str, list[_File]]:
        """Ask for the commit of `revision` and for its files, and pick those to fetch."""
        path = f"api/models/{self.name}/revision/{quote(revision, safe='')}?blobs=true"
        for _ in self.tries():
            try:
                with self.open(path) as response:
                    answer = b"".join(chunks(response, LISTING_LIMIT))
            except Cut as cut:
                self.last_fault = cut
            else:
                return self._read_listing(answer)
        raise self.broken()

    def tries(self) -> Iterator[int]:
        """Count the first try and each retry, waiting before every retry."""
        yield 0
        for number, pause in enumerate(RETRY_PAUSES, 1):
            end = time.monotonic() + pause
            while (left := end - time.monotonic()) > 0:
                self._task.check()
                time.sleep(min(left, wire.TICK))
            yield number

    def broken(self) -> ModelError:
        """The error for a fault that did not pass."""
        return ModelError(
            "Downloading {name} from {host} failed again and again ({last_fault}). {kept}",
            name=self.name,
            host=self.host,
            last_fault=self.last_fault,
            kept=wire.KEPT,
        )

    def open(self, path: str, start: int = 0) -> http.client.HTTPResponse:
        """Ask for `path` from byte `start` on.

        Raises:
            Cut: Worth a retry.
            ModelError: Not worth one.
        """
        headers = {"User-Agent": APP} | ({"Range": f"bytes={start}-"} if start else {})
        request = urllib.request.Request(f"{self.endpoint}/{path}", headers=headers)  # noqa: S310 - scheme is checked
        try:
            return cast(http.client.HTTPResponse, self._opener.open(request, timeout=wire.CONNECT_SECONDS))
        except HTTPError as error:
            error.close()
            if error.code >= 500 or error.code in {408, 416}:
                raise Cut(f"status {error.code}", restart=error.code == 416) from error
            raise ModelError(self._status_sentence(error.code, error.headers.get("Retry-After"))) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = error.reason if isinstance(error, URLError) else error
            if _may_pass(reason):
                raise Cut(str(reason) or type(reason).__name__) from error
            raise ModelError(self._unreachable_sentence(reason)) from error

    def _status_sentence(self, status: int, wait: str | None) -> str:
        if status in {401, 403}:
            return self._closed()
        if status == 404:
            return UserMessage(
                "{host} has no model {name} of this revision; check its name and revision.",
                host=self.host,
                name=self.name,
            )
        if status == 429:
            when = (
                UserMessage("in {wait} seconds", wait=wait)
                if wait and wait.isdecimal()
                else UserMessage("in a few minutes")
            )
            return UserMessage(
                "{host} answers no more requests for now; try to download {name} again {when}.",
                host=self.host,
                name=self.name,
                when=when,
            )
        return UserMessage(
            "{host} refused to send {name} (status {status}). {by_hand}",
            host=self.host,
            name=self.name,
            status=status,
            by_hand=_by_hand(self.home),
        )

    def _unreachable_sentence(self, reason: object) -> str:
        what = UserMessage(
            "You are offline: {host} cannot be reached for {name} ({reason}).",
            host=self.host,
            name=self.name,
            reason=reason,
        )
        if isinstance(reason, ssl.SSLCertVerificationError):
            what = UserMessage(
                "{host} could not prove its identity ({reason}); check this computer's clock.",
                host=self.host,
                reason=reason,
            )
        return f"{what} {_by_hand(self.home)}"

    def _closed(self) -> str:
        return UserMessage(
            "{host} does not hand out {name}: it does not exist, is private, or has terms to accept "
            "first. Check the name, or accept the terms at {endpoint}/{name}, download the files in "
            "the browser, and copy their folder into {home}.",
            host=self.host,
            name=self.name,
            endpoint=self.endpoint,
            home=self.home,
        )

    def _read_listing(self, text: bytes) -> tuple[str, list[_File]]:
        try:
            answer = json.loads(text)
            commit = _matched(_COMMIT, answer["sha"])
            gated = answer.get("gated", False)
            files = [_read_file(each) for each in answer["siblings"]]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ModelError(
                "{host} answered something that is not the file list of {name}; check the hub's address "
                "{endpoint}, and whether this network asks you to sign in first.",
                host=self.host,
                name=self.name,
                endpoint=self.endpoint,
            ) from error
        if gated:
            raise ModelError(self._closed())
        return commit, self._pick(files)

    def _pick(self, files: Sequence[_File]) -> list[_File]:
        """The files a safe model needs; the two that make a folder a model come last."""
        for file in files:
            if _HOSTILE.search(file.name):
                raise ModelError(
                    "{host} lists {file!r}, which would land outside the folder of {name}; nothing was "
                    "downloaded. Do not use this model.",
                    host=self.host,
                    file=file.name,
                    name=self.name,
                )
        wanted = {file.name: file for file in files if _WANTED.fullmatch(file.name)}
        self._refuse_pickles({file.name for file in files}, set(wanted))
        for name in list(wanted):
            parent, _, base = name.rpartition("/")
            single = f"{parent}/model.safetensors".lstrip("/")
            if single in wanted and name != single and _SPARE.fullmatch(base):
                del wanted[name]
        return sorted(
            wanted.values(), key=lambda file: (file.name in {"config.json", "modules.json"}, file.name)
        )

    def _refuse_pickles(self, offered: set[str], wanted: set[str]) -> None:
        safe = {name.rpartition("/")[0] for name in wanted if name.endswith(".safetensors")}
        pickles = sorted(
            name for name in offered if (m := _PICKLED.fullmatch(name)) and m[1].rstrip("/") not in safe
        )
        if pickles:
            raise ModelError(
                "{name} offers only pickled weights ({pickles}), which can run code when opened, so it "
                "was not downloaded. Choose a model with model.safetensors, or save it elsewhere as "
                "safetensors and copy its folder into {home}.",
                name=self.name,
                pickles=pickles[0],
                home=self.home,
            )
        if not safe:
            raise ModelError("{name} offers no weights as safetensors; choose another model.", name=self.name)


@dataclass
class _Download:
    """One download under way: the staging folder and how many bytes are in it."""

    hub: _Hub
    folder: Path
    revision: str
    commit: str
    files: list[_File]
    task: Task
    _before: int = 0  # bytes of the files that are finished
    _reported: float = 0.0  # when progress was last told

    def run(self) -> Path:
        """Fetch what is missing, then give the folder its name."""
        record = {"name": self.hub.name, "revision": self.revision, "commit": self.commit}
        if self._is_there(record):
            return self.folder
        self._stage(record)
        self._check_space()
        for file in self.files:
            self._fetch(file)
            self._before += file.size
        self.task.check()
        self._staging.rename(self.folder)
        return self.folder

    @property
    def _staging(self) -> Path:
        return self.folder.with_name(self.folder.name + STAGING)

    def _is_there(self, record: dict[str, str]) -> bool:
        if not self.folder.exists():
            return False
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()  # Windows renames onto nothing, not even onto an empty folder
            return False
        if not _same_version(self.folder, record):
            raise ModelError(
                "{folder} exists already and is not this version; remove it or choose another name.",
                folder=self.folder,
            )
        return True

    def _stage(self, record: dict[str, str]) -> None:
        """Make the staging folder; one of another model or version is of no use and goes."""
        if self._staging.exists() and not _same_version(self._staging, record):
            shutil.rmtree(self._staging)
        self._staging.mkdir(parents=True, exist_ok=True)
        (self._staging / RECORD).write_text(json.dumps(record, indent=2) + "\n", "utf-8")

    def _check_space(self) -> None:
        there = sum(path.stat().st_size for path in self._staging.rglob("*") if path.is_file())
        needed = self._total - there
        free = shutil.disk_usage(self._staging).free
        if needed > free:
            raise ModelError(
                "{name} needs {needed:,.1f} MB, but only {free:,.1f} MB are free on the disk of "
                "{parent}; make room and try again.",
                name=self.hub.name,
                needed=needed / 1e6,
                free=free / 1e6,
                parent=self.folder.parent,
            )

    @property
    def _total(self) -> int:
        return sum(file.size for file in self.files)

    def _fetch(self, file: _File) -> None:
        target = self._staging / file.name
        part = target.with_name(target.name + ".part")
        if not file.matches(target, self.task):
            target.parent.mkdir(parents=True, exist_ok=True)
            part.touch()
            self._fill(file, part)
            self._seal(file, part, target)
        self._report(file.size)

    def _fill(self, file: _File, part: Path) -> None:
        """Receive until the part is as long as the file; only faults without any gain are counted."""
        best, tries = part.stat().st_size, self.hub.tries()
        while part.stat().st_size != file.size:
            if next(tries, None) is None:
                raise self.hub.broken()
            try:
                self._receive(file, part)
            except Cut as cut:
                self.hub.last_fault = cut
                if cut.restart:
                    part.write_bytes(b"")
            if part.stat().st_size > best:
                best, tries = part.stat().st_size, self.hub.tries()

    def _receive(self, file: _File, part: Path) -> None:
        have = part.stat().st_size
        have = have if have < file.size else 0
        path = f"{self.hub.name}/resolve/{self.commit}/{quote(file.name)}"
        with self.hub.open(path, have) as response:
            resumed = response.status == http.client.PARTIAL_CONTENT
            if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                raise Cut("another range than asked for", restart=True)
            have = have if resumed else 0
            if response.length not in {None, file.size - have}:
                raise self._damaged(file, part, "size")
            with part.open("ab" if resumed else "wb") as sink:
                for chunk in chunks(response, file.size - have + 1):
                    have += sink.write(chunk)
                    self._report(have)
        if have > file.size:
            raise self._damaged(file, part, "size")
        if have < file.size:
            raise Cut(f"{file.name} ended after {have} of {file.size} bytes")

    def _seal(self, file: _File, part: Path, target: Path) -> None:
        """Check a full part, bring it safely to the disk, and give it its name."""
        if not file.matches(part, self.task):
            raise self._damaged(file, part, "digest")
        with part.open("rb+") as whole:
            os.fsync(whole.fileno())
        part.replace(target)

    def _damaged(self, file: _File, part: Path, what: str) -> ModelError:
        part.unlink()
        return ModelError(
            "{file} of {name} arrived damaged: its {what} is not the one that {host} announced. It "
            "was deleted; try the download again.",
            file=file.name,
            name=self.hub.name,
            what=what,
            host=self.hub.host,
        )

    def _report(self, have: int) -> None:
        done, now = self._before + have, time.monotonic()
        if done == self._total or now - self._reported >= REPORT_SECONDS:
            self._reported = now
            self.task.report(done, self._total, UserMessage("downloading {name}", name=self.hub.name))
        self.task.check()


def _read_file(entry: dict[str, Any]) -> _File:
    """One file of the hub's answer, which is not trusted: a wrong one raises one of Python's own errors."""
    name, size, large, blob = entry["rfilename"], entry["size"], entry.get("lfs"), entry.get("blobId")
    if not isinstance(name, str) or type(size) is not int or size < 0:
        raise ValueError(name)
    if large:
        return _File(name, size, _matched(_SHA256, large.get("sha256") or large["oid"]), "")
    return _File(name, size, "", _matched(_SHA1, blob) if blob else "")


def _matched(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return match[1]


def _may_pass(reason: object) -> bool:
    passing = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, ssl.SSLEOFError)
    return isinstance(reason, (*passing, http.client.HTTPException))


def _same_version(folder: Path, record: dict[str, str]) -> bool:
    """Whether the folder's record names the same model and commit."""
    try:
        old = json.loads((folder / RECORD).read_text("utf-8"))
        return all(old[key] == record[key] for key in ("name", "commit"))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _by_hand(home: Path) -> str:
    return (
        "The program works without the network; to add this model by hand, copy its folder (config.json, the "
        f"tokenizer's files, model.safetensors) into {home}."
    )


def _disk_sentence(error: OSError, folder: Path) -> str:
    if error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}:
        return (
            f"The disk of {folder.parent} is full; make room and download again, it goes on where it stopped."
        )
    return f"{folder.parent} cannot be written ({error}); choose a folder that can, and download again."


def cached_models(cache: Path | None = None) -> list[tuple[str, Path]]:
    """Models in the hub's local cache that are whole, as (name, snapshot folder), sorted by name."""
    found = []
    for repo in (cache or _default_cache_folder()).glob("models--*"):
        snapshot = next((each for each in _snapshots(repo) if _is_whole(each)), None)
        if snapshot is not None:
            found.append(("/".join(repo.name.split("--")[1:]), snapshot))
    return sorted(found)


def _default_cache_folder() -> Path:
    if chosen := os.environ.get("HF_HUB_CACHE"):
        return Path(chosen).expanduser()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return Path(os.environ.get("HF_HOME") or caches / "huggingface").expanduser() / "hub"


def _snapshots(repo: Path) -> list[Path]:
    """The snapshots of a cached model: the one of refs/main, then the others from new to old."""
    try:
        main = (repo / "refs" / "main").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        main = ""
    folders = [each for each in repo.glob("snapshots/*") if each.is_dir()]
    return sorted(folders, key=lambda each: (each.name == main, each.stat().st_mtime), reverse=True)


def _is_whole(snapshot: Path) -> bool:
    """Whether a snapshot has its configuration, and weights without a missing shard or a broken link."""
    weights = list(snapshot.rglob("*.safetensors"))
    shards = [match for each in weights if (match := _SHARD.fullmatch(each.name))]
    kinds = {(match[1], match[2]): int(match[3]) for match in shards}
    return (
        (snapshot / "config.json").is_file()
        and bool(weights)
        and all(each.exists() for each in snapshot.rglob("*"))
        and len(shards) == sum(kinds.values())
    )
