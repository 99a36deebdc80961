"""Run a fine-tuning: train by a recipe, compare with the base model, and write both down."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.errors import DataError
from explorer.models.files import model_folder as folders
from explorer.services.finetuning.requests import free_folder
from explorer.services.finetuning.sources import model_folder, teacher_of
from explorer.task import Task
from explorer.training.fit import trainer
from explorer.training.fit.result import Phase
from explorer.training.measure import compare_models, model_card
from explorer.training.measure.compare_models import BeforeAfter
from explorer.training.measure.evaluate import evaluate
from explorer.training.measure.general_benchmark import read_general
from explorer.training.recipe import Guard, Recipe

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.models.files.model_folder import ModelFolder
    from explorer.models.runtime.device import Device
    from explorer.services.finetuning.collect import CollectedExamples
    from explorer.training.data.dataset import Examples
    from explorer.training.fit.result import Control, OnEvaluation, OnStep, Trained
    from explorer.training.measure.evaluate import Measure
    from explorer.workspace.workspace import Workspace

_logger = logging.getLogger(__name__)

MEASURES = "measures.json"  # in the folder of a trained model
COMPARED = 500  # texts whose neighbours are compared
_BEGINNING = 2000  # characters of a document that a model reads


@dataclass(frozen=True)
class FinishedTraining:
    """A trained model and what came of it.

    Attributes:
        trained: What the training did; its `folder` is the model.
        comparison: The model before and after.
        documents: With a workspace, the documents whose neighbours were compared, in the order of
            `comparison.neighbours.kept`.
        sentences: What a person needs to know, the most important first.
    """

    trained: Trained
    comparison: BeforeAfter
    documents: tuple[int, ...]
    sentences: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        said = {
            key: value for key, value in asdict(self.trained).items() if key not in ("folder", "losses", "evaluations")
        }
        return said | {
            "folder": str(self.trained.folder.path),
            "losses": list(self.trained.losses),
            "evaluations": [{"step": step, **values} for step, values in self.trained.evaluations],
            "comparison": self.comparison.as_dict(),
            "sentences": list(self.sentences),
        }


def run(
    recipe: Recipe,
    gathered: CollectedExamples,
    *,
    folder: Path | None = None,
    workspace: Workspace | None = None,
    base: Path | None = None,
    device: Device | None = None,
    task: Task | None = None,
    control: Control | None = None,
    on_step: OnStep | None = None,
    on_evaluation: OnEvaluation | None = None,
) -> FinishedTraining:
    """Train a model, compare it with its base on the same held-out examples, and write both down in its folder.

    Args:
        recipe: How; it may differ from the one the examples were gathered for in all but the data.
        gathered: What to learn from.
        folder: Where the model goes; a new folder of the recipe's name among the user's models if None.
        workspace: The workspace whose documents show how neighbours change.
        base: The model to begin with, where it is not the one the recipe names.
        device: Where to train.
        task: Progress and cancel.
        control: Pause, and stop with the best so far.
        on_step: Called after each step with its number from 1, its loss and the examples per second.
        on_evaluation: Called after each evaluation with the step and the measures, the deciding one first.

    Raises:
        DataError: Recipe, base and examples do not suit each other.
        ModelError: The base cannot be used, or the result not saved.
        Cancelled: The task was cancelled; a checkpoint is kept, and the same call goes on from there.
    """
    task = task or Task()
    folder = folder or free_folder(recipe.name, resume=True)
    start = folders.read(base or model_folder(recipe.base, gathered.root))
    facts = model_card.facts_of(start, {side: each["all"] for side, each in gathered.counts.items()})
    _logger.info("training %s on %d examples, objective %s", folder.name, len(gathered.examples), recipe.objective)
    trained = trainer.train(
        recipe,
        start,
        gathered.examples,
        folder=folder,
        dev=_deciding(gathered),
        unlabelled=gathered.unlabelled,
        teacher=teacher_of(recipe, gathered.root, device),
        facts=facts,
        device=device,
        task=task,
        control=control,
        on_step=on_step,
        on_evaluation=on_evaluation,
    )
    _logger.info(
        "trained %d steps in %.0f s (%s); comparing with the base", trained.steps, trained.seconds, trained.ended
    )
    task.enter(Phase.COMPARING)
    documents, texts = _to_compare(gathered, workspace, recipe.seed)
    comparison = compare_models.compare_models(
        _opened(start, device),
        _opened(trained.folder, device),
        gathered.test,
        read_general(),
        texts=texts,
        groups=gathered.test_groups or None,
        positive=gathered.positive or None,
        seed=recipe.seed,
        task=task,
    )
    finished = FinishedTraining(trained, comparison, documents, _sentences(recipe, trained, comparison))
    facts = replace(
        facts,
        steps=(trained.steps, trained.best_step),
        before=trained.before,
        after=trained.after,
        notes=trained.notes,
        changes=comparison.rows,
        general=comparison.general,
    )
    _write_down(recipe, facts, finished, gathered)
    return finished


def _deciding(gathered: CollectedExamples) -> Examples | Measure | None:
    """Return what selects the best step: the held-out examples, with the label that means "similar" if needed."""
    dev = gathered.dev
    if dev is None or dev.kind != "labelled" or not gathered.positive:
        return dev
    return lambda model, task: evaluate(dev, model, task, positive=gathered.positive).measures


def _opened(folder: ModelFolder, device: Device | None) -> BiEncoder | CrossEncoder:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder

    return BiEncoder(folder, device) if folder.kind == "bi" else CrossEncoder(folder, device)


def _to_compare(
    gathered: CollectedExamples, workspace: Workspace | None, seed: int
) -> tuple[tuple[int, ...], Sequence[str]]:
    """Return the texts whose neighbours are compared, and their documents."""
    chance = np.random.default_rng(seed)
    if workspace is None:
        texts = gathered.unlabelled
        rows = sorted(chance.permutation(len(texts))[:COMPARED].tolist())
        return (), [texts[index] for index in rows]
    document_ids = [entry.id for entry in workspace.documents()]
    documents = tuple(
        document_ids[index] for index in sorted(chance.permutation(len(document_ids))[:COMPARED].tolist())
    )
    return documents, [workspace.text(document_id)[:_BEGINNING] for document_id in documents]


def _sentences(recipe: Recipe, trained: Trained, comparison: BeforeAfter) -> tuple[str, ...]:
    said = [*comparison.sentences, *trained.notes]
    if not comparison.rows:
        said.insert(0, "Nothing was held out, so no gain can be shown.")
    share = comparison.share_kept
    if share is not None and share.value < compare_models.KEPT_ENOUGH and recipe.kind == "bi":
        said += remedies(recipe.guard)
    return tuple(said)


def remedies(guard: Guard) -> list[str]:
    """Return the settings of the guard that are not in use yet and would prevent more forgetting."""
    said = []
    if not guard.share:
        said.append("A guard of 0.2 mixes in batches that hold the model to its base on your own texts.")
    if guard.average == 1:
        said.append("An average of 0.7 goes part of the way back towards the base.")
    return said


def _write_down(
    recipe: Recipe, facts: model_card.CardFacts, finished: FinishedTraining, gathered: CollectedExamples
) -> None:
    folder = finished.trained.folder.path
    try:
        model_card.write(folder, recipe, facts)
        counts = {side: dict(each) for side, each in gathered.counts.items()}
        notes = json.dumps(finished.as_dict() | {"counts": counts}, ensure_ascii=False, indent=1)
        (folder / MEASURES).write_text(notes + "\n", encoding="utf-8")
    except OSError as error:
        raise DataError(
            "{folder}: the model is saved, but its measures cannot be written ({reason}). Free some space.",
            folder=folder,
            reason=error.strerror,
        ) from error
