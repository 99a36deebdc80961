"""What a training learns from: files, judgements and the corpus of a workspace, gathered, checked and split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

import numpy as np

from explorer.errors import DataError
from explorer.models import catalog
from explorer.task import Task
from explorer.training import corpus_examples, mining
from explorer.training.conversion import as_kind
from explorer.training.example_checks import (
    find_remarks,
    leaking,
    positive_label,
    require_trainable,
    without_duplicates,
    without_leaks,
)
from explorer.training.examples import Examples
from explorer.training.judgements import Judgement, from_judgements
from explorer.training.preview import Preview, Reading, look
from explorer.training.recipe import Recipe, Source, inside
from explorer.training.splitting import split
from explorer.training.text_files import ROLE, read_texts
from explorer.training.training_set import Kind, Remark, TrainingSet, as_examples, joined, make_set
from explorer.workspace import tags

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.device import Device
    from explorer.workspace.workspace import Workspace

Corpus = Literal["titles", "neighbours", "dropout"]
Item = TypeVar("Item")

HELD = ("dev", "test")
MOST_DOCUMENTS = 50_000  # of a corpus that examples are made of
MOST_TEXTS = 20_000  # unlabelled texts that are kept for the guard
_NEEDED: dict[str, Kind] = {
    "classification": "labelled", "cross-classification": "labelled", "regression": "scored", "ranking": "scored",
    "cross-regression": "scored", "triplet": "triplets",
}  # fmt: skip


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used: its file, its line, and what is wrong with it."""

    source: str
    line: int
    reason: str


@dataclass(frozen=True)
class Gathered:
    """Everything a training needs but the model.

    Attributes:
        recipe: The recipe it was gathered for.
        root: The folder in which the recipe's paths lie.
        kind: What the examples were before they were made what the objective needs.
        examples: What the model learns from.
        dev: What chooses the best step; None if nothing is held out.
        test: What measures the result, once; None if nothing is held out.
        test_groups: The group of each test example, for the intervals.
        unlabelled: Texts on which the guard holds the model to its base, and whose neighbours are compared.
        warnings: What the user should know, a sentence each.
        remarks: The same with counts and places, for what concerns single examples.
        bad_rows: Rows that cannot be used.
        counts: For each of train, dev and test the number of examples, "all", and that of each label.
        score_range: The lowest and highest score of the files; None where there are no scores.
        labels: The labels the examples have.
        positive: The label that means "similar"; empty where there is none.
    """

    recipe: Recipe
    root: Path
    kind: Kind
    examples: TrainingSet
    dev: Examples | None = None
    test: Examples | None = None
    test_groups: tuple[int, ...] = ()
    unlabelled: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    bad_rows: tuple[BadRow, ...] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    score_range: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    positive: str = ""


@dataclass(frozen=True)
class Part:
    """The examples of one source, and what was seen in it."""

    source: Source
    found: TrainingSet
    remarks: tuple[Remark, ...] = ()
    score_range: tuple[float, float] | None = None


