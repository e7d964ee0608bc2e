"""What workloads are judged by, and why the documents promise it.

Sections are those of JMS 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

BASIC: Final[Mapping[str, str]] = {
    "D01": "a message of a successful PERSISTENT send is delivered (JMS 2.0, 3.4.10)",
    "D02": "a provider delivers what was sent, and nothing else",
    "D04": "a subscription gets what is sent to its destination and passes its selector (8.3)",
    "D08": "a message is finished once on its queue or subscription (6.2.12)",
    "D11": "JMSXDeliveryCount counts the deliveries (3.5.11)",
    "D13": "the body arrives as it was sent (3.11)",
    "D14": "so do the headers and properties (3.4, 3.5)",
    "D20": "a session handles one message at a time (6.2.9)",
    "D27": "JMSMessageID tells messages apart (3.4.3)",
    "D28": "an alarm that counts what D01 judges one by one",
    "D33": "a number to report: how long messages take",
}
"""What every workload of queues and subscriptions promises."""
REPEATED: Final[Mapping[str, str]] = {
    "D05": "what is acknowledged is not delivered again (6.2.10)",
    "D06": "what comes again is flagged as redelivered (3.4.7)",
    "D07": "a message is with one consumer of its queue or subscription at a time (4.1.2, 8.3)",
    "D12": "a redelivered message has a count of 2 at least (3.5.11)",
}
"""What a workload promises in which messages come again."""
RETURNED: Final[Mapping[str, str]] = {
    **REPEATED,
    "D19": "what is not acknowledged comes again (6.2.10, 6.2.11)",
}
ORDERED: Final[Mapping[str, str]] = {
    "D09": "messages of a session to a destination are received in the order sent (6.2.9.1)",
}
BY_KEY: Final[Mapping[str, str]] = {
    "D09": "a key stays in one partition, and with one consumer where it is shared by key",
}
GROUPED: Final[Mapping[str, str]] = {
    "D22": "messages of a group go to one consumer (JMSXGroupID of Starlight for JMS)",
    "D23": "in their order",
}
TOGETHER: Final[Mapping[str, str]] = {
    "D21": "acknowledge() settles all that the session has received (8.7)",
}
ALONE: Final[Mapping[str, str]] = {
    **ORDERED,
    "D10": "the only consumer of a subscription gets all of it (8.3.1, 8.3.3)",
}
RESUMED: Final[Mapping[str, str]] = {
    # Pulsar counts no redeliveries on Exclusive subscriptions, and its count is what
    # JMSRedelivered and JMSXDeliveryCount are (SLJ-REDL-001): a repeat looks like a first one
    **{check: why for check, why in BASIC.items() if check != "D11"},
    "D05": RETURNED["D05"],
    "D07": RETURNED["D07"],
    "D19": RETURNED["D19"],
    "D30": "after recover() delivery goes on with the oldest message (6.2.11)",
}
"""What an Exclusive subscription promises whose consumer recovers."""
LEFT: Final[Mapping[str, str]] = {
    # Pulsar counts no delivery to a consumer that went, and flags by that count (SLJ-REDL-001)
    **{check: why for check, why in BASIC.items() if check != "D11"},
    "D05": RETURNED["D05"],
    "D07": RETURNED["D07"],
    "D19": RETURNED["D19"],
}
"""What is promised of messages that a session had not acknowledged when it was closed."""
LAZILY: Final = {check: why for check, why in BASIC.items() if check != "D08"}
"""Of a mode in which messages may come twice."""
