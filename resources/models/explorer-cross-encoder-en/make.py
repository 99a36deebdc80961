"""Makes the cross-encoder of this folder again, from the bundled bi-encoder and the data sets.

Run:  python resources/models/explorer-cross-encoder-en/make.py DATA_FOLDER OUT

Each step is kept in OUT, and taken up again where a run was broken off: a bi-encoder tuned on STSb as the teacher of
similarity; the pairs; a cross-encoder on all of them; the same tuned on people's labels alone. OUT/model is the result.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from safetensors.torch import load_file, save_file

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2])]

import pairs  # noqa: E402
import sources  # noqa: E402
from pairs import Teacher  # noqa: E402
from sources import Scored  # noqa: E402

from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.files import model_folder as folders  # noqa: E402
from explorer.models.files.model_folder import ModelFolder  # noqa: E402
from explorer.models.files.safetensors import SINGLE  # noqa: E402
from explorer.models.runtime.device import Device, choose  # noqa: E402
from explorer.training import recipe as recipes  # noqa: E402
from explorer.training.data.dataset import Dataset, make_set, text_key  # noqa: E402
from explorer.training.fit.trainer import train  # noqa: E402

SEED = 7
MAX_TOKENS = 128  # as in training: with 256, Cranfield's dev queries fare worse, and wait twice as long
Lists = tuple[list[Scored], list[Scored]]


def main() -> None:
    """Read the arguments and make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    device = choose("cpu", threads=chosen.threads, precision="float32")
    base = folders.read(catalog.bundled())
    tuned = taught("teacher", base, as_set(sources.stsb(chosen.data, "train")), chosen.out, device)
    broad, narrow = examples(chosen.data, chosen.out, base, tuned, device)
    first = taught("broad", without_dropout(base, chosen.out), as_set(broad), chosen.out, device)
    second = taught("narrow", first, as_set(narrow), chosen.out, device)
    export(second, chosen.out / "model")


def taught(name: str, base: ModelFolder, data: Dataset, out: Path, device: Device) -> ModelFolder:
    """The model of a recipe beside this file; taken from `out` if it was made before."""
    folder = out / name
    if folder.is_dir():
        return folders.read(folder)
    recipe = recipes.load(HERE / f"{name}.json")
    began = time.monotonic()

    def told(step: int, loss: float, pace: float) -> None:
        if step % 20 == 0:
            passed = time.monotonic() - began
            print(f"{name}: step {step}, loss {loss:.4f}, {pace:.1f} a second, {passed:.0f} s", flush=True)  # noqa: T201

    return train(recipe, base, data, folder=folder, device=device, on_step=told).folder


def without_dropout(base: ModelFolder, out: Path) -> ModelFolder:
    """A copy of the base that drops nothing: most pairs are seen once, so there is nothing to learn by heart."""
    folder = out / "undropped"
    if not folder.is_dir():
        shutil.copytree(base.path, folder)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folders.read(folder)


def export(model: ModelFolder, out: Path) -> None:
    """The files that ship: weights in 16 bits, computed with in 32."""
    out.mkdir()
    tensors = {name: tensor.half() for name, tensor in load_file(model.path / SINGLE).items()}
    save_file(tensors, str(out / SINGLE), metadata={"format": "pt"})
    for name in folders.TOKENIZER_FILES:
        if (model.path / name).is_file():
            shutil.copyfile(model.path / name, out / name)
    changes: dict[str, dict[str, object]] = {
        "config.json": {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "dtype": "float32"},
        "sentence_bert_config.json": {"max_seq_length": MAX_TOKENS},
        "tokenizer_config.json": {"model_max_length": MAX_TOKENS},
    }
    for name, changed in changes.items():
        settings = json.loads((model.path / name).read_text("utf-8")) | changed
        (out / name).write_text(json.dumps(settings, indent=2) + "\n", "utf-8")


