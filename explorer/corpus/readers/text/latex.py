"""Read the prose of a LaTeX source file; mathematics stays as it is written."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.readers.files import make_document, read_text, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n[ \t]*)?")
_RAW = "verbatim|Verbatim|lstlisting|minted"
_MATHS = r"equation|align|gather|multline|eqnarray|displaymath|math|alignat|flalign"
_TOKEN = re.compile(
    rf"\\begin\{{(?P<raw>(?:{_RAW})\*?)\}}(?:\[[^\]\n]*\])?"
    rf"|\\begin\{{(?P<maths>(?:{_MATHS})\*?)\}}"
    r"|\\begin\{comment\}(?P<hidden>)"
    r"|(?P<dollars>\$\$?)|(?P<bracket>\\[\[(])"
    r"|\\(?P<edge>begin|end)[ \t]*\{[^{}\n]*\}(?:\[[^\]\n]*\])?(?:\{[^{}\n]*\})?"
    r"|\\verb\*?(?P<mark>[^\w\s*])(?P<verb>[^\n]*?)(?P=mark)"
    r"|\\(?P<accent>[`'^\"~=.]|[uvHcdbkrt](?![A-Za-z]))[ ]?(?:\{\\?(?P<on>[A-Za-z])\}|\\?(?P<bare>[A-Za-z]))"
    r"|\\(?P<name>[A-Za-z@]+)\*?[ \t]*|\\(?P<sign>.)|(?P<plain>[{}~]|``|''|---?)",
    re.DOTALL,
)
_ACCENTS = dict(
    zip(
        "`'^\"~=.uvHcdbkr",
        "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0323\u0331\u0328\u030a",
        strict=True,
    )
)
_ARGUMENT = re.compile(r"[ \t]*(?:\[[^\[\]]*\][ \t]*)*\{")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_OPTIONS = re.compile(r"(?:\[[^\[\]\n]*\][ \t]*)+")
_DROPPED = word_set(
    "label ref eqref pageref autoref cref Cref cite citep citet citeauthor citeyear nocite parencite textcite "
    "autocite usepackage documentclass bibliography bibliographystyle addbibresource includegraphics input include "
    "vspace hspace setlength setcounter addtocounter pagestyle thispagestyle hypersetup geometry graphicspath "
    "newcommand renewcommand providecommand newenvironment newtheorem DeclareMathOperator def definecolor color "
    "index glossary pagenumbering hyphenation title author date maketitle bibitem theoremstyle linespread"
)
_TWO_ARGUMENTS = word_set("newcommand renewcommand providecommand setlength setcounter addtocounter newtheorem href")
_THREE_ARGUMENTS = word_set("newenvironment definecolor")
_HEADINGS = word_set("part chapter section subsection subsubsection paragraph subparagraph caption")
_LETTERS = {
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "aa": "å",
    "AA": "Å",
    "l": "ł",
    "L": "Ł",
    "i": "ı",
    "ldots": "…",
    "dots": "…",
    "textendash": "–",
    "textemdash": "—",
    "S": "§",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "quad": " ",
    "qquad": " ",
    "newline": "\n",
    "par": "\n\n",
    "item": "- ",
    "and": ", ",
}
_PLAIN = {"{": "", "}": "", "~": " ", "``": "“", "''": "”", "--": "–", "---": "—"}
_LONGEST_ARGUMENT = 5_000  # characters


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read a LaTeX file as one document.

    Raises:
        Unreadable: It cannot be opened, is not text, or holds no prose.
    """
    decoded = read_text(path, options)
    task.check()
    source = _COMMENT.sub(r"\1", decoded.text)
    metadata = {name: value for name in ("title", "author", "date") if (value := _fact(source, name))}
    if "date" in metadata:
        metadata["date"] = iso_date(metadata["date"]) or metadata["date"]
    text = "\n\n".join(filter(None, (metadata.get("title", ""), to_text(_body(source), task))))
    yield make_document(path, decoded, text, title=metadata.get("title", ""), metadata=metadata)


def to_text(source: str, task: Task | None = None) -> str:
    """Return the prose of LaTeX without comments: commands gone, their words kept, mathematics as it is."""
    pieces: list[str] = []
    position = count = 0
    lacking: set[str] = set()
    while (match := _TOKEN.search(source, position)) is not None:
        count += 1
        if task is not None and count % 5000 == 0:
            task.check()
        pieces.append(source[position : match.start()])
        text, position = _token(source, match, lacking)
        pieces.append(text)
    pieces.append(source[position:])
    return re.sub(r"\n[ \t]*(?:\n[ \t]*)+", "\n\n", re.sub(r"(?<![ \t])[ \t]++(?=\n)", "", "".join(pieces))).strip()


