"""Read and check a model folder in the layout of sentence-transformers or of the hub.

Reading loads neither weights nor torch, and never runs anything in the folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from explorer.errors import ModelError
from explorer.models.files import safetensors, untrusted
from explorer.models.files.safetensors import read_json
from explorer.models.runtime.pooling import MODES

Kind = Literal["bi", "cross"]

STATIC_ENCODER = "explorer-draft"  # the model_type of a static encoder
NGRAM_ENCODER = "explorer-ngram"  # that of a network of windows over a table of words, which only this program knows
MODULES = "modules.json"
SETTINGS = "config_sentence_transformers.json"
TOKENIZER_FILES = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.txt",
    "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model", "bpe.codes",
)  # fmt: skip
VOCABULARIES = {
    "tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spiece.model", "tokenizer.model",
}  # fmt: skip
# How models saved before sentence-transformers 5.4 name their pooling.
OLD_POOLING_KEYS = {
    "cls": "cls_token",
    "max": "max_tokens",
    "mean": "mean_tokens",
    "weightedmean": "weightedmean_tokens",
    "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "lasttoken": "lasttoken",
}
# These count positions from after the padding id.
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "mpnet", "longformer"}
_SENTENCE_CONFIGS = ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
_ACTIVATIONS = {"Identity", "Tanh", "ReLU", "GELU", "Sigmoid", "SiLU", "LeakyReLU", "ELU", "Softplus", "Mish"}
# What a configuration records besides the network itself; none of it changes a vector.
_INCIDENTAL = {
    "_name_or_path", "architectures", "transformers_version", "torch_dtype", "dtype", "use_cache",
    "gradient_checkpointing", "attention_probs_dropout_prob", "hidden_dropout_prob", "classifier_dropout",
    "attention_dropout", "dropout", "initializer_range", "id2label", "label2id", "problem_type",
    "sentence_transformers", "output_past",
}  # fmt: skip


@dataclass(frozen=True)
class Dense:
    """A linear layer after pooling: n to m, with an activation named as in torch.nn.

    Attributes:
        folder: The folder of its weights; None for a layer that was never saved.
    """

    inputs: int
    outputs: int
    bias: bool = True
    activation: str = "Tanh"
    folder: Path | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Normalize:
    """Scale each vector to length 1."""


@dataclass(frozen=True)
class Dropout:
    """Drop a share of the values in training; do nothing otherwise."""

    share: float


Layer = Dense | Normalize | Dropout


@dataclass(frozen=True)
class ModelFolder:
    """The settings of a model folder.

    Attributes:
        path: The folder.
        kind: "bi" for texts to vectors, "cross" for pairs to scores.
        encoder: The folder of the transformer: `path` or one below it.
        config: The transformer's config.json.
        pooling: Pooling modes, concatenated in this order.
        layers: The layers after the pooling.
        max_tokens: Tokens a text may have, special tokens included; more are cut off by the model.
        lower_case: Whether texts are lower-cased before the tokenizer sees them.
        prompts: Texts put before a text by its role, such as "query: ".
        default_prompt: The prompt of a text without a role, as a key of `prompts`.
        pools_prompt: Whether the prompt's own tokens take part in the pooling.
        labels: A cross-encoder's outputs; one name for a score, k for k classes.
        activation: The activation the model declares for its logits, as a name of torch.nn.
        own_head: Whether a cross-encoder's head is ours: first token, dense, GELU, projection.
    """

    path: Path
    kind: Kind
    encoder: Path
    config: Mapping[str, Any]
    pooling: tuple[str, ...] = ("mean",)
    layers: tuple[Layer, ...] = ()
    max_tokens: int = 512
    lower_case: bool = False
    prompts: Mapping[str, str] = field(default_factory=dict)
    default_prompt: str | None = None
    pools_prompt: bool = True
    labels: tuple[str, ...] = ()
    activation: str = "Identity"
    own_head: bool = False

    @property
    def dimension(self) -> int:
        """Length of a vector; for a cross-encoder the number of outputs."""
        if self.kind == "cross":
            return len(self.labels)
        dense = (layer.outputs for layer in reversed(self.layers) if isinstance(layer, Dense))
        return next(dense, self.width * len(self.pooling))

    @property
    def width(self) -> int:
        """The encoder's width n."""
        names = ("hidden_size", "dim", "d_model")
        return int(next((self.config[name] for name in names if self.config.get(name)), 0))

    @property
    def bytes(self) -> int:
        """Size of everything in the folder."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the weights, the tokenizer and every setting that changes a vector or a score.

        The same on every machine, so that a workspace knows which of its vectors are a model's.
        """
        content = {
            "kind": self.kind,
            "config": {key: value for key, value in self.config.items() if key not in _INCIDENTAL},
            "weights": safetensors.digest(self.encoder),
            "tokenizer": _tokenizer_digest(self.encoder),
            "max_tokens": self.max_tokens,
            "lower_case": self.lower_case,
            "pooling": self.pooling,
            "pools_prompt": self.pools_prompt,
            "prompts": dict(self.prompts),
            "default_prompt": self.default_prompt,
            "labels": len(self.labels),
            "layers": [_layer_digest(layer) for layer in self.layers if not isinstance(layer, Dropout)],
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read(path: Path | str) -> ModelFolder:
    """Read a model folder and check all that can be checked without loading it.

    Raises:
        ModelError: The folder cannot be used; the message names the file and the remedy.
    """
    path = Path(path)
    if not path.is_dir():
        raise ModelError("{file}: there is no such folder. Choose a folder that holds a model.", file=path)
    try:
        folder = _read(path)
        folder.dimension  # noqa: B018 - a property that reads further settings
    except OSError as error:
        raise ModelError(
            "{what}: cannot be read ({reason}). Check the folder.", what=error.filename or path, reason=error.strerror
        ) from error
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError) as error:
        raise ModelError(
            "{file}: a setting of this model has a value that makes no sense ({reason}). Download it again.",
            file=path,
            reason=error,
        ) from error
    return folder


