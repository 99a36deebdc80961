"""The bi-encoder: same vectors as the reference library, whatever the batch, device memory or cancellation."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer.errors import ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import model_folder as folders
from explorer.models.files.model_folder import Dense, Normalize
from explorer.models.runtime.device import choose
from explorer.task import Cancelled, Progress, Task
from tests.conftest import ARCHITECTURES, WORDS, make_checkpoint

CPU = choose("cpu", precision="float32")
POOLINGS = ("mean", "cls", "max")
ODD = [
    *("", " ", "😀 emoji 👩‍👩‍👧", "한국어 문장입니다.", "\x00\x01\x02 control\x7f", "a\tb\r\nc", "İstanbul ﬁ ﬀ é é"),
    *("x" * 10_000, "word " * 3000, "漢字かな交じり文", "\u200b\u202e zero width", "ＦＵＬＬ ｗｉｄｔｈ"),
]


def varied_texts(count: int, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    texts = [*ODD]
    while len(texts) < count:
        words = chance.choices(WORDS, k=min(int(chance.expovariate(1 / 14)) + 1, 150))
        texts.append(" ".join(words).capitalize() + chance.choice([".", "!", "?", ""]))
    return texts


def reference(path: Path) -> object:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(path), device="cpu")


@pytest.mark.bundled
def test_the_bundled_model_gives_the_vectors_of_the_reference_library(bundled: BiEncoder, bundled_folder: Path) -> None:
    texts = varied_texts(150)
    np.testing.assert_allclose(bundled.encode(texts).whole(), reference(bundled_folder).encode(texts), atol=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("pooling", POOLINGS)
def test_models_of_the_reference_library_open_here(
    checkpoints: dict[str, Path], tmp_path: Path, architecture: str, pooling: str
) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    texts = varied_texts(30)
    chains = [(False, False), (True, True), (True, False), (False, True)]
    for number, (dense, normalize) in enumerate(chains if architecture == "bert" else chains[:2]):
        torch.manual_seed(number)
        chain = [modules.Transformer(str(checkpoints[architecture])), modules.Pooling(32, pooling)]
        chain += [modules.Dense(32, 24, activation_function=torch.nn.Tanh())] if dense else []
        chain += [modules.Normalize()] if normalize else []
        theirs = SentenceTransformer(modules=chain, device="cpu")
        path = tmp_path / str(number)
        theirs.save(str(path))
        ours = BiEncoder.open(path, CPU)
        assert ours.dimension == (24 if dense else 32)
        np.testing.assert_allclose(ours.encode(texts).whole(), theirs.encode(texts), atol=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("pooling", POOLINGS)
def test_models_saved_here_open_in_the_reference_library(
    checkpoints: dict[str, Path], tmp_path: Path, architecture: str, pooling: str
) -> None:
    texts = varied_texts(30)
    raw = folders.read(checkpoints[architecture])
    dense = Dense(32, 20, activation="GELU")
    chains = [(), (dense, Normalize()), (dense,), (Normalize(),)]
    for number, layers in enumerate(chains if architecture == "bert" else chains[:2]):
        torch.manual_seed(number)
        ours = BiEncoder(replace(raw, pooling=(pooling,), layers=layers), CPU)
        vectors = ours.encode(texts).whole()
        saved = ours.save(tmp_path / str(number))
        assert (saved.pooling, saved.layers) == ((pooling,), layers)
        np.testing.assert_allclose(reference(saved.path).encode(texts), vectors, atol=1e-5)
        np.testing.assert_allclose(BiEncoder(saved, CPU).encode(texts).whole(), vectors, atol=1e-6)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_padding_never_changes_a_vector(checkpoints: dict[str, Path], architecture: str) -> None:
    raw = folders.read(checkpoints[architecture])
    texts = varied_texts(30, seed=3)
    for pooling in (*POOLINGS, "mean_sqrt_len_tokens", "weightedmean", "lasttoken"):
        model = BiEncoder(replace(raw, pooling=(pooling,)), CPU)
        together = model.encode(texts).whole()
        alone = np.concatenate([model.encode([text]).whole() for text in texts])
        np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_raw_checkpoint_gets_mean_pooling(tiny: Path) -> None:
    model = BiEncoder.open(tiny, CPU)
    assert model.folder.pooling == ("mean",)
    ids = torch.tensor([model.tokenizer.encode(["the cat sat"])[0].ids])
    with torch.inference_mode():
        hidden = model.network.transformer(input_ids=ids).last_hidden_state
    np.testing.assert_allclose(model.encode(["the cat sat"]).whole()[0], hidden[0].mean(0).numpy(), atol=1e-5)


def test_several_poolings_are_concatenated_as_in_the_reference_library(tiny: Path, tmp_path: Path) -> None:
    ours = BiEncoder(replace(folders.read(tiny), pooling=("cls", "max", "mean")), CPU)
    texts = varied_texts(20)
    saved = ours.save(tmp_path / "model")
    assert ours.dimension == 96
    np.testing.assert_allclose(reference(saved.path).encode(texts), ours.encode(texts).whole(), atol=1e-5)


@pytest.mark.parametrize("pools_prompt", [True, False])
def test_prompts_are_applied_as_in_the_reference_library(tiny: Path, tmp_path: Path, pools_prompt: bool) -> None:
    prompts = {"query": "quick fox ", "passage": "green tea: "}
    said = replace(folders.read(tiny), prompts=prompts, pools_prompt=pools_prompt)
    ours = BiEncoder(said, CPU)
    texts = varied_texts(30)
    theirs = reference(ours.save(tmp_path / "model").path)
    for role, name in (("query", "query"), ("document", "passage")):
        wanted = theirs.encode(texts, prompt_name=name)
        np.testing.assert_allclose(ours.encode(texts, role=role).whole(), wanted, atol=1e-5)
    np.testing.assert_allclose(ours.encode(texts).whole(), theirs.encode(texts), atol=1e-5)
    assert not np.allclose(ours.encode(texts).whole(), ours.encode(texts, role="query").whole(), atol=1e-3)


def test_a_default_prompt_applies_to_texts_without_a_role(tiny: Path, tmp_path: Path) -> None:
    said = replace(folders.read(tiny), prompts={"passage": "green tea: "}, default_prompt="passage")
    ours = BiEncoder(said, CPU)
    theirs = reference(ours.save(tmp_path / "model").path)
    texts = varied_texts(20)
    np.testing.assert_allclose(ours.encode(texts).whole(), theirs.encode(texts), atol=1e-5)
    assert ours.prompt("query") == ours.prompt(None) == "green tea: "


def test_the_limit_of_tokens_is_the_models_own(tiny: Path, bundled: BiEncoder) -> None:
    assert BiEncoder.open(tiny, CPU).max_tokens == 64
    assert bundled.max_tokens == 256
    long = "river stone " * 400
    counts = bundled.tokenizer.encode([long, "short"])
    assert [len(tokens.ids) for tokens in counts] == [256, 3]


def test_positions_counted_from_the_padding_id_shorten_the_limit(tmp_path: Path) -> None:
    path = make_checkpoint(tmp_path / "model", "roberta")
    config = path / "tokenizer_config.json"
    config.write_text(config.read_text().replace('"model_max_length": 64', '"model_max_length": 100000'))
    model = BiEncoder.open(path, CPU)
    assert model.max_tokens == 80 - 2
    assert np.isfinite(model.encode(["moon " * 500]).whole()).all()


def test_a_lower_casing_model_reads_capitals_as_the_reference_library_does(tmp_path: Path) -> None:
    path = make_checkpoint(tmp_path / "raw", "xlm-roberta")
    ours = BiEncoder(replace(folders.read(path), lower_case=True), CPU)
    theirs = reference(ours.save(tmp_path / "model").path)
    texts = ["THE CAT SAT", "The Quick FOX"]
    np.testing.assert_allclose(ours.encode(texts).whole(), theirs.encode(texts), atol=1e-5)
    np.testing.assert_allclose(ours.encode(texts).whole(), ours.encode([t.lower() for t in texts]).whole(), atol=1e-6)


def test_lone_surrogates_are_encoded_not_thrown(tiny: Path) -> None:
    assert np.isfinite(BiEncoder.open(tiny, CPU).encode(["cat \ud800 dog", "\udfff"]).whole()).all()


def test_no_texts_give_no_vectors(tiny: Path) -> None:
    assert BiEncoder.open(tiny, CPU).encode([]).whole().shape == (0, 32)


def test_one_thread_or_many_give_the_same(tiny: Path) -> None:
    texts = varied_texts(300)
    one, many = (
        BiEncoder.open(tiny, choose("cpu", threads=count, precision="float32")).encode(texts).whole()
        for count in (1, 4)
    )
    np.testing.assert_allclose(one, many, atol=1e-6)


def test_a_cancelled_encode_returns_what_it_did(tiny: Path) -> None:
    model = BiEncoder.open(tiny, CPU)
    texts = varied_texts(5000)
    whole = model.encode(texts).whole()
    task = Task(lambda progress: task.cancel() if progress.done > progress.total / 3 else None)
    encoding = model.encode(texts, task=task)
    share = encoding.done.mean()
    assert 0 < share < 1
    np.testing.assert_allclose(encoding.vectors[encoding.done], whole[encoding.done], atol=1e-6)
    assert not encoding.vectors[~encoding.done].any()
    with pytest.raises(Cancelled):
        encoding.whole()


def test_progress_runs_from_nothing_to_all(tiny: Path) -> None:
    seen: list[Progress] = []
    BiEncoder.open(tiny, CPU).encode(varied_texts(500), task=Task(seen.append))
    done = [progress.done for progress in seen]
    assert done[0] == 0
    assert done[-1] == seen[-1].total
    assert done == sorted(done)
    assert {progress.note for progress in seen} == {"encoding"}


def test_too_small_a_memory_halves_the_batch_and_goes_on(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = BiEncoder.open(tiny, CPU)
    texts = varied_texts(200)
    wanted = model.encode(texts).whole()
    largest = []
    forward = model.network.forward

    def small_memory(ids: torch.Tensor, *others: object) -> torch.Tensor:
        if len(ids) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        largest.append(len(ids))
        return forward(ids, *others)

    monkeypatch.setattr(model.network, "forward", small_memory)
    np.testing.assert_allclose(model.encode(texts).whole(), wanted, atol=1e-6)
    assert max(largest) <= 3


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_a_lower_precision_is_near_to_float32_and_of_the_same_model(tiny: Path, precision: str) -> None:
    texts = varied_texts(50)
    full = BiEncoder.open(tiny, CPU)
    lower = BiEncoder.open(tiny, choose("cpu", precision=precision))
    vectors, wanted = lower.encode(texts).whole(), full.encode(texts).whole()
    assert vectors.dtype == np.float32
    assert lower.fingerprint == full.fingerprint
    np.testing.assert_allclose(cosines(vectors, wanted), 1, atol=2e-3)


def test_padding_hardly_changes_a_vector_in_bfloat16(checkpoints: dict[str, Path]) -> None:
    model = BiEncoder.open(checkpoints["bert"], choose("cpu", precision="bfloat16"))
    texts = varied_texts(30, seed=3)
    together = model.encode(texts).whole()
    alone = np.concatenate([model.encode([text]).whole() for text in texts])
    np.testing.assert_allclose(cosines(together, alone), 1, atol=1e-3)  # a step of bfloat16 is 2 ** -8


def test_rounded_weights_are_never_saved(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="bfloat16 cannot be saved"):
        BiEncoder.open(tiny, choose("cpu", precision="bfloat16")).save(tmp_path / "saved")


def cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)


def test_a_cross_encoder_is_refused(tmp_path: Path) -> None:
    path = make_checkpoint(tmp_path / "cross", "bert", classes=1)
    with pytest.raises(ModelError, match="cross-encoder"):
        BiEncoder.open(path, CPU)


def test_saving_never_overwrites(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.txt").write_text("mine")
    with pytest.raises(ModelError, match="already"):
        BiEncoder.open(tiny, CPU).save(tmp_path / "taken")
    assert {path.name for path in tmp_path.iterdir()} - {"home"} == {"taken"}  # home has what is remembered of files


@pytest.mark.bundled
def test_meaning(bundled: BiEncoder) -> None:
    query, near, far = bundled.encode(
        ["How do I bake bread?", "A recipe for sourdough loaves", "The match ended 2-1"]
    ).whole()
    assert query @ near > 0.4 > 0.2 > query @ far
