"""Read the text that an HTML page shows, its title and metadata; nothing is fetched or run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from explorer.corpus.dates import iso_date
from explorer.corpus.readers.files import make_document, read_text, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task

_CHARSET = re.compile(rb"<meta[^<>]{0,200}?charset\s*=\s*[\"']?\s*([\w:-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^<>]{0,100}?encoding\s*=\s*[\"']([\w:-]{2,40})[\"']", re.IGNORECASE)
_NEVER = word_set("script style template noscript svg iframe object canvas head title select option textarea")
_AROUND = word_set("nav footer aside button form dialog menu")
_AROUND_ROLES = word_set("navigation banner contentinfo search menu complementary")
# Chapters of books and messages have no menus of a site around them: an aside there is a footnote or a box.
_AROUND_IN_BOOKS, _ROLES_IN_BOOKS = frozenset({"nav"}), frozenset({"navigation"})
_PARAGRAPHS = word_set("p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre article section figure main hr")
_LINES = word_set(
    "div li tr dt dd address header footer aside nav form fieldset details summary figcaption caption tbody thead "
    "tfoot center body html option legend"
)
_NAMES = {
    **dict.fromkeys(("author", "article:author", "dc.creator", "dcterms.creator"), "author"),
    **dict.fromkeys(("date", "article:published_time", "dc.date", "dcterms.date", "pubdate"), "date"),
    **dict.fromkeys(("description", "og:description"), "description"),
    **dict.fromkeys(("keywords", "article:tag"), "tags"),
}
_DEEPEST = 400
_MARKUP = re.compile(r"<(?:!--|(/?)([A-Za-z][A-Za-z0-9:-]*)(?:[^<>\"']++|\"[^\"<]*\"|'[^'<]*')*(/?)>)")
# Elements without an end tag, or whose end tag is optional: they do not nest by themselves.
_FLAT = word_set(
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option "
    "colgroup rt rp html head body"
)
# HTML reopens unclosed formatting elements in every paragraph that follows ("reconstruct the active formatting
# elements", https://html.spec.whatwg.org/#reconstruct-the-active-formatting-elements), so few may stay open.
_FORMATTING = word_set("a b big code em font i nobr s small strike strong tt u")
_MOST_FORMATTING = 8
_RAW = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea", "title", "xmp")}
_RAW["--"] = re.compile("-->")


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read an HTML file as one document.

    Raises:
        Unreadable: It cannot be opened, is not text, or shows none.
    """
    source = read_text(path, options, stated_encoding)
    task.check()
    tree = _parse(source.text)
    task.check()
    yield make_document(path, source, _visible_text(tree, task), title=_title(tree), metadata=_metadata(tree))


def to_text(html: str) -> str:
    """Return the text that a chapter of a book or a message shows."""
    tree = _parse(html)
    walk = _HtmlWalk(None, _AROUND_IN_BOOKS, _ROLES_IN_BOOKS)
    return walk.text(tree.root) or _HtmlWalk(None, whole=True).text(tree.root)


def stated_encoding(head: bytes) -> str:
    """Return the encoding that a page names in its first bytes; empty where it names none."""
    match = _XML_ENCODING.search(head) or _CHARSET.search(head)
    return match[1].decode("ascii") if match else ""


