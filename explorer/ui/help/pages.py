"""The pages of the help: Markdown files that ship with the program, a folder a language."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from explorer import paths

FIRST = "start"
_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
_LINK = re.compile(r"\]\(([\w-]+)\.md(?:#[\w-]*)?\)")
_SIGNS = re.compile(r"[#*`_>|\[\]]|\([\w./#-]+\)")
_AROUND = 60  # characters beside what was found


@dataclass(frozen=True)
class HelpPage:
    """A page of the help.

    Attributes:
        name: Its file without ending.
        title: Its first heading.
        text: Its Markdown.
    """

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class HelpMatch:
    """A page that has what was searched for, and the words around it."""

    page: HelpPage
    around: str


@lru_cache(maxsize=4)
def pages(language: str, folder: Path | None = None) -> tuple[HelpPage, ...]:
    """All pages of a language, the first one first, then as it links to them, then the others by title.

    A page that a language does not have is there in English.
    """
    folder = folder or paths.resources() / "help"
    found = {path.stem: path for path in sorted((folder / "en").glob("*.md"))}
    found |= {path.stem: path for path in sorted((folder / language).glob("*.md"))}
    made = {name: _page(name, path.read_text("utf-8")) for name, path in found.items()}
    first = made.get(FIRST)
    linked = list(dict.fromkeys(_LINK.findall(first.text))) if first else []
    rest = sorted(made.values(), key=lambda page: page.title)
    order = dict.fromkeys([FIRST, *linked, *(page.name for page in rest)])
    return tuple(made[name] for name in order if name in made)


def search(found: tuple[HelpPage, ...], words: str) -> list[HelpMatch]:
    """The pages that have all words, those with one in the title first."""
    wanted = unicodedata.normalize("NFC", words).casefold().split()
    hits = []
    for page in found:
        plain = " ".join(_SIGNS.sub(" ", page.text).split())
        low = plain.casefold()
        if wanted and all(word in low for word in wanted):
            at = low.find(wanted[0])
            told = plain[max(0, at - _AROUND) : at + _AROUND].strip()
            hits.append((not any(word in page.title.casefold() for word in wanted), HelpMatch(page, told)))
    return [one for _, one in sorted(hits, key=lambda hit: hit[0])]


def _page(name: str, text: str) -> HelpPage:
    heading = _HEADING.search(text)
    return HelpPage(name, heading[1] if heading else name, text)