def _read(path: Path) -> ModelFolder:
    modules = _modules(path)
    settings = read_json(path / SETTINGS)
    encoder = modules[0][1] if modules else path
    config = _config(encoder)
    tensors = {
        name: tensor for file in safetensors.files(encoder) for name, tensor in safetensors.tensors(file).items()
    }
    if config["model_type"] != STATIC_ENCODER:
        untrusted.check_config(encoder / "config.json", config, tensors)
    _check_tokenizer(encoder)
    stored = (read_json(encoder / f"sentence_{stem}_config.json") for stem in _SENTENCE_CONFIGS)
    sentence_config = next(filter(None, stored), {})
    common: dict[str, Any] = {
        "path": path,
        "encoder": encoder,
        "config": config,
        "max_tokens": _max_tokens(encoder, config, sentence_config.get("max_seq_length")),
        "lower_case": sentence_config.get("do_lower_case") is True,
    }
    architectures = map(str, config.get("architectures") or ())
    classifies = any(name.endswith("ForSequenceClassification") for name in architectures)
    if settings.get("model_type") == "CrossEncoder" or (classifies and not modules):
        return _cross(common, modules, settings)
    prompts = {str(name): str(text) for name, text in (settings.get("prompts") or {}).items() if text}
    default = settings.get("default_prompt_name")
    pooling, pools_prompt, layers = _after_encoder(modules[1:])
    return ModelFolder(
        kind="bi",
        pooling=pooling,
        pools_prompt=pools_prompt,
        layers=layers,
        prompts=prompts,
        default_prompt=default if default in prompts else None,
        **common,
    )


def _cross(common: dict[str, Any], modules: list[tuple[str, Path]], settings: Mapping[str, Any]) -> ModelFolder:
    config = common["config"]
    names = config.get("id2label") or {}
    layers: tuple[Layer, ...] = ()
    count = len(names) or int(config.get("num_labels") or 2)
    if len(modules) > 1:
        layers = _after_encoder(modules[1:])[2]
        count = next((layer.outputs for layer in reversed(layers) if isinstance(layer, Dense)), 1)
    labels = tuple(str(names.get(str(index), f"LABEL_{index}")) for index in range(count))
    stored = config.get("sentence_transformers") or {}
    declared = settings.get("activation_fn") or stored.get("activation_fn")
    activation = str(declared or ("Identity" if count > 1 else "Sigmoid")).rsplit(".", 1)[-1]
    return ModelFolder(
        kind="cross",
        pooling=("cls",),
        layers=layers,
        labels=labels,
        activation=activation if activation in _ACTIVATIONS else "Identity",
        own_head=len(modules) > 1,
        **common,
    )


def _config(encoder: Path) -> dict[str, Any]:
    file = encoder / "config.json"
    if not file.is_file():
        raise ModelError(
            "{encoder}: there is no config.json in this folder, so it is not a model. Choose another folder.",
            encoder=encoder,
        )
    config = read_json(file)
    if "auto_map" in config:
        raise ModelError(
            "{file}: this model brings its own program code (auto_map), which is never run here. "
            "Choose a model of a standard architecture.",
            file=file,
        )
    if not isinstance(config.get("model_type"), str):
        raise ModelError("{file}: the model's type (model_type) is missing. Download the model again.", file=file)
    return config


def _check_tokenizer(encoder: Path) -> None:
    settings = read_json(encoder / "tokenizer_config.json")
    if "auto_map" in settings:
        raise ModelError(
            "{encoder}: this tokenizer brings its own program code (auto_map), which is never run "
            "here. Choose a model with a standard tokenizer.",
            encoder=encoder / "tokenizer_config.json",
        )
    file = encoder / "tokenizer.json"
    if file.is_file():
        # Once for a file: to parse 17 MB of JSON takes 0.3 s, and a list of models reads every one.
        safetensors.cached_digest("tokenizer checked 2", [file], lambda: untrusted.check_tokenizer(file))
    if not any((encoder / name).is_file() for name in VOCABULARIES):
        raise ModelError(
            "{encoder}: the tokenizer is missing (no tokenizer.json or vocabulary file). Copy it "
            "from the place the model came from.",
            encoder=encoder,
        )


