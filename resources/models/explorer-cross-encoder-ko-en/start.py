"""The student as it begins: seven of the twelve layers, fewer English pieces, and Korean ones carried over.

Which layers stay was found by leaving out one after the other, always the one whose absence changes the order of eight
passages least; without any training the seven agree with the twelve by a correlation of 0.96. Korean pieces are those
of explorer-minilm-ko-en, their rows brought to this model's space by the linear map that fits the English rows best.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import base
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

KEPT = (0, 1, 2, 6, 7, 8, 9)
PIECES = 42_600  # as many as 60 MB hold beside seven layers
_ROWS = "embeddings.word_embeddings.weight"
_RIDGE = 0.1
# Latin letters, digits, punctuation and the special tokens; Greek, Chinese and others stay where a text has them.
_LATIN = re.compile(r"\[(PAD|UNK|CLS|SEP|MASK)\]|[\x20-\x7e\u00a0-\u024f\u2010-\u2122]+")
_DOT = {"type": "Replace", "pattern": {"String": "ㆍ"}, "content": "·"}  # Unicode calls this dot between words a letter


def begin(teacher: Path, bilingual: Path, texts: Iterable[str], out: Path) -> None:
    """Write the student's folder.

    Args:
        teacher: The cross-encoder of twelve layers.
        bilingual: explorer-minilm-ko-en.
        texts: What decides which pieces are needed.
        out: The folder.
    """
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(bilingual / "tokenizer.json"))
    both, english = tokenizer.get_vocab(), Tokenizer.from_file(str(teacher / "tokenizer.json")).get_vocab()
    counts = Counter(token for each in tokenizer.encode_batch(list(texts)) for token in each.tokens)
    pieces = _chosen(both, english, counts)
    weights = load_file(teacher / "model.safetensors")
    rows = _carried(load_file(bilingual / "model.safetensors"), weights[f"bert.{_ROWS}"], both, english)
    order = torch.tensor([both[piece] for piece in sorted(pieces, key=pieces.__getitem__)])
    kept = {name: each for name, each in weights.items() if "encoder.layer" not in name}
    kept[f"bert.{_ROWS}"] = rows[order].contiguous()
    for place, layer in enumerate(KEPT):
        begins = f"bert.encoder.layer.{layer}."
        kept |= {
            name.replace(begins, f"bert.encoder.layer.{place}."): each
            for name, each in weights.items()
            if name.startswith(begins)
        }
    save_file(kept, out / "model.safetensors", metadata={"format": "pt"})
    (out / "config.json").write_text(json.dumps(base.config(len(pieces), len(KEPT)), indent=2) + "\n", "utf-8")
    settings = json.loads((bilingual / "tokenizer.json").read_text("utf-8"))
    settings["model"]["vocab"] = dict(sorted(pieces.items(), key=lambda each: each[1]))
    settings["normalizer"]["normalizers"].append(_DOT)
    (out / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False, separators=(",", ":")), "utf-8")
    shutil.copyfile(bilingual / "special_tokens_map.json", out / "special_tokens_map.json")
    named = json.loads((bilingual / "tokenizer_config.json").read_text("utf-8"))
    # A fast tokenizer of no family leaves out which text a token belongs to, unless it is told.
    named["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    (out / "tokenizer_config.json").write_text(json.dumps(named, indent=2) + "\n", "utf-8")


def _chosen(both: dict[str, int], english: dict[str, int], counts: Counter[str]) -> dict[str, int]:
    """Return the pieces with their new places: English ones keep theirs, Korean ones take those that are free."""
    latin = [piece for piece in english if piece in both and (_LATIN.fullmatch(piece) or counts[piece])]
    korean = [piece for piece in both if piece not in english]
    # Every syllable, so that no word is unknown; then what occurs most.
    korean.sort(key=lambda piece: (len(piece.removeprefix("##")) > 1, -counts[piece], both[piece]))
    pieces = {piece: both[piece] for piece in latin}
    free = sorted(set(range(PIECES)) - set(pieces.values()))
    return pieces | dict(zip(sorted(korean[: len(free)]), free, strict=True))


def _carried(
    bilingual: dict[str, torch.Tensor], rows: torch.Tensor, both: dict[str, int], english: dict[str, int]
) -> torch.Tensor:
    """Return rows for all pieces of the bilingual vocabulary in the teacher's space, (V, n)."""
    theirs = next(each for name, each in bilingual.items() if name.endswith(_ROWS)).double()
    theirs = torch.cat([theirs, torch.ones(len(theirs), 1, dtype=torch.double)], dim=1)  # (V, m + 1)
    shared = torch.tensor([place for piece, place in both.items() if english.get(piece) == place])
    known = theirs[shared]
    gram = known.T @ known + _RIDGE * torch.eye(known.shape[1], dtype=torch.double)
    carried = (theirs @ torch.linalg.solve(gram, known.T @ rows[shared].double())).float()
    carried[shared] = rows[shared]
    return carried
