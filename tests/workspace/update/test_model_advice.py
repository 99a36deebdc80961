"""A model that reads the documents is proposed, where the one in use does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog
from explorer.models.files.catalog import CatalogEntry
from explorer.models.runtime.device import choose
from explorer.task import Task
from explorer.workspace.update.model_advice import Advice, advise, advise_for
from explorer.workspace.update.watch import UpdateOptions
from explorer.workspace.workspace import open_workspace

BILINGUAL = catalog.DEFAULT


HERE = Path()
ENGLISH = CatalogEntry("english", "bi", "shipped", HERE, languages=("en",))
BOTH = CatalogEntry("both", "bi", "shipped", HERE, languages=("ko", "en"))
AFAR = CatalogEntry("afar", "bi", "hub", None, languages=("ko",))
OWN = CatalogEntry("own", "bi", "user", HERE, languages=("ko",))
CROSS = CatalogEntry("cross", "cross", "shipped", HERE, languages=("ko",))


@pytest.mark.parametrize(
    ("spoken", "known", "told"),
    [
        ({"ko": 8, "en": 2, "": 5}, ("en",), Advice("ko", 0.8, "english", "both")),
        ({"ko": 2, "ja": 3}, ("en",), Advice("ja", 1.0, "english", "")),
        ({"ko": 1, "en": 1}, ("en",), Advice("ko", 0.5, "english", "both")),
        ({"ko": 1, "en": 9}, ("en",), Advice("ko", 0.1, "english", "both")),
        ({"ko": 1, "en": 10}, ("en",), None),  # less than a tenth
        ({"ko": 2}, ("ko", "en"), None),
        ({"ko": 2}, (), None),  # it may read Korean
        ({"": 2}, ("en",), None),
        ({}, ("en",), None),
    ],
)
def test_the_user_is_warned_from_the_first_tenth_that_cannot_be_read(
    spoken: dict[str, int], known: tuple[str, ...], told: Advice | None
) -> None:
    assert advise_for(spoken, known, "english", [ENGLISH, AFAR, CROSS, OWN, BOTH]) == told


def test_where_no_model_here_reads_them_none_is_offered() -> None:
    found = advise_for({"ko": 1}, ("en",), "english", [ENGLISH, AFAR, CROSS])
    assert found is not None
    assert found.better == ""
    assert "No model on this machine reads Korean" in found.sentence


def test_the_documents_of_a_workspace_decide(tmp_path: Path, checkpoints: dict[str, Path]) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "하나.txt").write_text("법원은 피고인에게 무죄를 선고했다.", "utf-8")
    (texts / "둘.txt").write_text("고양이가 창가에서 자고 있다.", "utf-8")
    with open_workspace(texts, inside=True) as workspace:
        assert advise(workspace, catalog.BUNDLED) is None
        UpdateOptions(BiEncoder.open(checkpoints["bert"], choose("cpu", precision="float32"))).once(workspace, Task())
        found = advise(workspace, catalog.BUNDLED)
        by_folder = advise(workspace, str(catalog.bundled()))
    assert found is not None
    assert (found.better, found.share) == (BILINGUAL, 1.0)
    assert BILINGUAL in found.sentence
    assert by_folder is not None
