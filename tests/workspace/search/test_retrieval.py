"""The default search finds more of the right texts than either half of it alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer import open_workspace
from explorer.workspace.search.search import Searcher
from tests.retrieval_data import read_cranfield, scores, write_files


@pytest.mark.data
@pytest.mark.bundled
def test_hybrid_beats_meaning_and_words_on_cranfield(tmp_path: Path, data_folder: Path, bundled: Any) -> None:
    data = read_cranfield(data_folder / "cranfield")

    with open_workspace(write_files(data, tmp_path / "texts")) as workspace:
        workspace.update(bundled)
        finder = Searcher(workspace, bundled, languages=["en"])
        means = {mode: np.mean(scores(finder, data, mode)) for mode in ("semantic", "keyword", "hybrid")}

    assert len(data.corpus) == 1398
    assert means["semantic"] > 0.38
    assert means["keyword"] > 0.36
    assert means["hybrid"] > max(means["semantic"], means["keyword"]) + 0.02
