"""Find a model that suits a folder better: one that reads the language of its documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    "ar": UserMessage("Arabic"),
    "de": UserMessage("German"),
    "el": UserMessage("Greek"),
    "en": UserMessage("English"),
    "es": UserMessage("Spanish"),
    "fr": UserMessage("French"),
    "he": UserMessage("Hebrew"),
    "hi": UserMessage("Hindi"),
    "id": UserMessage("Indonesian"),
    "it": UserMessage("Italian"),
    "ja": UserMessage("Japanese"),
    "ko": UserMessage("Korean"),
    "nl": UserMessage("Dutch"),
    "pl": UserMessage("Polish"),
    "pt": UserMessage("Portuguese"),
    "ru": UserMessage("Russian"),
    "sv": UserMessage("Swedish"),
    "th": UserMessage("Thai"),
    "tr": UserMessage("Turkish"),
    "uk": UserMessage("Ukrainian"),
    "vi": UserMessage("Vietnamese"),
    "zh": UserMessage("Chinese"),
    "latin": UserMessage("another language in Latin letters"),
}
_QUALITY = "STSb test, Spearman"  # the measure by which models that ship are compared
_WORSE = 0.01


@dataclass(frozen=True)
class Advice:
    """Advice for a folder with many documents that the model in use cannot read.

    Attributes:
        languages: Codes of the languages that it cannot read, that of the most documents first.
        share: Share of the documents that the model cannot read, of those that have letters.
        used: The model in use.
        better: A model on this machine that reads more of them; empty if there is none.
        left: Codes of the languages that it cannot read either, that of the most documents first.
        at_a_price: Whether it is measurably worse on what the model in use reads.
    """

    languages: tuple[str, ...]
    share: float
    used: str
    better: str = ""
    left: tuple[str, ...] = ()
    at_a_price: bool = False

    @property
    def sentence(self) -> str:
        """All of it in plain words."""
        sentence = (
            f"{self.share:.0%} of these documents are in {in_words(self.languages)}, which the model {self.used} "
            "cannot read: similarity, clusters and the map say little about them. Search by word still works."
        )
        if not self.better:
            return (
                f"{sentence} No model on this machine reads {in_words(self.languages)}: search these documents by word."
            )
        readable = tuple(code for code in self.languages if code not in self.left)
        what = in_words(readable) if self.left else "them"
        others = ", but the other documents less well" if self.at_a_price and self.share < 1 else ""
        sentence = f"{sentence} The model {self.better} reads {what}{others}."
        if self.left:
            sentence += f" It does not read {in_words(self.left)}: search those documents by word."
        return sentence

    @property
    def is_proposed(self) -> bool:
        """Whether most people would be better served by the other model: it costs nothing, or most cannot be read."""
        return bool(self.better) and (not self.at_a_price or self.share > 0.5)


def in_words(codes: Sequence[str]) -> UserMessage:
    """Return the names of some languages, to be translated: all of one or two, the first two of more."""
    names = [_NAMES.get(code) or UserMessage("the language “{code}”", code=code) for code in codes[:2]]
    if len(codes) == 1:
        return names[0]
    first, second = names
    if len(codes) == 2:
        return UserMessage("{first} and {second}", first=first, second=second)
    return UserMessage("{first}, {second} and other languages", first=first, second=second)


def advise(workspace: Workspace, model: str) -> Advice | None:
    """Return what to tell the user of a workspace about the model in use; None where it reads nearly all documents.

    Args:
        workspace: The workspace, with its documents read.
        model: The bi-encoder in use, by its name in the catalog or its path.
    """
    return advise_about(documents.language_counts(workspace.connection), model)


def advise_about(spoken: Mapping[str, int], model: str) -> Advice | None:
    """Return the same of documents in some languages, by the models that the catalog has."""
    entries = catalog.entries()
    known = next((each.languages for each in entries if model in (each.name, str(each.path))), ())
    return advise_for(spoken, known, model, entries)


def advise_for(
    spoken: Mapping[str, int], known: tuple[str, ...], used: str, entries: Iterable[CatalogEntry]
) -> Advice | None:
    """Return what to tell of documents in some languages; None if nearly all can be read, or nothing is known.

    Another model is offered if it reads notably more. One that leaves less than a tenth unread is as good as one that
    leaves nothing, for models of many languages know each of them less well; then those that ship come first, and of
    these the default.

    Args:
        spoken: How many documents are in each language, by its code (empty: no letters).
        known: What the model in use reads; empty where not known.
        used: Its name.
        entries: The models there are.
    """
    counts = Counter({code: count for code, count in sorted(spoken.items()) if code})
    unread = _unread(counts, known)
    notable = NOTABLE * counts.total()
    if not known or not unread or unread.total() < notable:
        return None

    there = list(entries)
    usable = [each for each in there if each.kind == "bi" and each.on_disk and not each.problem and each.languages]

    def order(entry: CatalogEntry) -> tuple[int, bool, bool]:
        left = _unread(counts, entry.languages).total()
        return left if left >= notable else 0, entry.source != "shipped", entry.name != catalog.DEFAULT

    languages, share = _by_frequency(unread), unread.total() / counts.total()
    fit = min(usable, key=order, default=None)
    left = unread if fit is None else _unread(counts, fit.languages)
    gain = unread.total() - left.total()
    if fit is None or not gain or gain < notable <= left.total():
        return Advice(languages, share, used)
    present = next((each for each in there if used in (each.name, str(each.path))), None)
    return Advice(languages, share, used, fit.name, _by_frequency(left), _is_worse(fit, present))


def _unread(counts: Counter[str], known: tuple[str, ...]) -> Counter[str]:
    return Counter({code: count for code, count in counts.items() if not reads(known, code)})


def _by_frequency(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(code for code, _ in counts.most_common())


def _is_worse(entry: CatalogEntry, present: CatalogEntry | None) -> bool:
    if present is None:
        return False
    new, old = (dict(each.measures).get(_QUALITY) for each in (entry, present))
    return new is not None and old is not None and new < old - _WORSE