def gather(
    recipe: Recipe,
    *,
    root: Path,
    workspace: Workspace | None = None,
    base: Path | None = None,
    device: Device | None = None,
    task: Task | None = None,
) -> Gathered:
    """The examples of a recipe, of the kind its objective needs, split so that no text is on two sides.

    Args:
        recipe: Names the sources.
        root: The folder in which its files lie.
        workspace: Where judgements and the corpus are.
        base: The model that mines hard negatives, where it is not the one the recipe names.
        device: Where it runs.
        task: Progress and cancel.

    Raises:
        DataError: A source cannot be read, or what is in it cannot be trained on.
        ModelError: The base that mines hard negatives cannot be used.
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    if not any(source.use in ("", "train") for source in recipe.data):
        raise DataError(
            "There is nothing to learn from yet. Add a file, judgements, or the texts themselves."
        )
    parts = [_checked(part, task) for part in read_parts(recipe, root, workspace)]
    unlabelled = _unlabelled(recipe, root, workspace)
    sides, told = _sides(recipe, parts)
    train, held = sides["train"], [sides[side] for side in HELD if side in sides]
    for side in HELD:
        leaks = leaking(train, sides[side]) if side in sides else []
        if leaks:
            told.append(
                f"{len(leaks)} of {len(train)} training examples hold a text that is in {side} too; they are left out."
            )
            train = without_leaks(train, sides[side])
    if _negatives(recipe):
        train = _mined(recipe, train, held, unlabelled, root, base, device, task)
        told += [remark.sentence for remark in train.remarks]
    require_trainable(train)
    positive, said = _positive(recipe, train)
    examples = {side: as_examples(sides[side]) for side in HELD if side in sides}
    return Gathered(
        recipe=recipe,
        root=root,
        kind=parts[0].found.kind,
        examples=train,
        dev=examples.get("dev"),
        test=examples.get("test"),
        test_groups=sides["test"].groups if "test" in sides else (),
        unlabelled=unlabelled,
        warnings=tuple(dict.fromkeys([*_warnings(parts), *told, *said])),
        remarks=tuple(remark for part in parts for remark in part.remarks),
        bad_rows=tuple(_bad_rows(parts)),
        counts={
            side: _counts(found) for side, found in ({"train": train} | sides | {"train": train}).items()
        },
        score_range=next((part.score_range for part in parts if part.score_range), None),
        labels=train.names,
        positive=positive,
    )


def needed_kind(recipe: Recipe) -> Kind:
    """The kind of examples that the recipe's objective learns from."""
    if recipe.objective == "contrastive":
        return "triplets" if recipe.options.get("texts", 2) == 3 else "pairs"
    if recipe.objective == "distillation":
        return "pairs" if recipe.options.get("texts", 1) == 2 else "texts"
    return _NEEDED[recipe.objective]


def read_parts(recipe: Recipe, root: Path, workspace: Workspace | None) -> Iterator[Part]:
    """The examples of each source but the guard's, as they are found.

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
            yield Part(source, from_corpus(source, _needed(workspace, "The corpus"), recipe.seed))


def seen_in(source: Source, root: Path) -> Preview:
    """What a source's file holds, for a person to look at.

    Raises:
        DataError: It cannot be read.
    """
    return look(inside(root, source.path), _reading(source))


def from_corpus(source: Source, workspace: Workspace, seed: int = 0) -> TrainingSet:
    """Examples made of the corpus of a workspace.

    Raises:
        DataError: It gives none, or the way of making them is unknown.
    """
    kind = source.kind or "titles"
    if kind not in get_args(Corpus):
        raise DataError(
            f"Examples are made of a corpus by {', '.join(get_args(Corpus))}, not {source.kind[:40]}."
        )
    if kind == "dropout":
        return corpus_examples.dropout_pairs(passage_texts(workspace, MOST_TEXTS, seed), seed=seed)
    entries = _drawn(list(workspace.documents()), MOST_DOCUMENTS, seed)
    if kind == "titles":
        texts = [workspace.text(entry.id) for entry in entries]
        return corpus_examples.title_pairs([entry.title for entry in entries], texts)
    documents = []
    for entry in entries:
        text = workspace.text(entry.id)
        documents.append([text[one.start : one.end] for one in workspace.passages(entry.id)])
    return corpus_examples.neighbour_pairs(documents, seed=seed)


def passage_texts(workspace: Workspace, most: int, seed: int = 0) -> tuple[str, ...]:
    """Texts of the passages of a workspace, at most so many, drawn by the seed."""
    rows = workspace.connection.execute("SELECT id FROM passages ORDER BY id").fetchall()
    query = (
        "SELECT substr(d.text, p.start + 1, p.stop - p.start) FROM passages p "
        "JOIN documents d ON d.id = p.document WHERE p.id = ?"
    )
    return tuple(
        str(workspace.connection.execute(query, row).fetchone()[0]) for row in _drawn(rows, most, seed)
    )


def as_training(judgements: Iterable[tags.Judgement]) -> list[Judgement]:
    """A workspace's judgements as the training room takes them; those on an empty text are left out."""
    return [
        Judgement(one.first, one.second, one.value, one.scale, one.made)
        for one in judgements
        if one.first.strip() and one.second.strip()
    ]


