"""Whether examples suit an objective, seen before the first step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from explorer.errors import DataError

if TYPE_CHECKING:
    from explorer.training.data.dataset import TrainingSet
    from explorer.training.fit.losses import Objective


def check(data: TrainingSet, objective: Objective) -> None:
    """See that examples suit an objective.

    Raises:
        DataError: They do not; the message says what is wrong with which example.
    """
    if len(data.columns) != objective.texts:
        raise DataError(
            f"The objective “{objective.name}” takes {objective.texts} texts an example; these examples have "
            f"{len(data.columns)}. Choose other data, or another objective."
        )
    count = len(data)
    if count < 2:
        raise DataError(
            f"{count} example cannot train a model. Add examples; some hundred at least are of use."
        )
    for column in data.columns:
        bad = next((place for place, text in enumerate(column) if not isinstance(text, str)), None)
        if bad is not None:
            raise DataError(f"Example {bad + 1} has something in the place of a text. Mend or remove it.")
    if objective.labels in ("score", "class"):
        _check_labels(data, objective, count)


def _check_labels(data: TrainingSet, objective: Objective, count: int) -> None:
    if data.labels is None or len(data.labels) != count:
        raise DataError(
            f"The objective “{objective.name}” needs a label for each of the {count} examples; there are "
            f"{len(data.labels or ())}. Choose another objective, or data with labels."
        )
    for place, label in enumerate(data.labels, start=1):
        if objective.labels == "score" and not (math.isfinite(label) and 0 <= label <= 1):
            raise DataError(f"Example {place} has the score {label}, outside 0 to 1. Check the score range.")
        if objective.labels == "class" and not (0 <= label < objective.classes and label == int(label)):
            raise DataError(
                f"Example {place} has the class {label}, which is none of the {objective.classes} from 0 to "
                f"{objective.classes - 1}. Mend the labels."
            )
    if len(set(data.labels)) == 1:
        raise DataError(
            f"All {count} examples have the same label, so there is nothing to learn. Add others."
        )
