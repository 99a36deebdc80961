"""The command `train`: flags and recipes, an interruption that keeps what was done, and a kill that changes nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from explorer import paths
from explorer.training.recipe import DataSource, Recipe, load, save
from tests.services.finetuning.test_run import table

STEPS = 30
SMALL = ("--threads", 1, "--batch", 8, "--learning-rate", 1e-3)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    table(tmp_path / "data" / "pairs.tsv")
    return tmp_path / "data"


def started(arguments: list[object], home: Path) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    environment = os.environ | {"DOCEXPLORER_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "explorer", "train", *map(str, arguments), "--json"]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


class TestTrain:
    def test_flags_make_a_model_and_a_recipe_that_makes_it_again(self, run, data, tiny, tmp_path):
        kept = tmp_path / "kept.json"
        code, found, err = run("train", data / "pairs.tsv", "--objective", "regression", "--base", tiny, *SMALL,
                               "--set", "steps=3", "--set", "guard.average=0.9", "--name", "mine", "--guard", 0.2,
                               "--score-range", 0, 5, "--save-recipe", kept)  # fmt: skip
        assert (code, err) == (0, "")
        assert found["folder"] == str(paths.models() / "mine")
        assert found["comparison"]["rows"][0]["measure"] == "spearman"
        saved = load(kept)
        assert saved.data == (DataSource(path="pairs.tsv", score_range=(0.0, 5.0)),)
        assert (saved.steps, saved.guard.share, saved.guard.average) == (3, 0.2, 0.9)
        code, again, _ = run("train", "--recipe", kept, "--data", data, "--base", tiny, "--threads", 1)
        assert code == 0
        assert again["losses"] == found["losses"]
        assert again["folder"] == str(paths.models() / "mine-2")

    def test_what_people_read(self, run, data, tiny):
        code, out, err = run("train", data / "pairs.tsv", "--goal", "duplicates", "--base", tiny, *SMALL,
                             "--set", "steps=2", plain=True)  # fmt: skip
        assert code == 0
        assert "General ability, on the set that ships:" in out
        assert "difference" in out
        assert "train: " in err
        assert "step 2, spearman " in err

    def test_a_check_trains_nothing(self, run, data, tiny):
        code, found, _ = run("train", data / "pairs.tsv", "--goal", "duplicates", "--base", tiny, *SMALL,
                             "--effort", "quick", "--check")  # fmt: skip
        assert code == 0
        assert found["estimate"]["seconds"] > 0
        assert found["recipe"]["objective"] == "regression"
        assert not paths.models().exists()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "Say what to learn from"),
            (("gone.tsv", "--goal", "duplicates"), "There is no file"),
            (("--recipe", "gone.json"), "recipe cannot be read"),
            (("pairs.tsv", "--objective", "magic"), "no objective"),
            (("pairs.tsv", "--objective", "regression", "--set", "colour=red"), "no setting “colour”"),
            (("pairs.tsv", "--objective", "regression", "--epochs", -1), "“epochs” is a number"),
            (("pairs.tsv", "--objective", "regression", "--base", "gone"), "there is no model of this name"),
            (("--judgements", "--objective", "regression"), "none is open"),
        ],
    )
    def test_what_cannot_be_done_is_a_sentence(self, run, data, monkeypatch, arguments, message):
        monkeypatch.chdir(data)
        code, _, err = run("train", *arguments)
        assert code == 1
        assert message in err
        assert "unexpected" not in err

    def test_a_recipes_files_stay_in_its_folder(self, run, data):
        (data / "inner").mkdir()
        save(Recipe("regression", data=(DataSource(path="../pairs.tsv"),)), data / "inner" / "recipe.json")
        code, _, err = run("train", "--recipe", data / "inner" / "recipe.json")
        assert code == 1
        assert "A recipe names files within its own folder" in err


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
class TestEnds:
    """Each training is of the same steps, a checkpoint after every one."""

    def arguments(self, data: Path, tiny: Path, out: Path) -> list[object]:
        settings = (f"steps={STEPS}", "checkpoint_minutes=0", "test_share=0", "evaluate_every=10")
        return [data / "pairs.tsv", "--objective", "regression", "--base", tiny, *SMALL, "--out", out,
                *(word for each in settings for word in ("--set", each))]  # fmt: skip

    def losses(self, work: Path) -> list[float]:
        try:
            found: list[float] = json.loads((work / "checkpoint.json").read_text("utf-8"))["losses"]
        except (OSError, ValueError):
            return []
        return found

    def wait(self, process: subprocess.Popen[str], work: Path, steps: int) -> None:
        while len(self.losses(work)) < steps and process.poll() is None:
            time.sleep(0.01)

    def test_killed_at_a_random_step_and_interrupted_it_comes_to_the_same(self, run, data, tiny, tmp_path):
        code, whole, err = run("train", *self.arguments(data, tiny, tmp_path / "whole"))
        assert (code, len(whole["losses"])) == (0, STEPS), err
        out, work = tmp_path / "broken", tmp_path / ".broken.training"
        first = started(self.arguments(data, tiny, out), tmp_path / "home")
        self.wait(first, work, random.Random(0).randint(3, 8))
        first.kill()
        first.communicate()
        reached = len(self.losses(work))
        assert 0 < reached < STEPS
        second = started(self.arguments(data, tiny, out), tmp_path / "home")
        self.wait(second, work, reached + 3)
        second.send_signal(signal.SIGINT)
        told, err = second.communicate()
        assert second.returncode == 130, err
        assert json.loads(told)["checkpoint"] == str(work)
        code, mended, err = run("train", *self.arguments(data, tiny, out))
        assert code == 0, err
        assert mended["losses"] == pytest.approx(whole["losses"], rel=1e-4)
        assert [one["step"] for one in mended["evaluations"]] == [one["step"] for one in whole["evaluations"]]
        assert not work.exists()
