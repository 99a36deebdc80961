"""List and unpack .7z archives with the decoders of the standard library.

The container is described in 7zFormat.txt of the LZMA SDK (https://www.7-zip.org/sdk.html, public domain). Read are
files that are stored or packed by LZMA, LZMA2, BZip2 or Deflate, which is all that 7-Zip uses for documents unless it
is told otherwise, and by LZMA2 behind the filter for x86 programs, which py7zr puts before everything. What is packed
by PPMd or other chains is reported by name.
"""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

SIGNATURE = b"7z\xbc\xaf\x27\x1c"
_LARGEST_HEADER = 64 * 2**20  # bytes; a million files with long names
_CHUNK = 2**18
_MOST_CODERS = 8  # of one folder; 7-Zip itself chains four at most
_END, _HEADER, _STREAMS, _FILES, _PACKED, _FOLDERS, _SUBSTREAMS, _SIZES = 0, 1, 4, 5, 6, 7, 8, 9
_CHECKSUMS, _FOLDER, _FOLDER_SIZES, _COUNTS, _WITHOUT_STREAM, _EMPTY_FILES, _NAMES = 10, 11, 12, 13, 14, 15, 17
_PACKED_HEADER = 23
_COPY, _LZMA2, _LZMA, _DEFLATE, _BZIP2 = b"\0", b"\x21", b"\3\1\1", b"\4\1\x08", b"\4\2\2"
_X86 = (b"\4", b"\3\3\1\3")
_AES = b"\6\xf1"


class SevenZipError(Exception):
    """The archive breaks the rules of its format, or is cut off."""


class EncryptedError(SevenZipError):
    """A password is needed."""


class UnknownMethodError(SevenZipError):
    """A file uses a compression method that cannot be read."""


class Readable(Protocol):
    """What can be read to its end."""

    def read(self, count: int, /) -> bytes:
        """Return up to that many bytes, none only at the end."""


@dataclass(frozen=True)
class Member:
    """A file in an archive.

    Attributes:
        name: Its path inside.
        packed: The bytes of the block that it is packed in, perhaps with others.
        stream: Its content; read it before you ask for the next member.
        error: Why there is no content.
    """

    name: str
    packed: int
    stream: Readable
    error: SevenZipError | None = None


def members(file: IO[bytes]) -> Iterator[Member]:
    """Yield the files of an archive in its order, without folders and empty files.

    Raises:
        SevenZipError: It is damaged, or its list of files is encrypted.
        lzma.LZMAError, OSError, EOFError, zlib.error: A packed stream is damaged.
    """
    names, blocks = _contents(file)
    left = iter(names)
    for block in blocks:
        stream: Readable = io.BytesIO()
        error = None
        try:
            stream = block.open(file)
        except (EncryptedError, UnknownMethodError) as known:
            error = known
        for size, checksum in zip(block.sizes, block.checksums, strict=True):
            name = next(left, None)
            if name is None:
                raise SevenZipError("there are more files than names")
            part = _Part(stream, size, checksum)
            yield Member(name, block.packed_size, part, error)
            if error is None:
                part.skip()  # the next one begins where this ends


@dataclass
class _Block:
    """A packed stream and how it is unpacked: a "folder" in the words of the format.

    Attributes:
        coders: Method and properties of each step, the first being the one that reads the file.
        size: The bytes that come out.
        checksum: Of what comes out, where it is stated.
        start, packed_size: Where in the file it is.
        sizes, checksums: Of the files inside, one after the other.
    """

    coders: list[tuple[bytes, bytes]]
    outputs: int
    size: int = 0
    checksum: int | None = None
    start: int = 0
    packed_size: int = 0
    packed_streams: int = 1
    sizes: list[int] = field(default_factory=list)
    checksums: list[int | None] = field(default_factory=list)

    def open(self, file: IO[bytes]) -> Readable:
        """Return what comes out of the block as a stream.

        Raises:
            EncryptedError: It needs a password.
            UnknownMethodError: It uses a compression method that cannot be read.
        """
        if any(method.startswith(_AES) for method, _ in self.coders):
            raise EncryptedError("a password is needed")
        steps = [coder for coder in self.coders if coder[0] != _COPY]
        filters = [method for method, _ in steps if method in _X86]
        packers = [coder for coder in steps if coder[0] not in _X86]
        # A filter holds back the last bytes until the packer says that it is done, which LZMA by itself need not.
        known = not filters or (len(filters) == 1 and [method for method, _ in packers] == [_LZMA2])
        if self.packed_streams != 1 or len(packers) > 1 or not known:
            raise UnknownMethodError("it is packed in several steps")
        decoder = _decoder(*packers[0], self.size, filtered=bool(filters)) if packers else None
        return _Unpacked(file, self.start, self.packed_size, decoder, self.size)


