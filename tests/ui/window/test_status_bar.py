"""The warning that the model cannot read most of the documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from explorer.ui.controllers.workspace import Controllers
from explorer.ui.window.status_bar import LanguageWarning
from explorer.workspace.update.model_advice import Advice


def test_the_button_switches_or_leads_to_the_models(actions: Controllers) -> None:
    bar = LanguageWarning(actions.session, actions)
    asked: list[bool] = []
    bar.models_requested.connect(lambda: asked.append(True))

    bar._show(Advice("ko", 0.9, "english", ""))
    assert bar.isVisibleTo(None)
    assert "90 %" in bar.sentence.text()
    assert "in Korean" in bar.sentence.text()
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


def test_it_is_said_before_all_is_encoded_in_vain(
    actions: Controllers, tmp_path: Path, wait: Callable[..., None]
) -> None:
    for number in range(150):
        text = f"{number}번째 문서입니다. 바다와 산과 강에 대하여 길게 이야기합니다. " * 30
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    bar = LanguageWarning(actions.session, actions)
    actions.open_folder(tmp_path)
    wait(lambda: not bar.isHidden())
    assert "in Korean" in bar.sentence.text()
    assert actions.runner.busy("update")
    actions.close_folder()
