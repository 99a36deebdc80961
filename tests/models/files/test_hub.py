"""Downloads from a hub that runs on this machine, and the listing of a hub's cache."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import httpx2
import pytest

from explorer.errors import ModelError
from explorer.models.files import hub
from explorer.task import Cancelled, Progress, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAME = "acme/tiny"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
WEIGHTS = bytes(range(256)) * 2000  # 512,000 bytes
MODEL = {
    "config.json": b'{"model_type": "bert"}',
    "modules.json": b"[]",
    "tokenizer.json": b"{}",
    "vocab.txt": b"[PAD]\n[UNK]\n",
    "1_Pooling/config.json": b'{"pooling_mode_mean_tokens": true}',
    "README.md": b"# tiny\n",
    "empty_config.json": b"",
    "model.safetensors": WEIGHTS,
}


@dataclass
class FakeHub:
    """A hub with one model, and the faults it is told to show."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(MODEL))
    listed: dict[str, Any] = field(default_factory=dict)  # overrides of the answer of the API
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)  # overrides of a file's entry
    statuses: list[int] = field(default_factory=list)  # answers to the next requests, before the true ones
    cuts: list[int] = field(default_factory=list)  # the next requests for weights end after so many bytes
    stall_after: int | None = None  # the weights stop coming after so many bytes
    ranges: bool = True
    redirect: str = ""  # base of the address that files are redirected to
    asked: list[tuple[str, str]] = field(default_factory=list)  # (path, Range)
    sent: dict[str, int] = field(default_factory=dict)
    released: threading.Event = field(default_factory=threading.Event)
    endpoint: str = ""

    def listing(self) -> bytes:
        siblings = [self._entry(name, data) | self.entries.get(name, {}) for name, data in self.files.items()]
        return json.dumps({"id": NAME, "sha": COMMIT, "gated": False, "siblings": siblings} | self.listed).encode()

    def _entry(self, name: str, data: bytes) -> dict[str, Any]:
        entry: dict[str, Any] = {"rfilename": name, "size": len(data)}
        if name.endswith(".safetensors"):
            return entry | {"lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}}
        return entry | {"blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()}

    def fetched(self) -> list[str]:
        """The files asked for, in order."""
        return [path.partition(f"/resolve/{COMMIT}/")[2] for path, _ in self.asked if "/resolve/" in path]

    def ranges_of_weights(self) -> list[str]:
        return [wanted for path, wanted in self.asked if path.endswith("model.safetensors")]


class Handler(BaseHTTPRequestHandler):
    """Answers for the FakeHub that is the server's `hub`."""

    fake: FakeHub

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.fake.asked.append((path, self.headers.get("Range", "")))
        if self.fake.statuses:
            self._answer(self.fake.statuses.pop(0), b"no", {"Retry-After": "7"})
        elif path == f"/api/models/{NAME}/revision/main" and "blobs=true" in self.path:
            self._answer(200, self.fake.listing())
        elif self.fake.redirect and not path.startswith("/cdn"):
            self._answer(302, b"", {"Location": f"{self.fake.redirect}/cdn{self.path}"})
        elif (name := path.partition(f"/{NAME}/resolve/{COMMIT}/")[2]) in self.fake.files:
            self._send_file(name)
        else:
            self._answer(404, b"no")

    def _send_file(self, name: str) -> None:
        data, wanted = self.fake.files[name], self.headers.get("Range")
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.fake.ranges else 0
        if start and start >= len(data):
            self._answer(416, b"")
            return
        headers = {"Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"} if start else {}
        self._start(206 if start else 200, len(data) - start, headers)
        body = data[start:]
        if name.endswith(".safetensors"):
            body = self._fault(name, body)
        self._write(name, body)

    def _fault(self, name: str, body: bytes) -> bytes:
        if self.fake.cuts:
            return body[: self.fake.cuts.pop(0)]
        if self.fake.stall_after is not None:
            self._write(name, body[: self.fake.stall_after])
            self.fake.released.wait(600)
            return b""
        return body

    def _write(self, name: str, body: bytes) -> None:
        try:
            self.wfile.write(body)
        except ConnectionError:
            return  # the client cancelled
        self.fake.sent[name] = self.fake.sent.get(name, 0) + len(body)

    def _start(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in (headers | {"Content-Length": str(length)}).items():
            self.send_header(key, value)
        self.end_headers()

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self._start(status, len(body), headers or {})
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for every answer


@pytest.fixture
def serve() -> Iterator[Callable[[FakeHub], FakeHub]]:
    running: list[tuple[FakeHub, Server, threading.Thread]] = []

    def start(fake: FakeHub) -> FakeHub:
        server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"fake": fake}))
        fake.endpoint = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        running.append((fake, server, thread))
        return fake

    yield start
    for fake, server, thread in running:
        fake.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def fake(serve: Callable[[FakeHub], FakeHub]) -> FakeHub:
    return serve(FakeHub())


