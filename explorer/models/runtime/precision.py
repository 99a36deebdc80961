"""Choose the number type that a network computes in: the fastest that this processor has, tried once and remembered.

Pooling and everything after it are in float32 whatever is chosen here, so vectors of all precisions stand side by side:
bfloat16's lowest cosine to float32 over 250 texts of all lengths was 0.9999. That is why a model's fingerprint does not
say which arithmetic made a vector, and nothing is encoded again because a processor changed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal

from explorer import paths
from explorer.errors import ExplorerError

Precision = Literal["float32", "bfloat16", "float16"]
PRECISIONS: tuple[Precision, ...] = ("float32", "bfloat16", "float16")

_TRIAL_SECONDS = 0.25
_WORTH_IT = 0.9  # of float32's time: a gain below the noise of a busy machine is none
_log = logging.getLogger(__name__)


def choose(asked: str, device: str) -> Precision:
    """Return the precision asked for, or for "auto" float16 on a GPU and the processor's best on the CPU.

    Raises:
        ExplorerError: There is no such precision.
    """
    if asked == "auto":
        return best_of_processor() if device == "cpu" else "float16"
    for known in PRECISIONS:
        if asked == known:
            return known
    raise ExplorerError(
        "“{precision}” is not a precision. Choose auto, {known}.", precision=asked, known=", ".join(PRECISIONS)
    )


@cache
def best_of_processor() -> Precision:
    """Return bfloat16 where the processor has instructions for it and a trial finds it faster, else float32.

    The answer is kept in the cache folder, for this processor and this version of torch.
    """
    import torch

    # Names are no help: virtual machines call every generation of a processor the same.
    able: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    has_it = any(value is True and "bf16" in name for name, value in able.items())
    if not has_it:  # emulated it is many times slower
        return "float32"
    features = " ".join(sorted(name for name, value in able.items() if value is True))
    key = f"{torch.__version__} {able.get('cpu_name', '')} {features}"
    file = paths.cache() / "precision.json"
    known = _read(file)
    if key not in known:
        known[key] = "bfloat16" if is_faster("bfloat16") else "float32"
        with contextlib.suppress(OSError):  # then it is tried again next time
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_suffix(".new")
            fresh.write_text(json.dumps(known), encoding="utf-8")
            fresh.replace(file)
        _log.info("this processor computes in %s from now on", known[key])
    return "bfloat16" if known[key] == "bfloat16" else "float32"


def is_faster(precision: Precision) -> bool:
    """Time one layer of a small transformer on one core, in turns with float32, for a quarter of a second."""
    import torch

    from explorer.models.runtime.device import threads

    def layer(dtype: torch.dtype) -> Callable[[], object]:
        made = torch.nn.TransformerEncoderLayer(384, 12, 1536, 0.0, "gelu", batch_first=True).eval().to(dtype)
        tokens = torch.randn(8, 64, 384, dtype=dtype)  # (B, T, n): a batch of the CPU's token budget
        return lambda: made(tokens)

    with torch.random.fork_rng(devices=[]), torch.inference_mode(), threads(1):
        runs = [layer(torch.float32), layer(getattr(torch, precision))]
        best = [float("inf"), float("inf")]
        for run in runs:
            run()  # the first allocates and reorders weights
        end = time.perf_counter() + _TRIAL_SECONDS
        while time.perf_counter() < end or float("inf") in best:
            for index, run in enumerate(runs):
                began = time.perf_counter()
                run()
                best[index] = min(best[index], time.perf_counter() - began)
    return best[1] < _WORTH_IT * best[0]


def _read(file: Path) -> dict[str, str]:
    try:
        return {str(key): str(value) for key, value in dict(json.loads(file.read_text("utf-8"))).items()}
    except (OSError, ValueError, TypeError):
        return {}
