"""What the documents of other clients decide otherwise, one module for each document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jmsapi import JMSException
from pulsar_jms.dialects.amq import AMQ
from pulsar_jms.dialects.dialect import Dialect
from pulsar_jms.dialects.rabbitmq import RABBITMQ
from pulsar_jms.dialects.starlight import STARLIGHT

__all__ = ["DIALECTS", "Dialect", "dialect_named"]

DIALECTS: Final[Mapping[str, Dialect]] = {
    dialect.name: dialect for dialect in (STARLIGHT, RABBITMQ, AMQ)
}
"""The dialects by name."""


def dialect_named(name: str) -> Dialect:
    """The dialect called `name`; `JMSException` with those that there are."""
    try:
        return DIALECTS[name]
    except KeyError:
        known = ", ".join(DIALECTS)
        raise JMSException(f"dialect={name!r} is unknown: {known} are the dialects") from None
