"""The static encoder ("draft"): a table of token vectors distilled from a bi-encoder, instant and good enough to start.

As in model2vec, each token of the vocabulary is encoded alone, the vectors are reduced by PCA, and each is weighted by
how rare the token is (SIF). A text's vector is the sum over its tokens. Using one needs no torch.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import threading
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from explorer import paths
from explorer.errors import ModelError
from explorer.models.bi_encoder import Encoding
from explorer.models.files import safetensors, untrusted
from explorer.models.files.model_folder import NGRAM_ENCODER, STATIC_ENCODER
from explorer.models.runtime import batching
from explorer.models.runtime.batching import Output
from explorer.task import Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.models.bi_encoder import BiEncoder

_logger = logging.getLogger(__name__)

VERSION = 1  # of the distillation: raise it with every change of the vectors
DIMENSION = 256
# Both were chosen on the development set of STSb.
_SIF = 1e-3  # a of the weight a / (a + p), p the token's share of running text
_WHITENING = 0.3  # 0 keeps PCA's variances, 1 makes them equal
_WINDOW = 8192
# Those of this process, as long as somebody has them: each search of each window uses one.
_open_encoders: WeakValueDictionary[tuple[Path, int, int, int], StaticEncoder] = WeakValueDictionary()
_opening = threading.Lock()


class StaticEncoder:
    """Encodes a text as the sum of the vectors of its tokens.

    Attributes:
        source: Fingerprint of the bi-encoder it was distilled from.
        table: The weighted vector of each token, float32 (V, n).
    """

    def __init__(self, source: str, table: NDArray[np.float32], tokenizer: Any) -> None:
        self.source = source
        self.table = table
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def open(cls, path: Path) -> StaticEncoder:
        """Open the static encoder of a folder.

        Raises:
            ModelError: The folder holds no complete static encoder of this version.
        """
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        config = safetensors.read_json(path / "config.json")
        if config.get("model_type") != STATIC_ENCODER or config.get("version") != VERSION:
            raise ModelError(
                "{file}: there is no draft encoder of this version here. It can be made again from its model.",
                file=path,
            )
        for name, digest in config.get("sha256", {}).items():
            if not (path / name).is_file() or _digest(path / name) != digest:
                raise _damaged(path, f"{name} is not as it was written")
        try:
            untrusted.check_tokenizer(path / "tokenizer.json")
            safetensors.tensors(path / safetensors.SINGLE)
            stored = load_file(path / safetensors.SINGLE)
            table = stored["table"].astype(np.float32) * stored["scale"][:, None]
            encoder = cls(str(config["source"]), table, Tokenizer.from_file(str(path / "tokenizer.json")))
        except ModelError:
            raise
        except Exception as error:  # tokenizers and safetensors raise bare ones
            raise _damaged(path, str(error)) from error
        if not np.isfinite(table).all():
            raise _damaged(path, "some values are infinite or not numbers")
        if table.ndim != 2 or len(table) < encoder._tokenizer.get_vocab_size():
            raise _damaged(path, "there are fewer vectors than tokens")
        return encoder

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.table.shape[1])

    @property
    def fingerprint(self) -> str:
        """One name for one function of texts, on every machine."""
        return f"draft-{VERSION}-{self.dimension}-{self.source}"

    def encode(self, texts: Sequence[str], *, role: str | None = None, task: Task | None = None) -> Encoding:
        """Encode all texts as vectors of length 1; if the task is cancelled on the way, return those that are done."""
        return Encoding(*batching.collect(self.stream(texts, role=role, task=task), len(texts), self.dimension))

    def stream(
        self,
        texts: Sequence[str],
        *,
        role: str | None = None,  # noqa: ARG002 - as the bi-encoder's
        task: Task | None = None,
    ) -> Generator[Output]:
        """Yield the vectors, a window of texts at a time.

        Raises:
            Cancelled: The task was cancelled; what was yielded stays valid.
        """
        task = task or Task()
        for start in range(0, len(texts), _WINDOW):
            task.report(start, len(texts), "sketching")
            sums = self.sums(texts[start : start + _WINDOW])
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            yield Output(np.arange(start, start + len(sums)), sums / np.maximum(lengths, 1e-12))
        task.report(len(texts), len(texts), "sketching")

    def save(self, path: Path) -> None:
        """Write the encoder with its table as int8, atomically.

        Raises:
            ModelError: The folder exists and holds something other than a static encoder, or cannot be written.
        """
        try:
            self._save(path)
        except OSError as error:
            raise ModelError(
                "{what}: cannot be written ({reason}). Choose another folder.",
                what=error.filename or path,
                reason=error.strerror,
            ) from error

    def _save(self, path: Path) -> None:
        from safetensors.numpy import save_file

        if path.exists() and not _replaceable(path):
            raise ModelError("{file}: there is already something else here. Choose a new folder.", file=path)
        partial = path.with_name(path.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        table, scale = _quantised(self.table)
        with safetensors.writing():
            save_file({"table": table, "scale": scale}, partial / safetensors.SINGLE)
        (partial / "tokenizer.json").write_text(self._tokenizer.to_str(pretty=False), encoding="utf-8")
        digests = {name: _digest(partial / name) for name in (safetensors.SINGLE, "tokenizer.json")}
        config = {"model_type": STATIC_ENCODER, "version": VERSION, "source": self.source, "dimension": self.dimension}
        config["sha256"] = digests
        (partial / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        shutil.rmtree(path, ignore_errors=True)
        partial.replace(path)

    def sums(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the sum of the token vectors of each text, (N, n); not scaled, so that rare words are longer."""
        from scipy.sparse import csr_array

        from explorer.models.runtime.tokenizer import valid

        encodings = self._tokenizer.encode_batch_fast(valid(texts), add_special_tokens=False)
        ids = [encoding.ids for encoding in encodings]
        ends = np.zeros(len(ids) + 1, dtype=np.int32)
        np.cumsum([len(row) for row in ids], out=ends[1:])
        columns = np.fromiter((token for row in ids for token in row), dtype=np.int32, count=int(ends[-1]))
        counts = csr_array((np.ones(len(columns), dtype=np.float32), columns, ends), shape=(len(ids), len(self.table)))
        sums: NDArray[np.float32] = counts @ self.table
        return sums


