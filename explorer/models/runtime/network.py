"""Load the network of a model folder, run it, and save it again; the only module here that imports torch at its top."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from explorer.errors import ModelError
from explorer.models.files import model_folder, safetensors
from explorer.models.files.model_folder import Dense, Dropout, Layer, ModelFolder
from explorer.models.runtime import batching
from explorer.models.runtime import device as devices
from explorer.models.runtime.pooling import pool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.runtime.batching import Tokens
    from explorer.models.runtime.device import Device

_PLAIN_ATTENTION_TOKENS = 512  # beyond it, weights of every token for every other take more memory than they save time
_UNUSED = ("pooler.", "position_ids")  # weights that no vector depends on


class Network(nn.Module):
    """A transformer followed by pooling and layers, or with the hub's classification head.

    Attributes:
        transformer: The Hugging Face model.
        layers: The layers after the pooling; empty if the transformer has its own head.
        modes: The pooling; empty if the transformer has its own head.
    """

    def __init__(self, transformer: Any, layers: nn.Sequential, modes: tuple[str, ...]) -> None:
        super().__init__()
        self.transformer = transformer
        self.layers = layers
        self.modes = modes

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None, pooled: Tensor | None = None) -> Tensor:
        """Compute vectors of texts or logits of pairs, in float32.

        Args:
            ids: Token ids, (B, T).
            mask: 1 for real tokens, (B, T).
            types: Which text of a pair each token belongs to, (B, T).
            pooled: The tokens that take part in the pooling, (B, T); all of `mask` if absent.

        Returns:
            (B, m).
        """
        extra = {} if types is None else {"token_type_ids": types}
        output = self.transformer(input_ids=ids, attention_mask=mask, **extra)
        if not self.modes:
            logits: Tensor = output.logits.float()
            return logits
        hidden = output.last_hidden_state  # (B, T, n)
        values: Tensor = self.layers(pool(hidden, mask if pooled is None else pooled, self.modes))
        return values


class UnitLength(nn.Module):
    """(B, n) -> (B, n), each row scaled to length 1."""

    def forward(self, vectors: Tensor) -> Tensor:
        """Divide by the length, or by 1e-12 if that is 0."""
        return functional.normalize(vectors, dim=-1)


class DenseLayer(nn.Module):
    """(B, n) -> (B, m): a linear layer and its activation."""

    def __init__(self, spec: Dense) -> None:
        super().__init__()
        self.linear = nn.Linear(spec.inputs, spec.outputs, bias=spec.bias)
        self.activation: nn.Module = getattr(nn, spec.activation)()

    def forward(self, vectors: Tensor) -> Tensor:
        """Apply both."""
        values: Tensor = self.activation(self.linear(vectors))
        return values


def load(folder: ModelFolder, device: Device) -> Network:
    """Load the network of a folder on a device, in evaluation mode.

    Raises:
        ModelError: The architecture is unknown, or the weights do not fit the configuration.
    """
    if device.name == "cpu":
        devices.keep_freed_memory()
    classifier = folder.kind == "cross" and not folder.own_head
    modes = () if classifier else folder.pooling
    network = Network(_transformer(folder, classifier=classifier), _layers(folder), modes)
    network.transformer.to(dtype=device.dtype)
    if device.name == "cpu" and device.dtype is torch.bfloat16 and folder.max_tokens <= _PLAIN_ATTENTION_TOKENS:
        # The fused kernel has no fast path for bfloat16: two plain products took 0.4 to 0.6 of its time with 32 to 256
        # tokens and a head of 32, a tenth of the whole network's.
        network.transformer.set_attn_implementation("eager")
    if classifier and device.dtype is not torch.float32:
        # Eight bits of mantissa would give many pairs the same score.
        for part in network.transformer.children():
            if part is not network.transformer.base_model:
                part.float().register_forward_pre_hook(lambda _, given: tuple(each.float() for each in given))
    return network.to(device.name).eval()


def infer(network: Network, tokens: list[Tokens], pad: int, *, typed: bool, unpooled: int = 0) -> NDArray[np.float32]:
    """Compute the network's output for a batch, without gradients. (B, m), float32.

    Args:
        network: The network.
        tokens: The sequences of the batch.
        pad: Id of the padding token.
        typed: Whether the network takes token types.
        unpooled: Tokens at the beginning that the pooling leaves out.
    """
    device = next(network.parameters()).device
    padded = batching.padded([item.ids for item in tokens], pad)
    with torch.inference_mode():
        ids, mask = (torch.from_numpy(part).to(device, non_blocking=True) for part in padded)
        types = pooled = None
        if typed:
            types = torch.from_numpy(batching.padded([item.types or [] for item in tokens], 0)[0]).to(device)
        if unpooled:
            pooled = mask.clone()
            pooled[:, :unpooled] = 0
        values: NDArray[np.float32] = network(ids, mask, types, pooled).float().cpu().numpy()
    return values


def without_normalisation(network: Network) -> Network:
    """Return a network that shares the weights but does not scale its vectors to length 1."""
    layers = nn.Sequential(*[layer for layer in network.layers if not isinstance(layer, UnitLength)])
    return Network(network.transformer, layers, network.modes).eval()


def make_layer(layer: Layer) -> nn.Module:
    """Make the module of a layer, freshly initialised."""
    if isinstance(layer, Dense):
        return DenseLayer(layer)
    return nn.Dropout(layer.share) if isinstance(layer, Dropout) else UnitLength()


def _transformer(folder: ModelFolder, *, classifier: bool) -> Any:
    try:
        maker = _maker(folder, classifier=classifier)
        with quiet():
            model, report = maker.from_pretrained(
                str(folder.encoder),
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # they are refused below, by their names
            )
    except Exception as error:
        raise ModelError(
            "{encoder}: the model cannot be built from this configuration and its weights "
            "({first_line}). Download the model again, or choose one of a standard architecture.",
            encoder=folder.encoder / "config.json",
            first_line=(str(error).strip() or type(error).__name__).splitlines()[0][:300],
        ) from error
    _check_fit(folder, report, classifier=classifier)
    _require_numbers(model, safetensors.files(folder.encoder)[0])
    return model


def _maker(folder: ModelFolder, *, classifier: bool) -> Any:
    """Return the class that opens a transformer of this architecture."""
    if folder.config["model_type"] == model_folder.NGRAM_ENCODER:
        from explorer.models.runtime.ngram_encoder import NgramEncoder

        return NgramEncoder
    from transformers import AutoModel, AutoModelForSequenceClassification

    return AutoModelForSequenceClassification if classifier else AutoModel


def _layers(folder: ModelFolder) -> nn.Sequential:
    from safetensors.torch import load_file

    modules = nn.Sequential(*map(make_layer, folder.layers))
    for layer, module in zip(folder.layers, modules, strict=True):
        if not isinstance(layer, Dense) or layer.folder is None:
            continue
        file = layer.folder / safetensors.SINGLE
        try:
            module.load_state_dict({name: value.float() for name, value in load_file(str(file)).items()})
        except RuntimeError as error:
            raise ModelError(
                "{file}: the weights do not fit the layer's config.json. Download the model again.", file=file
            ) from error
        _require_numbers(module, file)
    return modules


def _require_numbers(module: nn.Module, file: Path) -> None:
    """Refuse weights that are infinite or not numbers: every vector would be, and no search would find anything."""
    numbers = [*module.parameters(), *(each for each in module.buffers() if each.is_floating_point())]
    # The largest is NaN if any is; 15 ms for the 23 million weights of the bundled model.
    if not all(bool(torch.isfinite(weights.detach().abs().max())) for weights in numbers if weights.numel()):
        raise ModelError(
            "{file}: some weights are infinite or not numbers. Download the model again, or choose another one.",
            file=file,
        )


def _check_fit(folder: ModelFolder, report: dict[str, Any], *, classifier: bool) -> None:
    unused = () if classifier else _UNUSED
    missing = [key for key in report["missing_keys"] if not any(part in key for part in unused)]
    wrong = [entry[0] if isinstance(entry, tuple) else entry for entry in report.get("mismatched_keys") or ()]
    if missing or wrong:
        name = min(map(str, wrong or missing))
        what = "has another size than in" if wrong else "is missing, though it belongs to"
        raise ModelError(
            "{files}: the weights do not fit config.json: “{name}” {what} the network it describes. "
            "Download the model again.",
            files=safetensors.files(folder.encoder)[0],
            name=name,
            what=what,
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the library's progress bar and load report off the user's terminal."""
    from transformers.utils import logging as reports

    logger = logging.getLogger("transformers")
    level, bars = logger.level, reports.is_progress_bar_enabled()
    logger.setLevel(logging.CRITICAL)
    reports.disable_progress_bar()
    try:
        yield
    finally:
        logger.setLevel(level)
        if bars:
            reports.enable_progress_bar()


