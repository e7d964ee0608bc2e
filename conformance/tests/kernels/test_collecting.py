"""Findings beyond the cap: counted all, kept by what decides and then by size, in any order."""

from __future__ import annotations

import numpy as np

from jms_histories.columns import Findings, Ints
from jms_histories.kernels.collecting import CAP, Collector
from jms_histories.kernels.links.merging import merge_findings, restricted


def collected(uids: Ints, shoulds: Ints, check: str = "D05") -> Findings:
    collector = Collector()
    collector.judged(check, 2 * len(uids))
    should = np.isin(uids, shoulds)
    for part in np.array_split(np.arange(len(uids)), 3):
        collector.add(check, uids[part], 0, uids[part] * 2, uids[part] * 3, should[part])
    return collector.findings()


def test_a_thousand_are_kept() -> None:
    """As docs/volume.md says, of each check."""
    uids = np.arange(1_001, dtype=np.int64)
    assert collected(uids[::-1], uids[:0]).rows["uid"].tolist() == list(range(1_000))


def test_as_many_as_are_kept_beside_some_that_are_not() -> None:
    uids = np.arange(CAP + 3, dtype=np.int64)
    uids_kept = collected(uids, uids[3:])
    assert uids_kept.rows["uid"].tolist() == list(range(CAP))
    assert uids_kept.rows["should"].tolist() == [False] * 3 + [True] * (CAP - 3)


def test_what_decides_is_kept_before_what_does_not() -> None:
    uids = np.arange(2 * CAP, dtype=np.int64)
    decisive = np.array([1500, 1999, 1777])
    uids_kept = collected(uids[::-1], np.setdiff1d(uids, decisive))
    assert uids_kept.rows["uid"].tolist() == [1500, 1777, 1999, *range(CAP - 3)]
    assert uids_kept.rows["a"].tolist()[:3] == [3000, 3554, 3998]
    assert uids_kept.counts == {"D05": 3}
    assert uids_kept.shoulds == {"D05": 2 * CAP - 3}
    assert uids_kept.power == {"D05": 4 * CAP}


def test_the_cap_is_the_same_however_findings_were_gathered() -> None:
    random = np.random.default_rng(4)
    uids = random.permutation(5 * CAP).astype(np.int64)
    shoulds = uids[: 4 * CAP + 500]
    whole = collected(uids, shoulds)
    parts = [collected(part, shoulds) for part in np.array_split(random.permutation(uids), 7)]
    merged = merge_findings([merge_findings(parts[4:]), *parts[:4]])
    assert len(whole.rows["uid"]) == CAP
    for name, values in whole.rows.items():
        assert values.tolist() == merged.rows[name].tolist()
    assert (merged.counts, merged.shoulds) == ({"D05": 500}, {"D05": 4 * CAP + 500})
    assert merged.power == whole.power


def test_a_check_that_was_looked_at_is_told_without_findings() -> None:
    none = np.zeros(0, np.int64)
    both = merge_findings([collected(none, none, "D01"), collected(np.arange(2), none, "D09")])
    assert both.power == {"D01": 0, "D09": 4}
    assert both.counts == {"D01": 0, "D09": 2}
    only = restricted(both, ["D01"])
    assert (only.power, only.counts, len(only.rows["uid"])) == ({"D01": 0}, {"D01": 0}, 0)
