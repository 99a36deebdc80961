"""Models are measured as the method says, with honest little models in place of large ones."""

import json
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from explorer.corpus.readers.tables.data_table import RowProblem
from explorer.errors import DataError
from explorer.task import Cancelled, Task
from explorer.training.data.beir import Retrieval
from explorer.training.data.dataset import Dataset
from explorer.training.data.examples import read_examples
from explorer.training.measure.evaluate import evaluate
from explorer.training.measure.similarity import rank_documents

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


@dataclass
class Vectors:
    vectors: np.ndarray
    complete: bool = True

    def whole(self):
        if not self.complete:
            raise Cancelled
        return self.vectors


class WordCounter:
    """Texts to counts of their words, hashed; longer texts have longer vectors."""

    def __init__(self, width=512):
        self.width = width
        self.asked = []

    def encode(self, texts, *, role=None, task):
        self.asked.append((role, list(texts)))
        vectors = np.zeros((len(texts), self.width), dtype=np.float32)
        for row, text in enumerate(texts):
            if task.cancelled:
                return Vectors(vectors[:row], complete=False)
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.encode()) % self.width] += 1
        return Vectors(vectors)


@dataclass
class Overlaps:
    logits: np.ndarray

    def whole(self):
        return self.logits

    def relevance(self):
        if self.logits.shape[1] == 1:
            return 1 / (1 + np.exp(-self.logits[:, 0]))
        return self.probabilities()[:, -1]

    def probabilities(self):
        powers = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


class WordOverlap:
    """Pairs to how many of their words they share, as a score or as k labels of rising overlap."""

    def __init__(self, labels=("score",), scale=6.0):
        self.labels = tuple(labels)
        self.scale = scale
        self.asked = []

    def score(self, pairs, *, task):
        task.check()
        self.asked += pairs
        share = np.array([self._share(*pair) for pair in pairs], dtype=np.float32)[:, None]
        if len(self.labels) == 1:
            return Overlaps(self.scale * (share - 0.5))
        steps = np.linspace(0, 1, len(self.labels), dtype=np.float32)
        return Overlaps(-self.scale * np.abs(share - steps))

    @staticmethod
    def _share(first, second):
        a, b = set(first.split()), set(second.split())
        return len(a & b) / max(1, len(a | b))


@pytest.fixture
def task():
    return Task()


PAIRS = replace(
    Dataset.scored(
        ("a b c d", "a b c d", "a b c d", "a b c d"),
        ("a b c d", "a b c x", "a b y z", "w x y z"),
        (5.0, 4.0, 2.0, 0.0),
        0.0,
        5.0,
    ),
    problems=(RowProblem(7, "has no score"),),
)
YES_NO = Dataset.labelled(PAIRS.first, PAIRS.second, (1, 1, 0, 0), ("0", "1"))


class TestScored:
    def test_bi_encoder(self, task):
        result = evaluate(PAIRS, WordCounter(), task)
        assert (result.data_kind, result.model_kind, result.count) == ("scored", "bi", 4)
        assert list(result.measures) == ["spearman", "pearson", "spearman_euclidean"]
        assert result.measures["spearman"] == pytest.approx(1)
        expected = stats.pearsonr([1, 0.75, 0.5, 0], PAIRS.scores).statistic
        assert result.measures["pearson"] == pytest.approx(expected)
        assert result.measures["spearman_euclidean"] == pytest.approx(1)
        assert result.problems == PAIRS.problems

    def test_cosine_does_not_see_length(self, task):
        data = Dataset.scored(("a b", "a b"), ("a b " * 9, "a c"), (5.0, 1.0), 0.0, 5.0)
        result = evaluate(data, WordCounter(), task)
        assert result.measures["spearman"] == pytest.approx(1)
        assert result.measures["spearman_euclidean"] == pytest.approx(-1)

    def test_cross_encoder(self, task):
        result = evaluate(PAIRS, WordOverlap(), task)
        assert result.model_kind == "cross"
        assert list(result.measures) == ["spearman", "pearson"]
        assert result.measures["spearman"] == pytest.approx(1)

    def test_order_is_kept_where_the_score_saturates(self, task):
        model = WordOverlap(scale=170)
        value = model.score(list(zip(PAIRS.first, PAIRS.second, strict=True)), task=task).relevance()
        assert value[0] == value[1] == 1
        result = evaluate(PAIRS, model, task)
        assert result.measures["spearman"] == pytest.approx(1)

    def test_the_same_text_is_encoded_once(self, task):
        model, cross = WordCounter(), WordOverlap()
        evaluate(PAIRS, model, task)
        assert model.asked == [(None, ["a b c d", "a b c x", "a b y z", "w x y z"])]
        evaluate(Dataset.scored(("a", "b", "a"), ("c", "d", "c"), (1.0, 2.0, 3.0), 0.0, 5.0), cross, task)
        assert cross.asked == [("a", "c"), ("b", "d")]

    def test_empty_text_and_constant_scores(self, task):
        data = Dataset.scored(("", "a"), ("a", "a"), (1.0, 1.0), 0.0, 5.0)
        assert evaluate(data, WordCounter(), task).measures["spearman"] == 0.0

    def test_as_dict_is_json(self, task):
        found = json.loads(json.dumps(evaluate(PAIRS, WordCounter(), task).as_dict()))
        assert found["problems"] == [{"line": 7, "reason": "has no score"}]
        assert found["measures"]["spearman"] == pytest.approx(1)


