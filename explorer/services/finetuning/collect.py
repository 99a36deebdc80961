"""Collect the examples of a recipe from its sources, check them, and split them so that no text is on two sides."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.analysis.text.language import language
from explorer.errors import DataError
from explorer.messages import UserMessage
from explorer.models.files import catalog
from explorer.services.finetuning.sources import SourcePart, model_folder, needed_kind, read_parts, unlabelled_of
from explorer.task import Task
from explorer.training.data import hard_negatives
from explorer.training.data.checks import leaking, positive_label, require_trainable, without_duplicates, without_leaks
from explorer.training.data.dataset import Dataset, Kind, Remark, joined, require_measurable
from explorer.training.data.split import as_kind, split
from explorer.training.recipe import Recipe
from explorer.workspace.update.model_advice import advise_about, in_words

if TYPE_CHECKING:
    from explorer.models.runtime.device import Device
    from explorer.workspace.workspace import Workspace

_logger = logging.getLogger(__name__)

HELD = ("dev", "test")
_SAMPLED = 200  # texts of a column whose language is looked at


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used: its file, its line, and what is wrong with it."""

    source: str
    line: int
    reason: str


@dataclass(frozen=True)
class CollectedExamples:
    """Everything a training run needs except the model.

    Attributes:
        recipe: The recipe it was gathered for.
        root: The folder that the recipe's paths are relative to.
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
    examples: Dataset
    dev: Dataset | None = None
    test: Dataset | None = None
    test_groups: tuple[int, ...] = ()
    unlabelled: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    bad_rows: tuple[BadRow, ...] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    score_range: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    positive: str = ""


def collect_examples(
    recipe: Recipe,
    *,
    root: Path,
    workspace: Workspace | None = None,
    base: Path | None = None,
    device: Device | None = None,
    task: Task | None = None,
    on_warning: Callable[[str], None] | None = None,
) -> CollectedExamples:
    """Return the examples of a recipe, of the kind its objective needs, split so that no text is on two sides.

    Args:
        recipe: Names the sources.
        root: The folder of its files.
        workspace: Where judgements and the corpus are.
        base: The model that mines hard negatives, where it is not the one the recipe names.
        device: Where it runs.
        task: Progress and cancel.
        on_warning: Called with a warning that comes before minutes are spent on mining.

    Raises:
        DataError: A source cannot be read, or what is in it cannot be trained on.
        ModelError: The base that mines hard negatives cannot be used.
        Cancelled: The task was cancelled.
    """
    task = task or Task()
    if not any(source.use in ("", "train") for source in recipe.data):
        raise DataError("There is nothing to learn from yet. Add a file, judgements, or the texts themselves.")
    parts = [_checked(part, task) for part in read_parts(recipe, root, workspace)]
    unlabelled = unlabelled_of(recipe, root, workspace)
    sides, warnings = _sides(recipe, parts)
    train, held = sides["train"], [sides[side] for side in HELD if side in sides]
    for side in HELD:
        leaks = leaking(train, sides[side]) if side in sides else []
        if leaks:
            warnings.append(
                UserMessage(
                    "{count} of {total} training examples contain a text that is also in {side}; they are left out.",
                    count=len(leaks),
                    total=len(train),
                    side=side,
                )
            )
            train = without_leaks(train, sides[side])
    unread = _unread(recipe, base, train)
    if _negatives(recipe):
        for warning in unread:
            if on_warning is not None:
                on_warning(warning)
        train = _mined(recipe, train, held, unlabelled, root, base, device, task)
        warnings += [remark.sentence for remark in train.remarks]
    require_trainable(train)
    positive, said = _positive(recipe, train)
    examples = {side: require_measurable(sides[side]) for side in HELD if side in sides}
    _logger.info("collected examples of %d sources: %s", len(parts), {side: len(part) for side, part in sides.items()})
    return CollectedExamples(
        recipe=recipe,
        root=root,
        kind=parts[0].dataset.kind,
        examples=train,
        dev=examples.get("dev"),
        test=examples.get("test"),
        test_groups=sides["test"].groups if "test" in sides else (),
        unlabelled=unlabelled,
        warnings=tuple(dict.fromkeys([*unread, *_warnings(parts), *warnings, *said])),
        remarks=tuple(remark for part in parts for remark in part.remarks),
        bad_rows=tuple(_bad_rows(parts)),
        counts={side: _counts(dataset) for side, dataset in ({"train": train} | sides | {"train": train}).items()},
        score_range=next((part.score_range for part in parts if part.score_range), None),
        labels=train.names,
        positive=positive,
    )


def _unread(recipe: Recipe, base: Path | None, train: Dataset) -> list[str]:
    """Return a warning if the base cannot read the language of the examples; distillation may be to teach it one."""
    name = str(base or recipe.base or catalog.DEFAULT)
    if recipe.objective == "distillation":
        return []
    texts = [text for column in train.columns for text in column[:: max(1, len(column) // _SAMPLED)]]
    advice = advise_about(Counter(map(language, texts)), name)
    if advice is None:
        return []
    share = {"percent": round(100 * advice.share), "language": in_words(advice.languages), "model": name}
    if not advice.better:
        return [UserMessage("{percent} % of the texts are in {language}, which {model} cannot read.", **share)]
    return [
        UserMessage(
            "{percent} % of the texts are in {language}, which {model} cannot read. Start from {better}, which can.",
            better=advice.better,
            **share,
        )
    ]


def _checked(part: SourcePart, task: Task) -> SourcePart:
    """Return a part with the remarks that apply here; held-out examples may be few, and repeat each other."""
    task.check()
    held = part.source.use in HELD
    remarks = (item for item in part.remarks if not (held and item.kind in ("few", "duplicates")))
    return replace(part, remarks=tuple(map(_done, remarks)))


def _done(remark: Remark) -> Remark:
    if remark.kind != "duplicates" or remark.fatal:
        return remark
    return replace(remark, sentence=remark.sentence.replace("Leave them out.", "They are left out."))


def _sides(recipe: Recipe, parts: Sequence[SourcePart]) -> tuple[dict[str, Dataset], list[str]]:
    """Return the training, dev and test examples, and messages on how they were split."""
    wanted = needed_kind(recipe)
    if _negatives(recipe):
        wanted = "pairs"  # the negatives are mined later, for the training part alone

    def made(part: SourcePart) -> Dataset:
        return as_kind(part.dataset, wanted, positive=part.source.positive or None)

    named = {side: [part for part in parts if part.source.use == side] for side in ("train", "dev", "test")}
    sides = {side: joined([part.dataset for part in named[side]]) for side in HELD if named[side]}
    pool = [made(part) for part in parts if not part.source.use]
    train, warnings = [made(part) for part in named["train"]], list[str]()
    if pool:
        whole = without_duplicates(joined(pool))
        shares = [
            0.0 if side in sides or not _measurable(recipe, parts) else share
            for side, share in (("dev", recipe.dev_share), ("test", recipe.test_share))
        ]
        try:
            cut = split(whole, (1 - sum(shares), *shares), recipe.seed)
        except DataError as error:
            warnings.append(UserMessage("{reason} Nothing is held out, so no gain can be shown.", reason=error))
            cut = split(whole, (1.0, 0.0, 0.0), recipe.seed)
        warnings += [cut.remark] if cut.remark else []
        train.append(cut.train)
        sides |= {side: part for side, part in (("dev", cut.dev), ("test", cut.test)) if len(part)}
    return sides | {"train": without_duplicates(joined(train))}, warnings


def _measurable(recipe: Recipe, parts: Sequence[SourcePart]) -> bool:
    """Return whether held-out examples measure anything; texts alone, or paired with themselves, do not."""
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
    recipe: Recipe,
    train: Dataset,
    held: Sequence[Dataset],
    unlabelled: Sequence[str],
    root: Path,
    base: Path | None,
    device: Device | None,
    task: Task,
) -> Dataset:
    from explorer.models.bi_encoder import BiEncoder

    hidden = {text for other in held for column in other.columns for text in column}
    candidates = [text for text in (*train.columns[1], *unlabelled) if text not in hidden]
    model = BiEncoder.open(base or model_folder(recipe.base, root), device)
    return hard_negatives.with_hard_negatives(
        train, candidates, model, count=_negatives(recipe), seed=recipe.seed, task=task
    )


def _positive(recipe: Recipe, train: Dataset) -> tuple[str, list[str]]:
    """Return the label that means "similar" if it is known, and a warning if it was guessed."""
    named = next((source.positive for source in recipe.data if source.positive), "")
    if named or train.kind != "labelled" or len(train.names) != 2:
        return named, []
    guessed = positive_label(train)
    if guessed is not None:
        return guessed, []
    taken = train.names[-1]
    return taken, [
        UserMessage(
            "Which label means 'similar' is not known; {label} is assumed. Name it if that is wrong.", label=taken
        )
    ]


def _warnings(parts: Sequence[SourcePart]) -> Iterator[str]:
    for part in parts:
        yield from (part.dataset.message(remark.sentence) for remark in part.remarks)


def _bad_rows(parts: Sequence[SourcePart]) -> Iterator[BadRow]:
    for part in parts:
        yield from (BadRow(part.source.path, item.line, item.reason) for item in part.dataset.problems)


def _counts(dataset: Dataset) -> dict[str, int]:
    each = Counter(dataset.names[label] for label in dataset.classes)
    return {"all": len(dataset)} | {name: each[name] for name in dataset.names}
