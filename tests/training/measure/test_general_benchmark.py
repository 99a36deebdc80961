"""The set that ships is sound, and what a training ruins is seen in it."""

import json
import shutil
from dataclasses import dataclass

import numpy as np
import pytest

from explorer import paths
from explorer.errors import DataError
from explorer.task import Cancelled, Task
from explorer.training.measure.general_benchmark import compare_general, measure_general, read_general, share_kept


@dataclass
class Answer:
    logits: np.ndarray

    def whole(self):
        return self.logits

    def relevance(self):
        return 1 / (1 + np.exp(-self.logits[:, 0]))


class Judge:
    """A cross-encoder that knows people's scores, blurred; Korean only if it reads it."""

    labels = ("score",)

    def __init__(self, blur=0.0, *, korean=True, seed=0):
        self.blur, self.korean, self.random, self.asked = blur, korean, np.random.default_rng(seed), 0
        self.gold = {}
        for part in read_general():
            if part.name == "retrieval":
                self.gold |= {(part.data.queries[q], part.data.corpus[p]): 5 for q, (p,) in part.data.relevant.items()}
            elif part.name == "opposites":
                self.gold = dict.fromkeys(zip(*part.data.columns[:2], strict=True), 5) | self.gold
            else:
                self.gold |= dict(
                    zip(zip(part.data.first, part.data.second, strict=True), part.data.scores, strict=True)
                )

    def score(self, pairs, *, task):
        task.check()
        self.asked += len(pairs)
        known = np.array([self.gold.get(pair, 0.0) for pair in pairs])
        if not self.korean:
            known = np.where([any("가" <= letter <= "힣" for letter in a) for a, _ in pairs], 0.0, known)
        return Answer((known + self.random.normal(scale=self.blur, size=len(pairs)))[:, None])


