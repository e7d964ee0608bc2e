"""What the reduction of blocks says of sends that two scans have seen, which no history has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from jms_histories.kernels.screening.block_bits import BLOCK, Block, BlockBits
from jms_histories.kernels.screening.reduction import merge_reduced, reduce
from jms_histories.kernels.screening.send_scan import SENT, SentTwiceError, owed_lane

FIRST = 3 * BLOCK
"""The first message of a block."""


def sends(*messages: int, lanes: Sequence[int] = (SENT,)) -> list[Block]:
    """What a scan of these sends hands on."""
    bits = BlockBits()
    for lane in lanes:
        bits.add(np.array(messages), np.full(len(messages), lane, np.int64))
    return list(bits.blocks())


@pytest.mark.parametrize(
    ("first", "other", "told"),
    [
        ((0, 5, 6), (1, 5, 7), 5),
        ((8, 2), (2, 3, 8), 2),
        ((9,), (9,), 9),
    ],
)
def test_of_sends_in_two_scans_the_first_is_told(
    first: Sequence[int], other: Sequence[int], told: int
) -> None:
    scans = (sends(*(FIRST + place for place in scan)) for scan in (first, other))
    with pytest.raises(SentTwiceError, match=f"^message {FIRST + told} is sent twice"):
        reduce([block for scan in scans for block in scan], [], [])


def test_what_two_scans_have_of_one_block_is_put_together() -> None:
    lanes = SENT, owed_lane(0)
    scans = sends(FIRST, FIRST + 2, lanes=lanes), sends(FIRST + 1, lanes=lanes)
    reduced = reduce([block for scan in scans for block in scan], [], [])
    assert reduced.suspects.tolist() == [FIRST, FIRST + 1, FIRST + 2]  # owed, and not delivered


def test_of_no_blocks_nothing_is_known() -> None:
    for nothing in (reduce([], [], []), merge_reduced([])):
        assert nothing.suspects.tolist() == []
        assert not nothing.owed
        assert not nothing.delivered
