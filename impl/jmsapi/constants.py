"""Session modes, delivery modes and the defaults of a producer (JMS 2.0, 3.4 and 6.2)."""

from __future__ import annotations

from enum import IntEnum


class SessionMode(IntEnum):
    """The four standard session modes; vendors add numbers of their own."""

    SESSION_TRANSACTED = 0
    AUTO_ACKNOWLEDGE = 1
    CLIENT_ACKNOWLEDGE = 2
    DUPS_OK_ACKNOWLEDGE = 3


class DeliveryMode(IntEnum):
    """Whether a message must survive a failure of the provider."""

    NON_PERSISTENT = 1
    PERSISTENT = 2


DEFAULT_DELIVERY_MODE = DeliveryMode.PERSISTENT
DEFAULT_PRIORITY = 4
DEFAULT_TIME_TO_LIVE = 0
"""Milliseconds; 0 means that the message never expires."""
DEFAULT_DELIVERY_DELAY = 0
"""Milliseconds."""
