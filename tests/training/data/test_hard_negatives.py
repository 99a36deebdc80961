"""Negatives are near, never a positive, never nearer than the margin lets pass."""

from typing import ClassVar

import numpy as np
import pytest

from explorer.errors import DataError
from explorer.task import Cancelled, Task
from explorer.training.data.dataset import make_set
from explorer.training.data.hard_negatives import mine, with_hard_negatives


def at(*degrees):
    turned = np.radians(degrees)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


class Compass:
    """A model of texts that name a direction."""

    WORDS: ClassVar[dict[str, float]] = {
        "east": 0,
        "eastish": 10,
        "near east": 12,
        "northeast": 45,
        "north": 90,
        "west": 180,
    }

    def encode(self, texts, *, role=None, task):  # noqa: ARG002
        task.check()
        vectors = at(*(self.WORDS[text.casefold().strip()] for text in texts))
        return type("Encoding", (), {"whole": lambda _: vectors})()


class TestMine:
    def test_the_nearest_beyond_the_margin(self):
        # cosines with the anchor: 1.0, 0.98, 0.87, 0.5, -1; the positive's is 0.94
        mined = mine(at(0), at(20), at(0, 10, 30, 60, 180), barred=[{0}])
        assert mined.rows.tolist() == [2]
        assert mined.scores[0] == pytest.approx(np.cos(np.radians(30)), abs=1e-6)
        assert (mined.doubtful, mined.bare) == (1, 0)

    def test_the_margin_is_of_the_positives_score(self):
        candidates = at(25, 30, 60)
        assert mine(at(0), at(20), candidates, margin=1.0).rows.tolist() == [0]
        assert mine(at(0), at(20), candidates, margin=0.95).rows.tolist() == [1]
        assert mine(at(0), at(20), candidates, margin=0.9).rows.tolist() == [2]

    def test_a_positive_on_the_other_side_has_a_limit_too(self):
        # the positive's cosine is -0.5: the limit lies below it, not above
        assert mine(at(0), at(120), at(121, 150)).rows.tolist() == [1]

    def test_several_hardest_first_anchor_after_anchor(self):
        mined = mine(at(0, 90), at(5, 95), at(40, 60, 150), count=2)
        assert mined.anchors.tolist() == [0, 0, 1, 1]
        assert mined.rows.tolist() == [0, 1, 1, 0]

    def test_anchors_without_a_negative(self):
        mined = mine(at(0), at(90), at(1, 2))
        assert (len(mined.rows), mined.doubtful, mined.bare) == (0, 2, 1)


class TestWithHardNegatives:
    def test_triplets(self):
        pairs = make_set("pairs", (("east", "north"), ("eastish", "northeast")), lines=(2, 3))
        found = with_hard_negatives(pairs, list(Compass.WORDS), Compass(), margin=0.999)
        assert found.columns == (("east", "north"), ("eastish", "northeast"), ("near east", "near east"))
        assert (found.kind, found.lines) == ("triplets", (2, 3))

    def test_what_belongs_to_the_anchor_elsewhere_is_no_negative(self):
        pairs = make_set("pairs", (("east", "East "), ("eastish", "near east")))
        found = with_hard_negatives(pairs, list(Compass.WORDS), Compass(), margin=0.999)
        assert set(found.columns[2]) == {"northeast"}

    def test_what_was_passed_over_is_told(self):
        pairs = make_set("pairs", (("east",), ("north",)))
        found = with_hard_negatives(pairs, list(Compass.WORDS), Compass())
        assert found.columns[2] == ("west",)
        assert [(remark.kind, remark.count) for remark in found.remarks] == [("doubtful negatives", 3)]

    def test_nothing_found(self):
        pairs = make_set("pairs", (("east",), ("west",)))
        with pytest.raises(DataError, match="no negative was found"):
            with_hard_negatives(pairs, ["eastish", "west"], Compass())
        with pytest.raises(DataError, match="no text to choose"):
            with_hard_negatives(pairs, [" "], Compass())
        with pytest.raises(DataError, match="not for texts"):
            with_hard_negatives(make_set("texts", (("east",),)), ["west"], Compass())

    def test_cancel(self):
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            with_hard_negatives(make_set("pairs", (("east",), ("eastish",))), ["west"], Compass(), task=task)
