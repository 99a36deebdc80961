"""Whatever a person gives as examples, they get a sentence, the good rows are kept and the file is left alone."""

import gzip
import json
import os
import zipfile
from pathlib import Path

import pytest

from explorer.errors import DataError
from explorer.training.data.checks import require_trainable
from explorer.training.data.preview import TableReading, look
from explorer.training.data.split import split
from tests.training.data.training_files import read_training_set

HEADER = "sentence1,sentence2,score\n"
LABELS = "sentence1,sentence2,label\n"
LIMIT = 2**20


def rows(count=60, value=lambda n: n % 6):
    return "".join(f"first {n},second {n},{value(n)}\n" for n in range(count))


def parquet(columns):
    def write(path):
        import pyarrow
        from pyarrow import parquet as files

        files.write_table(pyarrow.table(columns), path)

    return write


def zipped(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")


def cut_parquet(path):
    parquet({"sentence1": ["a"] * 100, "sentence2": ["b"] * 100})(path)
    path.write_bytes(path.read_bytes()[:-20])


def sparse(path):
    with path.open("wb") as file:
        file.truncate(2**30)


def constant(value):
    return rows(value=lambda _: value)


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


PAIR = {"sentence1": "a", "sentence2": "b", "score": 1}
FOLDER, PIPE = Path.mkdir, getattr(os, "mkfifo", None)
MISSING, LINK = (lambda _: None), (lambda path: path.symlink_to("nowhere"))

# What is refused: a name, the content (or what makes the file), how it is to be read, and the sentence.
REFUSED = [
    ("empty.csv", "", {}, r"is empty"),
    ("empty.parquet", "", {}, r"is empty"),
    ("blank.csv", "\n\n  \n", {}, r"is empty"),
    ("mark.csv", b"\xef\xbb\xbf", {}, r"is empty"),
    ("header.csv", HEADER, {}, r"has no usable row"),
    ("commas.csv", ",,,\n,,,\n", {}, r"is empty|has no usable row"),
    ("missing.csv", MISSING, {}, r"There is no file .*missing\.csv"),
    ("link.csv", LINK, {}, r"There is no file .*link\.csv"),
    ("folder.csv", FOLDER, {"kind": "scored"}, r"is a folder"),
    ("plain_folder", FOLDER, {}, r"has no corpus\.jsonl"),
    ("huge.csv", sparse, {}, r"holds 1,024 MB"),
    ("large.csv", HEADER + rows(40_000), {}, r"at most 1 MB.*Take a part"),
    ("large.parquet", parquet({"sentence1": [f"{n:x>999}" for n in range(2000)], "sentence2": ["b"] * 2000}), {},
     r"at most 1 MB"),
    ("late.csv", (HEADER + "안녕하세요,반갑습니다,1\n" * 50).encode() + b"caf\xe9,x,1\n", {},
     r"is not UTF-8 text \(byte \d+.*Save it as UTF-8"),
    ("torn.csv", (HEADER + rows()).encode("utf-16") + b"\0\xd8", {}, r"is not UTF-8 text|no usable row"),
    ("zeros.csv", b"\0" * 4000, {}, r"zero bytes"),
    ("junk.csv", bytes(range(128, 256)) * 40, {}, r"is not UTF-8 text"),
    ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), {}, r"but a picture"),
    ("paper.csv", b"%PDF-1.7\n%junk", {}, r"but a PDF document"),
    ("sheet.xlsx", zipped, {}, r"zip archive.*save it as CSV"),
    ("packed.csv", gzip.compress(HEADER.encode()), {}, r"gzip archive.*Unpack"),
    ("named.parquet", HEADER + rows(), {}, r"has the extension \.parquet but is not a Parquet file"),
    ("cut.parquet", cut_parquet, {}, r"damaged Parquet file"),
    ("head.parquet", b"PAR1", {}, r"damaged Parquet file"),
    ("columns.parquet", parquet({"left": ["a"], "right": ["b"]}), {}, r"no usable row.*left, right"),
    ("vectors.parquet", parquet({"sentence1": [[0.1]], "sentence2": [[0.2]]}), {}, r"no usable row|is empty"),
    ("norows.parquet", parquet({"sentence1": [], "sentence2": []}), {}, r"is empty: it has columns but no row"),
    ("nulls.parquet", parquet({"sentence1": [None, None], "sentence2": ["a", "b"]}), {}, r"no usable row.*Line 1"),
    ("cut.json", '[{"sentence1": "a"', {}, r"is not valid JSON"),
    ("number.json", "42", {}, r"no usable row.*Line 1 is not a JSON object"),
    ("numbers.json", "[1, 2, 3]", {}, r"no usable row.*Line 1 is not a JSON object"),
    ("nothing.json", "[]", {}, r"is empty"),
    ("nested.json", as_json({"data": [PAIR]}), {}, r"no usable row.*data"),
    ("columns.json", as_json({"sentence1": ["a"], "sentence2": ["b"], "score": [1]}), {}, r"no usable row.*no text"),
    ("deep.json", "[" * 100_000, {}, r"nested too deeply|not valid JSON"),
    ("pretty.json", json.dumps({"rows": [PAIR]}, indent=1), {}, r"no usable row.*is not JSON"),
    ("words.jsonl", "hello\nthere\n", {}, r"no usable row.*Line 1 is not JSON"),
    ("prose.csv", "Once upon a time there was a table.\nIt was none.\n", {}, r"no usable row"),
    ("wrong.csv", "left,right,rating\n" + rows(), {}, r"Columns found: left, right, rating.*Name the columns"),
    ("single.csv", "sentence1\n" + "a\nb\nc\n", {}, r"no usable row"),
    ("asked.csv", HEADER + rows(), {"columns": {"score": "stars"}}, r"has no column stars.*It has: sentence1"),
    ("role.csv", HEADER + rows(), {"columns": {"texts": "sentence1"}}, r"not for texts"),
    ("kind.csv", HEADER + rows(), {"kind": "quads"}, r"not quads"),
    ("triple.csv", HEADER + rows(), {"kind": "triplets"}, r"three texts"),
    ("search.csv", HEADER + rows(), {"kind": "retrieval"}, r"a folder was expected"),
    ("nan.csv", HEADER + constant("NaN"), {}, r"no usable row.*Line 2 has no score"),
    ("inf.csv", HEADER + constant("inf"), {}, r"no usable row.*not a number: inf"),
    ("words.csv", HEADER + constant("good"), {}, r"no usable row.*not a number: good"),
    ("outside.csv", HEADER + rows(), {"score_range": (10, 20)}, r"no usable row.*outside 10 to 20"),
    ("turned.csv", HEADER + rows(), {"score_range": (5, 0)}, r"lower to a higher number, not from 5 to 0"),
    ("flat.csv", HEADER + rows(), {"score_range": (1, 1)}, r"lower to a higher number"),
    ("endless.csv", HEADER + rows(), {"score_range": (0, float("inf"))}, r"lower to a higher number"),
    ("unlabelled.csv", LABELS + constant("-"), {}, r"no usable row.*has no label"),
    ("strange.csv", LABELS + rows(value=lambda n: n % 2), {"labels": ("yes",)}, r"no pair with one of the labels yes"),
    ("dropped.csv", LABELS + rows(value=lambda n: n % 2), {"rename": {"0": "", "1": ""}}, r"no pair with one of"),
    ("hollow.csv", HEADER + "".join(f"text {n},,{n % 6}\n" for n in range(9)), {}, r"empty text"),
    ("halves.jsonl", '{"sentence1": "\\ud800", "sentence2": "b", "score": 1}', {}, r"half a character"),
    # Read, but no ground for a training.
    ("one.csv", HEADER + rows(1), {}, r"same score|Only 1 example"),
    ("one_class.csv", LABELS + constant("yes"), {}, r"All 60 pairs have the label yes"),
    ("one_score.csv", HEADER + constant(3), {}, r"same score"),
    ("again.csv", HEADER + "a,b,1\n" * 60, {}, r"same"),
    ("contrary.csv", LABELS + "".join(f"a,b,{n % 2}\n" for n in range(60)), {}, r"contradict each other"),
    ("turned_triplets.csv", "anchor,positive,negative\n" + "a,b,c\na,c,b\n", {}, r"contradict each other"),
    ("hub.csv", HEADER + "".join(f"hub,text {n},{n % 6}\n" for n in range(60)), {}, r"share no text: 1 in"),
    ("two.csv", HEADER + "a,b,1\nc,d,5\n", {}, r"share no text: 2 in"),
] + ([("pipe.csv", PIPE, {}, r"not a regular file")] if PIPE else [])  # fmt: skip

# What is read in part: the bad rows by their lines, and how many good ones are kept.
PARTLY = [
    ("ragged.csv", HEADER + rows() + "a,b\na,b,c,4\n", {}, [62, 63], 60),
    ("mixed.csv", HEADER + rows() + "a,b,high\nc,d,\ne,f,NaN\ng,h,-inf\n", {}, [62, 63, 64, 65], 60),
    ("range.csv", HEADER + rows(), {"score_range": (0, 4)}, [7, 13, 19, 25, 31, 37, 43, 49, 55, 61], 50),
    ("slip.csv", HEADER + rows() + "a,b,999\n", {}, [62], 60),
    ("minus.csv", HEADER + rows() + "a,b,-1\n", {}, [62], 60),
    ("holes.csv", HEADER + rows() + ",b,1\na,,1\n,,1\n", {}, [62, 63, 64], 60),
    ("labels.csv", LABELS + rows(value=lambda n: n % 2) + "a,b,7\n", {"labels": ("0", "1")}, [62], 60),
    ("broken.jsonl", "\n".join([as_json(PAIR | {"sentence1": f"t {n}", "score": n}) for n in range(5)]
     + ["{oops", "[1]"]), {}, [6, 7], 5),
    ("types.jsonl", "\n".join([as_json(PAIR | {"sentence1": f"t {n}", "score": n}) for n in range(5)]
     + [as_json(PAIR | {"score": value}) for value in ([1], {"a": 1}, None, "many", True)]), {}, [6, 7, 8, 9, 10], 5),
    ("half.jsonl", "\n".join([as_json(PAIR | {"sentence1": f"t {n}", "score": n}) for n in range(5)]
     + ['{"sentence1": "x\\udc00", "sentence2": "b", "score": 1}']), {}, [6], 5),
    ("quote.csv", HEADER + rows() + '"never closed,b,1\nc,d,2\n', {}, [], 62),
    ("gaps.parquet", parquet({"sentence1": ["a", None, "c"], "sentence2": ["x", "y", "z"], "score": [0.5, 0.5, None]}),
     {}, [2, 3], 1),
]  # fmt: skip


