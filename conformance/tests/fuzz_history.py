"""Histories: manifests, recordings, records and sealed files, damaged or made by somebody."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from zlib import adler32, crc32

import numpy as np

from fuzz.json_changes import change_document
from fuzz.mutations import structure
from fuzz.targets import Target
from histories.small_histories import spec_of
from jms_histories.errors import HistoryError
from jms_histories.history import description, fold
from jms_histories.history.log import DELIVERIES, EVENTS, KINDS, SENDS, parse_log
from jms_histories.history.manifest import manifest_of
from jms_histories.history.recording import recording_of
from jms_histories.history.row_checks import DeliveryRows, SendRows
from jms_histories.history.writer import arrow_table
from jms_histories.kernels.whole import judge
from tiny_provider import legal

RUN, SESSION = "run-1", 1
_SPEC = spec_of(legal(Random("fuzz"), faults=True, numbers=0))
_LENGTH = struct.Struct("<I")
_EXTREME = (0, 1, -1, 2, 1 << 22, 1 << 40, 1 << 62, (1 << 63) - 1, -(1 << 63))


def _manifest(data: bytes) -> None:
    manifest = manifest_of(data.decode(errors="replace"))
    assert manifest_of(manifest.text()) == manifest


def _signed(data: bytes, random: Random) -> bytes:
    """A manifest of another content, whose checksum is right."""
    with suppress(ValueError, AttributeError, TypeError, RecursionError):
        values = json.loads(change_document(data, random))
        values.pop("crc32", None)
        crc = crc32(json.dumps(values, sort_keys=True).encode())
        return json.dumps({**values, "crc32": f"{crc:08x}"}).encode()
    return structure(data, random)


def _recording(data: bytes) -> None:
    recording_of(data.decode(errors="replace"))


def _description(data: bytes) -> None:
    found = description.decode(data)
    assert found is None or description.encode(found) == data[: description.SIZE]
    assert len(description.from_text(data.decode(errors="replace"))) == description.SIZE


def _logs(data: bytes) -> None:
    """The three files of a session, sealed and judged as those of a whole run."""
    logs = [
        parse_log(Path(kind.name), np.frombuffer(raw, np.uint8), SESSION, kind, RUN, bytes(16))
        for kind, raw in zip(KINDS, _files(data), strict=True)
    ]
    by_kind = dict(zip(KINDS, logs, strict=True))
    found = fold.events(by_kind[EVENTS].records, cut=by_kind[EVENTS].cut)
    sends = fold.send_rows(by_kind[SENDS].records, found)
    deliveries = fold.delivery_rows(SESSION, 0, by_kind[DELIVERIES].records, found)
    for table, rows in (
        ("send", sends),
        ("delivery", deliveries),
        ("session", fold.session_rows(SESSION, found)),
        ("tx", fold.transaction_rows(SESSION, found)),
    ):
        arrow_table(table, rows)
    SendRows("sends")(sends)
    DeliveryRows("deliveries")(deliveries)
    judge(sends, deliveries, _SPEC)


def _files(data: bytes) -> Iterator[bytes]:
    """The content of three files, with its length before each but the last."""
    for _ in KINDS[1:]:
        size = _LENGTH.unpack(data[:4].ljust(4, b"\0"))[0]
        yield data[4 : 4 + size]
        data = data[4 + size :]
    yield data


def joined(files: list[bytes]) -> bytes:
    """What `_files` takes apart."""
    return b"".join(_LENGTH.pack(len(each)) + each for each in files[:-1]) + files[-1]


def _rerecorded(data: bytes, random: Random) -> bytes:
    """Other numbers in a record; records more, less or in another order."""
    files = list(_files(data))
    chosen = random.randrange(len(KINDS))
    size, raw = KINDS[chosen].record.size, files[chosen]
    records = [bytearray(raw[at : at + size]) for at in range(0, len(raw), size)]
    if len(records) < 2 or random.random() < 0.1:
        return structure(data, random)
    at = random.randrange(1, len(records))
    match random.randrange(6):
        case 0:
            del records[at]
        case 1:
            records.insert(at, records[random.randrange(1, len(records))])
        case 2:
            records[at], records[-1] = records[-1], records[at]
        case 3:
            records[at] = records[at][: random.randrange(size)]
        case _:
            record, width = records[at], random.choice((1, 2, 4, 8))
            place = random.randrange(0, max(len(record) - width, 1), width)
            number = random.choice((*_EXTREME, random.getrandbits(16), random.getrandbits(64)))
            record[place : place + width] = (number & (1 << 8 * width) - 1).to_bytes(
                width, "little"
            )
            _describe(record)
    files[chosen] = b"".join(records)
    return joined(files)


def _describe(record: bytearray) -> None:
    """Have the description in a record say that it is whole."""
    end = description.SIZE - 4
    if len(record) > description.SIZE:
        record[end : description.SIZE] = struct.pack("<I", adler32(bytes(record[:end])))


TARGETS = (
    Target("history-manifest", "conformance", _manifest, (ValueError,), _signed),
    Target("history-recording", "conformance", _recording, (ValueError,), change_document),
    Target("history-description", "conformance", _description, (), structure, longest=256),
    Target("history-logs", "conformance", _logs, (HistoryError,), _rerecorded),
)
