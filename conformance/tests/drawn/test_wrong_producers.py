"""Wrong producers are noticed by drawn programs, by the statement that they break."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from drawn.reference_alone import OutletAlone, is_known
from jms_scenarios.core.producers.test_drawn_programs import SENT
from jmsapi import Message
from sample_messages import received
from touchstone.drawn.hunting import Hunt
from touchstone.drawn.message_judging import PROGRAMS
from touchstone.drawn.producer_drawing import programs_about
from touchstone.drawn.producer_driving import ProducerDriver
from touchstone.drawn.program import PRODUCER, SEND, At, Step

pytestmark = pytest.mark.thorough

Call = Callable[[Step], object]
Wrong = Callable[["WrongDriver", Any, Step, Call], object]
"""What a wrong client makes of a call on a producer or a message."""
KINDS = ("text", "map", "object")
SIMPLIFIED, CLASSIC = "JMSProducers", "producers"


@dataclass
class WrongDriver(ProducerDriver):
    """Runs programs on a client that is wrong in one thing."""

    wrong: Wrong | None = None

    def _call(self, message: Any, step: Step) -> object:
        assert self.wrong is not None
        call = super()._call
        return self.wrong(self, message, step, lambda changed: call(message, changed))

    def _call_producer(self, producer: Any, step: Step) -> object:
        assert self.wrong is not None
        call = super()._call_producer
        return self.wrong(self, producer, step, lambda changed: call(producer, changed))

    def sent_message(self, step: Step) -> Any:
        """The client's message that a step sends; None: it sends none."""
        if self._run is None or not is_send(step):
            return None
        numbers = [arg.number for arg in step.args if isinstance(arg, At)]
        return self._run.message(numbers[0])[0] if numbers else None

    @property
    def waits(self) -> bool:
        """Whether what was sent was not received yet."""
        return self._run is not None and self._run.waiting is not None


def is_send(step: Step) -> bool:
    return step.on == PRODUCER and step.method == SEND


def is_received(message: Any) -> bool:
    return isinstance(message, Message) and getattr(message, "incoming", None) is not None


def with_args(step: Step, *args: Any) -> Step:
    return replace(step, args=args)


def priority_of_a_send_stays(_: WrongDriver, producer: Any, step: Step, call: Call) -> object:
    """A send that is given a priority sets that of the producer."""
    answer = call(step)
    if is_send(step) and step.args[2] is not None:
        producer.priority = step.args[2][1]
    return answer


def second_setter_is_lost(_: WrongDriver, producer: Any, step: Step, call: Call) -> object:
    """After a priority was refused none is taken any more."""
    if step.on == PRODUCER and step.method == "set_priority":
        is_right = 0 <= step.args[0] <= 9
        if getattr(producer, "has_refused", False) and is_right:
            return None
        producer.has_refused = not is_right
    return call(step)


def own_time_to_live_wins(_: WrongDriver, producer: Any, step: Step, call: Call) -> object:
    """The time to live that the producer has is that of each send."""
    if is_send(step) and step.args[2] is not None and producer.time_to_live:
        message, destination, options = step.args
        step = with_args(step, message, destination, (*options[:2], producer.time_to_live))
    return call(step)


def timestamp_in_seconds(_: WrongDriver, on: Any, step: Step, call: Call) -> object:
    """The timestamp has no milliseconds."""
    answer: Any = call(step)
    return answer // 1000 * 1000 if step.method == "get_jms_timestamp" else answer


def null_body_is_empty(_: WrongDriver, on: Any, step: Step, call: Call) -> object:
    """A null body is sent as an empty text."""
    if is_send(step) and step.args[1] is None:
        step = with_args(step, step.args[0], "")
    return call(step)


def property_of_the_message_wins(
    driver: WrongDriver, producer: Any, step: Step, call: Call
) -> object:
    """What a message has the producer does not set."""
    message = driver.sent_message(step)
    if message is None or is_received(message):
        return call(step)
    names = [name for name in message.property_names() if producer.property_exists(name)]
    kept = {name: producer.get_object_property(name) for name in names}
    for name in names:
        producer.set_property(name, message.get_object_property(name))
    try:
        return call(step)
    finally:
        for name, value in kept.items():
            producer.set_property(name, value)


def clearing_takes_the_type(_: WrongDriver, producer: Any, step: Step, call: Call) -> object:
    """clearProperties() takes the type away, too."""
    if step.on == PRODUCER and step.method == "clear_properties":
        producer.set_jms_type(None)
    return call(step)


def id_of_an_object_stays(driver: WrongDriver, _: Any, step: Step, call: Call) -> object:
    """A message that is sent again keeps its id."""
    message = driver.sent_message(step)
    if message is not None and message.jms_message_id is not None:
        message.jms_message_id = message.jms_message_id  # the reference sends what was set
    return call(step)


