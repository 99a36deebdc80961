"""Read the sources of a recipe: files, judgements, and the corpus of a workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from explorer.errors import DataError
from explorer.models.files import catalog
from explorer.training.data import from_corpus as data_from_corpus
from explorer.training.data.checks import find_remarks
from explorer.training.data.dataset import Dataset, Kind, Remark, make_set
from explorer.training.data.from_corpus import ROLE, read_texts
from explorer.training.data.judgements import from_judgements
from explorer.training.data.preview import TableReading, look
from explorer.training.recipe import DataSource, Recipe, inside
from explorer.workspace.storage import documents, passages
from explorer.workspace.storage.user import words as user_words

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.runtime.device import Device
    from explorer.training.data.preview import DataPreview
    from explorer.workspace.workspace import Workspace


Corpus = Literal["titles", "neighbours", "dropout"]
Item = TypeVar("Item")

MOST_DOCUMENTS = 50_000  # of a corpus that examples are made of
MOST_TEXTS = 20_000  # unlabelled texts that are kept for the guard
_NEEDED: dict[str, Kind] = {
    "classification": "labelled", "cross-classification": "labelled", "regression": "scored", "ranking": "scored",
    "cross-regression": "scored", "triplet": "triplets",
}  # fmt: skip
SHOWN = 200  # examples in the table
PROBLEMS = 500  # bad rows listed
_BARS = 10


@dataclass(frozen=True)
class SourcePart:
    """The examples of one source, with remarks on them."""

    source: DataSource
    dataset: Dataset
    remarks: tuple[Remark, ...] = ()
    score_range: tuple[float, float] | None = None


def needed_kind(recipe: Recipe) -> Kind:
    """Return the kind of examples that a recipe's objective learns from."""
    if recipe.objective == "contrastive":
        return "triplets" if recipe.options.get("texts", 2) == 3 else "pairs"
    if recipe.objective == "distillation":
        return "pairs" if recipe.options.get("texts", 1) == 2 else "texts"
    return _NEEDED[recipe.objective]


def read_parts(recipe: Recipe, root: Path, workspace: Workspace | None) -> Iterator[SourcePart]:
    """Yield the examples of each source, except the guard's.

    Raises:
        DataError: A source cannot be read, or there is no workspace to take it from.
    """
    wanted = needed_kind(recipe)
    for source in recipe.data:
        if source.use == "guard":
            continue
        if source.source == "file":
            yield _from_file(source, wanted, root)
        elif source.source == "judgements":
            yield _from_judgements(source, wanted, _needed(workspace, "Judgements"))
        else:
            yield SourcePart(source, from_corpus(source, _needed(workspace, "The corpus"), recipe.seed))


def from_corpus(source: DataSource, workspace: Workspace, seed: int = 0) -> Dataset:
    """Make examples from the corpus of a workspace.

    Raises:
        DataError: It gives none, or the way of making them is unknown.
    """
    kind = source.kind or "titles"
    if kind not in get_args(Corpus):
        raise DataError(
            "Examples are made of a corpus by {get_args}, not {kind}.",
            get_args=", ".join(get_args(Corpus)),
            kind=source.kind[:40],
        )
    if kind == "dropout":
        return data_from_corpus.dropout_pairs(passage_texts(workspace, MOST_TEXTS, seed), seed=seed)
    ids = drawn(documents.ids_by_file(workspace.connection), MOST_DOCUMENTS, seed)
    if kind == "titles":
        names, texts = documents.names(workspace.connection, ids), documents.texts(workspace.connection, ids)
        titles = [names[document].title if document in names else "" for document in ids]
        return data_from_corpus.title_pairs(titles, list(texts))
    cut = []
    for document in ids:
        text = workspace.text(document)
        cut.append([text[passage.start : passage.end] for passage in workspace.passages(document)])
    return data_from_corpus.neighbour_pairs(cut, seed=seed)


def passage_texts(workspace: Workspace, most: int, seed: int = 0) -> tuple[str, ...]:
    """Sample the texts of passages of a workspace."""
    ids = drawn(passages.all_ids(workspace.connection), most, seed)
    return tuple(passages.texts(workspace.connection, ids))


