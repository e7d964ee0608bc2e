"""The numbers that stand for names in the columns of a history, and how a message is numbered.

Everything in a history is an integer or a bit: names live in the manifest. -1 means none.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

NONE: Final = -1
"""No such time, key, transaction, subscription, count …, in every column."""

NO_SUBSCRIPTION: Final = -(1 << 31)
"""The subscription of a finding that concerns none; -1-k is the dead-letter queue of k."""

SEQUENCE_BITS: Final = 40
BLOCK_BITS: Final = 16


def uid(producer: int, sequence: int) -> int:
    """The number of a message: producer 1..2^22 of the run, sequence 0.. of that producer."""
    return producer << SEQUENCE_BITS | sequence


class SendFate(IntEnum):
    """What became of a send, its transaction included: column fate of the sends."""

    NEVER = 0
    """Refused, or rolled back."""
    MAYBE = 1
    """The outcome of the send or of the commit is not known."""
    MUST = 2
    """Sent, and committed if it was transacted."""


class Settle(IntEnum):
    """How a delivery was settled by its session: column settle of the deliveries."""

    NONE = 0
    ACK = 1
    """AUTO_ACKNOWLEDGE, an individual acknowledgement, or the commit of its transaction."""
    CLIENT_ACK = 2
    """acknowledge() of CLIENT_ACKNOWLEDGE: of every message of the session until then."""
    NACK = 3
    """A negative acknowledgement; also a listener that threw."""
    ROLLBACK = 4
    RECOVER = 5
    LAZY = 6
    """DUPS_OK_ACKNOWLEDGE: finished, but a repeat is allowed."""


class SettlementOutcome(IntEnum):
    """What is known of a settlement: column s_out of the deliveries, outcome of transactions."""

    OK = 0
    FAIL = 1
    INFO = 2
    """Not known: the call did not return, or said so."""
    NONE = 3
    """There was none."""


class Mode(IntEnum):
    """JMSDeliveryMode, by its numbers."""

    NON_PERSISTENT = 1
    PERSISTENT = 2


class Ordering(IntEnum):
    """Within what a subscription promises order: column ordering of the subscriptions."""

    NONE = 0
    PRODUCER = 1
    """Messages of one producer, priority and mode."""
    KEY = 2
    """The same, of one key: partitioned and key-shared topics."""


class Intact(IntEnum):
    """Bits of column intact of the deliveries."""

    DESCRIPTION = 1
    """The message's description of itself could be read."""
    BODY = 2
    """The body has the digest that the description names."""
    HEADERS = 4
    """So have the headers and properties that were set."""


INTACT: Final = Intact.DESCRIPTION | Intact.BODY | Intact.HEADERS


class Event(IntEnum):
    """What happened to a session or to the whole run: column event of the sessions.

    arg is the consumer for CONSUMER_*, the kind of fault for FAULT_*. A fault's session is -1.
    """

    START = 0
    """connection.start() is called."""
    STOP = 1
    """connection.stop() has returned."""
    RECOVER = 2
    """session.recover() is called."""
    CLOSE = 3
    """session.close() is called."""
    CONSUMER_OPEN = 4
    """A consumer is about to open; and once more when it has opened."""
    CONSUMER_CLOSE = 5
    """A consumer is about to close; and once more when it has closed."""
    FAULT_BEGIN = 6
    FAULT_END = 7
    KILLED = 8
    """The session's process was killed."""


class FaultKind(IntEnum):
    """Kinds of faults: arg of FAULT_BEGIN and FAULT_END."""

    BROKER_RESTART = 0
    """The broker is killed and started again."""
    CUT = 1
    """Connections are cut."""
    CONSUMER_CRASH = 2
    """A process with consumers is killed."""
    LOST_RECORD = 3
    """A host crashed, or a file was damaged: from here on a part of the record is missing."""


def name_of(kind: type[IntEnum], number: int) -> str | int:
    """The name that a number stands for; the number where it stands for none."""
    return kind(number).name if number in list(kind) else number
