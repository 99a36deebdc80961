"""Garbage is collected when nothing is to be done."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType

import pytest

from explorer.ui.window import idle_gc
from explorer.ui.window.idle_gc import CHECKS, IdleCollector
from tests.ui.support.random_user import resident


class Knot:
    """Refers to itself, so that only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.unfreeze()


def looks(sweeper: IdleCollector, count: int) -> None:
    for _ in range(count):
        sweeper.check()


def test_what_is_thrown_away_is_freed_while_nothing_is_done(qapp: object) -> None:
    idle = [False]
    sweeper = IdleCollector(lambda: idle[0])
    sweeper.check()
    old = Knot()
    gc.collect()  # what survives it is old, and waits for a full collection
    knot, young = weakref.ref(old), weakref.ref(Knot())
    del old
    looks(sweeper, 2 * CHECKS)
    assert young() is None
    assert knot() is not None  # something is being done
    idle[0] = True
    looks(sweeper, CHECKS)
    assert knot() is None


def test_free_memory_is_given_back_while_nothing_is_done(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(idle_gc, "trim_heap", lambda: given.append(1))
    idle = [False]
    sweeper = IdleCollector(lambda: idle[0])
    looks(sweeper, 2 * CHECKS)
    assert not given
    idle[0] = True
    looks(sweeper, CHECKS)
    assert given == [1]


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of Linux keeps what is free")
def test_what_is_given_back_is_the_systems() -> None:
    blocks = [bytes([one % 255 + 1]) * 60_000 for one in range(2000)]  # 120 MB in pieces that come from the heap
    kept = blocks[-1]
    full = resident()
    del blocks
    idle_gc.trim_heap()
    assert resident() < full - 60
    assert len(kept) == 60_000


def test_what_an_import_makes_is_set_aside(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    sweeper = IdleCollector(lambda: True)
    sweeper.check()
    kept = [Knot() for _ in range(100)]
    before = gc.get_freeze_count()
    sweeper.check()
    assert gc.get_freeze_count() <= before
    monkeypatch.setitem(sys.modules, "just_imported", ModuleType("just_imported"))
    sweeper.check()
    assert gc.get_freeze_count() >= before + len(kept)


def test_a_window_that_is_gone_is_freed_though_it_was_set_aside(qapp: object) -> None:
    sweeper = IdleCollector(lambda: True)
    made = Knot()
    knot = weakref.ref(made)
    gc.freeze()
    del made
    looks(sweeper, 2 * CHECKS)
    assert knot() is not None
    sweeper.collect_all()
    assert knot() is None


def test_a_folder_that_is_left_is_freed_when_nothing_is_done(qapp: object) -> None:
    idle = [False]
    sweeper = IdleCollector(lambda: idle[0])
    sweeper.check()
    made = Knot()
    knot = weakref.ref(made)
    gc.freeze()
    del made
    sweeper.plan_full_collection()
    looks(sweeper, 2 * CHECKS)
    assert knot() is not None
    idle[0] = True
    sweeper.check()
    assert knot() is None
