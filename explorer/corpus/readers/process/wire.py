"""The protocol between the program and its reading processes: frames of JSON and of text over a pipe.

Never pickle: a reader that a hostile file took over could make the program run anything. A frame is its length in four
bytes, a letter for its kind, and its content; the length is checked before anything is read.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import IO, Any

from explorer import messages
from explorer.corpus.document import Document, Unreadable
from explorer.messages import UserMessage

_HEADER = struct.Struct(">I")
_LARGEST_FRAME = 8 * 2**20
_PIECE = 2**20  # characters of text in a frame; at most four bytes each
_JSON, _TEXT = b"J", b"T"


class ProtocolError(Exception):
    """The other side sent something invalid: it is broken, or was taken over."""


def send(pipe: IO[bytes], message: Mapping[str, Any]) -> None:
    """Send a message of JSON values."""
    _send_frame(pipe, _JSON, json.dumps(message).encode())
    pipe.flush()


def send_document(pipe: IO[bytes], document: Document) -> None:
    """Send a document, its text in pieces."""
    text = document.text
    starts = range(0, len(text), _PIECE)
    head = {
        "title": document.title,
        "part": document.part,
        "metadata": dict(document.metadata),
        "encoding": document.encoding,
        "confidence": document.confidence,
        "remarks": [messages.dump(remark) for remark in document.remarks],
        "pieces": len(starts),
    }
    _send_frame(pipe, _JSON, json.dumps({"document": head}).encode())
    for start in starts:
        _send_frame(pipe, _TEXT, text[start : start + _PIECE].encode("utf-8", "replace"))
    pipe.flush()


def send_failure(pipe: IO[bytes], error: Unreadable) -> None:
    """Send why a file gave no text, or no more."""
    send(pipe, {"failure": [str(error.reason), messages.dump(error.message)]})


def receive(pipe: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message; None where the other side has closed the pipe.

    A document comes as a `Document`, a failure as an `Unreadable`; everything else as it was sent.

    Raises:
        ProtocolError: It is none.
    """
    frame = _receive_frame(pipe)
    if frame is None:
        return None
    kind, content = frame
    try:
        message = json.loads(content) if kind == _JSON else None
    except (ValueError, RecursionError) as error:
        raise ProtocolError from error
    if not isinstance(message, dict):
        raise ProtocolError
    if "document" in message:
        return {"document": _document(pipe, message["document"])}
    if "failure" in message:
        return {"failure": _failure(message["failure"])}
    return message


def _document(pipe: IO[bytes], head: Any) -> Document:
    try:
        pieces = [piece.decode("utf-8") for piece in _pieces(pipe, int(head["pieces"]))]
        metadata = dict(head["metadata"])
        if not all(isinstance(value, str | int | float | bool) for value in metadata.values()):
            raise ProtocolError
        return Document(
            text="".join(pieces),
            title=str(head["title"]),
            part=str(head["part"]),
            metadata=metadata,
            encoding=str(head["encoding"]),
            confidence=float(head["confidence"]),
            remarks=tuple(_sentence(remark) for remark in head["remarks"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ProtocolError from error


def _pieces(pipe: IO[bytes], count: int) -> Iterator[bytes]:
    for _ in range(count):
        frame = _receive_frame(pipe)
        if frame is None or frame[0] != _TEXT:
            raise ProtocolError
        yield frame[1]


def _failure(content: Any) -> Unreadable:
    if not isinstance(content, list) or len(content) != 2 or content[0] not in Unreadable.REASONS:
        raise ProtocolError
    message = _sentence(content[1])
    return (
        Unreadable(content[0], message)
        if isinstance(message, UserMessage)
        else Unreadable(content[0], "{said}", said=message)
    )


def _sentence(stored: Any) -> str:
    if not isinstance(stored, str):
        raise ProtocolError
    return messages.load(stored)


def _send_frame(pipe: IO[bytes], kind: bytes, content: bytes) -> None:
    pipe.write(_HEADER.pack(len(content)) + kind)
    pipe.write(content)


def _receive_frame(pipe: IO[bytes]) -> tuple[bytes, bytes] | None:
    head = pipe.read(_HEADER.size + 1)
    if not head:
        return None
    if len(head) < _HEADER.size + 1:
        raise ProtocolError
    (length,) = _HEADER.unpack(head[:-1])
    if length > _LARGEST_FRAME:
        raise ProtocolError
    content = pipe.read(length)
    if len(content) < length:
        raise ProtocolError
    return head[-1:], content
