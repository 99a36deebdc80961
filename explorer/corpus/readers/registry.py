"""One reader per format family, chosen by suffix or, failing that, by content.

To add a format: write a module beside this one or in one of the folders, with a function `read(path, options, task)`
that yields documents and raises `Unreadable`; name its suffixes in `_FAMILIES` and the module in `_MODULES`.
"""

from __future__ import annotations

import importlib
import logging
import re
import time
import traceback
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from explorer.corpus.document import Document, ReadOptions, Unreadable
from explorer.corpus.encoding.decode import decode
from explorer.corpus.encoding.detect import looks_binary
from explorer.corpus.readers.files import check_size, not_text, os_failure
from explorer.messages import UserMessage
from explorer.paths import display_path
from explorer.task import Cancelled, Task

_log = logging.getLogger(__name__)

_FAMILIES = {
    "plain": (
        ".txt .text .asc .log .me .py .pyi .pyw .js .mjs .cjs .jsx .ts .tsx .java .kt .kts .scala .groovy .c .h .cc "
        ".cpp .cxx .hh .hpp .cs .m .mm .swift .rs .go .rb .php .pl .pm .lua .r .jl .hs .ml .ex .exs .erl .clj .lisp "
        ".el .f90 .pas .vb .bat .cmd .ps1 .sh .bash .zsh .fish .sql .css .scss .less .vue .svelte .xml .xsl .xsd .svg "
        ".dtd .yaml .yml .toml .ini .cfg .conf .properties .env .gradle .cmake .mk .dockerfile .proto .graphql .tf "
        ".diff .patch .bib .po .pot .nfo .org .adoc .asciidoc .textile .wiki .lrc .ass .ssa"
    ),
    "markdown": ".md .markdown .mdown .mkd .mdx .qmd .rmd",
    "restructured": ".rst .rest",
    "html": ".html .htm .xhtml .xht",
    "latex": ".tex .ltx .latex",
    "notebook": ".ipynb",
    "subtitles": ".srt .vtt",
    "pdf": ".pdf",
    "office": ".docx .docm .dotx .dotm .odt .ott .fodt .fodp .fods .doc .dot",
    "slides": ".pptx .pptm .ppsx .ppsm .potx .odp .ppt .pps",
    "sheets": ".xlsx .xlsm .xlsb .xls .xltx .ods",
    "hangul": ".hwp .hwpx",
    "legacy": ".msg",
    "iwork": ".pages .numbers .key",
    "archives": ".zip .7z .tar .tgz .tbz2 .txz .gz .bz2 .xz",
    "pictures": ".png .jpg .jpeg .jfif .tif .tiff .bmp .gif .webp",
    "rtf": ".rtf",
    "epub": ".epub",
    "mail": ".eml .mbox .mbx",
    "tables": ".csv .tsv .tab .json .jsonl .ndjson .parquet .pq",
}
_MODULES = {
    "plain": "text.plain",
    "markdown": "text.markdown",
    "restructured": "text.rst",
    "html": "html",
    "latex": "text.latex",
    "notebook": "text.notebook",
    "subtitles": "text.subtitles",
    "pdf": "pdf",
    "office": "office.docx_odt",
    "slides": "office.slides",
    "sheets": "office.sheets",
    "hangul": "office.hangul",
    "legacy": "office.legacy",
    "iwork": "office.iwork",
    "archives": "archives",
    "pictures": "recognition",
    "rtf": "office.rtf",
    "epub": "office.epub",
    "mail": "mail",
    "tables": "tables.documents",
}
SUFFIXES: Mapping[str, str] = MappingProxyType(
    {suffix: family for family, suffixes in _FAMILIES.items() for suffix in suffixes.split()}
)
_BYTES_PER_TIMEOUT = 60 * 2**20  # a file gets the time limit again for each of these: at least 1 MB/s
_RECOGNITION = 240  # times as long; the file was read without recognition before, within the usual time
# Families whose names say little: a .doc may be RTF, HTML or a text, and .key the key of a server.
_SNIFFED = frozenset({"office", "slides", "sheets", "hangul", "legacy", "iwork"})
_SOUND_AND_FILM = (
    ".mp3 .wav .m4a .flac .ogg .oga .opus .aac .wma .aiff .mp4 .m4v .mov .avi .mkv .webm .wmv .mpg .mpeg .3gp"
)
# Formats that are known and not read, and what to do about them.
UNSUPPORTED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys((".wps", ".wpd", ".wri"), UserMessage("Save it as .docx in your word processor.")),
        **dict.fromkeys(
            (".rar", ".zst", ".lzh", ".alz", ".egg"), UserMessage("Unpack it and load the resulting folder.")
        ),
        **dict.fromkeys(
            (".pst", ".ost"),
            UserMessage("Convert it to .eml files, such as by readpst -e, or save the messages in Outlook as .msg."),
        ),
        **dict.fromkeys(
            _SOUND_AND_FILM.split(),
            UserMessage("It is audio or video. Save a transcript or subtitles (.srt, .vtt) beside it: these are read."),
        ),
        **dict.fromkeys((".heic", ".heif", ".raw", ".psd"), UserMessage("Save the picture as .png or .jpg.")),
    }
)
HEAD_BYTES = 64 * 2**10
_MAGIC = {
    b"PAR1": "tables", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "legacy", b"HWP Document File": "hangul",
    b"\x1f\x8b": "archives", b"BZh": "archives", b"\xfd7zXZ": "archives",
    b"7z\xbc\xaf\x27\x1c": "archives",
    b"\x78\x9f\x3e\x22": "mail",  # a winmail.dat
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*"), "pictures"),
}  # fmt: skip
_BITMAP_HEADERS = tuple(bytes([size, 0, 0, 0]) for size in (12, 40, 52, 56, 108, 124))
_OPEN_DOCUMENT = {
    b"application/epub+zip": "epub",
    b"application/vnd.oasis.opendocument.presentation": "slides",
    b"application/vnd.oasis.opendocument.spreadsheet": "sheets",
    b"application/vnd.oasis.opendocument": "office",
    b"application/hwp+zip": "hangul",
}
_OFFICE_FOLDERS = {"word": "office", "ppt": "slides", "xl": "sheets"}
_HTML_PAGE = re.compile(
    r"(?:\s|<\?xml[^>]{0,200}\?>|<!--(?:(?!-->).){0,4000}-->)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_JSON_RECORD = re.compile(r"\{\s*\"[^\"\n]{1,200}\"\s*:.*\}\s*$")


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Yield the documents of a file.

    Each document may take `options.seconds`, and as long again for every 60 MB of the file; what the caller does
    between documents does not count.

    Raises:
        Unreadable: The file gave no text, or no more; its message names the file and what to do.
        Cancelled: The user asked for it.
    """
    try:
        size = check_size(path, options)
        timed = _TimedTask(task, time_limit(size, options), display_path(path.name))
        module = reader_module(family(path))
        for document in timed.paced(module.read(path, options, timed)):
            yield _storable(document)
    except Cancelled:
        raise
    except Exception as error:
        raise _as_unreadable(path, error) from error


def time_limit(size: int, options: ReadOptions) -> float:
    """Return the seconds that each document of a file of that size may take; recognition has hours for a long scan."""
    return (_RECOGNITION if options.recognise else 1) * options.seconds * (1 + size / _BYTES_PER_TIMEOUT)


def reader_module(family: str) -> Any:
    """Import the module that reads a family of formats; only now, since some bring a library with them."""
    return importlib.import_module(f"explorer.corpus.readers.{_MODULES[family]}")


def family(path: Path) -> str:
    """Return the format family of a file.

    Raises:
        Unreadable: The format is known and not supported, or the file holds no text.
        OSError: It cannot be opened.
    """
    suffix = path.suffix.lower()
    if suffix in UNSUPPORTED:
        raise Unreadable(
            "binary",
            "{file}: {suffix} files are not read. {unsupported}",
            file=display_path(path.name),
            suffix=suffix,
            unsupported=UNSUPPORTED[suffix],
        )
    known = SUFFIXES.get(suffix)
    return known if known and known not in _SNIFFED else family_of(path, known or "")


def _as_unreadable(path: Path, error: Exception) -> Unreadable:
    """Turn any failure into a sentence that names the file, what is wrong and what to do."""
    name = display_path(path.name)
    if isinstance(error, Unreadable):
        if name in error.message:
            return error
        return Unreadable(error.reason, "{name}: {message}", name=name, message=error.message)
    if isinstance(error, OSError):
        return os_failure(path, error)
    if isinstance(error, MemoryError):
        return Unreadable("too large", "{name} does not fit in memory. Split it and try again.", name=name)
    if isinstance(error, ImportError):
        return Unreadable(
            "unreadable",
            "{name} needs {name2}, which is missing. Install the program again.",
            name=name,
            name2=error.name,
        )
    # A parser met bytes that it did not expect. Only the frames are logged: the message may quote the document.
    frames = "".join(traceback.format_tb(error.__traceback__))
    _log.warning("%s while reading a file ending in %r:\n%s", type(error).__name__, path.suffix, frames)
    what = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()[:200]
    return Unreadable(
        "damaged", "{name} is damaged ({what}). Open it in its own program and save it again.", name=name, what=what
    )


def _storable(document: Document) -> Document:
    """Return the document with a title that is valid UTF-8 and not empty, whatever the file's name is."""
    title = document.title.encode("utf-8", "replace").decode().strip()
    return document if title == document.title and title else replace(document, title=title or "?")


class _TimedTask(Task):
    """A task that also ends when one document of a file has taken too long."""

    def __init__(self, inner: Task, seconds: float, name: str) -> None:
        super().__init__()
        self._inner = inner
        self._limit = seconds
        self._name = name
        self._since = time.monotonic()

    @property
    def cancelled(self) -> bool:
        return self._inner.cancelled

    def cancel(self) -> None:
        self._inner.cancel()

    def check(self) -> None:
        self._inner.check()
        if time.monotonic() - self._since > self._limit:
            raise Unreadable(
                "timeout",
                "{name} gave no text for longer than {limit:.0f} seconds. Allow more time in the "
                "settings, or split it.",
                name=self._name,
                limit=self._limit,
            )

    def report(self, done: int, total: int, note: str = "", detail: str = "", warning: str = "") -> None:
        self._inner.report(done, total, note, detail, warning)
        self.check()

    def paced(self, documents: Iterator[Document]) -> Iterator[Document]:
        """Yield the documents; the clock stops while the caller works on one."""
        self._since = time.monotonic()
        for document in documents:
            self.check()
            yield document
            self._since = time.monotonic()


def family_of(path: Path, expected: str = "") -> str:
    """Return the format family of a file by its content, or the expected one for binary content that tells nothing.

    Raises:
        Unreadable: It is binary.
        OSError: It cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    family = _by_signature(path, head) or (expected if looks_binary(head) else by_text(head))
    if family == "archives" and expected:
        return expected  # a damaged office file, which its own reader can explain
    if not family:
        raise not_text(path, head)
    return family


def _by_signature(path: Path, head: bytes) -> str:
    """Return the family of a format with a signature; empty for others."""
    if head.startswith(b"PK\x03\x04"):
        return _by_members(path)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.lstrip()[:5] == b"{\\rtf":
        return "rtf"
    if b"urn:oasis:names:tc:opendocument:xmlns:office" in head[:4096] and head.lstrip()[:1] == b"<":
        return "office"
    family = next((family for magic, family in _MAGIC.items() if head.startswith(magic)), "")
    is_bitmap = head[:2] == b"BM" and head[14:18] in _BITMAP_HEADERS
    if is_bitmap or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return "pictures"
    return family or ("archives" if head[257:262] == b"ustar" else "")


def _by_members(path: Path) -> str:
    """Return the family of a zip archive by its members."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            names = set(archive.namelist()[:5000])
            stated = archive.open("mimetype").read(200).strip() if "mimetype" in names else b""
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError, EOFError):
        return "archives"
    for kind, family in _OPEN_DOCUMENT.items():
        if stated.startswith(kind):
            return family
    folders = {name.partition("/")[0] for name in names}
    if "[Content_Types].xml" in names:
        return next((family for folder, family in _OFFICE_FOLDERS.items() if folder in folders), "office")
    if "Index.zip" in names or "Index" in folders or "QuickLook" in folders:
        return "iwork"
    return "office" if "word/document.xml" in names or "content.xml" in names else "archives"


def by_text(head: bytes) -> str:
    """Return the format family of a text by its first bytes."""
    from explorer.corpus.readers.mail import looks_like_mail

    if looks_like_mail(head):
        return "mail"
    text = decode(head[: 16 * 2**10], repair=False).text
    if _HTML_PAGE.match(text):
        return "html"
    lines = [line for line in text.split("\n")[:20] if line.strip()]
    complete = lines[:-1] if len(head) > 16 * 2**10 else lines
    return "tables" if len(complete) >= 2 and all(map(_JSON_RECORD.match, complete)) else "plain"
