"""Texts for durations, metrics and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from explorer.ui.look.language import translated

if TYPE_CHECKING:
    from explorer.services.finetuning.run import FinishedTraining


translate = QCoreApplication.translate  # under this name the translators' tool finds the texts

_MINUTE, _HOUR = 60, 3600


def about_time(seconds: float) -> str:
    """Return an approximate duration.

    Example:
        >>> about_time(20), about_time(400)
        ('less than a minute', 'about 7 min')
    """
    if seconds < _MINUTE:
        return translate("finetune", "less than a minute")
    if seconds < 1.5 * _HOUR:
        return translate("finetune", "about {count} min").format(count=round(seconds / _MINUTE))
    return translate("finetune", "about {count} h").format(count=f"{seconds / _HOUR:.1f}".removesuffix(".0"))


def measure(name: str) -> str:
    """Return the display name of a metric."""
    known = {
        "spearman": translate("finetune", "Rank correlation with human scores (Spearman)"),
        "pearson": translate("finetune", "Correlation with human scores (Pearson)"),
        "spearman_euclidean": translate("finetune", "Rank correlation by distance (Spearman)"),
        "accuracy": translate("finetune", "Accuracy"),
        "average_precision": translate("finetune", "Average precision"),
        "auc": translate("finetune", "Similar pairs ranked above others (AUC)"),
        "auc_one_vs_rest": translate("finetune", "Class separation (AUC)"),
        "best_accuracy": translate("finetune", "Accuracy at the best threshold"),
        "best_f1": translate("finetune", "F1 at the best threshold"),
        "ndcg@10": translate("finetune", "Top ten results (nDCG@10)"),
        "mrr@10": translate("finetune", "First correct result (MRR@10)"),
        "recall@100": translate("finetune", "Found in the top hundred (recall@100)"),
        "macro_f1": translate("finetune", "All classes weighted equally (macro F1)"),
        "accuracy_cosine": translate("finetune", "Accuracy by cosine"),
        "matched": translate("finetune", "Closer to its match than to others"),
        "sentences": translate("finetune", "Sentences"),
        "documents": translate("finetune", "Documents"),
        "retrieval": translate("finetune", "Search"),
        "korean": translate("finetune", "Korean"),
        "opposites": translate("finetune", "Distinguishing opposites"),
        "summary": translate("finetune", "Overall"),
    }
    return known.get(name, name)


def verdict(kind: str, few: bool, same: bool = False) -> str:
    """Return the verdict on a change; `same` if nothing changed."""
    if same:
        return translate("finetune", "the same")
    if few:
        return translate("finetune", "too few examples")
    known = {
        "gain": translate("finetune", "better"),
        "loss": translate("finetune", "worse"),
        "noise": translate("finetune", "may be chance"),
    }
    return known[kind]


KEPT_ENOUGH = 0.95  # of the general ability
FEW = 10  # examples below which nothing can be said


def headline(finished: FinishedTraining) -> str:
    """Return the headline of a result."""
    rows = finished.comparison.rows
    if not rows:
        return translate("finetune", "Trained, but no measurable improvement")
    change = rows[0]
    if change.count < FEW:
        return translate("finetune", "Trained, but too few examples to tell whether it is better")
    if change.verdict == "gain":
        return translate("finetune", "Significant improvement")
    if change.verdict == "loss":
        return translate("finetune", "Worse than before")
    if change.difference.value > 0:
        return translate("finetune", "The improvement may be chance")
    return translate("finetune", "No improvement")


def is_the_base(finished: FinishedTraining) -> bool:
    """Return whether no step was better than the base, so that the base was kept."""
    return finished.trained.steps > 0 and finished.trained.best_step == 0


def gained(finished: FinishedTraining) -> str:
    """Describe the gain and its confidence."""
    rows = finished.comparison.rows
    if not rows:
        return translate(
            "finetune",
            "There were no test examples to measure with. Add more examples, or provide a separate test file.",
        )
    change = rows[0]
    if change.difference.low == change.difference.high == 0:
        return translate(
            "finetune", "No step was better than the base model, so the base model was kept. Try gentler training."
        )
    said = translate("finetune", "{measure}: {before} before, {after} after, on {count} unseen examples.").format(
        measure=measure(change.measure),
        before=f"{change.before.value:.3f}",
        after=f"{change.after.value:.3f}",
        count=f"{change.count:,}",
    )
    ends = {
        "gain": translate("finetune", "An improvement this large is not chance."),
        "loss": translate("finetune", "A loss this large is not chance. Discard the model, or train more gently."),
        "noise": translate("finetune", "With so few examples a difference like this may be chance. Rate more pairs."),
    }
    return f"{said} {ends[change.verdict]}" if change.count >= FEW else said


def lost(finished: FinishedTraining) -> tuple[str, bool]:
    """Describe the loss of general ability, and return whether it is too large."""
    comparison = finished.comparison
    share = comparison.share_kept
    if share is None:
        little = translate("finetune", "The base model's general benchmark score was low, so there was little to lose.")
        return (little if comparison.general else ""), False
    worse = [measure(part.measure) for part in comparison.general[:-1] if part.verdict == "loss"]
    much = share.value < KEPT_ENOUGH
    if share.value >= 1 and not worse:
        return translate("finetune", "The general benchmark score did not drop."), False
    said = translate("finetune", "{share} of the general benchmark score was kept ({low} to {high}).").format(
        share=f"{share.value:.0%}", low=f"{share.low:.0%}", high=f"{share.high:.0%}"
    )
    if worse:
        said += " " + translate("finetune", "Worse than before: {parts}.").format(parts=", ".join(worse))
    return said, much


def notes(finished: FinishedTraining) -> str:
    """Describe how the run ended, with its notes."""
    trained = finished.trained
    ended = {
        "done": translate("finetune", "All {total} steps were completed; step {best} was the best and was kept."),
        "stopped": translate("finetune", "Stopped after {steps} of {total} steps; step {best} was kept."),
        "no gain": translate(
            "finetune",
            "Stopped early after {steps} of {total} steps, without further improvement; step {best} was kept.",
        ),
        "time": translate(
            "finetune", "The time limit was reached after {steps} of {total} steps; step {best} was kept."
        ),
        "diverged": translate("finetune", "After {steps} steps the loss became NaN; step {best} was kept."),
    }[trained.ended]
    first = ended.format(steps=f"{trained.steps:,}", total=f"{trained.total:,}", best=f"{trained.best_step:,}")
    return "\n".join([first, *(translated(note) for note in trained.notes)])
