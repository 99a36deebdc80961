"""The warning that the model cannot read most of the documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.models.catalog import Entry
from explorer.settings import Settings
from explorer.ui.actions import Actions
from explorer.ui.advice_bar import Advice, AdviceBar, advice
from explorer.ui.jobs import Runner
from explorer.ui.session import Session

HERE = Path()
ENGLISH = Entry("english", "bi", "shipped", HERE, languages=("en",))
BOTH = Entry("both", "bi", "shipped", HERE, languages=("ko", "en"))
AFAR = Entry("afar", "bi", "hub", None, languages=("ko",))
OWN = Entry("own", "bi", "user", HERE, languages=("ko",))
CROSS = Entry("cross", "cross", "shipped", HERE, languages=("ko",))


@pytest.fixture
def actions(app: object) -> Iterator[Actions]:
    runner = Runner()
    yield Actions(Session(Settings()), runner)
    assert runner.close(20)


@pytest.mark.parametrize(
    ("spoken", "known", "told"),
    [
        (["ko", "ko", "en", ""], ("en",), Advice("ko", 2 / 3, "english", "both")),
        (["ko", "en"], ("en",), None),  # half of them is not most
        (["ko", "ko"], ("ko", "en"), None),
        (["ko", "ko"], (), None),
        (["", ""], ("en",), None),
    ],
)
def test_the_user_is_warned_where_most_cannot_be_read(
    spoken: list[str], known: tuple[str, ...], told: Advice | None
) -> None:
    assert advice(spoken, known, "english", [ENGLISH, AFAR, CROSS, OWN, BOTH]) == told


def test_where_no_model_here_reads_them_none_is_offered() -> None:
    found = advice(["ko"], ("en",), "english", [ENGLISH, AFAR, CROSS])
    assert found is not None
    assert found.better == ""


def test_the_button_switches_or_leads_to_the_models(actions: Actions) -> None:
    bar = AdviceBar(actions.session, actions)
    asked: list[bool] = []
    bar.models_requested.connect(lambda: asked.append(True))

    bar._show(Advice("ko", 0.9, "english", ""))
    assert bar.isVisibleTo(None)
    assert "90 %" in bar.sentence.text()
    assert "한국어" in bar.sentence.text()
    bar.button.click()
    assert asked == [True]

    bar._show(Advice("ko", 0.9, "english", "both"))
    bar.button.click()
    assert actions.session.settings.model == "both"
    bar._show(Advice("ko", 0.9, "english", "both"))  # it is being encoded already
    assert bar.isHidden()

    bar._show(Advice("ko", 0.9, "english", "other"))
    assert not bar.isHidden()
    bar.close_button.click()
    bar._show(Advice("ko", 0.9, "english", "other"))
    assert bar.isHidden()
