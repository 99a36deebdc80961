"""Whether there are judgements enough to train with, and which are still missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.ui.finetune.texts import translate

if TYPE_CHECKING:
    from explorer.judgement import Judgement

LEAST = 50  # pairs below which a model learns them by heart
GOOD = 300  # pairs from which a gain can be told from chance
_RARE = 0.15  # share of the pairs below which one side is missing


def advice(judgements: Sequence[Judgement]) -> tuple[str, bool]:
    """A sentence on what to do next, and whether a training makes sense."""
    scores = list({frozenset((one.first, one.second)): one.score for one in judgements}.values())
    alike = sum(score >= 0.5 for score in scores)
    count, unlike = len(scores), len(scores) - alike
    if count < LEAST:
        told = translate(
            "finetune",
            "{count} more are needed for training; about {good} in total give a clear improvement.",
        )
        return told.format(count=LEAST - count, good=GOOD), False
    if alike < _RARE * count:
        return translate(
            "finetune", "Nearly all pairs were rated not similar. Rate some similar pairs too."
        ), alike > 0
    if unlike < _RARE * count:
        return translate(
            "finetune", "Nearly all pairs were rated similar. Rate some dissimilar pairs too."
        ), unlike > 0
    if count < GOOD:
        told = translate(
            "finetune", "Enough for training. With {good} pairs an improvement can be told from chance."
        )
        return told.format(good=GOOD), True
    return translate("finetune", "Enough for good training results."), True
