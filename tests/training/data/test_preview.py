"""A file is shown as it was understood, and read as a person wants it instead."""

import json

import pytest

from explorer.errors import DataError
from explorer.training.data.preview import LabelCount, TableReading, likely_range, look
from tests.training.data.training_files import read_training_set


def write(folder, text, name="a.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def table(header, rows):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)])


def pairs(count, value):
    return [(f"first {n}", f"second {n}", value(n)) for n in range(count)]


def test_scores_are_shown(tmp_path):
    rows = pairs(60, lambda n: n % 6)
    shown = look(write(tmp_path, table("sentence1,sentence2,score", rows) + "\nx,y,oops"))
    assert shown.columns == ("sentence1", "sentence2", "score")
    assert shown.roles == {"first": "sentence1", "second": "sentence2", "score": "score"}
    assert (shown.kind, shown.kinds) == ("scored", ("scored", "labelled", "pairs"))
    assert (shown.rows, shown.score_range) == (61, (0, 5))
    assert shown.score_counts == (10, 0, 10, 0, 10, 0, 10, 0, 10, 10)
    assert shown.first_rows[1] == ("first 1", "second 1", "1")
    assert [problem.line for problem in shown.problems] == [62]
    assert [remark.kind for remark in shown.remarks] == ["bad rows"]
    assert shown.examples is not None
    assert shown.examples.scores[:3] == (0, 0.2, 0.4)


def test_labels_are_shown_with_their_balance(tmp_path):
    path = write(tmp_path, table("premise,hypothesis,label", pairs(60, lambda n: "yes" if n % 3 else "no")))
    shown = look(path)
    assert shown.labels == (LabelCount("no", 20, 20 / 60), LabelCount("yes", 40, 40 / 60))
    assert (shown.kind, shown.positive) == ("labelled", "yes")


def test_unknown_columns_are_shown_for_a_person_to_choose(tmp_path):
    path = write(tmp_path, table("left,right,rating", pairs(60, lambda n: n % 6)))
    shown = look(path)
    assert (shown.columns, shown.kind, shown.examples) == (("left", "right", "rating"), None, None)
    assert "Name the columns" in shown.trouble
    assert len(shown.first_rows) == 20
    with pytest.raises(DataError, match="Name the columns"):
        read_training_set(path)
    chosen = TableReading(columns={"first": "left", "second": "right", "score": "rating"})
    shown = look(path, chosen)
    assert (shown.kind, shown.trouble) == ("scored", "")
    assert len(read_training_set(path, chosen)) == 60


def test_the_range_and_its_direction_can_be_changed(tmp_path):
    path = write(tmp_path, table("sentence1,sentence2,score", pairs(4, lambda n: n)))
    assert read_training_set(path).scores == (0, 0.2, 0.4, 0.6)
    assert read_training_set(path, TableReading(score_range=(0, 4))).scores == (0, 0.25, 0.5, 0.75)
    assert read_training_set(path, TableReading(score_range=(0, 4), low_is_same=True)).scores == (1, 0.75, 0.5, 0.25)
    assert [problem.line for problem in look(path, TableReading(score_range=(0, 2))).problems] == [5]


def test_a_slip_does_not_stretch_the_range(tmp_path):
    rows = [*pairs(99, lambda n: n % 6), ("x", "y", 999)]
    shown = look(write(tmp_path, table("sentence1,sentence2,score", rows)))
    assert shown.score_range == (0, 5)
    assert [(problem.line, problem.reason) for problem in shown.problems] == [
        (101, "has a score outside 0.0 to 5.0: 999")
    ]
    assert likely_range((0.0, 5.0)) is None
    assert likely_range((0.0, 500.0)) is None


def test_labels_can_be_renamed_merged_dropped_and_limited(tmp_path):
    names = ("good", "fine", "bad", "odd")
    path = write(tmp_path, table("sentence1,sentence2,label", pairs(80, lambda n: names[n % 4])))
    shown = look(path, TableReading(rename={"fine": "good", "odd": ""}))
    assert [(label.name, label.count) for label in shown.labels] == [("bad", 20), ("good", 40)]
    assert shown.problems == ()
    shown = look(path, TableReading(labels=("good", "fine", "bad")))
    assert [label.name for label in shown.labels] == ["good", "fine", "bad"]
    assert len(shown.problems) == 20
    assert shown.problems[0].line == 5
    assert "other than good, fine, bad: odd" in shown.problems[0].reason
    assert "no pair with one of the labels nothing" in look(path, TableReading(labels=("nothing",))).trouble


def test_a_kind_can_be_chosen(tmp_path):
    path = write(tmp_path, table("sentence1,sentence2,score", pairs(60, lambda n: n % 6)))
    assert look(path, TableReading(kind="pairs")).examples.kind == "pairs"
    assert look(path, TableReading(kind="labelled")).examples.names == tuple("012345")
    assert "three texts" in look(path, TableReading(kind="triplets")).trouble


def test_a_retrieval_folder_is_pairs(tmp_path):
    (tmp_path / "qrels").mkdir()
    write(tmp_path, json.dumps({"_id": "d", "text": "body"}), "corpus.jsonl")
    write(tmp_path, json.dumps({"_id": "q", "text": "ask"}), "queries.jsonl")
    write(tmp_path, "q\td\t1\n", "qrels/test.tsv")
    shown = look(tmp_path)
    assert (shown.kind, shown.rows, shown.examples.columns) == ("pairs", 1, (("ask",), ("body",)))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "kind", "count", "more"),
    [
        ("korsts/sts-dev.tsv", "scored", 1500, (0, 5)),
        ("stsb_en/stsb-en-dev.csv", "scored", 1500, (0, 5)),
        ("sick/SICK_trial.txt", "scored", 500, (1, 5)),
        ("kornli_xnli/xnli.dev.ko.tsv", "labelled", 2490, "entailment"),
        ("pawsx_ko/dev_2k.tsv", "labelled", 2000, "1"),
        ("ko_question_pair/train.txt", "labelled", 6136, "0"),  # there 0 is "the same"
    ],
)
def test_published_files_as_they_are(data_folder, name, kind, count, more):
    shown = look(data_folder / name)
    assert (shown.kind, len(shown.examples), shown.problems) == (kind, count, ())
    assert more == (shown.score_range if kind == "scored" else shown.positive)


@pytest.mark.data
def test_sick_gives_its_entailment_labels_too(data_folder):
    shown = look(data_folder / "sick/SICK_trial.txt", TableReading(kind="labelled"))
    assert {label.name: label.count for label in shown.labels} == {
        "CONTRADICTION": 74,
        "ENTAILMENT": 144,
        "NEUTRAL": 282,
    }
