"""Two models are compared example by example, and what is said of them is so."""

import json
import re
import zlib
from dataclasses import dataclass

import numpy as np
import pytest

from explorer.errors import DataError
from explorer.task import Cancelled, Task
from explorer.training.data.beir import Retrieval
from explorer.training.data.dataset import Dataset
from explorer.training.measure.bootstrap import value_of
from explorer.training.measure.compare_models import BeforeAfter, compare_models, neighbour_change
from explorer.training.measure.evaluate import evaluate, example_results
from explorer.training.measure.general_benchmark import measure_general, read_general

WORDS = [f"word{number}" for number in range(150)]


@dataclass
class Vectors:
    vectors: np.ndarray

    def whole(self):
        return self.vectors


class WordCounter:
    """Texts to counts of their words, hashed and blurred; the same text has the same blur."""

    def __init__(self, blur=0.0, seed=0):
        self.blur, self.seed = blur, seed

    def encode(self, texts, *, role=None, task):  # noqa: ARG002
        task.check()
        return Vectors(np.stack([self.vector(text) for text in texts]))

    def vector(self, text):
        random = np.random.default_rng([self.seed, zlib.crc32(text.encode())])
        vector = self.blur * random.normal(size=1024)
        for word in re.findall(r"\w{4,}", text.lower()):
            vector[zlib.crc32(word.encode()) % 1024] += 1
        return vector.astype(np.float32)


@dataclass
class Answer:
    logits: np.ndarray

    def whole(self):
        return self.logits

    def relevance(self):
        return self.probabilities()[:, -1]

    def probabilities(self):
        if self.logits.shape[1] == 1:
            return 0.5 * (1 + np.tanh(0.5 * self.logits))
        powers = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


class Overlap:
    """Pairs to how many words they share, blurred, as a score or as rising labels."""

    def __init__(self, labels=("score",), blur=0.0, seed=0):
        self.labels, self.blur, self.seed = tuple(labels), blur, seed

    def score(self, pairs, *, task):
        task.check()
        return Answer(np.stack([self.logits(*pair) for pair in pairs]).astype(np.float32))

    def logits(self, first, second):
        random = np.random.default_rng([self.seed, zlib.crc32(f"{first}|{second}".encode())])
        a, b = set(first.split()), set(second.split())
        share = 6 * len(a & b) / len(a | b) - 3 + self.blur * random.normal()
        steps = np.linspace(-3, 3, len(self.labels)) if len(self.labels) > 1 else np.array([share])
        return -((steps - share) ** 2) / 2 if len(self.labels) > 1 else steps


def sentence(random, kept=()):
    return " ".join([*kept, *random.choice(WORDS, 6 - len(kept), replace=False)])


def pairs(count=150):
    """Pairs of which the second keeps 0 to 5 words of the first."""
    random = np.random.default_rng(5)
    first = [sentence(random) for _ in range(count)]
    scores = [place % 6 for place in range(count)]
    second = [sentence(random, text.split()[:score]) for text, score in zip(first, scores, strict=True)]
    return tuple(first), tuple(second), scores


def scored():
    first, second, scores = pairs()
    return Dataset.scored(first, second, tuple(map(float, scores)), 0.0, 5.0)


