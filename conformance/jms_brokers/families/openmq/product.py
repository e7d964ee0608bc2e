"""Eclipse OpenMQ by name, and the artifacts that it is embedded from."""

from __future__ import annotations

from jms_brokers.shared.locked import LockedBroker

NAME = "openmq"
LOCKED = LockedBroker("OpenMQ", "openmq-broker", "6.6.0")
