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
    """What to make of a change; `same` where there is none at all."""
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
