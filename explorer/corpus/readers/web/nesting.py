"""Keep the nesting of HTML within what a parser handles in good time.

Every open element is looked at for every new one, so a page of 100,000 nested elements takes the
parser half a minute, and unclosed ones with unlike attributes multiply. Browsers stop at 512 too.
"""

from __future__ import annotations

import re

from explorer.corpus.readers.whole_text import words

_DEEPEST = 400
_MARKUP = re.compile(r"<(?:!--|(/?)([A-Za-z][A-Za-z0-9:-]*)(?:[^<>\"']++|\"[^\"<]*\"|'[^'<]*')*(/?)>)")
# Elements without an end, or whose end is understood: they do not nest by themselves.
_FLAT = words(
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option "
    "colgroup rt rp html head body"
)
# Left open, these are opened again in every paragraph that follows, so few of them may be.
_FORMATTING = words("a b big code em font i nobr s small strike strong tt u")
_MOST_FORMATTING = 8
_RAW = {
    name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea", "title", "xmp")
}
_RAW["--"] = re.compile("-->")


def shallow(html: str) -> str:
    """The page with the tags left out that open elements deeper than some hundreds; all text stays."""
    return html if html.count("<") <= _DEEPEST else _Scan(html).shallow()


class _Scan:
    """One pass over the tags of a page."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._pieces: list[str] = []
        self._kept = 0
        self._depth = 0
        self._formatting = 0
        self._endless: set[str] = set()

    def shallow(self) -> str:
        position = 0
        while (match := _MARKUP.search(self._html, position)) is not None:
            position = match.end()
            name = (match[2] or "--").lower()
            if name in _RAW and not match[1]:
                position = self._past_raw(name, position)
            elif name not in _FLAT:
                self._count(match, name)
        self._pieces.append(self._html[self._kept :])
        return "".join(self._pieces)

    def _count(self, match: re.Match[str], name: str) -> None:
        opens, closes = not match[1] and not match[3], bool(match[1])
        if name in _FORMATTING:
            self._formatting += opens
            if self._formatting > _MOST_FORMATTING:
                self._drop(match, "")
            self._formatting = max(0, self._formatting - closes)
            return
        self._depth += opens
        if self._depth > _DEEPEST:
            self._drop(match, " ")
        self._depth = max(0, self._depth - closes)

    def _drop(self, match: re.Match[str], instead: str) -> None:
        self._pieces += (self._html[self._kept : match.start()], instead)
        self._kept = match.end()

    def _past_raw(self, name: str, position: int) -> int:
        """Where a script or comment ends; where it is, if it has no end, for the parser to make sense of."""
        if name in self._endless:
            return position
        end = _RAW[name].search(self._html, position)
        if end is None:
            self._endless.add(name)
            return position
        return end.start()
