"""When a message may be delivered, and how the broker learns it."""

from __future__ import annotations

from jmsapi.errors import JMSException
from pulsar_jms.implements import implements

_LAST = (1 << 63) - 1
"""The last instant that JMSDeliveryTime can hold, a Java long."""
_TICK = 1000
"""Milliseconds by which a broker with default settings may be early."""


@implements("SLJ-DLY-007", "JMS-DLY-001", "JMS-DLY-004")
def delivery_time_of(sent_at: int, delay: int) -> int:
    """JMSDeliveryTime: the time of sending plus the delay; milliseconds.

    `JMSException` where that lies beyond what JMSDeliveryTime can hold.
    """
    if sent_at + delay > _LAST:
        raise JMSException(
            f"delivery_delay {delay!r} ends after the last instant that JMSDeliveryTime can hold"
        )
    return sent_at + delay


@implements("SLJ-DLY-001", "SLJ-DLY-004", "SLJ-DLY-006", "JMS-DLY-003")
def deliver_at(delivery_time: int, delay: int) -> int | None:
    """What the broker gets: the delivery time of a delayed message, else nothing.

    The broker heeds it on Shared and Key_Shared subscriptions; on others it delivers at once.
    """
    return delivery_time if delay > 0 else None


@implements("SLJ-DLY-004", "SLJ-DLY-006", "JMS-DLY-003")
def time_until_delivery(delivery_time: int, sent_at: int, now: int) -> int:
    """How long before its delivery time a delivered message is here.

    Instants and result in milliseconds; 0 for a message without a delay. More than one broker tick
    early means that our clock and the sender's differ: the broker's is trusted then.
    """
    left = delivery_time - now
    return left if delivery_time > sent_at and 0 < left <= _TICK else 0
