"""Refuse model folders whose settings ask for more than their weights hold, before building anything from them.

A model may come from anyone. Its weights are plain numbers, but its settings decide what the libraries allocate, run
and fetch: a million layers, a tokenizer that doubles every text forty times, an attention "kernel" that is downloaded.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from re import _constants as regex  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from explorer.errors import ModelError
from explorer.models.files.safetensors import Tensor, read_json

_LARGEST = 10_000_000  # of any number in a configuration; the largest vocabularies have about a million
_MOST_LAYERS = 1_000
_SHARED_LAYERS = {"albert"}  # one layer, used many times
_LAYERS = ("num_hidden_layers", "n_layers", "num_layers", "n_layer", "encoder_layers", "decoder_layers")
_SIZES = ("hidden_size", "dim", "d_model", "vocab_size", "embedding_size")
_INNER = ("intermediate_size", "hidden_dim", "d_ff", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim")
_ATTENTION = {"", "eager", "sdpa", "flex_attention", "flash_attention_2", "flash_attention_3"}
_HEADS = ("num_attention_heads", "n_heads", "num_heads", "n_head", "num_key_value_heads")
_FETCHING = ("kernel_config", "use_kernels", "custom_generate", "custom_pipelines", "quantization_config")

_TOKENIZER_BYTES = 200 * 2**20
_NORMALIZERS = {
    "BertNormalizer", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "Sequence", "Replace",
    "Prepend", "Precompiled", "Nmt", "ByteLevel",
}  # fmt: skip
_PRE_TOKENIZERS = {
    "BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Delimiter", "Digits", "FixedLength", "Metaspace",
    "Punctuation", "Sequence", "Split", "UnicodeScripts", "Whitespace", "WhitespaceSplit",
}  # fmt: skip
_MODELS = {"WordPiece", "BPE", "Unigram", "WordLevel"}
_MOST_STEPS = 32
_LONGEST_PATTERN = 2_000
_MOST_EXPANSION = 16  # times as long as the text; NFKD makes eighteen letters of one, but of few
_LONGEST_WORD = 1_000  # WordPiece takes a time that grows with its square; usual is 100
_MOST_SPECIAL = 64  # special tokens around a text
_MOST_ADDED, _LONGEST_ADDED = 100_000, 1_000
_MOST_PADDING = 100_000
_MANY = 10  # repeats from which on their number counts as unlimited
_MOST_WAYS = 64  # to begin again in a match that fails: known patterns have up to ten


def check_config(file: Path, config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """Compare a configuration with the shapes of the weights that it is about.

    Raises:
        ModelError: It describes a network that these weights are not of, or names something that would be fetched.
    """
    for part in _parts_of(config):
        for key in ("_attn_implementation", "attn_implementation", "_attn_implementation_internal"):
            chosen = part.get(key)
            names = chosen.values() if isinstance(chosen, Mapping) else [chosen]
            if any(str(name or "") not in _ATTENTION for name in names):
                raise _refused(file, f"{key}: {chosen}", "it would fetch program code")
        if fetched := next((key for key in _FETCHING if part.get(key)), None):
            raise _refused(file, fetched, "it would fetch program code")
    for key in (*_LAYERS, *_HEADS):
        if config.get(key) is not None and int(config[key]) < 1:
            raise _refused(file, f"{key}: {config[key]}", "no model has that few")
    if config.get("chunk_size_feed_forward"):  # a text whose length it does not divide would fail
        raise _refused(file, "chunk_size_feed_forward", "it only serves training on little memory")
    for name, value in _numbers(config):
        if abs(value) > _LARGEST and not name.endswith(("_theta", "max_length")):  # of rotary positions, and unused
            raise _refused(file, f"{name}: {value:g}", "no model has that many")
    lengths = {length for tensor in tensors.values() for length in tensor.shape}
    numbers = [int(match[1]) for name in tensors if (match := re.search(r"\.(\d+)\.", name))]
    most = _MOST_LAYERS if config.get("model_type") in _SHARED_LAYERS or not numbers else max(numbers) + 1
    for key in _LAYERS:
        if int(config.get(key) or 0) > min(most, _MOST_LAYERS):
            raise _refused(file, f"{key}: {config[key]}", "the weights have fewer layers")
    for key in _SIZES:
        if int(config.get(key) or 0) and int(config[key]) not in lengths:
            raise _refused(file, f"{key}: {config[key]}", "no part of the weights has that size")
    width = next((int(config[key]) for key in _SIZES[:3] if config.get(key)), 0)
    for key in _INNER:
        if int(config.get(key) or 0) > 16 * width and int(config[key]) not in lengths:
            raise _refused(file, f"{key}: {config[key]}", "no part of the weights has that size")
    positions = int(config.get("max_position_embeddings") or 0)
    if any("position_embeddings" in name for name in tensors) and positions > max(lengths, default=0):
        raise _refused(file, f"max_position_embeddings: {positions}", "no part of the weights has that size")


def check_tokenizer(file: Path) -> str:
    """Make sure that a tokenizer.json has only parts that are known, and none that makes texts or times explode.

    Returns:
        What to remember of it: "checked".

    Raises:
        ModelError: It has another part, or one out of proportion.
    """
    if not file.is_file():
        return ""
    if file.stat().st_size > _TOKENIZER_BYTES:
        raise _refused(file, f"{file.stat().st_size:,} bytes", "no tokenizer is that large")
    table = read_json(file)
    kind = _table_in(table, "model").get("type", "WordPiece")
    if kind not in _MODELS:
        raise _refused(file, f"model: {kind}", "this kind is not known")
    if int(_table_in(table, "model").get("max_input_chars_per_word") or 0) > _LONGEST_WORD:
        raise _refused(file, "max_input_chars_per_word", "long words would take too long")
    if _table_in(table, "model").get("dropout"):
        raise _refused(file, "dropout", "texts would be cut at random")
    _check_ids(file, table)
    padding = _table_in(table, "padding")
    sizes = [_table_in(padding, "strategy").get("Fixed"), padding.get("pad_to_multiple_of")]
    if any(int(size or 0) > _MOST_PADDING for size in sizes):
        raise _refused(file, "padding", "it would make every text too long")
    expansion = 1.0
    for step in _steps(file, table.get("normalizer"), "normalizers", _NORMALIZERS):
        if step["type"] == "Replace":
            expansion *= max(1.0, len(str(step.get("content", ""))) / _length(file, step.get("pattern")))
        elif step["type"] == "Prepend":
            expansion *= max(1, len(str(step.get("prepend", ""))) / 8)
    if expansion > _MOST_EXPANSION:
        raise _refused(file, "normalizer", "it would make every text many times as long")
    for step in _steps(file, table.get("pre_tokenizer"), "pretokenizers", _PRE_TOKENIZERS):
        if step["type"] == "Split":
            _length(file, step.get("pattern"))
    for step in _steps(file, table.get("post_processor"), "processors", None):
        parts = [step.get(name) or () for name in ("single", "pair")]
        tokens = step.get("special_tokens") or {}
        ids = [len(token.get("ids") or ()) for token in tokens.values()] if isinstance(tokens, dict) else []
        if max([*map(len, parts), *ids, 0]) > _MOST_SPECIAL:
            raise _refused(file, "post_processor", "it would put too many tokens around a text")
    added = table.get("added_tokens") or []
    if len(added) > _MOST_ADDED or any(len(str(token.get("content", ""))) > _LONGEST_ADDED for token in added):
        raise _refused(file, "added_tokens", "they are too many or too long")
    return "checked"


def _check_ids(file: Path, table: Mapping[str, Any]) -> None:
    """Make sure that no token has a number for which the library would reserve the memory of all below it."""
    vocabulary = _table_in(table, "model").get("vocab")
    ids = list(vocabulary.values()) if isinstance(vocabulary, Mapping) else []
    ids += [token.get("id", 0) for token in table.get("added_tokens") or [] if isinstance(token, Mapping)]
    if ids and not all(isinstance(token_id, int) and 0 <= token_id <= _LARGEST for token_id in ids):
        raise _refused(file, "vocab", "no vocabulary has such numbers")


def _steps(file: Path, part: Any, inner: str, known: set[str] | None, depth: int = 0) -> list[dict[str, Any]]:
    """Return the steps of a part, those of sequences included."""
    if part is None:
        return []
    if not isinstance(part, dict) or (known is not None and part.get("type") not in known) or depth > 4:
        raise _refused(file, str(part.get("type") if isinstance(part, dict) else part)[:60], "this kind is not known")
    steps = [part]
    for step in part.get(inner) or ():
        steps += _steps(file, step, inner, known, depth + 1)
    if len(steps) > _MOST_STEPS:
        raise _refused(file, inner, "they are too many")
    return steps


def _length(file: Path, pattern: Any) -> int:
    """Return the characters that a pattern takes at least, once it is known to end in good time."""
    if not isinstance(pattern, dict):
        return max(1, len(str(pattern or "")))
    if "String" in pattern:
        return max(1, len(str(pattern["String"])))
    text = str(pattern.get("Regex", ""))
    if len(text) > _LONGEST_PATTERN or not is_quick(text):
        raise _refused(file, text[:60], "this regular expression may never end")
    return 1


def is_quick(pattern: str) -> bool:
    """Return whether a regular expression ends in good time on every text.

    It must repeat nothing that repeats, and refer to nothing it found before: that takes a time that is exponential in
    the length of a text. And where it can still fail, it must not have tried many ways: `a*a*a*b` takes a time that
    grows with the fourth power.
    """
    # Unicode classes are of another dialect; for the shape of the expression any class will do.
    plain = re.sub(r"\\[pP]\{[^}]*\}|\\[pP][A-Z]", r"\\w", pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of nested sets, which are of that dialect too
            tree = _parser.parse(plain)
        unlimited, ways, _ = _freedom(tree, can_fail=False)
        return not _explodes(tree, inside=False) and unlimited <= 1 and ways <= _MOST_WAYS
    except (re.error, RecursionError, OverflowError):
        return False


def _freedom(tree: Any, *, can_fail: bool) -> tuple[int, int, bool]:
    """Return in how many ways a part of an expression can be tried again after what follows it has failed.

    Args:
        tree: The part.
        can_fail: Whether something follows that can fail.

    Returns:
        The unlimited repeats, the product of all other choices, and whether the part or what follows can fail.
    """
    unlimited, ways = 0, 1
    for kind, value in reversed(list(tree)):
        inner: tuple[int, int, bool] = (0, 1, False)
        if kind in (regex.MAX_REPEAT, regex.MIN_REPEAT):
            low, high, body = value
            again = min(int(high), _MANY)
            inner = _freedom(body, can_fail=can_fail or high > 1)
            inner = inner[0] * again, min(inner[1] ** again, 10**9), low > 0
            if can_fail:
                unlimited, ways = (unlimited + 1, ways) if high > _MANY else (unlimited, ways * (high - low + 1))
        elif kind is regex.BRANCH:
            freedoms = [_freedom(branch, can_fail=can_fail) for branch in value[1]]
            choices = [branch[1] for branch in freedoms]
            inner = max(branch[0] for branch in freedoms), sum(choices) if can_fail else max(choices), True
        elif kind is regex.SUBPATTERN:
            inner = _freedom(value[-1], can_fail=can_fail)
        elif kind in (regex.ASSERT, regex.ASSERT_NOT):
            inner = (*_freedom(value[1], can_fail=False)[:2], True)
        elif kind is regex.ATOMIC_GROUP:
            inner = (*_freedom(value, can_fail=False)[:2], True)
        elif kind is regex.POSSESSIVE_REPEAT:
            inner = (*_freedom(value[2], can_fail=False)[:2], value[0] > 0)
        else:
            inner = (0, 1, True)
        unlimited, ways, can_fail = unlimited + inner[0], min(ways * inner[1], 10**9), can_fail or inner[2]
    return unlimited, ways, can_fail


def _explodes(tree: Any, *, inside: bool) -> bool:
    for kind, value in tree:
        if kind in (regex.GROUPREF, regex.GROUPREF_EXISTS):
            return True
        if kind in (regex.MAX_REPEAT, regex.MIN_REPEAT):
            low, high, body = value
            many = high > _MANY and high != low
            if many and (inside or any(branch is regex.BRANCH for branch, _ in _parts(body))):
                return True
            if _explodes(body, inside=inside or many):
                return True
        elif kind is regex.BRANCH:
            if any(_explodes(branch, inside=inside) for branch in value[1]):
                return True
        elif kind is regex.SUBPATTERN:
            if _explodes(value[-1], inside=inside):
                return True
        elif kind in (regex.ASSERT, regex.ASSERT_NOT):
            if _explodes(value[1], inside=inside):
                return True
        elif kind is regex.ATOMIC_GROUP:  # never tried in another way, so that what is around may repeat it
            if _explodes(value, inside=False):
                return True
        elif kind is regex.POSSESSIVE_REPEAT and _explodes(value[2], inside=False):
            return True
    return False


def _parts(tree: Any) -> Iterator[tuple[Any, Any]]:
    for kind, value in tree:
        yield kind, value
        if kind is regex.SUBPATTERN:
            yield from _parts(value[-1])


def _parts_of(config: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield a configuration and those in it, such as that of the text part of a larger model."""
    yield config
    for value in config.values():
        if isinstance(value, Mapping) and depth < 5:
            yield from _parts_of(value, depth + 1)


def _numbers(config: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a configuration with their names, those of inner ones included."""
    for name, value in config.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield str(name), value
        elif isinstance(value, Mapping) and depth < 5:
            yield from _numbers(value, depth + 1)


def _table_in(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = table.get(name)
    return part if isinstance(part, Mapping) else {}


def _refused(file: Path, what: str, why: str) -> ModelError:
    return ModelError(
        "{file}: “{what}” is refused: {why}. Do not use this model, or get it from where it was made.",
        file=file,
        what=what,
        why=why,
    )