def labelled(names):
    first, second, scores = pairs()
    return Dataset.labelled(first, second, tuple(score * len(names) // 6 for score in scores), tuple(names))


def triplets():
    random = np.random.default_rng(6)
    anchors = [sentence(random) for _ in range(80)]
    near, far = ([sentence(random, text.split()[:kept]) for text in anchors] for kept in (3, 2))
    return Dataset.triplets(tuple(anchors), tuple(near), tuple(far))


def retrieval():
    random = np.random.default_rng(7)
    first = [sentence(random) for _ in range(40)]
    second = [sentence(random, text.split()[:2]) for text in first]
    corpus = {f"d{place:02}": text for place, text in enumerate(second)}
    queries = {f"q{place:02}": text for place, text in enumerate(first)}
    relevant = {f"q{place:02}": {f"d{place:02}": 2, "d00": 0} for place in range(1, 40)}  # q00 has none
    return Retrieval(corpus, queries, relevant | {"q00": {"d00": 0}})


CASES = {
    "scored": (scored, WordCounter(0.1)),
    "scored-cross": (scored, Overlap(blur=2)),
    "two-labels": (lambda: labelled(("0", "1")), WordCounter(0.1)),
    "two-labels-cross": (lambda: labelled(("0", "1")), Overlap(blur=2)),
    "nli": (lambda: labelled(("contradiction", "neutral", "entailment")), WordCounter(0.1)),
    "nli-cross": (
        lambda: labelled(("contradiction", "neutral", "entailment")),
        Overlap(("contradiction", "neutral", "entailment"), blur=2),
    ),
    "other-labels": (lambda: labelled(("a", "b", "c")), WordCounter(0.1)),
    "triplets": (triplets, WordCounter(0.1)),
    "triplets-cross": (triplets, Overlap(blur=2)),
    "retrieval": (retrieval, WordCounter(0.1)),
    "retrieval-cross": (retrieval, Overlap(blur=0.6)),
}


@pytest.mark.parametrize("case", CASES)
def test_the_measures_are_those_of_evaluate(case):
    make, model = CASES[case]
    data, retriever = make(), WordCounter() if case == "retrieval-cross" else None
    wanted = evaluate(data, model, Task(), retriever=retriever)
    found = example_results(data, model, Task(), retriever=retriever)
    values = {name: value_of(statistic, len(found)) for name, statistic in found.statistics.items()}
    measures = {name: value for name, value in wanted.measures.items() if "threshold" not in name}
    assert len(found) == wanted.count
    assert list(values) == list(measures)
    assert values == pytest.approx(measures)
    assert 0.3 < next(iter(values.values())) < 1  # neither model is perfect, so that a mistake would show


@pytest.mark.parametrize("case", CASES)
def test_gains_and_losses_are_told_apart(case):
    make, _ = CASES[case]
    data = make()
    if case.endswith("cross"):
        labels = data.names if case == "nli-cross" else ("score",)
        good, poor = Overlap(labels), Overlap(labels, blur=30, seed=2)
    else:
        good, poor = WordCounter(), WordCounter(1, seed=2)
    options = {"retriever": WordCounter()} if case == "retrieval-cross" else {}
    up, down = compare_models(poor, good, data, **options), compare_models(good, poor, data, **options)
    assert (up.rows[0].verdict, down.rows[0].verdict) == ("gain", "loss")
    assert up.rows[0].difference.value == pytest.approx(-down.rows[0].difference.value)
    assert {row.verdict for row in compare_models(good, good, data, **options).rows} == {"noise"}
    if case == "other-labels":
        assert not up.best  # which way such labels point is not known
        return
    assert up.best[0].change == max(example.change for example in up.best) > 0
    assert down.worst[0].change == min(example.change for example in down.worst) < 0
    assert [example.change for example in up.best] == pytest.approx([-one.change for one in down.worst])


def test_an_example_shows_its_texts_and_what_was_said():
    data = scored()
    found = compare_models(WordCounter(1), WordCounter(), data)
    for example in (*found.best, *found.worst):
        assert example.texts == (data.first[example.place], data.second[example.place])
        assert float(example.gold) == data.scores[example.place]
        assert -1 <= example.before <= 1
    asked = retrieval()
    example = compare_models(WordCounter(1), WordCounter(), asked).best[0]
    key = f"{example.place + 1:02}"  # the query without an answer is left out
    assert example.texts == (asked.queries["q" + key], asked.corpus["d" + key])
    named = compare_models(WordCounter(1), WordCounter(), labelled(("0", "1"))).best[0]
    assert named.gold == str(int(scored().scores[named.place] >= 3))


class Table:
    """A cross-encoder that says what it was told to say of the texts "0", "1", ..."""

    labels = ("score",)

    def __init__(self, said):
        self.said = said

    def score(self, pairs, *, task):
        task.check()
        return Answer(np.array([[self.said[int(first)]] for first, _ in pairs]))


def test_too_high_and_too_low_are_both_wrong():
    gold = np.linspace(0, 5, 12)
    names = tuple(map(str, range(12)))
    wrong = gold.copy()
    wrong[[2, 9]] = gold[[9, 2]]  # the one is put far too high, the other far too low
    found = compare_models(Table(wrong), Table(gold), Dataset.scored(names, names, tuple(gold), 0.0, 5.0))
    assert {example.place for example in found.best} == {2, 9}
    assert [example.change for example in found.best] == pytest.approx([7 / 12, 7 / 12])
    assert not found.worst


def test_pairs_alone_are_compared_by_who_finds_whom():
    first = ("kitten slept softly", "horses galloped away", "coffee brews slowly")
    pairs = Dataset.pairs(first, ("the kitten slept", "the horses galloped", "slowly, coffee"))
    found = compare_models(WordCounter(), WordCounter(), pairs)
    assert [(row.measure, row.before.value) for row in found.rows] == [("matched", 1.0)]
    strangers = Dataset.pairs(first, tuple(reversed(first)))
    assert compare_models(WordCounter(), WordCounter(), strangers).rows[0].after.value == pytest.approx(1 / 3)


def test_queries_without_answers_are_refused():
    with pytest.raises(DataError, match="relevant"):
        compare_models(WordCounter(), WordCounter(), Retrieval({"d": "a"}, {"q": "a"}, {"q": {"d": 0}}))


def test_neighbours_that_stay_and_that_move():
    random = np.random.default_rng(0)
    before = random.normal(size=(60, 16)).astype(np.float32)
    turn = np.linalg.qr(random.normal(size=(16, 16)))[0].astype(np.float32)
    still = neighbour_change(before, 3 * before @ turn)  # another basis and length, the same cosines
    assert (still.changed, still.most_changed, still.depth) == (0, (), 10)
    after = before.copy()
    after[7] = -after[7]
    one = neighbour_change(before, after)
    assert one.most_changed[0] == 7
    assert one.kept[7] == min(one.kept) <= 0.2
    assert 0 < one.changed < 0.3
    assert neighbour_change(before, random.normal(size=(60, 8))).changed > 0.6


def test_neighbours_of_few_texts():
    assert neighbour_change(np.ones((1, 4)), np.ones((1, 4))).changed == 0
    assert neighbour_change(np.eye(3), np.eye(3)[::-1].copy()).depth == 2
    with pytest.raises(ValueError, match="3 vectors"):
        neighbour_change(np.eye(3), np.eye(4))


def test_the_texts_of_a_corpus_show_what_moved():
    texts = list(dict.fromkeys(pairs()[0]))
    found = compare_models(WordCounter(), WordCounter(0.1), scored(), texts=texts)
    assert len(found.neighbours.kept) == len(texts)
    assert 0.05 < found.neighbours.changed < 0.9
    assert f"{found.neighbours.changed:.0%}" in found.sentences[-1]
    assert compare_models(Overlap(), Overlap(), scored(), texts=texts).neighbours is None


def test_a_ruined_general_ability_is_said_as_plainly_as_a_gain():
    base, ruined = WordCounter(), WordCounter(2, seed=3)
    parts = read_general()
    found = compare_models(base, ruined, scored(), parts)
    assert [change.measure for change in found.general] == [*(part.name for part in parts), "summary"]
    assert found.general[-1].verdict == "loss"
    assert found.share_kept.value < 0.9
    said = " ".join(found.sentences)
    assert "sentences" in said
    assert "guard" in said
    again = compare_models(base, ruined, scored(), measure_general(base))
    assert again == found  # measured beforehand or now
    kept = compare_models(base, base, scored(), parts)
    assert kept.share_kept.value == 1
    assert "guard" not in " ".join(kept.sentences)


def test_all_of_it_is_plain_data():
    found = compare_models(WordCounter(1), WordCounter(), scored(), read_general(), texts=pairs()[0])
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["rows"][0]["measure"] == "spearman"
    assert plain["rows"][0]["verdict"] == found.rows[0].verdict
    assert plain["sentences"] == list(found.sentences)
    assert isinstance(found, BeforeAfter)


def test_it_can_be_cancelled():
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        compare_models(WordCounter(), WordCounter(), scored(), task=task)


@pytest.mark.bundled
def test_noise_in_the_weights_of_the_bundled_model_is_found(bundled, bundled_folder):
    import torch

    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import choose

    harmed = BiEncoder.open(bundled_folder, choose("cpu", precision="float32"))
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for value in harmed.network.parameters():
            value.add_(value.std(correction=0) * 0.8 * torch.randn(value.shape, generator=random))
    sentences, _, searched, *_ = read_general()
    first, second, scores = (
        column[:120] for column in (sentences.data.first, sentences.data.second, sentences.data.scores)
    )
    found = compare_models(bundled, harmed, Dataset.scored(first, second, scores, 0.0, 5.0), [searched])
    assert found.rows[0].verdict == "loss"
    assert found.general[-1].verdict == "loss"
    assert found.share_kept.high < 0.95