def save(folder: ModelFolder, network: Network, path: Path) -> ModelFolder:
    """Write a network with the settings of `folder`, atomically, for this program and sentence-transformers.

    Raises:
        ModelError: The path exists and is not an empty folder, or cannot be written.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ModelError("{file}: this exists already. Choose a new name for the model.", file=path)
    partial = path.with_name(path.name + ".partial")
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
    return model_folder.read(path)


def _write(folder: ModelFolder, network: Network, path: Path) -> None:
    with quiet():
        network.transformer.save_pretrained(path)
    _write_json(path / "config.json", _updated_config(folder, network))
    for name in model_folder.TOKENIZER_FILES:
        if (folder.encoder / name).is_file():
            shutil.copyfile(folder.encoder / name, path / name)
    _write_json(
        path / "sentence_bert_config.json", {"max_seq_length": folder.max_tokens, "do_lower_case": folder.lower_case}
    )
    if folder.kind == "cross" and not folder.own_head:
        return
    _write_json(path / model_folder.SETTINGS, _settings(folder))
    modules = [("Transformer", "")]
    for name, config, module in _chain(folder, network):
        below = f"{len(modules)}_{name}"
        (path / below).mkdir()
        _write_json(path / below / "config.json", config)
        if module is not None:
            _write_dense(module, path / below / safetensors.SINGLE)
        modules.append((name, below))
    listed = [
        {"idx": index, "name": str(index), "path": below, "type": f"sentence_transformers.models.{name}"}
        for index, (name, below) in enumerate(modules)
    ]
    _write_json(path / model_folder.MODULES, listed)


def _updated_config(folder: ModelFolder, network: Network) -> dict[str, Any]:
    """Return the configuration as it was read, with what training may have changed."""
    current = network.transformer.config
    config = dict(folder.config) | {"architectures": current.architectures, "vocab_size": current.vocab_size}
    config.pop("torch_dtype", None)
    config["dtype"] = str(network.transformer.dtype).removeprefix("torch.")
    if folder.kind == "cross":
        config["id2label"] = {str(index): label for index, label in enumerate(folder.labels)}
        config["label2id"] = {label: index for index, label in enumerate(folder.labels)}
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
    """List what follows the transformer, as (module's name, its config, the dense layer if it is one)."""
    chain: list[tuple[str, dict[str, Any], nn.Module | None]] = [("Pooling", _pooling(folder), None)]
    for index, (layer, module) in enumerate(zip(folder.layers, network.layers, strict=True), 1):
        scores = folder.kind == "cross" and index == len(folder.layers)
        chain.append((type(layer).__name__, _layer(layer, scores=scores), module if isinstance(layer, Dense) else None))
    return chain


def _pooling(folder: ModelFolder) -> dict[str, Any]:
    config: dict[str, Any] = {"word_embedding_dimension": folder.width, "include_prompt": folder.pools_prompt}
    if len(folder.pooling) > 1:
        return config | {"pooling_mode": list(folder.pooling)}
    return config | {
        f"pooling_mode_{key}": mode in folder.pooling for mode, key in model_folder.OLD_POOLING_KEYS.items()
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
    from safetensors.torch import save_file

    state = {name: value.detach().cpu().contiguous() for name, value in module.state_dict().items()}
    save_file(state, str(file), metadata={"format": "pt"})


def _write_json(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
