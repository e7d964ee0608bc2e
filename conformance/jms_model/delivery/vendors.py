"""What vendors' documents say of sessions: beyond JMS, against it, and in words of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

INDIVIDUAL: Final = 4
"""The mode of a session in which each message is acknowledged alone, as programs name it."""


@dataclass(frozen=True)
class Vendor:
    """A variant of the rules on sessions."""

    settles_one: Sequence[str] = ()
    """The statements that acknowledge() settles its message in the individual mode."""
    leaves_others: Sequence[str] = ()
    """The statements that it leaves the others of the session there."""
    settles_earlier: Sequence[str] = ()
    """The statements that it settles its message and what came before it in CLIENT_ACKNOWLEDGE,
    which JMS says of all that came."""
    settles_of_others: Sequence[str] = ()
    """The statements that it does so for messages of other consumers of the session."""
    settles_up_to: Sequence[str] = ()
    """The same where it settles nothing else; without any it settles all of the session, as in
    JMS."""
    leaves_later: Sequence[str] = ()
    """The statements that it leaves what came after its message."""
    also: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The statements that say of what comes to a consumer the same as one of JMS."""

    same: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The statements that say of other calls the same as one of JMS."""

    def with_same(self, ids: Iterable[str]) -> list[str]:
        """Statements on a call, and those of the vendor that say the same."""
        return [each for id_ in ids for each in (id_, *self.same.get(id_, ()))]

    def with_own(self, ids: Iterable[str]) -> list[str]:
        """Statements on what comes, and those of the vendor that say the same."""
        return [each for id_ in ids for each in (id_, *self.also.get(id_, ()))]


NONE: Final = Vendor()
"""JMS alone."""
_STARLIGHT: Final = Vendor(
    settles_one=["SLJ-ACK-014", "SLJ-ACK-015"],
    leaves_others=["SLJ-ACK-014"],
    settles_earlier=["SLJ-ACK-009"],
    settles_of_others=["SLJ-ACK-010"],
    also={
        "JMS-ACK-003": ["SLJ-ACK-002"],
        "JMS-ACK-007": ["SLJ-ACK-011"],
        "JMS-ACK-008": ["SLJ-ACK-011"],
        "JMS-REDL-005": ["SLJ-REDL-014", "SLJ-REDL-017"],
        "JMS-REDL-006": ["SLJ-REDL-016"],
        "JMS-TX-002": ["SLJ-TX-001"],
        "JMS-TX-003": ["SLJ-TX-002"],
        "JMS-TX-004": ["SLJ-TX-006", "SLJ-TX-007"],
        "JMS-SEL-003": ["SLJ-SEL-001"],
        "JMS-NLOC-001": ["SLJ-NLOC-001"],
    },
    same={
        "JMS-CONN-001": ["SLJ-LSN-004"],
        "JMS-CONN-008": ["SLJ-LSN-005"],
        "JMS-LSN-002": ["SLJ-LSN-002"],
    },
)
_AMQ: Final = Vendor(
    settles_one=["AMQ-ACK-003", "AMQ-ACK-004", "AMQ-ACK-006"],
    leaves_others=["AMQ-ACK-003", "AMQ-ACK-005", "AMQ-ACK-006", "AMQ-ACK-007"],
)
_RABBITMQ: Final = Vendor(
    settles_one=["RMQ-ACK-007", "RMQ-ACK-009"],
    leaves_others=["RMQ-ACK-007", "RMQ-ACK-008"],
    settles_up_to=["RMQ-ACK-001", "RMQ-ACK-002", "RMQ-ACK-003"],
    leaves_later=["RMQ-ACK-001", "RMQ-ACK-004"],
)
VENDORS: Final[Mapping[str, Vendor]] = {"SLJ": _STARLIGHT, "AMQ": _AMQ, "RMQ": _RABBITMQ}
"""By the prefix of their documents."""
