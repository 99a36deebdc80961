"""Learning from a model instead of from people: a teacher's vectors as what is to be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.errors import DataError
from explorer.training.objectives import Objective
from explorer.training.similarity import unique

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from explorer.models.bi_encoder import BiEncoder
    from explorer.task import Task


class Hold(Objective):
    """Mean of |u - t|^2, t the base's vector of the same text: the guard against forgetting.

    The same as distillation but for the scale: a sum over the n numbers of a vector weighs like the other objectives.
    """

    name = "hold"
    labels = "vector"
    texts = 1

    def loss(self, outputs: Sequence[Tensor], labels: Tensor | None) -> Tensor:
        """(B, n), (B, n) -> scalar."""
        assert labels is not None  # noqa: S101
        return (outputs[0] - labels).square().sum(1).mean()


def teach(teacher: BiEncoder, texts: Sequence[str], width: int, task: Task) -> NDArray[np.float32]:
    """The teacher's vectors of texts, (N, n); a text that comes again is encoded once.

    Raises:
        DataError: The teacher's vectors are not as long as the student's.
        Cancelled: The task was cancelled.
    """
    if teacher.dimension != width:
        raise DataError(
            f"The teacher's vectors have {teacher.dimension} numbers, the student's {width}. "
            f"Choose a teacher and a base with vectors of the same length."
        )
    distinct, places = unique(list(texts))
    return teacher.encode(distinct, task=task).whole()[places]


def pick(texts: Sequence[str], count: int, seed: int) -> list[str]:
    """At most `count` of the distinct texts, by chance."""
    distinct = sorted({text for text in texts if text.strip()})
    if len(distinct) <= count:
        return distinct
    chosen = np.random.default_rng([seed, 1]).choice(len(distinct), count, replace=False)
    return [distinct[place] for place in sorted(chosen.tolist())]


def batches_due(step: int, share: float) -> int:
    """How many batches of held texts go with a step, counted from 0, so that they are `share` of all batches."""
    each = share / (1 - share)
    return int((step + 1) * each + 1e-9) - int(step * each + 1e-9)
