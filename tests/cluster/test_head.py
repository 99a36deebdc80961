"""A head that is gone in the middle of the work is a sentence, and what was done is saved."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.workspace.storage.vectors import table as vector_table
from explorer.workspace.workspace import open_workspace
from tests.cluster.conftest import PROJECT, WORDS, Nodes

ray = pytest.importorskip("ray", reason="ray is not installed: pip install -e '.[cluster]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(900)]

TEXTS = 1200  # more than are on their way at once, so that a quick worker does not end them while the head is killed


@pytest.fixture
def doomed(ray_environment: None) -> Iterator[Nodes]:
    """A cluster of its own, with one worker node beside the head."""
    nodes = Nodes()
    try:
        nodes.fill(1)
        yield nodes
    finally:
        nodes.close()


def work_until_the_head_is_gone(address: str, source: Path, model: Path, doomed: Nodes, *, all_of_it: bool) -> str:
    """Return what is said at the end."""
    script = str(PROJECT / "tests" / "cluster" / "head_gone.py")
    work = subprocess.Popen(
        [sys.executable, script, address, str(source), str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
    )
    try:
        assert work.stdout is not None
        assert work.stdout.readline() == "encoding\n"
        doomed.kill_head(all_of_it=all_of_it)
        said, _ = work.communicate("go on\n", timeout=300)
    finally:
        work.kill()
        work.communicate()
    assert work.returncode == 3
    return said


@pytest.mark.parametrize("client", [False, True], ids=["member", "client"])
def test_a_head_that_is_gone_is_a_sentence_and_what_was_done_is_saved(
    doomed: Nodes, tiny: Path, encoder: BiEncoder, tmp_path: Path, *, client: bool
):
    dice = random.Random(5)
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(TEXTS):
        (texts / f"{number}.txt").write_text(f"{number} " + " ".join(dice.choices(WORDS, k=400)))
    address = doomed.client if client else doomed.address
    said = work_until_the_head_is_gone(address, texts, tiny, doomed, all_of_it=client)
    assert "the head of the cluster no longer answers. What was done is saved" in said
    with open_workspace(texts, inside=True) as workspace:
        assert workspace.counts()["documents"] == TEXTS
        passages = workspace.counts()["passages"]
        left = workspace.update(encoder).encoded
        assert 0 < left < passages
        matrix = vector_table.load(workspace, encoder.fingerprint)
        assert len(matrix.rows) == passages
        assert np.isfinite(matrix.vectors).all()


def test_a_head_that_is_gone_leaves_the_shards_that_were_finished(doomed: Nodes, tiny: Path, tmp_path: Path):
    source = tmp_path / "texts.txt"
    source.write_text("the cat sat\n" * 300)
    said = work_until_the_head_is_gone(doomed.address, source, tiny, doomed, all_of_it=False)
    assert "the head of the cluster no longer answers. What was done is saved" in said