class TestLabelled:
    @pytest.mark.parametrize("model", [WordCounter(), WordOverlap()])
    def test_two_labels_against_a_similarity(self, task, model):
        result = evaluate(YES_NO, model, task)
        names = ["average_precision", "auc", "best_accuracy", "best_accuracy_threshold", "best_f1"]
        assert list(result.measures) == [*names, "best_f1_threshold"]
        assert result.measures["auc"] == result.measures["best_accuracy"] == result.measures["best_f1"] == 1
        assert result.measures["average_precision"] == pytest.approx(1)

    def test_the_positive_label_can_be_given(self, task):
        assert evaluate(YES_NO, WordCounter(), task, positive="0").measures["auc"] == 0
        with pytest.raises(DataError, match=r"no label 2.*0, 1"):
            evaluate(YES_NO, WordCounter(), task, positive="2")

    @pytest.mark.parametrize("names", [("no", "YES"), ("different", "Paraphrase"), ("-1", "1")])
    def test_the_positive_label_is_known_by_its_name(self, task, names):
        data = Dataset.labelled(YES_NO.first, YES_NO.second, YES_NO.classes, names)
        assert evaluate(data, WordCounter(), task).measures["auc"] == 1

    def test_labels_that_cannot_be_measured(self, task):
        model = WordCounter()
        with pytest.raises(DataError, match="apples, pears"):
            evaluate(Dataset.labelled(YES_NO.first, YES_NO.second, YES_NO.classes, ("apples", "pears")), model, task)
        with pytest.raises(DataError, match="All pairs have the label 1"):
            evaluate(Dataset.labelled(("a",), ("b",), (0,), ("1",)), model, task)
        assert model.asked == []

    def test_nli_is_ordered_for_a_bi_encoder(self, task):
        names = ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")
        data = Dataset.labelled(PAIRS.first, PAIRS.second, (1, 1, 2, 0), names)
        expected = stats.spearmanr([1, 0.75, 0.5, 0], [2, 2, 1, 0]).statistic
        assert evaluate(data, WordCounter(), task).measures == pytest.approx({"spearman": expected})

    def test_other_labels_one_against_the_rest(self, task):
        data = Dataset.labelled(PAIRS.first, PAIRS.second, (0, 1, 1, 2), ("x", "y", "z"))
        # x and z stand at the ends and are told apart; y stands between them.
        assert evaluate(data, WordCounter(), task).measures == pytest.approx({"auc_one_vs_rest": (1 + 0.5 + 1) / 3})
        assert evaluate(data, WordCounter(), task, positive="x").measures["auc"] == 1

    def test_cross_encoder_with_labels(self, task):
        data = Dataset.labelled(PAIRS.first, PAIRS.second, (1, 2, 2, 0), ("Contradiction", "ENTAILMENT", "neutral"))
        model = WordOverlap(("contradiction", "neutral", "entailment"))
        result = evaluate(data, model, task)
        # Overlaps 1, 3/5, 1/3, 0 are nearest to the steps 1, 0.5, 0.5, 0.
        assert result.measures == pytest.approx({"accuracy": 1, "macro_f1": 1})

    def test_labels_without_names(self, task):
        result = evaluate(YES_NO, WordOverlap(("LABEL_0", "LABEL_1")), task)
        assert list(result.measures) == ["accuracy", "macro_f1"]

    def test_labels_the_model_does_not_know(self, task):
        with pytest.raises(DataError, match=r"knows the labels contradiction, .* the data have 0, 1"):
            evaluate(YES_NO, WordOverlap(("contradiction", "neutral", "entailment")), task)


class TestTriplets:
    DATA = Dataset.triplets(("a b", "a b", "a b"), ("a b", "a c", "x y"), ("x y", "a c", "a b"))

    def test_bi_encoder(self, task):
        result = evaluate(self.DATA, WordCounter(), task)
        assert result.measures == pytest.approx({"accuracy": 1 / 3, "accuracy_cosine": 1 / 3})
        assert (result.data_kind, result.count) == ("triplets", 3)

    def test_cross_encoder(self, task):
        assert evaluate(self.DATA, WordOverlap(), task).measures == pytest.approx({"accuracy": 1 / 3})


