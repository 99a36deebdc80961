"""The fingerprint of a model: one name for one function from texts to vectors, on every machine."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from explorer.models.files import safetensors
from explorer.models.files.model_folder import VOCABULARIES, Dense, Layer, ModelFolder, Normalize
from explorer.models.files.safetensors import read_json

# What a configuration records besides the network itself; none of it changes a vector.
_INCIDENTAL = {
    "_name_or_path", "architectures", "transformers_version", "torch_dtype", "dtype", "use_cache",
    "gradient_checkpointing", "attention_probs_dropout_prob", "hidden_dropout_prob", "classifier_dropout",
    "attention_dropout", "dropout", "initializer_range", "id2label", "label2id", "problem_type",
    "sentence_transformers", "output_past",
}  # fmt: skip


def fingerprint(folder: ModelFolder) -> str:
    """A digest of the weights, the tokenizer and every setting that changes a vector or a score."""
    said = {
        "kind": folder.kind,
        "config": {key: value for key, value in folder.config.items() if key not in _INCIDENTAL},
        "weights": safetensors.digest(folder.encoder),
        "tokenizer": _tokenizer(folder.encoder),
        "max_tokens": folder.max_tokens,
        "lower_case": folder.lower_case,
        "pooling": folder.pooling,
        "pools_prompt": folder.pools_prompt,
        "prompts": dict(folder.prompts),
        "default_prompt": folder.default_prompt,
        "labels": len(folder.labels),
        "layers": [said for layer in folder.layers if (said := _layer(layer))],
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _layer(layer: Layer) -> list[object]:
    """What a layer says; nothing for one that does nothing outside training."""
    if isinstance(layer, Dense):
        stored = safetensors.digest(layer.folder) if layer.folder else None
        return ["dense", layer.inputs, layer.outputs, layer.bias, layer.activation, stored]
    return ["normalize"] if isinstance(layer, Normalize) else []


def _tokenizer(encoder: Path) -> str:
    """Digest of the vocabulary and its rules; truncation and padding are set anew by whoever uses it."""
    whole = hashlib.sha256()
    table = read_json(encoder / "tokenizer.json")
    if table:
        table.pop("truncation", None)
        table.pop("padding", None)
        for piece in json.JSONEncoder(sort_keys=True).iterencode(table):  # in pieces: a window may be waiting
            whole.update(piece.encode())
        return whole.hexdigest()
    settings = read_json(encoder / "tokenizer_config.json")
    for key in ("name_or_path", "model_max_length", "special_tokens_map_file", "max_len"):
        settings.pop(key, None)
    whole.update(json.dumps(settings, sort_keys=True).encode())
    for name in sorted(VOCABULARIES | {"merges.txt", "added_tokens.json"}):
        if (encoder / name).is_file():
            whole.update(name.encode() + (encoder / name).read_bytes())
    return whole.hexdigest()
