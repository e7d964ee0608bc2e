"""Apache Pulsar by name, and the artifacts that it is embedded from."""

from __future__ import annotations

from jms_brokers.shared.locked import LockedBroker

NAME = "pulsar"
LOCKED = LockedBroker("Pulsar", "pulsar-broker", "4.0.7")
