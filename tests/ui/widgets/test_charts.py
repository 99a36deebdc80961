"""The curves of a training: many steps cost few points, and batches of another kind do not bend the line."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.ui.widgets.charts import LineChart, _smooth_line


def test_the_line_passes_over_batches_of_another_kind() -> None:
    losses = np.linspace(5.0, 3.0, 3000)
    losses[::6] = 0.1  # the guard's
    places, line = _smooth_line(losses)
    assert len(places) <= 200
    assert places[-1] == 2999
    assert np.abs(line - np.linspace(5.0, 3.0, 3000)[places]).max() < 0.2


def test_downsampled_points_keep_the_peaks(qapp: object, shown: Callable[[Any], Any]) -> None:
    losses = np.ones(100_000)  # of zeros alone the axis spans 1e-6, and pyqtgraph clips what is a million times that
    losses[54_321] = 9.0
    curve = shown(LineChart(smooth=True))
    curve.resize(400, 200)
    curve.show_line(range(100_000), losses.tolist(), 100_000)
    curve.grab()
    x, drawn = curve._raw.getData()
    assert len(x) < 5000
    assert drawn.max() == 9.0


def test_curves_are_drawn_from_the_first_step_on(qapp: object, shown: Callable[[Any], Any]) -> None:
    curve = shown(LineChart(smooth=True))
    curve.set_texts("Loss", "Begins soon", "Step")
    curve.resize(400, 200)
    pictures = [curve.grab().toImage()]
    assert curve.accessibleDescription() == "Begins soon"
    for count in (1, 2, 50):
        curve.show_line(range(1, count + 1), [5 - number / 50 for number in range(count)], 100)
        pictures.append(curve.grab().toImage())
    assert all(one != other for one, other in pairwise(pictures))
    assert curve.accessibleDescription() == "4.020"
