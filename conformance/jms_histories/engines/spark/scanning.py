"""What the tasks of the screening do, in the workers: scan, reduce, look a second time.

scan     files of sends, and whole sessions: bits of plain messages, and the other messages
reduce   all there is of some blocks: which messages are suspects
look     rows of suspects, on their way to the bucket of their message
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np

from jms_histories.columns import Ints, length
from jms_histories.engines.local.tasks import (
    find_namesakes,
    rows_of,
    screen_sends,
    screen_sessions,
)
from jms_histories.engines.spark.exchange import (
    ExchangedValue,
    PayloadKind,
    address_rows,
    batches,
    gather_by_key,
    merge_tables,
    rows,
    split,
)
from jms_histories.engines.spark.packing import pack, unpack, unpack_as
from jms_histories.engines.spark.sessions import rows_in_order
from jms_histories.engines.spark.stages import NO_MESSAGE, Job
from jms_histories.history.bucket import bucket_of
from jms_histories.history.reader import Part
from jms_histories.kernels.links.partials import SessionPartials
from jms_histories.kernels.screening.block_bits import BLOCK_BYTES, Block
from jms_histories.kernels.screening.fingerprints import SLICES, doubled_of_slice
from jms_histories.kernels.screening.reduction import Reduced, reduce
from jms_histories.kernels.screening.send_scan import KnownSends
from jms_histories.kernels.screening.session_scan import Screened, scan_sessions
from jms_histories.kernels.screening.suspects import Membership
from jms_histories.kernels.statistics import HistoryStatistics
from jms_histories.kernels.summaries import TimeSeries
from jms_histories.values import BLOCK_BITS

GROUP_BITS: Final = 20
"""A task reduces groups of 2^20 messages: sixteen blocks."""
FINGERPRINTS: Final = range(NO_MESSAGE + 1, NO_MESSAGE + 1 + SLICES)
"""The keys of slices of the fingerprints of message ids."""


def scan_part(part: Part, job: Job) -> Iterator[ExchangedValue]:
    """Screen one file of sends, or one of whole sessions."""
    if part.table == "send":
        yield from sent_rows(screen_sends(part, job.checks), job)
    else:
        yield from screened_rows(screen_sessions(part, job.checks), job)


def scan_arrived(job: Job, arrived: Iterable[Any]) -> Iterator[Any]:
    """Screen sessions whose rows have arrived, by session and place."""

    def screened() -> Iterator[ExchangedValue]:
        for _, those in groupby(rows(arrived), lambda row: row.key):
            pieces = ((row.place, unpack(row.payload)) for row in those)
            yield from screened_rows(scan_sessions(rows_in_order(pieces), job.spec), job)

    return batches(screened())


def sent_rows(sent: KnownSends, job: Job) -> Iterator[ExchangedValue]:
    """What a scan of sends hands on."""
    yield ExchangedValue(NO_MESSAGE, PayloadKind.SENT, pack_sent(sent))
    if job.bits:
        yield from _blocks(sent.blocks, PayloadKind.SENT_BLOCKS)
        yield from _suspects(sent.suspects)
        for key, those in zip(FINGERPRINTS, sent.fingerprints, strict=True):
            if len(those):
                yield ExchangedValue(key, PayloadKind.FINGERPRINTS, pack(those))


def screened_rows(screened: Screened, job: Job) -> Iterator[ExchangedValue]:
    """What a scan of sessions hands on."""
    yield ExchangedValue(NO_MESSAGE, PayloadKind.SCREENED, pack_screened(screened))
    if job.bits:
        yield from _blocks(screened.delivered, PayloadKind.DELIVERED_BLOCKS)
        yield from _suspects(screened.suspects)


def reduce_arrived(arrived: Iterable[Any]) -> Iterator[Any]:
    """Groups of blocks and slices of fingerprints that have arrived; summaries pass."""

    def reduced_rows() -> Iterator[ExchangedValue]:
        for key, payloads in gather_by_key(rows(arrived)):
            if key == NO_MESSAGE:
                for kind, those in payloads.items():
                    yield from (ExchangedValue(key, kind, payload) for payload in those)
            elif key in FINGERPRINTS:
                slices = [unpack(payload) for payload in payloads[PayloadKind.FINGERPRINTS]]
                twice = doubled_of_slice(slices, FINGERPRINTS.index(key))
                yield ExchangedValue(key, PayloadKind.FINGERPRINTS, pack(twice))
            else:
                reduced = reduce(
                    _unpack_blocks(payloads.get(PayloadKind.SENT_BLOCKS, [])),
                    _unpack_blocks(payloads.get(PayloadKind.DELIVERED_BLOCKS, [])),
                    [unpack(payload) for payload in payloads.get(PayloadKind.SUSPECTS, [])],
                )
                yield ExchangedValue(key, PayloadKind.REDUCED, pack_reduced(reduced))

    return batches(reduced_rows())


@dataclass(frozen=True)
class SecondLook:
    """What is looked for: messages, and message ids by fingerprints that occur more than once."""

    suspects: Membership
    fingerprints: Ints


def look_again(part: Part, look: SecondLook, job: Job) -> Iterator[ExchangedValue]:
    """The rows of suspects in a piece of a file, on their way to their bucket."""
    if len(look.suspects):
        for chosen in merge_tables(rows_of(part, look.suspects, job.checks)):
            yield from address_rows(part.table, chosen, bucket_of(chosen["uid"], job.buckets))
    if part.table == "send" and len(look.fingerprints):
        namesakes = find_namesakes(part, look.fingerprints)
        if length(namesakes):
            yield ExchangedValue(NO_MESSAGE, PayloadKind.IDENTITIES, pack(namesakes))


def _blocks(blocks: Iterable[Block], kind: PayloadKind) -> Iterator[ExchangedValue]:
    """Bits by groups of blocks, those of a group in one payload."""
    groups: dict[int, list[Block]] = {}
    for block in blocks:
        groups.setdefault(block.number >> (GROUP_BITS - BLOCK_BITS), []).append(block)
    for group, those in groups.items():
        tree = {
            "number": np.array([block.number for block in those], np.int64),
            "lane": np.array([block.lane for block in those], np.int64),
            "bits": np.concatenate([block.bits for block in those]),
        }
        yield ExchangedValue(group, kind, pack(tree))


def _unpack_blocks(payloads: list[bytes]) -> Iterator[Block]:
    for payload in payloads:
        tree = unpack(payload)
        bits = tree["bits"].reshape(-1, BLOCK_BYTES)
        numbers = zip(tree["number"].tolist(), tree["lane"].tolist(), bits, strict=True)
        yield from (Block(number, lane, those) for number, lane, those in numbers)


def _suspects(uids: Ints) -> Iterator[ExchangedValue]:
    for key, chosen in split(uids >> GROUP_BITS):
        yield ExchangedValue(key, PayloadKind.SUSPECTS, pack(uids[chosen]))


def pack_reduced(reduced: Reduced) -> bytes:
    """What is known of some blocks, as bytes."""
    return pack(
        {
            "suspects": reduced.suspects,
            "owed": {str(sub): number for sub, number in reduced.owed.items()},
            "delivered": {str(sub): number for sub, number in reduced.delivered.items()},
        }
    )


def unpack_reduced(payload: bytes) -> Reduced:
    """What `pack_reduced` made bytes of."""
    tree = unpack(payload)
    owed, delivered = (
        Counter({int(sub): number for sub, number in tree[name].items()})
        for name in ("owed", "delivered")
    )
    return Reduced(tree["suspects"], owed, delivered)


def pack_sent(sent: KnownSends) -> bytes:
    """The numbers of a scan of sends as bytes; what belongs to messages is on its own way."""
    numbers = {name: int(getattr(sent, name)) for name in ("owed", "ordered", "named", "rows")}
    return pack({"over_time": sent.over_time, **numbers})


def unpack_sent(payload: bytes) -> KnownSends:
    """What `pack_sent` made bytes of."""
    tree = unpack(payload)
    series = tree.pop("over_time")
    over_time = TimeSeries(series["bits"], series["first"], series["counts"].copy())
    return KnownSends([], np.zeros(0, np.int64), over_time=over_time, **tree)


def pack_screened(screened: Screened) -> bytes:
    """Findings and numbers of a scan of sessions as bytes, without what belongs to messages."""
    return pack(
        {
            "partials": np.frombuffer(pack(screened.partials), np.uint8),
            "statistics": np.frombuffer(screened.statistics.pack(), np.uint8),
            "counted": screened.counted,
        }
    )


def unpack_screened(payload: bytes) -> Screened:
    """What `pack_screened` made bytes of."""
    tree = unpack(payload)
    partials = unpack_as(SessionPartials, tree.pop("partials").tobytes())
    statistics = HistoryStatistics.unpack(tree.pop("statistics").tobytes())
    return Screened(partials, [], np.zeros(0, np.int64), statistics, **tree)
