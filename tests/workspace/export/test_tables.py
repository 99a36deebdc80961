"""Rows written for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from explorer.workspace.export.tables import harmless, write_rows


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([1, 2.5, None], [1.0, 2.5, None]),
        ([2**60, None], [2**60, None]),
        ([2**53 + 1, 2.5, None], ["9007199254740993", "2.5", None]),
        ([2**70, 1], [str(2**70), "1"]),
        ([1, "a"], ["1", "a"]),
    ],
)
def test_a_parquet_column_of_any_numbers(tmp_path: Path, values: list[Any], read: list[Any]) -> None:
    out = tmp_path / "all.parquet"
    assert write_rows([{"n": value} for value in values], out) == len(values)
    assert parquet.read_table(out)["n"].to_pylist() == read


@pytest.mark.parametrize("cell", ["=1+1", "  =cmd", "\n=cmd", "\ufeff+1", "＝SUM(A1)", "-2", "@x", "\tx"])
def test_cells_that_spreadsheets_would_run_are_escaped(cell: str) -> None:
    assert harmless(cell) == "'" + cell
    assert harmless(f"a {cell}") == f"a {cell}"
    assert harmless(-2) == -2
