"""XML as a stream of events: never a tree in memory, no entities, nothing fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from xml.parsers import expat

from explorer.corpus.document import Unreadable
from explorer.corpus.readers.files import damaged
from explorer.messages import UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


class Handler(Protocol):
    """What is told about the XML; names and attributes come without their namespace."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element opens."""

    def data(self, text: str) -> None:
        """Text between two tags, perhaps only a piece of it."""

    def end(self, name: str) -> None:
        """An element closes."""


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
        handler: What is told.
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
        raise damaged(
            path, UserMessage("its XML breaks off or breaks the rules ({reason})", reason=error)
        ) from error


def elements(chunks: Iterable[bytes], path: Path) -> list[Element]:
    """All elements of a small XML file in the order they close; raises like `parse`."""
    flat = _Flat()
    parse(chunks, flat, path)
    return flat.found


class _Flat:
    def __init__(self) -> None:
        self.found: list[Element] = []
        self._open: list[tuple[Mapping[str, str], list[str]]] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self._open.append((attributes, []))

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1][1].append(text)

    def end(self, name: str) -> None:
        attributes, pieces = self._open.pop()
        self.found.append(Element(name, attributes, "".join(pieces).strip()))


def _refuse_entities(path: Path) -> None:
    raise Unreadable(
        "damaged",
        "{file} declares entities of its own, as documents made to exhaust memory do. Do not "
        "open it unless you trust its source; saving it again in an office program mends it.",
        file=path.name,
    )


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
