"""Clients that are wrong about what a connection tells of itself."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from pulsar_jms.connections.meta_data import PulsarConnectionMetaData


def _lists(*names: str) -> AbstractContextManager[object]:
    """getJMSXPropertyNames gives these names."""
    return patch.object(
        PulsarConnectionMetaData,
        "jmsx_property_names",
        property(lambda meta_data: iter(names)),
    )


@wrong("JMS-META-001")
def lists_properties_that_are_not_there() -> AbstractContextManager[object]:
    """getJMSXPropertyNames lists JMSXUserID, which no message has."""
    return _lists("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount", "JMSXUserID")


@wrong("JMS-META-001")
def lists_no_delivery_count() -> AbstractContextManager[object]:
    """getJMSXPropertyNames leaves JMSXDeliveryCount out."""
    return _lists("JMSXGroupID", "JMSXGroupSeq")


@wrong("JMS-META-002", patches=(PulsarConnectionMetaData, "provider_major_version"))
def numbers_of_another_version(_: Any) -> int:
    """The numbers of the provider's version are not those of its text."""
    return 9
