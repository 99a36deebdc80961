"""What a lower precision costs in quality and gains in time: float32, bfloat16, and int8 as far as torch has it.

Run by hand:  python tests/benchmarks/precision.py [--only float32 bfloat16 int8-dynamic ...] [--texts 2000]
                  [--model FOLDER]

int8-dynamic is torch's own dynamic quantisation (one scale for all activations of a layer, one per output channel for
the weights). int8-rows has a scale and a zero point for each token and a scale for each output channel, multiplied by
torch._int_mm; int8-wide the same for the two wide layers of each block alone, which do two thirds of the work. All
leave embeddings, attention's own products, normalisations and pooling in float32. Times are of the CPU, on the same
texts, the best of rounds taken in turns. Cosines are to the vectors of float32.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.runtime.device import choose, threads  # noqa: E402
from explorer.training.measure.metrics import ndcg, spearman  # noqa: E402
from tests.benchmarks.encode import read_corpora  # noqa: E402
from tests.retrieval_data import read_cranfield  # noqa: E402

KINDS = ("float32", "bfloat16", "int8-dynamic", "int8-rows", "int8-wide")
TIMED = 120  # of the texts
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--model", type=Path, default=catalog.bundled())
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--no-cranfield", action="store_true")
    chosen = parser.parse_args()
    models = {kind: opened(kind, chosen.model, chosen.threads) for kind in dict.fromkeys(["float32", *chosen.only])}
    texts = varied(chosen.data, chosen.texts)
    exact = models["float32"].encode(texts).whole()
    for kind in chosen.only:
        model = models[kind]
        report: dict[str, Any] = {
            "STSb test": scored(model, chosen.data / "stsb_en" / "stsb-en-test.csv"),
            "KorSTS dev": scored(model, chosen.data / "korsts" / "sts-dev.tsv"),
        }
        if not chosen.no_cranfield:
            report["Cranfield nDCG@10"] = cranfield(model, chosen.data / "cranfield")
        cosines = (model.encode(texts).whole() * exact).sum(axis=1)
        report |= {"lowest cosine": round(float(cosines.min()), 5), "mean cosine": round(float(cosines.mean()), 6)}
        report["times float32"] = speed(models["float32"], model, texts[:TIMED])
        print(json.dumps({kind: report}), flush=True)


def opened(kind: str, folder: Path, count: int | None) -> BiEncoder:
    model = BiEncoder.open(
        folder, choose("cpu", threads=count, precision="bfloat16" if kind == "bfloat16" else "float32")
    )
    encoder = model.network.transformer.encoder
    if kind == "int8-dynamic":
        from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

        model.network.transformer.encoder = quantize_dynamic(encoder, {nn.Linear: per_channel_dynamic_qconfig})
    if kind in ("int8-rows", "int8-wide"):
        for parent in list(encoder.modules()):
            for name, child in list(parent.named_children()):
                if isinstance(child, nn.Linear) and (kind == "int8-rows" or child.in_features != child.out_features):
                    setattr(parent, name, RowScaled(child))
    return model


class RowScaled(nn.Module):
    """A linear layer in int8: a scale and a zero point for each row of the input, a scale for each output channel."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        scale = linear.weight.detach().abs().amax(dim=1) / 127  # (m,)
        self.weight = (linear.weight.detach() / scale[:, None]).round().to(torch.int8)  # (m, n)
        self.sums = self.weight.sum(dim=1) * scale
        self.scale, self.bias = scale, linear.bias.detach()

    def forward(self, given: Tensor) -> Tensor:
        rows = given.reshape(-1, given.shape[-1])  # (R, n)
        least, most = rows.aminmax(dim=1, keepdim=True)
        step = ((most - least) / 255).clamp_(min=1e-12)  # (R, 1)
        codes = ((rows - least) / step).round_().sub_(128).to(torch.int8)
        product = torch._int_mm(codes, self.weight.t()).float().mul_(step).mul_(self.scale)
        return product.add_((least + 128 * step) * self.sums).add_(self.bias).view(*given.shape[:-1], -1)


def scored(model: BiEncoder, file: Path) -> float:
    """Spearman's correlation with people, in hundredths, on STSb's file or KorSTS's."""
    is_korean = file.suffix == ".tsv"
    with file.open(encoding="utf-8", newline="") as lines:
        quoting = csv.QUOTE_NONE if is_korean else csv.QUOTE_MINIMAL
        rows = list(csv.reader(lines, delimiter="\t" if is_korean else ",", quoting=quoting))
    first, second, score = (5, 6, 4) if is_korean else (0, 1, 2)
    rows = rows[1:] if is_korean else rows
    one, other = (model.encode([row[column] for row in rows]).whole() for column in (first, second))
    return round(100 * float(spearman((one * other).sum(axis=1), [float(row[score]) for row in rows])), 2)


def cranfield(model: BiEncoder, folder: Path) -> float:
    """nDCG@10 of a search by meaning, in hundredths; abstracts are cut at the model's limit."""
    data = read_cranfield(folder)
    ids = list(data.corpus)
    vectors = model.encode(list(data.corpus.values())).whole()
    asked = {key: text for key, text in data.queries.items() if any(data.relevant.get(key, {}).values())}
    scores = model.encode(list(asked.values())).whole() @ vectors.T
    best = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    found = [ndcg([ids[row] for row in rows], data.relevant[key]) for key, rows in zip(asked, best, strict=True)]
    return round(100 * float(np.mean(found)), 2)


def speed(full: BiEncoder, lower: BiEncoder, texts: list[str]) -> float:
    """How many times as fast the lower precision is, in CPU time on one core."""
    best = [float("inf"), float("inf")]
    with threads(1):
        for _ in range(ROUNDS):
            for index, model in enumerate((full, lower)):
                began = time.process_time()
                model.encode(texts)
                best[index] = min(best[index], time.process_time() - began)
    return round(best[0] / best[1], 2)


def varied(data: Path, count: int) -> list[str]:
    """Titles, news and posts of all lengths, from two words to beyond the model's limit."""
    chance, corpora = random.Random(1), read_corpora(data)
    pool = [*corpora["titles"], *corpora["news"], *corpora["posts"]]
    pool += [" ".join(text.split()[: chance.randint(2, 150)]) for text in corpora["posts"] * 8]
    return chance.sample(pool, min(count, len(pool)))


if __name__ == "__main__":
    main()
