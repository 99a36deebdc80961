"""Columns of values for a million documents: packed bytes or codes of shared values, from which values are made.

A list of a million strings takes 60 MB for the objects alone, and a pass over it in Python tenths of a second. What a
column can do over all of its rows, it does with arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SHARED = 4096  # different values up to which a column is one of codes
_BYTEWISE = 3  # bytes of a word up to which all places are compared at once: it may be in every text
_DECODED = 4096  # rows that are decoded at once by a pass over all
_INT64 = range(-(2**63), 2**63)

Shared = TypeVar("Shared")
Other = TypeVar("Other")


class CodedColumn(Sequence[Shared], Generic[Shared]):
    """A column whose rows share few values, such as languages or the files of tables.

    Attributes:
        codes: (N,) the index of each row's value in `values`.
        values: The different values.
    """

    __slots__ = ("codes", "values")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, codes: NDArray[np.int32], values: Iterable[Shared]) -> None:
        self.codes, self.values = codes, tuple(values)

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, row: int) -> Shared: ...
    @overload
    def __getitem__(self, row: slice) -> list[Shared]: ...
    def __getitem__(self, row: int | slice) -> Shared | list[Shared]:
        if isinstance(row, slice):
            return [self.values[code] for code in self.codes[row].tolist()]
        return self.values[int(self.codes[row])]

    def __iter__(self) -> Iterator[Shared]:
        return map(self.values.__getitem__, self.codes.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def map(self, change: Callable[[Shared], Other]) -> CodedColumn[Other]:
        """Return the column with every value changed; what becomes equal shares a code."""
        changed: dict[Other, int] = {}
        merged = [changed.setdefault(change(value), len(changed)) for value in self.values]
        return CodedColumn(np.array(merged, np.int32)[self.codes] if merged else self.codes, changed)

    def at_rows(self, rows: NDArray[np.int64]) -> CodedColumn[Shared | None]:
        """Return the values of some rows, (M,); None for the row -1."""
        codes = self.codes[rows] if len(self) else np.zeros(len(rows), np.int32)
        return CodedColumn(np.where(rows < 0, len(self.values), codes), (*self.values, None))

    def counts(self) -> NDArray[np.int64]:
        """Return how many rows each value has."""
        return np.bincount(self.codes, minlength=len(self.values))

    def rows_of_each(self) -> list[tuple[Shared, NDArray[np.int64]]]:
        """Return each value that occurs with its rows, ascending; the commonest first, of equals the first in it."""
        order = np.argsort(self.codes, kind="stable")
        counts = self.counts()
        parts = np.split(order, np.cumsum(counts)[:-1]) if len(self.values) else []
        largest = np.argsort(-counts, kind="stable").tolist()
        return [(self.values[code], parts[code]) for code in largest if counts[code]]


class PackedTexts(Sequence[Any]):
    """A column of texts as one run of UTF-8; a row may be None.

    Attributes:
        data: The texts, one after another.
        ends: (N,) where each ends.
        missing: (N,) which rows are None; None where none is.
    """

    __slots__ = ("data", "ends", "missing")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, data: bytes | bytearray, ends: NDArray[np.int64], missing: NDArray[np.bool_] | None = None
    ) -> None:
        self.data, self.ends, self.missing = data, ends, missing

    @classmethod
    def pack(cls, texts: Iterable[str]) -> PackedTexts:
        """Pack texts."""
        builder = TextBuilder()
        for text in texts:
            builder.add(text)
        return builder.finished()

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return [self[index] for index in range(*row.indices(len(self)))]
        row = range(len(self))[row]  # as any sequence does, from the end too
        if self.missing is not None and self.missing[row]:
            return None
        start = int(self.ends[row - 1]) if row else 0
        return self.data[start : int(self.ends[row])].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[Any]:
        start, missing = 0, self.missing
        for first in range(0, len(self), _DECODED):
            for row, end in enumerate(self.ends[first : first + _DECODED].tolist(), first):
                text = self.data[start:end].decode("utf-8", "surrogatepass")
                yield None if missing is not None and missing[row] else text
                start = end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def casefolded(self) -> PackedTexts:
        """Return the texts as `str.casefold` has them, for `containing`."""
        if self.data.isascii():
            return PackedTexts(self.data.lower(), self.ends)
        return PackedTexts.pack((text or "").casefold() for text in self)

    def containing(self, word: str) -> NDArray[np.bool_]:
        """Return (N,) which texts contain a word."""
        wanted = word.encode("utf-8", "surrogatepass")
        contains = np.zeros(len(self), bool)
        if not wanted:
            return ~contains
        places = _places(self.data, wanted)
        rows = np.searchsorted(self.ends, places, side="right")
        contains[rows[places + len(wanted) <= self.ends[rows]]] = True  # not across two texts
        return contains


def _places(data: bytes | bytearray, wanted: bytes) -> NDArray[np.int64]:
    """Return where some bytes begin."""
    if len(wanted) <= _BYTEWISE:
        numbers = np.frombuffer(data, np.uint8)[: max(0, len(data) - len(wanted) + 1)]
        places = np.flatnonzero(numbers == wanted[0])
        for offset, byte in enumerate(wanted[1:], 1):
            places = places[np.frombuffer(data, np.uint8)[places + offset] == byte]
        return places
    positions, at = array("q"), data.find(wanted)
    while at >= 0:
        positions.append(at)
        at = data.find(wanted, at + 1)
    return np.array(positions, np.int64)


class PackedNumbers(Sequence[Any]):
    """A column of numbers of one type; a row may be None.

    Attributes:
        numbers: (N,) int64 or float64.
        missing: (N,) which rows are None; None where none is.
    """

    __slots__ = ("missing", "numbers")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, numbers: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> None:
        self.numbers, self.missing = numbers, missing

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return [self[index] for index in range(*row.indices(len(self)))]
        return None if self.missing is not None and self.missing[row] else self.numbers[row].item()

    def __iter__(self) -> Iterator[Any]:
        if self.missing is None:
            return iter(self.numbers.tolist())
        pairs = zip(self.numbers.tolist(), self.missing.tolist(), strict=True)
        return (None if missing else number for number, missing in pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)


class TextBuilder:
    """Packs texts, of which most differ, one after another."""

    def __init__(self) -> None:
        self._data, self._ends = bytearray(), array("q")

    def add(self, text: str) -> None:
        """Add the text of the next row."""
        self._data += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._data))

    def finished(self) -> PackedTexts:
        """Return the column."""
        return PackedTexts(self._data, np.array(self._ends, np.int64))


class ColumnBuilder:
    """Makes the column that suits the values of a field, which only some rows may have."""

    def __init__(self) -> None:
        self._rows, self._codes, self._known = array("i"), array("i"), dict[object, int]()
        self._values: list[Any] = []
        self._many: list[Any] | None = None  # a value for each of the rows, once there are too many different ones

    def __len__(self) -> int:
        """Return how many rows have a value."""
        return len(self._rows)

    def add(self, row: int, value: Any) -> None:
        """Add the value of a row, behind those before; None is as if there were none."""
        if value is None:
            return
        self._rows.append(row)
        if self._many is not None:
            self._many.append(value)
            return
        key = value if isinstance(value, str) else (type(value), value)  # 1, 1.0 and True are not the same value
        code = self._known.setdefault(key, len(self._values))
        if code == len(self._values):
            self._values.append(value)
        self._codes.append(code)
        if code >= MOST_SHARED:
            self._many = [self._values[each] for each in self._codes]

    def finished(self, count: int) -> Sequence[Any]:
        """Return the column of so many rows."""
        rows, values = np.array(self._rows, np.int64), self._many
        if values is None:
            codes = np.full(count, len(self._values), np.int32)
            codes[rows] = np.array(self._codes, np.int32)
            return CodedColumn(codes, [*self._values, None] if len(rows) < count else self._values)
        missing = np.ones(count, bool)
        missing[rows] = False
        if all(isinstance(value, str) for value in values):
            packed, lengths = PackedTexts.pack(values), np.zeros(count, np.int64)
            lengths[rows] = np.diff(packed.ends, prepend=0)
            return PackedTexts(packed.data, np.cumsum(lengths), missing if missing.any() else None)
        for kind, fits in (
            (np.float64, lambda value: type(value) is float),
            (np.int64, lambda value: type(value) is int and value in _INT64),
        ):
            if all(map(fits, values)):
                numbers = np.zeros(count, kind)
                numbers[rows] = values
                return PackedNumbers(numbers, missing if missing.any() else None)
        whole: list[Any] = [None] * count
        for row, value in zip(self._rows, values, strict=True):
            whole[row] = value
        return whole


def mapped(values: Iterable[Shared], change: Callable[[Shared], Other]) -> CodedColumn[Other]:
    """Return a column of any kind with every value changed, as one of codes."""
    if isinstance(values, CodedColumn):
        return values.map(change)
    known: dict[Other, int] = {}
    codes = array("i", (known.setdefault(change(value), len(known)) for value in values))
    return CodedColumn(np.array(codes, np.int32), known)


class RowsById(Mapping[int, int]):
    """The row of each document, found by binary search."""

    def __init__(self, ids: NDArray[np.int64]) -> None:
        ascending = bool((ids[1:] > ids[:-1]).all())
        self._order = None if ascending else np.argsort(ids, kind="stable")
        self._ids = ids if self._order is None else ids[self._order]

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids.tolist())

    def __getitem__(self, document_id: int) -> int:
        at = int(np.searchsorted(self._ids, document_id))
        if at == len(self._ids) or self._ids[at] != document_id:
            raise KeyError(document_id)
        return at if self._order is None else int(self._order[at])

    def __contains__(self, document_id: object) -> bool:
        return isinstance(document_id, int | np.integer) and self.get(int(document_id)) is not None

    def of_each(self, document_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the row of each of some documents, (M,); -1 for those that are gone."""
        if not len(self._ids):
            return np.full(len(document_ids), -1)
        at = np.minimum(np.searchsorted(self._ids, document_ids), len(self._ids) - 1)
        rows = at if self._order is None else self._order[at]
        return np.where(self._ids[at] == document_ids, rows, -1)
