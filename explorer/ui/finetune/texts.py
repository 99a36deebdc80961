"""Times, measures and verdicts as people say them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # under this name the translators' tool finds the texts

_MINUTE, _HOUR = 60, 3600


def about_time(seconds: float) -> str:
    """About how long something takes.

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
    """The name of a measure in words; as it is where there is none."""
    known = {
        "spearman": translate("finetune", "Order as people put it (Spearman)"),
        "pearson": translate("finetune", "Scores as people give them (Pearson)"),
        "spearman_euclidean": translate("finetune", "Order by distance (Spearman)"),
        "accuracy": translate("finetune", "Right answers (accuracy)"),
        "average_precision": translate("finetune", "Similar pairs found first (average precision)"),
        "auc": translate("finetune", "Similar above others (AUC)"),
        "auc_one_vs_rest": translate("finetune", "Classes told apart (AUC)"),
        "best_accuracy": translate("finetune", "Right at the best border (accuracy)"),
        "best_f1": translate("finetune", "At the best border (F1)"),
        "ndcg@10": translate("finetune", "Best ten results (nDCG@10)"),
        "mrr@10": translate("finetune", "First right result (MRR@10)"),
        "recall@100": translate("finetune", "Found among a hundred (recall)"),
        "macro_f1": translate("finetune", "All classes alike (macro F1)"),
        "accuracy_cosine": translate("finetune", "Right by cosine (accuracy)"),
        "matched": translate("finetune", "Nearer to its own than to others"),
        "sentences": translate("finetune", "Sentences"),
        "documents": translate("finetune", "Documents"),
        "retrieval": translate("finetune", "Search"),
        "korean": translate("finetune", "Korean"),
        "opposites": translate("finetune", "Telling opposites"),
        "summary": translate("finetune", "All together"),
    }
    return known.get(name, name)


def verdict(kind: str, few: bool, same: bool = False) -> str:
    """What to make of a change; `same` where there is none at all."""
    if same:
        return translate("finetune", "the same")
    if few:
        return translate("finetune", "too few examples to say")
    known = {
        "gain": translate("finetune", "better"),
        "loss": translate("finetune", "worse"),
        "noise": translate("finetune", "may be chance"),
    }
    return known[kind]
