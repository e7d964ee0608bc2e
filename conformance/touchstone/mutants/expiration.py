"""Clients that are wrong about expiration."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms import screening
from pulsar_jms.messages import sending
from touchstone.mutants.registry import Mutant

EXPIRATION_IS_TIME_TO_LIVE = Mutant(
    name="expiration-is-time-to-live",
    area="expiration",
    violates=("SLJ-EXP-001",),
    doc="JMSExpiration holds the time to live, not an instant.",
    apply=partial(patch.object, sending, "expiration_of", lambda sent_at, lives: lives),
)
EXPIRED_HANDED_OVER = Mutant(
    name="expired-handed-over",
    area="expiration",
    violates=("SLJ-EXP-002",),
    doc="Expired messages are delivered.",
    apply=partial(patch.object, screening, "expired", lambda text, now: False),
)
EXPIRES_WITHOUT_TIME_TO_LIVE = Mutant(
    name="expires-without-time-to-live",
    area="expiration",
    violates=("SLJ-EXP-004",),
    doc="A time to live of 0 ends at once.",
    apply=partial(patch.object, sending, "expiration_of", lambda sent_at, lives: sent_at + lives),
)