def _from_file(source: Source, wanted: Kind, root: Path) -> Part:
    path = inside(root, source.path)
    if source.kind == "texts" or (wanted == "texts" and ROLE in source.columns):
        texts = read_texts(path, source.columns.get(ROLE, ""))
        return Part(source, replace(make_set("texts", (tuple(dict.fromkeys(texts)),)), source=str(path)))
    seen = look(path, _reading(source))
    if not source.kind and wanted in ("scored", "labelled", "triplets") and wanted in seen.kinds:
        asked = look(path, replace(_reading(source), kind=wanted))  # a file may hold scores and labels
        seen = seen if asked.examples is None else asked
    if seen.examples is None:
        raise DataError(seen.trouble)
    return Part(source, seen.examples, seen.remarks, seen.score_range)


def _reading(source: Source) -> Reading:
    low_high = (source.score_range[0], source.score_range[1]) if source.score_range else None
    return Reading(
        source.columns, source.kind or None, low_high, source.low_is_same, source.rename, tuple(source.labels)
    )


def _from_judgements(source: Source, wanted: Kind, workspace: Workspace) -> Part:
    kind: Literal["scored", "labelled"] = "labelled" if wanted == "labelled" else "scored"
    found = from_judgements(as_training(tags.judgements(workspace)), kind)
    return Part(source, found, find_remarks(found))


def _needed(workspace: Workspace | None, what: str) -> Workspace:
    if workspace is None:
        raise DataError(
            f"{what} of a folder that was indexed are asked for, and none is open. Name the folder."
        )
    return workspace


def _checked(part: Part, task: Task) -> Part:
    task.check()
    return part


def _sides(recipe: Recipe, parts: Sequence[Part]) -> tuple[dict[str, TrainingSet], list[str]]:
    """Train, and dev and test where there are any; and sentences on how they came about."""
    wanted = needed_kind(recipe)
    if _negatives(recipe):
        wanted = "pairs"  # the negatives are mined later, for the training part alone

    def made(part: Part) -> TrainingSet:
        return as_kind(part.found, wanted, positive=part.source.positive or None)

    named = {side: [part for part in parts if part.source.use == side] for side in ("train", "dev", "test")}
    sides = {side: joined([part.found for part in named[side]]) for side in HELD if named[side]}
    pool = [made(part) for part in parts if not part.source.use]
    train, told = [made(part) for part in named["train"]], list[str]()
    if pool:
        whole = without_duplicates(joined(pool))
        shares = [
            0.0 if side in sides or not _measurable(recipe, parts) else share
            for side, share in (("dev", recipe.dev_share), ("test", recipe.test_share))
        ]
        try:
            cut = split(whole, (1 - sum(shares), *shares), recipe.seed)
        except DataError as error:
            told.append(f"{error} Nothing is held out, so that no gain can be shown.")
            cut = split(whole, (1.0, 0.0, 0.0), recipe.seed)
        told += [cut.remark] if cut.remark else []
        train.append(cut.train)
        sides |= {side: part for side, part in (("dev", cut.dev), ("test", cut.test)) if len(part)}
    return sides | {"train": without_duplicates(joined(train))}, told


def _measurable(recipe: Recipe, parts: Sequence[Part]) -> bool:
    """Whether held-out examples would say anything: texts alone do not, nor texts paired with themselves."""
    alone = any(part.source.source == "corpus" and part.source.kind == "dropout" for part in parts)
    return needed_kind(recipe) != "texts" and not alone


