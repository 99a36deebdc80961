"""A model that reads the documents is proposed, where the one in use does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.models import catalog
from explorer.models.bi_encoder import BiEncoder
from explorer.models.device import choose
from explorer.task import Task
from explorer.workspace.advice import advise, advise_for
from explorer.workspace.updating import Updating
from explorer.workspace.workspace import open_workspace

BILINGUAL = "explorer-minilm-ko-en"


def test_a_korean_folder_is_better_read_by_the_bilingual_model() -> None:
    found = advise_for({"ko": 8, "en": 2, "": 5}, catalog.BUNDLED)
    assert found is not None
    assert (found.model, found.language, found.share) == (BILINGUAL, "ko", 0.8)
    assert "Korean" in found.sentence
    assert BILINGUAL in found.sentence


@pytest.mark.parametrize(
    ("spoken", "model"),
    [
        ({"ko": 8, "en": 2}, BILINGUAL),  # it reads them
        ({"ko": 4, "en": 6}, catalog.BUNDLED),  # most of them are English
        ({"ja": 8}, catalog.BUNDLED),  # no shipped model reads them
        ({"": 3}, catalog.BUNDLED),  # nothing to read
        ({}, catalog.BUNDLED),
        ({"ko": 8}, "a model nobody knows"),  # it may read Korean
    ],
)
def test_nothing_is_said_where_nothing_would_be_gained(spoken: dict[str, int], model: str) -> None:
    assert advise_for(spoken, model) is None


def test_a_model_is_also_known_by_its_folder() -> None:
    assert advise_for({"ko": 1}, str(catalog.bundled())) is not None


def test_the_documents_of_a_workspace_decide(tmp_path: Path, checkpoints: dict[str, Path]) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "하나.txt").write_text("법원은 피고인에게 무죄를 선고했다.", "utf-8")
    (texts / "둘.txt").write_text("고양이가 창가에서 자고 있다.", "utf-8")
    with open_workspace(texts, inside=True) as workspace:
        assert advise(workspace, catalog.BUNDLED) is None
        Updating(BiEncoder.open(checkpoints["bert"], choose("cpu"))).once(workspace, Task())
        found = advise(workspace, catalog.BUNDLED)
    assert found is not None
    assert (found.model, found.share) == (BILINGUAL, 1.0)
