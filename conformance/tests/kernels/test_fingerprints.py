"""Message ids that may occur twice: all that do, and hardly any other."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jms_histories.kernels.screening.fingerprints import (
    SLICES,
    Fingerprints,
    all_doubled,
    fingerprints,
)
from kernels.words import FEW, ints


@given(st.lists(st.lists(FEW, max_size=8), max_size=4))
def test_fingerprints_that_occur_twice(parts: list[list[int]]) -> None:
    """In one part or in several, whatever slice they are in."""
    scanned = []
    for part in parts:
        scanned.append(Fingerprints())
        for ids in (part[:3], part[3:]):
            scanned[-1].add(ints(ids))
    counted = Counter(
        fingerprint for part in parts for fingerprint in fingerprints(ints(part)).tolist()
    )
    twice = sorted(fingerprint for fingerprint, many in counted.items() if many > 1)
    assert all_doubled([scan.slices() for scan in scanned]).tolist() == twice


def test_different_message_ids_hardly_share_a_fingerprint() -> None:
    """Of a million ids in a row, and of a million at random, none or a few by chance."""
    for ids in (np.arange(1 << 20), np.random.default_rng(1).integers(0, 1 << 62, 1 << 20)):
        scanned = Fingerprints()
        scanned.add(ids)
        assert len(all_doubled([scanned.slices()])) < 10
        sizes = [len(part) for part in scanned.slices()]
        assert len(ids) / SLICES / 2 < min(sizes) <= max(sizes) < 2 * len(ids) / SLICES


def test_message_ids_that_differ_in_one_bit_have_different_fingerprints() -> None:
    for mid64 in (0, 1, -1, 0x123456789ABCDEF, -(1 << 63)):
        others = ints([mid64]) ^ (np.uint64(1) << np.arange(64, dtype=np.uint64)).view(np.int64)
        assert len(np.unique(fingerprints(np.append(others, mid64)))) == 65
