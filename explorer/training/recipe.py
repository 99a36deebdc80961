"""A recipe: all settings of a fine-tuning run, as one value that can be saved, shared and run again.

A recipe may come from anyone: its values are checked, and the paths in it never lead out of its own folder.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, Literal

from explorer.errors import DataError
from explorer.training.fit import losses

VERSION = 1
BYTES_AT_MOST = 1_000_000
_CHOICES: dict[str, tuple[str, ...]] = {
    "source": ("file", "judgements", "corpus"),
    "use": ("", "train", "dev", "test", "guard"),
    "head": ("hub", "own"),
    "schedule": ("linear", "constant"),
    "precision": ("auto", "float32", "bfloat16", "float16"),
}
_RANGES: dict[str, tuple[float, float]] = {
    "dev_share": (0, 0.5),
    "test_share": (0, 0.5),
    "batch": (1, 4096),
    "learning_rate": (1e-9, 1),
    "epochs": (0.001, 1000),
    "steps": (0, 10_000_000),
    "warm_up": (0, 1),
    "weight_decay": (0, 1),
    "clipping": (0, 1000),
    "accumulation": (1, 1024),
    "max_tokens": (0, 100_000),
    "freeze_layers": (0, 1000),
    "adapter_rank": (0, 1024),
    "seed": (0, 2**31 - 1),
    "patience": (0, 1000),
    "evaluate_every": (0, 10_000_000),
    "checkpoint_minutes": (0, 1440),
    "max_minutes": (0, 100_000),
    "max_examples": (0, 1_000_000_000),
    "share": (0, 0.9),
    "weight": (0, 1000),
    "average": (0, 1),
    "negatives": (0, 20),
    "rounds": (0, 100),
}
_LONGEST = {"score_range": 2, "data": 1000, "labels": 10_000}


@dataclass(frozen=True)
class DataSource:
    """Where examples come from.

    Attributes:
        source: "file", "judgements" made in the window, or the "corpus" itself.
        path: The file, inside the recipe's folder; empty for the workspace.
        columns: The column of each role that is not to be guessed.
        kind: The kind of examples, as in `examples.KINDS`, or how they are made from a corpus: "titles",
            "neighbours" or "dropout"; guessed if empty.
        score_range: The lowest and the highest score; guessed if empty.
        use: "train", "dev" or "test" for a file that is one of these alone; "guard" for texts on which the guard
            holds the model to its base; empty for examples that are to be split.
        low_is_same: Whether the lowest score means "the same", as for distances.
        rename: Another name for a label of the file; "" leaves its rows out.
        labels: The labels allowed, after renaming; empty for all.
        positive: The label that means "similar"; guessed if empty.
        negatives: Hard negatives to mine for each pair that belongs together.
    """

    source: str = "file"
    path: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    score_range: tuple[float, ...] = ()
    use: str = ""
    low_is_same: bool = False
    rename: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    positive: str = ""
    negatives: int = 0


@dataclass(frozen=True)
class Guard:
    """Protection from forgetting what the model could do before.

    Attributes:
        share: Share of all batches that hold the model to the base's vectors of unlabelled texts.
        weight: The weight of such a batch relative to one of examples.
        average: Interpolation from the base's weights, 0, to the trained ones, 1.
    """

    share: float = 0.0
    weight: float = 1.0
    average: float = 1.0


@dataclass(frozen=True)
class Masked:
    """A first stage without labels: masked language modelling on the corpus.

    For a base that knows little of the corpus's language or field, and a corpus of some size.

    Attributes:
        rounds: Epochs over the unlabelled texts; 0 skips the stage.
        share: Share of the tokens that are masked.
        learning_rate: The highest learning rate.
    """

    rounds: float = 0.0
    share: float = 0.15
    learning_rate: float = 5e-5


@dataclass(frozen=True)
class Recipe:
    """All settings of a fine-tuning run.

    Attributes:
        objective: One of `losses.KINDS`.
        options: What differs from the objective's defaults.
        name: The name of the new model.
        base: The model to start from: a name of the catalog, or a folder inside the recipe's; empty for the default.
        teacher: The model to learn from by distillation; empty for the base.
        head: Head of a new cross-encoder: the "hub"'s for its architecture, or our "own" with a dense layer and GELU.
        data: Where the examples come from.
        dev_share: Share of the examples that choose the best step.
        test_share: Share of the examples that measure the result.
        batch: Examples per batch.
        accumulation: Batches per step.
        learning_rate: The highest learning rate.
        epochs: Passes over the examples.
        steps: Steps in all; 0 if `epochs` decides.
        warm_up: Share of the steps in which the learning rate rises.
        schedule: After the warm-up it falls to zero, "linear", or stays, "constant".
        weight_decay: For all weights but biases and norms.
        clipping: The largest gradient norm; 0 for no limit.
        precision: "auto" computes in half precision on a GPU that can, and in bfloat16 on a processor that is faster
            with it; weights stay in 32 bits.
        max_tokens: Longer texts are cut in training; 0 for the model's own limit.
        freeze_layers: Lower layers to freeze, with the token embeddings; 0 for none.
        adapter_rank: Rank of low-rank adapters trained in place of all weights; 0 for none.
        seed: Seed of everything random.
        patience: Evaluations without gain after which training ends; 0 for never.
        evaluate_every: Steps between evaluations; 0 for about ten in all.
        checkpoint_minutes: Minutes between checkpoints; 0 for one each step.
        max_minutes: Training ends after these, with the best so far; 0 for no limit.
        max_examples: The most examples; more are sampled. 0 for no limit.
        guard: Protection from forgetting.
        masked: A first stage on the texts alone.
    """

    objective: str
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = "fine-tuned"
    base: str = ""
    teacher: str = ""
    head: str = "hub"
    data: tuple[DataSource, ...] = ()
    dev_share: float = 0.1
    test_share: float = 0.1
    batch: int = 16
    accumulation: int = 1
    learning_rate: float = 2e-5
    epochs: float = 1.0
    steps: int = 0
    warm_up: float = 0.1
    schedule: str = "linear"
    weight_decay: float = 0.01
    clipping: float = 1.0
    precision: str = "auto"
    max_tokens: int = 0
    freeze_layers: int = 0
    adapter_rank: int = 0
    seed: int = 0
    patience: int = 0
    evaluate_every: int = 0
    checkpoint_minutes: float = 3.0
    max_minutes: float = 0.0
    max_examples: int = 0
    guard: Guard = field(default_factory=Guard)
    masked: Masked = field(default_factory=Masked)

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            DataError: A value is invalid.
        """
        losses.check_options(self.objective, self.options)
        parts: tuple[Recipe | Guard | Masked | DataSource, ...] = (self, self.guard, self.masked, *self.data)
        for part in parts:
            _check_values(part)
        _check_together(self)

    @property
    def kind(self) -> Literal["bi", "cross"]:
        """The kind of model that is trained."""
        kind: Literal["bi", "cross"] = losses.KINDS[self.objective].model
        return kind

    def as_json(self) -> str:
        """Return the recipe as it is saved."""
        return json.dumps({"version": VERSION, **asdict(self)}, ensure_ascii=False, indent=1) + "\n"