@pytest.fixture(autouse=True)
def hermetic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxy, hub setting or pause of this machine reaches a test, and no thread outlives one."""
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name.startswith(("HF_", "XDG_CACHE")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(hub, "HUB", "http://127.0.0.1:9")  # a forgotten endpoint stays on loopback too
    monkeypatch.setattr(hub, "RETRY_SECONDS", 0)
    for module in ("file_download", "utils._http"):
        monkeypatch.setattr(f"huggingface_hub.{module}.time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr(hub, "REPORT_SECONDS", 0)
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()


def get(fake: FakeHub, folder: Path, task: Task | None = None) -> Path:
    return hub.download(NAME, folder, endpoint=fake.endpoint, task=task or Task())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def part_of(folder: Path) -> Path:
    return folder.with_name("tiny.download") / "model.safetensors.part"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models" / "tiny"


def test_a_whole_model_arrives_with_its_record(fake: FakeHub, folder: Path) -> None:
    assert get(fake, folder) == folder
    got = contents(folder)
    assert json.loads(got.pop("download.json")) == {"name": NAME, "revision": "main", "commit": COMMIT}
    assert got == MODEL
    assert [each.name for each in folder.parent.iterdir()] == ["tiny"]


def test_the_files_that_make_a_model_of_a_folder_come_last(fake: FakeHub, folder: Path) -> None:
    get(fake, folder)
    assert fake.fetched()[-2:] == ["config.json", "modules.json"]


def test_progress_reaches_the_total(fake: FakeHub, folder: Path) -> None:
    seen: list[Progress] = []
    get(fake, folder, Task(seen.append))
    total = sum(map(len, MODEL.values()))
    assert (seen[-1].done, seen[-1].total, seen[-1].note) == (total, total, "downloading acme/tiny")
    assert [each.done for each in seen] == sorted(each.done for each in seen)


def test_progress_is_told_at_most_twenty_times_a_second(
    fake: FakeHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "REPORT_SECONDS", 1000)
    seen: list[Progress] = []
    get(fake, folder, Task(seen.append))
    assert len({each.done for each in seen}) <= 2  # the first and the last


def test_only_safe_and_needed_files_are_fetched(fake: FakeHub, folder: Path) -> None:
    needed = [
        "2_Dense/config.json",
        "2_Dense/model.safetensors",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "added_tokens.json",
        "vocab.json",
        "merges.txt",
        "sentencepiece.bpe.model",
        "spiece.model",
        "LICENSE",
        "LICENSE.txt",
    ]
    unwanted = [
        "pytorch_model.bin",
        "2_Dense/pytorch_model.bin",
        "training_args.bin",
        "optimizer.pt",
        "x.pkl",
        "y.ckpt",
        "tf_model.h5",
        "flax_model.msgpack",
        "rust_model.ot",
        "modeling_tiny.py",
        "onnx/model.onnx",
        "onnx/config.json",
        "openvino/openvino_model.xml",
        "openvino/config.json",
        "coreml/model.safetensors",
        "doc2vec.model",
        "LICENSE.py",
        ".gitattributes",
        "train_script.py",
        "data/notes.json",
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
        "model.safetensors.index.json",
        "model.fp16.safetensors",
    ]
    fake.files |= {name: name.encode() for name in needed + unwanted}
    get(fake, folder)
    assert sorted(fake.fetched()) == sorted([*needed, *(name for name, data in MODEL.items() if data)])


def test_a_model_in_shards_is_fetched_whole(fake: FakeHub, folder: Path) -> None:
    del fake.files["model.safetensors"]
    shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"]
    fake.files |= {name: name.encode() for name in shards}
    get(fake, folder)
    assert set(shards) <= set(contents(folder))


@pytest.mark.parametrize("pickle", ["pytorch_model.bin", "pytorch_model-00001-of-00002.bin", "model.pt"])
def test_pickled_weights_alone_are_refused(fake: FakeHub, folder: Path, pickle: str) -> None:
    fake.files[pickle] = fake.files.pop("model.safetensors")
    with pytest.raises(ModelError, match=r"only pickled weights .* Choose a model with model\.safetensors"):
        get(fake, folder)
    assert fake.fetched() == []
    assert not folder.parent.exists()


def test_a_module_with_pickled_weights_alone_is_refused(fake: FakeHub, folder: Path) -> None:
    fake.files |= {"2_Dense/config.json": b"{}", "2_Dense/pytorch_model.bin": b"x"}
    with pytest.raises(ModelError, match=r"only pickled weights \(2_Dense/pytorch_model\.bin\)"):
        get(fake, folder)


def test_a_model_without_weights_is_refused(fake: FakeHub, folder: Path) -> None:
    del fake.files["model.safetensors"]
    with pytest.raises(ModelError, match="no weights"):
        get(fake, folder)


@pytest.mark.parametrize(
    "name",
    ["/etc/config.json", "../config.json", "1_Pooling/../../config.json", "..\\config.json",
     "1_Pooling\\config.json", "C:config.json", "c:/config.json", "config.json\0",
     "1_Pooling//config.json", "./config.json", ".."],
)  # fmt: skip
def test_a_hostile_file_name_stops_everything(fake: FakeHub, folder: Path, name: str) -> None:
    fake.files[name] = b"evil"
    with pytest.raises(ModelError, match="would be outside"):
        get(fake, folder)
    assert fake.fetched() == []
    assert not folder.parent.exists()


def test_a_cut_connection_is_resumed_where_it_broke(fake: FakeHub, folder: Path) -> None:
    fake.cuts = [100_000, 50_000]
    get(fake, folder)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    # Only what is less than a chunk is sent again.
    assert fake.ranges_of_weights() == ["", "bytes=65536-", "bytes=65536-"]


def test_progress_renews_the_retries_and_faults_without_any_use_them_up(fake: FakeHub, folder: Path) -> None:
    fake.cuts = [70_000] * 7
    get(fake, folder)
    fake.files, fake.cuts, fake.asked = dict(MODEL), [70_000, *[0] * 9], []
    with pytest.raises(ModelError, match=r"repeatedly .*What has been downloaded is kept"):
        get(fake, folder.with_name("other"))
    assert fake.fetched().count("model.safetensors") == 6  # five retries, the library's number


def test_a_hub_that_ignores_ranges_makes_it_start_over(fake: FakeHub, folder: Path) -> None:
    fake.cuts, fake.ranges = [100_000], False
    get(fake, folder)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert fake.sent["model.safetensors"] == len(WEIGHTS) + 100_000


def test_a_part_longer_than_the_file_starts_over(fake: FakeHub, folder: Path) -> None:
    fake.cuts = [100_000, *[0] * 5]
    with pytest.raises(ModelError):
        get(fake, folder)
    assert fake.cuts == []
    part_of(folder).write_bytes(WEIGHTS + b"more")
    get(fake, folder)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS


def test_a_range_the_hub_cannot_satisfy_starts_over(fake: FakeHub, folder: Path) -> None:
    fake.cuts = [100_000, *[0] * 5]
    with pytest.raises(ModelError):
        get(fake, folder)
    assert fake.cuts == []
    original = fake.listing

    def listing() -> bytes:
        fake.statuses = [416]  # the next request is the one for the rest of the weights
        return original()

    fake.listing, fake.asked = listing, []  # type: ignore[method-assign]
    get(fake, folder)
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert fake.ranges_of_weights() == ["bytes=65536-", ""]


def cancel_midway(fake: FakeHub, folder: Path) -> None:
    """Cancel when two chunks of the weights have come and no more are coming."""
    task = Task(lambda progress: task.cancel() if progress.done > 131_000 else None)
    fake.stall_after = 150_000
    with pytest.raises(Cancelled):
        get(fake, folder, task)
    fake.released.set()
    fake.stall_after = None


def test_after_a_cancel_the_next_call_fetches_only_the_rest(fake: FakeHub, folder: Path) -> None:
    cancel_midway(fake, folder)
    assert not folder.exists()
    kept = part_of(folder).stat().st_size
    assert 0 < kept <= 150_000
    done, fake.asked, fake.sent = set(fake.fetched()) - {"model.safetensors"}, [], {}
    get(fake, folder)
    assert contents(folder).items() >= MODEL.items()
    assert fake.ranges_of_weights() == [f"bytes={kept}-"]
    assert done
    assert not done & set(fake.fetched())


def test_another_version_does_not_resume_the_old_one(fake: FakeHub, folder: Path) -> None:
    fake.files["LICENSE"] = b"old"
    cancel_midway(fake, folder)
    staging = folder.with_name("tiny.download")
    record = json.loads((staging / "download.json").read_text("utf-8"))
    (staging / "download.json").write_text(json.dumps(record | {"commit": "f" * 40}), "utf-8")
    del fake.files["LICENSE"]
    get(fake, folder)
    assert {name for name in contents(folder) if name != "download.json"} == set(MODEL)


def test_a_damaged_finished_file_is_fetched_again(fake: FakeHub, folder: Path) -> None:
    cancel_midway(fake, folder)
    (folder.with_name("tiny.download") / "README.md").write_bytes(b"# TINY\n")
    get(fake, folder)
    assert (folder / "README.md").read_bytes() == MODEL["README.md"]


@pytest.mark.parametrize(
    ("name", "override"),
    [
        ("model.safetensors", {"lfs": {"sha256": "0" * 64, "size": 5, "pointerSize": 130}}),
        ("vocab.txt", {"blobId": "0" * 40}),
    ],
)
def test_a_wrong_digest_deletes_the_part(fake: FakeHub, folder: Path, name: str, override: dict[str, Any]) -> None:
    fake.entries[name] = override
    with pytest.raises(ModelError, match=f"{name} of acme/tiny arrived damaged: its digest"):
        get(fake, folder)
    staging = folder.with_name("tiny.download")
    assert not (staging / name).exists()
    assert not (staging / f"{name}.part").exists()
    assert not folder.exists()


@pytest.mark.parametrize("size", [len(WEIGHTS) + 10, len(WEIGHTS) - 10])
def test_a_file_of_another_size_is_refused(fake: FakeHub, folder: Path, size: int) -> None:
    fake.entries["model.safetensors"] = {"size": size}
    with pytest.raises(ModelError, match="arrived damaged: its size"):
        get(fake, folder)
    assert not part_of(folder).exists()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (404, "no model acme/tiny"),
        (401, "private"),
        (403, "accept the terms"),
        (429, "again in 7 seconds"),
        (418, "418"),
    ],
)
def test_a_refusal_of_the_hub_is_a_sentence_and_not_retried(
    fake: FakeHub, folder: Path, status: int, sentence: str
) -> None:
    fake.statuses = [status]
    with pytest.raises(ModelError, match=sentence):
        get(fake, folder)
    assert len(fake.asked) == 1


def test_a_passing_fault_of_the_hub_is_retried(fake: FakeHub, folder: Path) -> None:
    fake.statuses = [500, 503, 502]
    assert get(fake, folder) == folder


def test_a_lasting_fault_of_the_hub_is_a_sentence(fake: FakeHub, folder: Path) -> None:
    fake.statuses = [500] * 9
    with pytest.raises(ModelError, match="status 500"):
        get(fake, folder)
    assert len(fake.asked) == 4


@pytest.mark.parametrize("gated", ["auto", "manual", True])
def test_a_gated_model_is_a_sentence(fake: FakeHub, folder: Path, gated: object) -> None:
    fake.listed = {"gated": gated}
    with pytest.raises(ModelError, match="accept the terms at http"):
        get(fake, folder)


@pytest.mark.parametrize(
    "listed",
    [
        {"sha": "../../x"}, {"sha": None}, {"siblings": None}, {"siblings": ["x"]},
        {"siblings": [{"rfilename": "x"}]},
        {"siblings": [{"rfilename": 5, "size": 5}]}, {"siblings": [{"rfilename": "config.json", "size": -5}]},
        {"siblings": [{"rfilename": "m.safetensors", "size": 5, "lfs": {"sha256": "s", "size": 5, "pointerSize": 5}}]},
        {"siblings": [{"rfilename": "m.safetensors", "size": 5, "lfs": "yes"}]},
    ],
)  # fmt: skip
def test_an_answer_that_makes_no_sense_is_a_sentence(fake: FakeHub, folder: Path, listed: dict[str, Any]) -> None:
    fake.listed = listed
    with pytest.raises(ModelError, match="did not return the file list of acme/tiny"):
        get(fake, folder)


@pytest.mark.parametrize("text", [b"<html>Sign in</html>", b"[]", b"", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_no_json_is_a_sentence(fake: FakeHub, folder: Path, text: bytes) -> None:
    fake.listing = lambda: text  # type: ignore[method-assign]
    with pytest.raises(ModelError, match="did not return the file list of acme/tiny"):
        get(fake, folder)


def test_a_redirect_to_another_host_keeps_the_range(
    fake: FakeHub, serve: Callable[[FakeHub], FakeHub], folder: Path
) -> None:
    cdn = serve(FakeHub(cuts=[100_000]))
    fake.redirect = cdn.endpoint
    get(fake, folder)
    assert contents(folder).items() >= MODEL.items()
    assert cdn.ranges_of_weights() == ["", "bytes=65536-"]
    assert fake.sent == {}


@pytest.mark.parametrize("target", ["http://cdn.example/x", "ftp://cdn.example/x", "file:///x"])
def test_a_redirect_never_leaves_https(target: str) -> None:
    hub._prepare_library()
    request = httpx2.Request("GET", "https://h.example")
    answers = httpx2.MockTransport(lambda _: httpx2.Response(302, headers={"Location": target}, request=request))
    hooks: Any = {"response": [hub._refuse_downgrade]}
    with (
        httpx2.Client(transport=answers, event_hooks=hooks, follow_redirects=True) as client,
        pytest.raises(ModelError, match="not https"),
    ):
        client.get("https://h.example")


@pytest.mark.parametrize("base", ["file:///etc", "ftp://127.0.0.1"])
def test_a_redirect_leaves_the_web_for_nothing(fake: FakeHub, folder: Path, base: str) -> None:
    fake.redirect = base
    with pytest.raises(ModelError):
        get(fake, folder)


def test_cancel_answers_while_a_file_stalls(fake: FakeHub, folder: Path) -> None:
    fake.stall_after = 1000
    task = Task()

    def cancel_when_stalled() -> None:
        while fake.sent.get("model.safetensors") != 1000:
            time.sleep(0.01)
        task.cancel()

    watching = threading.Thread(target=cancel_when_stalled)
    watching.start()
    with pytest.raises(Cancelled):
        get(fake, folder, task)
    watching.join()
    assert not fake.released.is_set()  # nothing more came, and the cancel did not wait for it
    fake.released.set()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_cancel_answers_while_the_answer_or_the_handshake_stalls(
    folder: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "READ_SECONDS", 3600)  # only the cancel ends it
    task, connections = Task(), list[socket.socket]()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # connects, and never says a word

        def accept() -> None:
            connections.append(silent.accept()[0])
            task.cancel()

        accepting = threading.Thread(target=accept)
        accepting.start()
        with pytest.raises(Cancelled):
            hub.download(NAME, folder, endpoint=f"{scheme}://127.0.0.1:{silent.getsockname()[1]}", task=task)
        accepting.join()
        connections[0].close()


def test_a_lasting_stall_is_a_sentence(fake: FakeHub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub._prepare_library()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DOWNLOAD_TIMEOUT", 0.05)
    fake.cuts, fake.stall_after = [100_000], 0
    with pytest.raises(ModelError, match=r"stopped responding\. What has been downloaded is kept"):
        get(fake, folder)
    assert part_of(folder).stat().st_size > 0


def test_a_hub_without_a_valid_certificate_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def fail(*_: object, **__: object) -> None:
        calls.append(1)
        raise httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate")

    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", fail)
    with pytest.raises(ModelError, match=r"could not prove its identity \(.*self-signed"):
        hub.download(NAME, folder, endpoint="https://127.0.0.1:9", task=Task())
    assert len(calls) == 1


def test_without_a_network_it_says_so(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(ModelError, match=r"offline: .*works without the network; to add this model by hand, copy"):
        hub.download(NAME, folder, endpoint=f"http://127.0.0.1:{port}", task=Task())
    assert not folder.parent.exists()


@pytest.mark.parametrize("value", ["1", "true", "ON"])
def test_set_offline_it_asks_nothing(fake: FakeHub, folder: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", value)
    with pytest.raises(ModelError, match="stay offline"):
        hub.download(NAME, folder, endpoint=fake.endpoint, task=Task())
    assert fake.asked == []


def test_the_endpoint_of_the_environment_is_used_without_the_proxy(
    fake: FakeHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", fake.endpoint + "/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody listens there
    assert hub.download(NAME, folder, task=Task()) == folder


@pytest.mark.parametrize("endpoint", ["huggingface.co", "file:///etc", "ftp://127.0.0.1", "http://[x", "http://a b"])
def test_a_wrong_endpoint_is_a_sentence(folder: Path, endpoint: str) -> None:
    with pytest.raises(ModelError, match="is not the address of a hub"):
        hub.download(NAME, folder, endpoint=endpoint, task=Task())


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a/b/c",
        "../x",
        "a/..",
        "/a",
        "a/",
        "a b",
        "https://huggingface.co/a/b",
        "a\\b",
        "a--b",
        "a/b\n",
        "é/x",
        "a?b",
    ],
)
def test_a_wrong_name_is_a_sentence(fake: FakeHub, folder: Path, name: str) -> None:
    with pytest.raises(ModelError, match="write it as owner/model"):
        hub.download(name, folder, endpoint=fake.endpoint, task=Task())
    assert fake.asked == []


@pytest.mark.parametrize("revision", ["", "../main", "a b", "main?x", "/main"])
def test_a_wrong_revision_is_a_sentence(fake: FakeHub, folder: Path, revision: str) -> None:
    with pytest.raises(ModelError, match="not a revision"):
        hub.download(NAME, folder, endpoint=fake.endpoint, revision=revision, task=Task())


def test_too_little_space_is_told_before_a_file_is_fetched(
    fake: FakeHub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(folder.parent.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(ModelError, match=r"needs 0\.5 MB, but only 0\.0 MB are free"):
        get(fake, folder)
    assert fake.fetched() == []


@pytest.mark.parametrize(("number", "sentence"), [(errno.ENOSPC, "is full"), (errno.EACCES, "cannot be written")])
def test_a_disk_that_takes_no_more_is_a_sentence(
    fake: FakeHub, folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, sentence: str
) -> None:
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ModelError, match=sentence):
        get(fake, folder)


def test_what_is_there_is_not_fetched_again(fake: FakeHub, folder: Path) -> None:
    get(fake, folder)
    fake.asked = []
    assert get(fake, folder) == folder
    assert fake.fetched() == []


def test_a_folder_that_is_something_else_is_left_alone(fake: FakeHub, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(ModelError, match="exists already"):
        get(fake, folder)
    assert contents(folder) == {"mine.txt": b"mine"}


def test_an_empty_folder_is_filled(fake: FakeHub, folder: Path) -> None:
    folder.mkdir(parents=True)
    assert get(fake, folder) == folder
    assert (folder / "config.json").is_file()


def test_importing_connects_to_nothing_and_loads_nothing_heavy() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise AssertionError('a connection at import')\n"
        "socket.socket.connect = refuse\n"
        "import explorer.models.files.hub\n"
        "assert not {'torch', 'transformers', 'huggingface_hub', 'requests'} & set(sys.modules)"
    )
    root = Path(hub.__file__).resolve().parents[3]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


def snapshot(cache: Path, repo: str, revision: str, names: list[str], *, main: bool = False, age: int = 0) -> Path:
    """Lay out a cached model the way the hub's own library does: names that link to blobs."""
    base = cache / repo
    folder = base / "snapshots" / revision
    (base / "blobs").mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True)
    for name in names:
        blob = base / "blobs" / f"{revision}-{name}"
        blob.write_bytes(name.encode())
        (folder / name).symlink_to(os.path.relpath(blob, folder))
    if main:
        (base / "refs").mkdir()
        (base / "refs" / "main").write_text(revision + "\n", "utf-8")
    os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    return folder


