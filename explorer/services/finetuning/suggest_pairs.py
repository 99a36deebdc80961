"""Suggest pairs of a workspace to judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.task import Task
from explorer.training.data.judgements import Reason, suggest
from explorer.training.measure.similarity import cosine, encode_columns
from explorer.workspace.storage import passages
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.storage.vectors import table as vector_table

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.workspace.workspace import Workspace

_LOOKED_AT = 20_000  # passages among which pairs are sought


@dataclass(frozen=True)
class PairToJudge:
    """Two passages whose judgement would teach the model most.

    Attributes:
        first: One text.
        second: The other.
        first_document: The document of the first.
        second_document: The document of the second.
        cosine: What the bi-encoder says.
        relevance: What the cross-encoder says, 0..1; None if there was none.
        worth: How much it is worth, 0..1.
        reason: "disagree" if the two models do, "unsure" if the bi-encoder is at the border.
    """

    first: str
    second: str
    first_document: int
    second_document: int
    cosine: float
    relevance: float | None
    worth: float
    reason: Reason


def suggest_pairs(
    workspace: Workspace,
    model: BiEncoder,
    reranker: CrossEncoder | None = None,
    count: int = 20,
    task: Task | None = None,
    seed: int = 0,
) -> tuple[PairToJudge, ...]:
    """Return the pairs of passages most worth judging next, the best first, without those judged already.

    Args:
        workspace: The workspace, encoded with the model.
        model: The current bi-encoder.
        reranker: A cross-encoder to compare with.
        count: How many are wanted.
        task: Progress and cancel.
        seed: Draws the passages looked at.

    Raises:
        WorkspaceError: The workspace has no vectors of this model.
        Cancelled: The task was cancelled.
    """
    known = vector_table.load(workspace, model.fingerprint)
    places = np.arange(len(known.passages))
    if len(places) > _LOOKED_AT:
        places = np.sort(np.random.default_rng(seed).permutation(places)[:_LOOKED_AT])
    texts = passages.texts(workspace.connection, known.passages[places].tolist())
    documents = known.documents[places].tolist()
    judged = user_words.judgements(workspace)
    suggested = suggest(
        texts,
        known.vectors[known.rows[places]],
        documents,
        judged=judged,
        similarities=_similarities(model, [(pair.first, pair.second) for pair in judged], task),
        cross=reranker,
        count=count,
        seed=seed,
        task=task,
    )
    return tuple(
        PairToJudge(
            texts[pair.first],
            texts[pair.second],
            documents[pair.first],
            documents[pair.second],
            pair.cosine,
            pair.relevance,
            pair.worth,
            pair.reason,
        )
        for pair in suggested
    )


def _similarities(model: BiEncoder, pairs: Sequence[tuple[str, str]], task: Task | None) -> list[float]:
    if not pairs:
        return []
    first, second = zip(*pairs, strict=True)
    similar: list[float] = cosine(*encode_columns(model, (first, second), task or Task())).tolist()
    return similar
