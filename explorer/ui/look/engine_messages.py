"""What the rooms below say, in the window's language: their errors, notes of progress and remarks.

They know nothing of languages and write English sentences with values in them. A table beside the translations
gives each sentence with {} for its values, and with {0}, {1} ... in the other language.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from explorer import paths
from explorer.ui.look import language

DEEP = 3  # sentences within sentences that are looked at


@dataclass(frozen=True)
class _Template:
    """A sentence with holes: its longest piece, a pattern for all of it, its words in the other language."""

    piece: str
    pattern: re.Pattern[str]
    other: str
    letters: int  # how many it has outside the holes


def told(text: str) -> str:
    """A sentence of the rooms below in the window's language; as it is where there is no word for it."""
    spoken = language.current()
    return text if spoken == language.SOURCE or not text else _told(text, spoken, DEEP)


@lru_cache(maxsize=4096)  # a list of problems asks for its sentences at every repaint
def _told(text: str, spoken: str, deep: int) -> str:
    for template in _templates(spoken):
        if template.piece in text:
            found = template.pattern.fullmatch(text)
            if found is not None:
                inner = [_told(part, spoken, deep - 1) if deep else part for part in found.groups()]
                return template.other.format(*inner)
    return text


@lru_cache
def _templates(spoken: str) -> tuple[_Template, ...]:
    """The table of a language, the most telling sentences first."""
    file = paths.resources() / "translations" / f"sentences_{spoken}.json"
    try:
        table: dict[str, str] = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):  # English is better than no sentence at all
        return ()
    made = [_template(sentence, other) for sentence, other in table.items()]
    return tuple(sorted(made, key=lambda one: -one.letters))


def _template(sentence: str, other: str) -> _Template:
    pieces = sentence.split("{}")
    pattern = re.compile("(.*?)".join(re.escape(piece) for piece in pieces), re.DOTALL)
    return _Template(max(pieces, key=len), pattern, other, sum(map(len, pieces)))
