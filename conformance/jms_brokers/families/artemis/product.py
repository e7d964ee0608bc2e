"""Apache Artemis by name, and the artifacts that it is embedded from."""

from __future__ import annotations

from jms_brokers.shared.locked import LockedBroker

NAME = "artemis"
LOCKED = LockedBroker("Artemis", "artemis-broker", "2.55.0")
