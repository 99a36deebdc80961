"""A random walk of user actions through the real window; by hand a longer one: tests/benchmarks/random_walk.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.ui.support.random_user import growth, walk
from tests.ui.support.xvfb import MISSING, XVFB, screen


@pytest.mark.bundled
@pytest.mark.skipif(XVFB is None, reason=MISSING)
def test_whatever_a_user_does_nothing_goes_wrong(sample_copy: Path, tmp_path: Path) -> None:
    with screen() as environment:
        environment |= {"DOCEXPLORER_HOME": os.environ["DOCEXPLORER_HOME"]}
        report, faults = walk(sample_copy, tmp_path / "walk.json", steps=250, seed=7, environment=environment)

    assert faults == ""
    done = report["done"]
    assert sum(done.values()) >= 250
    common = ("click", "key", "query", "lasso", "menu", "undo", "look")
    assert [action for action in common if done.get(action, 0) < 3] == [], done


@pytest.mark.parametrize(("leak", "grows"), [(0.0, False), (0.05, True)])
def test_growth_is_seen(leak: float, grows: bool) -> None:
    memory = [(done, min(done, 800) * 1.0 + leak * done) for done in range(25, 5001, 25)]
    assert (growth(memory) > 20) is grows