def examples(
    data: Path, out: Path, base: ModelFolder, tuned: ModelFolder, device: Device
) -> tuple[list[Scored], list[Scored]]:
    """The pairs of both trainings: all of them, and those that people labelled."""
    likeness, plain = Teacher(BiEncoder(tuned, device), {}), Teacher(BiEncoder(base, device), {})
    silver, gold = _kept(out / "similarity.json", lambda: similarity(data, likeness))
    found, judged = _kept(out / "relevance.json", lambda: relevance(data, plain))
    chance = random.Random(SEED)  # noqa: S311 - no secret
    narrow = [*gold, *sources.stsb(data, "train"), *chance.sample(judged, len(judged) // 2)]
    return [*silver, *gold, *found, *judged], narrow


def _kept(file: Path, made: Callable[[], Lists]) -> Lists:
    """What a file of an earlier run holds, else what is made and written to it."""
    if not file.is_file():
        file.write_text(json.dumps(made(), ensure_ascii=False), "utf-8")
    first, second = json.loads(file.read_text("utf-8"))
    return first, second


def similarity(data: Path, teacher: Teacher) -> tuple[list[Scored], list[Scored]]:
    """Pairs with the teacher's scores, and pairs with people's; none of those that STSb measures with."""
    chance = np.random.default_rng([SEED, 1])
    kept = {_key(pair) for part in ("dev", "test") for pair in sources.stsb(data, part)}
    gold = sources.stsb(data, "train")
    related = sources.sick(data)
    alike = [
        (first, second, pairs.PARAPHRASE if label else pairs.NO_PARAPHRASE)
        for first, second, label in sources.msrp(data)
    ]
    scale = [gold[place] for place in chance.choice(len(gold), 1500, replace=False)]
    slope, start = np.polyfit(teacher.cosines([pair[:2] for pair in scale]), [pair[2] for pair in scale], 1)
    near: list[tuple[str, str]] = []
    for rows, texts, count in ((gold, 6000, 4500), (related, 1000, 500), (alike, 1200, 700)):
        pool = _picked(sorted({text for row in rows for text in row[:2]}), texts, chance)
        near += pairs.neighbouring(teacher, pool, count, chance)
    scores = np.clip(slope * teacher.cosines(near) + start, 0, 1)
    silver = [(first, second, float(score)) for (first, second), score in zip(near, scores, strict=True)]
    half = [related[place] for place in chance.choice(len(related), 1500, replace=False)]
    some = [alike[place] for place in chance.choice(len(alike), 800, replace=False)]
    people = [pair for pair in (*gold, *half, *some) if _key(pair) not in kept]
    return _turned(silver, chance), _turned(people, chance)


def relevance(data: Path, teacher: Teacher) -> tuple[list[Scored], list[Scored]]:
    """Pairs nobody labelled, and pairs of questions or queries with what was judged."""
    chance = np.random.default_rng([SEED, 2])
    cranfield, vaswani, cacm = sources.cranfield(data), sources.vaswani(data), sources.cacm(data)
    titles = pairs.neighbouring(teacher, _picked(sources.stackoverflow(data), 2500, chance), 1600, chance)
    near = [
        (first, second, float(score)) for (first, second), score in zip(titles, teacher.cosines(titles), strict=True)
    ]
    bodies = [
        *pairs.titled(sources.ag_news(data), 600, chance),
        *pairs.titled(list(cranfield.titles.values()), 200, chance),
        *pairs.titled(list(vaswani.titles.values()), 400, chance),
        *pairs.titled(list(cacm.titles.values()), 100, chance),
    ]
    labelled = [
        *pairs.answers(sources.wikiqa(data), 1, 1, chance),
        *pairs.answers(sources.trecqa(data), 6, 2, chance),
        *pairs.judged(cranfield.only(_first(cranfield.queries, sources.CRANFIELD_TRAIN)), 6, 8, chance),
        *pairs.judged(vaswani.only(_first(vaswani.queries, sources.VASWANI_TRAIN)), 8, 10, chance),
        *pairs.judged(cacm.only([key for key in cacm.queries if int(key) <= sources.CACM_TRAIN]), 5, 6, chance),
    ]
    return [*near, *pairs.relevance(teacher, bodies)], pairs.relevance(teacher, labelled)


def as_set(scored: Sequence[Scored]) -> Dataset:
    """Pairs as the training takes them."""
    first, second, scores = zip(*scored, strict=True)
    return make_set("scored", (first, second), scores=scores)


def _first(queries: dict[str, str], count: int) -> list[str]:
    return list(queries)[:count]


def _picked(texts: Sequence[str], count: int, chance: np.random.Generator) -> list[str]:
    return [texts[place] for place in chance.choice(len(texts), count, replace=False)]


def _turned(scored: Sequence[Scored], chance: np.random.Generator) -> list[Scored]:
    """Half of the pairs the other way round: likeness has no direction."""
    return [
        (second, first, score) if turn else (first, second, score)
        for (first, second, score), turn in zip(scored, chance.integers(2, size=len(scored)), strict=True)
    ]


def _key(pair: Scored) -> frozenset[str]:
    return frozenset({text_key(pair[0]), text_key(pair[1])})


if __name__ == "__main__":
    main()
