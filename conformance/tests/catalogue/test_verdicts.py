"""The lattice of verdicts, exit statuses, version ranges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.catalogue.versions import VersionRange
from touchstone.verdicts import ExitStatus, Strength, Verdict, exit_status, severest, worst

verdicts = st.sampled_from(Verdict)


def test_the_verdicts_are_a_chain_worst_first() -> None:
    assert [verdict.name for verdict in Verdict] == [
        "VIOLATES",
        "INCONCLUSIVE",
        "DEVIATES",
        "CONFORMS",
        "NOT_APPLICABLE",
    ]


@given(st.lists(verdicts, min_size=1))
def test_the_worst_is_the_first_of_the_chain_that_occurs(seen: list[Verdict]) -> None:
    assert worst(seen) == next(verdict for verdict in Verdict if verdict in seen)


def test_nothing_judged_is_inconclusive() -> None:
    assert worst([]) is Verdict.INCONCLUSIVE


@given(st.lists(st.tuples(verdicts, st.sampled_from(Strength))), st.booleans(), st.booleans())
def test_exit_status(seen: list[tuple[Verdict, Strength]], strict: bool, allowed: bool) -> None:
    status = exit_status(seen, strict_should=strict, allow_inconclusive=allowed)
    violated = any(v is Verdict.VIOLATES and (s is not Strength.SHOULD or strict) for v, s in seen)
    silent = {Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE}
    nothing = all(v in silent for v, _ in seen)
    open_ = nothing or (any(v is Verdict.INCONCLUSIVE for v, _ in seen) and not allowed)
    assert (status is ExitStatus.UNEXPECTED) == violated
    assert (status is ExitStatus.COULD_NOT_JUDGE) == (open_ and not violated)


def test_the_severest_status_is_a_fault_and_of_none_nothing_was_judged() -> None:
    left = list(ExitStatus)
    for status in (3, 1, 2, 0):
        assert severest(left) == status
        left.remove(ExitStatus(status))
    assert severest([]) is ExitStatus.COULD_NOT_JUDGE


def test_a_stale_deviation_is_unexpected() -> None:
    assert exit_status([], stale_deviations=1) is ExitStatus.UNEXPECTED


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("", "1", None),
        (">=9,<10", "9.0.0", "10.0"),
        ("==7.0.15", "7.0.15", "7.0.16"),
        ("!=4.0.7", "4.0.8", "4.0.7.0"),
        (">4.0", "4.0.1-SNAPSHOT", "4"),
        ("<= 2", "2.0.0", "2.0.1"),
    ],
)
def test_version_ranges(text: str, inside: str, outside: str | None) -> None:
    assert VersionRange(text).holds(inside)
    assert outside is None or not VersionRange(text).holds(outside)


def test_a_malformed_range_is_refused() -> None:
    with pytest.raises(ValueError, match="'9' is no bound"):
        VersionRange("9")
