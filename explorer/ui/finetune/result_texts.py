"""What came of a training, in a few plain sentences: whether the gain is real, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.ui.finetune import texts
from explorer.ui.finetune.texts import translate
from explorer.ui.look.engine_messages import told

if TYPE_CHECKING:
    from explorer.services.finetuning.run import FinishedTraining

KEPT_ENOUGH = 0.95  # of the general ability
FEW = 10  # examples below which nothing can be said


def headline(finished: FinishedTraining) -> str:
    """The one line that counts."""
    rows = finished.comparison.rows
    if not rows:
        return translate("finetune", "Trained; no gain can be shown")
    change = rows[0]
    if change.count < FEW:
        return translate("finetune", "Trained; too few examples to say whether it is better")
    if change.verdict == "gain":
        return translate("finetune", "The gain is real")
    if change.verdict == "loss":
        return translate("finetune", "It became worse")
    if change.difference.value > 0:
        return translate("finetune", "The gain may be chance")
    return translate("finetune", "Nothing was gained")


def is_the_base(finished: FinishedTraining) -> bool:
    """Whether no step was better than the model it began with, so that this is what was kept."""
    return finished.trained.steps > 0 and finished.trained.best_step == 0


def gained(finished: FinishedTraining) -> str:
    """What was gained, with how sure that is."""
    rows = finished.comparison.rows
    if not rows:
        return translate(
            "finetune",
            "Nothing was held out to measure with. Give more examples, or a file of its own for the test.",
        )
    change = rows[0]
    if change.difference.low == change.difference.high == 0:
        return translate(
            "finetune",
            "No step was better than the model it began with, so that one was kept. Try a gentler training.",
        )
    said = translate(
        "finetune", "{measure}: {before} before, {after} after, on {count} examples the model had not seen."
    ).format(
        measure=texts.measure(change.measure), before=f"{change.before.value:.3f}",
        after=f"{change.after.value:.3f}", count=f"{change.count:,}",
    )  # fmt: skip
    ends = {
        "gain": translate("finetune", "So large a gain is not chance."),
        "loss": translate("finetune", "So large a loss is not chance. Discard it, or train more gently."),
        "noise": translate(
            "finetune", "With so few examples a difference like this may be chance; judge more pairs."
        ),
    }
    return f"{said} {ends[change.verdict]}" if change.count >= FEW else said


def lost(finished: FinishedTraining) -> tuple[str, bool]:
    """What it cost of the general ability, and whether that is too much."""
    comparison = finished.comparison
    share = comparison.share_kept
    if share is None:
        little = translate(
            "finetune", "The model could do little in general before, so that little could be lost."
        )
        return (little if comparison.general else ""), False
    worse = [texts.measure(part.measure) for part in comparison.general[:-1] if part.verdict == "loss"]
    much = share.value < KEPT_ENOUGH
    if share.value >= 1 and not worse:
        return translate("finetune", "Nothing of what the model could do in general was lost."), False
    said = translate(
        "finetune", "{share} of what the model could do in general is kept ({low} to {high})."
    ).format(share=f"{share.value:.0%}", low=f"{share.low:.0%}", high=f"{share.high:.0%}")
    if worse:
        said += " " + translate("finetune", "Worse than before: {parts}.").format(parts=", ".join(worse))
    return said, much


def notes(finished: FinishedTraining) -> str:
    """How the training went, and what else there is to know."""
    trained = finished.trained
    ended = {
        "done": translate("finetune", "All {total} steps were made; step {best} was the best and is kept."),
        "stopped": translate("finetune", "Stopped after {steps} of {total} steps; step {best} is kept."),
        "no gain": translate(
            "finetune", "Ended after {steps} of {total} steps, as nothing was gained any more; step {best} is kept."
        ),
        "time": translate("finetune", "The time was over after {steps} of {total} steps; step {best} is kept."),
        "diverged": translate("finetune", "After {steps} steps the loss was no number any more; step {best} is kept."),
    }[trained.ended]  # fmt: skip
    first = ended.format(
        steps=f"{trained.steps:,}", total=f"{trained.total:,}", best=f"{trained.best_step:,}"
    )
    return "\n".join([first, *(told(note) for note in trained.notes)])