def _modules(path: Path) -> list[tuple[str, Path]]:
    """Return the chain of modules as (type, folder); empty for a raw checkpoint."""
    file = path / MODULES
    if not file.is_file():
        return []
    try:
        entries = json.loads(file.read_bytes())
        chain = [(str(entry["type"]).rsplit(".", 1)[-1], str(entry["path"])) for entry in entries]
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(
            "{file}: the list of modules cannot be read ({reason!r}). Download the model again.",
            file=file,
            reason=error,
        ) from error
    if not chain or chain[0][0] != "Transformer":
        raise ModelError(
            "{file}: the first module must be a Transformer; this kind of model is not supported.", file=file
        )
    root = path.resolve()
    for _, below in chain:
        if not (root / below).resolve().is_relative_to(root):
            raise ModelError(
                "{file}: the module path “{below}” leads outside the model's folder. Do not use this model.",
                file=file,
                below=below,
            )
    return [(kind, path / below) for kind, below in chain]


def _after_encoder(modules: list[tuple[str, Path]]) -> tuple[tuple[str, ...], bool, tuple[Layer, ...]]:
    pooling: tuple[str, ...] = ("mean",)
    pools_prompt = True
    layers: list[Layer] = []
    for kind, folder in modules:
        if kind == "Pooling":
            config = read_json(folder / "config.json")
            pooling, pools_prompt = _pooling(config, folder), config.get("include_prompt", True) is not False
        elif kind == "Dense":
            layers.append(_dense(folder))
        elif kind == "Normalize":
            layers.append(Normalize())
        elif kind == "Dropout":
            layers.append(Dropout(float(read_json(folder / "config.json").get("dropout", 0.0))))
        else:
            raise ModelError(
                "{parent}: the module “{kind}” is not supported. Choose another model.",
                parent=folder.parent / MODULES,
                kind=kind,
            )
    return pooling, pools_prompt, tuple(layers)


def _pooling(config: Mapping[str, Any], folder: Path) -> tuple[str, ...]:
    declared = config.get("pooling_mode")
    if declared is None:
        declared = [mode for mode, key in OLD_POOLING_KEYS.items() if config.get(f"pooling_mode_{key}") is True] or [
            "mean"
        ]
    modes = (declared,) if isinstance(declared, str) else tuple(map(str, declared))
    for mode in modes:
        if mode not in MODES:
            raise ModelError(
                "{folder}: the pooling “{mode}” is not supported; mean, cls and max are.",
                folder=folder / "config.json",
                mode=mode,
            )
    return modes


def _dense(folder: Path) -> Dense:
    config = read_json(folder / "config.json")
    activation = str(config.get("activation_function", "Tanh")).rsplit(".", 1)[-1]
    if activation not in _ACTIVATIONS or config.get("use_residual"):
        raise ModelError(
            "{folder}: the dense layer's form ({activation}) is not supported.",
            folder=folder / "config.json",
            activation=activation,
        )
    try:
        inputs, outputs = int(config["in_features"]), int(config["out_features"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            "{folder}: the sizes of the dense layer are missing.", folder=folder / "config.json"
        ) from error
    for file in safetensors.files(folder):
        safetensors.tensors(file)
    return Dense(inputs, outputs, config.get("bias", True) is not False, activation, folder)


def _max_tokens(encoder: Path, config: Mapping[str, Any], declared: object) -> int:
    positions = int(config.get("max_position_embeddings") or 0)
    if positions > 0 and config["model_type"] in _OFFSET_POSITIONS:
        positions -= int(config.get("pad_token_id") or 1) + 1
    declared = declared or read_json(encoder / "tokenizer_config.json").get("model_max_length")
    limits = [int(limit) for limit in (declared, positions) if isinstance(limit, int | float) and limit > 0]
    return min(limits, default=512)


def _layer_digest(layer: Layer) -> list[object]:
    if isinstance(layer, Dense):
        stored = safetensors.digest(layer.folder) if layer.folder else None
        return ["dense", layer.inputs, layer.outputs, layer.bias, layer.activation, stored]
    return ["normalize"]


def _tokenizer_digest(encoder: Path) -> str:
    """Digest the vocabulary and its rules; not truncation and padding, which are set when it is used."""
    names = sorted(VOCABULARIES | {"merges.txt", "added_tokens.json", "tokenizer_config.json"})
    paths = [encoder / name for name in names if (encoder / name).is_file()]
    return safetensors.cached_digest("tokenizer", paths, lambda: _digest_tokenizer(encoder, paths))


def _digest_tokenizer(encoder: Path, paths: Sequence[Path]) -> str:
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
    for path in paths:
        if path.name != "tokenizer_config.json":
            whole.update(path.name.encode() + path.read_bytes())
    return whole.hexdigest()
