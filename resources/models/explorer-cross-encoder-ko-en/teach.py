"""Teach the student: to score as the teacher does, in Korean too, and what people said of pairs and answers.

A step reads an English list, on which the student follows the teacher's scores and hidden states; two lists whose
Korean translations it reads while the teacher reads the English; a list of Korean bills; and pairs with scores. Rows of
English pieces stay as the teacher has them.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lists import LIST, Candidates, Lessons
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

MINUTES = 46.0  # of one core, shared with much else
STEPS = 900  # at most; the schedule ends with the time or with the steps
LAYERS_RATE, ROWS_RATE = 1e-4, 1e-3
WARM_UP = 15  # steps
AVERAGED = 0.6  # the share after which weights are averaged
TOKENS, PAIR_TOKENS = 144, 96
SCALE = 3.0  # a score is the sigmoid of a logit by this; the teacher's run from -11 to 10
# After which of the teacher's layers its hidden states are followed: where the next one that was kept begins.
FOLLOWED = (1, 2, 6, 7, 8, 9, 12)
ENGLISH = {
    "news": 22, "vaswani": 16, "cranfield": 6, "cacm": 6, "posts": 8, "wikiqa": 12, "trecqa": 2, "questions": 5,
    "cranfield judged": 6, "vaswani judged": 8, "cacm judged": 5, "help": 10, "sentences": 6,
}  # fmt: skip
LABELLED = ("cranfield judged", "vaswani judged", "cacm judged", "wikiqa", "trecqa")
Batch = tuple[Tensor, Tensor, Tensor]
_KOREAN = re.compile("[가-힣ㄱ-ㅎㅏ-ㅣ]")


def network(folder: Path) -> Any:
    """Load a network of the family, without dropout."""
    from transformers import BertConfig, BertForSequenceClassification

    settings = json.loads((folder / "config.json").read_text("utf-8"))
    names = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
    kept = {name: settings[name] for name in (*names, "max_position_embeddings", "layer_norm_eps")}
    config = BertConfig(**kept, num_labels=1, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    config._attn_implementation = "eager"  # noqa: SLF001 - the fused kernel has no fast path for bfloat16
    model = BertForSequenceClassification(config)
    model.load_state_dict(load_file(folder / "model.safetensors"))
    return model


class Reader:
    """A network with its tokenizer."""

    def __init__(self, folder: Path) -> None:
        self.network = network(folder)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()

    def batch(self, pairs: Sequence[tuple[str, str]], tokens: int = TOKENS) -> Batch:
        """Return ids, mask and types of pairs, (B, T) each."""
        self._tokenizer.enable_truncation(tokens, strategy="only_second")
        read = [self._tokenizer.encode(first[:400], second) for first, second in pairs]
        shape = len(read), max(len(each.ids) for each in read)
        ids, mask, types = (torch.zeros(shape, dtype=torch.long) for _ in range(3))
        for row, each in enumerate(read):
            count = len(each.ids)
            ids[row, :count], mask[row, :count] = torch.tensor(each.ids), 1
            types[row, :count] = torch.tensor(each.type_ids)
        return ids, mask, types

    def korean(self) -> Tensor:
        """Return 1 for Korean pieces and 0 for others, (V, 1)."""
        vocabulary = self._tokenizer.get_vocab()
        found = torch.zeros(len(vocabulary), 1)
        found[[place for piece, place in vocabulary.items() if _KOREAN.search(piece)]] = 1
        return found

    def read(self, batch: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return the logits, (B,), and the hidden states before and after each layer, (B, T, n)."""
        ids, mask, types = batch
        found = self.network(input_ids=ids, attention_mask=mask, token_type_ids=types, output_hidden_states=True)
        return found.logits[:, 0].float(), found.hidden_states


