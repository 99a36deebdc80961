"""The multilingual encoder that ships: what the published arrays compute, in every language of its card."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import catalog, safetensors
from explorer.models.runtime.device import choose
from explorer.training.measure.metrics import spearman
from tests.models.runtime.test_ngram_encoder import by_hand

NAME = "multilingual-use-v3"
ENGLISH = [
    "A cat is sleeping by the window.",
    "The court found the defendant not guilty.",
    "The stock market fell sharply.",
    "We went to the sea for our summer holiday.",
]
TRANSLATED = {
    "ar": [
        "قطة نائمة بجانب النافذة.",
        "برأت المحكمة المتهم.",
        "انخفضت سوق الأسهم بشكل حاد.",
        "ذهبنا إلى البحر في عطلتنا الصيفية.",
    ],
    "de": [
        "Eine Katze schläft am Fenster.",
        "Das Gericht sprach den Angeklagten frei.",
        "Der Aktienmarkt fiel stark.",
        "In den Sommerferien fuhren wir ans Meer.",
    ],
    "es": [
        "Un gato duerme junto a la ventana.",
        "El tribunal declaró inocente al acusado.",
        "La bolsa cayó con fuerza.",
        "Fuimos al mar en las vacaciones de verano.",
    ],
    "fr": [
        "Un chat dort près de la fenêtre.",
        "Le tribunal a déclaré l'accusé non coupable.",
        "La bourse a fortement chuté.",
        "Nous sommes allés à la mer pour les vacances d'été.",
    ],
    "it": [
        "Un gatto dorme vicino alla finestra.",
        "Il tribunale ha dichiarato innocente l'imputato.",
        "La borsa è crollata.",
        "Siamo andati al mare per le vacanze estive.",
    ],
    "ja": [
        "猫が窓のそばで眠っている。",
        "裁判所は被告人に無罪を言い渡した。",
        "株式市場が大きく下落した。",
        "夏休みに海へ行きました。",
    ],
    "ko": [
        "고양이가 창가에서 자고 있다.",
        "법원은 피고인에게 무죄를 선고했다.",
        "주식 시장이 크게 하락했다.",
        "여름휴가로 바다에 다녀왔어요.",
    ],
    "nl": [
        "Een kat slaapt bij het raam.",
        "De rechtbank sprak de verdachte vrij.",
        "De aandelenmarkt daalde sterk.",
        "We gingen in de zomervakantie naar zee.",
    ],
    "pl": [
        "Kot śpi przy oknie.",
        "Sąd uniewinnił oskarżonego.",
        "Giełda mocno spadła.",
        "Na wakacje pojechaliśmy nad morze.",
    ],
    "pt": [
        "Um gato dorme perto da janela.",
        "O tribunal declarou o réu inocente.",
        "A bolsa de valores caiu muito.",
        "Fomos ao mar nas férias de verão.",
    ],
    "ru": [
        "Кошка спит у окна.",
        "Суд признал подсудимого невиновным.",
        "Фондовый рынок резко упал.",
        "Летом мы ездили в отпуск на море.",
    ],
    "th": ["แมวกำลังนอนหลับอยู่ข้างหน้าต่าง", "ศาลตัดสินว่าจำเลยไม่มีความผิด", "ตลาดหุ้นตกลงอย่างรุนแรง", "เราไปเที่ยวทะเลในวันหยุดฤดูร้อน"],
    "tr": [
        "Bir kedi pencerenin yanında uyuyor.",
        "Mahkeme sanığı suçsuz buldu.",
        "Borsa sert düştü.",
        "Yaz tatilinde denize gittik.",
    ],
    "zh": ["一只猫在窗边睡觉。", "法院判决被告无罪。", "股市大幅下跌。", "我们暑假去了海边。"],
}


@pytest.fixture(scope="module")
def folder() -> Path:
    return catalog.find(NAME)


@pytest.fixture(scope="module")
def model(folder: Path) -> BiEncoder:
    return BiEncoder.open(folder, choose("cpu", precision="float32", threads=1))


def test_it_is_small_and_its_table_is_in_whole_numbers(folder: Path) -> None:
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) <= 80_000_000
    tensors = safetensors.tensors(folder / safetensors.SINGLE)
    assert tensors["words.steps"].dtype == "U8"
    assert {each.dtype for name, each in tensors.items() if not name.startswith("words.")} == {"F16"}


def test_the_catalog_lists_it_with_its_languages_and_licence(folder: Path) -> None:
    (entry,) = [entry for entry in catalog.entries() if entry.name == NAME]
    assert (entry.kind, entry.source, entry.path, entry.problem) == ("bi", "shipped", folder, "")
    assert set(entry.languages) == {"en", *TRANSLATED}
    assert entry.licence == "apache-2.0"
    assert dict(entry.measures)["STSb test, Spearman"] >= 0.8


@pytest.mark.parametrize(
    ("text", "ids", "first"),
    [
        (
            "Le chat dort près de la fenêtre.",
            [1, 469, 3957, 4130, 15479, 13, 25, 52407, 8, 2],
            [-0.0835, -0.0508, -0.0035, 0.0441, 0.0269, -0.0121],
        ),
        (
            "高く　澄んだＡＢＣの空",
            [1, 6, 41418, 6, 41615, 3094, 20708, 73, 1645, 2],
            [0.0328, -0.0440, 0.0566, -0.1010, -0.0395, 0.0822],
        ),  # wide letters and spaces are read like narrow ones
        ("  two   words ", [1, 537, 2801, 2], [0.1003, -0.0395, 0.0618, -0.0552, -0.0631, 0.0480]),
    ],
)
def test_it_computes_what_the_published_arrays_do(
    model: BiEncoder, text: str, ids: list[int], first: list[float]
) -> None:
    """Pieces by the sentencepiece library, values by numpy from the arrays of the package, in float32."""
    assert model.tokenizer.encode([text])[0].ids == ids
    np.testing.assert_allclose(model.encode([text]).whole()[0, :6], first, atol=1e-3)


def test_plain_layers_compute_what_the_residual_ones_do(folder: Path, model: BiEncoder) -> None:
    weights = load_file(folder / safetensors.SINGLE)
    texts = [text for texts in TRANSLATED.values() for text in texts]
    found = model.encode(texts).whole()
    for tokens, vector in zip(model.tokenizer.encode(texts), found, strict=True):
        hidden = by_hand(weights, tokens.ids, ((2, 0), (3, 1), (5, 2)))
        np.testing.assert_allclose(vector, _deep(folder, hidden.sum(axis=0) / np.sqrt(len(hidden))), atol=1e-4)


def test_padding_changes_no_vector(model: BiEncoder) -> None:
    texts = [*ENGLISH, *TRANSLATED["th"], "x", ENGLISH[0] * 20]
    together = model.encode(texts).whole()
    alone = np.concatenate([model.encode([text]).whole() for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize("code", list(TRANSLATED))
def test_a_text_is_nearest_its_translation(model: BiEncoder, code: str) -> None:
    cosines = model.encode(TRANSLATED[code]).whole() @ model.encode(ENGLISH).whole().T  # (4, 4)
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert float(np.diag(cosines).mean()) > 0.5


@pytest.mark.data
def test_it_agrees_with_people_about_english(model: BiEncoder, data_folder: Path) -> None:
    with (data_folder / "stsb_en" / "stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
        first, second, scores = zip(*list(csv.reader(file))[::4], strict=True)
    cosines = (model.encode(first).whole() * model.encode(second).whole()).sum(axis=1)
    assert spearman(cosines, [float(score) for score in scores]) >= 0.8


def _deep(folder: Path, pooled: np.ndarray) -> np.ndarray:
    """What follows the pooling, with the residual connections that the plain layers stand for. (n,)."""
    layers = [load_file(folder / f"{place}_Dense" / safetensors.SINGLE)["linear.weight"].T for place in range(2, 6)]
    first = np.maximum(pooled @ layers[0][:, :320], 0)
    second = np.maximum(first @ layers[1][:320] + pooled @ layers[1][320:832], 0)
    third = np.maximum(second @ layers[2][:, :512], 0)
    vector: np.ndarray = np.tanh(third @ layers[3][:512] + second @ layers[3][512:])
    return vector / np.linalg.norm(vector)
