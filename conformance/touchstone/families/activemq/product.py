"""ActiveMQ Classic by name, and the artifacts that it is embedded from."""

from __future__ import annotations

from touchstone.families.locked import LockedBroker

NAME = "activemq"
LOCKED = LockedBroker("ActiveMQ", "activemq-broker", "6.3.1")
