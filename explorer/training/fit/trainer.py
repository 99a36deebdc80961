"""The training loop: from a base and examples to a better model; it can be stopped, killed or resumed at any step."""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from explorer.errors import DataError, ModelError
from explorer.messages import UserMessage
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.runtime import device as devices
from explorer.models.runtime.network import Network, quiet
from explorer.task import Cancelled, Task
from explorer.training.data.checks import check_objective
from explorer.training.fit import checkpoints, losses
from explorer.training.fit.checkpoints import TrainingProgress
from explorer.training.fit.result import (
    Control,
    Ended,
    Listeners,
    OnEvaluation,
    OnStep,
    Phase,
    Trained,
    check_free,
    save_model,
)
from explorer.training.measure import model_card
from explorer.training.measure.evaluate import measure_dev
from explorer.training.recipe import Recipe

if TYPE_CHECKING:
    from explorer.models.files.model_folder import ModelFolder
    from explorer.models.runtime.device import Device
    from explorer.training.data.dataset import Dataset, Examples
    from explorer.training.measure.evaluate import Measure


_log = logging.getLogger(__name__)

EVALUATIONS = 10  # in all, if the recipe does not say how often
_SMOOTHING = 20  # steps over which speed and loss are averaged


def train(
    recipe: Recipe,
    base: ModelFolder,
    examples: Dataset,
    *,
    folder: Path,
    dev: Examples | Measure | None = None,
    unlabelled: Sequence[str] = (),
    teacher: BiEncoder | None = None,
    facts: model_card.CardFacts | None = None,
    device: Device | None = None,
    task: Task | None = None,
    control: Control | None = None,
    on_step: OnStep | None = None,
    on_evaluation: OnEvaluation | None = None,
) -> Trained:
    """Train a model and save it.

    Checkpoints are written beside `folder`. A run that was cancelled or killed resumes from there when it is called
    again with the same recipe, base and examples, and computes exactly what it would have computed uninterrupted.

    Args:
        recipe: How.
        base: The model to begin with.
        examples: What to learn from.
        folder: Where the finished model goes; must not exist.
        dev: Held-out examples, or a measure, that choose the best step; without it the last step is kept.
        unlabelled: Texts on which the guard holds the model to its base; those of the examples, if none are given.
        teacher: The model to learn from by distillation; the base, if none is given.
        facts: What the model card should say about the base and the counts.
        device: Where to train.
        task: Progress and cancellation.
        control: Pause, and stop with the best so far.
        on_step: Called after each step with its number from 1, its loss and the examples per second.
        on_evaluation: Called after each evaluation with the step and the metrics, the deciding one first.

    Raises:
        DataError: Recipe, base and examples do not suit each other, or the loss was not finite from the beginning.
        ModelError: The base cannot be used, or the result not saved.
        Cancelled: The task was cancelled; a checkpoint is kept.
    """
    import torch

    task, device = task or Task(), device or devices.choose()
    check_free(folder)
    listeners = Listeners(on_step or (lambda *_: None), on_evaluation or (lambda *_: None))
    graphics = list(range(torch.cuda.device_count()))
    with torch.random.fork_rng(devices=graphics), devices.threads(device.threads):
        start = base
        if recipe.masked.rounds:
            from explorer.training.fit import masked_lm

            texts = unlabelled or [text for column in examples.columns for text in column]
            start = masked_lm.adapt(recipe, base, texts, folder, device, task)
        run = _Run(recipe, base, start, _sample(examples, recipe), folder, device, task)
        run.prepare(unlabelled, teacher)
        ended = run.run(dev, control or Control(), listeners)
        trained = run.finish(ended, dev, facts)
        if recipe.masked.rounds:
            masked_lm.discard(folder)
        return trained


