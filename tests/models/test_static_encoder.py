"""Drafts: the same for the same model, honest about empty texts, safe on disk, and good enough to begin with."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from explorer import paths
from explorer.errors import ModelError
from explorer.models import static_encoder
from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.models.static_encoder import StaticEncoder, distil, static_encoder_of
from explorer.task import Cancelled, Progress, Task
from explorer.training.measure.metrics import spearman
from tests.conftest import WORDS

PROJECT = Path(__file__).resolve().parents[2]
SHIPPED = PROJECT / "resources" / "models" / "all-MiniLM-L6-v2-draft"
TEXTS = [
    "the cat sat on the mat",
    "a quick brown fox",
    "한국 어 문 장 입니다",
    "queen plays loud music",
    "cold green tea",
]


@pytest.fixture
def encoder(tiny: Path) -> BiEncoder:
    return BiEncoder.open(tiny, choose("cpu", precision="float32"))


@pytest.fixture
def made(encoder: BiEncoder) -> StaticEncoder:
    return distil(encoder)


@pytest.fixture
def kept(made: StaticEncoder, tmp_path: Path) -> Path:
    """The folder of a saved draft."""
    made.save(tmp_path / "draft")
    return tmp_path / "draft"


def cancelled() -> Task:
    task = Task()
    task.cancel()
    return task


def test_distilling_twice_gives_the_same(encoder, made):
    again = distil(encoder)
    np.testing.assert_array_equal(made.table, again.table)
    assert made.fingerprint == again.fingerprint
    assert made.source == encoder.fingerprint


def test_a_draft_has_a_vector_a_token_and_none_for_markers(encoder, made):
    tokenizer = encoder.tokenizer.whole_copy()
    assert made.table.shape == (tokenizer.get_vocab_size(), 32)
    for marker in ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"):
        assert not made.table[tokenizer.token_to_id(marker)].any()
    assert made.table[tokenizer.token_to_id("cat")].any()


def test_the_dimension_can_be_chosen_up_to_the_models(encoder):
    assert distil(encoder, dimension=8).dimension == 8
    assert distil(encoder, dimension=999).dimension == encoder.dimension
    assert distil(encoder, dimension=8).fingerprint != distil(encoder).fingerprint


def test_another_model_gives_another_draft(made, checkpoints):
    other = distil(BiEncoder.open(checkpoints["electra"], choose("cpu", precision="float32")))
    assert other.fingerprint != made.fingerprint


def test_distilling_can_be_cancelled(encoder):
    with pytest.raises(Cancelled):
        distil(encoder, task=cancelled())


def test_distilling_tells_its_progress(encoder):
    told: list[Progress] = []
    distil(encoder, task=Task(told.append))
    assert told[-1].done == told[-1].total > 0


def test_a_vector_has_length_one(made):
    vectors = made.encode(TEXTS).whole()
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), made.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_texts_vector_is_the_sum_of_its_tokens(made):
    cat, dog, both = made.encode(["cat", "dog", "cat dog"]).whole()
    rows = [made._tokenizer.token_to_id(word) for word in ("cat", "dog")]
    expected = made.table[rows].sum(axis=0)
    np.testing.assert_allclose(both, expected / np.linalg.norm(expected), atol=1e-6)
    assert abs(float(cat @ dog)) < 0.99


def test_a_text_alone_has_the_vector_it_has_among_others(made):
    together = made.encode(TEXTS).whole()
    alone = np.concatenate([made.encode([text]).whole() for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_an_empty_text_is_all_zeros_without_a_warning(made):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = made.encode(["", "cat", " \n\t"])
    assert found.done.all()
    assert not found.vectors[[0, 2]].any()
    assert np.linalg.norm(found.vectors[1]) == pytest.approx(1)


def test_no_texts_give_no_vectors(made):
    found = made.encode([])
    assert found.whole().shape == (0, made.dimension)


def test_lone_surrogates_do_no_harm(made):
    strange, plain = made.encode(["cat \ud800 dog", "cat ? dog"]).whole()
    np.testing.assert_array_equal(strange, plain)


def test_long_texts_are_read_to_their_end(made):
    start = "cat " * 500
    without, with_end = made.encode([start, start + "queen " * 500]).whole()
    assert float(without @ with_end) < 0.99


def test_a_cancelled_encode_gives_what_it_did(made, monkeypatch):
    monkeypatch.setattr(static_encoder, "_WINDOW", 10)
    task = Task(lambda progress: task.cancel() if progress.done == 20 else None)
    found = made.encode(["cat"] * 35, task=task)
    assert found.done.tolist() == [True] * 20 + [False] * 15
    assert found.vectors[:20].any(axis=1).all()
    assert not found.vectors[20:].any()
    with pytest.raises(Cancelled):
        found.whole()


def test_encoding_tells_its_progress(made, monkeypatch):
    monkeypatch.setattr(static_encoder, "_WINDOW", 10)
    told: list[Progress] = []
    made.encode(["cat"] * 35, task=Task(told.append))
    assert [progress.done for progress in told] == [0, 10, 20, 30, 35]


def test_a_saved_draft_is_the_same_within_eight_bits(made, kept):
    opened = StaticEncoder.open(kept)
    assert (opened.source, opened.dimension, opened.fingerprint) == (made.source, made.dimension, made.fingerprint)
    largest = np.abs(made.table).max(axis=1, keepdims=True)
    assert (np.abs(opened.table - made.table) <= largest / 254 * 1.001 + 1e-12).all()
    np.testing.assert_allclose(opened.encode(TEXTS).whole(), made.encode(TEXTS).whole(), atol=0.01)


def test_saving_what_was_opened_changes_nothing_more(kept, tmp_path):
    opened = StaticEncoder.open(kept)
    opened.save(tmp_path / "again")
    np.testing.assert_allclose(StaticEncoder.open(tmp_path / "again").table, opened.table, rtol=1e-6)


def test_saving_leaves_nothing_half_made_and_replaces_a_draft(made, kept, tmp_path):
    made.save(kept)
    assert [path.name for path in tmp_path.glob("draft*")] == ["draft"]
    assert StaticEncoder.open(kept).source == made.source


def test_saving_never_replaces_what_is_not_a_draft(made, tiny, tmp_path):
    mine = tmp_path / "documents"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    model = shutil.copytree(tiny, tmp_path / "model")
    file = tmp_path / "file"
    file.write_text("x")
    for path in (mine, model, file):
        with pytest.raises(ModelError, match="already something else here"):
            made.save(path)
    assert (mine / "thesis.txt").read_text() == "years of work"
    assert (model / "model.safetensors").is_file()
    assert not list(tmp_path.glob("*.partial"))


def test_an_empty_folder_may_be_filled(made, tmp_path):
    (tmp_path / "empty").mkdir()
    made.save(tmp_path / "empty")
    assert StaticEncoder.open(tmp_path / "empty").source == made.source


def test_a_place_that_cannot_be_written_is_told(made, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ModelError, match="cannot be written"):
        made.save(tmp_path / "file" / "draft")


def _set(path: Path, **values: object) -> None:
    file = path / "config.json"
    said = json.loads(file.read_text()) | values
    file.write_text(json.dumps({key: value for key, value in said.items() if value is not None}))


def _shorten(path: Path) -> None:
    file = path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-7])


def _lose_rows(path: Path) -> None:
    stored = load_file(path / "model.safetensors")
    save_file({"table": stored["table"][:20], "scale": stored["scale"][:20]}, path / "model.safetensors")


def _lose_scale(path: Path) -> None:
    save_file({"table": load_file(path / "model.safetensors")["table"]}, path / "model.safetensors")


DAMAGES = {
    "no configuration": lambda path: (path / "config.json").unlink(),
    "no json": lambda path: (path / "config.json").write_text("{"),
    "old": lambda path: _set(path, version=static_encoder.VERSION - 1),
    "newer": lambda path: _set(path, version=static_encoder.VERSION + 1),
    "another type": lambda path: _set(path, model_type="bert"),
    "no source": lambda path: _set(path, source=None),
    "no weights": lambda path: (path / "model.safetensors").unlink(),
    "cut short": _shorten,
    "no safetensors": lambda path: (path / "model.safetensors").write_bytes(b"x" * 100),
    "no scale": _lose_scale,
    "fewer vectors than tokens": _lose_rows,
    "no tokenizer": lambda path: (path / "tokenizer.json").unlink(),
    "broken tokenizer": lambda path: (path / "tokenizer.json").write_text("{}"),
    "other words": lambda path: _exchange(path / "tokenizer.json", '"cat"', '"dog"'),
}


def _exchange(path: Path, first: str, second: str) -> None:
    text = path.read_text("utf-8").replace(first, "\0").replace(second, first).replace("\0", second)
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_draft_is_refused_with_its_place(kept, damage):
    damage(kept)
    with pytest.raises(ModelError, match=re.escape(str(kept))):
        StaticEncoder.open(kept)


def test_a_draft_is_kept_and_not_made_again(encoder):
    first = static_encoder_of(encoder)
    again = static_encoder_of(encoder, cancelled())  # a cancelled task could make nothing
    np.testing.assert_array_equal(first.table, again.table)
    assert [path.name for path in (paths.cache() / "drafts").iterdir()] == [
        f"{static_encoder.VERSION}-{encoder.fingerprint}"
    ]


def test_a_draft_that_is_not_kept_is_made(encoder):
    with pytest.raises(Cancelled):
        static_encoder_of(encoder, cancelled())


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_kept_draft_that_is_damaged_is_made_again(encoder, damage):
    whole = static_encoder_of(encoder)
    (path,) = (paths.cache() / "drafts").iterdir()
    damage(path)
    static_encoder._open_encoders.clear()  # as in a new process
    searched = static_encoder.ready_static_encoder(encoder)
    assert searched is not None
    np.testing.assert_array_equal(searched.table, whole.table)
    np.testing.assert_array_equal(searched.encode(TEXTS).whole(), whole.encode(TEXTS).whole())
    np.testing.assert_array_equal(static_encoder_of(encoder, cancelled()).table, whole.table)


def test_another_models_draft_is_not_taken(encoder, checkpoints):
    static_encoder_of(encoder)
    other = BiEncoder.open(checkpoints["electra"], choose("cpu", precision="float32"))
    assert static_encoder_of(other).source == other.fingerprint


def test_using_a_draft_needs_no_torch(kept):
    code = f"""
