"""Adapters change nothing at first, learn at low rank, and leave a plain network behind."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from explorer.models.bi_encoder import BiEncoder
from explorer.models.runtime.device import choose
from explorer.models.runtime.network import Network
from explorer.training.fit import optimizer
from explorer.training.fit.optimizer import blocks, freeze

ARCHITECTURES = ("bert", "roberta", "electra", "distilbert", "mpnet", "xlm-roberta")


@pytest.fixture(params=ARCHITECTURES)
def network(request: pytest.FixtureRequest, checkpoints: dict[str, Path]) -> Network:
    return BiEncoder.open(checkpoints[request.param], choose("cpu", threads=1, precision="float32")).network


IDS = torch.tensor([[1, 6, 7, 8, 2], [1, 9, 2, 0, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])


def test_adapters_begin_as_nothing_and_merge_to_the_same(network: Network) -> None:
    before = network(IDS, MASK).detach()
    names, start = set(network.state_dict()), {k: v.clone() for k, v in network.state_dict().items()}
    optimizer.install_lora(network, 2)
    torch.testing.assert_close(network(IDS, MASK), before)
    trained = [name for name, each in network.named_parameters() if each.requires_grad]
    assert trained
    assert all(name.endswith((".down", ".up")) for name in trained)
    with torch.no_grad():
        for each in network.parameters():
            if each.requires_grad:
                each.add_(0.1 * torch.randn(each.shape, generator=torch.Generator().manual_seed(0)))
    adapted = network(IDS, MASK).detach()
    assert not torch.allclose(adapted, before, atol=1e-3)
    optimizer.merge_lora(network)
    torch.testing.assert_close(network(IDS, MASK).detach(), adapted, atol=1e-5, rtol=1e-4)
    assert set(network.state_dict()) == names
    changed = [name for name, value in network.state_dict().items() if not torch.equal(value, start[name])]
    assert changed
    for name in changed:
        assert torch.linalg.matrix_rank(network.state_dict()[name] - start[name], atol=1e-4) <= 2


def test_freezing_keeps_words_and_lower_layers(network: Network) -> None:
    freeze(network, 1)
    stays = {name for name, each in network.named_parameters() if not each.requires_grad}
    lower = {id(each) for each in blocks(network)[0].parameters()}
    upper = {id(each) for each in blocks(network)[1].parameters()}
    words = id(network.transformer.get_input_embeddings().weight)
    for name, each in network.named_parameters():
        if id(each) in lower | {words}:
            assert name in stays
        if id(each) in upper:
            assert name not in stays


def test_only_words_that_occur_are_trained(network: Network) -> None:
    plain = network.transformer.get_input_embeddings()
    whole = plain.weight.detach().clone()
    before = network(IDS, MASK).detach()
    used = {0, 1, 2, 6, 7, 8, 9}
    optimizer.install_sparse_embeddings(network, used)
    network.train()
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    network.eval()
    rows = network.transformer.get_input_embeddings()
    assert rows.rows.shape == (7, whole.shape[1])
    rows.train()
    torch.testing.assert_close(network(IDS, MASK), before)
    with torch.no_grad():
        rows.rows.add_(1.0)
    network.eval()
    torch.testing.assert_close(plain.weight[sorted(used)], whole[sorted(used)] + 1)
    rest = [place for place in range(len(whole)) if place not in used]
    assert torch.equal(plain.weight[rest], whole[rest])
    assert network(torch.tensor([[1, 10, 2]]), torch.ones(1, 3, dtype=torch.long)).isfinite().all()
    optimizer.remove_sparse_embeddings(network)
    assert network.transformer.get_input_embeddings() is plain


def test_rows_learn_what_the_whole_would(network: Network) -> None:
    """The same gradients as without; none for the padding."""
    words = network.transformer.get_input_embeddings()
    network.requires_grad_(True)
    network(IDS, MASK).square().sum().backward()
    whole = words.weight.grad
    assert whole is not None
    used = [0, 1, 2, 6, 7, 8, 9]
    optimizer.install_sparse_embeddings(network, used)
    rows = network.transformer.get_input_embeddings()
    rows.train()
    network(IDS, MASK).square().sum().backward()
    torch.testing.assert_close(rows.rows.grad, whole[used])