def _decoder(method: bytes, properties: bytes, size: int, *, filtered: bool) -> Any:
    """Return the decompressor for a method; no dictionary is larger than what comes out."""
    largest = max(2**12, min(size, 2**32 - 1))
    if method == _LZMA and len(properties) == 5:
        letter, dictionary = struct.unpack("<BI", properties)
        if letter >= 9 * 5 * 5:
            raise SevenZipError("properties of LZMA")
        chain = {"id": lzma.FILTER_LZMA1, "dict_size": min(max(2**12, dictionary), largest)}
        chain |= {"lc": letter % 9, "lp": letter // 9 % 5, "pb": letter // 45}
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[chain])
    if method == _LZMA2 and len(properties) == 1 and properties[0] <= 40:
        bits = properties[0]
        dictionary = min(2**32 - 1, (2 | bits & 1) << (bits // 2 + 11))
        chain = {"id": lzma.FILTER_LZMA2, "dict_size": min(dictionary, largest)}
        before = [{"id": lzma.FILTER_X86}] if filtered else []
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[*before, chain])
    if method == _BZIP2:
        return bz2.BZ2Decompressor()
    if method == _DEFLATE:
        return _Inflater()
    raise UnknownMethodError(f"method {method.hex()}")


class _Inflater:
    """Deflate with the interface of the other decompressors."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    def decompress(self, data: bytes, max_length: int) -> bytes:
        out = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = not self._inner.unconsumed_tail and len(out) < max_length
        return out


class _Unpacked:
    """The bytes that come out of a block, never more than it says."""

    def __init__(self, file: IO[bytes], start: int, packed: int, decoder: Any, size: int) -> None:
        self._file, self._position, self._packed = file, start, packed
        self._decoder, self._left = decoder, size

    def read(self, count: int, /) -> bytes:
        """Return up to that many bytes, none only at the end; raise EOFError where the file is cut off."""
        count = min(count, self._left)
        out = b""
        while count and not out:
            if self._decoder is None:
                out = self._raw(count)
            elif self._decoder.eof:
                raise EOFError
            else:
                data = self._raw(_CHUNK) if self._decoder.needs_input and self._packed else b""
                if not data and self._decoder.needs_input:
                    raise EOFError
                out = self._decoder.decompress(data, count)
        self._left -= len(out)
        return out

    def _raw(self, count: int) -> bytes:
        self._file.seek(self._position)
        data = self._file.read(min(count, self._packed))
        if not data:
            raise EOFError
        self._position += len(data)
        self._packed -= len(data)
        return data


class _Part:
    """One file of a block."""

    def __init__(self, block: Readable, size: int, checksum: int | None) -> None:
        self._block, self._left, self._stated, self._sum = block, size, checksum, 0

    def read(self, count: int, /) -> bytes:
        """Return up to that many bytes, none only at the end; raise SevenZipError where the checksum differs."""
        if not self._left:
            return b""
        data = self._block.read(min(count, self._left))
        if not data:
            raise EOFError
        self._left -= len(data)
        self._sum = zlib.crc32(data, self._sum)
        if not self._left and self._stated is not None and self._sum != self._stated:
            raise SevenZipError("a checksum does not match")
        return data

    def skip(self) -> None:
        """Read to the end."""
        while self.read(_CHUNK):
            pass


def _contents(file: IO[bytes]) -> tuple[list[str], list[_Block]]:
    """Return the names of the files that have content, and the blocks that hold it."""
    file.seek(0)
    head = file.read(32)
    if len(head) < 32 or not head.startswith(SIGNATURE):
        raise SevenZipError("it does not begin as an archive does")
    offset, size, checksum = struct.unpack_from("<QQI", head, 12)
    if size == 0:
        return [], []
    header = _header_bytes(file, 32 + offset, size, checksum)
    for _ in range(4):  # the header may be packed, by 7-Zip once
        fields = _Fields(header)
        kind = fields.byte()
        if kind == _HEADER:
            return _listed(fields)
        if kind != _PACKED_HEADER:
            break
        blocks = _streams(fields)
        if len(blocks) != 1 or blocks[0].size > _LARGEST_HEADER:
            break
        stream = _Part(blocks[0].open(file), blocks[0].size, blocks[0].checksum)
        pieces = []
        while piece := stream.read(_CHUNK):
            pieces.append(piece)
        header = b"".join(pieces)
    raise SevenZipError("its list of files cannot be read")


def _header_bytes(file: IO[bytes], start: int, size: int, checksum: int) -> bytes:
    end = file.seek(0, io.SEEK_END)
    if size > _LARGEST_HEADER or start + size > end:
        raise SevenZipError("its list of files is cut off")
    file.seek(start)
    header = file.read(size)
    if zlib.crc32(header) != checksum:
        raise SevenZipError("the checksum of its list of files does not match")
    return header


class _Fields:
    """The fields of a header, read one after the other; each raises SevenZipError at the end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def read_bytes(self, count: int) -> bytes:
        if count > len(self._data) - self._position:
            raise SevenZipError("a header is cut off")
        self._position += count
        return self._data[self._position - count : self._position]

    def rest(self) -> bytes:
        return self.read_bytes(len(self._data) - self._position)

    def byte(self) -> int:
        return self.read_bytes(1)[0]

    def number(self) -> int:
        """Return a number of one to nine bytes: the ones that lead the first byte count those that follow."""
        first = self.byte()
        extra = 8 - (first ^ 0xFF).bit_length()
        low = int.from_bytes(self.read_bytes(extra), "little")
        high = first & (0x7F >> extra) if extra < 8 else 0
        return low | high << 8 * extra

    def count(self) -> int:
        """Return a number of things that take at least a bit each, so that a lie costs no memory."""
        value = self.number()
        if value > 8 * len(self._data):
            raise SevenZipError("a header counts more than it holds")
        return value

    def bits(self, count: int) -> list[bool]:
        data = self.read_bytes((count + 7) // 8)
        return [bool(data[index // 8] & 0x80 >> index % 8) for index in range(count)]

    def checksums(self, count: int) -> list[int | None]:
        given = [True] * count if self.byte() else self.bits(count)
        return [struct.unpack("<I", self.read_bytes(4))[0] if is_stated else None for is_stated in given]


def _listed(fields: _Fields) -> tuple[list[str], list[_Block]]:
    blocks: list[_Block] = []
    names: list[str] = []
    while (kind := fields.byte()) != _END:
        if kind == _STREAMS:
            blocks = _streams(fields)
        elif kind == _FILES:
            names = _names(fields)
        else:
            raise SevenZipError(f"field {kind} in its list of files")
    return names, blocks


def _names(fields: _Fields) -> list[str]:
    """Return the names of the files that have content."""
    count = fields.count()
    without, names = [False] * count, [""] * count
    while (kind := fields.number()) != _END:
        inner = _Fields(fields.read_bytes(fields.number()))
        if kind == _WITHOUT_STREAM:
            without = inner.bits(count)
        elif kind == _NAMES and inner.byte() == 0:
            names = inner.rest().decode("utf-16-le", "replace").split("\0")[:count]
    if len(names) < count:
        raise SevenZipError("there are more files than names")
    return [name for name, is_empty in zip(names, without, strict=True) if not is_empty]


def _streams(fields: _Fields) -> list[_Block]:
    start, packed_sizes = 0, list[int]()
    blocks: list[_Block] = []
    while (kind := fields.byte()) != _END:
        if kind == _PACKED:
            start, packed_sizes = _packed_streams(fields)
        elif kind == _FOLDERS:
            blocks = _blocks(fields)
        elif kind == _SUBSTREAMS:
            _divide(fields, blocks)
        else:
            raise SevenZipError(f"field {kind} among the streams")
    sizes = iter(packed_sizes)
    position = 32 + start
    for block in blocks:
        own = [next(sizes, -1) for _ in range(block.packed_streams)]
        if -1 in own:
            raise SevenZipError("a packed stream is missing")
        block.start, block.packed_size = position, sum(own)
        position += block.packed_size
    return blocks


def _packed_streams(fields: _Fields) -> tuple[int, list[int]]:
    start, count, sizes = fields.number(), fields.count(), list[int]()
    while (kind := fields.byte()) != _END:
        if kind == _SIZES:
            sizes = [fields.number() for _ in range(count)]
        elif kind == _CHECKSUMS:
            fields.checksums(count)
        else:
            raise SevenZipError(f"field {kind} among the packed streams")
    return start, sizes


def _blocks(fields: _Fields) -> list[_Block]:
    if fields.byte() != _FOLDER:
        raise SevenZipError("blocks are missing")
    count = fields.count()
    if fields.byte():
        raise SevenZipError("blocks are described elsewhere")
    blocks = [_block(fields) for _ in range(count)]
    if fields.byte() != _FOLDER_SIZES:
        raise SevenZipError("the sizes of the blocks are missing")
    for block in blocks:
        # The steps hand each other all that they unpack; what comes out last is the largest or as large.
        block.size = max(fields.number() for _ in range(block.outputs))
    while (kind := fields.byte()) != _END:
        if kind != _CHECKSUMS:
            raise SevenZipError(f"field {kind} among the blocks")
        for block, checksum in zip(blocks, fields.checksums(count), strict=True):
            block.checksum = checksum
    for block in blocks:  # one file each, unless more is said
        block.sizes, block.checksums = [block.size], [block.checksum]
    return blocks


def _block(fields: _Fields) -> _Block:
    coders: list[tuple[bytes, bytes]] = []
    inputs = outputs = 0
    count = fields.number()
    if not 1 <= count <= _MOST_CODERS:
        raise SevenZipError("a block has too many steps")
    for _ in range(count):
        flags = fields.byte()
        method = fields.read_bytes(flags & 0xF)
        own_inputs, own_outputs = (fields.number(), fields.number()) if flags & 0x10 else (1, 1)
        inputs, outputs = inputs + own_inputs, outputs + own_outputs
        coders.append((method, fields.read_bytes(fields.number()) if flags & 0x20 else b""))
        if max(inputs, outputs) > 4 * _MOST_CODERS:
            raise SevenZipError("a block has too many streams")
    if not outputs or outputs - 1 > inputs:
        raise SevenZipError("the steps of a block do not fit together")
    for _ in range(2 * (outputs - 1)):  # which output is which input; only one step is read anyway
        fields.number()
    packed = inputs - (outputs - 1)
    if packed > 1:
        for _ in range(packed):
            fields.number()
    return _Block(coders, outputs, packed_streams=packed)


def _divide(fields: _Fields, blocks: list[_Block]) -> None:
    """Note which files a block consists of."""
    counts = [1] * len(blocks)
    kind = fields.byte()
    if kind == _COUNTS:
        counts = [fields.count() for _ in blocks]
        kind = fields.byte()
    for block, count in zip(blocks, counts, strict=True):
        sizes = [fields.number() for _ in range(count - 1)] if kind == _SIZES else []
        if count:
            sizes.append(block.size - sum(sizes))
        if len(sizes) != count or any(size < 0 for size in sizes):
            raise SevenZipError("the sizes of files do not add up")
        block.sizes, block.checksums = sizes, [block.checksum] if count == 1 else [None] * count
    if kind == _SIZES:
        kind = fields.byte()
    while kind != _END:
        if kind != _CHECKSUMS:
            raise SevenZipError(f"field {kind} among the files")
        unknown = [block for block in blocks if not (len(block.sizes) == 1 and block.checksum is not None)]
        stated = iter(fields.checksums(sum(len(block.sizes) for block in unknown)))
        for block in unknown:
            block.checksums = [next(stated) for _ in block.sizes]
        kind = fields.byte()
