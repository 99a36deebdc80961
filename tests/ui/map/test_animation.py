"""Short moves."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from explorer.ui.map.animation import StepAnimation


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