def load(path: Path) -> Recipe:
    """Read a recipe from a file.

    Raises:
        DataError: It cannot be read or is not a valid recipe.
    """
    try:
        if path.stat().st_size > BYTES_AT_MOST:
            raise DataError("{file}: this file is too large for a recipe. Choose a recipe.json.", file=path)
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise DataError(
            "{file}: the recipe cannot be read ({reason}). Choose another file.", file=path, reason=error.strerror
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            "{file}: this is not a recipe, because it is not UTF-8 text. Choose a recipe.json.", file=path
        ) from error
    try:
        return parse(text)
    except DataError as error:
        raise DataError("{file}: {reason}", file=path, reason=error) from error


def parse(text: str) -> Recipe:
    """Parse a recipe from JSON.

    Raises:
        DataError: It is not a valid recipe.
    """
    try:
        values = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DataError("this is not JSON ({reason}). Choose a recipe that was saved here.", reason=error) from error
    if not isinstance(values, dict) or "objective" not in values:
        raise DataError("this is not a recipe: it names no objective. Choose a recipe that was saved here.")
    version = values.pop("version", VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DataError("the recipe's version is not a number. Choose a recipe that was saved here.")
    if version > VERSION:
        raise DataError(
            "the recipe has version {version}; this program knows {version2}. Update the program.",
            version=version,
            version2=VERSION,
        )
    data = values.get("data", [])
    if not isinstance(data, list) or len(data) > _LONGEST["data"]:
        raise DataError("“data” must be a list of sources.")
    values["data"] = tuple(_build(DataSource, item, "data") for item in data)
    values["guard"] = _build(Guard, values.get("guard", {}), "guard")
    values["masked"] = _build(Masked, values.get("masked", {}), "masked")
    recipe: Recipe = _build(Recipe, values, "the recipe")
    return recipe


def save(recipe: Recipe, path: Path) -> None:
    """Write a recipe atomically.

    Raises:
        DataError: It cannot be written.
    """
    partial = path.with_name(path.name + ".new")
    try:
        with partial.open("w", encoding="utf-8") as out:
            out.write(recipe.as_json())
            out.flush()
            os.fsync(out.fileno())
        partial.replace(path)
    except OSError as error:
        raise DataError(
            "{file}: the recipe cannot be saved ({reason}). Choose another folder.", file=path, reason=error.strerror
        ) from error


def inside(root: Path, name: str) -> Path:
    """Resolve the path of a file or folder that a recipe names, below `root`.

    Raises:
        DataError: The name is empty or leads elsewhere.
    """
    windows, posix = PureWindowsPath(name), PurePosixPath(name)
    absolute = bool(windows.drive or windows.root or posix.is_absolute())
    if not name or "\0" in name or absolute or ".." in (*windows.parts, *posix.parts):
        raise DataError(
            "“{name}” is not a path inside {root}. A recipe names files within its own folder.",
            name=name[:80],
            root=root,
        )
    path = root / name
    if not path.resolve().is_relative_to(root.resolve()):
        raise DataError(
            "“{name}” leads out of {root}. A recipe names files within its own folder.", name=name[:80], root=root
        )
    return path


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _build(kind: type[Any], values: object, what: str) -> Any:
    if not isinstance(values, dict):
        raise DataError("“{what}” must be an object of names and values.", what=what)
    known = {each.name for each in fields(kind)}
    unknown = [str(key)[:40] for key in values if key not in known]
    if unknown:
        raise DataError(
            "{what} has no setting “{unknown}”. There are {known}.",
            what=what,
            unknown=unknown[0],
            known=", ".join(sorted(known)),
        )
    listed = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return kind(**listed)


def _check_together(recipe: Recipe) -> None:
    plain = recipe.name.strip(". ") == recipe.name and not set(recipe.name) & set('/\\:*?"<>|')
    if not recipe.name or not plain or len(recipe.name) > 100 or not recipe.name.isprintable():
        raise DataError("“{name}” cannot be the name of a model. Use letters, digits, - and _.", name=recipe.name[:40])
    if recipe.dev_share + recipe.test_share > 0.8:
        raise DataError("“dev_share” and “test_share” leave too little to train with. Lower them.")
    if recipe.adapter_rank and recipe.freeze_layers:
        raise DataError("Adapters leave all other weights as they are; “freeze_layers” must be 0 with them.")
    if recipe.objective == "contrastive" and recipe.batch < 2:
        raise DataError("The objective “contrastive” compares the examples of a batch: “batch” must be 2 or more.")


def _check_values(part: Any) -> None:
    """Check that every value of a recipe, or of a part of one, has its type and is within its range.

    Raises:
        DataError: A value is invalid; the message says which.
    """
    for each in fields(part):
        value = getattr(part, each.name)
        if each.name in _CHOICES and value not in _CHOICES[each.name]:
            raise DataError(
                "“{name}” is one of {choices}, not {value}.",
                name=each.name,
                choices=", ".join(_CHOICES[each.name]).lstrip(" ,"),
                value=str(value)[:40],
            )
        if each.name in _RANGES:
            _check_number(each.name, value, whole=each.type == "int")
        if each.type == "str" and (not isinstance(value, str) or len(value) > 4096 or "\0" in value):
            raise DataError("“{name}” must be a text.", name=each.name)
        if each.type == "bool" and not isinstance(value, bool):
            raise DataError("“{name}” is true or false, not {value}.", name=each.name, value=str(value)[:40])
        if each.name in ("columns", "rename") and not _is_text_mapping(value):
            raise DataError("“{name}” must map names to names.", name=each.name)
        if each.name == "labels" and not _is_name_list(value):
            raise DataError("“labels” must be a list of names.")
        if each.name == "score_range" and value and not _is_range(value):
            raise DataError("“score_range” must be the lowest and the highest score.")


def _check_number(name: str, value: object, *, whole: bool) -> None:
    low, high = _RANGES[name]
    good = isinstance(value, int) if whole else isinstance(value, int | float)
    if not good or isinstance(value, bool) or not low <= value <= high:  # type: ignore[operator]
        kind = "a whole number" if whole else "a number"
        raise DataError(
            "“{name}” is {kind} from {low:g} to {high:g}, not {value}.",
            name=name,
            kind=kind,
            low=low,
            high=high,
            value=str(value)[:40],
        )


def _is_text_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, str) for pair in value.items() for each in pair)


def _is_name_list(value: object) -> bool:
    return (
        isinstance(value, tuple) and len(value) <= _LONGEST["labels"] and all(isinstance(each, str) for each in value)
    )


def _is_range(value: object) -> bool:
    if not isinstance(value, tuple) or len(value) != _LONGEST["score_range"]:
        return False
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in value)
    return numbers and all(map(math.isfinite, value)) and value[0] < value[1]
