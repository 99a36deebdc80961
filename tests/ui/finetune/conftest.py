"""What the tests of training in the window share: settings, and examples for a tiny model."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from explorer.settings import Settings


@pytest.fixture
def settings() -> Settings:
    """One thread: the models are tiny."""
    return Settings(device="cpu", threads=1)


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Sixty pairs with scores from 0 to 5, in words that the tiny model knows."""
    return write_scored(tmp_path / "pairs.csv")


def write_scored(path: Path, count: int = 60) -> Path:
    """Pairs of short sentences; the more words they share, the higher the score."""
    chance, words = (random.Random(0), "cat dog mat moon river stone fox house tea ship sea king queen music".split())
    rows = []
    for number in range(count):
        first = chance.sample(words, 5)
        shared = number % 6
        second = first[:shared] + chance.sample([word for word in words if word not in first], 5 - shared)
        rows.append((" ".join(first), " ".join(second), str(shared)))
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("sentence1", "sentence2", "score"), *rows])
    return path