def correlation_bytes_are_ascii(_: WrongDriver, message: Any, step: Step, call: Call) -> object:
    """Of the bytes of a correlation id those of a text arrive."""
    answer: Any = call(step)
    if step.method == "get_jms_correlation_id_as_bytes" and answer and is_received(message):
        return bytes(answer).decode("ascii", "replace").encode()
    return answer


def each_is_persistent(_: WrongDriver, message: Any, step: Step, call: Call) -> object:
    """The delivery mode is that of the client's configuration."""
    answer = call(step)
    return 2 if step.method == "get_jms_delivery_mode" and is_received(message) else answer


def sender_is_not_told(driver: WrongDriver, _: Any, step: Step, call: Call) -> object:
    """The sender's message keeps the priority that it had."""
    message = driver.sent_message(step)
    before = None if message is None else message.jms_priority
    answer = call(step)
    if message is not None:
        message.jms_priority = before
    return answer


def destination_is_remembered(_: WrongDriver, producer: Any, step: Step, call: Call) -> object:
    """A producer without a destination takes that of the send before."""
    if is_send(step) and producer.destination is None:
        message, destination, options = step.args
        if destination is None:
            step = with_args(step, message, getattr(producer, "latest", None), options)
        producer.latest = destination
    return call(step)


def later_text_is_sent(driver: WrongDriver, message: Any, step: Step, call: Call) -> object:
    """A text message that is changed while it is on its way arrives so."""
    answer = call(step)
    if step.method == "set_text" and not is_received(message) and driver.waits:
        assert isinstance(driver.outlet, OutletAlone)
        sent, text = driver.outlet.session.sent, step.args[0]
        sent[-1] = sent[-1]._replace(payload=(text or "").encode(), null_value=text is None)
    return answer


def setters_give_nothing(_: WrongDriver, on: Any, step: Step, call: Call) -> object:
    """setTimeToLive gives null."""
    answer = call(step)
    return None if step.on == PRODUCER and step.method == "set_time_to_live" else answer


def closed_is_open(_: WrongDriver, producer: Any, step: Step, call: Call) -> object:
    """A producer that is closed takes settings."""
    if step.on == PRODUCER and step.method == "close":
        producer.is_over = True
    is_over = getattr(producer, "is_over", False)
    return None if is_over and step.method == "set_time_to_live" else call(step)


WRONG: dict[Wrong, tuple[str, str]] = {
    priority_of_a_send_stays: (CLASSIC, "JMS-PROD-004"),
    second_setter_is_lost: (CLASSIC, "API-PROD-004"),
    own_time_to_live_wins: (CLASSIC, "JMS-PROD-004"),
    timestamp_in_seconds: (CLASSIC, "JMS-HDR-010"),
    null_body_is_empty: (SIMPLIFIED, "JMS-CTX-006"),
    property_of_the_message_wins: (SIMPLIFIED, "JMS-CTX-007"),
    clearing_takes_the_type: (SIMPLIFIED, "API-JPROD-021"),
    id_of_an_object_stays: (CLASSIC, "JMS-HDR-026"),
    correlation_bytes_are_ascii: (CLASSIC, "JMS-HDR-014"),
    each_is_persistent: (CLASSIC, "JMS-HDR-004"),
    sender_is_not_told: (CLASSIC, "JMS-HDR-021"),
    destination_is_remembered: (CLASSIC, "JMS-PROD-001"),
    later_text_is_sent: (CLASSIC, "JMS-HDR-025"),
    setters_give_nothing: (SIMPLIFIED, "JMS-CTX-009"),
    closed_is_open: (CLASSIC, "API-PROD-014"),
}
"""Each with what programs are about, and the statement that it breaks."""


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_it_is_noticed(wrong: Wrong) -> None:
    subject, id_ = WRONG[wrong]
    outlet = OutletAlone()
    driver = WrongDriver(outlet.session, received, outlet=outlet, wrong=wrong)  # type: ignore[arg-type]
    hunt = Hunt(driver, frozenset([id_]), is_known)
    for seed in (0, 1):  # as many as in a run
        hunt.draw(programs_about(subject, KINDS), PROGRAMS, seed)
    assert [len(each.program.steps) <= 8 for each in hunt.against(id_)[:1]] == [True]


def test_nobody_else_is_accused() -> None:
    """Of a sender's message one field is wrong: what arrives, and the producer, stay in peace."""
    outlet = OutletAlone()
    wrong = sender_is_not_told
    driver = WrongDriver(outlet.session, received, outlet=outlet, wrong=wrong)  # type: ignore[arg-type]
    hunt = Hunt(driver, frozenset(SENT) - {"JMS-HDR-003"}, is_known)
    hunt.draw(programs_about(CLASSIC, KINDS), PROGRAMS, 0)
    unknown = [each for each in hunt.found.values() if not is_known(each)]
    assert {id_ for each in unknown for id_ in each.ids} == {"JMS-HDR-021"}