def ready_static_encoder(encoder: BiEncoder) -> StaticEncoder | None:
    """Return the static encoder of a bi-encoder that is shipped or was distilled before; None where there is none.

    One that was distilled and is damaged is distilled again, or the excerpts of a search would silently be others.
    """
    ready, cached = _undamaged(encoder), _cached(encoder)
    return _distil_and_save(encoder, cached, None) if ready is None and cached.exists() else ready


def _undamaged(encoder: BiEncoder) -> StaticEncoder | None:
    for path in (*(paths.resources() / "models").glob("*-draft"), _cached(encoder)):
        try:
            if safetensors.read_json(path / "config.json").get("source") == encoder.fingerprint:
                return _open_shared(path)
        except ModelError as error:
            _logger.warning("a static encoder cannot be used: %s", error)
    return None


def _open_shared(path: Path) -> StaticEncoder:
    """Return the static encoder of a folder; the open one if the folder is as it was, since its table takes 30 MB."""
    try:
        stat = (path / safetensors.SINGLE).stat()
    except OSError as error:
        raise _damaged(path, str(error.strerror)) from error
    key = path, stat.st_ino, stat.st_mtime_ns, stat.st_size
    with _opening:
        encoder = _open_encoders.get(key)
        if encoder is None:
            encoder = _open_encoders[key] = StaticEncoder.open(path)
        return encoder


def static_encoder_of(encoder: BiEncoder, task: Task | None = None) -> StaticEncoder:
    """Return the static encoder of a bi-encoder: the shipped one, the cached one, or one distilled now and cached."""
    return _undamaged(encoder) or _distil_and_save(encoder, _cached(encoder), task)


