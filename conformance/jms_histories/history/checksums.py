"""What the bytes of a table's file must be: CRC-32 of its footer and of each column of a row group.

Nothing of a file reaches Arrow that was not compared before: its decoders trust what they read, and
one wrong byte can end the process, or give other numbers. What is read is compared as it is read,
so columns and row groups that nobody asks for cost nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

from jms_histories.errors import HistoryError

AGAIN: Final = "Copy the history whole, or seal or make it again."
_TRAILER: Final = 8
"""Bytes of the length of the footer and of the magic number behind it."""
_DIGITS: Final = 8


@dataclass(frozen=True)
class Checksums:
    """Of one file: its bytes, those of its footer with the trailer, and their CRC-32.

    groups: by the number of a row group, the CRC-32 of each of its columns as 8 hexadecimal digits.
    """

    size: int
    footer: int
    footer_crc: int
    groups: Mapping[int, str] = field(default_factory=dict)

    def of(self, groups: Iterable[int]) -> Checksums:
        """Those of some row groups alone."""
        return replace(self, groups={group: self.groups[group] for group in groups})


def checksums_of(path: Path) -> Checksums:
    """The checksums of a file that has just been written."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(size - _TRAILER)
        footer = int.from_bytes(file.read(4), "little") + _TRAILER
        file.seek(size - footer)
        tail = file.read(footer)
        metadata = pq.read_metadata(pa.BufferReader(tail))

        def digits(begin: int, length: int) -> str:
            file.seek(begin)
            return f"{crc32(file.read(length)):0{_DIGITS}x}"

        groups = {
            group: "".join(digits(*place) for place in _places(metadata, group))
            for group in range(metadata.num_row_groups)
        }
    return Checksums(size, footer, crc32(tail), groups)


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Says of which file it is when Arrow cannot read it; raises HistoryError then."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        raise HistoryError(f"{name} is damaged: {error}", hint=AGAIN) from error


def footer_of(source: Any, name: str, sums: Checksums) -> bytes:
    """The footer of an open file, compared. Raises HistoryError if it is not what was sealed."""
    size = source.size()
    if size != sums.size:
        raise HistoryError(f"{name} has {size} bytes, {sums.size} were sealed", hint=AGAIN)
    if not _TRAILER <= sums.footer <= size:
        raise HistoryError(f"{name} has no footer of {sums.footer} bytes", hint=AGAIN)
    footer: bytes = source.read_at(sums.footer, size - sums.footer)
    if crc32(footer) != sums.footer_crc:
        raise HistoryError(f"{name} is damaged: its footer is not what was sealed", hint=AGAIN)
    return footer


class CheckedFile:
    """An open file for Arrow that compares the columns which Arrow reads, as it reads them.

    Raises HistoryError for bytes that are not those that were sealed.
    """

    closed: Final = False

    def __init__(self, source: Any, name: str, sums: Checksums, metadata: Any) -> None:
        self._source, self._name = source, name
        self._at = 0
        self._sealed = sorted(_sealed(name, sums, metadata))

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place, counted from the beginning (0), from here (1) or from the end (2)."""
        self._at = place + (0, self._at, self._source.size())[whence]
        return self._at

    def tell(self) -> int:
        """The place."""
        return self._at

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def writable(self) -> bool:
        """It is not."""
        return False

    def read(self, size: int) -> Any:
        """So many bytes: columns as a whole, between which may be some that nobody asks for."""
        start = self._at
        self._source.seek(start)
        data = self._source.read_buffer(size)
        self._at = end = start + len(data)
        reached = start
        view = memoryview(data)
        for begin, length, crc in self._sealed[bisect_left(self._sealed, (start, 0, 0)) :]:
            if begin + length > end:
                break
            if crc32(view[begin - start : begin - start + length]) != crc:
                raise self._damaged(begin)
            reached = begin + length
        if len(data) != size or reached != end:
            raise self._damaged(reached)
        return data

    def _damaged(self, place: int) -> HistoryError:
        return HistoryError(
            f"{self._name} is damaged: from byte {place} on it is not what was sealed", hint=AGAIN
        )


def _sealed(name: str, sums: Checksums, metadata: Any) -> Iterator[tuple[int, int, int]]:
    """Where the columns of row groups begin, how long they are, and their checksums."""
    for group, told in sums.groups.items():
        places = _places(metadata, group) if group < metadata.num_row_groups else []
        if len(told) != len(places) * _DIGITS:
            raise HistoryError(f"{name} has other columns than were sealed", hint=AGAIN)
        for number, (begin, length) in enumerate(places):
            yield begin, length, int(told[number * _DIGITS : (number + 1) * _DIGITS], 16)


def _places(metadata: Any, group: int) -> list[tuple[int, int]]:
    """Where each column of a row group begins, and its bytes."""
    row_group = metadata.row_group(group)
    return [_place(row_group.column(number)) for number in range(row_group.num_columns)]


def _place(column: Any) -> tuple[int, int]:
    """Where Arrow begins to read, and how much: 0 if there is a dictionary but no page of data."""
    first = column.data_page_offset
    if column.has_dictionary_page:
        first = min(first, column.dictionary_page_offset)
    return first, column.total_compressed_size
