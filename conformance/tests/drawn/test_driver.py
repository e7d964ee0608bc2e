"""Programs as data, and how they are run."""

from __future__ import annotations

from drawn.reference_alone import driver
from jms_model.answers import Gave
from jmsapi import Int
from touchstone.drawn.driving import Driver
from touchstone.drawn.program import SEND, Program, Step, without

SENT_TWICE = Program(
    "map",
    [
        Step(0, "set_int", ("k", Int(1))),
        Step(0, SEND),
        Step(1, "get_int", ("k",)),
        Step(1, SEND),
        Step(2, "get_int", ("k",)),
        Step(0, "get_int", ("k",)),
    ],
)


def test_a_step_is_left_out() -> None:
    assert str(without(SENT_TWICE, 2)) == (
        "m0 is a new map message; m0.set_int('k', Int(1)); m0 is sent and received; "
        "m1 is sent and received; m2.get_int('k'); m0.get_int('k')"
    )


def test_with_a_message_goes_what_was_done_with_it() -> None:
    """Without the first message that is sent there is no second one, which came of it."""
    shorter = without(SENT_TWICE, 1)
    assert str(shorter) == "m0 is a new map message; m0.set_int('k', Int(1)); m0.get_int('k')"


def test_the_next_message_takes_its_number() -> None:
    both = Program("text", [Step(0, SEND), Step(0, SEND), Step(1, "get_text"), Step(2, "get_text")])
    assert str(without(both, 0)) == ("m0 is a new text message; m0 is sent and received; m1.text")


def test_what_is_not_sent_any_more_is_left_out() -> None:
    runs = driver()
    runs.trips_left = 1
    assert list(runs.disagreements(SENT_TWICE)) == []
    assert runs.steps == 4  # set, sent once, and two reads
    assert runs.trips_left == 0


def test_a_message_that_does_not_come_is_a_disagreement() -> None:
    lost = Driver(driver().session, lambda message: None)
    [disagreement] = lost.disagreements(SENT_TWICE)
    assert disagreement.signature == "send raised DidNotCome"
    assert "JMS-BODY-001" in disagreement.ids
    assert len(disagreement.program.steps) == 2


def test_a_wrong_read_ends_no_program_and_a_wrong_write_does() -> None:
    class Wrong(Driver):
        def _call(self, message: object, step: Step) -> object:
            if step.method == "set_int":
                return super()._call(message, step)
            return Int(2)

    right = driver()
    disagreements = list(Wrong(right.session, right.trip).disagreements(SENT_TWICE))
    assert [each.answer for each in disagreements] == [Gave(Int(2))] * 3
    assert {str(each).split("\n")[0] for each in disagreements} == {
        "get_int of a map message of an entry of type int gave a int"
    }
