"""What is done with a received message shows in what is delivered again: that is noticed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from drawn.reference_alone import driver
from pulsar_jms.messages import PulsarBytesMessage, PulsarMapMessage, decode
from sample_messages import QUEUE, sent
from touchstone.drawn.coming_again import COMING_AGAIN, COMING_ONES
from touchstone.drawn.driving import Driver
from touchstone.drawn.hunting import Hunt
from touchstone.drawn.producer_drawing import programs_about
from touchstone.drawn.program import Program, Step

KINDS = ("message", "text", "object", "map", "stream", "bytes")
STATEMENT = "JMS-REDL-014"


class Broker:
    """Keeps what was sent last, as it travels, and delivers it as often as it is asked for."""

    def trip(self, message: Any) -> Any:
        """It is sent, and comes."""
        self.kept = sent(message)
        self.latest = decode(self.kept, QUEUE)
        return self.latest

    def again(self, _: Any) -> Any:
        """It comes once more."""
        self.latest = decode(self.kept, QUEUE)
        return self.latest


class SameObject(Broker):
    """What comes again is what the consumer has in hand."""

    def again(self, message: Any) -> Any:
        return self.latest


class GoesOnReading(Broker):
    """Of a bytes message reading goes on where it had come to."""

    def again(self, message: Any) -> Any:
        before: Any = self.latest
        after = super().again(message)
        if isinstance(after, PulsarBytesMessage) and before.body_read_only:
            after._at = before._at
        return after


class ForgetsEntries(Broker):
    """Of a map nothing comes again once it was read."""

    def again(self, message: Any) -> Any:
        after = super().again(message)
        if isinstance(after, PulsarMapMessage):
            after.clear_body()
        return after


def hunted(broker: Broker, kinds: Sequence[str] = KINDS) -> Hunt:
    runs = Driver(driver().session, broker.trip, again=broker.again)
    hunt = Hunt(runs, frozenset([STATEMENT]))
    hunt.draw(programs_about(COMING_AGAIN, kinds), COMING_ONES, 0)
    return hunt


def test_the_reference_agrees_and_the_statement_is_decided() -> None:
    hunt = hunted(Broker())
    assert [str(each) for each in hunt.found.values()] == []
    assert hunt.driver.decided[STATEMENT]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_object_is_noticed_of_each_kind(kind: str) -> None:
    assert hunted(SameObject(), (kind,)).against(STATEMENT)


@pytest.mark.parametrize("wrong", [GoesOnReading, ForgetsEntries])
def test_a_body_that_is_not_the_original_is_noticed(wrong: type[Broker]) -> None:
    [against, *_] = hunted(wrong()).against(STATEMENT)
    assert len(against.program.steps) <= 8


def test_a_program_says_what_is_given_back() -> None:
    steps = [Step(0, "send"), Step(1, "delivered_again"), Step(2, "get_text")]
    assert str(Program("text", steps)) == (
        "m0 is a new text message; m0 is sent and received; "
        "m1 is given back and received again; m2.text"
    )
