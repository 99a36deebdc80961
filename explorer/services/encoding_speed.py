"""The encoding speed of this machine, measured by large updates or by a short trial, to estimate the next one."""

from __future__ import annotations

import contextlib
import json
import math
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path

from explorer import paths
from explorer.models.files.model_folder import NGRAM_ENCODER
from explorer.settings import Settings
from explorer.task import Task

BUNDLED_WORK = 6 * 384**2  # layers times width squared: what a token costs with the bundled model
LEAST = (20_000, 3.0)  # bytes and seconds below which nothing is learnt
_TRIAL_SECONDS = 3.2  # for each precision and device
_AT_ONCE = 48  # texts


@dataclass(frozen=True)
class MeasuredSpeed:
    """How fast a model encodes texts of the sample on this machine.

    Attributes:
        device: Where: "cuda", "mps" or "cpu".
        precision: In which number type.
        used: Whether these are the device and precision that the settings lead to.
        texts: Texts per second, of about `length` bytes each.
        size: Bytes of text a second.
        length: Mean bytes of a text.
    """

    device: str
    precision: str
    used: bool
    texts: float
    size: float
    length: float


def measure(settings: Settings, task: Task) -> list[MeasuredSpeed]:
    """Encode paragraphs of the sample with each device and precision of this machine for a few seconds.

    What the settings lead to is remembered for the estimates of folders.

    Raises:
        Cancelled: The task was cancelled.
        ModelError: The model cannot be opened.
        ExplorerError: The device or the precision of the settings is not one.
    """
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog
    from explorer.models.runtime.device import available, choose
    from explorer.models.runtime.precision import Precision

    texts = [
        paragraph
        for file in sorted((paths.resources() / "sample").rglob("*.txt"))
        for paragraph in file.read_text("utf-8", errors="replace").split("\n\n")
        if len(paragraph) > 40
    ]
    random.Random(0).shuffle(texts)  # noqa: S311 - the same each time
    length = sum(len(text.encode()) for text in texts) / len(texts)
    usual = choose(settings.device, threads=settings.threads or None, precision=settings.precision)
    tried = [usual]
    for name in available():
        precisions: tuple[Precision, ...] = ("float32", "bfloat16") if name == "cpu" else ("float16", "float32")
        tried += [replace(usual, name=name, precision=precision) for precision in precisions]
    model, speeds = catalog.find(settings.model or catalog.DEFAULT), []
    devices = list(dict.fromkeys(tried))
    for index, device in enumerate(devices):
        task.report(index, len(devices), "measuring the speed")
        encoder = BiEncoder.open(model, device)
        encoder.encode(texts[:1])  # the first allocates
        size, start, began = 0, 0, time.perf_counter()
        while (taken := time.perf_counter() - began) < _TRIAL_SECONDS:
            # The longest of what is given come first, so that little is given at a time.
            some = texts[start : start + _AT_ONCE]
            for output in encoder.stream(some, task=task.silent()):
                size += sum(len(some[row].encode()) for row in output.rows)
                taken = time.perf_counter() - began
                if taken >= _TRIAL_SECONDS:  # emulated bfloat16 would take minutes for the rest
                    break
            start = (start + _AT_ONCE) % len(texts)
        if device == usual:
            note(size, taken, work_of(model), settings)
        speeds.append(
            MeasuredSpeed(device.name, device.precision, device == usual, size / taken / length, size / taken, length)
        )
    task.report(len(devices), len(devices), "measuring the speed")
    return speeds


def work_of(model: Path | None) -> float:
    """Return the cost of a token with a model, by its configuration; that of the bundled model if unknown."""
    try:
        config = json.loads(((model or Path()) / "config.json").read_text("utf-8"))
        if config.get("model_type") == NGRAM_ENCODER:
            width, windows = config["width"], config["windows"]
            products = sum(2 * size * width**2 + 2 * width * config["hidden_size"] for size, _ in windows)
            return (
                float(products + config["hidden_size"] ** 2) / 12
            )  # a layer of a transformer has 12 of its width squared
        return float(config["num_hidden_layers"] * config["hidden_size"] ** 2)
    except (OSError, ValueError, KeyError, TypeError):
        return float(BUNDLED_WORK)


def note(text: float, seconds: float, work: float, settings: Settings) -> None:
    """Record how long an amount of text took, given the cost of a token."""
    if text < LEAST[0] or seconds < LEAST[1]:
        return
    known = _read()
    known[_key(settings)] = text / seconds * work / BUNDLED_WORK
    with contextlib.suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        fresh = _file().with_suffix(".new")
        fresh.write_text(json.dumps(known), encoding="utf-8")
        fresh.replace(_file())


def known(settings: Settings) -> float | None:
    """Return the bytes of text per second with the bundled model; None if not measured yet."""
    return _read().get(_key(settings))


def _file() -> Path:
    return paths.cache() / "pace.json"


def _key(settings: Settings) -> str:
    precision = "" if settings.precision == "auto" else f" {settings.precision}"
    return f"{settings.device} {settings.threads}{precision}"


def _read() -> dict[str, float]:
    try:
        stored = dict(json.loads(_file().read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}
    numbers = {str(key): value for key, value in stored.items() if isinstance(value, int | float)}
    return {key: float(value) for key, value in numbers.items() if math.isfinite(value) and value > 0}