def model_folder(name: str, root: Path) -> Path:
    """Return the folder of a model that a recipe names: in the catalog, or inside the recipe's folder.

    Raises:
        ModelError: There is no such model, or the bundled one is damaged.
        DataError: The name leads out of the recipe's folder.
    """
    if not name:
        return catalog.default()
    known = next((entry.path for entry in catalog.entries() if entry.name == name and entry.path), None)
    if known is not None:
        return catalog.find(name)
    within = inside(root, name)
    return within if within.is_dir() else catalog.find(name)


def teacher_of(recipe: Recipe, root: Path, device: Device | None = None) -> BiEncoder | None:
    """Open the teacher of a recipe; None if that is the base.

    Raises:
        ModelError: It cannot be used.
    """
    from explorer.models.bi_encoder import BiEncoder

    return BiEncoder.open(model_folder(recipe.teacher, root), device) if recipe.teacher else None


def unlabelled_of(recipe: Recipe, root: Path, workspace: Workspace | None) -> tuple[str, ...]:
    """Return the distinct texts of the guard's files and of the workspace.

    Raises:
        DataError: A file cannot be read.
    """
    texts: list[str] = []
    for source in recipe.data:
        if source.use == "guard" and source.source == "file":
            texts += read_texts(inside(root, source.path), source.columns.get(ROLE, ""))
    if workspace is not None:
        texts += passage_texts(workspace, MOST_TEXTS, recipe.seed)
    return tuple(drawn(list(dict.fromkeys(texts)), MOST_TEXTS, recipe.seed))


def drawn(items: Sequence[Item], most: int, seed: int) -> Sequence[Item]:
    """Sample at most `most` items, in their order."""
    if len(items) <= most:
        return items
    rows = np.random.default_rng(seed).permutation(len(items))[:most]
    return [items[index] for index in sorted(rows.tolist())]


def _from_file(source: DataSource, wanted: Kind, root: Path) -> SourcePart:
    path = inside(root, source.path)
    if source.kind == "texts" or (wanted == "texts" and ROLE in source.columns):
        texts = read_texts(path, source.columns.get(ROLE, ""))
        return SourcePart(source, replace(make_set("texts", (tuple(dict.fromkeys(texts)),)), source=str(path)))
    seen = look(path, _reading(source))
    if not source.kind and wanted in ("scored", "labelled", "triplets") and wanted in seen.kinds:
        asked = look(path, replace(_reading(source), kind=wanted))  # a file may hold scores and labels
        seen = seen if asked.examples is None else asked
    if seen.examples is None:
        raise DataError(seen.trouble)
    return SourcePart(source, seen.examples, seen.remarks, seen.score_range)


def _reading(source: DataSource) -> TableReading:
    low_high = (source.score_range[0], source.score_range[1]) if source.score_range else None
    return TableReading(
        source.columns, source.kind or None, low_high, source.low_is_same, source.rename, tuple(source.labels)
    )


def _from_judgements(source: DataSource, wanted: Kind, workspace: Workspace) -> SourcePart:
    kind: Literal["scored", "labelled"] = "labelled" if wanted == "labelled" else "scored"
    dataset = from_judgements(user_words.judgements(workspace), kind)
    return SourcePart(source, dataset, find_remarks(dataset))


def _needed(workspace: Workspace | None, what: str) -> Workspace:
    if workspace is None:
        raise DataError("{what} of an indexed folder are needed, and none is open. Name the folder.", what=what)
    return workspace


