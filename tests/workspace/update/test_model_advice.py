"""A model that reads the documents is proposed, where the one in use does not."""

from __future__ import annotations

from dataclasses import replace
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


MANY = CatalogEntry(
    "many", "bi", "shipped", HERE, languages=("en", "ko", "fr", "ja"), measures=(("STSb test, Spearman", 0.80),)
)
GOOD = replace(BOTH, name=catalog.DEFAULT, measures=(("STSb test, Spearman", 0.86),))


@pytest.mark.parametrize(
    ("spoken", "known", "told"),
    [
        ({"ko": 8, "en": 2, "": 5}, ("en",), Advice(("ko",), 0.8, "english", "both")),
        ({"ko": 2, "ja": 3}, ("en",), Advice(("ja", "ko"), 1.0, "english", "both", ("ja",))),
        ({"ja": 3, "en": 1}, ("en",), Advice(("ja",), 0.75, "english")),
        ({"ko": 1, "en": 1}, ("en",), Advice(("ko",), 0.5, "english", "both")),
        ({"ko": 1, "en": 9}, ("en",), Advice(("ko",), 0.1, "english", "both")),
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


@pytest.mark.parametrize(
    ("spoken", "used", "told"),
    [
        # Half Korean: the model of two languages, not the one of many.
        ({"en": 5, "ko": 5}, ENGLISH, Advice(("ko",), 0.5, "english", catalog.DEFAULT)),
        # Of every ten one is French: said, with the one that reads it, at a price.
        ({"en": 5, "ko": 4, "fr": 1}, GOOD, Advice(("fr",), 0.1, catalog.DEFAULT, "many", (), at_a_price=True)),
        # Two of every hundred are French: nothing to say, and nothing to lose for the Korean ones.
        ({"en": 60, "ko": 38, "fr": 2}, GOOD, None),
        ({"en": 60, "ko": 38, "fr": 2}, ENGLISH, Advice(("ko", "fr"), 0.4, "english", catalog.DEFAULT, ("fr",))),
        # No language alone is a tenth, both together are.
        ({"en": 18, "fr": 1, "ja": 1}, GOOD, Advice(("fr", "ja"), 0.1, catalog.DEFAULT, "many", (), at_a_price=True)),
        # Hindi nobody reads; what can be done about French is said all the same.
        (
            {"hi": 3, "fr": 2, "en": 5},
            GOOD,
            Advice(("hi", "fr"), 0.5, catalog.DEFAULT, "many", ("hi",), at_a_price=True),
        ),
        ({"hi": 3, "en": 7}, GOOD, Advice(("hi",), 0.3, catalog.DEFAULT)),
        ({"hi": 95, "fr": 5}, GOOD, Advice(("hi", "fr"), 1.0, catalog.DEFAULT)),  # not worth another model
        ({"fr": 4}, GOOD, Advice(("fr",), 1.0, catalog.DEFAULT, "many", (), at_a_price=True)),
    ],
)
def test_of_a_mixed_folder_the_model_is_offered_that_reads_it_best(
    spoken: dict[str, int], used: CatalogEntry, told: Advice | None
) -> None:
    assert advise_for(spoken, used.languages, used.name, [ENGLISH, MANY, AFAR, CROSS, GOOD]) == told


def test_a_model_that_costs_something_is_proposed_where_most_cannot_be_read() -> None:
    def proposed(*counts: int) -> bool:
        found = advise_for(dict(zip(("en", "fr"), counts, strict=True)), GOOD.languages, GOOD.name, [MANY, GOOD])
        assert found is not None
        return found.is_proposed

    assert [proposed(9, 1), proposed(5, 5), proposed(4, 6), proposed(0, 6)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("spoken", "told"),
    [
        ({"fr": 1, "en": 9}, "10% of these documents are in French, which the model"),
        ({"fr": 1, "en": 9}, "The model many reads them, but the other documents less well."),
        ({"fr": 1}, "The model many reads them."),
        ({"fr": 1, "ja": 2}, "are in Japanese and French, which"),
        ({"fr": 1, "ja": 2, "hi": 1}, "are in Japanese, French and other languages, which"),
        ({"fr": 2, "hi": 1}, "The model many reads French. It does not read Hindi: search those documents by word."),
        ({"hi": 1}, "No model on this machine reads Hindi: search these documents by word."),
        ({"xx": 1}, "No model on this machine reads the language “xx”"),
    ],
)
def test_the_sentence_says_what_is_so(spoken: dict[str, int], told: str) -> None:
    found = advise_for(spoken, GOOD.languages, GOOD.name, [MANY, GOOD])
    assert found is not None
    assert told in found.sentence


@pytest.mark.parametrize("code", ["ar", "zh", "fr", "de", "it", "ja", "pt", "ru", "es", "th", "tr", "pl", "nl"])
def test_the_shipped_models_read_each_of_fifteen_languages(code: str) -> None:
    spoken, entries = {code: 1}, catalog.entries()
    found = advise_for(spoken, catalog.languages(catalog.DEFAULT), catalog.DEFAULT, entries)
    assert found is not None
    assert (found.better, found.left, found.is_proposed) == (catalog.MULTILINGUAL, (), True)
    assert "the language “" not in found.sentence
    assert advise_for(spoken, catalog.languages(catalog.MULTILINGUAL), catalog.MULTILINGUAL, entries) is None


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