def static_encoder_for_update(encoder: BiEncoder, task: Task | None = None) -> StaticEncoder | None:
    """Return the static encoder whose vectors come before the bi-encoder's; None for a bi-encoder that needs none.

    A network of windows encodes a folder in a quarter of the time of the smallest transformer that ships, and its
    128,000 words would take a minute to distil. While it encodes, a search uses words and what is encoded already.
    """
    if encoder.folder.config["model_type"] == NGRAM_ENCODER:
        return _undamaged(encoder)  # one that was asked for
    return static_encoder_of(encoder, task)


def _distil_and_save(encoder: BiEncoder, cached: Path, task: Task | None) -> StaticEncoder:
    distilled = distil(encoder, task=task)
    shutil.rmtree(cached, ignore_errors=True)
    try:
        distilled.save(cached)
    except ModelError as error:
        _logger.warning("the static encoder cannot be cached: %s", error)
        return distilled
    return _open_shared(cached)


def _cached(encoder: BiEncoder) -> Path:
    return paths.cache() / "drafts" / f"{VERSION}-{encoder.fingerprint}"


def distil(encoder: BiEncoder, *, dimension: int = DIMENSION, task: Task | None = None) -> StaticEncoder:
    """Distil a static encoder from a bi-encoder; the same for the same encoder.

    Raises:
        Cancelled: The task was cancelled.
    """
    if encoder.device.precision != "float32":  # PCA turns small differences between machines into other axes
        encoder = type(encoder)(encoder.folder, replace(encoder.device, precision="float32"))
    tokenizer = encoder.tokenizer.whole_copy()
    vectors = encoder.token_vectors(range(tokenizer.get_vocab_size()), task=task or Task())
    names = [tokenizer.id_to_token(token) or "" for token in range(len(vectors))]
    meaningful = np.array([not _is_special(name) for name in names])
    table = _pca(vectors, meaningful, min(dimension, vectors.shape[1])) * _sif(names, meaningful)[:, None]
    table[~meaningful] = 0
    return StaticEncoder(encoder.fingerprint, table.astype(np.float32), tokenizer)


def _replaceable(path: Path) -> bool:
    """Check that a folder is empty or holds a static encoder, so that nothing of the user's is lost with it."""
    if not path.is_dir():
        return False
    return not any(path.iterdir()) or safetensors.read_json(path / "config.json").get("model_type") == STATIC_ENCODER


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _damaged(path: Path, what: str) -> ModelError:
    return ModelError(
        "{file}: this draft encoder is damaged ({what}). It can be made again from its model.", file=path, what=what
    )


def _is_special(token: str) -> bool:
    """Recognise special and unused entries of a vocabulary: [CLS], <pad>, [unused7]."""
    return not token or (len(token) > 2 and token[0] + token[-1] in {"[]", "<>"})


def _pca(vectors: NDArray[np.float32], rows: NDArray[np.bool_], dimension: int) -> NDArray[np.float64]:
    """Project on the principal axes of `rows`, partly whitened; each axis has its largest entry positive."""
    centred = vectors.astype(np.float64) - vectors[rows].mean(axis=0, dtype=np.float64)
    values, axes = np.linalg.eigh(np.cov(centred[rows].T))
    values, axes = values[::-1][:dimension], axes[:, ::-1][:, :dimension]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    floor = 1e-6 * values[0]
    return np.asarray(centred @ axes / np.maximum(values, floor) ** (_WHITENING / 2))


def _sif(tokens: Sequence[str], meaningful: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the SIF weights a / (a + p): vocabularies list tokens by frequency, so p follows Zipf's law of the rank.

    Single characters come before the words, in no order of frequency; they count as the most frequent.
    """
    letters = np.array([len(token.removeprefix("##").lstrip("▁Ġ")) <= 1 for token in tokens])
    ranks = np.where(letters, 0, np.cumsum(meaningful & ~letters))
    shares = 1 / (ranks + 10.0)
    shares /= shares[meaningful & ~letters].sum() or 1.0
    weights: NDArray[np.float64] = _SIF / (_SIF + shares)
    return weights


def _quantised(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise to int8 with one scale per row. (V, n) -> (V, n), (V,)."""
    scale = np.maximum(np.abs(table).max(axis=1), 1e-12) / 127
    return np.rint(table / scale[:, None]).astype(np.int8), scale.astype(np.float32)