# What is wrong with these is what was asked for, whatever the file.
ABOUT_THE_READING = {"role.csv", "kind.csv", "turned.csv", "flat.csv", "endless.csv"}


def given(folder, name, content):
    path = folder / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def snapshot(path):
    """What must not change; the head of a huge file stands for all of it."""
    if path.is_dir():
        return sorted(path.iterdir())
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return path.stat().st_size, path.stat().st_mtime_ns, file.read(LIMIT)


def prepare(path, reading):
    found = read_training_set(path, TableReading(**reading), max_bytes=LIMIT)
    require_trainable(found)
    return split(found)


def test_there_are_fifty():
    assert len(REFUSED) + len(PARTLY) >= 50
    names = [case[0] for case in REFUSED + PARTLY]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("name", "content", "reading", "sentence"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused_with_a_sentence(tmp_path, name, content, reading, sentence):
    path = given(tmp_path, name, content)
    before = snapshot(path)
    with pytest.raises(DataError, match=f"(?s){sentence}") as raised:
        prepare(path, reading)
    said = str(raised.value)
    assert said.endswith((".", ".)"))
    assert said[0].isupper() or said.startswith(str(path))
    assert name in said or name in ABOUT_THE_READING
    assert len(said) < 700
    assert snapshot(path) == before


@pytest.mark.parametrize(("name", "content", "reading", "lines", "kept"), PARTLY, ids=[case[0] for case in PARTLY])
def test_bad_rows_are_listed_and_the_good_kept(tmp_path, name, content, reading, lines, kept):
    path = given(tmp_path, name, content)
    before = snapshot(path)
    shown = look(path, TableReading(**reading), max_bytes=LIMIT)
    assert shown.trouble == ""
    assert [problem.line for problem in shown.problems] == lines
    assert all(problem.reason for problem in shown.problems)
    assert len(shown.examples) == kept
    assert shown.rows == kept + len(lines)
    assert snapshot(path) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything may be read here")
def test_a_file_one_may_not_read(tmp_path):
    path = given(tmp_path, "secret.csv", HEADER)
    path.chmod(0)
    with pytest.raises(DataError, match=r"cannot be opened.*Check that you may read it"):
        look(path)


def test_a_name_no_file_can_have():
    with pytest.raises(DataError, match=r"cannot be opened|no file"):
        look("a\0b.csv")
    with pytest.raises(DataError, match=r"cannot be opened|no file"):
        look("x" * 5000)
