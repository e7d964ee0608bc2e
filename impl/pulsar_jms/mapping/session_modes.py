"""Session modes: when a delivered message is acknowledged, and what acknowledge() covers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from jmsapi.constants import SessionMode
from jmsapi.errors import JMSException
from pulsar_jms.implements import implements, implements_rows

INDIVIDUAL_ACKNOWLEDGE = 4
"""The vendor's fifth mode (PulsarJMSConstants)."""


class AcknowledgedAt(Enum):
    """What makes the client acknowledge."""

    DELIVERY = "the return of receive() or of the listener"
    DELIVERY_UNAWAITED = "the same, but nobody waits for the outcome and failures are logged"
    CALL = "acknowledge()"
    COMMIT = "commit()"


class Covers(Enum):
    """Which messages an acknowledge() covers."""

    NOTHING = "none: the mode acknowledges by itself"
    SO_FAR = "that message and all that the session received before it, from every consumer"
    ALL = "every message that the session received, from every consumer"
    ONE = "that message alone"


class ModeRow(NamedTuple):
    """One session mode."""

    at: AcknowledgedAt
    call_covers: Covers
    requirements: tuple[str, ...]
    vendor_name: str | None = None
    """Of a mode that JMS does not know."""
    reported: int | None = None
    """What a session says its mode is, where that is another number than it was made with."""


MODES: Mapping[int, ModeRow] = {
    SessionMode.SESSION_TRANSACTED: ModeRow(
        AcknowledgedAt.COMMIT, Covers.NOTHING, ("SLJ-ACK-001", "JMS-ACK-010")
    ),
    SessionMode.AUTO_ACKNOWLEDGE: ModeRow(
        AcknowledgedAt.DELIVERY,
        Covers.NOTHING,
        ("SLJ-ACK-001", "SLJ-ACK-002", "SLJ-ACK-003", "SLJ-ACK-004", "JMS-ACK-003", "JMS-REDL-008"),
    ),
    SessionMode.DUPS_OK_ACKNOWLEDGE: ModeRow(
        AcknowledgedAt.DELIVERY_UNAWAITED,
        Covers.NOTHING,
        ("SLJ-ACK-001", "SLJ-ACK-005", "SLJ-ACK-006", "SLJ-ACK-007", "SLJ-ACK-008", "JMS-ACK-005"),
    ),
    SessionMode.CLIENT_ACKNOWLEDGE: ModeRow(
        AcknowledgedAt.CALL,
        Covers.SO_FAR,
        ("SLJ-ACK-001", "SLJ-ACK-009", "SLJ-ACK-010", "SLJ-ACK-011", "SLJ-ACK-013"),
    ),
    INDIVIDUAL_ACKNOWLEDGE: ModeRow(
        AcknowledgedAt.CALL,
        Covers.ONE,
        ("SLJ-ACK-001", "SLJ-ACK-014", "SLJ-ACK-015", "SLJ-ACK-016", "SLJ-ACK-017"),
        vendor_name="INDIVIDUAL_ACKNOWLEDGE",
    ),
}
"""The five modes; any other number is refused."""

implements_rows(
    __name__,
    "MODES",
    [(f"mode {int(mode)}: by {row.at.value}", row.requirements) for mode, row in MODES.items()],
)


@implements("SLJ-ACK-001", "SLJ-ACK-016", "AMQ-ACK-002")
def check_mode(mode: int, modes: Mapping[int, ModeRow] = MODES) -> int:
    """`mode` if it is one of `modes`, else `JMSException`."""
    if mode not in modes:
        allowed = ", ".join(f"{mode_name(known, modes)} {int(known)}" for known in modes)
        raise JMSException(f"session mode {mode!r} is unknown: {allowed} are allowed")
    return int(mode)


def check_transacted(transacted: bool) -> bool:
    """`transacted` if it is true or false; `JMSException` for a mode in its place.

    In Java the first argument of createSession may also be the mode. Taken for true here, a mode
    would make a session whose messages nobody commits.
    """
    if not isinstance(transacted, bool):
        raise JMSException(
            f"transacted={transacted!r} is neither true nor false; a mode goes by name, as "
            "create_session(mode=SessionMode.CLIENT_ACKNOWLEDGE)"
        )
    return transacted


def mode_name(mode: int, modes: Mapping[int, ModeRow]) -> str:
    """What JMS or the vendor calls one of `modes`."""
    return modes[mode].vendor_name or SessionMode(mode).name
