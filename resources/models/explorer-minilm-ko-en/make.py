"""Makes the bilingual encoder of this folder again, from the bundled bi-encoder, Kiwi's morphemes and the data sets.

Run:  python resources/models/explorer-minilm-ko-en/make.py DATA_FOLDER OUT

The bundled vocabulary gains Korean pieces (`pieces.py`), whose first rows are translations (`lexicon.py`); the model so
begun (OUT/start) is taught with translated sentences (`teaching.py`, `recipe.json`), and gains the syllables that are
still missing. OUT/model is the result.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2])]

import lexicon  # noqa: E402
import pieces  # noqa: E402
import sources  # noqa: E402
import teaching  # noqa: E402
from morphemes import Korean  # noqa: E402

from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.files.safetensors import SINGLE  # noqa: E402
from explorer.models.runtime.device import Device, choose  # noqa: E402
from explorer.training import recipe as recipes  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PIECES = 17_400  # with the syllables added at last, as many as 60 MB hold
RANKING = 0.1  # weight of people's scores beside the teacher's vectors; of questions half as much
ENGLISH, QUESTIONS = 1 / 2, 1 / 3  # batches of them for each of translations
_ROWS = "embeddings.word_embeddings.weight"
_LEFT_OUT = ("vocab.txt", "README.md", "data_config.json", ".gitattributes")
_SPECIAL = ("unk_token", "sep_token", "pad_token", "cls_token", "mask_token", "model_max_length")


def main() -> None:
    """Read the arguments and make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    device = choose("cpu", threads=chosen.threads, precision="float32")
    meanings = begin(chosen.data, chosen.out / "start")
    student = BiEncoder.open(chosen.out / "start", device)
    taught(student, chosen.data, meanings, device)
    export(student, chosen.out / "model")


def begin(data: Path, out: Path) -> Floats:
    """Write the bundled model with Korean pieces; returns the meanings of all rows, zeros for English, (V, m)."""
    bundled = catalog.bundled()
    korean = Korean()
    found = pieces.choose(korean, korean.vectors(), sources.korean_texts(data), PIECES)
    settings, ids = pieces.tokenizer_json((bundled / "tokenizer.json").read_text("utf-8"), found.texts)
    tokenizer = Tokenizer.from_str(settings)
    weights = load_file(bundled / SINGLE)
    name = next(name for name in weights if name.endswith(_ROWS))
    rows = np.zeros((tokenizer.get_vocab_size(), weights[name].shape[1]), np.float32)
    rows[: len(weights[name])] = weights[name]
    rows[ids] = lexicon.rows(_dictionary(data, tokenizer), ids, found.vectors, weights[name])
    shutil.copytree(bundled, out, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    save_file(weights | {name: rows}, out / SINGLE, metadata={"format": "pt"})
    (out / "tokenizer.json").write_text(settings, "utf-8")
    _change(out / "config.json", {"vocab_size": len(rows)})
    told = json.loads((out / "tokenizer_config.json").read_text("utf-8"))
    kept = {key: told[key] for key in _SPECIAL} | {"tokenizer_class": "PreTrainedTokenizerFast"}
    (out / "tokenizer_config.json").write_text(json.dumps(kept, indent=1), "utf-8")
    meanings = np.zeros((len(rows), found.vectors.shape[1]), np.float32)
    meanings[ids] = found.vectors
    return meanings


def _dictionary(data: Path, tokenizer: Tokenizer) -> lexicon.Dictionary:
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    columns = ((korean.first, english.first), (korean.second, english.second))
    pairs = sorted({pair for column in columns for pair in zip(*column, strict=True)})
    sentences = [
        [each.ids for each in tokenizer.encode_batch(list(side), add_special_tokens=False)]
        for side in zip(*pairs, strict=True)
    ]
    return lexicon.dictionary(sentences[0], sentences[1], tokenizer.get_vocab_size())


def _change(file: Path, values: dict[str, object]) -> None:
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | values, indent=1), "utf-8")


def taught(student: BiEncoder, data: Path, meanings: Floats, device: Device) -> None:
    """Teach the student, in place."""
    recipe = recipes.load(HERE / "recipe.json")
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    texts, others = sorted({*english.first, *english.second}), sources.english_texts(data)
    teacher = BiEncoder.open(catalog.bundled(), device)
    targets, held = teacher.encode(texts).whole(), teacher.encode(others).whole()
    place = {text: number for number, text in enumerate(texts)}
    translated = [targets[[place[text] for text in column]] for column in (english.first, english.second)]
    asked = sources.questions(data, "train")
    courses = [
        teaching.scored_course(
            student, [korean.first, korean.second], korean.scores, recipe, translated,
            objective=teaching.Bilingual(RANKING),
        ),
        teaching.held_course(
            student, [*others, *texts], np.concatenate([held, targets]), recipe, share=ENGLISH
        ),
        teaching.scored_course(
            student, [asked.first, asked.second], asked.scores, recipe,
            objective=teaching.Weighted(RANKING / 2), share=QUESTIONS,
        ),
    ]  # fmt: skip
    teaching.teach(student, courses, recipe, meanings, lambda step, loss: _tell(f"step {step}: {loss:.4f}"))


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def export(student: BiEncoder, out: Path) -> None:
    """Write the model in half precision, to be computed in whole: on a CPU half is slow."""
    student.network.half()
    student.save(out)
    complete(out)


def complete(out: Path) -> None:
    """Add the syllables that are missing to a model that is taught, each with the row of the nearest one."""
    settings = json.loads((out / "tokenizer.json").read_text("utf-8"))
    vocabulary = settings["model"]["vocab"]
    found = pieces.missing(vocabulary)
    weights = load_file(out / SINGLE)
    name = next(name for name in weights if name.endswith(_ROWS))
    nearest = [vocabulary[piece] for piece in found.values()]
    weights[name] = np.concatenate([weights[name], weights[name][nearest]])
    save_file(weights, out / SINGLE, metadata={"format": "pt"})
    vocabulary |= {piece: len(vocabulary) + place for place, piece in enumerate(found)}
    (out / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False, separators=(",", ":")), "utf-8")
    _change(out / "config.json", {"vocab_size": len(vocabulary), "dtype": "float32"})


if __name__ == "__main__":
    main()
