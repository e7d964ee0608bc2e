"""Which statements of a document say when messages come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from jms_model.times.sent import (
    DURABLE,
    OUTLETS,
    QUEUE,
    SIMPLE_SHARED,
    TOPIC,
)


@dataclass(frozen=True, slots=True)
class Statements:
    """Those of a document: none where it is silent."""

    early: Mapping[str, Sequence[str]]
    """By what messages come out of: none comes before its time."""
    expired: Sequence[str]
    """None comes when its time is over."""
    at_once: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What ignores delays."""
    applies: Sequence[str] = ()
    """The delay of a producer is that of all its later sends."""
    ignored: Sequence[str] = ()
    """A time to live is not simply ignored."""
    delay_in_transaction: Sequence[str] = ()
    lives_in_transaction: Sequence[str] = ()
    """In a transaction time runs from the send."""
    later: Sequence[str] = ()
    """A subscription that was made after the send does not get the message."""
    browsed: Sequence[str] = ()
    """A browser does not show what is not due."""
    order: Sequence[str] = ()
    """What is due first may come first."""
    delivery_time: Sequence[str] = ()
    delivery_time_received: Sequence[str] = ()
    expiration: Sequence[str] = ()
    expiration_received: Sequence[str] = ()
    lasting: Sequence[str] = ()
    """What has no time to live has no expiration, and comes however late it is received."""


JMS: Final = Statements(
    early=dict.fromkeys(OUTLETS, ("JMS-DLY-003",)),
    expired=("JMS-EXP-001",),
    applies=("JMS-DLY-006",),
    ignored=("JMS-EXP-002",),
    delay_in_transaction=("JMS-DLY-004",),
    lives_in_transaction=("JMS-EXP-006",),
    later=("JMS-DLY-005",),
    browsed=("JMS-BRW-004",),
    order=("JMS-ORD-006",),
    delivery_time=("JMS-DLY-001",),
    delivery_time_received=("JMS-DLY-002",),
    expiration=("JMS-EXP-003",),
    expiration_received=("JMS-EXP-004",),
    lasting=("JMS-EXP-005",),
)
STARLIGHT: Final = Statements(
    early={QUEUE: ("SLJ-DLY-006",), SIMPLE_SHARED: ("SLJ-DLY-004",)},
    at_once={TOPIC: ("SLJ-DLY-001",), DURABLE: ("SLJ-DLY-001",)},
    expired=("SLJ-EXP-002",),
)
