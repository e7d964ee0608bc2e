"""The delivery mode: a mark that travels along; Pulsar stores every message alike."""

from __future__ import annotations

from jmsapi.constants import DEFAULT_DELIVERY_MODE, DeliveryMode
from jmsapi.errors import JMSException, NumberFormatException
from jmsapi.numbers_as_text import parse_java_integral
from jmsapi.values import Int
from pulsar_jms.implements import implements
from pulsar_jms.mapping.header_row import HeaderRow


def read_delivery_mode(text: str) -> int:
    """The delivery mode; PERSISTENT where the text is neither of the two, as Java reads it."""
    try:
        return int(DeliveryMode(parse_java_integral(text, Int)))
    except (NumberFormatException, ValueError):
        return int(DeliveryMode.PERSISTENT)


DELIVERY_MODE_ROW = HeaderRow(
    "JMSDeliveryMode",
    "jms_delivery_mode",
    int(DEFAULT_DELIVERY_MODE),
    lambda mode: str(int(mode)),
    read_delivery_mode,
    ("SLJ-MODE-001", "SLJ-MODE-002", "SLJ-MODE-003", "JMS-HDR-004", "JMS-MODE-005"),
)


@implements("SLJ-MODE-004", "JMS-MODE-005")
def check_delivery_mode(mode: int) -> int:
    """`mode` if it is one of the two, else `JMSException`; neither changes how it is stored."""
    if mode not in (1, 2):
        raise JMSException(
            f"delivery mode {mode!r} is unknown: NON_PERSISTENT is 1, PERSISTENT is 2"
        )
    return int(mode)