import sys
for name in ("torch", "transformers", "sentence_transformers"):
    sys.modules[name] = None
from pathlib import Path
from explorer.models.static_encoder import StaticEncoder
print(StaticEncoder.open(Path({str(kept)!r})).encode(["cat", "dog"]).whole().shape)
"""
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("(2, 32)\n", "")


def test_common_words_weigh_less_than_rare_ones():
    words = ["[PAD]", "e", "the", *WORDS, *(f"rare{number}" for number in range(2000))]
    meaningful = np.array([not static_encoder._is_special(word) for word in words])
    rarity = static_encoder._sif(words, meaningful)
    assert not meaningful[0]
    assert rarity[1] <= rarity[2] < rarity[10] < rarity[-1] < 1
    assert (np.diff(rarity[2:]) >= 0)[len(WORDS) :].all()


@pytest.mark.bundled
class TestShipped:
    def test_it_is_small(self):
        assert 1_000_000 < sum(path.stat().st_size for path in SHIPPED.rglob("*")) <= 10_000_000

    def test_it_belongs_to_the_bundled_model_and_is_taken_for_it(self, bundled):
        assert StaticEncoder.open(SHIPPED).source == bundled.fingerprint
        assert static_encoder_of(bundled, cancelled()).fingerprint == StaticEncoder.open(SHIPPED).fingerprint
        assert not (paths.cache() / "drafts").exists()

    def test_the_korean_and_english_model_has_its_own(self):
        encoder = BiEncoder.open(paths.resources() / "models" / "explorer-minilm-ko-en", choose("cpu"))
        draft = static_encoder_of(encoder, cancelled())
        assert draft.source == encoder.fingerprint
        assert not (paths.cache() / "drafts").exists()
        texts = ["고양이가 잠을 잔다", "강아지가 누워서 쉰다", "은행이 금리를 올렸다"]
        cat, dog, bank = draft.encode(texts).whole()
        assert cat @ dog > cat @ bank

    def test_it_is_made_of_the_bundled_models_vectors(self, bundled):
        """Its rows are the model's token vectors by one affine map and a weight each, as distilling gives them.

        Making all 30,000 anew takes a minute: `python tests/benchmarks/shipped_models.py --draft`.
        """
        shipped, tokenizer = StaticEncoder.open(SHIPPED), bundled.tokenizer.whole_copy()
        words = [tokenizer.id_to_token(token) for token in range(tokenizer.get_vocab_size())]
        meaningful = np.array([not static_encoder._is_special(word) for word in words])
        assert not shipped.table[~meaningful].any()
        tokens = np.random.default_rng(0).permutation(np.flatnonzero(meaningful))[:1000]
        vectors = bundled.token_vectors(tokens, task=Task()).astype(np.float64)
        given = np.hstack([vectors, np.ones((1000, 1))])
        wanted = shipped.table[tokens] / static_encoder._sif(words, meaningful)[tokens, None]
        found = given[700:] @ np.linalg.lstsq(given[:700], wanted[:700])[0]
        unlike = np.linalg.norm(found - wanted[700:], axis=1) / np.linalg.norm(wanted[700:], axis=1)
        assert unlike.max() < 0.05  # eight bits a number

    def test_it_knows_what_is_alike(self):
        texts = ["The printer is offline.", "Nothing prints any more.", "Whisk the eggs with the sugar."]
        first, second, third = StaticEncoder.open(SHIPPED).encode(texts).whole()
        assert first @ second > first @ third + 0.2

    @pytest.mark.data
    def test_it_agrees_with_people(self, data_folder):
        with (data_folder / "stsb_en" / "stsb-en-dev.csv").open(encoding="utf-8", newline="") as file:
            first, second, scores = zip(*csv.reader(file), strict=True)
        shipped = StaticEncoder.open(SHIPPED)
        cosines = (shipped.encode(first).whole() * shipped.encode(second).whole()).sum(axis=1)
        assert len(scores) == 1500
        assert spearman(cosines, [float(score) for score in scores]) >= 0.78
