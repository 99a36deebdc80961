"""Examples are gathered from files, judgements and the corpus without leaks, and a run tells what came of them."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer import paths
from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.models.runtime.device import choose
from explorer.services.finetuning import jobs, presets, run
from explorer.services.finetuning.collect import collect_examples
from explorer.services.finetuning.presets import objective_for, recipe_for, recipes_by_effort
from explorer.services.finetuning.requests import TrainingDraft, free_folder
from explorer.services.finetuning.sources import from_corpus, needed_kind
from explorer.services.finetuning.suggest_pairs import suggest_pairs
from explorer.task import Cancelled, Task
from explorer.training.data.dataset import text_key
from explorer.training.fit.result import Control
from explorer.training.recipe import DataSource, Guard, Recipe
from explorer.workspace.storage.user import words as user_words
from explorer.workspace.workspace import Workspace, open_workspace

WORDS = "the cat dog sat ran on mat under moon bright river stone quick brown fox jumps lazy house green tea".split()
CPU = choose("cpu", threads=1, precision="float32")


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(3, 9)))


def table(path: Path, count: int = 60, *, seed: int = 0, labels: tuple[str, ...] = ()) -> Path:
    """Pairs with the share of words in common as their score, or with labels in turn."""
    chance = random.Random(seed)
    lines = ["sentence1\tsentence2\t" + ("label" if labels else "score")]
    for number in range(count):
        one, two = sentence(chance), sentence(chance)
        same = len({*one.split()} & {*two.split()}) / len({*one.split(), *two.split()})
        lines.append(f"{one}\t{two}\t" + (labels[number % len(labels)] if labels else f"{5 * same:.2f}"))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    table(tmp_path / "pairs.tsv")
    return tmp_path


@pytest.fixture
def workspace(indexed) -> Workspace:
    chance = random.Random(3)
    texts = {
        f"{number}.md": f"# {' '.join(chance.choices(WORDS, k=4))} {number}\n\n"
        + "\n\n".join(". ".join(sentence(chance) for _ in range(12)) for _ in range(3))
        for number in range(12)
    }
    root = indexed(texts)
    with open_workspace(root) as found:
        yield found


def recipe(objective: str = "regression", **changes: object) -> Recipe:
    given: dict[str, object] = {
        "data": (DataSource(path="pairs.tsv", score_range=(0, 5)),),
        "batch": 8,
        "learning_rate": 1e-3,
    }
    return Recipe(objective, **(given | changes))  # type: ignore[arg-type]


def texts_of(examples: object) -> set[str]:
    columns = getattr(examples, "columns", None) or (examples.first, examples.second)  # type: ignore[attr-defined]
    return {text_key(text) for column in columns for text in column}


class TestGather:
    def test_no_text_is_on_two_sides(self, scored):
        found = collect_examples(recipe(), root=scored)
        sides = [texts_of(side) for side in (found.examples, found.dev, found.test)]
        assert all(sides)
        assert sides[0].isdisjoint(sides[1] | sides[2])
        assert sides[1].isdisjoint(sides[2])
        assert sum(each["all"] for each in found.counts.values()) == 60
        assert found.score_range == (0, 5)

    def test_files_of_their_own_hold_what_is_held_out(self, scored):
        rows = (scored / "pairs.tsv").read_text().splitlines()
        (scored / "test.tsv").write_text("\n".join([rows[0], *rows[1:6], "a new cat\ta new dog\t2"]))
        data = (
            DataSource(path="pairs.tsv", score_range=(0, 5)),
            DataSource(path="test.tsv", use="test", score_range=(0, 5)),
        )
        found = collect_examples(recipe(data=data), root=scored)
        assert found.test.kind == "scored"
        assert len(found.test) == 6
        assert not texts_of(found.examples) & texts_of(found.test)
        assert any("5 of" in one and "also in test" in one for one in found.warnings)

    def test_bad_rows_and_doubts_are_told(self, scored):
        with (scored / "pairs.tsv").open("a") as file:
            file.write("the cat\tthe dog\tmany\n")
        found = collect_examples(recipe(), root=scored)
        assert [(row.source, row.line) for row in found.bad_rows] == [("pairs.tsv", 62)]
        assert any("line 62" in one for one in found.warnings)

    def test_a_base_that_cannot_read_the_examples_is_told_with_one_that_can(self, scored):
        rows = "".join(
            f"고양이가 {number}번 창가에서 잔다\t개가 {number}번 마당에서 짖는다\t{number % 5}\n"
            for number in range(60)
        )
        (scored / "pairs.tsv").write_text("sentence1\tsentence2\tscore\n" + rows, "utf-8")
        unread = [
            one for one in collect_examples(recipe(base=catalog.BUNDLED), root=scored).warnings if "Korean" in one
        ]
        assert len(unread) == 1
        assert f"Start from {catalog.DEFAULT}" in unread[0]
        both = collect_examples(recipe(base=""), root=scored)
        assert not any("cannot read" in one for one in both.warnings)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (
                "고양이가 {}번 창가에서 잔다",
                f"Korean, which {catalog.BUNDLED} cannot read. Start from {catalog.DEFAULT},",
            ),
            ("Die Katze schläft zum {}. Mal am Fenster", f"cannot read. Start from {catalog.MULTILINGUAL},"),
            ("बिल्ली {} बार खिड़की पर सोती है", f"are in Hindi, which {catalog.BUNDLED} cannot read."),
        ],
    )
    def test_it_is_told_before_negatives_are_mined(self, tmp_path, monkeypatch, text, told):
        rows = "".join(f"{text.format(number)}\t{text.format(number + 100)}\n" for number in range(60))
        (tmp_path / "pairs.tsv").write_text("sentence1\tsentence2\n" + rows, "utf-8")
        heard: list[str] = []

        def mined(train, *_args, **_options):
            heard.append("mined")
            return train

        monkeypatch.setattr("explorer.training.data.hard_negatives.with_hard_negatives", mined)
        monkeypatch.setattr("explorer.models.bi_encoder.BiEncoder.open", lambda *_: heard.append("opened"))
        data = (DataSource(path="pairs.tsv", negatives=2),)
        asked = recipe("triplet", base=catalog.BUNDLED, data=data)
        found = collect_examples(asked, root=tmp_path, on_warning=heard.append)
        assert [each for each in heard if each in ("opened", "mined")] == heard[1:]
        assert told in heard[0]
        assert found.warnings[0] == heard[0]

    def test_labels_are_counted_on_every_side(self, tmp_path):
        table(tmp_path / "pairs.tsv", labels=("yes", "no"))
        found = collect_examples(recipe("classification", data=(DataSource(path="pairs.tsv"),)), root=tmp_path)
        assert found.labels == ("no", "yes")
        assert found.positive == "yes"
        assert found.counts["train"]["yes"] + found.counts["train"]["no"] == found.counts["train"]["all"]

    def test_labels_become_the_scores_that_the_objective_needs(self, tmp_path):
        table(tmp_path / "pairs.tsv", labels=("entailment", "neutral", "contradiction"))
        found = collect_examples(recipe("ranking", data=(DataSource(path="pairs.tsv"),)), root=tmp_path)
        assert (found.kind, found.examples.kind) == ("labelled", "scored")
        assert set(found.examples.scores) == {0.0, 0.5, 1.0}
        assert found.dev.kind == "scored"

    def test_too_few_groups_hold_nothing_out(self, tmp_path):
        rows = "".join(f"one text\tother {number}\t{number % 5}\n" for number in range(60))
        (tmp_path / "pairs.tsv").write_text("sentence1\tsentence2\tscore\n" + rows)
        found = collect_examples(recipe(), root=tmp_path)
        assert found.dev is None is found.test
        assert any("Nothing is held out" in one for one in found.warnings)

    def test_a_path_out_of_the_folder(self, scored):
        (scored / "inner").mkdir()
        with pytest.raises(DataError, match="not a path inside"):
            collect_examples(recipe(data=(DataSource(path="../pairs.tsv"),)), root=scored / "inner")

    def test_nothing_to_learn_from(self, scored):
        with pytest.raises(DataError, match="nothing to learn from"):
            collect_examples(recipe(data=(DataSource(path="pairs.tsv", use="test"),)), root=scored)

    def test_a_workspace_that_is_not_open(self, scored):
        with pytest.raises(DataError, match="none is open"):
            collect_examples(recipe(data=(DataSource("judgements"),)), root=scored)

    def test_texts_alone_for_distillation(self, scored):
        (scored / "texts.txt").write_text("one text\n\nanother, with a comma\n")
        data = (DataSource(path="texts.txt", kind="texts"),)
        found = collect_examples(recipe("distillation", data=data), root=scored)
        assert found.examples.columns == (("one text", "another, with a comma"),)
        assert found.dev is None

    def test_texts_for_the_guard(self, scored):
        (scored / "texts.csv").write_text("id,body\n1,a long text of some words\n2,and another such text\n")
        data = (*recipe().data, DataSource(path="texts.csv", use="guard"))
        found = collect_examples(recipe(data=data), root=scored)
        assert found.unlabelled == ("a long text of some words", "and another such text")


class TestWorkspace:
    def test_judgements(self, workspace, tmp_path):
        numbers = [entry.id for entry in workspace.documents()]
        for place in range(11):
            value = place % 6
            user_words.add_judgement(
                workspace,
                numbers[place],
                numbers[place + 1],
                value,
                "grade",
                first=f"cat {place}",
                second=f"dog {place}",
            )
        user_words.add_judgement(workspace, numbers[0], numbers[1], 5, "grade", first="cat 0", second="dog 0")
        found = collect_examples(recipe(data=(DataSource("judgements"),)), root=tmp_path, workspace=workspace)
        everything = dict(zip(found.examples.columns[0], found.examples.scores, strict=True))
        assert sum(each["all"] for each in found.counts.values()) == 11
        assert everything.get("cat 0", 1.0) == 1.0  # the later judgement counts

    @pytest.mark.parametrize("kind", ["titles", "neighbours", "dropout"])
    def test_the_corpus(self, workspace, tmp_path, kind):
        given = recipe("contrastive", data=(DataSource("corpus", kind=kind),))
        found = collect_examples(given, root=tmp_path, workspace=workspace)
        assert found.examples.kind == "pairs"
        assert len(found.unlabelled) > 12
        assert (found.dev is None) == (kind == "dropout")  # texts paired with themselves measure nothing
        assert kind == "dropout" or found.dev.kind == "pairs"

    def test_an_unknown_way(self, workspace):
        with pytest.raises(DataError, match="titles, neighbours, dropout"):
            from_corpus(DataSource("corpus", kind="magic"), workspace)

    def test_mined_negatives_are_not_what_is_held_out(self, workspace, tmp_path, bundled_folder):
        data = (DataSource("corpus", kind="neighbours", negatives=1),)
        given = recipe("contrastive", options={"texts": 3}, data=data)
        found = collect_examples(given, root=tmp_path, workspace=workspace, base=bundled_folder, device=CPU)
        assert found.examples.kind == "triplets"
        assert not set(found.examples.columns[2]) & {*found.test.first, *found.test.second}
        with pytest.raises(DataError, match="Mined negatives make triplets"):
            collect_examples(replace(given, options={}), root=tmp_path, workspace=workspace)

    def test_pairs_worth_judging(self, workspace, tiny):
        model = BiEncoder.open(tiny, CPU)
        found = suggest_pairs(workspace, model, count=5)
        assert 1 <= len(found) <= 5
        assert all(one.first_document != one.second_document for one in found)
        first = found[0]
        assert first.first in workspace.text(first.first_document)
        user_words.add_judgement(
            workspace, first.first_document, first.second_document, 4, "grade", first=first.first, second=first.second
        )
        again = {(one.first, one.second) for one in suggest_pairs(workspace, model, count=5)}
        assert (first.first, first.second) not in again


class TestRun:
    def test_a_model_its_card_and_its_measures(self, scored, tiny):
        heard: list[int] = []
        given = recipe(name="better", guard=Guard(share=0.2), steps=6, evaluate_every=3)
        found = collect_examples(given, root=scored)
        done = run.run(given, found, base=tiny, device=CPU, on_step=lambda step, *_: heard.append(step))
        assert heard == [1, 2, 3, 4, 5, 6]
        folder = done.trained.folder.path
        assert folder == paths.models() / "better"
        assert "better" in {entry.name for entry in catalog.entries()}
        assert done.comparison.rows[0].measure == "spearman"
        assert done.comparison.rows[0].count == len(found.test)
        assert [each.measure for each in done.comparison.general][-1] == "summary"
        told = json.loads((folder / run.MEASURES).read_text("utf-8"))
        assert told["counts"]["train"]["all"] == len(found.examples)
        card = (folder / "README.md").read_text("utf-8")
        assert "Measures on test examples" in card
        assert "General ability" in card
        assert free_folder("better") == paths.models() / "better-2"

    def test_a_new_cross_encoder_of_classes_is_compared_with_the_commonest(self, tmp_path, tiny):
        table(tmp_path / "pairs.tsv", labels=("a", "a", "b", "c"))
        given = recipe("cross-classification", data=(DataSource(path="pairs.tsv"),), steps=2, test_share=0.4)
        done = run.run(given, collect_examples(given, root=tmp_path), base=tiny, device=CPU)
        first = done.comparison.rows[0]
        assert first.measure == "accuracy"
        assert first.before.value == pytest.approx(0.5, abs=0.1)

    def test_a_workspace_shows_how_its_documents_neighbours_change(self, workspace, tmp_path, tiny):
        given = recipe("contrastive", data=(DataSource("corpus", kind="dropout"),), steps=2, learning_rate=0.02)
        found = collect_examples(given, root=tmp_path, workspace=workspace)
        done = run.run(given, found, workspace=workspace, base=tiny, device=CPU)
        assert done.documents == tuple(entry.id for entry in workspace.documents())
        assert len(done.comparison.neighbours.kept) == 12
        assert done.sentences[0] == "Nothing was held out, so no gain can be shown."

    def test_a_base_inside_the_recipes_folder_or_of_the_catalog(self, scored):
        found = collect_examples(recipe(base="../elsewhere"), root=scored)
        with pytest.raises(DataError, match="not a path inside"):
            run.run(recipe(base="../elsewhere"), found, device=CPU)

    @pytest.mark.parametrize(
        ("guard", "advised"),
        [
            (Guard(), ["guard of", "average of"]),
            (Guard(share=0.1), ["average of"]),
            (Guard(average=0.7), ["guard of"]),
            (Guard(share=0.1, average=0.7), []),
        ],
    )
    def test_only_what_is_not_in_use_yet_is_advised_against_forgetting(self, guard, advised):
        said = run.remedies(guard)
        assert len(said) == len(advised)
        assert all(words in sentence for words, sentence in zip(advised, said, strict=True))


class TestEffort:
    def test_more_effort_takes_longer(self, scored, tiny, monkeypatch):
        seconds = itertools.count()  # each step takes one, however busy the machine is
        monkeypatch.setattr(presets, "time", SimpleNamespace(perf_counter=lambda: float(next(seconds))))
        given = replace(recipe_for("duplicates", recipe().data, root=scored), batch=8)
        found = collect_examples(given, root=scored)
        levels = recipes_by_effort("duplicates", found)
        assert list(levels) == ["quick", "balanced", "thorough"]
        times = presets.estimates(levels, found, base=tiny, device=CPU)
        assert 0 < times["quick"].seconds < times["balanced"].seconds < times["thorough"].seconds
        assert times["quick"].steps < times["thorough"].steps

    def test_a_model_of_some_size_is_tried_in_a_process_of_its_own(self, scored, tiny, monkeypatch):
        def never(*_, **__):
            raise DataError("{what} is too large", what="it")

        monkeypatch.setattr(presets, "_SMALL", 0)
        monkeypatch.setattr(presets.trainer, "train", never)  # of this process
        found = collect_examples(replace(recipe_for("duplicates", recipe().data, root=scored), batch=8), root=scored)
        assert presets.estimate(found.recipe, found, base=tiny, device=CPU).examples_a_second > 0
        said = []
        monkeypatch.setattr(presets.signal, "signal", lambda *_: None)  # Ctrl+C is for this process still
        presets._answer_time(found.recipe, found, tiny, CPU, SimpleNamespace(send=said.append))
        assert said == ["it is too large"]  # what fails there is a sentence here
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            presets.estimate(found.recipe, found, base=tiny, device=CPU, task=task)
        assert not multiprocessing.active_children()

    @pytest.mark.parametrize(
        ("goal", "kind", "objective"),
        [
            ("search", "pairs", "contrastive"),
            ("search", "triplets", "contrastive"),
            ("duplicates", "scored", "regression"),
            ("duplicates", "labelled", "ranking"),
            ("classification", "labelled", "classification"),
            ("duplicates", "triplets", "triplet"),
            ("language", "pairs", "distillation"),
        ],
    )
    def test_the_objective_of_a_goal(self, goal, kind, objective):
        name, options = objective_for(goal, kind)
        assert name == objective
        assert needed_kind(Recipe(name, options=options)) in (kind, "scored")

    def test_a_language_needs_translations(self):
        with pytest.raises(DataError, match="translations"):
            objective_for("language", "scored")

    def test_a_recipe_of_a_file(self, scored):
        found = recipe_for("search", recipe().data, root=scored, name="mine")
        assert (found.objective, found.name, found.guard.share > 0) == ("regression", "mine", True)


def test_a_training_learns_from_the_examples_that_were_collected_for_its_plan(
    scored: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = TrainingDraft("duplicates", recipe().data, scored, base_folder=tiny, numbers={"batch": 8}, device="cpu")
    plan = jobs.prepare(draft, Task())
    assert plan.collected is not None
    (scored / "pairs.tsv").unlink()
    done = jobs.train(draft.request(plan.recipes["quick"]), Control(), Task(), plan.collected)
    assert len(plan.collected.examples) == plan.counts["train"] > 0
    assert (done.trained.folder.path / "model.safetensors").is_file()
