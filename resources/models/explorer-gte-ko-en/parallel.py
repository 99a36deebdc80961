"""Korean texts with their English originals: LibreOffice's help and interface (MPL-2.0), from Debian's packages.

The packages libreoffice-help-ko, libreoffice-help-en-us and libreoffice-l10n-ko, unpacked into one folder. The pages
of both languages have the same paragraphs under the same names, so paragraphs are paired by page and name.
"""

from __future__ import annotations

import re
from gettext import GNUTranslations
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

_HELP = "usr/share/libreoffice/help"
_SELECTED = "p[id], h1[id], h2[id], h3[id], li[id], td[id]"
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=\S)")
_SHORT, _LONG = 6, 400  # letters
_HANGUL = re.compile("[가-힣]")


def pairs(folder: Path) -> list[tuple[str, str]]:
    """Return pairs of a Korean text and its English original, sentence by sentence where both have as many."""
    found: dict[str, str] = {}
    for korean, english in [*(pair for page in pages(folder) for pair in page), *interface(folder)]:
        for one, other in _sentences(korean, english):
            if _SHORT <= len(other) <= _LONG and _HANGUL.search(one) and not _HANGUL.search(other):
                found.setdefault(one, other)
    return sorted(found.items())


def pages(folder: Path) -> list[list[tuple[str, str]]]:
    """Return the pages of the help: the paragraphs of each in order, in Korean and in English."""
    found = []
    for page in sorted((folder / _HELP / "ko" / "text").rglob("*.html")):
        original = folder / _HELP / "en-US" / page.relative_to(folder / _HELP / "ko")
        if original.is_file():
            korean, english = _paragraphs(page), _paragraphs(original)
            found.append([(korean[name], english[name]) for name in korean if name in english])
    return found


def _paragraphs(page: Path) -> dict[str, str]:
    tree = LexborHTMLParser(page.read_text(encoding="utf-8", errors="replace"))
    return {str(node.attributes["id"]): _SPACE.sub(" ", node.text(deep=True)).strip() for node in tree.css(_SELECTED)}


def interface(folder: Path, language: str = "ko") -> list[tuple[str, str]]:
    """Return pairs of a text of the interface in a language, as gettext calls it, and its English original."""
    found = []
    for file in sorted(folder.rglob(f"{language}/LC_MESSAGES/*.mo")):
        with file.open("rb") as stream:
            catalogue = GNUTranslations(stream)._catalog  # type: ignore[attr-defined]  # noqa: SLF001
        for key, translation in catalogue.items():
            if isinstance(key, str) and key:
                english = key.rpartition("\x04")[2].partition("|")[2] or key.rpartition("\x04")[2]
                found.append((_plain(translation), _plain(english)))
    return found


def _plain(text: str) -> str:
    """Return a text of the interface without the marks of its keys and places of values."""
    return _SPACE.sub(" ", re.sub(r"\(_?[A-Z]\)|[~_]|%[A-Z0-9]+|\$\w+", "", text)).strip()


def _sentences(korean: str, english: str) -> list[tuple[str, str]]:
    first, second = _SENTENCE.split(korean), _SENTENCE.split(english)
    return list(zip(first, second, strict=True)) if len(first) == len(second) > 1 else [(korean, english)]
