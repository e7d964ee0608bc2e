"""Programs with producers as data, and how they are run."""

from __future__ import annotations

from drawn.reference_alone import OutletAlone, driver_of_producers
from jms_model.headers import Name
from jmsapi import Message
from sample_messages import received
from touchstone.drawn.producer_driving import OTHER, OWN, ProducerDriver
from touchstone.drawn.program import (
    FOR_A_QUEUE,
    FOR_NONE,
    OF_A_CONTEXT,
    PRODUCER,
    SEND,
    At,
    Program,
    Step,
    without,
)

TWICE = Program(
    "text",
    [
        Step(PRODUCER, "set_priority", (7,)),
        Step(PRODUCER, SEND, (At(0), None, None)),
        Step(1, "get_jms_priority"),
        Step(PRODUCER, SEND, (At(1), None, (1, 2, 0))),
        Step(2, "get_jms_priority"),
        Step(0, "get_jms_priority"),
    ],
    FOR_A_QUEUE,
)


class Silent(OutletAlone):
    """Nothing comes."""

    def received(self) -> Message | None:
        """Nothing."""
        return None


def test_a_program_says_what_its_producer_does() -> None:
    assert str(TWICE) == (
        "m0 is a new text message, producer is a producer for a queue; producer.set_priority(7); "
        "producer.send(m0, None, None); m1.jms_priority; producer.send(m1, None, (1, 2, 0)); "
        "m2.jms_priority; m0.jms_priority"
    )


def test_with_a_message_goes_the_send_of_it() -> None:
    shorter = without(TWICE, 1)
    assert [str(step) for step in shorter.steps] == ["producer.set_priority(7)", "m0.jms_priority"]


def test_a_message_that_is_sent_takes_the_next_number() -> None:
    first, second = Step(PRODUCER, SEND, (At(0), None, None)), Step(PRODUCER, SEND, (At(2),))
    program = Program("text", [first, first, second, Step(3, "get_text")], FOR_A_QUEUE)
    steps = without(program, 0).steps
    assert [str(step) for step in steps[1:]] == ["producer.send(m1)", "m2.text"]


def test_what_is_permitted_is_decided() -> None:
    runs = driver_of_producers()
    assert list(runs.disagreements(TWICE)) == []
    assert runs.steps == len(TWICE.steps)
    assert runs.decided["JMS-PROD-003"] == 1  # of the plain send
    assert runs.decided["JMS-HDR-021"] == 1  # of the sender's own


def test_a_message_that_does_not_come_is_a_disagreement_of_its_send() -> None:
    outlet = Silent()
    runs = ProducerDriver(outlet.session, received, outlet=outlet)  # type: ignore[arg-type]
    [disagreement] = runs.disagreements(TWICE)
    assert disagreement.signature == "send of a producer for a destination raised DidNotCome"
    assert len(disagreement.program.steps) == 2


def test_a_send_for_which_there_is_no_trip_is_left_out() -> None:
    runs = driver_of_producers()
    runs.trips_left = 0
    assert list(runs.disagreements(TWICE)) == []
    assert runs.steps == 2  # the setter, and the read of the first message


def test_each_refusal_is_decided_by_its_statement() -> None:
    refused = {
        "JMS-PROD-001": (FOR_NONE, (At(0), None, None)),
        "JMS-PROD-002": (FOR_A_QUEUE, (At(0), OTHER, None)),
        "API-PROD-009": (FOR_NONE, (At(0), OWN, (3, 4, 0))),
        "API-PROD-010": (FOR_A_QUEUE, (At(0), None, (2, 10, 0))),
        "API-PROD-011": (FOR_A_QUEUE, (None, None, None)),
        "API-JPROD-038": (OF_A_CONTEXT, (None, "a text")),
    }
    for id_, (producer, args) in refused.items():
        runs = driver_of_producers()
        assert (
            list(runs.disagreements(Program("text", [Step(PRODUCER, SEND, args)], producer))) == []
        )
        assert runs.decided == {id_: 1}


def test_for_two_reasons_a_send_may_be_refused_in_either_way() -> None:
    runs = driver_of_producers()
    step = Step(PRODUCER, SEND, (None, Name("queue", "other"), None))
    assert list(runs.disagreements(Program("text", [step], FOR_A_QUEUE))) == []
    assert not runs.decided


def test_a_client_without_delays_is_given_none() -> None:
    steps = [Step(PRODUCER, "set_delivery_delay", (delay,)) for delay in (0, 20)]
    program = Program("text", [*steps, Step(PRODUCER, "get_delivery_delay")], FOR_A_QUEUE)
    runs = driver_of_producers()
    runs.delays = False
    assert list(runs.disagreements(program)) == []  # both have left it at 0
    assert runs.steps == 2
