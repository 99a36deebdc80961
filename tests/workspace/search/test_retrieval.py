"""The default search finds more of the right texts than either half of it alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer import open_workspace
from explorer.workspace.search.search import Searcher
from tests.retrieval_data import part_of, read_cranfield, scores, write_files


@pytest.mark.data
@pytest.mark.bundled
def test_hybrid_beats_meaning_and_words_on_cranfield(tmp_path: Path, data_folder: Path, bundled: Any) -> None:
    data = read_cranfield(data_folder / "cranfield")
    assert len(data.corpus) == 1398
    data = part_of(data, queries=30, others=20)  # all of it takes minutes: tests/benchmarks/retrieval.py

    with open_workspace(write_files(data, tmp_path / "texts")) as workspace:
        workspace.update(bundled)
        finder = Searcher(workspace, bundled, languages=["en"])
        means = {mode: np.mean(scores(finder, data, mode)) for mode in ("semantic", "keyword", "hybrid")}

    assert means["semantic"] > 0.5
    assert means["keyword"] > 0.5
    assert means["hybrid"] > max(means["semantic"], means["keyword"]) + 0.015