WHOLE = ["config.json", "model.safetensors"]
links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@links
def test_the_cache_lists_whole_models_by_name(tmp_path: Path) -> None:
    second = snapshot(tmp_path, "models--zoo--b.c", "r1", WHOLE, main=True)
    first = snapshot(tmp_path, "models--bert", "r1", [*WHOLE, "vocab.txt"])
    (tmp_path / "version.txt").write_text("1", "utf-8")
    snapshot(tmp_path, "datasets--zoo--d", "r1", WHOLE)
    assert hub.cached_models(tmp_path) == [("bert", first), ("zoo/b.c", second)]


@links
def test_main_goes_before_newer_and_newer_before_older(tmp_path: Path) -> None:
    main = snapshot(tmp_path, "models--a--m", "old", WHOLE, main=True, age=100)
    snapshot(tmp_path, "models--a--m", "new", WHOLE)
    snapshot(tmp_path, "models--a--n", "old", WHOLE, age=100)
    newest = snapshot(tmp_path, "models--a--n", "new", WHOLE)
    assert hub.cached_models(tmp_path) == [("a/m", main), ("a/n", newest)]


@links
def test_what_is_not_whole_is_left_out(tmp_path: Path) -> None:
    snapshot(tmp_path, "models--a--pickled", "r1", ["config.json", "pytorch_model.bin"])
    snapshot(tmp_path, "models--a--headless", "r1", ["model.safetensors"])
    snapshot(tmp_path, "models--a--shard", "r1", ["config.json", "model-00001-of-00002.safetensors"])
    (tmp_path / "models--a--empty").mkdir()
    for name in WHOLE:
        broken = snapshot(tmp_path, f"models--a--{name}", "r1", WHOLE, main=True)
        (broken / name).resolve().unlink()
    assert hub.cached_models(tmp_path) == []


