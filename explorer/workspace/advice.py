"""Which shipped model suits a folder better than the one in use: one that reads what its documents are written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.models import catalog
from explorer.workspace.alike import reads

if TYPE_CHECKING:
    from explorer.models.catalog import Entry
    from explorer.workspace.workspace import Workspace

MOSTLY = 0.5  # share of the documents that are in one language
_NAMES = {"en": "English", "ko": "Korean"}  # of the languages for which a model ships


@dataclass(frozen=True)
class Advice:
    """That another model would understand the documents.

    Attributes:
        model: Its name in the catalog.
        language: Code of the language that the present model does not read.
        share: Share of the documents in it, of those that have letters.
        sentence: All of it in plain words.
    """

    model: str
    language: str
    share: float
    sentence: str


def advise(workspace: Workspace, model: str) -> Advice | None:
    """What to tell the user of a workspace about the model in use; None where it reads most of the documents.

    Args:
        workspace: The workspace, with its documents read.
        model: The bi-encoder in use, by its name in the catalog or its path.
    """
    counted = workspace.connection.execute("SELECT language, count(*) FROM documents GROUP BY language")
    return advise_for(dict(counted.fetchall()), model)


def advise_for(spoken: Mapping[str, int], model: str) -> Advice | None:
    """The same, from how many documents are in each language, by its code (empty: no letters)."""
    lettered = {code: count for code, count in spoken.items() if code}
    total = sum(lettered.values())
    code = max(sorted(lettered), key=lettered.__getitem__, default="")
    if code not in _NAMES or lettered[code] < MOSTLY * total:
        return None
    known = catalog.entries()
    languages = next((each.languages for each in known if model in (each.name, str(each.path))), ())
    better = next((each.name for each in known if _suits(each, code)), None)
    if reads(languages, code) or better is None:
        return None
    share = lettered[code] / total
    how_many = "All" if share == 1 else "Most"
    sentence = (
        f"{how_many} of these documents are in {_NAMES[code]}, which the model {model} does not read: it compares "
        f"letters, not meaning. The model {better} comes with the program and reads {_NAMES[code]}."
    )
    return Advice(better, code, share, sentence)


def _suits(entry: Entry, code: str) -> bool:
    usable = entry.source == "shipped" and entry.kind == "bi" and not entry.problem
    return usable and code in entry.languages
