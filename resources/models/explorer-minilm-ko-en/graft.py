"""Give an English encoder Korean pieces, whose first rows are translations."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import lexicon
import numpy as np
import pieces
from morphemes import Korean
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

from explorer.models.files.safetensors import SINGLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_ROWS = "embeddings.word_embeddings.weight"
_LEFT_OUT = ("vocab.txt", "README.md", "data_config.json", ".gitattributes")
_SPECIAL = ("unk_token", "sep_token", "pad_token", "cls_token", "mask_token", "model_max_length")


def graft(base: Path, out: Path, texts: Sequence[str], translations: Sequence[tuple[str, str]], count: int) -> Floats:
    """Write a model with Korean pieces; returns the meanings of all rows, zeros for English, (V, m).

    Args:
        base: The English model's folder.
        out: Where to.
        texts: Korean texts, whose frequent pieces are taken first.
        translations: Pairs of a Korean sentence and its English original, from which first rows are learned.
        count: How many pieces.
    """
    korean = Korean()
    found = pieces.choose(korean, korean.vectors(), texts, count)
    settings, ids = pieces.tokenizer_json((base / "tokenizer.json").read_text("utf-8"), found.texts)
    tokenizer = Tokenizer.from_str(settings)
    weights = load_file(base / SINGLE)
    name = next(name for name in weights if name.endswith(_ROWS))
    rows = np.zeros((tokenizer.get_vocab_size(), weights[name].shape[1]), np.float32)
    rows[: len(weights[name])] = weights[name]
    rows[ids] = lexicon.rows(_dictionary(translations, tokenizer), ids, found.vectors, weights[name])
    shutil.copytree(base, out, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    save_file(weights | {name: rows}, out / SINGLE, metadata={"format": "pt"})
    (out / "tokenizer.json").write_text(settings, "utf-8")
    change(out / "config.json", {"vocab_size": len(rows)})
    stored = json.loads((out / "tokenizer_config.json").read_text("utf-8"))
    kept = {key: stored[key] for key in _SPECIAL} | {"tokenizer_class": "PreTrainedTokenizerFast"}
    (out / "tokenizer_config.json").write_text(json.dumps(kept, indent=1), "utf-8")
    meanings = np.zeros((len(rows), found.vectors.shape[1]), np.float32)
    meanings[ids] = found.vectors
    return meanings


def complete(out: Path) -> dict[int, int]:
    """Add the syllables that are missing, each with the row of its nearest piece; returns its id for each id."""
    settings = json.loads((out / "tokenizer.json").read_text("utf-8"))
    vocabulary = settings["model"]["vocab"]
    found = pieces.missing(vocabulary)
    weights = load_file(out / SINGLE)
    name = next(name for name in weights if name.endswith(_ROWS))
    nearest = [vocabulary[piece] for piece in found.values()]
    first = len(vocabulary)
    weights[name] = np.concatenate([weights[name], weights[name][nearest]])
    save_file(weights, out / SINGLE, metadata={"format": "pt"})
    vocabulary |= {piece: first + place for place, piece in enumerate(found)}
    (out / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False, separators=(",", ":")), "utf-8")
    change(out / "config.json", {"vocab_size": len(vocabulary), "dtype": "float32"})
    return dict(enumerate(nearest, first))


def change(file: Path, values: dict[str, object]) -> None:
    """Set values of a JSON file."""
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | values, indent=1), "utf-8")


def _dictionary(translations: Sequence[tuple[str, str]], tokenizer: Tokenizer) -> lexicon.Dictionary:
    sentences = [
        [each.ids for each in tokenizer.encode_batch(list(side), add_special_tokens=False)]
        for side in zip(*translations, strict=True)
    ]
    return lexicon.dictionary(sentences[0], sentences[1], tokenizer.get_vocab_size())
