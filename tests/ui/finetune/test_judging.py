"""Pairs are judged one after the other with one key each; what was said is kept, taken back, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.bundled
Wait = Callable[..., None]


@pytest.fixture
def judge(
    actions: Any, wait: Wait, sample_copy: Path, shown: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    from explorer.training.data import judgements
    from explorer.ui.finetune.judging import JudgeWindow

    # The real cross-encoder reads 300 candidates; twice the pairs that the window wants are enough here.
    monkeypatch.setattr(judgements, "SCORED", 40)
    actions.open_folder(sample_copy)
    wait(lambda: actions.session.graph is not None)
    for key in ("clusters", "map"):
        actions.runner.cancel(key, notify=False)
    window = shown(JudgeWindow(actions.session, actions))
    window.show_and_raise()
    assert window.stage.sentence.startswith("Looking for the most informative pairs")
    wait(lambda: window.pair is not None)
    return window


def test_keys_judge_skip_and_take_back_and_another_model_is_asked(judge: Any, actions: Any, wait: Wait) -> None:
    from PySide6.QtTest import QTest

    session = actions.session
    judge.activateWindow()
    wait(judge.isActiveWindow)  # or it hears no key
    first = judge.pair
    assert first.first_document != first.second_document
    assert judge.texts[0].text.toPlainText() == first.first
    assert judge.texts[1].text.toPlainText() == first.second
    assert not judge.undo.isEnabled()

    QTest.keyClicks(judge, "s")
    wait(lambda: len(session.judgements) == 1)
    said = session.judgements[0]
    assert (said.first, said.second, said.value, said.scale) == (first.first, first.second, 1, "similar")
    second = judge.pair
    assert second != first
    session.focus(session.listing.ids.tolist()[0])  # the bar stays with the pair
    QTest.keyClicks(judge, "2")
    wait(lambda: len(session.judgements) == 2)
    assert session.judgements[1].first == second.first
    assert session.judgements[1].scale == "grade"
    wait(lambda: f"{second.cosine:.2f}" in judge.last.text())

    third = judge.pair
    judge.skip.click()
    assert judge.pair not in (first, second, third)
    judge.undo.click()
    assert judge.pair == third
    assert len(session.judgements) == 2
    judge.undo.click()
    assert judge.pair == second
    wait(lambda: len(session.judgements) == 1)
    assert session.judgements[0].first == first.first
    assert not judge.train.isEnabled()

    ask_another_model(judge, actions, wait)


def ask_another_model(judge: Any, actions: Any, wait: Wait) -> None:
    """Another model is asked itself; in the same window, since it takes long to find the pairs."""
    from PySide6.QtTest import QTest

    session, first = actions.session, judge.pair
    QTest.keyClicks(judge, "s")
    wait(lambda: f"{first.cosine:.2f}" in judge.last.text())
    shown = judge.pair
    judge._cosines = dict.fromkeys(judge._cosines, -1.0)  # as if another model had said it
    session.set_graph(session.graph)
    assert set(judge._cosines.values()) == {-1.0}

    session.set_graph(replace(session.graph, model="another"))
    assert (judge.last.text(), judge.pair) == ("", shown)
    wait(lambda: bool(judge._coming) and bool(judge.last.text()))
    assert f"{first.cosine:.2f}" in judge.last.text()
    assert -1.0 not in judge._cosines.values()


def test_advice_follows_what_was_judged() -> None:
    from explorer.judgement import Judgement
    from explorer.ui.finetune.judging import GOOD, LEAST, advice

    def judged(alike: int, unlike: int) -> list[Judgement]:
        values = [1] * alike + [0] * unlike
        return [Judgement(f"a {n}", f"b {n}", value, "similar", id=n) for n, value in enumerate(values)]

    few, enough = advice(judged(10, 10))
    assert str(LEAST - 20) in few
    assert not enough
    assert not advice(judged(100, 0))[1]
    assert "dissimilar" in advice(judged(100, 2))[0]
    assert advice(judged(60, 60))[1]
    assert advice(judged(60, 60))[0] != advice(judged(GOOD, GOOD))[0]
    assert advice([*judged(25, 24), judged(1, 0)[0]])[1] is False  # a pair judged twice is one pair
