"""The decisions of fault rules, without any proxy."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jms_brokers.faults.rules import (
    CUT_AFTER,
    DROP,
    HOLD,
    PASS,
    Action,
    Direction,
    FaultTimeout,
    Frame,
    Rule,
    Rulebook,
    deciding,
)


def sent(sequence: int = 0, kind: str = "SEND") -> Frame:
    return Frame(Direction.TO_BROKER, kind, 1, 100, fields={"sequence_id": sequence})


def nowhere() -> None:
    raise AssertionError("forwarded")


frames = st.builds(
    Frame,
    direction=st.sampled_from(Direction),
    type=st.sampled_from(["SEND", "ACK", "PING"]),
    connection=st.integers(1, 3),
    size=st.integers(8, 100),
)
specs = st.builds(
    Rule,
    action=st.sampled_from([PASS, DROP, HOLD, CUT_AFTER]),
    types=st.frozensets(st.sampled_from(["SEND", "ACK", "PING"])),
    direction=st.none() | st.sampled_from(Direction),
    where=st.none() | st.just(lambda frame: frame.size > 50),
    times=st.none() | st.integers(0, 3),
)


@given(st.lists(specs, max_size=5), st.lists(frames, max_size=20))
def test_the_first_rule_that_fits_and_has_times_left_decides(
    rules: list[Rule], passing: list[Frame]
) -> None:
    book = Rulebook()
    armed = [book.add(rule) for rule in rules]
    left = [rule.times for rule in rules]
    for frame in passing:
        expected: Action = PASS
        for index, rule in enumerate(rules):
            times = left[index]
            if (
                times != 0
                and (not rule.types or frame.type in rule.types)
                and (rule.direction is None or rule.direction is frame.direction)
                and (rule.where is None or frame.size > 50)
            ):
                expected = rule.action
                left[index] = None if times is None else times - 1
                break
        assert book.decide(frame, nowhere) == expected
    assert book.seen() == tuple(passing)
    assert sum(each.hits for each in armed) <= len(passing)
    for each in armed:
        assert each.held == (each.frames if each.rule.action == HOLD else ())


def test_no_rule_decides_on_what_none_means() -> None:
    rules = [(Rule(DROP, frozenset({"ACK"})), 0), (Rule(DROP, times=2), 2)]
    assert deciding(rules, sent()) is None
    assert deciding([*rules, (Rule(DROP), 7)], sent()) == 2


def test_release_lets_held_frames_go_in_their_order_and_ends_the_rule() -> None:
    book = Rulebook()
    rule = book.add(Rule(HOLD))
    gone: list[int] = []

    def forward(sequence: int) -> Callable[[], None]:
        return lambda: gone.append(sequence)

    for sequence in range(4):
        book.decide(sent(sequence), forward(sequence))
    rule.release(1)
    assert gone == [0]
    assert [frame.fields["sequence_id"] for frame in rule.held] == [1, 2, 3]
    assert rule.armed
    rule.release()
    assert gone == [0, 1, 2, 3]
    assert not rule.armed
    assert book.decide(sent(4), nowhere) == PASS
    assert rule.hits == 4


def test_a_disarmed_rule_keeps_what_it_holds() -> None:
    book = Rulebook()
    rule = book.add(Rule(HOLD))
    book.decide(sent(), lambda: None)
    rule.disarm()
    assert book.decide(sent(1), nowhere) == PASS
    assert len(rule.held) == 1


def test_waiting_for_a_hit_returns_its_frame() -> None:
    book = Rulebook()
    rule = book.add(Rule(DROP, times=2))
    threading.Timer(0.02, lambda: [book.decide(sent(n), nowhere) for n in range(3)]).start()
    assert rule.wait_for_hit(5, hits=2) == sent(1)
    assert book.wait_for("SEND", timeout=5, count=3) == sent(2)


def test_waiting_in_vain_says_for_what() -> None:
    book = Rulebook()
    rule = book.add(Rule(DROP, frozenset({"SEND"}), Direction.TO_BROKER))
    with pytest.raises(FaultTimeout, match=r"Drop of SEND client->broker had 0 of 1 frames"):
        rule.wait_for_hit(0.01)
    with pytest.raises(FaultTimeout, match="PING"):
        book.wait_for("PING", timeout=0.01)
