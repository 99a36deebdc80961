"""Turn texts into token ids, within the model's limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.errors import ModelError
from explorer.models.files.model_folder import NGRAM_ENCODER
from explorer.models.runtime.batching import Tokens

if TYPE_CHECKING:
    from explorer.models.files.model_folder import ModelFolder


_TRIAL = "A first text, 한국어 문장과 数字 123 — ..."  # what panics on this would panic on the user's texts


class Tokenizer:
    """A model's tokenizer.

    Attributes:
        max_tokens: Tokens of a sequence, special ones included.
        pad: Id of the padding token.
        types_pairs: Whether the network takes token types, which tell the texts of a pair apart.
    """

    def __init__(self, folder: ModelFolder) -> None:
        loaded = _load(folder)
        self.max_tokens = folder.max_tokens
        self.pad = int(loaded.pad_token_id or 0)
        self.types_pairs = "token_type_ids" in loaded.model_input_names
        self._backend = loaded.backend_tokenizer
        self._backend.no_padding()
        if folder.lower_case:
            _lower_case(self._backend)
        specials = self._backend.num_special_tokens_to_add(is_pair=False)
        if self.max_tokens <= specials:
            raise ModelError(
                "{encoder}: the limit of {max_tokens} tokens leaves no room for a text.",
                encoder=folder.encoder,
                max_tokens=self.max_tokens,
            )
        # `count` and `spans` need whole texts, so only one of two tokenizers truncates.
        self._whole = _copy(self._backend)
        self._before, self._after = _frame(self._whole)
        self._pair_frame = _pair_frame(self._whole)
        self._backend.enable_truncation(self.max_tokens, strategy="longest_first")

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the ids of each text with special tokens, cut to `max_tokens`."""
        return [Tokens(encoding.ids) for encoding in self._backend.encode_batch_fast(valid(texts))]

    def encode_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[Tokens]:
        """Return the ids of each pair in one sequence; a pair that is too long loses the end of its longer text.

        WORKAROUND: on truncating a pair the library keeps every combination of the pieces it cut off, gigabytes for
        two long texts, so the cut is made here.
        """
        flat = self._bare([text for pair in pairs for text in pair])
        return [self._paired(first, second) for first, second in zip(flat[::2], flat[1::2], strict=True)]

    def count(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each whole text, without special tokens."""
        return list(map(len, self._bare(texts)))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character range of each token of a whole text, without special tokens."""
        encoding = self._whole.encode(*valid([text]), add_special_tokens=False)
        offsets: list[tuple[int, int]] = encoding.offsets
        return offsets

    def spans_batch(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return the character ranges of the tokens of many texts."""
        return [encoding.offsets for encoding in self._whole.encode_batch(valid(texts), add_special_tokens=False)]

    @property
    def room(self) -> int:
        """Tokens a text itself may have: the limit less the special tokens."""
        return self.max_tokens - len(self._before) - len(self._after)

    def alone(self, token: int) -> Tokens:
        """Return a single token as a text of its own, between the special tokens."""
        return Tokens([*self._before, token, *self._after])

    def whole_copy(self) -> Any:
        """Copy the tokenizer without truncation, for use apart from the model."""
        return _copy(self._whole)

    def prompt_length(self, prompt: str) -> int:
        """Count the tokens at the beginning of a sequence that belong to a prompt, [CLS] included."""
        return len(self.encode([prompt])[0].ids) - len(self._after)

    def _bare(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each whole text without special tokens."""
        encodings = self._whole.encode_batch_fast(valid(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _paired(self, first: list[int], second: list[int]) -> Tokens:
        frame = self._pair_frame
        room = self.max_tokens - sum(len(ids) for ids, _ in frame.specials)
        first_share, second_share = shares(len(first), len(second), room)
        ids, types = [], []
        parts: list[tuple[list[int], int]] = [
            (first[:first_share], frame.types[0]),
            (second[:second_share], frame.types[1]),
            ([], 0),
        ]
        for (special, special_types), (text, kind) in zip(frame.specials, parts, strict=True):
            ids += [*special, *text]
            types += [*special_types, *[kind] * len(text)]
        return Tokens(ids, types)


@dataclass(frozen=True)
class _PairFrame:
    """The special tokens around the texts of a pair.

    Attributes:
        specials: Ids and types of the special tokens before, between and after the texts.
        types: The token type of each text.
    """

    specials: tuple[tuple[list[int], list[int]], ...]
    types: tuple[int, int]


def shares(first: int, second: int, room: int) -> tuple[int, int]:
    """Return how many tokens of each text fit into `room`: the longer text is cut first, then both to halves."""
    if first + second <= room:
        return first, second
    short, long = min(first, second), max(first, second)
    if short + max(short, room - short) > room:
        short = room // 2
    long = room - short
    return (long, short) if first > second else (short, long)


def valid(texts: Sequence[str]) -> list[str]:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in texts]


def _load(folder: ModelFolder) -> Any:
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    # AutoTokenizer looks up the configuration of the network, and warns of one that the library does not know.
    kind = PreTrainedTokenizerFast if folder.config["model_type"] == NGRAM_ENCODER else AutoTokenizer
    try:
        loaded = kind.from_pretrained(str(folder.encoder), local_files_only=True, trust_remote_code=False)
        loaded.backend_tokenizer.encode(_TRIAL, _TRIAL)
    except BaseException as error:
        # The library's panics are no Exceptions, so that nobody catches them unawares; here they say "damaged".
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ModelError(
            "{encoder}: the tokenizer cannot be opened ({reason}). Download the model again.",
            encoder=folder.encoder,
            reason=error,
        ) from error
    if not getattr(loaded, "is_fast", False):
        raise ModelError(
            "{encoder}: this tokenizer has no tokenizer.json and cannot be used. Choose another model.",
            encoder=folder.encoder,
        )
    return loaded


def _lower_case(backend: Any) -> None:
    from tokenizers import normalizers

    steps = [normalizers.Lowercase()]
    if backend.normalizer is not None:
        steps.append(backend.normalizer)
    backend.normalizer = normalizers.Sequence(steps)


def _frame(backend: Any) -> tuple[list[int], list[int]]:
    """Return the special tokens before and after a text."""
    framed = backend.encode("a").ids
    bare = backend.encode("a", add_special_tokens=False).ids
    start = next(index for index in range(len(framed) + 1) if framed[index : index + len(bare)] == bare)
    return framed[:start], framed[start + len(bare) :]


def _pair_frame(backend: Any) -> _PairFrame:
    whole = backend.encode("a", "a")
    bare = backend.encode("a", add_special_tokens=False).ids
    size = len(bare)
    starts = [index for index in range(len(whole.ids) - size + 1) if whole.ids[index : index + size] == bare]
    edges = [(0, starts[0]), (starts[0] + size, starts[-1]), (starts[-1] + size, len(whole.ids))]
    specials = tuple((whole.ids[start:end], whole.type_ids[start:end]) for start, end in edges)
    return _PairFrame(specials, (whole.type_ids[starts[0]], whole.type_ids[starts[-1]]))


def _copy(backend: Any) -> Any:
    from tokenizers import Tokenizer as Backend

    copy = Backend.from_str(backend.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy
