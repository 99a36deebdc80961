"""The command `train`: flags and recipes, an interruption that keeps what was done, and a kill that changes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from explorer import paths
from explorer.training.recipe import DataSource, Recipe, load, save
from tests.conftest import PROJECT
from tests.services.finetuning.test_run import table

STEPS = 16
SMALL = ("--threads", 1, "--batch", 8, "--learning-rate", 1e-3)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    table(tmp_path / "data" / "pairs.tsv")
    return tmp_path / "data"


# The command, which a signal hits after the checkpoint of a step: no clock decides how far it comes.
HIT = """
import os, signal, sys
from explorer.cli.main import main
from explorer.training.fit import checkpoints

write, steps = checkpoints.write, [int(sys.argv[1])]

def written(folder, progress):
    write(folder, progress)
    if progress.step in steps:
        steps.clear()  # a second Ctrl+C would end it at once
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))

checkpoints.write = written
sys.exit(main(["train", *sys.argv[3:], "--json"]))
"""


def hit(step: int, name: str, arguments: list[object], home: Path) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, hit by the signal of this name after a step."""
    environment = os.environ | {"DOCEXPLORER_HOME": str(home), "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-c", HIT, str(step), name, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)


class TestTrain:
    def test_flags_make_a_model_and_a_recipe_that_makes_it_again(self, run, data, tiny, tmp_path):
        kept = tmp_path / "kept.json"
        code, found, err = run(
            "train",
            data / "pairs.tsv",
            "--objective",
            "regression",
            "--base",
            tiny,
            *SMALL,
            "--set",
            "steps=3",
            "--set",
            "guard.average=0.9",
            "--name",
            "mine",
            "--guard",
            0.2,
            "--score-range",
            0,
            5,
            "--save-recipe",
            kept,
        )
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
        code, out, err = run(
            "train", data / "pairs.tsv", "--goal", "duplicates", "--base", tiny, *SMALL, "--set", "steps=2", plain=True
        )
        assert code == 0
        assert "General benchmark:" in out
        assert "difference" in out
        assert "train: " in err
        assert "step 2, spearman " in err

    def test_a_check_trains_nothing(self, run, data, tiny):
        code, found, _ = run(
            "train", data / "pairs.tsv", "--goal", "duplicates", "--base", tiny, *SMALL, "--effort", "quick", "--check"
        )
        assert code == 0
        assert found["estimate"]["seconds"] > 0
        assert found["recipe"]["objective"] == "regression"
        assert not paths.models().exists()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "Give training data"),
            (("gone.tsv", "--goal", "duplicates"), "There is no file"),
            (("--recipe", "gone.json"), "recipe cannot be read"),
            (("pairs.tsv", "--objective", "magic"), "no objective"),
            (("pairs.tsv", "--objective", "regression", "--set", "colour=red"), "no setting “colour”"),
            (("pairs.tsv", "--objective", "regression", "--epochs", -1), "“epochs” is a number"),
            (("pairs.tsv", "--objective", "regression", "--base", "gone"), "no model and no folder has this name"),
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
        settings = (f"steps={STEPS}", "precision=float32", "checkpoint_minutes=0", "test_share=0", "evaluate_every=5")
        return [
            data / "pairs.tsv",
            "--objective",
            "regression",
            "--base",
            tiny,
            *SMALL,
            "--out",
            out,
            *(word for each in settings for word in ("--set", each)),
        ]

    def losses(self, work: Path) -> list[float]:
        found: list[float] = json.loads((work / "checkpoint.json").read_text("utf-8"))["losses"]
        return found

    def test_killed_and_interrupted_it_comes_to_the_same(self, run, data, tiny, tmp_path):
        code, whole, err = run("train", *self.arguments(data, tiny, tmp_path / "whole"))
        assert (code, len(whole["losses"])) == (0, STEPS), err
        out, work = tmp_path / "broken", tmp_path / ".broken.training"
        first = hit(7, "SIGKILL", self.arguments(data, tiny, out), tmp_path / "home")
        assert first.returncode == -signal.SIGKILL, first.stderr
        assert len(self.losses(work)) == 7
        second = hit(10, "SIGINT", self.arguments(data, tiny, out), tmp_path / "home")
        assert second.returncode == 130, second.stderr
        assert json.loads(second.stdout)["checkpoint"] == str(work)
        assert len(self.losses(work)) == 10
        code, mended, err = run("train", *self.arguments(data, tiny, out))
        assert code == 0, err
        assert mended["losses"] == pytest.approx(whole["losses"], rel=1e-4)
        assert [one["step"] for one in mended["evaluations"]] == [one["step"] for one in whole["evaluations"]]
        assert not work.exists()
