"""The model that training starts from: the base as it is, or a new cross-encoder on its encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from explorer.errors import DataError, ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.runtime import device as devices
from explorer.models.runtime.network import Network, quiet

if TYPE_CHECKING:
    from explorer.models.files.model_folder import ModelFolder
    from explorer.models.runtime.device import Device
    from explorer.training.recipe import Recipe


def start(recipe: Recipe, base: ModelFolder, names: Sequence[str], device: Device) -> BiEncoder | CrossEncoder:
    """Open the model to be trained, with 32-bit weights on any device.

    Args:
        recipe: The recipe; its seed decides the first weights of a new head.
        base: The model to begin with.
        names: The classes of the examples; empty for scores.
        device: Where it is trained.

    Raises:
        ModelError: The base cannot be loaded.
        DataError: The base does not suit the recipe or the classes.
    """
    device = replace(device, precision="float32")
    if recipe.kind == "bi":
        if base.kind != "bi":
            raise DataError(
                "{path}: this is a cross-encoder, and “{objective}” trains bi-encoders. Choose a "
                "bi-encoder or a plain encoder as the base, or an objective for cross-encoders.",
                path=base.path,
                objective=recipe.objective,
            )
        return BiEncoder(base, device)
    labels = tuple(names) or ("score",)
    if base.kind == "cross" and len(base.labels) == len(labels):
        return _continued(base, labels, device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.seed)
        if recipe.head == "own":
            return CrossEncoder.on_encoder(_encoder(base), labels, device=device)
        return _hub_classifier(_encoder(base), labels, device)


def _continued(base: ModelFolder, labels: tuple[str, ...], device: Device) -> CrossEncoder:
    known = [name.casefold() for name in base.labels]
    asked = [name.casefold() for name in labels]
    nameless = all(name.startswith("label_") for name in known)
    if len(labels) > 1 and not nameless and known != asked:
        raise DataError(
            "{path}: the model tells {base} apart, in this order; the examples have {labels}. Rename "
            "the labels, or choose a base without classes.",
            path=base.path,
            base=", ".join(base.labels),
            labels=", ".join(labels),
        )
    keeps = len(labels) == 1 or not nameless
    return CrossEncoder(base if keeps else replace(base, labels=labels), device)


def _encoder(base: ModelFolder) -> ModelFolder:
    """Return the encoder alone, for a base that is a cross-encoder with other classes."""
    return replace(base, kind="bi", pooling=("cls",), layers=(), labels=(), own_head=False)


def _hub_classifier(encoder: ModelFolder, labels: tuple[str, ...], device: Device) -> CrossEncoder:
    """Return a cross-encoder with the untrained head that transformers has for this architecture."""
    from transformers import AutoModelForSequenceClassification

    if device.name == "cpu":
        devices.keep_freed_memory()
    maker: Any = AutoModelForSequenceClassification
    try:
        with quiet():
            transformer = maker.from_pretrained(
                str(encoder.encoder),
                num_labels=len(labels),
                ignore_mismatched_sizes=True,  # the head of another number of classes makes room for a new one
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
            )
    except Exception as error:
        raise ModelError(
            "{encoder}: no cross-encoder can be made of this model ({reason}). Set “head” to “own”, "
            "or choose another base.",
            encoder=encoder.encoder,
            reason=str(error)[:200],
        ) from error
    folder = replace(
        encoder,
        kind="cross",
        pooling=("cls",),
        labels=labels,
        own_head=False,
        prompts={},
        default_prompt=None,
        pools_prompt=True,
        activation="Sigmoid" if len(labels) == 1 else "Identity",
    )
    network = Network(transformer, nn.Sequential(), ()).to(device.name).eval()
    return CrossEncoder(folder, device, network)
