"""Examples are read right from every layout, and bad rows are told, never fatal."""

import csv
import json
from pathlib import Path

import pytest

from explorer.corpus.readers.tables.data_table import RowProblem
from explorer.errors import DataError
from explorer.training.data.beir import Retrieval
from explorer.training.data.dataset import Dataset
from explorer.training.data.examples import read_examples

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


def write(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def scored(*args, **kwargs) -> Dataset:
    examples = read_examples(*args, **kwargs)
    assert examples.kind == "scored"
    return examples


def labelled(*args, **kwargs) -> Dataset:
    examples = read_examples(*args, **kwargs)
    assert examples.kind == "labelled"
    return examples


class TestTables:
    def test_headerless_csv_with_quoted_commas(self, tmp_path):
        pairs = scored(write(tmp_path, "sts.csv", 'A dog runs.,"A dog, running.",4.5\r\nA cat.,A car.,0\r\n'))
        assert pairs.first == ("A dog runs.", "A cat.")
        assert pairs.second == ("A dog, running.", "A car.")
        assert pairs.scores == (4.5, 0.0)
        assert pairs.score_range == (0, 5)
        assert pairs.problems == ()

    def test_csv_field_over_several_lines(self, tmp_path):
        text = 'sentence1,sentence2,score\n"one\ntwo, ""three""",b,1\nc,d,bad\n'
        pairs = scored(write(tmp_path, "a.csv", text))
        assert pairs.first == ('one\ntwo, "three"',)
        assert pairs.problems == (RowProblem(4, "has a score that is not a number: bad"),)

    def test_raw_tsv_keeps_quotes_and_loses_no_line(self, tmp_path):
        text = 'score\tsentence1\tsentence2\n1.5\t"Stop\tgo\n2\tgo\tshe said "no"\n3\t"x"\t"Hi" he said\n'
        pairs = scored(write(tmp_path, "raw.tsv", text))
        assert pairs.first == ('"Stop', "go", '"x"')
        assert pairs.second == ("go", 'she said "no"', '"Hi" he said')

    def test_raw_tsv_whose_stray_quotes_look_like_one_field(self, tmp_path):
        text = 'sentence1\tsentence2\tscore\n"open\tb\t1\nc\tshut"\t2\ne\tf\t3\n'
        pairs = scored(write(tmp_path, "raw.tsv", text))
        assert pairs.first == ('"open', "c", "e")
        assert pairs.second == ("b", 'shut"', "f")

    def test_quoted_tsv(self, tmp_path):
        text = 'question1\tquestion2\tis_duplicate\n"a ""b"""\t"tab\there"\t0\n"two\nlines"\tc\t1\n'
        pairs = labelled(write(tmp_path, "quoted.tsv", text))
        assert pairs.first == ('a "b"', "two\nlines")
        assert pairs.second == ("tab\there", "c")

    @pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a"])
    @pytest.mark.parametrize("delimiter", [",", "\t", ";"])
    def test_the_content_decides_on_the_delimiter(self, tmp_path, name, delimiter):
        rows = [("sentence1", "sentence2", "score"), ("one two", "three", "0.5"), ("four", "five", "1")]
        pairs = scored(write(tmp_path, name, "\n".join(delimiter.join(row) for row in rows)))
        assert pairs.first == ("one two", "four")
        assert pairs.score_range == (0, 1)

    def test_decimal_commas(self, tmp_path):
        assert scored(write(tmp_path, "a.csv", "text1;text2;score\na;b;4,5\n")).scores == (4.5,)

    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    def test_byte_order_mark_and_line_ends(self, tmp_path, newline):
        text = newline.join(["Quality\t#1 ID\t#2 ID\t#1 String\t#2 String", "1\t7\t8\tone\ttwo", "0\t8\t9\tx\ty"])
        pairs = labelled(write(tmp_path, "msr.tsv", text, "utf-8-sig"))
        assert (pairs.first, pairs.second) == (("one", "x"), ("two", "y"))
        assert (pairs.labels, pairs.names) == ((1, 0), ("0", "1"))

    def test_odd_separators_inside_texts_are_texts(self, tmp_path):
        pairs = scored(write(tmp_path, "a.tsv", "text1\ttext2\tscore\na\x1cb\x85c\u2028d\te\t1\n"))
        assert pairs.first == ("a\x1cb\x85c\u2028d",)

    def test_long_fields(self, tmp_path):
        texts = ["x" * 10_000, "y" * 200_000]
        pairs = scored(write(tmp_path, "a.csv", f'text1,text2,score\n"{texts[0]}","{texts[1]}",1\n'))
        assert [pairs.first[0], pairs.second[0]] == texts

    def test_many_rows(self, tmp_path):
        path = tmp_path / "many.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["sentence1", "sentence2", "score"])
            writer.writerows([f"a, {n}", f'"b" {n}', n % 6] for n in range(20_000))
        pairs = scored(path)
        assert len(pairs) == 20_000
        assert pairs.second[-1] == '"b" 19999'


class TestJson:
    ROWS = ({"text_a": "a", "text_b": "b", "score": 0.5}, {"score": "1", "text_b": "d", "text_a": "c"})

    @pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a.txt"])
    def test_lines(self, tmp_path, name):
        pairs = scored(write(tmp_path, name, "\n".join(map(json.dumps, self.ROWS))))
        assert (pairs.first, pairs.scores) == (("a", "c"), (0.5, 1.0))

    @pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
    def test_list(self, tmp_path, name):
        assert scored(write(tmp_path, name, json.dumps(self.ROWS, indent=1))).second == ("b", "d")

    def test_bad_lines(self, tmp_path):
        lines = [json.dumps(self.ROWS[0]), "{oops", "[1]", "", json.dumps({"text_a": "x", "score": 1})]
        lines += ['{"text_a": "x", "text_b": "y", "score": NaN}', '{"text_a": ["x"], "text_b": "y", "score": 1}']
        pairs = scored(write(tmp_path, "a.jsonl", "\n".join(lines)))
        assert len(pairs) == 1
        assert [problem.line for problem in pairs.problems] == [2, 3, 5, 6, 7]
        assert "text_b" in pairs.problems[2].reason

    def test_true_and_false_are_labels(self, tmp_path):
        rows = [{"text1": "a", "text2": "b", "label": value} for value in (True, False)]
        assert labelled(write(tmp_path, "a.json", json.dumps(rows))).names == ("false", "true")

    @pytest.mark.parametrize("text", ["[1, 2", "[" * 100_000, "[1, 2]", "{", '{"a": 1}', "[]", ""])
    def test_not_a_list_of_examples(self, tmp_path, text):
        with pytest.raises(DataError, match=r"a\.json"):
            read_examples(write(tmp_path, "a.json", text))


class TestColumns:
    @pytest.mark.parametrize(
        "header",
        [
            "sentence1\tsentence2\tscore",
            "sen1\tsen2\tgold_score",
            "text_a\ttext_b\tsimilarity",
            "Text A\tTextB\tSCORE",
            "sentence_A\tsentence_B\trelatedness_score",
        ],
    )
    def test_names_are_guessed(self, tmp_path, header):
        pairs = scored(write(tmp_path, "a.tsv", f"{header}\nx\ty\t3.5\n"))
        assert (pairs.first, pairs.second, pairs.scores) == (("x",), ("y",), (3.5,))

    @pytest.mark.parametrize(
        "header", ["premise\thypothesis\tgold_label", "question1\tquestion2\tis_duplicate", "q\ta\tlabel"]
    )
    def test_names_of_labelled_pairs(self, tmp_path, header):
        pairs = labelled(write(tmp_path, "a.tsv", f"{header}\nx\ty\t1\nz\tw\t0\n"))
        assert (pairs.first, pairs.second, pairs.labels) == (("x", "z"), ("y", "w"), (1, 0))

    @pytest.mark.parametrize("header", ["anchor,positive,negative", "query,pos,neg", "sent0,sent1,hard_neg"])
    def test_triplets(self, tmp_path, header):
        assert read_examples(write(tmp_path, "a.csv", f"{header}\na,p,n\n")) == Dataset.triplets(("a",), ("p",), ("n",))

    def test_headerless_triplets(self, tmp_path):
        rows = "".join(f"anchor text {n}\tnear {n}\tfar {n}\n" for n in range(30))
        triplets = read_examples(write(tmp_path, "a.tsv", rows))
        assert triplets.kind == "triplets"
        assert len(triplets) == 30

    def test_headerless_labels(self, tmp_path):
        pairs = labelled(write(tmp_path, "a.tsv", "entailment\ta\tb\nneutral\tc\td\n"))
        assert (pairs.first, pairs.names) == (("a", "c"), ("entailment", "neutral"))

    def test_sick_gives_scores_or_labels(self, tmp_path):
        text = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\ta\tb\t4.5\tNEUTRAL\n"
        path = write(tmp_path, "sick.txt", text)
        assert scored(path).scores == (4.5,)
        assert labelled(path, kind="labelled").names == ("NEUTRAL",)
        assert labelled(path, columns={"label": "entailment_judgment"}).names == ("NEUTRAL",)

    def test_columns_can_be_given(self, tmp_path):
        path = write(tmp_path, "a.csv", "q1,foo,rating,score\nx,y,2,9\n")
        pairs = scored(path, columns={"second": "foo", "score": "Rating"})
        assert (pairs.first, pairs.second, pairs.scores) == (("x",), ("y",), (2.0,))

    def test_columns_without_names_are_numbered(self, tmp_path):
        text = "news\t2012\t0001\t2.5\tone\ttwo\nnews\t2012\t0002\t5\tthree\tfour\n"
        path = write(tmp_path, "wide.tsv", text)
        with pytest.raises(DataError, match=r"1, 2, 3, 4, 5, 6 \(there is no header\)"):
            read_examples(path)
        pairs = scored(path, columns={"first": "5", "second": "6", "score": "4"})
        assert pairs.first == ("one", "three")

    def test_the_label_of_three_texts_can_be_given(self, tmp_path):
        path = write(tmp_path, "a.tsv", "agrees\tone text\tanother\ndenies\tthis\tthat\n")
        assert read_examples(path).kind == "triplets"
        pairs = labelled(path, columns={"label": "1"})
        assert (pairs.first, pairs.names) == (("one text", "this"), ("agrees", "denies"))

    def test_what_is_asked_for_comes_before_triplets(self, tmp_path):
        path = write(tmp_path, "a.csv", "anchor,positive,negative,score\na,p,n,0.5\n")
        assert read_examples(path).kind == "triplets"
        pairs = scored(path, columns={"first": "anchor", "second": "positive"})
        assert (pairs.second, pairs.scores) == (("p",), (0.5,))

    def test_missing_column_is_told(self, tmp_path):
        path = write(tmp_path, "a.csv", "sentence1,sentence2,score\na,b,1\n")
        with pytest.raises(DataError, match=r"no column rating.*sentence1, sentence2, score"):
            read_examples(path, columns={"score": "rating"})
        with pytest.raises(DataError, match="not for texts"):
            read_examples(path, columns={"texts": "sentence1"})

    def test_unknown_names_are_told(self, tmp_path):
        with pytest.raises(DataError, match=r"left, right, rating"):
            read_examples(write(tmp_path, "a.csv", "left,right,rating\na,b,1\nc,d,2\n"))

    def test_broken_numbers_in_a_label_column_are_scores(self, tmp_path):
        pairs = scored(write(tmp_path, "a.csv", "sentence1,sentence2,label\na,b,0.25\nc,d,1\n"))
        assert pairs.scores == (0.25, 1.0)

    def test_labels(self, tmp_path):
        text = "sentence1,sentence2,gold_label\na,b,neutral\nc,d,-\ne,f,Entailment\ng,h,entailment\n"
        pairs = labelled(write(tmp_path, "a.csv", text))
        assert pairs.names == ("Entailment", "neutral")
        assert pairs.labels == (1, 0, 0)
        assert pairs.problems == (RowProblem(3, "has no label"),)

    def test_whole_numbers_as_spreadsheets_write_them(self, tmp_path):
        pairs = labelled(write(tmp_path, "a.csv", "sentence1,sentence2,label\na,b,10.0\nc,d,2.0\n"))
        assert (pairs.names, pairs.labels) == (("2", "10"), (1, 0))

    def test_labels_can_serve_as_scores(self, tmp_path):
        path = write(tmp_path, "a.csv", "sentence1,sentence2,label\na,b,1\nc,d,0\n")
        assert scored(path, kind="scored").scores == (1.0, 0.0)


class TestScoreRange:
    @pytest.mark.parametrize(
        ("scores", "expected"),
        [
            ("0.1 0.9", (0, 1)),
            ("-0.5 1", (-1, 1)),
            ("1 4.5", (1, 5)),
            ("0 4.5", (0, 5)),
            ("0 9", (0, 10)),
            ("3 98", (0, 100)),
            ("-20.5 300", (-21, 300)),
            ("500 500", (500, 501)),
        ],
    )
    def test_guess(self, tmp_path, scores, expected):
        rows = "".join(f"a\tb\t{score}\n" for score in scores.split())
        pairs = scored(write(tmp_path, "a.tsv", "text1\ttext2\tscore\n" + rows))
        assert pairs.score_range == expected

    def test_given(self, tmp_path):
        path = write(tmp_path, "a.tsv", "text1\ttext2\tscore\na\tb\t3\nc\td\t8\n")
        pairs = scored(path, score_range=(0, 7))
        assert (pairs.score_range, len(pairs)) == ((0, 7), 1)
        assert pairs.problems == (RowProblem(3, "has a score outside 0 to 7: 8"),)
        with pytest.raises(DataError, match="low to high"):
            read_examples(path, score_range=(5, 0))


class TestBadInput:
    def test_bad_rows_are_listed_and_skipped(self, tmp_path):
        rows = ["sentence1,sentence2,score", "a,b,1", "a,b", "a,b,nan", "a,b,inf", "a,b,", "a,b,c,2", " ,,3"]
        rows += ["", "only one text is empty,,2", "a,b,4"]
        pairs = scored(write(tmp_path, "a.csv", "\n".join(rows)))
        assert pairs.scores == (1, 2, 4)
        assert [problem.line for problem in pairs.problems] == [3, 4, 5, 6, 7, 8]
        assert pairs.problems[-1].reason == "has only empty texts"

    def test_a_short_row_without_its_text(self, tmp_path):
        pairs = scored(write(tmp_path, "a.tsv", "score\ttext1\ttext2\n1\ta\tb\n2\tc\n"))
        assert pairs.problems == (RowProblem(3, "has no text in column text2"),)

    @pytest.mark.parametrize(
        "text", ["", "\n\n", "word\nword\n", "sentence1,sentence2,score\n", "sentence1,sentence2,score\na,b,x\n"]
    )
    def test_nothing_usable(self, tmp_path, text):
        with pytest.raises(DataError, match=r"a\.csv (is empty|has no usable row).*[Cc]hoose another file"):
            read_examples(write(tmp_path, "a.csv", text))

    def test_the_message_names_columns_and_the_first_problem(self, tmp_path):
        with pytest.raises(DataError, match=r"Columns found: sentence1, sentence2, score.*Line 2 has a score"):
            read_examples(write(tmp_path, "a.csv", "sentence1,sentence2,score\na,b,x\n"))

    @pytest.mark.parametrize("encoding", ["utf-16", "cp949", "utf-16-le", "utf-8-sig"])
    def test_another_encoding(self, tmp_path, encoding):
        path = write(tmp_path, "a.csv", "sentence1,sentence2,score\n안녕,하세요,1\n", encoding)
        assert scored(path).first == ("안녕",)

    @pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl"])
    def test_binary_junk(self, tmp_path, name):
        path = tmp_path / name
        path.write_bytes(bytes(range(256)) * 50)
        with pytest.raises(DataError, match="is not UTF-8 text"):
            read_examples(path)

    def test_no_such_file(self, tmp_path):
        with pytest.raises(DataError, match=r"no file .*gone\.csv"):
            read_examples(tmp_path / "gone.csv")

    def test_kinds(self, tmp_path):
        path = write(tmp_path, "a.csv", "sentence1,sentence2,score\na,b,1\n")
        with pytest.raises(DataError, match="scored, labelled, triplets, pairs, retrieval"):
            read_examples(path, kind="quadruplets")
        assert read_examples(path, kind="pairs") == Dataset.pairs(("a",), ("b",))
        with pytest.raises(DataError, match="a folder was expected"):
            read_examples(path, kind="retrieval")
        with pytest.raises(DataError, match="a file was expected"):
            read_examples(tmp_path, kind="scored")
        with pytest.raises(DataError, match="three texts"):
            read_examples(path, kind="triplets")


class TestPairs:
    def test_two_texts_without_a_value(self, tmp_path):
        path = write(tmp_path, "a.tsv", "sentence1\tsentence2\na\tb\nc\td\n")
        assert read_examples(path) == Dataset.pairs(("a", "c"), ("b", "d"))


class TestRetrieval:
    @pytest.fixture
    def folder(self, tmp_path):
        corpus = [{"_id": "d1", "title": "Title", "text": "body"}, {"_id": "d2", "title": "", "text": "other"}]
        write(tmp_path, "corpus.jsonl", "\n".join(map(json.dumps, corpus)))
        write(tmp_path, "queries.jsonl", json.dumps({"_id": 7, "text": "question"}))
        write(tmp_path, "qrels/test.tsv", "query-id\tcorpus-id\tscore\n7\td1\t2\n7\td2\t0\n")
        return tmp_path

    def test_folder(self, folder):
        expected = Retrieval({"d1": "Title body", "d2": "other"}, {"7": "question"}, {"7": {"d1": 2, "d2": 0}})
        assert read_examples(folder) == expected

    @pytest.mark.parametrize("text", ["7\td1\t2\n7\td2\t0", "7 0 d1 2\r\n7 0 d2 0\r\n"])
    def test_judgements_without_header(self, folder, text):
        write(folder, "qrels/test.tsv", text)
        assert read_examples(folder).relevant == {"7": {"d1": 2, "d2": 0}}

    def test_bad_rows(self, folder):
        write(
            folder, "corpus.jsonl", (folder / "corpus.jsonl").read_text() + '\n{"_id": "d1", "text": "x"}\n{"text"\n{}'
        )
        write(folder, "qrels/test.tsv", "7\td1\t2\n7\td9\t1\n8\td1\t1\n7\td2\n7\td2\t0.5\n")
        retrieval = read_examples(folder)
        assert retrieval.relevant == {"7": {"d1": 2}}
        assert [problem.line for problem in retrieval.problems] == [3, 4, 5, 2, 3, 4, 5]
        assert retrieval.problems[0] == RowProblem(3, "corpus.jsonl: repeats the id d1")

    def test_choice_of_judgements(self, folder):
        write(folder, "qrels/dev.tsv", "7\td2\t1\n")
        assert read_examples(folder).relevant["7"]["d1"] == 2
        (folder / "qrels" / "test.tsv").unlink()
        assert read_examples(folder).relevant == {"7": {"d2": 1}}
        write(folder, "qrels/train.tsv", "7\td2\t1\n")
        with pytest.raises(DataError, match=r"found: dev\.tsv, train\.tsv"):
            read_examples(folder)

    @pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
    def test_missing_and_empty_parts(self, folder, name):
        write(folder, name, "")
        with pytest.raises(DataError, match="no usable row"):
            read_examples(folder)
        (folder / name).unlink()
        with pytest.raises(DataError, match=r"corpus\.jsonl|test\.tsv"):
            read_examples(folder)


@pytest.mark.data
@pytest.mark.skipif(not DATA.is_dir(), reason="the data sets are not beside the project (../shared/data)")
class TestRealFiles:
    @pytest.mark.parametrize(
        ("name", "count", "score_range"),
        [
            ("stsb_en/stsb-en-train.csv", 5749, (0, 5)),
            ("stsb_en/stsb-en-dev.csv", 1500, (0, 5)),
            ("stsb_en/stsb-en-test.csv", 1379, (0, 5)),
            ("korsts/sts-train.tsv", 5749, (0, 5)),
            ("korsts/sts-dev.tsv", 1500, (0, 5)),
            ("sick/SICK_train.txt", 4500, (1, 5)),
            ("sick/SICK_trial.txt", 500, (1, 5)),
        ],
    )
    def test_scored(self, name, count, score_range):
        pairs = scored(DATA / name)
        assert (len(pairs), pairs.score_range, pairs.problems) == (count, score_range, ())

    @pytest.mark.parametrize(
        ("name", "count", "names"),
        [
            ("msrp/msr-para-train.tsv", 3576, ("0", "1")),
            ("msrp/msr-para-val.tsv", 500, ("0", "1")),
            ("kornli_xnli/xnli.dev.ko.tsv", 2490, ("contradiction", "entailment", "neutral")),
            ("ko_question_pair/train.txt", 6136, ("0", "1")),
            ("ko_question_pair/validation.txt", 682, ("0", "1")),
            ("ko_chatbot/ChatbotData.csv", 11823, ("0", "1", "2")),
            ("pawsx_ko/dev_2k.tsv", 2000, ("0", "1")),
            ("trecqa_wang/dev.csv", 1148, ("0", "1")),
        ],
    )
    def test_labelled(self, name, count, names):
        pairs = labelled(DATA / name)
        assert (len(pairs), pairs.names, pairs.problems) == (count, names, ())

    def test_sick_labels(self):
        pairs = labelled(DATA / "sick" / "SICK_trial.txt", kind="labelled")
        assert pairs.names == ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")

    def test_korean_and_english_sts_have_the_same_scores_row_by_row(self):
        english, korean = (scored(DATA / name) for name in ("stsb_en/stsb-en-train.csv", "korsts/sts-train.tsv"))
        assert english.scores == pytest.approx(korean.scores, abs=0.011)

    def test_raw_quotes_stay_and_quoted_ones_go(self):
        raw = scored(DATA / "korsts" / "sts-train.tsv")
        assert any(text.startswith('"') for text in raw.first)
        assert '가족끼리 "사랑해요"라는말 하는거 어색해' in (
            labelled(DATA / "ko_question_pair" / "train.txt").first
            + labelled(DATA / "ko_question_pair" / "train.txt").second
        )

    def test_retrieval(self):
        retrieval = read_examples(DATA / "msmarco_mini")
        assert isinstance(retrieval, Retrieval)
        assert (len(retrieval.corpus), len(retrieval.queries), retrieval.problems) == (5000, 50, ())
        assert sum(map(len, retrieval.relevant.values())) == 4102