def _body(source: str) -> str:
    """Return what stands within the document environment, or all if there is none."""
    start = source.find(r"\begin{document}")
    end = source.find(r"\end{document}", max(0, start))
    return source[start + 16 if start >= 0 else 0 : end if end >= 0 else len(source)]


def _fact(source: str, name: str) -> str:
    match = re.search(rf"\\{name}[ \t]*(?:\[[^\[\]]*\][ \t]*)?\{{", source)
    if match is None:
        return ""
    return " ".join(to_text(source[match.end() : _close(source, match.end()) - 1]).split())


def _close(source: str, start: int) -> int:
    """Return the place after the brace that closes one opened just before `start`."""
    depth = 1
    for match in _BRACES.finditer(source, start, start + _LONGEST_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return start


def _token(source: str, match: re.Match[str], lacking: set[str]) -> tuple[str, int]:
    """Return what a token says, and where to go on; `lacking` gathers the ends that do not come any more."""
    groups = match.groupdict()
    if groups["raw"] or groups["maths"]:
        return _environment(source, match, lacking, keep_edges=bool(groups["maths"]))
    if groups["hidden"] is not None:
        end = _end(source, r"\end{comment}", match.end(), lacking)
        return "", end + 13 if end >= 0 else match.end()
    if groups["dollars"] or groups["bracket"]:
        return _formula(source, match)
    if groups["edge"]:
        return "\n", match.end()
    if groups["verb"] is not None:
        return groups["verb"], match.end()
    if groups["accent"]:
        letter = (groups["on"] or groups["bare"] or "") + _ACCENTS.get(groups["accent"], "")
        return unicodedata.normalize("NFC", letter), match.end()
    if groups["name"]:
        return _command(source, match, groups["name"])
    if groups["sign"]:
        return {"\\": "\n", ",": " ", ";": " ", "-": "", "/": "", "!": "", "\n": " "}.get(
            groups["sign"], groups["sign"]
        ), match.end()
    return _PLAIN[groups["plain"] or "{"], match.end()


def _end(source: str, mark: str, start: int, lacking: set[str]) -> int:
    """Return where an environment ends, -1 for nowhere; looked for in vain only once."""
    end = -1 if mark in lacking else source.find(mark, start)
    if end < 0:
        lacking.add(mark)
    return end


def _environment(source: str, match: re.Match[str], lacking: set[str], *, keep_edges: bool) -> tuple[str, int]:
    mark = f"\\end{{{match['raw'] or match['maths']}}}"
    end = _end(source, mark, match.end(), lacking)
    if end < 0:
        return "", match.end()
    if keep_edges:
        return source[match.start() : end + len(mark)], end + len(mark)
    return source[match.end() : end], end + len(mark)


def _formula(source: str, match: re.Match[str]) -> tuple[str, int]:
    mark = match["dollars"] or {"\\[": "\\]", "\\(": "\\)"}[match["bracket"]]
    end = source.find(mark, match.end(), match.end() + 5000)
    if end < 0:
        return match[0].lstrip("\\"), match.end()
    return source[match.start() : end + len(mark)], end + len(mark)


def _command(source: str, match: re.Match[str], name: str) -> tuple[str, int]:
    if name in _LETTERS:
        after = _OPTIONS.match(source, match.end()) if name == "item" else None
        return _LETTERS[name], after.end() if after else match.end()
    if name in _DROPPED or name == "href":
        return "", _past_arguments(source, match.end(), name)
    options = _OPTIONS.match(source, match.end())
    end = options.end() if options and source[options.end() : options.end() + 1] == "{" else match.end()
    if name in _HEADINGS:
        return "\n\n", end
    # A space separates a command without braces from the word behind it; it is not part of the text.
    return "", end


def _past_arguments(source: str, position: int, name: str) -> int:
    wanted = 1 if name == "href" else 3 if name in _THREE_ARGUMENTS else 2 if name in _TWO_ARGUMENTS else 1
    for _ in range(wanted):
        argument = _ARGUMENT.match(source, position)
        if argument is None:
            break
        position = _close(source, argument.end())
    return position
