"""The bilingual encoders that ship: their files, the same vectors elsewhere, Korean understood, English kept."""

from __future__ import annotations

import csv
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog, safetensors
from explorer.models.runtime.device import choose
from explorer.training.measure.metrics import auc, spearman

MINILM = "explorer-minilm-ko-en"
MOST_BYTES = {catalog.DEFAULT: 85_000_000, MINILM: 60_000_000}
KOREAN = [
    "법원은 피고인에게 무죄를 선고했다.",
    "고양이가 창가에서 자고 있다.",
    "주식 시장이 크게 하락했다.",
    "여름휴가로 바다에 다녀왔어요.",
]
ENGLISH = [
    "The court found the defendant not guilty.",
    "A cat is sleeping by the window.",
    "The stock market fell sharply.",
    "We went to the sea for our summer holiday.",
]


@pytest.fixture(scope="module", params=list(MOST_BYTES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def folder(name: str) -> Path:
    return catalog.find(name)


@pytest.fixture(scope="module")
def model(folder: Path) -> BiEncoder:
    return BiEncoder.open(folder, choose("cpu", precision="float32"))


def test_it_is_small_and_in_half_precision(name: str, folder: Path) -> None:
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) <= MOST_BYTES[name]
    tensors = safetensors.tensors(folder / safetensors.SINGLE)
    assert {tensor.dtype for tensor in tensors.values()} == {"F16"}


def test_the_catalog_lists_it_with_what_it_was_measured_to_do(name: str, folder: Path) -> None:
    (entry,) = [entry for entry in catalog.entries() if entry.name == name]
    assert (entry.kind, entry.source, entry.path, entry.problem) == ("bi", "shipped", folder, "")
    assert set(entry.languages) == {"ko", "en"}
    assert entry.licence
    measures = dict(entry.measures)
    assert measures["KorSTS dev, Spearman"] >= 0.72
    assert measures["STSb test, Spearman"] >= 0.80


def test_sentence_transformers_makes_the_same_vectors(folder: Path, model: BiEncoder) -> None:
    from sentence_transformers import SentenceTransformer

    texts = [*KOREAN, *ENGLISH, unicodedata.normalize("NFD", KOREAN[0])]
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    np.testing.assert_allclose(model.encode(texts).whole(), np.asarray(theirs, np.float32), atol=2e-3)


def test_korean_is_cut_into_whole_syllables_where_morphemes_end(model: BiEncoder) -> None:
    text = "고양이가 판결을 연주했다"
    found = [text[start:end] for start, end in model.tokenizer.spans(text)]
    assert found == ["고양이", "가", "판결", "을", "연주", "했다"]


def test_every_syllable_in_common_use_is_known(model: BiEncoder) -> None:
    """되 and ㄹ have grown together in 될, which is no morpheme; a word with an unknown syllable is lost as a whole."""
    rows = (bytes((lead, trail)) for lead in range(0xB0, 0xC9) for trail in range(0xA1, 0xFF))
    syllables = [row.decode("euc_kr") for row in rows]
    unknown = model.tokenizer.encode(["\u0e00"])[0].ids[1]
    found = model.tokenizer.encode([text for one in syllables for text in (one, f"나{one}")])
    assert len(syllables) == 2350
    assert not [tokens for tokens in found if unknown in tokens.ids]


def test_decomposed_korean_is_read_like_composed(model: BiEncoder) -> None:
    """Names and texts from a Mac come in letters."""
    decomposed = [unicodedata.normalize("NFD", text) for text in KOREAN]
    assert model.tokenizer.encode(decomposed) == model.tokenizer.encode(KOREAN)


def test_english_is_cut_as_before(model: BiEncoder, bundled: BiEncoder) -> None:
    texts = [*ENGLISH, "Café naïve, 東京 and Ελλάδα; e-mail@example.org 3.14!", "antidisestablishmentarianism"]
    assert model.tokenizer.encode(texts) == bundled.tokenizer.encode(texts)


def test_unrelated_texts_have_cosines_about_zero(model: BiEncoder) -> None:
    """What the window shows as a score, and what counts as similar, rests on that."""
    vectors = model.encode([*ENGLISH, *KOREAN]).whole()
    cosines = (vectors @ vectors.T)[np.add.outer(range(8), -np.arange(8)) % 4 != 0]
    assert abs(float(cosines.mean())) < 0.2


def test_a_text_is_nearest_its_translation(model: BiEncoder) -> None:
    cosines = model.encode(KOREAN).whole() @ model.encode(ENGLISH).whole().T  # (4, 4)
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.diag(cosines).min() > 0.4


def test_english_vectors_stay_near_the_bundled_ones(bundled: BiEncoder) -> None:
    model = BiEncoder.open(catalog.find(MINILM), choose("cpu", precision="float32"))
    assert (model.encode(ENGLISH).whole() * bundled.encode(ENGLISH).whole()).sum(axis=1).min() > 0.8


@pytest.mark.data
def test_it_agrees_with_people_about_korean(model: BiEncoder, data_folder: Path) -> None:
    rows = _rows(data_folder / "korsts" / "sts-dev.tsv")[::8]
    cosines = _cosines(model, [row[5] for row in rows], [row[6] for row in rows])
    assert spearman(cosines, [float(row[4]) for row in rows]) >= 0.72


@pytest.mark.data
def test_it_tells_korean_questions_apart_better_than_the_bundled(
    model: BiEncoder, bundled: BiEncoder, data_folder: Path
) -> None:
    rows = _rows(data_folder / "ko_question_pair" / "validation.txt")[::4]
    same = [row[2] == "0" for row in rows]
    columns = [row[0] for row in rows], [row[1] for row in rows]
    assert auc(same, _cosines(model, *columns)) > auc(same, _cosines(bundled, *columns)) + 0.05


def _cosines(model: BiEncoder, first: list[str], second: list[str]) -> np.ndarray:
    vectors = model.encode([*first, *second]).whole()
    cosines: np.ndarray = (vectors[: len(first)] * vectors[len(first) :]).sum(axis=1)
    return cosines


def _rows(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
