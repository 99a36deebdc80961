"""Why a document stands apart, as sentences in the language of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from explorer.ui.look import language

if TYPE_CHECKING:
    from explorer.analysis.clusters.outliers import Reason


class OutlierTexts(QObject):
    """Sentences about outliers."""

    def sentence(self, reason: Reason) -> str:
        """A reason as a sentence."""
        near = {"value": f"{reason.value:.2f}", "typical": f"{reason.typical:.2f}"}
        count = {"value": f"{reason.value:,.0f}", "typical": f"{reason.typical:,.0f}"}
        spoken = {"language": self.language(reason.language)}
        match reason.kind:
            case "empty":
                return self.tr("It contains nothing the model can compare.")
            case "far":
                return self.tr(
                    "Far from every other document: the nearest has a similarity of {value}; {typical} is "
                    "typical."
                ).format(**near)
            case "group" if len(reason.members) == 1:
                return self.tr(
                    "This and one other document are far from the rest: the next has a similarity of "
                    "{value}; {typical} is typical."
                ).format(**near)
            case "group":
                return self.tr(
                    "This and {count} other documents are far from the rest: the next has a similarity of "
                    "{value}; {typical} is typical."
                ).format(count=len(reason.members), **near)
            case "unreadable":
                return self.tr("The model cannot read its language ({language}).").format(**spoken)
            case "language":
                return self.tr(
                    "Few other documents are in its language ({language}): {value} of {typical}."
                ).format(**count, **spoken)
            case "short":
                return self.tr("Much shorter than typical: {value} characters instead of {typical}.").format(
                    **count
                )
            case "long":
                return self.tr("Much longer than typical: {value} characters instead of {typical}.").format(
                    **count
                )

    def language(self, code: str) -> str:
        """What a language is called."""
        if code == "latin":
            return self.tr("in Latin script")
        return language.name_of(code)

    def score(self, score: float) -> str:
        """What the number beside a document means."""
        if score == float("inf"):
            return self.tr("Nothing to compare it with")
        return self.tr("{score} standard deviations further from the others than typical").format(
            score=f"{score:.1f}"
        )
