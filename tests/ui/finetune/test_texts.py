"""A gain is called a gain, chance is called chance, and a loss is told as plainly."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from explorer.training.measure.bootstrap import Interval, MetricChange
from explorer.training.measure.compare_models import BeforeAfter
from explorer.ui.finetune import texts


def change(name: str, verdict: Any, difference: float = 0.05, count: int = 100) -> MetricChange:
    before, after = Interval(0.7, 0.6, 0.8), Interval(0.7 + difference, 0.6, 0.8)
    return MetricChange(name, count, before, after, Interval(difference, difference - 0.04, difference + 0.04), verdict)


def finished(*rows: MetricChange, general: tuple[MetricChange, ...] = (), kept: float | None = None) -> Any:
    share = None if kept is None else Interval(kept, kept - 0.02, kept + 0.02)
    comparison = BeforeAfter(rows, general, share_kept=share)
    return SimpleNamespace(comparison=comparison)


def test_headlines() -> None:
    said = [
        texts.headline(finished(*rows))
        for rows in (
            (change("spearman", "gain"),),
            (change("spearman", "noise"),),
            (change("spearman", "loss", -0.1),),
            (change("spearman", "noise", -0.01),),
            (change("spearman", "noise", count=5),),
            (),
        )
    ]
    assert said[0] == "Significant improvement"
    assert said[1] == "The improvement may be chance"
    assert said[2] == "Worse than before"
    assert len(set(said)) == len(said)


def test_what_was_lost_is_told_and_the_guard_offered() -> None:
    parts = (change("sentences", "noise"), change("documents", "loss", -0.2), change("summary", "loss", -0.1))
    told, much = texts.lost(finished(change("spearman", "gain"), general=parts, kept=0.8))
    assert "80%" in told
    assert "Documents" in told
    assert "Sentences" not in told
    assert much
    told, much = texts.lost(finished(change("spearman", "gain"), general=parts[:1] * 2, kept=1.01))
    assert "did not drop" in told
    assert not much
