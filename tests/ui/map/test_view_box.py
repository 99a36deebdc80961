"""Transitions, and maps that are linked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QHBoxLayout, QWidget

from explorer.rendering.camera import Box
from explorer.ui.map.view import MapView
from explorer.ui.map.view_box import StepAnimation


def test_a_move_goes_from_nothing_to_all(qapp: object, wait: Callable[..., None]):
    home = QObject()
    motion, shares = StepAnimation(home), list[float]()
    motion.run(shares.append)
    wait(lambda: not motion.running)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_new_move_begins_at_its_beginning(qapp: object, wait: Callable[..., None]):
    home = QObject()
    motion, first, second = StepAnimation(home), list[float](), list[float]()
    motion.run(first.append)
    motion.setCurrentTime(150)
    motion.run(second.append)
    assert motion.currentTime() < 50
    wait(lambda: not motion.running)
    assert second[-1] == 1
    assert first[-1] < 1


def inside(outer: Box, box: Box) -> bool:
    return outer.left < box.left and box.right < outer.right and outer.low < box.low and box.high < outer.high


def test_linked_maps_show_the_same_region(qapp: object):
    window, (first, second) = QWidget(), (MapView(), MapView())
    row = QHBoxLayout(window)
    for view in (first, second):
        row.addWidget(view)
        view.view_box.motion = False
    first.set_positions(np.array([[0, 0], [1, 1]], np.float32))
    second.set_positions(np.array([[0, 0], [4, 2]], np.float32))
    first.view_box.link(second.view_box)
    window.resize(800, 300)
    window.show()
    first.view_box.fit()
    boxes = [view.view_box for view in (first, second)]
    assert all(inside(box.camera.seen(), Box(0, 0, 4, 2)) for box in boxes)
    for moved, other in (boxes, boxes[::-1]):
        moved.zoom(3.0, (50, 60))
        moved.move(20, -10)
        assert (moved.camera.x, moved.camera.y) == pytest.approx((other.camera.x, other.camera.y), abs=0.01)
        assert moved.camera.scale == pytest.approx(other.camera.scale, rel=0.01)
        assert not other.home
    second.view_box.fit()
    assert first.view_box.home
    window.resize(500, 400)
    assert all(inside(box.camera.seen(), Box(0, 0, 4, 2)) for box in boxes)
    window.close()
    window.deleteLater()
