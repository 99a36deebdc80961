"""The number type that a network computes in: asked for, or found out by a trial and remembered."""

from __future__ import annotations

import json

import pytest
import torch

from explorer import paths
from explorer.errors import ExplorerError
from explorer.models.runtime import precision
from explorer.models.runtime.precision import best_of_processor, choose, is_faster


@pytest.fixture
def processor(monkeypatch):
    """Make this processor one with the given features; returns what the trials were asked for."""
    trials = []

    def has(*, faster: bool = True, **features: object) -> list[str]:
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: features, raising=False)
        monkeypatch.setattr(precision, "is_faster", lambda name: trials.append(name) or faster)
        return trials

    return has


def test_what_is_asked_for_is_used():
    assert [choose(name, "cpu") for name in precision.PRECISIONS] == list(precision.PRECISIONS)
    assert choose("float32", "cuda") == "float32"


def test_a_gpu_computes_in_float16():
    assert choose("auto", "cuda") == choose("auto", "mps") == "float16"


def test_what_is_no_precision_is_told_in_a_sentence():
    with pytest.raises(ExplorerError, match="“int4” is not a precision"):
        choose("int4", "cpu")


def test_without_instructions_for_bfloat16_nothing_is_tried(processor):
    trials = processor(avx2=True, avx512_bf16=False, cpu_name="bf16 by name only")
    assert best_of_processor.__wrapped__() == "float32"
    assert not trials


@pytest.mark.parametrize(("faster", "best"), [(True, "bfloat16"), (False, "float32")])
@pytest.mark.parametrize("feature", ["avx512_bf16", "amx_bf16", "arm_bf16"])
def test_the_trial_decides_and_is_made_once(processor, feature, faster, best):
    trials = processor(**{feature: True}, faster=faster)
    assert best_of_processor.__wrapped__() == best_of_processor.__wrapped__() == best
    assert trials == ["bfloat16"]


def test_another_processor_is_tried_again(processor):
    trials = processor(avx512_bf16=True)
    best_of_processor.__wrapped__()
    processor(avx512_bf16=True, amx_bf16=True)
    best_of_processor.__wrapped__()
    assert len(trials) == 2


@pytest.mark.parametrize("stored", ["", "[1]", "{", '{"x": 3}'])
def test_a_spoilt_file_is_made_again(processor, stored):
    file = paths.cache() / "precision.json"
    file.parent.mkdir(parents=True)
    file.write_text(stored)
    processor(avx512_bf16=True)
    assert best_of_processor.__wrapped__() == "bfloat16"
    assert "bfloat16" in json.loads(file.read_text()).values()


def test_a_folder_that_cannot_be_written_does_not_matter(processor, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOCEXPLORER_HOME", str(tmp_path / "file"))
    processor(avx512_bf16=True)
    assert best_of_processor.__wrapped__() == "bfloat16"


def test_a_real_trial_is_short_and_agrees_with_the_processor():
    able = torch.cpu.get_capabilities()
    before = torch.get_num_threads(), torch.random.get_rng_state()
    faster = is_faster("bfloat16")
    assert torch.get_num_threads() == before[0]
    assert torch.equal(torch.random.get_rng_state(), before[1])
    if not any(value is True and ("bf16" in name or "avx512" in name) for name, value in able.items()):
        assert not faster