def _negatives(recipe: Recipe) -> int:
    asked = max((source.negatives for source in recipe.data), default=0)
    if asked and needed_kind(recipe) != "triplets":
        raise DataError(
            "Mined negatives make triplets: choose the objective “triplet”, or “contrastive” with “texts” 3."
        )
    return asked


def _mined(
    recipe: Recipe, train: TrainingSet, held: Sequence[TrainingSet], unlabelled: Sequence[str], root: Path,
    base: Path | None, device: Device | None, task: Task,
) -> TrainingSet:  # fmt: skip
    from explorer.models.bi_encoder import BiEncoder

    hidden = {text for other in held for column in other.columns for text in column}
    candidates = [text for text in (*train.columns[1], *unlabelled) if text not in hidden]
    model = BiEncoder.open(base or model_folder(recipe.base, root), device)
    return mining.with_hard_negatives(
        train, candidates, model, count=_negatives(recipe), seed=recipe.seed, task=task
    )


def model_folder(name: str, root: Path) -> Path:
    """The folder of a model that a recipe names: one of the catalog, or a folder inside the recipe's.

    Raises:
        ModelError: There is no such model, or the bundled one is damaged.
        DataError: The name leads out of the recipe's folder.
    """
    if not name:
        return catalog.bundled()
    known = next((entry.path for entry in catalog.entries() if entry.name == name and entry.path), None)
    if known is not None:
        return catalog.find(name)
    within = inside(root, name)
    return within if within.is_dir() else catalog.find(name)


def teacher_of(recipe: Recipe, root: Path, device: Device | None = None) -> BiEncoder | None:
    """The model a recipe learns from by distillation; None where that is the base.

    Raises:
        ModelError: It cannot be used.
    """
    from explorer.models.bi_encoder import BiEncoder

    return BiEncoder.open(model_folder(recipe.teacher, root), device) if recipe.teacher else None


def _unlabelled(recipe: Recipe, root: Path, workspace: Workspace | None) -> tuple[str, ...]:
    found: list[str] = []
    for source in recipe.data:
        if source.use == "guard" and source.source == "file":
            found += read_texts(inside(root, source.path), source.columns.get(ROLE, ""))
    if workspace is not None:
        found += passage_texts(workspace, MOST_TEXTS, recipe.seed)
    return tuple(_drawn(list(dict.fromkeys(found)), MOST_TEXTS, recipe.seed))


def _drawn(items: Sequence[Item], most: int, seed: int) -> Sequence[Item]:
    if len(items) <= most:
        return items
    chosen = np.random.default_rng(seed).permutation(len(items))[:most]
    return [items[place] for place in sorted(chosen.tolist())]


def _positive(recipe: Recipe, train: TrainingSet) -> tuple[str, list[str]]:
    """The label that means "similar", where labels are two or one was named; and a doubt about it."""
    named = next((source.positive for source in recipe.data if source.positive), "")
    if named or train.kind != "labelled" or len(train.names) != 2:
        return named, []
    guessed = positive_label(train)
    if guessed is not None:
        return guessed, []
    taken = train.names[-1]
    return taken, [
        f"Which label means 'similar' is not known; {taken} is taken for it. Name it if that is wrong."
    ]


def _warnings(parts: Sequence[Part]) -> Iterator[str]:
    """The remarks on each source; held-out examples may be few, and repeat each other."""
    for part in parts:
        for remark in part.remarks:
            if part.source.use in HELD and remark.kind in ("few", "duplicates"):
                continue
            left_out = remark.kind == "duplicates"
            said = (
                remark.sentence.replace("Leave them out.", "They are left out.")
                if left_out
                else remark.sentence
            )
            yield part.found.told(said)


def _bad_rows(parts: Sequence[Part]) -> Iterator[BadRow]:
    for part in parts:
        yield from (BadRow(part.source.path, one.line, one.reason) for one in part.found.problems)


def _counts(found: TrainingSet) -> dict[str, int]:
    each = Counter(found.names[label] for label in found.classes)
    return {"all": len(found)} | {name: each[name] for name in found.names}