@dataclass(frozen=True)
class ExamplePreview:
    """A preview of training examples.

    Attributes:
        usable: Examples to train with.
        left_out: Rows that cannot be used.
        kind: What the examples are; empty if they are none.
        texts: Texts of an example, 2 for pairs and 3 for triplets.
        rows: Some of them: their texts, and last what people said.
        columns: Of a file: all its columns.
        raw: Of a file: its first rows as written.
        kinds: The kinds that the columns could make.
        roles: The column taken for each role.
        score_range: The lowest and highest possible score; None where there are none.
        score_counts: How many scores are in each of ten equal steps.
        labels: Each label with its count.
        positive: The label that means "similar"; empty if unknown.
        problems: Line and reason of rows that cannot be used.
        remarks: What is doubtful, each with whether it forbids to train.
        trouble: Why there is no example; empty where there are some.
    """

    usable: int = 0
    left_out: int = 0
    kind: str = ""
    texts: int = 2
    rows: tuple[tuple[str, ...], ...] = ()
    columns: tuple[str, ...] = ()
    raw: tuple[tuple[str, ...], ...] = ()
    kinds: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    score_range: tuple[float, float] | None = None
    score_counts: tuple[int, ...] = ()
    labels: tuple[tuple[str, int], ...] = ()
    positive: str = ""
    problems: tuple[tuple[int, str], ...] = ()
    remarks: tuple[tuple[str, bool], ...] = ()
    trouble: str = ""

    @property
    def trainable(self) -> bool:
        """Whether there are examples to train with."""
        return self.usable > 1 and not self.trouble and not any(fatal for _, fatal in self.remarks)


def in_file(path: Path, source: DataSource) -> ExamplePreview:
    """Preview the examples of a file, read with the options of a source.

    Raises:
        DataError: The file cannot be read as a table.
    """
    from explorer.training.data.preview import TableReading, look

    low_high: Any = source.score_range or None
    reading = TableReading(
        dict(source.columns), source.kind or None, low_high, source.low_is_same, dict(source.rename), source.labels
    )
    return _of_preview(look(path, reading))


def in_set(dataset: Dataset, *, alone: bool = False) -> ExamplePreview:
    """Preview a dataset; `alone` for texts that are paired with themselves on purpose."""
    from explorer.training.data.checks import find_remarks, positive_label

    remarks = [remark for remark in find_remarks(dataset) if not (alone and remark.kind == "same text")]
    rows, width = _rows(dataset), len(dataset.columns)
    if alone:
        rows, width = tuple((row[0], "") for row in rows), 1

    bars = Counter(min(_BARS - 1, int(score * _BARS + 1e-9)) for score in dataset.scores)
    counts = Counter(dataset.classes)
    return ExamplePreview(
        usable=len(dataset),
        left_out=len(dataset.problems),
        kind="texts" if alone else dataset.kind,
        texts=width,
        rows=rows,
        score_range=(0.0, 1.0) if dataset.scores else None,
        score_counts=tuple(bars[bar] for bar in range(_BARS)) if bars else (),
        labels=tuple((name, counts[index]) for index, name in enumerate(dataset.names)),
        positive=positive_label(dataset) or "",
        problems=_problems(dataset.problems),
        remarks=tuple((remark.sentence, remark.fatal) for remark in remarks),
    )


def _of_preview(shown: DataPreview) -> ExamplePreview:
    examples = shown.examples
    return ExamplePreview(
        usable=0 if examples is None else len(examples),
        left_out=len(shown.problems),
        kind=shown.kind or "",
        texts=2 if examples is None else len(examples.columns),
        rows=() if examples is None else _rows(examples, shown.score_range),
        columns=shown.columns,
        raw=tuple(tuple(cell or "" for cell in row) for row in shown.first_rows),
        kinds=shown.kinds,
        roles=dict(shown.roles),
        score_range=shown.score_range,
        score_counts=shown.score_counts,
        labels=tuple((label.name, label.count) for label in shown.labels),
        positive=shown.positive or "",
        problems=_problems(shown.problems),
        remarks=tuple((remark.sentence, remark.fatal) for remark in shown.remarks),
        trouble=shown.trouble,
    )


def _rows(dataset: Dataset, ends: tuple[float, float] | None = None) -> tuple[tuple[str, ...], ...]:
    """Return the first examples with their scores, in the range they were given in, or their labels."""
    low, high = ends or (0.0, 1.0)
    made = []
    for index in range(min(SHOWN, len(dataset))):
        answer = ""
        if dataset.scores:
            answer = f"{low + dataset.scores[index] * (high - low):.4g}"
        elif dataset.classes:
            answer = dataset.names[dataset.classes[index]]
        made.append((*dataset.example(index), answer))
    return tuple(made)


def _problems(problems: Sequence[Any]) -> tuple[tuple[int, str], ...]:
    return tuple((problem.line, problem.reason) for problem in problems[:PROBLEMS])
