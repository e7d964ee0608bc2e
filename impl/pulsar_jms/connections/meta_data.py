"""What a connection says about this client."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from dataclasses import dataclass

from pulsar_jms.implements import implements


@dataclass(frozen=True)
@implements("JMS-META-002")
class PulsarConnectionMetaData:
    """JMS 2.0 by Pulsar, in the version of this client."""

    provider_version: str = importlib.metadata.version("jms-touchstone-reference")
    jms_version: str = "2.0"
    jms_major_version: int = 2
    jms_minor_version: int = 0
    jms_provider_name: str = "Pulsar"

    @property
    def provider_major_version(self) -> int:
        """The first number of the version."""
        return int(self.provider_version.split(".")[0])

    @property
    def provider_minor_version(self) -> int:
        """The second number of the version."""
        return int(self.provider_version.split(".")[1])

    @property
    @implements("JMS-META-001")
    def jmsx_property_names(self) -> Iterator[str]:
        """The JMSX properties that this client sets or understands."""
        return iter(("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount"))
