"""What producers of both APIs can be set to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SETTINGS: Mapping[str, tuple[int, str, Any, tuple[Any, ...]]] = {
    "DisableMessageID": (1, "disable_message_id", False, (True, False, True)),
    "DisableMessageTimestamp": (2, "disable_message_timestamp", False, (True, False, True)),
    "DeliveryMode": (3, "delivery_mode", 2, (1, 2, 1)),
    "Priority": (4, "priority", 4, (0, 9, 5)),
    "TimeToLive": (5, "time_to_live", 0, (60_000, 1, 1 << 40, 0)),
    "DeliveryDelay": (6, "delivery_delay", 0, (60_000, 1, 1 << 40, 0)),
}
"""By the name in Java: the statement, the name here, the value at first, and others."""
NO_MODES = (-1, 0, 3)
NO_PRIORITIES = (-1, 10, 256)
