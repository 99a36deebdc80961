"""Read archives as if they were folders: .zip, .7z, .tar, and files packed by gzip, bzip2 or xz. Nothing is written."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from explorer.corpus.document import Unreadable
from explorer.corpus.readers import recognition, seven_zip
from explorer.corpus.readers.files import damaged, open_file, too_large, unpacks_too_far
from explorer.corpus.readers.inner import FileInMemory, budget_of, read_inner
from explorer.messages import UserMessage
from explorer.paths import display_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from explorer.corpus.document import Document, ReadOptions
    from explorer.task import Task

_CHUNK = 2**18
_SUSPECT_FROM, _HIGHEST_RATIO = 8 * 2**20, 400
_NAMED = 3  # files that a remark names
_PACKERS: dict[bytes, Callable[[IO[bytes]], Any]] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7zXZ": lzma.open}
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, IndexError, NotImplementedError,
    OSError, OverflowError, RuntimeError, ValueError, KeyError, struct.error, seven_zip.SevenZipError,
)  # fmt: skip
_JUNK = re.compile(r"(?:^|/)(?:__MACOSX|\.[^/]*|Thumbs\.db|desktop\.ini)(?:/|$)")


def read(path: Path, options: ReadOptions, task: Task) -> Iterator[Document]:
    """Read the files in an archive, the part of each document being the path inside.

    Files that cannot be read are named in a remark on the last document.

    Raises:
        Unreadable: The archive is damaged or encrypted, unpacks to too much, or holds nothing that can be read.
    """
    if not options.archives:
        raise Unreadable(
            "binary", "{file} is an archive, and archives are not read. Unpack it, or allow them.", file=path.name
        )
    last: Document | None = None
    failures: list[Unreadable] = []
    container = path if isinstance(path, FileInMemory) else FileInMemory.hold(path, b"")  # it keeps the budget
    budget = budget_of(container, options)
    for name, data in _members(path, budget.size, options, task):
        try:
            if isinstance(data, Unreadable):
                raise data
            for document in read_inner(container, name, data, options, task):
                if last is not None:
                    yield last
                last = document
        except Unreadable as error:
            if budget.size < 0 or budget.files < 0:
                raise
            failures.append(error)
    if last is None:
        raise _naming(path, failures[0]) if failures else _nothing(path)
    if failures:
        remark = UserMessage(
            "Files in this archive that were not read: {count}. {sentences}",
            count=len(failures),
            sentences=" ".join(str(error) for error in failures[:_NAMED]),
        )
        scans = sum(error.reason == "no text layer" for error in failures)
        metadata = {**last.metadata, recognition.PICTURE_PAGES: scans} if scans else last.metadata
        last = replace(last, remarks=(*last.remarks, remark), metadata=metadata)
    yield last


def _naming(path: Path, error: Unreadable) -> Unreadable:
    """Return what is wrong with a file inside, with the name of the archive."""
    name = display_path(path.name)
    if name in error.message:
        return error
    return Unreadable(error.reason, "{name}: {message}", name=name, message=error.message)


def _nothing(path: Path) -> Unreadable:
    return Unreadable("empty", "{file} holds no files with text. Remove it or choose another file.", file=path.name)


def _members(path: Path, limit: int, options: ReadOptions, task: Task) -> Iterator[tuple[str, bytes | Unreadable]]:
    """Yield name and content of each file of an archive, in its order, or why the file has none."""
    with open_file(path, options) as file:
        head = file.read(6)
        file.seek(0)
        try:
            if head.startswith(b"PK"):
                yield from _zip_members(path, file, limit, task)
                return
            if head.startswith(seven_zip.SIGNATURE):
                yield from _seven_zip_members(path, file, limit, task)
                return
            for magic, packer in _PACKERS.items():
                if head.startswith(magic):
                    with packer(file) as unpacked:
                        yield from _packed(path, unpacked, limit, task)
                    return
            yield from _tar_members(path, file, limit, task)
        except _BROKEN as error:
            raise damaged(path, UserMessage("the archive is incomplete")) from error


def _zip_members(path: Path, file: IO[bytes], limit: int, task: Task) -> Iterator[tuple[str, bytes | Unreadable]]:
    with zipfile.ZipFile(file) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if infos and all(info.flag_bits & 1 for info in infos):
            raise _encrypted(path.name)
        for info in infos:
            task.check()
            name = _inside(_zip_name(info))
            if not name:
                continue
            if info.flag_bits & 1:
                yield name, _encrypted(name)
                continue
            content: bytes | Unreadable
            try:
                with archive.open(info) as stream:
                    content = _content(path, stream, limit, info.compress_size)
            except _BROKEN as error:  # one damaged file does not cost the others
                content = _damaged_member(display_path(name))
                content.__cause__ = error
            yield name, content


def _seven_zip_members(path: Path, file: IO[bytes], limit: int, task: Task) -> Iterator[tuple[str, bytes | Unreadable]]:
    try:
        for member in seven_zip.members(file):
            task.check()
            if not (name := _inside(member.name)):
                continue
            if isinstance(member.error, seven_zip.EncryptedError):
                yield name, _encrypted(name)
            elif member.error:
                yield (
                    name,
                    Unreadable(
                        "binary",
                        "{file} uses a compression method that cannot be read. Unpack it and load the "
                        "resulting folder.",
                        file=name,
                    ),
                )
            else:
                yield name, _content(path, member.stream, limit, member.packed)
    except seven_zip.EncryptedError:
        raise _encrypted(path.name) from None


def _encrypted(name: str) -> Unreadable:
    return Unreadable("encrypted", "{file} is protected by a password. Save it without one and try again.", file=name)


def _damaged_member(name: str) -> Unreadable:
    return Unreadable("damaged", "{file} is damaged inside its archive. Get a good copy of the archive.", file=name)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return a member's name: old Korean programs write it in CP949, which zipfile takes for CP437."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        korean = info.filename.encode("cp437").decode("cp949")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return info.filename
    # A Western letter and the one after it are a rare syllable of CP949 by chance; EUC-KR has only the usual ones.
    letters = [letter for letter in korean if not letter.isascii()]
    usual = sum(len(letter.encode("euc_kr", "ignore")) == 2 for letter in letters)
    return korean if 2 * usual >= len(letters) else info.filename


def _packed(path: Path, unpacked: IO[bytes], limit: int, task: Task) -> Iterator[tuple[str, bytes | Unreadable]]:
    """Yield what a packed file holds: a tar archive's members, else the one file."""
    data = _content(path, unpacked, limit, path.stat().st_size)
    if data[257:262] == b"ustar":
        held = FileInMemory.hold(path, data)
        with held.open() as file:
            yield from _tar_members(path, file, limit, task)
        return
    name = path.stem if path.suffix.lower() in (".gz", ".bz2", ".xz") else path.name
    yield name, data


def _tar_members(path: Path, file: IO[bytes], limit: int, task: Task) -> Iterator[tuple[str, bytes | Unreadable]]:
    with tarfile.open(fileobj=file, mode="r:") as archive:
        for info in archive:
            task.check()
            name = _inside(info.name)
            stream = archive.extractfile(info) if name and info.isreg() else None
            if stream is not None:
                yield name, _content(path, stream, limit, info.size)


def _inside(name: str) -> str:
    """Return a member's path without what would lead out of the archive; empty for what systems hide in archives."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    plain = "/".join(parts)
    return "" if _JUNK.search(plain) else plain


def _content(path: Path, stream: seven_zip.Readable, limit: int, packed: int) -> bytes:
    """Return all of a stream, within a limit in bytes and an honest ratio."""
    whole = bytearray()
    while chunk := stream.read(_CHUNK):
        whole += chunk
        if len(whole) > limit:
            raise too_large(path, limit)
        if len(whole) > _SUSPECT_FROM and len(whole) > _HIGHEST_RATIO * max(1, packed):
            raise unpacks_too_far(path)
    return bytes(whole)
