"""From a file to a better model: through the pages, in the background, stopped, interrupted and taken up again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer import paths
from explorer.services.finetuning.requests import TrainingPlan
from explorer.training.fit import checkpoints
from explorer.ui.finetune.wizard import DATA, GOAL, MODEL, RESULT, RUN

Wait = Callable[..., None]


@pytest.fixture
def wizard(actions: Any, shown: Callable[[Any], Any]) -> Any:
    from PySide6.QtWidgets import QWidget

    from explorer.ui.finetune.training_controller import FinetuneLauncher

    over = QWidget()
    made = FinetuneLauncher(actions.session, actions, over)
    made.show_wizard()
    yield shown(made.wizard)
    over.deleteLater()


def to_model(wizard: Any, wait: Wait, file: Path, base: Path, **numbers: Any) -> None:
    """Go to the page of the model, with everything chosen."""
    wizard.goal.choices["duplicates"].click()
    wizard.forward.click()
    assert wizard.page == DATA
    wizard.data.take_file(file)
    wait(lambda: wizard.data.preview is not None)
    wizard.forward.click()
    assert wizard.page == MODEL
    for name, value in numbers.items():
        wizard.model.advanced.set_number(name, value)
    wizard.model.name.setText("better")
    wizard.model.take_folder(base)
    wait(lambda: wizard.model.plan is not None)


def test_the_pages_lead_from_a_file_to_a_model_and_back(
    wizard: Any, actions: Any, wait: Wait, scored: Path, tiny: Path
) -> None:
    assert wizard.page == GOAL
    assert not wizard.forward.isEnabled()
    to_model(wizard, wait, scored, tiny, steps=4, evaluate_every=2)
    wait(lambda: wizard.model.plan.seconds is not None)
    assert set(wizard.model.plan.seconds) == {"quick", "balanced", "thorough"}
    assert all(choice.side for choice in wizard.model.efforts.values())
    assert wizard.model.plan.counts["train"] + wizard.model.plan.counts["dev"] < 60

    wizard.save_recipe(scored.parent / "recipe.json")
    from explorer.training import recipe as recipes

    kept = recipes.load(scored.parent / "recipe.json")
    assert (kept.steps, kept.data[0].path, kept.guard.share > 0) == (4, "pairs.csv", True)

    wizard.forward.click()
    assert wizard.page == RUN
    wait(lambda: wizard.page == RESULT)
    finished = wizard.trainer.finished
    assert len(wizard.trainer.losses) == finished.trained.steps == 4
    assert [step for step, _ in wizard.trainer.evaluations] == [0, 2, 4]
    assert wizard.result.verdict.text()
    assert wizard.forward.isVisible() is (finished.trained.best_step > 0)  # the base itself need not be used
    assert not wizard.forward.isEnabled()
    assert len(wizard.result.own.shown.rows) == len(finished.comparison.rows) > 0
    assert len(wizard.result.general.shown.rows) == len(finished.comparison.general) > 0
    assert wizard.result.map_stage.covered  # no folder is open
    folder = paths.models() / "better"
    assert (folder / "model.safetensors").is_file()

    told = list[bool]()
    actions.models.changed.connect(lambda: told.append(folder.exists()))
    wizard.discard.click()
    wait(lambda: told == [False])  # once it is gone, the settings list it no more
    assert wizard.page == MODEL


def test_models_that_came_can_be_begun_with_and_the_choice_stays(
    wizard: Any, actions: Any, wait: Wait, scored: Path, tiny: Path
) -> None:
    def listed() -> list[str]:
        return [str(wizard.model.base.itemData(place)) for place in range(wizard.model.base.count())]

    to_model(wizard, wait, scored, tiny, steps=4)
    wait(lambda: str(tiny) in listed() and len(listed()) > 1)
    shutil.copytree(tiny, paths.models() / "mine")
    wizard.back.click()
    wait(wizard.forward.isEnabled)
    wizard.forward.click()
    wait(lambda: "mine" in listed())
    assert wizard.model.base.currentData() == str(tiny)
    place = listed().index("mine")
    wizard.model.base.setCurrentIndex(place)
    wizard.model.base.activated.emit(place)
    shutil.copytree(tiny, paths.models() / "another")
    actions.models.changed.emit()  # as when a download ends
    wait(lambda: "another" in listed())
    assert wizard.model.draft().base == "mine"
    shutil.rmtree(paths.models() / "mine")
    actions.models.changed.emit()
    wait(lambda: "mine" not in listed())
    assert wizard.model.draft().base == listed()[0]
    wait(lambda: wizard.model.plan is not None and wizard.model.plan.draft.base == listed()[0])


def test_what_was_being_estimated_is_estimated_when_the_window_comes_back(
    wizard: Any, actions: Any, wait: Wait, scored: Path, tiny: Path
) -> None:
    to_model(wizard, wait, scored, tiny, steps=4)
    wizard.model._prepare()
    wizard.close()
    wait(lambda: not actions.runner.jobs())
    wizard.show_and_raise()
    wait(lambda: wizard.model.plan is not None and wizard.forward.isEnabled())


def test_a_warning_is_shown_while_the_examples_are_still_gathered(
    wizard: Any, wait: Wait, scored: Path, tiny: Path
) -> None:
    to_model(wizard, wait, scored, tiny, steps=4)
    wizard.model._show_plan(TrainingPlan(wizard.model.draft(), {}, {}, ("It cannot read them.",)))
    assert wizard.model.about.text() == "It cannot read them."
    assert not wizard.forward.isEnabled()


def test_closed_it_goes_on_and_stopped_it_keeps_the_best(
    wizard: Any, actions: Any, wait: Wait, scored: Path, tiny: Path
) -> None:
    trainer, told = wizard.trainer, list[str]()
    actions.notified.connect(lambda message: told.append(message.sentence))
    to_model(wizard, wait, scored, tiny, steps=100_000, patience=0)
    wizard.forward.click()
    wait(lambda: len(trainer.losses) > 2)
    assert not wizard.forward.isVisible()
    wizard.run.pause.click()
    assert trainer.status == "paused"
    assert wizard.run.title.text() == "“better” is paused"
    wait((checkpoints.work_folder(paths.models() / "better") / checkpoints.INDEX).exists)
    wizard.run.pause.click()
    assert trainer.status == "running"
    reached = trainer.step
    wizard.close()
    wait(lambda: trainer.step > reached)
    jobs = {job.key: job for job in actions.runner.jobs()}
    assert "better" in jobs["train"].title
    assert (jobs["train"].quiet, jobs["train"].worker) == (False, "training")

    trainer.stop()
    wait(lambda: not trainer.busy)
    assert trainer.finished.trained.ended == "stopped"
    assert reached < trainer.finished.trained.steps < 100_000
    assert any("better" in sentence for sentence in told)
    wizard.show_and_raise()
    assert wizard.page == RESULT
    wizard.keep.click()
    assert not wizard.isVisible()
    assert (paths.models() / "better" / "README.md").is_file()
    wizard.show_and_raise()
    assert wizard.page == GOAL


def test_interrupted_it_is_offered_again_goes_on_and_is_discarded(
    wizard: Any, actions: Any, wait: Wait, scored: Path, tiny: Path
) -> None:
    trainer = wizard.trainer
    to_model(wizard, wait, scored, tiny, steps=100_000, patience=0)
    wizard.forward.click()
    wait(lambda: len(trainer.losses) > 2)
    actions.runner.cancel("train")  # as the progress panel does
    wait(lambda: trainer.status == "left")
    assert wizard.run.go_on.isVisible()
    reached = trainer.step
    trainer.forget()  # as if the program had been closed
    wizard.show_page(GOAL)
    wizard.show_and_raise()
    wait(lambda: bool(wizard.goal.interrupted.text()))
    wizard.goal.go_on.click()
    wait(lambda: bool(trainer.losses))
    assert trainer.first >= reached > 0
    actions.runner.cancel("train")
    wait(lambda: trainer.status == "left")
    wizard.discard.click()
    wait(lambda: not any(paths.models().iterdir()))


def test_a_base_that_cannot_be_used_is_told(wizard: Any, wait: Wait, scored: Path, tiny: Path, tmp_path: Path) -> None:
    to_model(wizard, wait, scored, tiny, steps=4)
    (tmp_path / "empty").mkdir()
    wizard.model.take_folder(tmp_path / "empty")
    wait(lambda: bool(wizard.model.trouble.text()))
    assert str(tmp_path / "empty") in wizard.model.trouble.text()
    assert not wizard.forward.isEnabled()


def test_a_number_that_makes_no_sense_is_told(wizard: Any, wait: Wait, scored: Path, tiny: Path) -> None:
    from PySide6.QtTest import QTest

    to_model(wizard, wait, scored, tiny, steps=4)
    wizard.model.more.click()
    line = wizard.model.advanced.fields["learning_rate"]
    line.clear()
    QTest.keyClicks(line, "7")
    line.editingFinished.emit()
    wait(lambda: bool(wizard.model.trouble.text()))
    assert "learning_rate" in wizard.model.trouble.text()
    wizard.model.advanced.reset.click()
    wizard.model.advanced.set_number("steps", 4)
    wait(lambda: wizard.model.recipe() is not None)
    assert wizard.model.recipe().learning_rate < 1