@links
def test_a_half_downloaded_main_gives_way_to_a_whole_snapshot(tmp_path: Path) -> None:
    snapshot(tmp_path, "models--a--m", "main", ["config.json"], main=True)
    whole = snapshot(tmp_path, "models--a--m", "old", WHOLE, age=100)
    assert hub.cached_models(tmp_path) == [("a/m", whole)]


@links
def test_all_shards_make_a_whole(tmp_path: Path) -> None:
    shards = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    snapshot(tmp_path, "models--a--m", "r1", ["config.json", *shards])
    assert [name for name, _ in hub.cached_models(tmp_path)] == ["a/m"]


@links
@pytest.mark.parametrize(
    ("variable", "value", "place"),
    [("HF_HUB_CACHE", "c", "c"), ("HF_HOME", "h", "h/hub"), ("XDG_CACHE_HOME", "x", "x/huggingface/hub"),
     ("HOME", "u", "u/.cache/huggingface/hub")],
)  # fmt: skip
def test_the_cache_is_where_the_hub_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, place: str
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / value))
    snapshot(tmp_path / place, "models--a--m", "r1", WHOLE)
    assert [name for name, _ in hub.cached_models()] == ["a/m"]


def test_no_cache_is_no_models(tmp_path: Path) -> None:
    assert hub.cached_models(tmp_path / "nowhere") == []