class Teaching:
    """A student being taught, step by step.

    Attributes:
        teacher: The twelve layers, in bfloat16.
        student: Changed in place.
        lessons: What it learns from.
    """

    def __init__(self, teacher: Path, student: Path, lessons: Lessons, seed: int = 1) -> None:
        self.teacher, self.student, self.lessons = Reader(teacher), Reader(student), lessons
        self.teacher.network.to(torch.bfloat16).eval().requires_grad_(False)
        self._korean = self.student.korean()
        self._chance = random.Random(seed)  # noqa: S311 - the same each time
        self._coming = {kind: self._order(f"{seed} {kind}", rows) for kind, rows in lessons.lists.items()}
        self._scored = self._order(f"{seed} scored", lessons.scored)
        self._asked = self._order(f"{seed} asked", lessons.questions)

    def run(self, done: Callable[[int], float], after: Callable[[int, dict[str, float]], None]) -> None:
        """Teach the student; leaves the mean of its last weights.

        Args:
            done: Tells for a step which share of the teaching is over, 0..1.
            after: Is told of each step and its losses.
        """
        model = self.student.network.train()
        rows = self._sparse_rows()
        layers = [each for each in model.parameters() if each is not rows]
        optimisers = [self._optimiser(layers), torch.optim.SparseAdam([rows], lr=ROWS_RATE)]
        optimisers[1].param_groups[0]["highest"] = ROWS_RATE
        mean: dict[str, Tensor] = {}
        step, count = 0, 0
        while (share := done(step)) < 1:
            factor = min(1.0, (step + 1) / WARM_UP) * (0.97 * 0.5 * (1 + math.cos(math.pi * share)) + 0.03)
            for group in (group for optimiser in optimisers for group in optimiser.param_groups):
                group["lr"] = group["highest"] * factor
            losses: dict[str, float] = {}
            parts = [(self._english, 1.0), (self._translated, 1.0), (self._bills, 0.6), (self._pairs, 0.6)]
            for part, weight in parts[: 4 if step % 2 == 0 else 3]:
                loss, told = part()
                (weight * loss).backward()
                losses |= told
            nn.utils.clip_grad_norm_(layers, 1.0)
            moved = rows.grad.coalesce()
            korean = moved.values() * self._korean[moved.indices()[0]]
            rows.grad = torch.sparse_coo_tensor(moved.indices(), korean, moved.shape).coalesce()
            for optimiser in optimisers:
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
            step += 1
            if share > AVERAGED and step % 3 == 0:
                count += 1
                with torch.no_grad():
                    for name, each in model.state_dict().items():
                        mean[name] = mean[name].lerp_(each, max(1 / count, 1 / 40)) if name in mean else each.clone()
            after(step, losses)
        model.load_state_dict(mean)
        model.eval()

    def _sparse_rows(self) -> nn.Parameter:
        """Return the word rows, of which a step sees few."""
        embeddings = self.student.network.bert.embeddings
        given = embeddings.word_embeddings.weight.detach().clone()
        embeddings.word_embeddings = nn.Embedding.from_pretrained(given, freeze=False, sparse=True)
        rows: nn.Parameter = embeddings.word_embeddings.weight
        return rows

    @staticmethod
    def _optimiser(layers: Sequence[nn.Parameter]) -> torch.optim.Optimizer:
        groups = [
            {"params": [each for each in layers if each.ndim > 1], "highest": LAYERS_RATE, "weight_decay": 0.01},
            {"params": [each for each in layers if each.ndim == 1], "highest": LAYERS_RATE, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=LAYERS_RATE, fused=True, betas=(0.9, 0.98))

    def _order(self, name: str, rows: Sequence[Any]) -> Iterator[Any]:
        chance = random.Random(name)  # noqa: S311 - the same each time
        while True:
            places = list(range(len(rows)))
            chance.shuffle(places)
            yield from (rows[place] for place in places)

    def _read(self, batch: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        with torch.autocast("cpu", torch.bfloat16):
            return self.student.read(batch)

    def _told(self, pairs: Sequence[tuple[str, str]]) -> tuple[Batch, Tensor, tuple[Tensor, ...]]:
        batch = self.teacher.batch(pairs)
        with torch.no_grad():
            return batch, *self.teacher.read(batch)

    def _english(self) -> tuple[Tensor, dict[str, float]]:
        (kind,) = self._chance.choices(list(ENGLISH), list(ENGLISH.values()))
        each: Candidates = next(self._coming[kind])
        pairs = [(each.query, passage) for passage in each.passages]
        theirs, target, states = self._told(pairs)
        ours = self.student.batch(pairs)
        logits, hidden = self._read(ours)
        loss, away = _follow(logits, target), torch.zeros(())
        # The teacher's pieces that the student lacks cut a few words otherwise; then the tokens are not the same.
        if ours[0].shape == theirs[0].shape and float((ours[0] == theirs[0]).float().mean()) > 0.98:
            real = ours[1].bool()
            for place, layer in enumerate(FOLLOWED, start=1):
                away = away + _away(hidden[place][real], states[layer][real]) / len(FOLLOWED)
        right = _first(logits.view(1, LIST)) if kind in LABELLED and each.right else torch.zeros(())
        return loss + 2 * away + 0.15 * right, {"english": float(loss.detach()), "hidden": float(away.detach())}

    def _translated(self) -> tuple[Tensor, dict[str, float]]:
        kinds = ["help", "sentences" if self._chance.random() < 0.3 else "help"]
        lists: list[Candidates] = [next(self._coming[kind]) for kind in kinds]
        pairs: list[tuple[str, str]] = []
        for each in lists:
            query, *passages = each.translated
            kind = self._chance.random()
            asked = query if kind < 0.85 else each.query
            pairs += [(asked, passage) for passage in (each.passages if 0.6 <= kind < 0.85 else passages)]
        _, target, states = self._told([(each.query, passage) for each in lists for passage in each.passages])
        logits, hidden = self._read(self.student.batch(pairs))
        loss = _follow(logits, target)
        return loss + 0.5 * _away(hidden[-1][:, 0], states[-1][:, 0]), {"translated": float(loss.detach())}

    def _bills(self) -> tuple[Tensor, dict[str, float]]:
        each: Candidates = next(self._coming["bills"])
        logits, _ = self._read(self.student.batch([(each.query, passage) for passage in each.passages]))
        likely = torch.tensor([0.95] + [0.03] * (LIST - 1))
        loss = _first(logits.view(1, LIST), 0.05)
        both = 0.5 * loss + 0.5 * functional.binary_cross_entropy_with_logits(logits / SCALE, likely)
        return both, {"bills": float(loss.detach())}

    def _pairs(self) -> tuple[Tensor, dict[str, float]]:
        pairs: list[tuple[str, str]] = []
        scores: list[float] = []
        for _ in range(10):
            english, korean, score = next(self._scored)
            kind = self._chance.random()
            first, second = english if kind < 0.5 else korean if kind < 0.9 else (english[0], korean[1])
            pairs.append((second, first) if self._chance.random() < 0.5 else (first, second))
            scores.append(0.02 + 0.96 * score)
        for _ in range(8):
            first, second, score = next(self._asked)
            pairs.append((first, second))
            scores.append(0.03 + 0.94 * score)
        logits, _ = self._read(self.student.batch(pairs, PAIR_TOKENS))
        loss = functional.binary_cross_entropy_with_logits(logits / SCALE, torch.tensor(scores))
        return loss, {"pairs": float(loss.detach())}


def export(student: Reader, out: Path, start: Path, slope: float, shift: float, tokens: int) -> None:
    """Write the files that ship: weights in 16 bits, the scores' calibration within the last layer."""
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: each.detach().clone() for name, each in student.network.state_dict().items()}
    weights["classifier.weight"] = weights["classifier.weight"] * slope
    weights["classifier.bias"] = weights["classifier.bias"] * slope + shift
    save_file({name: each.half() for name, each in weights.items()}, out / "model.safetensors", {"format": "pt"})
    for name in ("config.json", "tokenizer.json", "special_tokens_map.json"):
        (out / name).write_bytes((start / name).read_bytes())
    settings = json.loads((start / "tokenizer_config.json").read_text("utf-8")) | {"model_max_length": tokens}
    (out / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", "utf-8")
    reads = {"max_seq_length": tokens, "do_lower_case": False}
    (out / "sentence_bert_config.json").write_text(json.dumps(reads, indent=2) + "\n", "utf-8")


def _follow(logits: Tensor, target: Tensor) -> Tensor:
    """Return how far scores are from the teacher's, each and within its list."""
    ours, theirs = logits.view(-1, LIST), target.view(-1, LIST)
    order = functional.kl_div(
        functional.log_softmax(ours / 2, 1),
        functional.log_softmax(theirs / 2, 1),
        log_target=True,
        reduction="batchmean",
    )
    return (ours - theirs).square().mean() / 10 + order


def _away(ours: Tensor, theirs: Tensor) -> Tensor:
    """Return the squared distance of vectors by the variance of the teacher's, (N, n) both."""
    theirs = theirs.float()
    return (ours.float() - theirs).square().mean() / (theirs - theirs.mean(0)).square().mean()


def _first(logits: Tensor, smoothing: float = 0.0) -> Tensor:
    """Return the cross-entropy of the first of each list being the right one."""
    right = torch.zeros(len(logits), dtype=torch.long)
    return functional.cross_entropy(logits / 2, right, label_smoothing=smoothing)


def told(step: int, losses: dict[str, float]) -> str:
    """Return a line about a step."""
    return f"{step}: " + " ".join(f"{name} {np.round(value, 3)}" for name, value in losses.items())