class _Run:
    """One training run: owns the model, the stepper and the progress."""

    def __init__(
        self,
        recipe: Recipe,
        base: ModelFolder,
        start: ModelFolder,
        data: Dataset,
        folder: Path,
        device: Device,
        task: Task,
    ) -> None:
        self.recipe, self.base, self.data, self.folder = recipe, base, data, folder
        self.start = start  # the base, or what the first step on texts alone made of it
        self.device, self.task = device, task
        self.work = checkpoints.work_folder(folder)
        self.objective = losses.objective(
            recipe.objective, width=base.dimension, classes=len(data.names), options=recipe.options, seed=recipe.seed
        )
        check_objective(data, self.objective)
        if base.kind != recipe.kind and (recipe.guard.average < 1 or recipe.guard.share):
            raise DataError(
                "A new cross-encoder had no abilities before, so there is nothing to guard: “average” must be 1 and "
                "the guard's “share” 0."
            )
        self.model = self._open(start)
        self.losses: list[float] = []
        self.began = time.monotonic()

    def prepare(self, unlabelled: Sequence[str], teacher: BiEncoder | None) -> None:
        """Tokenize the examples, select the weights to train, and resume from a checkpoint if there is one."""
        from explorer.training.fit import batch_plan, optimizer
        from explorer.training.fit.step import Stepper

        models = [self.base.fingerprint, teacher.fingerprint if teacher else ""]
        key = checkpoints.key(self.recipe, models, self.data, unlabelled)
        self.progress = TrainingProgress(key, micro=self.recipe.batch)
        checkpoint = self._checkpoint_to_resume()
        keeper = self._open(self.base) if self.start is not self.base and self.recipe.guard.share else None
        self.plan = batch_plan.build(
            self.recipe, self.model, self.objective, self.data, unlabelled, teacher, keeper, self.task
        )
        optimizer.select_weights(self.model.network, self.recipe, self.plan.used())
        self.objective.to(self.device.name)
        weights = optimizer.trained_weights(self.model.network, self.objective)
        self.stepper = Stepper(self.model.network, weights, self.recipe, self.device, self.plan.total)
        if checkpoint is not None:
            self._resume(checkpoint)

    def run(self, dev: Examples | Measure | None, control: Control, listeners: Listeners) -> Ended:
        """Train until the last step, or until something ends the run.

        Raises:
            Cancelled: The task was cancelled; a checkpoint was written.
            DataError: The loss is not finite and there is no earlier model to keep.
        """
        _log.info("training %s: %d examples, %d steps", self.recipe.objective, len(self.data), self.plan.total)
        try:
            ended = self._loop(dev, control, listeners)
            if dev is not None and ended in ("stopped", "time"):
                self._evaluate(dev, listeners)  # the user may stop long after the last evaluation
        except Cancelled:
            self._checkpoint() if self.progress.step else checkpoints.discard(self.folder)
            raise
        _log.info("training ended at step %d: %s", self.progress.step, ended)
        self._checkpoint()  # should the disk be full when the model is saved, nothing is lost
        return ended

    def _loop(self, dev: Examples | Measure | None, control: Control, listeners: Listeners) -> Ended:
        self.task.enter(Phase.TRAINING)
        total, recipe = self.plan.total, self.recipe
        every = recipe.evaluate_every or max(1, total // EVALUATIONS)
        saved, speed = time.monotonic(), deque[tuple[int, float]](maxlen=_SMOOTHING)
        steps = self.plan.steps(self.progress.step)
        while True:
            step = self.progress.step
            warning = self.stepper.notes[-1] if self.stepper.notes else ""
            self.task.report(step, total, "training", self._detail(), warning)
            if dev is not None and (step % every == 0 or step == total):
                self._evaluate(dev, listeners)
                if recipe.patience and self.progress.waited >= recipe.patience:
                    return "no gain"
            if step >= total:
                return "done"
            if control.paused:
                self._checkpoint()
                control.wait(self.task)
            if control.stopped:
                return "stopped"
            if recipe.max_minutes and self._seconds() > 60 * recipe.max_minutes:
                return "time"
            began, batches = time.monotonic(), next(steps)
            loss = self.stepper.step(step, batches)
            if not math.isfinite(loss):
                return self._diverged(step)
            self.losses.append(loss)
            self.progress = replace(self.progress, step=step + 1)
            speed.append((sum(len(batch.rows) for batch in batches), time.monotonic() - began))
            listeners.on_step(step + 1, loss, sum(n for n, _ in speed) / max(1e-9, sum(t for _, t in speed)))
            if time.monotonic() - saved >= 60 * recipe.checkpoint_minutes:
                self._checkpoint()
                saved = time.monotonic()

    def _detail(self) -> str:
        """Return the recent loss and the last metric of the held-out examples."""
        late = self.losses[-_SMOOTHING:]
        parts = [f"loss {sum(late) / len(late):.4f}"] if late else []
        if self.progress.evaluations:
            name, value = next(iter(self.progress.evaluations[-1][1].items()))
            parts.append(f"{name} {value:.4f}")
        return ", ".join(parts)

    def _evaluate(self, dev: Examples | Measure, listeners: Listeners) -> None:
        """Evaluate the model, at most once per step, and save its weights if it is the best so far."""
        now = self.progress
        if now.evaluations and now.evaluations[-1][0] == now.step:
            return
        self.model.network.eval()
        measures = measure_dev(dev, self.model, self.task.silent())
        value = next(iter(measures.values()))
        value = value if math.isfinite(value) else -math.inf
        better = now.best is None or value > now.best
        self.progress = replace(
            now, evaluations=(*now.evaluations, (now.step, measures)), waited=0 if better else now.waited + 1
        )
        if better:
            file = checkpoints.write_tensors(self.work, f"best-{now.step}", self.stepper.weights)
            self.progress = replace(self.progress, best=value, best_step=now.step, best_file=file)
        listeners.on_evaluation(now.step, measures)

    def _diverged(self, step: int) -> Ended:
        if self.progress.best is None:
            checkpoints.discard(self.folder)
            raise DataError("At step {step} the loss was not a finite number. Lower the learning rate.", step=step + 1)
        note = UserMessage(
            "At step {step} the loss was not a finite number. Lower the learning rate. The best step before it was "
            "kept.",
            step=step + 1,
        )
        self.stepper.notes.append(note)
        return "diverged"

    def finish(self, ended: Ended, dev: Examples | Measure | None, facts: model_card.CardFacts | None) -> Trained:
        """Load the best weights, merge adapters, average with the base, and save the model with its card."""
        from explorer.training.fit import optimizer

        now, network = self.progress, self.model.network
        if now.best_file and now.best_step != now.step:
            self.stepper.load_weights(checkpoints.read_tensors(self.work / now.best_file))
        network.eval()
        optimizer.remove_sparse_embeddings(network)
        optimizer.merge_lora(network)
        measures = dict(now.evaluations)
        before, after = measures.get(0, {}), measures.get(now.best_step, {})
        if self.recipe.guard.average < 1:
            average_weights(network, self._open(self.base).network, self.recipe.guard.average)
            if dev is not None:
                after = measure_dev(dev, self.model, self.task.silent())
        best_step = now.best_step if now.best_file else now.step
        facts = facts or model_card.facts_of(self.base, {"train": len(self.data)})
        notes = (*self.stepper.notes, *_base_note(best_step, dev is not None, facts.base))
        facts = replace(facts, steps=(now.step, best_step), before=before, after=after, notes=notes)
        saved = save_model(self.model, self.recipe, facts, self.work / "model", self.folder)
        checkpoints.discard(self.folder)
        return Trained(
            saved,
            ended,
            now.step,
            self.plan.total,
            best_step,
            tuple(self.losses),
            now.evaluations,
            before,
            after,
            notes,
            self._seconds(),
        )

    def _open(self, folder: ModelFolder) -> BiEncoder | CrossEncoder:

        names = self.data.names if self.objective.labels == "class" else ()
        return start(self.recipe, folder, names, self.device)

    def _seconds(self) -> float:
        return self.progress.seconds + time.monotonic() - self.began

    def _checkpoint(self) -> None:
        """Write all that is needed to resume from here."""
        if not self.progress.step:
            return  # the model is as it was
        file = checkpoints.write_tensors(self.work, f"step-{self.progress.step}", self.stepper.tensors())
        written = replace(
            self.progress,
            state_file=file,
            losses=tuple(self.losses),
            notes=tuple(self.stepper.notes),
            micro=self.stepper.micro,
            scaler=self.stepper.scaler,
            seconds=self._seconds(),
        )
        checkpoints.write(self.work, written)

    def _checkpoint_to_resume(self) -> TrainingProgress | None:
        checkpoint = checkpoints.read(self.work)
        if checkpoint is not None and checkpoint.key != self.progress.key:
            raise DataError(
                "{work}: another training, with other settings or examples, was not finished here. "
                "Choose another name for the model, or delete that folder.",
                work=self.work,
            )
        return checkpoint

    def _resume(self, checkpoint: TrainingProgress) -> None:
        try:
            self.stepper.restore(checkpoints.read_tensors(self.work / checkpoint.state_file))
        except (KeyError, RuntimeError) as error:
            raise DataError(
                "{work}: the checkpoint does not fit the model. Delete the folder to train from the beginning.",
                work=self.work,
            ) from error
        self.stepper.micro, self.stepper.scaler = checkpoint.micro, checkpoint.scaler
        self.stepper.notes = list(checkpoint.notes)
        self.losses = list(checkpoint.losses)
        _log.info("resumed at step %d", checkpoint.step)
        self.progress = checkpoint


def _base_note(best_step: int, measured: bool, base: str) -> tuple[str, ...]:
    if best_step or not measured:
        return ()
    return (UserMessage("No step was better on the held-out examples than {base} itself, which was kept.", base=base),)


def _sample(data: Dataset, recipe: Recipe) -> Dataset:
    """Sample the examples if the recipe limits their number."""
    if not 0 < recipe.max_examples < len(data):
        return data
    rows = np.random.default_rng([recipe.seed, 2]).choice(len(data), recipe.max_examples, replace=False)
    return data.select(np.sort(rows).tolist())


def average_weights(network: Network, base: Network, share: float) -> None:
    """Set every weight to (1 - share) base + share network.

    Raises:
        ModelError: The networks are not of the same form.
    """
    import torch

    ours, theirs = dict(network.named_parameters()), dict(base.named_parameters())
    if {name: each.shape for name, each in ours.items()} != {name: each.shape for name, each in theirs.items()}:
        raise ModelError("The weights cannot be averaged with the base's: the networks differ. Set “average” to 1.")
    with torch.no_grad():
        for name, weight in ours.items():
            weight.lerp_(theirs[name].to(weight.device), 1 - share)


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
            "{path}: the model distinguishes {base}, in this order; the examples have {labels}. Rename "
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
