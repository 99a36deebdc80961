"""Find a model that suits a folder better: one that reads the language of its documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.messages import UserMessage
from explorer.models.files import catalog
from explorer.workspace.search.similar import reads
from explorer.workspace.storage import documents

if TYPE_CHECKING:
    from explorer.models.files.catalog import CatalogEntry
    from explorer.workspace.workspace import Workspace

NOTABLE = 0.1  # share of the documents that the model cannot read, from which on it is said
_NAMES = {
    "en": UserMessage("English"),
    "ko": UserMessage("Korean"),
    "ja": UserMessage("Japanese"),
    "zh": UserMessage("Chinese"),
    "de": UserMessage("German"),
    "es": UserMessage("Spanish"),
    "fr": UserMessage("French"),
    "it": UserMessage("Italian"),
    "nl": UserMessage("Dutch"),
    "pl": UserMessage("Polish"),
    "pt": UserMessage("Portuguese"),
    "ru": UserMessage("Russian"),
    "tr": UserMessage("Turkish"),
    "vi": UserMessage("Vietnamese"),
    "latin": UserMessage("another language in Latin letters"),
}


@dataclass(frozen=True)
class Advice:
    """Advice for a folder with many documents that the model in use cannot read.

    Attributes:
        language: Code of the language that most of the unread documents are in.
        share: Share of the documents that the model cannot read, of those that have letters.
        used: The model in use.
        better: A model on this machine that reads them; empty if there is none.
    """

    language: str
    share: float
    used: str
    better: str

    @property
    def sentence(self) -> str:
        """The advice as a sentence."""
        language = self.language_name
        sentence = (
            f"{self.share:.0%} of these documents are in {language}, which the model {self.used} cannot read: "
            "similarity, clusters and the map are unreliable for them. Keyword search still works."
        )
        if self.better:
            return f"{sentence} The model {self.better} reads them."
        return f"{sentence} No model on this machine reads {language}: search these documents by keyword."

    @property
    def language_name(self) -> str:
        """The language in plain words, to be translated."""
        return _NAMES.get(self.language) or UserMessage("the language “{code}”", code=self.language)


def advise(workspace: Workspace, model: str) -> Advice | None:
    """Return what to tell the user of a workspace about the model in use; None where it reads nearly all documents.

    Args:
        workspace: The workspace, with its documents read.
        model: The bi-encoder in use, by its name in the catalog or its path.
    """
    entries = catalog.entries()
    known = next((each.languages for each in entries if model in (each.name, str(each.path))), ())
    return advise_for(documents.language_counts(workspace.connection), known, model, entries)


def advise_for(
    spoken: Mapping[str, int], known: tuple[str, ...], used: str, entries: Iterable[CatalogEntry]
) -> Advice | None:
    """Return what to tell of documents in some languages; None if nearly all can be read, or nothing is known.

    Args:
        spoken: How many documents are in each language, by its code (empty: no letters).
        known: What the model in use reads; empty where not known.
        used: Its name.
        entries: The models there are; those that ship are preferred.
    """
    counts = Counter({code: count for code, count in sorted(spoken.items()) if code})
    unread = Counter({code: count for code, count in counts.items() if not reads(known, code)})
    if not known or not unread or unread.total() < NOTABLE * counts.total():
        return None
    language = unread.most_common(1)[0][0]
    fit = sorted((entry for entry in entries if _suits(entry, language)), key=lambda entry: entry.source != "shipped")
    return Advice(language, unread.total() / counts.total(), used, fit[0].name if fit else "")


def _suits(entry: CatalogEntry, code: str) -> bool:
    usable = entry.kind == "bi" and entry.on_disk and not entry.problem
    return usable and bool(entry.languages) and reads(entry.languages, code)