def _parse(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(limit_nesting(html))


def _visible_text(tree: LexborHTMLParser, task: Task | None) -> str:
    """Return the text without what surrounds it; with that, where there is nothing else."""
    return _HtmlWalk(task).text(tree.root) or _HtmlWalk(task, whole=True).text(tree.root)


def _title(tree: LexborHTMLParser) -> str:
    for selector in ("title", "h1"):
        node = tree.css_first(selector)
        if node is not None and (text := node.text().strip()):
            return text
    return ""


def _metadata(tree: LexborHTMLParser) -> dict[str, str]:
    metadata: dict[str, str] = {}
    for node in tree.css("meta"):
        attributes = node.attributes
        name = _NAMES.get((attributes.get("name") or attributes.get("property") or "").lower())
        value = " ".join((attributes.get("content") or "").split())
        if name and value and name not in metadata:
            metadata[name] = (iso_date(value) or value) if name == "date" else value
    stamp = tree.css_first("time[datetime]") if "date" not in metadata else None
    if stamp is not None and (date := iso_date(stamp.attributes.get("datetime") or "")):
        metadata["date"] = date
    return metadata


class _HtmlWalk:
    """Goes over a page from node to node, without recursion, and gathers its text."""

    def __init__(
        self,
        task: Task | None,
        around: frozenset[str] = _AROUND,
        roles: frozenset[str] = _AROUND_ROLES,
        *,
        whole: bool = False,
    ) -> None:
        self._task = task
        self._around, self._roles = around, roles
        self._whole = whole
        self._pieces: list[str] = []
        self._preformatted = 0
        self._visited = 0

    def text(self, root: LexborNode | None) -> str:
        node = root
        while node is not None:
            child = node.child if self._enter(node) else None
            if child is not None:
                node = child
                continue
            node = self._next_node(node, root)
        return _tidy_lines("".join(self._pieces))

    def _next_node(self, node: LexborNode, root: LexborNode | None) -> LexborNode | None:
        """Return the node after one whose inside is done; None at the end."""
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
        self._visited += 1
        if self._task is not None and self._visited % 5000 == 0:
            self._task.check()
        tag = node.tag or ""
        if tag == "-text":
            self._add_text(node.text_content or "")
        if tag.startswith(("-", "_", "!")):
            return tag in ("-document", "-undef") or node.is_document_node
        if tag in _NEVER or (not self._whole and self._is_around(tag, node)):
            return False
        self._break(tag)
        self._preformatted += tag in ("pre", "listing")
        if tag == "img" and (alt := (node.attributes.get("alt") or "").strip()):
            self._add_text(f" {alt} ")
        elif tag == "li":
            self._pieces.append("- ")
        return True

    def _is_around(self, tag: str, node: LexborNode) -> bool:
        """Return whether a node is a menu or the like, or hidden."""
        if not tag or tag[0] in "-_!":
            return False
        attributes = node.attributes
        role = (attributes.get("role") or "").lower()
        # Footnotes as pandoc and makers of books write them, hidden where a click on their number shows them:
        # <aside role="doc-endnotes">, <aside epub:type="footnote" hidden>.
        if tag == "aside" and (role.startswith("doc-") or "note" in (attributes.get("epub:type") or "")):
            return False
        hidden = "hidden" in attributes or attributes.get("aria-hidden") == "true"
        return hidden or tag in self._around or role in self._roles

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _NEVER or (not self._whole and self._is_around(tag, node)):
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

    def _add_text(self, text: str) -> None:
        self._pieces.append(text.replace(" ", "\x1f") if self._preformatted else re.sub(r"[ \t\n\r\f]+", " ", text))


def _tidy_lines(text: str) -> str:
    """Join pieces into lines: adjacent breaks merged, spaces at line ends removed."""
    text = re.sub(r"(?<![ \t])[ \t]*+\x1e[ \t\x1e]*", "\x1e", text)
    text = re.sub(r"[\x1e]*\n[\x1e]*", "\n", text).replace("\x1e", "\n")
    lines = (re.sub(r" {2,}", " ", line.strip(" \t")) for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line for line in lines if line != "-")).strip("\n").replace("\x1f", " ")


def limit_nesting(html: str) -> str:
    """Return the page without the tags that open elements deeper than `_DEEPEST`; all text stays."""
    return html if html.count("<") <= _DEEPEST else _NestingLimiter(html).run()


class _NestingLimiter:
    """One pass over the tags of a page that drops those nested too deeply.

    The parser looks at every open element for every new one, so 100,000 nested elements take it half a minute, and
    unclosed formatting elements with different attributes multiply. Browsers stop at 512 levels too.
    """

    def __init__(self, html: str) -> None:
        self._html = html
        self._pieces: list[str] = []
        self._copied = 0
        self._depth = 0
        self._formatting = 0
        self._endless: set[str] = set()

    def run(self) -> str:
        position = 0
        while (match := _MARKUP.search(self._html, position)) is not None:
            position = match.end()
            name = (match[2] or "--").lower()
            if name in _RAW and not match[1]:
                position = self._skip_raw(name, position)
            elif name not in _FLAT:
                self._count(match, name)
        self._pieces.append(self._html[self._copied :])
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

    def _drop(self, match: re.Match[str], replacement: str) -> None:
        self._pieces += (self._html[self._copied : match.start()], replacement)
        self._copied = match.end()

    def _skip_raw(self, name: str, position: int) -> int:
        """Return where a script or comment ends, or `position` if it never does: the parser then decides."""
        if name in self._endless:
            return position
        end = _RAW[name].search(self._html, position)
        if end is None:
            self._endless.add(name)
            return position
        return end.start()
