"""A data set is divided into units that are found again, whatever its format and its storage."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from pyarrow.fs import LocalFileSystem

from explorer.cluster.datasets import encode_dataset
from explorer.cluster.shard_folder import FAILED, require_same
from explorer.cluster.storage import open_storage
from explorer.cluster.units import Columns, Unit, find_units, halved, read_unit
from explorer.errors import DataError
from explorer.models.bi_encoder import BiEncoder
from explorer.task import Task


def written(folder: Path, kind: str) -> tuple[Path, list[dict[str, str]]]:
    """A data set of 50 rows, with the quotes and line breaks that its format allows."""
    rows = [{"id": f"n{number}", "text": f'the "{number}" cat, sat\non the mat'} for number in range(50)]
    source = folder / f"texts.{kind}"
    if kind == "parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), source, row_group_size=13)
    elif kind == "jsonl":
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "csv":
        quoted = ('{},"{}"\n'.format(row["id"], row["text"].replace('"', '""')) for row in rows)
        source.write_text("id,text\n" + "".join(quoted))
    else:
        rows = [{"id": str(number), "text": f"the cat number {number}"} for number in range(50)]
        source.write_text("".join(row["text"] + "\n" for row in rows))
    return source, rows


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "txt"])
def test_units_and_their_halves_hold_every_row_once(tmp_path: Path, kind: str):
    source, rows = written(tmp_path, kind)
    units = list(find_units(str(source), 20, Task()))
    assert [(unit.row, unit.rows) for unit in units] == [(0, 20), (20, 20), (40, 10)]
    halves = [half for unit in units for half in halved(LocalFileSystem(), unit)]
    for parts in (units, halves):
        read = [row for unit in parts for row in read_unit(LocalFileSystem(), unit, Columns())]
        assert read == [(row["id"], row["text"]) for row in rows]


def test_a_missing_column_is_told_before_work_starts(encoder: BiEncoder, tmp_path: Path):
    # Otherwise every single row would be tried by itself, and noted as one that is not to be tried again.
    source = tmp_path / "texts.csv"
    source.write_text("what,id\na cat,1\n")
    with pytest.raises(DataError, match=r"what, id\. Name one with --text-column"):
        encode_dataset(None, encoder, str(source), str(tmp_path / "shards"))  # type: ignore[arg-type]
    assert not (tmp_path / "shards").exists()


def test_columns_are_asked_for_where_they_are_not_clear(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"what": "a cat"}\n')
    unit = Unit(str(file), "jsonl", 0, 1, 0, file.stat().st_size)
    with pytest.raises(DataError, match="--text-column"):
        list(read_unit(LocalFileSystem(), unit, Columns()))
    assert list(read_unit(LocalFileSystem(), unit, Columns(text="what"))) == [("0", "a cat")]


def test_an_empty_cell_is_a_row_without_passages(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": null, "id": 7}\n{"text": "a cat", "id": null}\n')
    unit = Unit(str(file), "jsonl", 0, 2, 0, file.stat().st_size)
    assert list(read_unit(LocalFileSystem(), unit, Columns())) == [("7", ""), ("1", "a cat")]


def test_a_line_of_text_ends_at_a_line_feed_only(tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_bytes("one\x0cpage\u2028two\r\nthree\n\nfour".encode())
    units = list(find_units(str(file), 2, Task()))
    rows = [row for unit in units for row in read_unit(LocalFileSystem(), unit, Columns())]
    assert rows == [("0", "one\x0cpage\u2028two"), ("1", "three"), ("2", ""), ("3", "four")]


def test_shards_within_the_folder_of_the_source_are_no_part_of_it(tmp_path: Path):
    source, _ = written(tmp_path, "jsonl")
    shards = tmp_path / "shards"
    shards.mkdir()
    shutil.copy(source, shards / FAILED)
    assert {unit.path for unit in find_units(str(tmp_path), 20, Task(), str(shards))} == {str(source)}
    with pytest.raises(DataError, match="a folder of their own"):
        list(find_units(str(tmp_path), 20, Task(), str(tmp_path)))


def test_shards_of_another_model_other_options_or_older_data_are_not_added_to(tmp_path: Path):
    storage, folder = LocalFileSystem(), str(tmp_path)
    options = {"model": "one", "shard-rows": 20}
    require_same(storage, folder, options, {"a.csv": [10, 1]})
    require_same(storage, folder, options, {"a.csv": [10, 1], "b.csv": [5, 1]})  # a file more is no harm
    with pytest.raises(DataError, match="another value of --model, --shard-rows"):
        require_same(storage, folder, {"model": "two", "shard-rows": 30}, {"a.csv": [10, 1]})
    with pytest.raises(DataError, match=r"b\.csv: this file has changed"):
        require_same(storage, folder, options, {"b.csv": [6, 2]})


def test_storage_that_pyarrow_does_not_know_is_opened_by_fsspec(tmp_path: Path):
    source, rows = written(tmp_path, "jsonl")
    for address in (f"file://{source}", f"local://{source}"):
        storage, _ = open_storage(address)
        units = list(find_units(address, 20, Task()))
        assert [row for unit in units for row in read_unit(storage, unit, Columns())] == [
            (row["id"], row["text"]) for row in rows
        ]
    assert open_storage("s3://bucket/folder?region=eu-north-1")[1] == "bucket/folder"
    with pytest.raises(DataError, match="this storage cannot be opened"):
        open_storage("nowhere://bucket/folder")
