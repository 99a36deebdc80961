"""The status of a training follows its phase, whatever its notes say."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.services.finetuning import jobs
from explorer.services.finetuning.requests import TrainingRequest, TrainingUpdate
from explorer.task import Task
from explorer.training.fit.result import Phase
from explorer.training.recipe import Recipe
from explorer.ui.finetune.training_controller import TrainingController
from explorer.ui.jobs.runner import Runner

Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def runner(qapp: object) -> Iterator[Runner]:
    runner = Runner()
    yield runner
    assert runner.close(60)


def test_the_status_follows_the_phase_and_not_the_words(
    runner: Runner, wait: Wait, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gates = {name: threading.Event() for name in ("trained", "compared")}

    def train(_request: TrainingRequest, _control: object, task: Task, _collected: object) -> Any:
        task.enter(Phase.PREPARING)
        task.report(500, 500, "training of the tokenizer")  # a note that begins like the phase
        task.enter(Phase.TRAINING)
        task.publish(TrainingUpdate(1, (0.5,), (), 2.0))
        task.report(10, 10, "schritte", "", "Memory was short.")
        assert gates["trained"].wait(20)
        task.enter(Phase.COMPARING)
        task.report(3, 3, "training set is scored")
        assert gates["compared"].wait(20)

    monkeypatch.setattr(jobs, "train", train)
    controller = TrainingController(runner)

    controller.start(TrainingRequest(Recipe("contrastive"), tmp_path, tmp_path / "made"), "Training")
    assert controller.status == "preparing"
    wait(lambda: controller.status == "running" and controller.total == 10)
    assert controller.warning == "Memory was short."

    gates["trained"].set()
    wait(lambda: controller.status == "finishing")
    assert (controller.total, controller.warning) == (10, "")

    gates["compared"].set()
    wait(lambda: controller.status == "done")
