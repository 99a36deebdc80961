"""Model folders: what is refused and why, what is read, and what the fingerprint stands for."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from explorer.errors import ModelError
from explorer.models.bi_encoder import BiEncoder
from explorer.models.files import model_folder as folders
from explorer.models.files import safetensors
from explorer.models.files.model_folder import Dense, Normalize
from explorer.models.runtime.device import choose

CPU = choose("cpu", precision="float32")
EVIL_MARK = "pickle-was-run"


@pytest.fixture
def model(tiny: Path, tmp_path: Path) -> Path:
    """A whole model in the sentence-transformers layout, to be spoilt."""
    torch.manual_seed(0)
    said = replace(folders.read(tiny), layers=(Dense(32, 16), Normalize()), prompts={"query": "q: "})
    return BiEncoder(said, CPU).save(tmp_path / "model").path


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path / EVIL_MARK,))


def edit(file: Path, **changes: object) -> None:
    said = json.loads(file.read_text())
    said.update(changes)
    file.write_text(json.dumps(said))


def only_pickled(path: Path) -> None:
    (path / "model.safetensors").unlink()
    (path / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(path)))


def remote_code(path: Path) -> None:
    edit(path / "config.json", auto_map={"AutoModel": "modeling_evil.EvilModel"})
    (path / "modeling_evil.py").write_text(f"from pathlib import Path\nPath({str(path / EVIL_MARK)!r}).touch()\n")


def remote_tokenizer(path: Path) -> None:
    edit(path / "tokenizer_config.json", auto_map={"AutoTokenizer": ["tokenization_evil.Evil", None]})


def broken_config(path: Path) -> None:
    (path / "config.json").write_text('{"model_type": "bert", ')


def config_is_a_list(path: Path) -> None:
    (path / "config.json").write_text("[]")


def unknown_type(path: Path) -> None:
    edit(path / "config.json", model_type="no-such-architecture")


def no_config(path: Path) -> None:
    (path / "config.json").unlink()


def no_type(path: Path) -> None:
    (path / "config.json").write_text("{}")


def no_tokenizer(path: Path) -> None:
    for name in folders.TOKENIZER_FILES:
        (path / name).unlink(missing_ok=True)


def broken_tokenizer(path: Path) -> None:
    (path / "tokenizer.json").write_text('{"version": "1.0", "model": 7}')


def truncated_weights(path: Path) -> None:
    file = path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])


def weights_are_noise(path: Path) -> None:
    (path / "model.safetensors").write_bytes(b"\xff" * 500)


def empty_weights(path: Path) -> None:
    (path / "model.safetensors").write_bytes(b"")


def overlong_header(path: Path) -> None:
    (path / "model.safetensors").write_bytes(struct.pack("<Q", 2**60) + b"{}")


def weights_of_another_size(path: Path) -> None:
    edit(path / "config.json", hidden_size=64)


def weights_are_missing(path: Path) -> None:
    state = load_file(path / "model.safetensors")
    state.pop("encoder.layer.1.output.dense.weight")
    save_file(state, path / "model.safetensors", metadata={"format": "pt"})


def dense_of_another_size(path: Path) -> None:
    edit(path / "2_Dense" / "config.json", out_features=99)


def dense_is_pickled(path: Path) -> None:
    (path / "2_Dense" / "model.safetensors").unlink()
    (path / "2_Dense" / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(path)))


def dense_runs_code(path: Path) -> None:
    edit(path / "2_Dense" / "config.json", activation_function="os.system")


def module_outside(path: Path) -> None:
    modules = json.loads((path / "modules.json").read_text())
    modules[1]["path"] = "../../elsewhere"
    (path / "modules.json").write_text(json.dumps(modules))


def strange_module(path: Path) -> None:
    modules = json.loads((path / "modules.json").read_text())
    modules[1]["type"] = "evil.package.Module"
    (path / "modules.json").write_text(json.dumps(modules))


def broken_modules(path: Path) -> None:
    (path / "modules.json").write_text('{"not": "a list"}')


def strange_pooling(path: Path) -> None:
    (path / "1_Pooling" / "config.json").write_text('{"pooling_mode": "telepathy", "embedding_dimension": 32}')


def shard_outside(path: Path) -> None:
    (path / "model.safetensors").unlink()
    index = {"weight_map": {"a": "../other.safetensors"}}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))


def shard_missing(path: Path) -> None:
    (path / "model.safetensors").unlink()
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors"}}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))


SPOILT: list[tuple[Callable[[Path], None], str]] = [
    (only_pickled, r"pytorch_model\.bin.*pickle.*Convert"),
    (remote_code, r"config\.json.*program code.*never run"),
    (remote_tokenizer, r"tokenizer_config\.json.*program code"),
    (broken_config, r"config\.json.*not valid JSON"),
    (config_is_a_list, r"config\.json.*object"),
    (unknown_type, r"config\.json.*standard architecture"),
    (no_config, r"no config\.json"),
    (no_type, r"config\.json.*model_type"),
    (no_tokenizer, r"tokenizer is missing"),
    (broken_tokenizer, r"tokenizer cannot be opened"),
    (truncated_weights, r"model\.safetensors.*damaged.*again"),
    (weights_are_noise, r"model\.safetensors.*damaged"),
    (empty_weights, r"model\.safetensors.*damaged"),
    (overlong_header, r"model\.safetensors.*damaged"),
    (weights_of_another_size, r"model\.safetensors.*do not fit config\.json.*another size"),
    (weights_are_missing, r"model\.safetensors.*do not fit config\.json.*missing"),
    (dense_of_another_size, r"2_Dense.*do not fit"),
    (dense_is_pickled, r"2_Dense.*pickle"),
    (dense_runs_code, r"2_Dense.*not supported"),
    (module_outside, r"outside the model's folder"),
    (strange_module, r"Module.*not supported"),
    (broken_modules, r"modules\.json"),
    (strange_pooling, r"telepathy.*not supported"),
    (shard_outside, r"not the name of a weights file"),
    (shard_missing, r"model-00001-of-00002\.safetensors.*missing"),
]


@pytest.mark.parametrize(("spoil", "sentence"), SPOILT, ids=[spoil.__name__ for spoil, _ in SPOILT])
def test_a_bad_folder_is_refused_with_a_sentence(model: Path, spoil: Callable[[Path], None], sentence: str) -> None:
    BiEncoder.open(model, CPU)  # it was good before
    spoil(model)
    with pytest.raises(ModelError, match=sentence):
        BiEncoder.open(model, CPU)
    assert not (model / EVIL_MARK).exists()


def test_pickles_beside_safetensors_are_not_touched(model: Path) -> None:
    (model / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(model)))
    BiEncoder.open(model, CPU)
    assert not (model / EVIL_MARK).exists()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        folders.read(tmp_path / "nowhere")


def test_sharded_weights_are_read(tiny: Path, tmp_path: Path) -> None:
    from transformers import AutoModel

    shutil.copytree(tiny, tmp_path / "sharded")
    (tmp_path / "sharded" / "model.safetensors").unlink()
    AutoModel.from_pretrained(tiny).save_pretrained(tmp_path / "sharded", max_shard_size="20KB")
    assert len(safetensors.files(tmp_path / "sharded")) > 1
    texts = ["the cat sat", "bright moon"]
    one, many = (BiEncoder.open(path, CPU) for path in (tiny, tmp_path / "sharded"))
    assert (one.encode(texts).whole() == many.encode(texts).whole()).all()
    assert one.fingerprint == many.fingerprint


def test_the_fingerprint_survives_copying_saving_and_a_new_card(model: Path, tmp_path: Path) -> None:
    before = folders.read(model).fingerprint
    shutil.copytree(model, tmp_path / "copy")
    (tmp_path / "copy" / "README.md").write_text("another card")
    edit(tmp_path / "copy" / "config.json", _name_or_path="somewhere/else", transformers_version="9.9.9")
    assert folders.read(tmp_path / "copy").fingerprint == before
    assert BiEncoder.open(model, CPU).save(tmp_path / "again").fingerprint == before


def change_a_weight(path: Path) -> None:
    state = load_file(path / "model.safetensors")
    state["encoder.layer.0.output.dense.weight"][0, 0] += 1e-4
    save_file(state, path / "model.safetensors", metadata={"format": "pt"})


def change_the_dense_weights(path: Path) -> None:
    state = load_file(path / "2_Dense" / "model.safetensors")
    state["linear.bias"][0] += 1e-4
    save_file(state, path / "2_Dense" / "model.safetensors")


def change_the_vocabulary(path: Path) -> None:
    said = json.loads((path / "tokenizer.json").read_text())
    words = said["model"]["vocab"]
    words["cat"], words["dog"] = words["dog"], words["cat"]
    (path / "tokenizer.json").write_text(json.dumps(said))


def change_the_pooling(path: Path) -> None:
    edit(path / "1_Pooling" / "config.json", pooling_mode_mean_tokens=False, pooling_mode_max_tokens=True)


def change_the_limit(path: Path) -> None:
    edit(path / "sentence_bert_config.json", max_seq_length=32)


def change_the_case(path: Path) -> None:
    edit(path / "sentence_bert_config.json", do_lower_case=True)


def change_a_prompt(path: Path) -> None:
    edit(path / "config_sentence_transformers.json", prompts={"query": "Q: "})


def change_the_activation(path: Path) -> None:
    edit(path / "2_Dense" / "config.json", activation_function="torch.nn.modules.activation.ReLU")


def change_the_network(path: Path) -> None:
    edit(path / "config.json", layer_norm_eps=1e-3)


def drop_the_normalisation(path: Path) -> None:
    modules = json.loads((path / "modules.json").read_text())
    (path / "modules.json").write_text(json.dumps(modules[:-1]))


@pytest.mark.parametrize(
    "change",
    [change_a_weight, change_the_dense_weights, change_the_vocabulary, change_the_pooling, change_the_limit,
     change_the_case, change_a_prompt, change_the_activation, change_the_network, drop_the_normalisation],
)  # fmt: skip
def test_whatever_changes_vectors_changes_the_fingerprint(model: Path, change: Callable[[Path], None]) -> None:
    before = folders.read(model).fingerprint
    change(model)
    assert folders.read(model).fingerprint != before


@pytest.mark.bundled
def test_the_bundled_models_fingerprint_is_the_same_on_every_machine(bundled_folder: Path) -> None:
    said = folders.read(bundled_folder)
    assert said.fingerprint == "d104c2c7bb1d187d1c066d15fb582f9fe9856dda75badef8edba3825b7f77673"
    assert (said.dimension, said.max_tokens, said.pooling, said.layers) == (384, 256, ("mean",), (Normalize(),))


def test_the_weights_are_hashed_once_and_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"a")
    os.utime(file, ns=(10**18, 10**18))
    monkeypatch.setattr("explorer.paths.cache", lambda: tmp_path / "cache")
    calls: list[bytes] = []

    def compute() -> str:
        calls.append(file.read_bytes())
        return f"digest of {calls[-1].decode()}"

    def look() -> str:
        return safetensors.cached_digest("weights", [file], compute)

    assert [look(), look()] == ["digest of a"] * 2
    assert calls == [b"a"]
    file.write_bytes(b"b")  # changed just now: its time cannot be trusted yet, so nothing is remembered
    assert [look(), look()] == ["digest of b"] * 2
    assert calls == [b"a", b"b", b"b"]
    (tmp_path / "cache" / "digests.json").write_bytes(b"broken")
    os.utime(file, ns=(10**18, 10**18))
    assert [look(), look()] == ["digest of b"] * 2
    assert calls == [b"a", b"b", b"b", b"b"]
