"""The command that measures a model on data."""

from __future__ import annotations

from argparse import Namespace

from explorer.cli.models import device
from explorer.cli.output import Answer, table
from explorer.errors import ModelError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import catalog, model_folder
from explorer.task import Task
from explorer.training.data.examples import read_examples
from explorer.training.measure.evaluate import evaluate as measure

_PROBLEMS_SHOWN = 5


def evaluate(chosen: Namespace, task: Task) -> Answer:
    """The measures that fit the data and the model."""
    score_range = tuple(chosen.score_range) if chosen.score_range else None
    data = read_examples(chosen.data, dict(chosen.columns), chosen.data_kind, score_range)
    model = _model(chosen, task)
    retriever = BiEncoder.open(catalog.find(chosen.retriever), device(chosen)) if chosen.retriever else None
    found = measure(data, model, task, positive=chosen.positive, retriever=retriever)
    lines = [
        f"{chosen.data}: {found.count:,} {found.data_kind}, {found.model_kind}-encoder {chosen.model}",
        table(("measure", "value"), list(found.measures.items())),
    ]
    if found.problems:
        lines.append(f"{len(found.problems):,} rows were left out:")
        lines += [f"  line {problem.line} {problem.reason}" for problem in found.problems[:_PROBLEMS_SHOWN]]
    return Answer({"data": str(chosen.data), "model": chosen.model, **found.as_dict()}, "\n".join(lines))


def _model(chosen: Namespace, task: Task) -> BiEncoder | CrossEncoder | static_encoder.StaticEncoder:
    said = model_folder.read(catalog.find(chosen.model))
    if chosen.kind and said.kind != chosen.kind:
        raise ModelError(
            f"{chosen.model}: this is a {said.kind}-encoder, not a {chosen.kind}-encoder. Choose another model."
        )
    if said.kind == "cross":
        return CrossEncoder(said, device(chosen))
    encoder = BiEncoder(said, device(chosen))
    return static_encoder.static_encoder_of(encoder, task) if chosen.draft else encoder
