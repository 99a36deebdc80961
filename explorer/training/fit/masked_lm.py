"""Masked language modelling: a first stage without labels that adapts the encoder to the language of a corpus.

Of the tokens chosen, 80 % are replaced by the mask, 10 % by a random token, and 10 % left, as in BERT
(https://arxiv.org/abs/1810.04805). The head is our own for all architectures: dense, GELU, norm, then the token
embeddings themselves; it starts close to the identity and is thrown away afterwards.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import model_folder
from explorer.task import Cancelled
from explorer.training.data.dataset import make_set
from explorer.training.fit import batching, checkpoints
from explorer.training.fit.batch_plan import planned_steps
from explorer.training.fit.batching import TokenizedExamples
from explorer.training.fit.checkpoints import TrainingProgress
from explorer.training.fit.losses import Objective
from explorer.training.fit.step import Batch, Stepper

if TYPE_CHECKING:
    from explorer.models.files.model_folder import ModelFolder
    from explorer.models.runtime.device import Device
    from explorer.models.runtime.network import Network
    from explorer.task import Task
    from explorer.training.recipe import Recipe

NOTE = "learning the words"
_MASKS = ("[MASK]", "<mask>")


class MaskedLanguageModel(nn.Module):
    """A network that computes the loss of predicting the masked tokens of a batch."""

    def __init__(self, network: Network, mask: int, special: Sequence[int], share: float) -> None:
        super().__init__()
        words = network.transformer.get_input_embeddings().weight  # (V, e)
        width = network.transformer.config.hidden_size
        self.network, self.share, self.mask = network, share, mask
        self.dense = nn.Linear(width, words.shape[1])
        nn.init.eye_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)
        self.norm = nn.LayerNorm(words.shape[1])
        self.bias = nn.Parameter(torch.zeros(len(words)))
        self.register_buffer("special", torch.tensor(sorted(special)), persistent=False)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None, pooled: Tensor | None) -> Tensor:  # noqa: ARG002
        """Return ids and mask (B, T) -> the sum of the losses of the masked tokens, and their count, (B, 2)."""
        words = self.network.transformer.get_input_embeddings().weight
        special: Tensor = self.special  # type: ignore[assignment]
        open_to_choice = mask.bool() & ~torch.isin(ids, special)
        hidden = open_to_choice & (torch.rand(ids.shape, device=ids.device) < self.share)  # (B, T)
        fate = torch.rand(ids.shape, device=ids.device)
        others = torch.randint_like(ids, len(words))
        shown = torch.where(hidden & (fate < 0.8), self.mask, ids)
        shown = torch.where(hidden & (fate >= 0.9), others, shown)
        output = self.network.transformer(input_ids=shown, attention_mask=mask).last_hidden_state  # (B, T, n)
        guesses = self.norm(functional.gelu(self.dense(output[hidden]))) @ words.T + self.bias  # (H, V)
        losses = torch.zeros(ids.shape, device=ids.device).masked_scatter(
            hidden, functional.cross_entropy(guesses, ids[hidden], reduction="none").float()
        )
        return torch.stack([losses.sum(1), hidden.sum(1).float()], dim=1)


class MaskedLoss(Objective):
    """Mean cross-entropy of the masked tokens."""

    name = "masked"
    texts = 1

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:  # noqa: ARG002
        """Return sums and counts (B, 2) -> scalar."""
        sums, numbers = outputs[0].unbind(1)
        return sums.sum() / numbers.sum().clamp(min=1)


def adapt(
    recipe: Recipe, base: ModelFolder, texts: Sequence[str], folder: Path, device: Device, task: Task
) -> ModelFolder:
    """Return the base after masked language modelling on texts; done once, and resumed where it was stopped.

    Raises:
        DataError: The base is a cross-encoder or has no mask token, there are no texts, or the loss diverged.
        Cancelled: The task was cancelled; a checkpoint is kept.
    """
    work = checkpoints.words_folder(folder)
    made = work / "model"
    distinct = tuple(dict.fromkeys(text for text in texts if text.strip()))
    if base.kind != "bi":
        raise DataError(
            "{path}: words are learned before a head is. Choose an encoder or a bi-encoder.", path=base.path
        )
    if len(distinct) < 2:
        raise DataError("There are no texts to learn words from. Name a workspace, or a file of texts.")
    key = checkpoints.key(recipe, [base.fingerprint], make_set("texts", (distinct,)), ())
    progress = checkpoints.read(work)
    if progress is None or progress.key != key:
        shutil.rmtree(work, ignore_errors=True)
        progress = None
    elif made.is_dir():
        return model_folder.read(made)
    model = BiEncoder(base, replace(device, precision="float32"))
    _train(
        recipe, model, distinct, TrainingProgress(key, micro=recipe.batch) if progress is None else progress, work, task
    )
    return model.save(made)


def discard(folder: Path) -> None:
    """Delete the encoder that was made for the model in `folder`."""
    shutil.rmtree(checkpoints.words_folder(folder), ignore_errors=True)


def _train(
    recipe: Recipe, model: BiEncoder, texts: Sequence[str], progress: TrainingProgress, work: Path, task: Task
) -> None:
    """Run the steps that are left; the last checkpoint marks the end."""
    added = model.tokenizer.whole_copy().get_added_tokens_decoder()
    mask = next((token_id for token_id, token in added.items() if token.content in _MASKS), None)
    if mask is None:
        raise DataError("{path}: this model has no token for a hidden word. Set “rounds” to 0.", path=model.folder.path)
    special = [token_id for token_id, token in added.items() if token.special]
    stage = replace(
        recipe,
        epochs=max(0.001, recipe.masked.rounds),
        steps=0,
        accumulation=1,
        learning_rate=recipe.masked.learning_rate,
        max_examples=0,
    )
    model.network.requires_grad_(True)
    network = MaskedLanguageModel(model.network, mask, special, recipe.masked.share).to(model.device.name)
    weights = {name: each for name, each in network.named_parameters() if "transformer.pooler." not in name}
    source = TokenizedExamples(
        batching.tokenize(texts, model.tokenizer.encode, task), len(texts), (0,), model.tokenizer.pad
    )
    total = planned_steps(stage, len(texts))
    stepper = Stepper(network, weights, stage, model.device, total)
    if progress.state_file:
        stepper.restore(checkpoints.read_tensors(work / progress.state_file))
        stepper.micro = progress.micro
    saved, objective = time.monotonic(), MaskedLoss()

    def save_checkpoint(step: int) -> None:
        file = checkpoints.write_tensors(work, f"words-{step}", stepper.tensors())
        checkpoints.write(work, replace(progress, step=step, micro=stepper.micro, state_file=file))

    batches = batching.steps(source.lengths, stage.batch, 1, stage.seed)
    for step, group in zip(range(total), batches, strict=False):
        if step < progress.step:
            continue
        try:
            task.report(step, total, NOTE)
        except Cancelled:
            if step > progress.step:
                save_checkpoint(step)
            raise
        loss = stepper.step(step, [Batch(source, rows, None, objective, 1.0) for rows in group])
        if not loss < float("inf"):
            raise DataError(
                "At step {step} of learning the words the loss was not a finite number. Lower its rate.", step=step + 1
            )
        if time.monotonic() - saved >= 60 * recipe.checkpoint_minutes:
            save_checkpoint(step + 1)
            saved = time.monotonic()
    save_checkpoint(total)
    model.network.eval()
