"""Header fields that the broker's administrator has the last word on."""

from jms_scenarios.moments import ROUNDING, now
from jms_scenarios.traffic import texts
from touchstone.api import broker, receive, requirement

HOUR = 3_600_000
"""Milliseconds: no message of the profile's brokers lives longer."""


@broker("limits")
@requirement("JMS-HDR-023")
def test_received_header_shows_the_time_to_live_in_force(jms, queue):
    """Sent to live for two hours where one is the most, a message tells that it lives for one."""
    consumer = jms.consumer(queue)
    before = now()
    jms.producer(queue).send(jms.text(), time_to_live=2 * HOUR)
    message = receive(consumer)
    after = now()
    assert texts([message]) == ["hello"]

    lives = [
        hours
        for hours in (1, 2)
        if before - ROUNDING <= message.jms_expiration - hours * HOUR <= after + ROUNDING
    ]
    assert lives == [1]
