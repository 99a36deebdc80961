"""HTML: the text that a page shows, its title and what its head says of it; nothing is fetched or run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.readers.web.nesting import shallow
from explorer.corpus.readers.whole_text import as_document, whole_text, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task

_CHARSET = re.compile(rb"<meta[^<>]{0,200}?charset\s*=\s*[\"']?\s*([\w:-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^<>]{0,100}?encoding\s*=\s*[\"']([\w:-]{2,40})[\"']", re.IGNORECASE)
_NEVER = words("script style template noscript svg iframe object canvas head title select option textarea")
_AROUND = words("nav footer aside button form dialog menu")
_AROUND_ROLES = words("navigation banner contentinfo search menu complementary")
_PARAGRAPHS = words("p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre article section figure main hr")
_LINES = words(
    "div li tr dt dd address header footer aside nav form fieldset details summary figcaption caption tbody thead "
    "tfoot center body html option legend"
)
_NAMES = {
    **dict.fromkeys(("author", "article:author", "dc.creator", "dcterms.creator"), "author"),
    **dict.fromkeys(("date", "article:published_time", "dc.date", "dcterms.date", "pubdate"), "date"),
    **dict.fromkeys(("description", "og:description"), "description"),
    **dict.fromkeys(("keywords", "article:tag"), "tags"),
}


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read an HTML file as one document.

    Raises:
        Unreadable: It cannot be opened, is not text, or shows none.
    """
    found = whole_text(path, options, stated_encoding)
    task.check()
    tree = _parsed(found.text)
    task.check()
    yield as_document(path, found, _shown(tree, task), title=_title(tree), metadata=_metadata(tree))


def to_text(html: str) -> str:
    """The text that a page or a piece of one shows."""
    return _shown(_parsed(html), None)


def stated_encoding(head: bytes) -> str:
    """The encoding that a page names in its first bytes; empty where it names none."""
    match = _XML_ENCODING.search(head) or _CHARSET.search(head)
    return match[1].decode("ascii") if match else ""


def _parsed(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(shallow(html))


def _shown(tree: LexborHTMLParser, task: Task | None) -> str:
    """The text without what surrounds it; with that, where there is nothing else."""
    return _HtmlWalk(task, whole=False).text(tree.root) or _HtmlWalk(task, whole=True).text(tree.root)


def _title(tree: LexborHTMLParser) -> str:
    for selector in ("title", "h1"):
        node = tree.css_first(selector)
        if node is not None and (text := node.text().strip()):
            return text
    return ""


def _metadata(tree: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta"):
        said = node.attributes
        name = _NAMES.get((said.get("name") or said.get("property") or "").lower())
        value = " ".join((said.get("content") or "").split())
        if name and value and name not in found:
            found[name] = (iso_date(value) or value) if name == "date" else value
    stamp = tree.css_first("time[datetime]") if "date" not in found else None
    if stamp is not None and (date := iso_date(stamp.attributes.get("datetime") or "")):
        found["date"] = date
    return found


class _HtmlWalk:
    """Goes over a page from node to node, without recursion, and gathers its text."""

    def __init__(self, task: Task | None, *, whole: bool) -> None:
        self._task = task
        self._whole = whole
        self._pieces: list[str] = []
        self._preformatted = 0
        self._seen = 0

    def text(self, root: LexborNode | None) -> str:
        node = root
        while node is not None:
            child = node.child if self._enter(node) else None
            if child is not None:
                node = child
                continue
            node = self._onwards(node, root)
        return _set("".join(self._pieces))

    def _onwards(self, node: LexborNode, root: LexborNode | None) -> LexborNode | None:
        """The node after one whose inside is done; None at the end."""
        current: LexborNode | None = node
        while current is not None:
            self._leave(current)
            if root is not None and current.mem_id == root.mem_id:
                return None
            if current.next is not None:
                return current.next
            current = current.parent
        return None

    def _enter(self, node: LexborNode) -> bool:
        """Take what a node says itself; whether to go inside."""
        self._seen += 1
        if self._task is not None and self._seen % 5000 == 0:
            self._task.check()
        tag = node.tag or ""
        if tag == "-text":
            self._say(node.text_content or "")
        if tag.startswith(("-", "_", "!")):
            return tag in ("-document", "-undef") or node.is_document_node
        if tag in _NEVER or (not self._whole and _is_around(tag, node)):
            return False
        self._break(tag)
        self._preformatted += tag in ("pre", "listing")
        if tag == "img" and (alt := (node.attributes.get("alt") or "").strip()):
            self._say(f" {alt} ")
        elif tag == "li":
            self._pieces.append("- ")
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _NEVER or (not self._whole and _is_around(tag, node)):
            return
        self._preformatted -= tag in ("pre", "listing")
        self._pieces.append("\t" if tag in ("td", "th") else "")
        if tag != "br":
            self._break(tag)

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self._pieces.append("\n\n")
        elif tag in _LINES or tag == "br":
            # A mark that melts with its like, unlike the break that the author wrote.
            self._pieces.append("\n" if tag == "br" else "\x1e")

    def _say(self, text: str) -> None:
        self._pieces.append(
            text.replace(" ", "\x1f") if self._preformatted else re.sub(r"[ \t\n\r\f]+", " ", text)
        )


def _is_around(tag: str, node: LexborNode) -> bool:
    """Whether a node is a menu or the like, or hidden."""
    if tag in _AROUND:
        return True
    if not tag or tag[0] in "-_!":
        return False
    said = node.attributes
    return bool(said) and (
        "hidden" in said or said.get("aria-hidden") == "true" or (said.get("role") or "") in _AROUND_ROLES
    )


def _set(text: str) -> str:
    """Gathered pieces as lines: breaks melted, spaces at line ends gone."""
    text = re.sub(r"(?<![ \t])[ \t]*+\x1e[ \t\x1e]*", "\x1e", text)
    text = re.sub(r"[\x1e]*\n[\x1e]*", "\n", text).replace("\x1e", "\n")
    lines = (re.sub(r" {2,}", " ", line.strip(" \t")) for line in text.split("\n"))
    return (
        re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line != "-"))
        .strip("\n")
        .replace("\x1f", " ")
    )
