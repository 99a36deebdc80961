"""Writing a model folder that this program and sentence-transformers both open."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import nn

from explorer.errors import ModelError
from explorer.models.files import model_folder as folders
from explorer.models.files import safetensors
from explorer.models.files.model_folder import Dense, Dropout, Layer, ModelFolder
from explorer.models.runtime.network import Network, quiet

_PARTIAL = ".partial"


def save(folder: ModelFolder, network: Network, path: Path) -> ModelFolder:
    """Write a network with the settings of `folder`; the new folder appears whole or not at all.

    Raises:
        ModelError: The path exists and is not an empty folder, or cannot be written.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ModelError("{file}: something is there already. Choose a new name for the model.", file=path)
    partial = path.with_name(path.name + _PARTIAL)
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        with safetensors.writing():
            _write(folder, network, partial)
        if path.exists():
            path.rmdir()
        partial.replace(path)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise ModelError(
            "{file}: the model cannot be saved ({reason}). Free space or choose another folder.",
            file=path,
            reason=error.strerror or error,
        ) from error
    return folders.read(path)


def _write(folder: ModelFolder, network: Network, path: Path) -> None:
    with quiet():
        network.transformer.save_pretrained(path)
    _write_json(path / "config.json", _config(folder, network))
    for name in folders.TOKENIZER_FILES:
        if (folder.encoder / name).is_file():
            shutil.copyfile(folder.encoder / name, path / name)
    _write_json(
        path / "sentence_bert_config.json",
        {"max_seq_length": folder.max_tokens, "do_lower_case": folder.lower_case},
    )
    if folder.kind == "cross" and not folder.own_head:
        return
    _write_json(path / folders.SETTINGS, _settings(folder))
    modules = [("Transformer", "")]
    for name, config, module in _chain(folder, network):
        below = f"{len(modules)}_{name}"
        (path / below).mkdir()
        _write_json(path / below / "config.json", config)
        if module is not None:
            _write_dense(module, path / below / safetensors.SINGLE)
        modules.append((name, below))
    listed = [
        {"idx": place, "name": str(place), "path": below, "type": f"sentence_transformers.models.{name}"}
        for place, (name, below) in enumerate(modules)
    ]
    _write_json(path / folders.MODULES, listed)


def _config(folder: ModelFolder, network: Network) -> dict[str, Any]:
    """The configuration as it was read, with what the network has become."""
    now = network.transformer.config
    config = dict(folder.config) | {"architectures": now.architectures, "vocab_size": now.vocab_size}
    config.pop("torch_dtype", None)
    config["dtype"] = str(network.transformer.dtype).removeprefix("torch.")
    if folder.kind == "cross":
        config["id2label"] = {str(place): label for place, label in enumerate(folder.labels)}
        config["label2id"] = {label: place for place, label in enumerate(folder.labels)}
        config["sentence_transformers"] = {"activation_fn": _torch_name(folder.activation)}
    return config


def _settings(folder: ModelFolder) -> dict[str, Any]:
    if folder.kind == "cross":
        return {"model_type": "CrossEncoder", "activation_fn": _torch_name(folder.activation)}
    return {
        "model_type": "SentenceTransformer",
        "prompts": dict(folder.prompts),
        "default_prompt_name": folder.default_prompt,
        "similarity_fn_name": "cosine",
    }


def _chain(folder: ModelFolder, network: Network) -> list[tuple[str, dict[str, Any], nn.Module | None]]:
    """What follows the transformer, as (module's name, its config, the dense layer if it is one)."""
    chain: list[tuple[str, dict[str, Any], nn.Module | None]] = [("Pooling", _pooling(folder), None)]
    for place, (layer, module) in enumerate(zip(folder.layers, network.layers, strict=True)):
        scores = folder.kind == "cross" and place == len(folder.layers) - 1
        chain.append(
            (type(layer).__name__, _layer(layer, scores=scores), module if isinstance(layer, Dense) else None)
        )
    return chain


def _pooling(folder: ModelFolder) -> dict[str, Any]:
    config: dict[str, Any] = {"word_embedding_dimension": folder.width, "include_prompt": folder.pools_prompt}
    if len(folder.pooling) > 1:
        return config | {"pooling_mode": list(folder.pooling)}
    return config | {
        f"pooling_mode_{key}": mode in folder.pooling for mode, key in folders.OLD_POOLING_KEYS.items()
    }


def _layer(layer: Layer, *, scores: bool) -> dict[str, Any]:
    if isinstance(layer, Dense):
        config = {"in_features": layer.inputs, "out_features": layer.outputs, "bias": layer.bias}
        config["activation_function"] = _torch_name(layer.activation)  # type: ignore[assignment]
        return config | ({"module_output_name": "scores"} if scores else {})
    return {"dropout": layer.share} if isinstance(layer, Dropout) else {}


def _torch_name(activation: str) -> str:
    return f"torch.nn.modules.{'linear' if activation == 'Identity' else 'activation'}.{activation}"


def _write_dense(module: nn.Module, file: Path) -> None:
    state = {name: value.detach().cpu().contiguous() for name, value in module.state_dict().items()}
    save_file(state, str(file), metadata={"format": "pt"})


def _write_json(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
