"""A training does what its recipe says, and neither a stop nor a kill changes what comes of it."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from explorer.errors import DataError, ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.files import model_folder as folders
from explorer.models.files.model_folder import ModelFolder
from explorer.models.runtime import batching as runtime_batching
from explorer.models.runtime import precision as precisions
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from explorer.training.data.dataset import Dataset, make_set, prepare_for_training
from explorer.training.data.examples import read_examples
from explorer.training.fit import batching
from explorer.training.fit.result import Control, Phase, Trained
from explorer.training.fit.trainer import train
from explorer.training.measure.evaluate import measure_dev
from explorer.training.measure.model_card import CardFacts
from explorer.training.measure.similarity import cosine, encode_columns
from explorer.training.recipe import Guard, Recipe, load

WORDS = "the cat dog sat ran on mat under moon bright river stone quick brown fox jumps lazy house green tea".split()
CPU = choose("cpu", threads=1, precision="float32")


def sentences(count: int, seed: int) -> tuple[str, ...]:
    chance = random.Random(seed)
    return tuple(" ".join(chance.choices(WORDS, k=chance.randint(2, 14))) for _ in range(count))


def overlap(a: str, b: str) -> float:
    one, two = set(a.split()), set(b.split())
    return len(one & two) / len(one | two)


def scored(count: int = 40, seed: int = 0) -> Dataset:
    first, second = sentences(count, seed), sentences(count, seed + 1)
    return make_set("scored", (first, second), scores=tuple(map(overlap, first, second)))


def labelled(count: int = 40, k: int = 4) -> Dataset:
    names = tuple(f"kind {number}" for number in range(k))
    return make_set(
        "labelled", (sentences(count, 2), sentences(count, 3)), classes=tuple(n % k for n in range(count)), names=names
    )


def held_out(count: int = 30) -> Dataset:
    data = scored(count, seed=50)
    return Dataset.scored(data.columns[0], data.columns[1], data.scores, 0.0, 1.0)


@pytest.fixture
def base(tiny: Path) -> ModelFolder:
    return folders.read(tiny)


RECIPE = Recipe("regression", batch=8, epochs=2, learning_rate=1e-3, weight_decay=0.01, evaluate_every=4)


def run(recipe: Recipe, base: ModelFolder, data: Dataset, folder: Path, **more: Any) -> Trained:
    return train(recipe, base, data, folder=folder, device=CPU, **more)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(str(folder / "model.safetensors"))


DATA: dict[str, Dataset] = {
    "classification": labelled(),
    "regression": scored(),
    "triplet": make_set("triplets", (sentences(40, 4), sentences(40, 5), sentences(40, 6))),
    "contrastive": make_set("pairs", (sentences(40, 4), sentences(40, 5))),
    "ranking": scored(),
    "distillation": make_set("texts", (sentences(40, 4),)),
    "cross-regression": scored(),
    "cross-classification": labelled(),
}


@pytest.mark.parametrize("name", sorted(DATA))
def test_every_objective_trains_and_its_model_opens(name: str, base: ModelFolder, tmp_path: Path) -> None:
    recipe = Recipe(name, batch=8, epochs=6, learning_rate=2e-3, name="made")
    teacher = None
    if name == "distillation":  # a student that must move
        teacher = BiEncoder(replace(base, pooling=("max",)), CPU)
    done = run(recipe, base, DATA[name], tmp_path / "made", teacher=teacher)
    assert (done.ended, done.steps, done.total) == ("done", 30, 30)
    assert np.mean(done.losses[-5:]) < np.mean(done.losses[:5])
    if recipe.kind == "bi":
        assert BiEncoder.open(tmp_path / "made", CPU).encode(["the cat"]).whole().shape == (1, 32)
    else:
        model = CrossEncoder.open(tmp_path / "made", CPU)
        assert model.labels == (DATA[name].names or ("score",))
        assert model.score([("the cat", "a dog")]).whole().shape == (1, len(model.labels))
    assert not (tmp_path / ".made.training").exists()


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory, checkpoints: dict[str, Path]) -> ModelFolder:
    """The tiny BERT without dropout, so that a step can be done again by hand."""
    path = Path(shutil.copytree(checkpoints["bert"], tmp_path_factory.mktemp("calm") / "bert"))
    config = json.loads((path / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (path / "config.json").write_text(json.dumps(config))
    return folders.read(path)


def test_the_steps_are_those_of_adamw_by_hand(calm: ModelFolder, tmp_path: Path) -> None:
    data = scored(8)
    recipe = replace(RECIPE, batch=8, steps=5, warm_up=0.4, clipping=0.5, weight_decay=0.5)
    done = run(recipe, calm, data, tmp_path / "made")
    model = BiEncoder(calm, CPU)
    named = {name: each for name, each in model.network.named_parameters() if "pooler" not in name}
    plain = [each for name, each in named.items() if "bias" in name or "LayerNorm" in name]
    decayed = [each for each in named.values() if not any(each is other for other in plain)]
    optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.5}, {"params": plain, "weight_decay": 0.0}])
    losses = []
    for rate in (0.5, 1.0, 1.0, 2 / 3, 1 / 3):  # two steps up, then down to nothing
        loss = by_hand(model, data)
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(named.values(), 0.5)
        for group in optimiser.param_groups:
            group["lr"] = 1e-3 * rate
        optimiser.step()
    assert done.losses == pytest.approx(losses, abs=1e-6)
    saved = BiEncoder(done.folder, CPU).network.state_dict()
    for name, weight in named.items():
        if "word_embeddings" not in name:  # Adam magnifies rounding where a gradient is near nothing; a step is 1e-3
            torch.testing.assert_close(saved[name], weight.detach(), atol=1e-4, rtol=1e-3)


def by_hand(model: BiEncoder, data: Dataset) -> torch.Tensor:
    matrix, mask = runtime_batching.padded(
        [tokens.ids for column in data.columns for tokens in model.tokenizer.encode(column)], model.tokenizer.pad
    )
    u, v = model.network(torch.from_numpy(matrix), torch.from_numpy(mask)).split(len(data))
    return ((torch.cosine_similarity(u, v) - torch.tensor(data.scores)) ** 2).mean()


def test_words_that_never_occur_keep_their_vectors(base: ModelFolder, tmp_path: Path) -> None:
    run(RECIPE, base, scored(), tmp_path / "made")
    name = "embeddings.word_embeddings.weight"
    before, after = weights(base.path)[name], weights(tmp_path / "made")[name]
    used = {0} | {t for c in scored().columns for x in BiEncoder(base, CPU).tokenizer.encode(c) for t in x.ids}
    changed = set((before != after).any(dim=1).nonzero().flatten().tolist())
    assert changed
    assert changed <= used
    assert len(used) < len(before)


class KilledError(BaseException):
    """The process ended; nothing of it is cleaned up."""


def kill_at(step: int) -> Any:
    def heard(number: int, loss: float, speed: float) -> None:
        if number == step:
            raise KilledError

    return heard


@pytest.mark.parametrize(
    "recipe",
    [
        replace(RECIPE, checkpoint_minutes=0),
        replace(RECIPE, objective="classification", accumulation=2, epochs=4, checkpoint_minutes=0, weight_decay=0.1),
        replace(RECIPE, adapter_rank=4, checkpoint_minutes=0, guard=Guard(share=0.4)),
        replace(RECIPE, objective="cross-regression", freeze_layers=1, checkpoint_minutes=0),
    ],
    ids=["plain", "head and accumulation", "adapters and guard", "cross-encoder"],
)
def test_killed_and_resumed_is_as_undisturbed(recipe: Recipe, base: ModelFolder, tmp_path: Path) -> None:
    data = DATA[recipe.objective]
    dev = None if recipe.objective == "classification" else held_out()
    whole = run(recipe, base, data, tmp_path / "whole", dev=dev)
    seen: list[int] = []
    for killed in (3, 7):
        with pytest.raises(KilledError):
            run(recipe, base, data, tmp_path / "made", dev=dev, on_step=kill_at(killed))
    (tmp_path / ".made.training" / "step-9.safetensors.partial").write_bytes(b"cut off")
    done = run(recipe, base, data, tmp_path / "made", dev=dev, on_step=lambda step, *_: seen.append(step))
    assert seen == list(range(7, whole.total + 1))
    assert done.losses == whole.losses
    assert done.evaluations == whole.evaluations
    assert done.best_step == whole.best_step
    one, two = weights(tmp_path / "whole"), weights(tmp_path / "made")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_cancelled_answers_at_once_and_goes_on_later(base: ModelFolder, tmp_path: Path) -> None:
    whole = run(RECIPE, base, scored(), tmp_path / "whole", dev=held_out())
    task, seen = Task(), list[int]()

    def heard(step: int, loss: float, speed: float) -> None:
        seen.append(step)
        if step == 5:
            task.cancel()

    with pytest.raises(Cancelled):
        run(RECIPE, base, scored(), tmp_path / "made", dev=held_out(), task=task, on_step=heard)
    assert seen == [1, 2, 3, 4, 5]
    assert not (tmp_path / "made").exists()
    done = run(RECIPE, base, scored(), tmp_path / "made", dev=held_out(), on_step=heard)
    assert seen[5:] == [6, 7, 8, 9, 10]
    assert done.losses == whole.losses


def test_cancelled_before_the_first_step_leaves_nothing(base: ModelFolder, tmp_path: Path) -> None:
    task = Task()
    with pytest.raises(Cancelled):
        run(
            RECIPE, base, scored(), tmp_path / "made", dev=held_out(), task=task, on_evaluation=lambda *_: task.cancel()
        )
    assert len(list(tmp_path.glob(".made.training/*"))) > 0  # the step after it was done
    task = Task(lambda progress: task.cancel() if progress.note == "training" else None)
    with pytest.raises(Cancelled):
        run(RECIPE, base, scored(), tmp_path / "other", dev=held_out(), task=task)
    assert not list(tmp_path.glob("*other*"))


@pytest.mark.parametrize("head", ["hub", "own"])
def test_adapters_train_a_cross_encoders_head_too(head: str, base: ModelFolder, tmp_path: Path) -> None:
    recipe = Recipe("cross-regression", head=head, batch=8, epochs=4, learning_rate=5e-3, adapter_rank=4)
    done = run(recipe, base, scored(), tmp_path / "made", dev=held_out())
    assert np.mean(done.losses[-5:]) < np.mean(done.losses[:5])
    before, after = weights(base.path), weights(tmp_path / "made")
    words = "embeddings.word_embeddings.weight"
    assert torch.equal(before[words], after.get(words, after.get(f"bert.{words}")))
    reopened = CrossEncoder.open(tmp_path / "made", CPU)
    assert measure_dev(held_out(), reopened, Task()) == pytest.approx(done.after, abs=1e-3)


def test_half_precision_learns_too(base: ModelFolder, tmp_path: Path) -> None:
    done = run(replace(RECIPE, precision="bfloat16", epochs=4), base, scored(), tmp_path / "made")
    assert np.mean(done.losses[-5:]) < np.mean(done.losses[:5])
    assert all(value.dtype == torch.float32 for value in weights(tmp_path / "made").values())


@pytest.mark.parametrize("best", ["float32", "bfloat16"])
def test_training_computes_in_what_is_fastest_on_this_processor(
    best: str, base: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precisions, "best_of_processor", lambda: best)
    told = [run(replace(RECIPE, precision=asked), base, scored(), tmp_path / asked).losses for asked in ("auto", best)]
    assert told[0] == told[1]
    exact = run(replace(RECIPE, precision="float32"), base, scored(), tmp_path / "exact").losses
    assert (told[0] == exact) is (best == "float32")
    assert np.mean(told[0]) == pytest.approx(np.mean(exact), rel=0.02)


def test_a_checkpoint_of_another_training_is_not_taken(base: ModelFolder, tmp_path: Path) -> None:
    recipe = replace(RECIPE, checkpoint_minutes=0)
    with pytest.raises(KilledError):
        run(recipe, base, scored(), tmp_path / "made", on_step=kill_at(3))
    for other, data in ((replace(recipe, seed=1), scored()), (recipe, scored(41))):
        with pytest.raises(DataError, match="another training"):
            run(other, base, data, tmp_path / "made")
    assert run(replace(recipe, max_minutes=500), base, scored(), tmp_path / "made").ended == "done"


def test_a_damaged_checkpoint_is_told(base: ModelFolder, tmp_path: Path) -> None:
    recipe = replace(RECIPE, checkpoint_minutes=0)
    with pytest.raises(KilledError):
        run(recipe, base, scored(), tmp_path / "made", on_step=kill_at(3))
    (tmp_path / ".made.training" / "step-2.safetensors").write_bytes(b"{}")
    with pytest.raises(DataError, match="damaged"):
        run(recipe, base, scored(), tmp_path / "made")
    (tmp_path / ".made.training" / "checkpoint.json").write_text("[")
    with pytest.raises(DataError, match="cannot be used"):
        run(recipe, base, scored(), tmp_path / "made")


def rising_and_falling(peak: int) -> Any:
    """A measure that is best at its `peak`-th call."""
    calls = iter(range(1000))
    return lambda *_: {"height": -abs(next(calls) - peak) / 10, "other": 1.0}


def test_the_best_step_is_kept_and_training_ends_early(base: ModelFolder, tmp_path: Path) -> None:
    recipe = replace(RECIPE, epochs=20, evaluate_every=2, patience=3)
    heard: list[tuple[int, float]] = []
    done = run(
        recipe,
        base,
        scored(),
        tmp_path / "made",
        dev=rising_and_falling(2),
        on_evaluation=lambda step, measures: heard.append((step, measures["height"])),
    )
    assert (done.ended, done.best_step, done.steps, done.total) == ("no gain", 4, 10, 100)
    assert [step for step, _ in heard] == [0, 2, 4, 6, 8, 10]
    assert done.before["height"] == -0.2
    assert done.after["height"] == 0
    control = Control()
    run(
        recipe,
        base,
        scored(),
        tmp_path / "four",
        control=control,
        on_step=lambda step, *_: control.stop() if step == 4 else None,
    )
    one, two = weights(tmp_path / "made"), weights(tmp_path / "four")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_stop_keeps_the_best_so_far(base: ModelFolder, tmp_path: Path) -> None:
    control = Control()
    recipe = replace(RECIPE, evaluate_every=3)
    done = run(
        recipe,
        base,
        scored(),
        tmp_path / "made",
        dev=rising_and_falling(1),
        control=control,
        on_step=lambda step, *_: control.stop() if step == 7 else None,
    )
    assert (done.ended, done.steps, done.best_step) == ("stopped", 7, 3)
    assert [step for step, _ in done.evaluations] == [0, 3, 6, 7]
    alone = Control()
    unmeasured = run(
        RECIPE,
        base,
        scored(),
        tmp_path / "other",
        control=alone,
        on_step=lambda step, *_: alone.stop() if step == 2 else None,
    )
    assert (unmeasured.steps, unmeasured.best_step, unmeasured.after) == (2, 2, {})


def test_time_ends_it_with_the_best_so_far(base: ModelFolder, tmp_path: Path) -> None:
    done = run(replace(RECIPE, max_minutes=1e-9), base, scored(), tmp_path / "made", dev=held_out())
    assert (done.ended, done.steps) == ("time", 0)


def test_a_training_that_was_left_can_still_be_kept(base: ModelFolder, tmp_path: Path) -> None:
    """Cancelled, then told to stop: what was reached is finished without another step."""
    task = Task()
    with pytest.raises(Cancelled):
        run(
            RECIPE,
            base,
            scored(),
            tmp_path / "made",
            dev=held_out(),
            task=task,
            on_step=lambda step, *_: task.cancel() if step == 6 else None,
        )
    control, seen = Control(), list[int]()
    control.stop()
    done = run(
        RECIPE,
        base,
        scored(),
        tmp_path / "made",
        dev=held_out(),
        control=control,
        on_step=lambda step, *_: seen.append(step),
    )
    assert (done.ended, done.steps, seen) == ("stopped", 6, [])
    assert BiEncoder.open(tmp_path / "made", CPU).dimension == 32


def test_where_nothing_is_gained_the_base_is_kept(base: ModelFolder, tmp_path: Path) -> None:
    facts = CardFacts("the model people know", base.fingerprint)
    done = run(RECIPE, base, scored(), tmp_path / "made", dev=rising_and_falling(0), facts=facts)
    assert done.best_step == 0
    assert any("better" in note and "the model people know" in note for note in done.notes)
    one, two = weights(base.path), weights(tmp_path / "made")
    assert all(torch.equal(one[name], two[name]) for name in two)


class Resuming(Task):
    """A task that lets a paused training go on when it is asked for the third time."""

    def __init__(self, control: Control, work: Path) -> None:
        super().__init__()
        self.control, self.work, self.asked = control, work, 0
        self.checkpoint_seen = False

    def check(self) -> None:
        super().check()
        if self.control.paused:
            self.asked += 1
            self.checkpoint_seen = (self.work / "checkpoint.json").is_file()
            if self.asked > 3:
                self.control.resume()


def test_a_pause_waits_safely_and_changes_nothing(base: ModelFolder, tmp_path: Path) -> None:
    whole = run(RECIPE, base, scored(), tmp_path / "whole")
    control = Control()
    task = Resuming(control, tmp_path / ".made.training")
    done = run(
        RECIPE,
        base,
        scored(),
        tmp_path / "made",
        control=control,
        task=task,
        on_step=lambda step, *_: control.pause() if step == 4 else None,
    )
    assert task.asked > 3
    assert task.checkpoint_seen
    assert done.losses == whole.losses


def test_short_memory_halves_the_batch_and_says_so(
    calm: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(RECIPE, calm, scored(), tmp_path / "whole")
    real, sizes = batching.outputs, list[int]()

    def small_memory(network: Any, source: Any, rows: Any) -> Any:
        if len(rows) > 2:
            raise torch.OutOfMemoryError("out of memory")
        sizes.append(len(rows))
        return real(network, source, rows)

    monkeypatch.setattr(batching, "outputs", small_memory)
    told: list[Progress] = []
    done = run(RECIPE, calm, scored(), tmp_path / "made", task=Task(told.append))
    assert max(sizes) == 2
    assert any("Memory ran low: the network now processes 2" in note for note in done.notes)
    assert "Memory ran low: the network now processes 2" in told[-1].warning
    assert done.losses == pytest.approx(whole.losses, abs=1e-4)
    monkeypatch.setattr(batching, "outputs", lambda *_: small_memory(None, None, range(9)))
    with pytest.raises(ModelError, match="even with one example"):
        run(RECIPE, calm, scored(), tmp_path / "none")


def test_progress_is_told_with_the_time_left(base: ModelFolder, tmp_path: Path) -> None:
    told: list[Progress] = []
    speeds: list[float] = []
    run(RECIPE, base, scored(), tmp_path / "made", task=Task(told.append), on_step=lambda *said: speeds.append(said[2]))
    steps = [each for each in told if each.note == "training"]
    assert [each.done for each in steps] == list(range(11))
    assert {each.phase for each in steps} == {Phase.TRAINING}
    assert all(each.total == 10 for each in steps)
    assert all(each.seconds_left is not None for each in steps[2:])
    assert all(speed > 0 for speed in speeds)


def test_frozen_layers_stay(base: ModelFolder, tmp_path: Path) -> None:
    run(replace(RECIPE, freeze_layers=1), base, scored(), tmp_path / "made")
    before, after = weights(base.path), weights(tmp_path / "made")
    same = {name for name in after if torch.equal(before[name], after[name])}
    lower = {name for name in after if name.startswith(("embeddings.", "encoder.layer.0."))}
    assert same == lower | {name for name in after if name.startswith("pooler.")}
    with pytest.raises(DataError, match="has 2 layers"):
        run(replace(RECIPE, freeze_layers=2), base, scored(), tmp_path / "none")


def test_averaging_goes_part_of_the_way(base: ModelFolder, tmp_path: Path) -> None:
    made = {}
    for share in (0.0, 0.25, 1.0):
        run(replace(RECIPE, guard=Guard(average=share)), base, scored(), tmp_path / str(share))
        made[share] = weights(tmp_path / str(share))
    before = weights(base.path)
    moved = "encoder.layer.1.output.dense.weight"
    assert not torch.allclose(made[1.0][moved], before[moved], atol=1e-3)
    for name, weight in made[0.25].items():
        torch.testing.assert_close(made[0.0][name], before[name])
        torch.testing.assert_close(weight, 0.75 * before[name] + 0.25 * made[1.0][name])


def test_what_was_averaged_is_measured_again(base: ModelFolder, tmp_path: Path) -> None:
    recipe = replace(RECIPE, guard=Guard(average=0.5))
    done = run(recipe, base, scored(), tmp_path / "made", dev=rising_and_falling(3))
    assert done.evaluations[-1][0] == done.steps
    assert done.after["height"] == pytest.approx(-0.1)  # the fifth call: four steps measured, then the average


def test_the_guard_holds_the_model_to_its_base(base: ModelFolder, tmp_path: Path) -> None:
    corpus = sentences(60, 30)
    apart = {}
    start = BiEncoder(base, CPU).encode(corpus).whole()
    for share in (0.0, 0.7):
        run(replace(RECIPE, guard=Guard(share=share)), base, scored(), tmp_path / str(share), unlabelled=corpus)
        apart[share] = float(np.abs(BiEncoder.open(tmp_path / str(share), CPU).encode(corpus).whole() - start).mean())
    assert apart[0.7] < 0.6 * apart[0.0]


@pytest.mark.parametrize(
    ("recipe", "data", "told"),
    [
        (Recipe("classification"), scored(), "examples have 0"),
        (Recipe("regression"), DATA["triplet"], "takes 2 texts"),
        (Recipe("regression"), DATA["contrastive"], "needs a label"),
        (Recipe("triplet"), scored(), "takes 3 texts"),
        (Recipe("cross-classification"), replace(labelled(), classes=(4, *labelled().classes[1:])), "class 4"),
        (Recipe("classification"), replace(labelled(), classes=(-1, *labelled().classes[1:])), "class -1"),
        (Recipe("regression"), replace(scored(), scores=(float("nan"), *scored().scores[1:])), "score nan"),
        (Recipe("ranking"), replace(scored(), scores=(1.5, *scored().scores[1:])), "score 1.5"),
        (Recipe("regression"), replace(scored(), scores=(0.5,) * 40), "same label"),
        (Recipe("regression"), scored().select([0]), "1 example"),
        (Recipe("cross-regression", guard=Guard(average=0.5)), scored(), "nothing to guard"),
        (Recipe("cross-regression", guard=Guard(share=0.5)), scored(), "nothing to guard"),
    ],
)
def test_what_does_not_fit_is_told_before_the_first_step(
    recipe: Recipe, data: Dataset, told: str, base: ModelFolder, tmp_path: Path
) -> None:
    heard: list[int] = []
    with pytest.raises(DataError, match=told):
        run(recipe, base, data, tmp_path / "made", on_step=lambda step, *_: heard.append(step))
    assert not heard
    assert not list(tmp_path.glob("*made*"))


def test_a_base_of_the_wrong_kind_is_told(base: ModelFolder, tmp_path: Path) -> None:
    run(Recipe("cross-regression", batch=8, steps=1), base, scored(), tmp_path / "cross")
    with pytest.raises(DataError, match="cross-encoder"):
        run(RECIPE, folders.read(tmp_path / "cross"), scored(), tmp_path / "made")
    with pytest.raises(ModelError, match="already"):
        run(RECIPE, base, scored(), tmp_path / "cross")


def test_a_loss_that_is_no_number_is_told(base: ModelFolder, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    broken = Path(shutil.copytree(base.path, tmp_path / "broken"))
    tensors = weights(broken)
    tensors["encoder.layer.1.output.dense.weight"][:] = 3e38  # finite, but what they are multiplied with is not
    save_file(tensors, str(broken / "model.safetensors"), metadata={"format": "pt"})
    with pytest.raises(DataError, match="learning rate"):
        run(RECIPE, folders.read(broken), scored(), tmp_path / "made")


def test_the_reference_library_opens_the_results(base: ModelFolder, tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder as TheirCross
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModelForSequenceClassification

    texts = list(sentences(5, 8))
    run(RECIPE, base, scored(), tmp_path / "bi")
    theirs = SentenceTransformer(str(tmp_path / "bi"), device="cpu").encode(texts)
    np.testing.assert_allclose(BiEncoder.open(tmp_path / "bi", CPU).encode(texts).whole(), theirs, atol=1e-5)
    pairs = list(itertools.pairwise(texts))
    for head in ("hub", "own"):
        run(Recipe("cross-classification", batch=8, steps=2, head=head), base, labelled(), tmp_path / head)
        ours = CrossEncoder.open(tmp_path / head, CPU).score(pairs)
        logits = TheirCross(str(tmp_path / head), device="cpu").predict(pairs, activation_fn=torch.nn.Identity())
        np.testing.assert_allclose(ours.whole(), logits, atol=1e-4)
    plain = AutoModelForSequenceClassification.from_pretrained(tmp_path / "hub")
    assert plain.config.id2label == {place: f"kind {place}" for place in range(4)}


def test_a_cross_encoder_is_trained_on(base: ModelFolder, tmp_path: Path) -> None:
    recipe = Recipe("cross-classification", batch=8, epochs=1)
    run(recipe, base, labelled(), tmp_path / "one")
    done = run(recipe, folders.read(tmp_path / "one"), labelled(), tmp_path / "two")
    assert done.folder.labels == labelled().names
    renamed = replace(labelled(), names=("w", "x", "y", "z"))
    with pytest.raises(DataError, match="Rename the labels"):
        run(recipe, folders.read(tmp_path / "one"), renamed, tmp_path / "three")
    other = run(recipe, folders.read(tmp_path / "one"), labelled(k=2), tmp_path / "four")
    assert other.folder.labels == ("kind 0", "kind 1")


def test_the_card_tells_what_the_model_is(base: ModelFolder, tmp_path: Path) -> None:
    done = run(replace(RECIPE, name="mine"), base, scored(), tmp_path / "mine", dev=held_out())
    card = (tmp_path / "mine" / "README.md").read_text("utf-8")
    assert card.startswith("---\nlibrary_name: sentence-transformers\n")
    for part in ("# mine", "“regression”", "| train | 40 |", "| spearman |", '"learning_rate": 0.001', "no licence"):
        assert part in card
    assert f"{done.before['spearman']:.4f} | {done.after['spearman']:.4f}" in card
    assert load(tmp_path / "mine" / "recipe.json") == replace(RECIPE, name="mine")


def test_pairs_alone_measure_how_well_they_find_each_other(bundled: Any) -> None:
    first = ("a cat on a mat", "stock prices fell", "boil the rice")
    good = Dataset.pairs(first, ("a kitten lies on the rug", "shares lost value", "cook rice in water"))
    turned = Dataset.pairs(first, tuple(reversed(good.second)))
    assert measure_dev(good, bundled, Task()) == {"matched": 1.0}
    assert measure_dev(turned, bundled, Task()) == pytest.approx({"matched": 1 / 3})


def test_distillation_teaches_another_model(base: ModelFolder, checkpoints: dict[str, Path], tmp_path: Path) -> None:
    """Two texts an example: the second learns the vector that the teacher gives the first."""
    teacher = BiEncoder(replace(base, pooling=("max",)), CPU)
    data = make_set("pairs", (sentences(40, 4), sentences(40, 5)))
    recipe = Recipe("distillation", {"texts": 2}, batch=8, epochs=12, learning_rate=3e-3)
    run(recipe, base, data, tmp_path / "made", teacher=teacher)
    target = teacher.encode(data.columns[0]).whole()
    for column in data.columns:
        before, after = (
            float(np.square(model.encode(column).whole() - target).mean())
            for model in (BiEncoder(base, CPU), BiEncoder.open(tmp_path / "made", CPU))
        )
        assert after < before
    wide = BiEncoder(replace(base, pooling=("mean", "max")), CPU)  # of 64 numbers
    done = run(recipe, base, data, tmp_path / "other", teacher=wide)
    assert np.mean(done.losses[-5:]) < 0.7 * np.mean(done.losses[:5])


@pytest.mark.data
def test_eighteen_steps_teach_real_scores(bundled_folder: Path, data_folder: Path, tmp_path: Path) -> None:
    pairs = read_examples(data_folder / "stsb_en" / "stsb-en-train.csv", kind="scored")
    data = prepare_for_training(pairs).select(range(0, 4800, 200))
    recipe = Recipe("regression", batch=8, epochs=6, learning_rate=2e-4, max_tokens=32)
    start = folders.read(bundled_folder)
    done = train(recipe, start, data, folder=tmp_path / "made", device=choose("cpu", precision="float32"))
    rounds = np.reshape(done.losses, (6, 3)).mean(axis=1)
    assert rounds[-1] < 0.5 * rounds[0]
    before, after = (
        float(np.mean((cosine(*encode_columns(model, data.columns, Task())) - data.scores) ** 2))
        for model in (BiEncoder(start, CPU), BiEncoder(done.folder, CPU))
    )
    assert after < 0.6 * before
    assert "license: apache-2.0" in (tmp_path / "made" / "README.md").read_text("utf-8")
