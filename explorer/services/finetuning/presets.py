"""Recipes for what a user wants to improve, at three levels of effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from explorer.errors import DataError
from explorer.training.recipe import DataSource, Guard, Recipe

if TYPE_CHECKING:
    from explorer.services.finetuning.collect import CollectedExamples
    from explorer.workspace.workspace import Workspace

Goal = Literal["search", "duplicates", "classification", "language"]
Effort = Literal["quick", "balanced", "thorough"]

GOALS: tuple[Goal, ...] = get_args(Goal)
EFFORTS: tuple[Effort, ...] = get_args(Effort)

GUARD_SHARE = 0.2


@dataclass(frozen=True)
class _Plan:
    """What an effort sets: rounds, at most so many examples, evaluations without gain before the end."""

    rounds: float
    most: int
    patience: int


_PLANS: dict[Effort, _Plan] = {
    "quick": _Plan(1, 2000, 0),
    "balanced": _Plan(2, 20_000, 4),
    "thorough": _Plan(4, 0, 5),
}


def objective_for(goal: Goal, kind: str) -> tuple[str, dict[str, Any]]:
    """The objective, with its options, that serves a goal with examples of a kind.

    Raises:
        DataError: There is no such goal, or the examples do not serve it.
    """
    if goal not in GOALS:
        raise DataError(
            "There is no goal “{goal}”. Choose one of {goals}.", goal=str(goal)[:40], goals=", ".join(GOALS)
        )
    if goal == "language":
        if kind not in ("pairs", "texts"):
            raise DataError(
                "Another language is learned from texts with their translations. Choose a file with two text columns."
            )
        return "distillation", {"texts": 2 if kind == "pairs" else 1}
    if kind == "triplets":
        return ("contrastive", {"texts": 3}) if goal == "search" else ("triplet", {})
    if kind == "labelled" and goal == "classification":
        return "classification", {}
    if kind == "scored":  # on STSb the order of scores taught less than the scores themselves
        return "regression", {}
    if kind == "labelled":
        return "ranking", {}
    return "contrastive", {}


def recipe_for(
    goal: Goal,
    data: Sequence[DataSource],
    *,
    root: Path,
    workspace: Workspace | None = None,
    base: str = "",
    name: str = "fine-tuned",
) -> Recipe:
    """A recipe for a goal and some data, with the objective that suits both and the guard on.

    Raises:
        DataError: There is no data yet, it cannot be read, or it does not serve the goal.
    """
    from explorer.services.finetuning.sources import read_parts

    learned = [source for source in data if source.use in ("", "train")]
    if not learned:
        raise DataError(
            "There is nothing to learn from yet. Add a file, judgements, or the texts themselves."
        )
    first = learned[0]
    if first.source == "judgements":
        kind = "labelled" if goal == "classification" else "scored"
    elif first.source == "corpus":
        kind = "triplets" if first.negatives else "pairs"
    else:
        # The objective decides nothing here: the file is read for what it is.
        asked = Recipe("contrastive", data=(replace(first, negatives=0),))
        kind = next(read_parts(asked, root, workspace)).found.kind
        kind = "triplets" if first.negatives and kind == "pairs" else kind
    objective, options = objective_for(goal, kind)
    return Recipe(
        objective, options=options, name=name, base=base, data=tuple(data),
        batch=32 if objective == "contrastive" else 16,
        guard=Guard() if objective == "distillation" else Guard(share=GUARD_SHARE),
    )  # fmt: skip


def recipes_by_effort(goal: Goal, gathered: CollectedExamples) -> dict[Effort, Recipe]:
    """The recipe of gathered examples at three levels of effort.

    Few examples are seen more often, so that the model has steps enough to learn from them.

    Raises:
        DataError: There is no such goal, or the examples do not serve it.
    """
    recipe = gathered.recipe
    if recipe.kind == "bi":
        objective_for(goal, gathered.kind)
    count = len(gathered.examples)
    few = min(4.0, max(1.0, 1000 / max(count, 1)))
    return {
        effort: replace(
            recipe,
            epochs=round(plan.rounds * few, 2),
            max_examples=plan.most,
            patience=plan.patience if gathered.dev is not None else 0,
        )
        for effort, plan in _PLANS.items()
    }
