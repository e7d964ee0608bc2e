"""Messages that a Pulsar broker keeps from consumers that wait for them.

Seen on 4.0.7 with the plain Pulsar client: when the consumers of a shared subscription are closed
while messages are on their way to them, one that comes next gets only some of those, the rest not
before another message is sent. The broker then waits for that, and shows it in its statistics: the
subscription has messages that no consumer has, no transaction has acknowledged, and that are
neither delayed nor about to be sent again, and a consumer has asked for more.
"""

from __future__ import annotations

import time
from typing import Any, Final
from urllib.parse import quote_plus

from jms_brokers.families.pulsar import transactions
from jms_brokers.families.pulsar.rest import PulsarRest, TopicName

_LOOKS: Final = 3
"""So often the broker is asked: what is on its way just now is not withheld."""
_APART: Final = 0.3
"""Seconds between one look and the next."""


def withheld(rest: PulsarRest, topic: TopicName) -> str | None:
    """What the broker keeps from the consumers of a topic; None: nothing, or no such topic."""
    lasting: set[tuple[str, int]] | None = None
    for look in range(_LOOKS):
        if look:
            time.sleep(_APART)
        now = {row for part in rest.parts(topic) for row in _withheld_now(rest, part)}
        lasting = now if lasting is None else lasting & now
        if not lasting:
            return None
    kept = ", ".join(f"{count} of {name!r}" for name, count in sorted(lasting or ()))
    return f"the broker keeps messages from consumers that wait for them: {kept} on {topic}"


def _withheld_now(rest: PulsarRest, part: TopicName) -> set[tuple[str, int]]:
    """By subscription of a topic that has no partitions, how many messages are kept just now."""
    stats = rest.request("GET", f"{part.path}/stats", accept=(404,))
    inside = rest.request("GET", f"{part.path}/internalStats", accept=(404,))
    if not (stats.is_success and inside.is_success):
        return set()
    cursors = inside.json()["cursors"]
    return {
        (name, row["msgBacklog"])
        for name, row in stats.json()["subscriptions"].items()
        if row["msgBacklog"] > 0
        and _waits(row)
        and cursors.get(quote_plus(name), {}).get("waitingReadOp")
        and not transactions.acknowledging(rest, part, name)
    }


def _waits(row: dict[str, Any]) -> bool:
    """Whether nobody has, or is about to have, messages of a shared subscription that waits."""
    shared = row["type"] in ("Shared", "Key_Shared")
    on_their_way = row["unackedMessages"] or row["msgDelayed"] or row.get("msgInReplay")
    asks = any(each["availablePermits"] > 0 for each in row["consumers"])
    return bool(shared and asks and not on_their_way)