def rows(name):
    with (paths.resources() / "general" / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_it_is_as_large_as_it_says():
    sizes = {part.name: len(part.data) for part in read_general()}
    assert list(sizes) == ["sentences", "documents", "retrieval", "korean", "opposites"]
    assert sizes["sentences"] >= 300
    assert sizes["documents"] >= 100
    assert sizes["retrieval"] >= 60
    assert sizes["korean"] >= 80
    assert sizes["opposites"] >= 50
    assert all(len(part.groups) == len(part.data) for part in read_general())
    counts = {line.split("`")[1]: line.split("|")[3].strip() for line in _readme() if line.startswith("| `")}
    assert {name: str(len(rows(name))) for name in counts} == counts


def _columns(triplets):
    return triplets.columns


def _readme():
    return (paths.resources() / "general" / "README.md").read_text(encoding="utf-8").splitlines()


def test_opposites_are_a_part_of_their_own():
    sentences, *_, opposites = read_general()
    kinds = [row["kind"] for row in rows("sentences.jsonl")]
    turned = sum(kind in {"negation", "role"} for kind in kinds)
    assert (len(sentences.data), len(opposites.data)) == (len(kinds) - turned, turned)
    pairs = set(zip(sentences.data.first, sentences.data.second, strict=True))
    for anchor, same, opposite in zip(*_columns(opposites.data), strict=True):
        assert {(anchor, same), (same, anchor)} & pairs
        assert not {(anchor, opposite), (opposite, anchor)} & pairs


@pytest.mark.parametrize("name", ["sentences.jsonl", "korean.jsonl", "document_pairs.jsonl"])
def test_scores_are_half_points_and_no_pair_comes_twice(name):
    found = rows(name)
    assert all(0 <= row["score"] <= 5 and (2 * row["score"]) % 1 == 0 for row in found)
    assert len({frozenset((row["first"], row["second"])) for row in found}) == len(found)
    assert all(row["first"] != row["second"] for row in found)
    grades = {round(row["score"]) for row in found}
    assert grades == {0, 1, 2, 3, 4, 5} - ({3, 5} if name == "document_pairs.jsonl" else set())


def test_the_kinds_of_pairs_are_scored_alike():
    wanted = {
        "paraphrase": (4.5, 5),
        "less": (3.5, 4),
        "detail": (1.5, 4),
        "number": (3, 3.5),
        "topic": (0.5, 2),
        "unrelated": (0, 0.5),
        "strangers": (0, 1),
        "negation": (2, 2.5),
        "role": (2, 2.5),
    }
    for row in rows("sentences.jsonl") + rows("korean.jsonl"):
        low, high = wanted[row["kind"]]
        assert low <= row["score"] <= high, row


def test_documents_are_whole_reports():
    lengths = [len(row["text"].split()) for row in rows("documents.jsonl")]
    assert min(lengths) >= 80
    assert max(lengths) <= 200


def test_candidates_hold_the_answer_and_its_twin():
    for row in rows("queries.jsonl"):
        number = int(row["passage"][1:]) - 1
        assert {row["passage"], f"p{(number ^ 1) + 1:02}"} <= set(row["candidates"])
        assert len(set(row["candidates"])) == 6


def test_a_missing_or_broken_file_is_said(tmp_path):
    with pytest.raises(DataError, match="general ability"):
        read_general(tmp_path)
    folder = shutil.copytree(paths.resources() / "general", tmp_path / "general")
    (folder / "korean.jsonl").write_text('{"first": "하나"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="Install"):
        read_general(folder)


def test_who_knows_all_has_all():
    judge = Judge()
    found = measure_general(judge)
    assert found.summary == pytest.approx(1, abs=1e-6)
    assert set(found.values) == {"sentences", "documents", "retrieval", "korean", "opposites"}
    assert judge.asked < 1500  # a cross-encoder sees candidates, not every passage for every query


def test_korean_counts_only_for_who_reads_it():
    reads, deaf = measure_general(Judge(0.5)), measure_general(Judge(0.5, korean=False))
    counted = [{part.part.name for part in found.parts if part.counted} for found in (reads, deaf)]
    assert counted[0] - counted[1] == {"korean"}
    assert "opposites" not in counted[0]
    assert deaf.summary > 0.8
    assert share_kept(deaf, reads) == pytest.approx(1, abs=0.05)
    assert share_kept(reads, deaf) < 0.85


def test_the_summary_is_the_mean_of_what_counts():
    found = measure_general(Judge(2.0, korean=False))
    values = found.values
    assert found.summary == pytest.approx(np.mean([values[name] for name in ("sentences", "documents", "retrieval")]))


def test_a_loss_is_called_a_loss():
    good, poor = measure_general(Judge(0.5)), measure_general(Judge(3.0, seed=1))
    changes, share = compare_general(good, poor)
    verdicts = {change.measure: change.verdict for change in changes}
    assert list(verdicts)[-1] == "summary"
    assert verdicts["sentences"] == verdicts["documents"] == verdicts["summary"] == "loss"
    assert share.low < share.value < share.high < 0.95
    assert share.value == pytest.approx(share_kept(good, poor))
    assert {change.verdict for change in compare_general(poor, good)[0]} >= {"gain"}


def test_the_same_model_keeps_all():
    found = measure_general(Judge(1.0))
    changes, share = compare_general(found, found)
    assert {change.verdict for change in changes} == {"noise"}
    assert (share.low, share.value, share.high) == (1, 1, 1)


def test_there_is_nothing_to_keep_where_there_was_nothing():
    nothing = measure_general(Judge(100))
    assert nothing.summary < 0.3
    assert share_kept(nothing, measure_general(Judge())) is None
    assert compare_general(nothing, nothing)[1] is None


def test_parts_that_do_not_count_make_no_summary():
    found = measure_general(Judge(), parts=[part for part in read_general() if part.name == "opposites"])
    assert found.summary == 0
    changes, share = compare_general(found, found)
    assert [change.measure for change in changes] == ["opposites"]
    assert share is None


def test_it_can_be_cancelled():
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        measure_general(Judge(), task)


@pytest.mark.bundled
def test_the_bundled_model_agrees_with_people_but_reads_no_korean(bundled):
    found = measure_general(bundled)
    assert 0.75 < found.values["sentences"] < 0.9
    assert 0.8 < found.values["documents"] < 0.95
    assert 0.9 < found.values["retrieval"] < 0.99
    assert found.values["korean"] < 0.4
    assert {part.part.name for part in found.parts if part.counted} == {"sentences", "documents", "retrieval"}
