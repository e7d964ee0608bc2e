"""ActiveMQ Classic by name, and the artifacts that it is embedded from."""

from __future__ import annotations

from jms_brokers.shared.locked import LockedBroker

NAME = "activemq"
LOCKED = LockedBroker("ActiveMQ", "activemq-broker", "6.3.1")
