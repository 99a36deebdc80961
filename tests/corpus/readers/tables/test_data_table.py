"""Parquet is read like any other table, and what is no table is refused by its name."""

import pytest

from explorer.corpus.readers.tables.data_table import read_table
from explorer.errors import DataError
from explorer.training.data.examples import read_examples


def write_parquet(path, columns):
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_parquet_gives_the_same_as_csv(tmp_path):
    path = write_parquet(
        tmp_path / "a.parquet", {"sentence1": ["a", "c", None], "sentence2": ["b", "d", "f"], "score": [1.5, 5.0, 2.0]}
    )
    found = read_examples(path)
    assert found.kind == "scored"
    assert (found.first, found.second, found.scores) == (("a", "c"), ("b", "d"), (1.5, 5.0))
    assert found.lines == (1, 2)
    assert [(problem.line, problem.reason) for problem in found.problems] == [(3, "has no text in column sentence1")]


def test_parquet_is_told_by_its_content(tmp_path):
    path = write_parquet(tmp_path / "a.data", {"premise": ["a", "c"], "hypothesis": ["b", "d"], "label": [0, 1]})
    found = read_examples(path)
    assert found.kind == "labelled"
    assert found.names == ("0", "1")


def test_lists_and_bytes_in_parquet_are_no_columns(tmp_path):
    columns = {"text1": ["a"], "vector": [[0.1, 0.2]], "picture": [b"x"], "text2": ["b"]}
    assert read_table(write_parquet(tmp_path / "a.parquet", columns), ()).columns == ("text1", "text2")


def test_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('sentence1,sentence2,score\n"two\nlines",b,1\nbad,row,x\nc,d,2\n')
    found = read_examples(path)
    assert found.kind == "scored"
    assert found.lines == (2, 5)


def test_the_size_is_looked_at_before_the_file_is_read(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(2**30)  # a sparse file: a gigabyte that takes no room
    with pytest.raises(DataError, match=r"huge\.csv holds 1,024 MB; at most 128 MB"):
        read_table(path, ())


def test_the_size_of_what_parquet_unpacks_to_counts(tmp_path):
    path = write_parquet(tmp_path / "a.parquet", {"text1": [f"{n:x>2000}" for n in range(2000)], "text2": ["b"] * 2000})
    assert len(read_table(path, ()).rows) == 2000
    assert path.stat().st_size < 2**20
    with pytest.raises(DataError, match="at most 1 MB"):
        read_table(path, (), max_bytes=2**20)


@pytest.mark.parametrize("row", ["{0}\t{1}", "{0}\t{1}\tsource", "{0}\t{1}\thttp://a.b\thttp://c.d"])
def test_the_sts_benchmark_as_published(tmp_path, row):
    texts = [("A plane is taking off.", 'An "air plane is taking off.'), ("A man smokes.", "A man skates.")]
    lines = [
        f"main-captions\tMSRvid\t2012test\t000{number}\t{score}\t{row.format(*pair)}"
        for number, (pair, score) in enumerate(zip(texts, ("5.000", "0.500"), strict=True))
    ]
    plain = "main-news\tfile\t2013\t0007\t2.400\tOne text.\tAnother text."
    path = tmp_path / "sts-train.csv"
    path.write_text("\n".join([*lines, plain, plain.replace("7", "8"), plain.replace("7", "9")]))
    found = read_examples(path)
    assert found.kind == "scored"
    assert found.first[:2] == ("A plane is taking off.", "A man smokes.")
    assert found.second[:2] == ('An "air plane is taking off.', "A man skates.")
    assert (found.scores, found.problems) == ((5.0, 0.5, 2.4, 2.4, 2.4), ())
