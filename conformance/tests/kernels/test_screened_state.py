"""What the screening keeps while much streams by: blocks, chunks, the order of sessions, sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import permutations
from random import Random

import numpy as np
import pytest

from histories.small_histories import deliveries_of, sends_of, spec_of
from jms_histories.checks.small_history import DeliveryRow, SendRow, SmallHistory
from jms_histories.columns import Ints
from jms_histories.kernels.screening.block_bits import BLOCK, BlockBits, count_marks, positions
from jms_histories.kernels.screening.send_scan import SendScan, SentTwiceError
from jms_histories.kernels.screening.session_scan import OutOfOrderError, SessionScan
from jms_histories.kernels.sessions.chunks import Setting, chunks, sorted_rows
from kernels.kernel_agreement import small_limits

OFTEN = 65_534
"""The most rows that are marked at once."""
SENDS = 200
"""More than there may be runs of."""


def ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), np.int64)


@pytest.mark.parametrize("limits", [nullcontext, small_limits])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("batches", "many"), [(1, 1), (2, 3), (12, 5), (30, 20), (40, 60), (5, 300)]
)
def test_marks_of_few_and_many_blocks_at_once_or_in_turn(
    batches: int, many: int, seed: int, limits: Callable[[], AbstractContextManager[None]]
) -> None:
    """Of messages as rows and as runs: each is kept, and told if it was there before."""
    random = Random(seed)
    bits, seen = BlockBits(), Counter[tuple[int, int]]()
    firsts = [number * BLOCK for number in random.sample(range(3 * many), many)]
    lanes = random.choice(((0, 1, 65_535), (7,)))
    with limits():
        for _ in range(batches):
            if random.random() < 0.2:
                first = random.choice(firsts) + random.choice((0, 5, BLOCK - 3))
                chosen = np.zeros(random.choice((1, 9, BLOCK + 9)), np.bool_)
                chosen[[0, *random.choices(range(len(chosen)), k=5)]] = random.random() < 0.8
                lane = random.choice(lanes)
                run = {(first + place, lane) for place in np.flatnonzero(chosen).tolist()}
                assert bits.add_run(first, chosen, lane) == any(pair in seen for pair in run)
                seen.update(run)
            else:
                near = random.sample(firsts, random.randint(1, many))
                rows = [(first + random.randrange(9), random.choice(lanes)) for first in near]
                rows += random.choices(rows, k=random.choice((0, 0, 0, 2)))
                seen.update(rows)
                again = [row for row, pair in enumerate(rows) if seen[pair] > 1]
                told = bits.add(ints(uid for uid, _ in rows), ints(lane for _, lane in rows))
                assert sorted(told.tolist()) == again
        blocks = list(bits.blocks())
    uids = [
        (uid, block.lane)
        for block in blocks
        for uid in positions(block.number, block.bits).tolist()
    ]
    assert sorted(uids) == sorted(seen)
    assert sum(count_marks(block.bits) for block in blocks) == len(seen)
    of_seen = sorted({(uid // BLOCK, lane) for uid, lane in seen})
    assert [(block.number, block.lane) for block in blocks] == of_seen


@pytest.mark.parametrize("times", [2, 256, OFTEN])
def test_a_message_marked_very_often_in_one_batch(times: int) -> None:
    """No counter wraps to what one mark leaves, or to none, also if it holds a mark already."""
    bits = BlockBits()
    for _ in range(2):
        again = bits.add(np.full(times, 7), np.zeros(times, np.int64))
        assert again.tolist() == list(range(times))
    assert bits.add(ints([7, 8]), ints([0, 0])).tolist() == [0]


@pytest.mark.parametrize("rows", [0, 1, OFTEN, OFTEN + 1, 3 * OFTEN])
def test_chunks_are_even_and_have_no_more_rows_than_may_be_marked_at_once(rows: int) -> None:
    columns = {name: np.zeros(rows, np.int64) for name in ("session", "consumer", "sub")}
    cut = list(chunks(columns, Setting.of(spec_of(SmallHistory()))))
    sizes = [len(chunk) for chunk in cut]
    assert [chunk.member.tolist() for chunk in cut] == [[0] * size for size in sizes]
    assert sum(sizes) == rows
    assert len(sizes) == -(-rows // OFTEN)
    assert max(sizes, default=0) - min(sizes, default=0) <= 1


def test_rows_are_put_in_order_unless_they_are() -> None:
    expected = [(0, 0), (0, 1), (1, 0), (1, 4), (2, 2)]
    for rows in permutations(expected):
        session, ridx = zip(*rows, strict=True)
        columns = {"session": ints(session), "ridx": ints(ridx)}
        ordered = sorted_rows(columns)
        assert [*zip(ordered["session"], ordered["ridx"], strict=True)] == expected
        assert (ordered is columns) == (list(rows) == expected)


def received(session: int, places: Sequence[int]) -> list[DeliveryRow]:
    return [DeliveryRow(session, ridx, 0, 0, ridx, t_enter=ridx, t_exit=ridx) for ridx in places]


ONE, OTHER = received(0, (0, 1, 2, 5)), received(7, (0, 3))


@pytest.mark.parametrize(
    ("batches", "refused"),
    [
        ([ONE[:2], OTHER, ONE[2:]], None),
        ([ONE[:1], ONE[1:2], ONE[2:]], None),
        ([ONE[:1], ONE[:1]], "row 0 of session 0 comes after row 0"),
        ([[*ONE, *OTHER[:1]], OTHER[1:], ONE[3:]], "row 5 of session 0 comes after row 5"),
        ([ONE[:3], ONE[1:]], "row 1 of session 0 comes after row 2"),
    ],
)
def test_a_row_after_a_later_one_of_its_session_is_refused(
    batches: list[list[DeliveryRow]], refused: str | None
) -> None:
    *before, last = [deliveries_of(SmallHistory((), tuple(batch))) for batch in batches]
    scan = SessionScan(spec_of(SmallHistory()))
    for batch in before:
        scan.feed(batch)
    if refused is None:
        scan.feed(last)
        assert scan.partials().counted == sum(map(len, batches))
    else:
        with pytest.raises(OutOfOrderError, match=f"^{refused}$"):
            scan.feed(last)


MANY = Random(1).sample(range(2 * SENDS), SENDS)
APART = range(0, SENDS << 17, 1 << 17)
"""In different blocks, with gaps too large for a run."""


@pytest.mark.parametrize("uids", [MANY, sorted(MANY), APART, [3, 2, 1], [1, 2, 3], [0, 1, 9000]])
def test_a_message_that_is_sent_twice_is_told_of(uids: Sequence[int]) -> None:
    """However the sends come; and no other message is."""
    beyond = 1 << 40
    for before, last, refused in (
        ([], uids, None),
        (uids[:2], uids[2:], None),
        ([], [*uids, uids[-1]], (min(uids), max(uids))),
        (uids, uids[:1], (uids[0], uids[0])),
        (uids, [beyond, uids[1]], (uids[1], beyond)),
    ):
        scan = SendScan(spec_of(SmallHistory()))
        scan.feed(sends_of(SmallHistory(tuple(map(SendRow, before)))))
        sends = sends_of(SmallHistory(tuple(map(SendRow, last))))
        if refused is None:
            scan.feed(sends)
            assert scan.partials().rows == len(uids)
        else:
            told = f"^a message of {refused[0]} to {refused[1]} is sent twice$"
            with pytest.raises(SentTwiceError, match=told):
                scan.feed(sends)
