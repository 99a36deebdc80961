"""An order finds a name of its own, and one that was killed too early gives its name back."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from explorer import paths
from explorer.services.finetuning import requests
from explorer.services.finetuning.requests import TrainingRequest
from explorer.training.fit import checkpoints
from explorer.training.recipe import Recipe


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCEXPLORER_HOME", str(tmp_path))


def begun(name: str) -> Path:
    order = TrainingRequest(Recipe("regression"), paths.models(), paths.models() / name)
    requests.save_request(order)
    return checkpoints.work_folder(order.folder)


def age(folder: Path, hours: float) -> None:
    then = time.time() - 3600 * hours
    os.utime(folder, (then, then))


def test_a_model_and_a_training_that_has_just_begun_keep_their_names():
    (paths.models() / "better").mkdir(parents=True)
    begun("better-2")
    assert requests.free_folder("better").name == "better-3"


def test_a_training_killed_before_its_first_checkpoint_gives_its_name_back():
    age(begun("better"), 24)
    assert requests.free_folder("better").name == "better"


def test_a_training_that_can_go_on_keeps_its_name_for_ever():
    work = begun("better")
    (work / checkpoints.INDEX).write_text("{}")
    age(work, 24 * 365)
    assert requests.free_folder("better").name == "better-2"


def test_the_folder_of_a_training_that_can_go_on_is_free_for_who_resumes_it():
    (paths.models() / "better").mkdir(parents=True)
    (begun("better-2") / checkpoints.INDEX).write_text("{}")
    assert requests.free_folder("better", resume=True).name == "better-2"
    assert requests.can_resume(paths.models() / "better-2")
    begun("new")
    assert requests.free_folder("new", resume=True).name == "new-2"  # another process may be starting it
