"""Open the zip archives and XML inside documents safely: no bombs, no entities, no paths that lead outside."""

from __future__ import annotations

import io
import lzma
import posixpath
import struct
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Protocol
from xml.parsers import expat

from explorer.corpus.document import Unreadable
from explorer.corpus.readers.files import damaged, open_file, too_large
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from explorer.corpus.document import ReadOptions

_CHUNK = 64 * 2**10
_SUSPECT_FROM = 8 * 2**20  # bytes unpacked before the ratio is looked at
_HIGHEST_RATIO = 400  # XML of real documents stays under 100; deflate can reach 1,032
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class Archive:
    """An open zip file and how much may still come out of it.

    Attributes:
        path: The file.
        names: The members, in the order of the archive.
    """

    def __init__(self, path: Path, file: IO[bytes], limit: int) -> None:
        self.path = path
        self._limit = self._left = limit
        with _damage(path):
            self._zip = zipfile.ZipFile(file)
        self.names = self._zip.namelist()
        self._by_lower = {_plain(name).lower(): name for name in reversed(self.names)}

    def __contains__(self, name: str) -> bool:
        return _plain(name).lower() in self._by_lower

    def read(self, name: str) -> bytes:
        """Return all bytes of a member; raises Unreadable like `chunks`."""
        whole = io.BytesIO()
        for chunk in self.chunks(name):
            whole.write(chunk)
        return whole.getvalue()

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a member, some at a time.

        Raises:
            Unreadable: There is no such member, it has a password, is damaged, or unpacks to too much.
        """
        member = self._by_lower.get(_plain(name).lower())
        if member is None:
            raise damaged(self.path, UserMessage("its part {name} is missing", name=name))
        yield from open_member(self, self._zip.getinfo(member))

    def open(self, info: zipfile.ZipInfo) -> IO[bytes]:
        """Return the unpacking stream of a member, unguarded; `chunks` is what readers call."""
        if info.flag_bits & 1:
            raise Unreadable(
                "encrypted",
                "{file} is protected by a password. Save it without one and try again.",
                file=self.path.name,
            )
        return self._zip.open(info)

    def spend(self, size: int) -> None:
        """Count unpacked bytes; raises Unreadable when there were too many."""
        self._left -= size
        if self._left < 0:
            raise too_large(self.path, self._limit)


@contextmanager
def open_archive(path: Path, options: ReadOptions) -> Iterator[Archive]:
    """Open the zip archive at a path.

    Raises:
        Unreadable: It cannot be opened or is not a zip file.
    """
    with open_file(path, options) as file:
        yield Archive(path, file, options.max_unpacked)


def open_member(archive: Archive, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the bytes of one member, within the archive's budget and an honest ratio."""
    unpacked = 0
    with _damage(archive.path), archive.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            unpacked += len(chunk)
            archive.spend(len(chunk))
            if unpacked > _SUSPECT_FROM and unpacked > _HIGHEST_RATIO * max(1, info.compress_size):
                raise Unreadable(
                    "too large",
                    "{file} unpacks to {highest_ratio} times its size and more, as no ordinary document does. "
                    "Do not open it unless you trust its source.",
                    file=archive.path.name,
                    highest_ratio=_HIGHEST_RATIO,
                )
            yield chunk


def inside(folder: str, reference: str) -> str:
    """Return the member a relative reference means; empty where it leads out of the archive."""
    joined = posixpath.normpath(posixpath.join(folder, reference.replace("\\", "/")))
    return "" if joined.startswith(("/", "..")) or joined == "." else joined


def _plain(name: str) -> str:
    return name.replace("\\", "/").removeprefix("/")


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Turn whatever zipfile raises at broken bytes into one error."""
    try:
        yield
    except _BROKEN as error:
        raise damaged(path, UserMessage("the zip archive is incomplete")) from error


class Handler(Protocol):
    """Receives the events of an XML file; names and attributes come without their namespace."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle an opening tag."""

    def data(self, text: str) -> None:
        """Handle text between two tags, perhaps only a piece of it."""

    def end(self, name: str) -> None:
        """Handle a closing tag."""


@dataclass(frozen=True)
class Element:
    """An element of a small file: its name, attributes and own text."""

    name: str
    attributes: Mapping[str, str]
    text: str


def parse(chunks: Iterable[bytes], handler: Handler, path: Path) -> None:
    """Feed the pieces of an XML file to a handler.

    Args:
        chunks: The bytes, in order.
        handler: Receives the events.
        path: The file they come from, for messages.

    Raises:
        Unreadable: The XML is damaged, or declares entities: no office program does, bombs do.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: handler.start(
        _local(name), {_local(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: handler.end(_local(name))
    parser.CharacterDataHandler = handler.data
    parser.EntityDeclHandler = lambda *_: _refuse_entities(path)
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise damaged(path, UserMessage("its XML breaks off or breaks the rules ({reason})", reason=error)) from error


def elements(chunks: Iterable[bytes], path: Path) -> list[Element]:
    """Return all elements of a small XML file in the order they close; raises like `parse`."""
    flat = _Flat()
    parse(chunks, flat, path)
    return flat.elements


@dataclass(frozen=True)
class Relation:
    """What a part refers to: the kind, such as "footnotes", and the member of the archive."""

    kind: str
    part: str


def relations(archive: Archive, part: str) -> dict[str, Relation]:
    """Return what a part of an Office Open XML file refers to inside the file, by id, in the order of the file."""
    folder, _, name = part.rpartition("/")
    listing = f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels"
    if listing not in archive:
        return {}
    targets = {}
    for element in elements(archive.chunks(listing), archive.path):
        target = element.attributes.get("Target", "")
        member = inside("" if target.startswith("/") else folder, target.removeprefix("/"))
        if element.name == "Relationship" and element.attributes.get("TargetMode") != "External" and member in archive:
            kind = element.attributes.get("Type", "").rpartition("/")[2]
            targets[element.attributes.get("Id", "")] = Relation(kind, member)
    return targets


class _Flat:
    def __init__(self) -> None:
        self.elements: list[Element] = []
        self._open: list[tuple[Mapping[str, str], list[str]]] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self._open.append((attributes, []))

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1][1].append(text)

    def end(self, name: str) -> None:
        attributes, pieces = self._open.pop()
        self.elements.append(Element(name, attributes, "".join(pieces).strip()))


def _refuse_entities(path: Path) -> None:
    raise Unreadable(
        "damaged",
        "{file} declares entities of its own, as documents made to exhaust memory do. Do not "
        "open it unless you trust its source; saving it again in an office program repairs it.",
        file=path.name,
    )


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