class TestRetrieval:
    DATA = Retrieval(
        {"d3": "red fox runs", "d1": "blue whale", "d2": "red fox", "d4": "green tea", "d0": "blue whale"},
        {"q1": "red fox", "q2": "blue whale", "q3": "nobody judged this"},
        {"q1": {"d2": 2, "d3": 1}, "q2": {"d1": 1}},
    )

    def test_bi_encoder(self, task):
        result = evaluate(self.DATA, WordCounter(), task)
        assert result.count == 2
        # q1 is in order; q2's document comes second, after the one of the same text and an earlier id.
        assert result.measures["ndcg@10"] == pytest.approx((1 + 1 / np.log2(3)) / 2)
        assert result.measures["mrr@10"] == pytest.approx(0.75)
        assert result.measures["recall@100"] == 1

    def test_roles_and_repeated_texts(self, task):
        model = WordCounter()
        evaluate(self.DATA, model, task)
        assert [role for role, _ in model.asked] == ["document", "query"]
        assert len(model.asked[0][1]) == 4

    def test_cross_encoder_reranks(self, task):
        with pytest.raises(DataError, match="bi-encoder as retriever"):
            evaluate(self.DATA, WordOverlap(), task)
        model = WordOverlap()
        result = evaluate(self.DATA, model, task, retriever=WordCounter(width=1))  # which finds all alike
        assert result.model_kind == "cross"
        assert result.measures["mrr@10"] == pytest.approx(0.75)
        assert len(model.asked) == 2 * 4

    def test_ranking_is_exact_and_ties_go_by_id(self, task, monkeypatch):
        random = np.random.default_rng(1)
        words = [f"w{n}" for n in range(12)]
        corpus = {f"d{n:03}": " ".join(random.choice(words, 3)) for n in range(300)}
        queries = {f"q{n}": " ".join(random.choice(words, 4)) for n in range(7)}
        monkeypatch.setattr("explorer.training.measure.similarity._BLOCK", 700)  # two queries a block
        model, found = WordCounter(), rank_documents(corpus, queries, WordCounter(), task, depth=50)
        for query, text in queries.items():
            asked, documents = (model.encode(t, task=task).whole() for t in ([text], list(corpus.values())))
            lengths = np.linalg.norm(asked) * np.linalg.norm(documents, axis=1)
            cosines = np.round((documents @ asked[0]) / lengths, 5)
            expected = sorted(zip(-cosines, corpus, strict=True))[:50]
            assert found[query] == [key for _, key in expected]

    def test_no_judgements(self, task):
        with pytest.raises(DataError, match="No query has a relevant document"):
            evaluate(Retrieval({"d": "x"}, {"q": "y"}, {"q": {"d": 0}}), WordCounter(), task)


class TestTask:
    @pytest.mark.parametrize("data", [PAIRS, YES_NO, TestTriplets.DATA, TestRetrieval.DATA])
    def test_cancel(self, data):
        task = Task()
        task.cancel()
        with pytest.raises(Cancelled):
            evaluate(data, WordCounter(), task)

    def test_cancel_half_way(self):
        task = Task()

        class Slow(WordCounter):
            def encode(self, texts, *, role=None, task):
                task.cancel()
                return super().encode(texts, role=role, task=task)

        with pytest.raises(Cancelled):
            evaluate(PAIRS, Slow(), task)

    def test_search_reports_progress(self):
        seen = []
        evaluate(TestRetrieval.DATA, WordCounter(), Task(seen.append))
        assert (seen[-1].done, seen[-1].total, seen[-1].note) == (2, 2, "Searching")


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the data sets are not beside the project (../shared/data)")
class TestRealData:
    def test_words_alone_say_something_of_sts(self, task):
        data = read_examples(DATA / "stsb_en" / "stsb-en-dev.csv")
        result = evaluate(data, WordCounter(4096), task)
        assert 0.5 < result.measures["spearman"] < 0.8

    def test_words_alone_find_some_passages(self, task):
        data = read_examples(DATA / "msmarco_mini")
        bi = evaluate(data, WordCounter(4096), task)
        assert bi.count == 43  # of 50 queries; the others were not judged
        assert 0.1 < bi.measures["ndcg@10"] < 0.9
        cross = evaluate(data, WordOverlap(), task, retriever=WordCounter(4096))
        assert cross.measures["recall@100"] == pytest.approx(bi.measures["recall@100"])
